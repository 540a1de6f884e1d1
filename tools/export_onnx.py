#!/usr/bin/env python3
"""Exports a checkpoint's PyTorch reference to ONNX, for other engines to run.

    python tools/export_onnx.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.onnx

Input `input` (1, 3, height, width). Outputs of a detector: `output0` (1, 4 + classes + extras, N) and, of a segmenting
one, `proto`; of a classifier `output0` (1, classes), probabilities; of the
depth network: `depth` (1, height, width). Batch normalisation is folded into the convolutions first.
"""

import argparse

import torch

from make_reference_outputs import load_network, parse_size
from oracles import yolo


class Exported(torch.nn.Module):
    """The network with its outputs only: of an end-to-end head all boxes, before the best are chosen."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        result, raw = self.network(image)
        if "one2one" not in raw:
            return result
        decoded = self.network.model[-1]._inference(raw["one2one"])
        return (decoded, result[1]) if isinstance(result, tuple) else decoded


def output_names(architecture):
    """What a network's outputs are called in the files made of it."""
    if not architecture.startswith("yolo"):
        return ["depth"]
    return ["output0", "proto"] if architecture.endswith("-seg") else ["output0"]


def fused(network):
    """The detector with normalisations folded, by ultralytics itself, and its end-to-end head, where it has one."""
    yolo.import_ultralytics()
    network.end2end = hasattr(network.model[-1], "one2one_cv2")
    return Exported(network.fuse(verbose=False)).eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--size", type=parse_size, required=True, help="height x width")
    parser.add_argument("--out", required=True, help="ONNX file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.weights)
    detector = architecture.startswith("yolo")
    network = fused(network) if detector else network
    image = torch.zeros(1, 3, *arguments.size)
    with torch.no_grad():
        network(image)  # the anchors are made on the first run, and stay constants
        torch.onnx.export(
            network,
            (image,),
            arguments.out,
            input_names=["input"],
            output_names=output_names(architecture),
            opset_version=17,
            dynamo=False,
        )


if __name__ == "__main__":
    main()
