#!/usr/bin/env python3
"""Exports a checkpoint's PyTorch reference to ONNX, for other engines to run.

    python tools/export_onnx.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.onnx

Input `input` (1, 3, height, width). Outputs of a detector: the maps of its head, `box.0` to `coef.2`, before they are
decoded (`kpts.0` or `angle.0` for `coef.0` as the task has it, none of boxes alone), and of a segmenting one `proto`;
of a classifier `probabilities`; of the depth network: `depth` (1, height, width). Batch normalisation is folded into
the convolutions first.
"""

import argparse

import torch

from make_reference_outputs import load_network, parse_size
from oracles import yolo


def output_names(architecture):
    """A network's outputs: of a detector the maps of its head's branches, (1, channels, height, width), by level."""
    if not architecture.startswith("yolo"):
        return ["depth"]
    suffix = yolo.split(architecture)[1]
    if suffix == "-cls":
        return ["probabilities"]
    branches = ["box", "cls"] + ([yolo.EXTRAS[suffix][0]] if suffix in yolo.EXTRAS else [])
    return [f"{branch}.{level}" for branch in branches for level in range(3)] + ["proto"] * (suffix == "-seg")


class HeadMaps(torch.nn.Module):
    """The detector up to the maps of its head, which is what `ardf bench` computes; decoding is left out."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def branches(self, head, levels):
        """The maps of an object's branches, of an end-to-end head those of the head that gives each object one box."""
        prefix = "one2one_" if hasattr(head, "one2one_cv2") else ""
        for name in ("cv2", "cv3", "cv4"):
            branch = getattr(head, prefix + name, None)
            if branch is None:
                continue
            last = getattr(head, f"{prefix}{name}_kpts", None)
            for index, level in enumerate(levels):
                value = branch[index](level)
                yield value if last is None else last[index](value)

    def forward(self, image):
        *body, head = self.network.model
        results, x = [], image
        for module in body:
            sources = module.f if isinstance(module.f, list) else [module.f]
            inputs = [x if source == -1 else results[source] for source in sources]
            x = module(inputs if isinstance(module.f, list) else inputs[0])
            results.append(x)
        if head.f == -1:
            return head(x)[0]
        levels = [results[source] for source in head.f]
        maps = list(self.branches(head, levels))
        if not hasattr(head, "proto"):
            return tuple(maps)
        return *maps, head.proto(levels if hasattr(head.proto, "feat_fuse") else levels[0])


def fused(network):
    """The detector with normalisations folded, by ultralytics itself."""
    yolo.import_ultralytics()
    if hasattr(network.model[-1], "one2one_cv2"):
        network.end2end = True  # of the two heads the other is taken out
    return HeadMaps(network.fuse(verbose=False)).eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--size", type=parse_size, required=True, help="height x width")
    parser.add_argument("--out", required=True, help="ONNX file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.weights)
    network = fused(network) if architecture.startswith("yolo") else network
    image = torch.zeros(1, 3, *arguments.size)
    with torch.no_grad():
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
