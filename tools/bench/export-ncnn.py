#!/usr/bin/env python3
"""Converts a checkpoint's PyTorch reference to ncnn, for `bench-peers.py`.

    python tools/bench/export-ncnn.py --weights yolo11n-seg-random.safetensors --size 640x640 --out yolo11n-seg.ncnn

Writes `OUT.param` and `OUT.bin`, with weights in float32, by pnnx (`pip install pnnx`): from TorchScript, or from ONNX
where that fails (pnnx 20261020 crashes on the depth network's TorchScript). The input is `in0`; outputs are those of
`export-onnx.py` without the leading 1.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from pnnx import EXEC_PATH

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.checkpoints import load_network, parse_size
from oracles.head_maps import fused


def trace(arguments, path):
    """Writes the network as TorchScript."""
    architecture, network = load_network(arguments.weights)
    network = fused(network) if architecture.startswith("yolo") else network
    image = torch.zeros(1, 3, *arguments.size)
    with torch.no_grad():
        torch.jit.trace(network, image).save(path)


def export_onnx(arguments, path):
    """Writes the network as ONNX."""
    size = "x".join(str(side) for side in arguments.size)
    command = [sys.executable, Path(__file__).with_name("export-onnx.py"), "--weights", arguments.weights]
    subprocess.run([*command, "--size", size, "--out", path], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--size", type=parse_size, required=True, help="height x width")
    parser.add_argument("--out", required=True, help="name of the two files to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    height, width = arguments.size
    with tempfile.TemporaryDirectory() as folder:
        for write, suffix in ((trace, "pt"), (export_onnx, "onnx")):
            source = Path(folder) / f"network.{suffix}"
            write(arguments, source)
            command = [EXEC_PATH, source, f"inputshape=[1,3,{height},{width}]", "fp16=0"]
            if subprocess.run(command, cwd=folder, check=False).returncode == 0:
                break
        else:
            raise SystemExit("pnnx converts neither TorchScript nor ONNX")
        for part in ("param", "bin"):
            shutil.move(source.with_name(f"network.ncnn.{part}"), f"{arguments.out}.{part}")


if __name__ == "__main__":
    main()
