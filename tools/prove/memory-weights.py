#!/usr/bin/env python3
"""Measures the most memory that `ardf infer` holds with an ONNX file of 400 MB: at most 1.2 times its weights.

    tools/prove/memory-weights.py [--ardf .build/release/ardf] [--megabytes 400]

The file is a chain of products by square matrices, made here. Its weights are mapped, and packed for the engine once.
"""

import argparse
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from memory import MIB, ROOT, peak
from oracles.protocol_buffers import message, number, varint

SIDE, FACTOR = 2048, 1.2


def port(name):
    """A row of numbers that goes in or comes out."""
    shape = b"".join(message(1, number(1, side)) for side in (1, SIDE))
    return message(1, name) + message(2, message(1, number(1, 1) + message(2, shape)))


def write_model(path, count):
    """Writes the chain; returns the bytes of its weights. No two matrices are alike."""
    size = 4 * SIDE * SIDE
    axes = number(1, SIDE) * 2
    heads = [axes + number(2, 1) + message(8, f"w{index}") for index in range(count)]
    raw = varint(9 << 3 | 2) + varint(size)
    products = [
        message(1, f"x{i}") + message(1, f"w{i}") + message(2, f"x{i + 1}") + message(4, "MatMul") for i in range(count)
    ]
    nodes = b"".join(message(1, product) for product in products)
    ends = message(11, port("x0")) + message(12, port(f"x{count}"))
    tensors = [varint(5 << 3 | 2) + varint(len(head) + len(raw) + size) + head + raw for head in heads]
    length = len(nodes) + len(ends) + sum(len(tensor) + size for tensor in tensors)
    with path.open("wb") as file:
        file.write(number(1, 8) + message(8, number(2, 18)) + varint(7 << 3 | 2) + varint(length) + nodes)
        for index, tensor in enumerate(tensors):
            row = [((7 * place + index) % 251 - 125) / 125 / SIDE**0.5 for place in range(SIDE)]
            rows = struct.pack(f"<{2 * SIDE}f", *row, *row)
            file.write(tensor)
            for start in range(SIDE):
                file.write(rows[4 * start : 4 * (start + SIDE)])
        file.write(ends)
    return count * size


def main():
    """Makes the file, runs it, and compares the peak with the limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        print(write_model(options.make, max(1, round(options.megabytes * 1_000_000 / (4 * SIDE * SIDE)))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        # In a process of its own: a child's peak begins with what its parent held.
        make = [sys.executable, __file__, "--megabytes", str(options.megabytes), "--make", place / "model.onnx"]
        made = subprocess.run(make, stdout=subprocess.PIPE, check=True)
        weights = int(made.stdout)
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {SIDE})}}".ljust(117) + "\n"
        data = struct.pack(f"<{SIDE}f", *([1.0] * SIDE))
        (place / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
        command = [str(options.ardf.resolve()), "infer", "model.onnx", "--input", "x0=x.npy", "--out", "results"]
        status, resident, seconds, message = peak(command, place)
    limit = FACTOR * weights
    is_good = status == 0 and resident <= limit
    print(
        f"infer, weights of {weights / MIB:.0f} MiB: peak {resident / MIB:.0f} MiB, limit {limit / MIB:.0f} MiB, "
        f"{seconds:.1f} s, exit {status}{'' if is_good else '  FAILS'}"
    )
    if not is_good:
        sys.exit(message[:300] or 1)


if __name__ == "__main__":
    main()
