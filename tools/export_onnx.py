#!/usr/bin/env python3
"""Exports a checkpoint's PyTorch reference to ONNX, for other engines to run.

    python tools/export_onnx.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.onnx

Input `input` (1, 3, height, width). Outputs of a detector: `output0` (1, 4 + classes + 32, N) and `proto`; of the
depth network: `depth` (1, height, width). Batch normalisation is folded into the convolutions first.
"""

import argparse

import torch

from make_reference_outputs import load_network, parse_size
from oracles import yolo


class Exported(torch.nn.Module):
    """The detector with its two outputs only."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        (decoded, proto), _ = self.network(image)
        return decoded, proto


def fused(network):
    """The detector with normalisations folded, by ultralytics itself."""
    yolo.import_ultralytics()
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
            output_names=["output0", "proto"] if detector else ["depth"],
            opset_version=17,
            dynamo=False,
        )


if __name__ == "__main__":
    main()
