#!/usr/bin/env python3
"""How many of the multiply-adds that an arm64 processor could issue its kernels' inner loops do, by llvm-mca.

  tools/platforms/check-issue-rate.py [BUILD]        by default what `make check-arm64` makes

Takes the innermost loops from the disassembly of the objects, has llvm-mca (of tools/platforms/swift-6.2/setup)
simulate each, and compares the cycles with those of nothing but as many independent multiply-adds, of floats, bf16 or
integers. Fails where a full register tile stays below 90 % (of bf16: 79 %), or where such a loop calls a function or
touches the stack. Models know no caches: an upper bound, not a time.
"""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

PROCESSORS = ["cortex-a76", "neoverse-n1", "neoverse-v2", "apple-m1"]
# Those that multiply matrices, of bf16 and of integers.
MATRIX_PROCESSORS = ["neoverse-n2", "neoverse-v1", "neoverse-v2", "apple-m2"]
LEAST = 0.9
# Sixteen sums are too few for the latency of Neoverse V2's four products a cycle.
LEAST_OF = {"multiplyMatrices": 0.79}
ITERATIONS = 200

# What runs in a function's loops, or in those of them that use an instruction: the layer kinds of YOLO11 (y), Depth
# Anything V2 and Prompt Depth Anything (d).
KINDS = {
    "addFourSteps": [
        "1x1 convolutions and linear layers (y, d)",
        "direct convolutions: stems, patches, strides (y, d)",
        "Winograd 4x4 and 6x6, 3x3 of stride 1 (y, d)",
        "Winograd 4x4, 3x3 of stride 2 (y, d)",
        "Winograd 4x4 of subpixels, transposed convolutions (y, d)",
        "attention, scores (y, d)",
        "Strassen, large 1x1 and linear layers (y, d)",
    ],
    "addWeightedRows": ["attention, values (y, d)"],
    "addStrip": ["depthwise convolutions (y)"],
    "multiplyMatrices": ["bf16: convolutions, linear layers, attention (y, d)"],
    "multiplyRun": [
        "fp16: 1x1 convolutions and linear layers (y, d)",
        "fp16: Winograd, 3x3 of both strides, transposed (y, d)",
    ],
    "multiplyIntegers/smlal": [
        "int16: 1x1 convolutions and linear layers (y, d)",
        "int16: Winograd, 3x3 of both strides, transposed (y, d)",
    ],
    "multiplyIntegers/sdot": ["int8: 1x1 convolutions and linear layers (y, d)"],
    "multiplyIntegers/smmla": ["int8 by matrices: 1x1 convolutions, linear layers (y, d)"],
}
# In mangled names.
NAMES = {key: f"{len(key.split('/')[0])}{key.split('/')[0]}" for key in KINDS}
# Registers of sums in a full tile.
FULL = {
    "addFourSteps": 20,
    "addWeightedRows": 24,
    "addStrip": 16,
    "multiplyMatrices": 16,
    "multiplyRun": 16,
    "multiplyIntegers/smlal": 20,
    "multiplyIntegers/sdot": 20,
    "multiplyIntegers/smmla": 20,
}
# Who runs it.
RUN_BY = {"multiplyMatrices": MATRIX_PROCESSORS, "multiplyIntegers/smmla": MATRIX_PROCESSORS}

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
BRANCH = re.compile(r"^(b|b\..*|cbn?z|tbn?z)$")
MULTIPLY_ADDS = {"fmla", "fmls", "bfmmla", "bfdot", "smlal", "smlal2", "sdot", "smmla"}
# Registers of independent sums, and of what is multiplied: elements of 16 bits are those of the first sixteen.
SUMS = [f"v{i}" for i in range(32) if i not in (14, 15)]


class Loop:
    """The instructions of an innermost loop, as (mnemonic, operands)."""

    def __init__(self, function, body):
        self.function, self.body = function, body

    @property
    def multiply_adds(self):
        return [line for line in self.body if line[0] in MULTIPLY_ADDS]

    @property
    def sums(self):
        return len({operands.split(",")[0].split(".")[0] for _, operands in self.multiply_adds})

    def uses(self, instruction):
        return any(name.startswith(instruction) for name, _ in self.multiply_adds)

    @property
    def faults(self):
        """Calls, and instructions that name the stack."""
        calls = sum(name in ("bl", "blr") for name, _ in self.body)
        stack = sum(re.search(r"\bsp\b", operands) is not None for _, operands in self.body)
        return [text for text, count in (("calls", calls), ("touches the stack", stack)) if count]

    @property
    def prefetches(self):
        return any(name.startswith("prf") for name, _ in self.body)

    @property
    def text(self):
        def line(name, operands):
            if not BRANCH.match(name):
                return f"{name} {operands}"
            return f"{name} " + ",".join(operands.split(",")[:-1] + [" .Lloop"])

        return "\n".join(line(*instruction) for instruction in self.body)


def inside(*command, text=""):
    folder = Path(__file__).resolve().parent
    return subprocess.run(
        [f"{folder}/swift-6.2/inside", "amd64", *command], input=text, capture_output=True, text=True, check=True
    ).stdout


def loops(listing):
    """The innermost loops of a disassembly that multiply and add."""
    name, body = None, []
    for line in listing.splitlines() + ["0 <end>:"]:
        if header := re.match(r"^[0-9a-f]+ <(.*)>:", line):
            yield from innermost(name, body)
            name, body = header[1], []
        elif found := INSTRUCTION.match(line):
            body.append((int(found[1], 16), found[2], re.sub(r"\s*<.*>$", "", found[3]).strip()))


def innermost(name, body):
    index = {address: i for i, (address, _, _) in enumerate(body)}
    ranges = set()
    for i, (_, mnemonic, operands) in enumerate(body):
        if BRANCH.match(mnemonic):
            target = index.get(int(operands.split(",")[-1].strip(), 16), i + 1)
            if target <= i:
                ranges.add((target, i))
    for first, last in sorted(ranges):
        if not any(other != (first, last) and first <= other[0] and other[1] <= last for other in ranges):
            loop = Loop(name, [line[1:] for line in body[first : last + 1]])
            if loop.multiply_adds:
                yield loop


@functools.cache
def cycles(text, processor):
    report = inside(
        "llvm-mca",
        "-mtriple=aarch64-linux-gnu",
        f"-mcpu={processor}",
        "-mattr=+bf16,+fullfp16,+dotprod,+i8mm",
        f"-iterations={ITERATIONS}",
        text=text,
    )
    return int(re.search(r"Total Cycles:\s+(\d+)", report)[1])


def peak(loop, processor):
    """Cycles of the same multiply-adds, independent of each other, and nothing else."""
    lines = []
    for i, (name, operands) in enumerate(loop.multiply_adds):
        kinds = [operand.strip().split(".", 1)[1] for operand in operands.split(",")]
        kinds[2] = re.sub(r"\[\d+\]", "[0]", kinds[2])
        lines.append(f"{name} {SUMS[i % len(SUMS)]}.{kinds[0]}, v14.{kinds[1]}, v15.{kinds[2]}")
    return cycles("\n".join(lines), processor)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else ".build-arm64/aarch64-unknown-linux-gnu/release"
    objects = sorted(str(path) for path in Path(build).glob("NNKernelsNEON*.build/**/*.o"))
    if not objects:
        sys.exit(f"check-issue-rate: no objects of NEON kernels in {build}: run 'make check-arm64' first")
    listing = inside("llvm-objdump", "-d", "--no-show-raw-insn", *[os.path.relpath(path) for path in objects])
    found = {}
    for loop in loops(listing):
        kind = next((key for key in KINDS if NAMES[key] in loop.function and loop.uses(key.partition("/")[2])), None)
        # Where multiply-adds are fewer than half of what is done, something else is the loop's work.
        if kind and loop.sums >= 4 and 2 * len(loop.multiply_adds) >= len(loop.body):
            found.setdefault(kind, {}).setdefault(loop.text, loop)

    failed = []
    printed = None
    for kind, names in KINDS.items():
        processors = RUN_BY.get(kind, PROCESSORS)
        if processors != printed:
            print(
                f"{'layers':60} {'sums':>4} {'instr.':>6} {'m-adds':>6} "
                + " ".join(f"{name:>11}" for name in processors)
            )
            printed = processors
        rows = []
        for loop in found.get(kind, {}).values():
            rates = [peak(loop, processor) / cycles(loop.text, processor) for processor in processors]
            rows.append((loop, rates))
        # Of loops with as many sums those that take several steps at a time; what is left is the end of a depth.
        most = {}
        for loop, _ in rows:
            most[loop.sums] = max(most.get(loop.sums, 0), len(loop.multiply_adds))
        full = [row for row in rows if row[0].sums >= FULL[kind] and len(row[0].multiply_adds) == most[row[0].sums]]
        if not full:
            failed.append(f"{kind}: no full tile found")
            continue
        for number, name in enumerate(names):
            # What all layers of a kind reach, with and without asking for what comes next.
            rates = [min(rate) for rate in zip(*(rates for _, rates in full), strict=True)]
            loop = full[0][0]
            print(
                f"{name:60} {loop.sums:4} {len(loop.body):6} {len(loop.multiply_adds):6} "
                + " ".join(f"{rate:11.0%}" for rate in rates)
            )
            if number == 0 and min(rates) < LEAST_OF.get(kind, LEAST):
                failed.append(f"{kind}: {min(rates):.0%}")
        for loop, _ in full:
            failed += [f"{kind}: {fault}" for fault in loop.faults]
        for loop, rates in sorted(rows, key=lambda row: -row[0].sums):
            if loop.sums < FULL[kind] and not loop.prefetches:
                print(
                    f"{'  the last rows of a block':60} {loop.sums:4} {len(loop.body):6} {len(loop.multiply_adds):6} "
                    + " ".join(f"{rate:11.0%}" for rate in rates)
                )
    if failed:
        sys.exit("check-issue-rate: " + "; ".join(failed))


if __name__ == "__main__":
    main()
