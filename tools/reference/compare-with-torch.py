#!/usr/bin/env python3
"""Compares the tensors of two files by name, for example an engine's outputs with a reference's.

    python tools/reference/compare-with-torch.py ours.safetensors reference.safetensors --tolerance 1e-4

Prints for every name of the reference the largest absolute difference, that relative to the reference's largest
magnitude, and the L2 norm of the difference relative to the reference's. Files are .safetensors, .npy or .npz.
Shapes may differ by axes of length one; an engine's channels-last map is turned around with `--channels-last`.
Fails where a tensor is missing, not finite, of another shape, or beyond the tolerance.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.differences import aligned, measure
from oracles.tensor_files import load_tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ours")
    parser.add_argument("reference")
    parser.add_argument("--names", nargs="*", help="compare these tensors only")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest difference relative to the maximum")
    parser.add_argument("--channels-last", action="store_true", help="maps of the first file are (.., H, W, C)")
    arguments = parser.parse_args()
    ours, _ = load_tensors(arguments.ours)
    reference, _ = load_tensors(arguments.reference)
    names = arguments.names or [name for name in sorted(reference) if name != "input"]
    failures = 0
    print(f"{'tensor':16} {'max |a-b|':>11} {'/ max |b|':>11} {'rel. L2':>11}")
    for name in names:
        value = ours.get(name)
        if value is None and len(ours) == len(names) == 1:
            value = next(iter(ours.values()))
        value = None if value is None else aligned(value, reference[name].shape, arguments.channels_last)
        if value is None:
            print(f"{name:16} missing or of another shape than {reference[name].shape}")
            failures += 1
            continue
        largest, relative, l2 = measure(value, reference[name])
        good = relative <= arguments.tolerance  # false for NaN
        failures += not good
        print(f"{name:16} {largest:11.3e} {relative:11.3e} {l2:11.3e}{'' if good else '  beyond the tolerance'}")
    raise SystemExit(failures > 0)


if __name__ == "__main__":
    main()
