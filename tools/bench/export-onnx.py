#!/usr/bin/env python3
"""Exports a checkpoint's PyTorch reference to ONNX or TorchScript, for other engines to run.

    python tools/bench/export-onnx.py --model yolo11n-seg.safetensors --shape 1x3x640x640 --out yolo11n-seg.onnx
    python tools/bench/export-onnx.py --model yolo11n-seg.safetensors --shape 1x3x640x640 --out yolo11n-seg.pt

Input `input` (1, 3, height, width). Outputs of a detector: the maps of its head, `box.0` to `coef.2`, before they are
decoded (`kpts.0` or `angle.0` for `coef.0` as the task has it, none of boxes alone), and of a segmenting one `proto`;
of a classifier `probabilities`; of the depth network: `depth` (1, height, width). Batch normalization is folded into
the convolutions first. TorchScript has the same outputs without names.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.checkpoints import load_network
from oracles.head_maps import fused, output_names
from peers.models import parse_shape


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--shape", type=parse_shape, required=True, help="of the input: 1 x 3 x height x width")
    parser.add_argument("--out", required=True, help="file to write: .onnx, or .pt or .bf16.pt for TorchScript")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.model)
    network = fused(network) if architecture.startswith("yolo") else network
    image = torch.zeros(arguments.shape)
    with torch.no_grad():
        if arguments.out.endswith(".pt"):
            dtype = torch.bfloat16 if arguments.out.endswith(".bf16.pt") else torch.float32
            torch.jit.trace(network.to(dtype), image.to(dtype)).save(arguments.out)
            return
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
