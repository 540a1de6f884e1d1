#!/usr/bin/env python3
"""Converts a checkpoint's PyTorch reference to LiteRT, for `bench-peers.py`.

    python tools/bench/export-litert.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.tflite

Needs `pip install litert-torch`, best in an environment of its own. Input and outputs are those of `export-onnx.py`,
without names.
"""

import argparse
import sys
from pathlib import Path

import litert_torch
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.checkpoints import load_network, parse_size
from oracles.head_maps import fused


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--size", type=parse_size, required=True, help="height x width")
    parser.add_argument("--out", required=True, help="file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    architecture, network = load_network(arguments.weights)
    network = fused(network) if architecture.startswith("yolo") else network
    image = torch.zeros(1, 3, *arguments.size)
    with torch.no_grad():
        litert_torch.convert(network, (image,)).export(arguments.out)


if __name__ == "__main__":
    main()
