#!/usr/bin/env python3
"""Converts TorchScript or ONNX to ncnn, for `bench-peers.py`.

    python tools/bench/export-ncnn.py --model yolo11n-seg.pt --shape 1x3x640x640 --out yolo11n-seg.ncnn

Writes `OUT.param` and `OUT.bin`, with weights in float32, by pnnx (`pip install pnnx`), where ncnn can read them. The
input is `in0`; outputs are those of the model in its order, without names and without the leading 1.
"""

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import ncnn
from peers.models import parse_shape
from pnnx import EXEC_PATH


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="TorchScript (.pt) or ONNX (.onnx)")
    parser.add_argument("--shape", type=parse_shape, required=True, help="of the input: 1 x 3 x height x width")
    parser.add_argument("--out", required=True, help="name of the two files to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # pnnx writes its files beside the model.
        source = Path(folder) / f"network{arguments.model.suffix}"
        shutil.copyfile(arguments.model, source)
        command = [EXEC_PATH, source, f"inputshape=[{','.join(map(str, arguments.shape))}]", "fp16=0"]
        if subprocess.run(command, cwd=folder, check=False).returncode != 0:
            raise SystemExit(f"pnnx does not convert {arguments.model}")
        made = [source.with_name(f"network.ncnn.{part}") for part in ("param", "bin")]
        if ncnn.Net().load_param(str(made[0])) != 0:
            raise SystemExit(f"{arguments.model} has operators that ncnn lacks")
        for path in made:
            shutil.move(path, f"{arguments.out}{path.suffix}")


if __name__ == "__main__":
    main()
