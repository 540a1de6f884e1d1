#!/usr/bin/env python3
"""Says what bounds a network: operations by algorithm, their time at the measured peak, and the time they took.

    python tools/bench/roofline.py --ardf .build/release/ardf --threads 2 [--precision bf16] WEIGHTS...

One `ardf profile` a file, which also measures the rate of fp32 multiply-adds. Winograd is counted with what its tiles
multiply where they fit the map exactly: 81 of 144 at stride 2, 64 of 324 with 6x6 outputs, 36 of 144 with 4x4, 25 of
160 with a transposed convolution before it, where all three maps have as many channels; Strassen's 1x1 convolutions
with seven products of eight, those before an enlargement with the pixels they have there. Everything else is counted
directly, transposed convolutions too, some of which are Strassen's; in bf16 at `--dot-rate` times the peak, which is
2 for `vdpbf16ps`.
"""

import argparse
import json
import math
import re
import subprocess
from collections import defaultdict


def extents(shape):
    """Height before and after a layer, of a `shape` such as "80x80x64 -> 40x40x128"."""
    heights = [int(h) for h in re.findall(r"(\d+)x\d+x\d+", shape)]
    return heights[0], heights[-1]


def share(layer):
    """Share of a 1x1 convolution's operations that is computed: before an enlargement they are fewer."""
    if layer["operation"] != "conv1x1" or not layer["flops"]:
        return 1
    inputs, output = layer["shape"].split(" -> ")
    channels = int(inputs.split(" ")[0].split("x")[2])
    return min(1, 2 * channels * math.prod(map(int, output.split("x"))) / layer["flops"])


def multiplied(layer):
    """(kind, part of the operations that is multiplied)."""
    algorithm, operation = layer["algorithm"], layer["operation"]
    if algorithm.startswith("winograd"):
        before, after = extents(layer["shape"])
        if after < before:
            return "Winograd, stride 2", 81 / 144
        if "f6x6" in algorithm:
            return "Winograd F(6x6,3x3)", 64 / 324
        if after == 2 * before:
            return "Winograd F(4x4,2x2)", 25 / 160
        return "Winograd F(4x4,3x3)", 36 / 144
    if operation == "attention":
        return "attention", 1
    if algorithm == "strassen":
        return "1x1 and linear, Strassen", 7 / 8 * share(layer)
    if algorithm in ("gemm", "subpixel"):
        return "1x1, linear, transposed", share(layer)
    if algorithm == "direct":
        return "direct convolution", 1
    return "all else", 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", nargs="+")
    parser.add_argument("--ardf", required=True)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    parser.add_argument("--iterations", default="30")
    parser.add_argument("--dot-rate", type=float, default=2)
    options = parser.parse_args()
    print("| network | algorithm | GFLOP | multiplied | ms at the peak | ms | of the peak |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for weights in options.weights:
        command = [options.ardf, "profile", weights, "--threads", options.threads, "--precision", options.precision]
        command += ["--iterations", options.iterations, "--report", "json"]
        profile = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        for layer in profile["layers"]:
            if layer["overhead"]:
                continue
            kind, part = multiplied(layer)
            rate = profile["peakGFLOPS"] * (options.dot_rate if options.precision == "bf16" else 1)
            work = layer["flops"] * part
            row = (layer["flops"] / 1e9, work / 1e9, work / rate / 1e6, layer["medianMs"])
            for sums in (rows[kind], rows["all"]):
                sums[:] = [a + b for a, b in zip(sums, row, strict=True)]
        name = f"{profile['network']} {options.precision}, {profile['peakGFLOPS']:.0f} GFLOP/s"
        for kind, (flops, work, ideal, took) in sorted(rows.items(), key=lambda item: -item[1][3]):
            print(f"| {name} | {kind} | {flops:.1f} | {work:.1f} | {ideal:.1f} | {took:.1f} | {ideal / took:.2f} |")
            name = ""


if __name__ == "__main__":
    main()
