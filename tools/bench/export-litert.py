#!/usr/bin/env python3
"""Converts a checkpoint's PyTorch reference to LiteRT, for `bench-peers.py`.

    python tools/bench/export-litert.py --model yolo11n-seg.safetensors --shape 1x3x640x640 --out yolo11n-seg.tflite

Needs `pip install litert-torch`, best in an environment of its own. Input and outputs are those of `export-onnx.py`,
without names.
"""

import argparse
import sys
from pathlib import Path

import litert_torch
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.checkpoints import load_network
from oracles.head_maps import fused
from peers.models import parse_shape


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--shape", type=parse_shape, required=True, help="of the input: 1 x 3 x height x width")
    parser.add_argument("--out", required=True, help="file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.model)
    network = fused(network) if architecture.startswith("yolo") else network
    image = torch.zeros(arguments.shape)
    with torch.no_grad():
        litert_torch.convert(network, (image,)).export(arguments.out)


if __name__ == "__main__":
    main()
