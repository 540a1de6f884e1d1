#!/usr/bin/env python3
"""Times ONNX Runtime on a model at batch 1: median and least milliseconds of a run.

    python tools/bench/bench-onnxruntime.py yolo11n-seg.onnx --threads 2 --runs 20

With `--reference FILE` the outputs are compared with a reference of `make-reference-outputs.py` first.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.differences import measure
from oracles.tensor_files import load_tensors


def open_session(path, threads):
    """A CPU session with all graph optimizations."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--reference", help="safetensors file with `input` and the outputs by name")
    arguments = parser.parse_args()
    session = open_session(arguments.model, arguments.threads)
    (wanted,) = session.get_inputs()
    if arguments.reference:
        tensors, _ = load_tensors(arguments.reference)
        image = tensors["input"]
    else:
        image = np.random.Generator(np.random.PCG64(1)).random(wanted.shape, dtype=np.float32)
    for output, value in zip(session.get_outputs(), session.run(None, {wanted.name: image}), strict=True):
        if arguments.reference:
            largest, relative, l2 = measure(value, tensors[output.name])
            print(f"{output.name}: max difference {largest:.2e}, relative {relative:.2e}, L2 {l2:.2e}")
    times = []
    for run in range(arguments.warm_up + arguments.runs):
        start = time.perf_counter()
        session.run(None, {wanted.name: image})
        if run >= arguments.warm_up:
            times.append((time.perf_counter() - start) * 1000)
    shape = "x".join(str(length) for length in wanted.shape)
    print(
        f"onnxruntime {onnxruntime.__version__} {shape} threads {arguments.threads} runs {arguments.runs}:"
        f" median {statistics.median(times):.1f} ms, least {min(times):.1f} ms"
    )


if __name__ == "__main__":
    main()
