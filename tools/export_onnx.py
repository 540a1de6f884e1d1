#!/usr/bin/env python3
"""Exports a checkpoint's PyTorch reference to ONNX, for other engines to run.

    python tools/export_onnx.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.onnx

Input `input` (1, 3, height, width). Outputs of a detector: the maps of its head, `box.0` to `coef.2`, before they are
decoded, and `proto`; of the depth network: `depth` (1, height, width). Batch normalisation is folded into the
convolutions first.
"""

import argparse

import torch

from make_reference_outputs import load_network, parse_size
from oracles import yolo11

#: A detector's outputs: the maps of its head's branches by level, (1, channels, height, width), and the prototypes.
MAPS = [f"{branch}.{level}" for branch in ("box", "cls", "coef") for level in range(3)] + ["proto"]


class HeadMaps(torch.nn.Module):
    """The detector up to the maps of its head, which is what `ardf bench` computes; decoding is left out."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        *body, head = self.network.model
        results, x = [], image
        for module in body:
            sources = module.f if isinstance(module.f, list) else [module.f]
            inputs = [x if source == -1 else results[source] for source in sources]
            x = module(inputs if isinstance(module.f, list) else inputs[0])
            results.append(x)
        levels = [results[source] for source in head.f]
        branches = (head.cv2, head.cv3, head.cv4)
        maps = [layer(level) for branch in branches for layer, level in zip(branch, levels, strict=True)]
        return *maps, head.proto(levels[0])


def fused(network):
    """The detector with normalisations folded, by ultralytics itself."""
    yolo11.import_ultralytics()
    return HeadMaps(network.fuse(verbose=False)).eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--size", type=parse_size, required=True, help="height x width")
    parser.add_argument("--out", required=True, help="ONNX file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.weights)
    detector = architecture == "yolo11-seg"
    network = fused(network) if detector else network
    image = torch.zeros(1, 3, *arguments.size)
    with torch.no_grad():
        torch.onnx.export(
            network,
            (image,),
            arguments.out,
            input_names=["input"],
            output_names=MAPS if detector else ["depth"],
            opset_version=17,
            dynamo=False,
        )


if __name__ == "__main__":
    main()
