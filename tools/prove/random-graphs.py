#!/usr/bin/env python3
"""Draws networks as ONNX files and compares `ardf infer` with ONNX Runtime, which computes them node by node.

    tools/prove/random-graphs.py --count 300 --seed 7 [--ardf .build/release/ardf] [--isa avx2,portable] [--keep FOLDER]

Every network is computed on every instruction set of the processor, with 1, 2 and 7 threads, which must give the same
bytes, and by the definitions of its nodes (`--plain`). Results may be as far from ONNX Runtime's as rounding moves
those: where they are farther off than sums in another order, inputs and results of nodes are changed by some
ten-millionths to see it. Quantized results may be a step apart. Networks that are refused as not implemented are
counted by reason; any other exit, and any disagreement, is a failure: the network is made smaller and kept with its
inputs. Ends with 1 where there is one. `--only NUMBER` draws one network of the seed again.
"""

import argparse
import collections
import contextlib
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
from graphs.drawing import BATCH, joined_model
from graphs.judging import NotRunError, Verdict, expected
from graphs.networks import drawn_network
from graphs.running import REFUSED, Place, Way, instruction_sets
from graphs.shrinking import shrunk

THREADS = (1, 2, 7)


class Proof:
    """Networks that agree, are refused or fail."""

    def __init__(self, options, folder):
        self.options, self.place = options, Place(options.ardf, folder / "model")
        self.refused, self.not_run, self.failed = collections.Counter(), collections.Counter(), []
        self.compared, self.runs, self.nodes = collections.Counter(), 0, 0
        self.operators, self.sensitive = collections.Counter(), 0
        self.ways = [Way(isa, threads) for isa in options.isa for threads in options.threads]
        if not options.no_plain:
            self.ways.append(Way(options.isa[-1], 1, is_plain=True))

    def run(self, way):
        self.runs += 1
        return self.place.run(way)

    def drawn(self, numbers):
        """Networks that ONNX Runtime runs, each with its verdict."""
        found = []
        for number in numbers:
            drawing = drawn_network(self.options.seed, number)
            model = joined_model([drawing])
            try:
                found.append((drawing, Verdict(drawing, model, expected(model, drawing.feeds))))
            except NotRunError as error:
                self.not_run[reason(str(error))] += 1
                self.note(f"{number}: not run by ONNX Runtime: {error}")
        return found

    def note(self, text):
        if self.options.verbose:
            print(text, flush=True)

    def check(self, numbers):
        """Compares a batch, in one file; networks by themselves where that ends badly."""
        cases = self.drawn(numbers)
        if not cases:
            return
        if self.agrees(cases):
            return
        ended = len(self.failed) + self.refused.total()
        for case in cases:
            self.alone(case)
        if len(self.failed) + self.refused.total() == ended and (defect := self.defect_of(cases)):
            self.failed.append(numbers[0])
            print(f"networks {numbers[0]} to {numbers[-1]} in one file, {defect[0]}: {defect[2]}", flush=True)
            drawings = [drawing for drawing, _ in cases]
            feeds = {name: array for drawing in drawings for name, array in drawing.feeds.items()}
            save(self.options.keep / f"seed{self.options.seed}-{numbers[0]}-batch", joined_model(drawings), feeds)

    def put(self, cases):
        feeds = {name: array for drawing, _ in cases for name, array in drawing.feeds.items()}
        self.place.put(joined_model([drawing for drawing, _ in cases]), feeds)

    def defect_of(self, cases):
        self.put(cases)
        return self.defect(cases)

    def agrees(self, cases):
        if self.defect_of(cases) is not None:
            return False
        self.count(cases)
        return True

    def count(self, cases):
        for drawing, verdict in cases:
            for way in self.ways:
                self.compared["plain" if way.is_plain else way.isa] += way.threads == self.options.threads[0]
            self.nodes += len(drawing.nodes)
            self.operators.update({node.op_type for node in drawing.nodes})
            self.sensitive += verdict.reach is not None

    def defect(self, cases, ways=None):
        """The first way that is wrong, its exit code, and a text; None where all agree."""
        first = {}
        for way in ways or self.ways:
            run = self.run(way)
            if run.code:
                return way, run.code, run.error
            key = way._replace(threads=0)
            if key in first and run.bytes != first[key].bytes:
                names = [name for name in run.bytes if run.bytes[name] != first[key].bytes.get(name)]
                return way, 0, f"{names[0]}: other bytes than with {self.options.threads[0]} threads"
            if key not in first:
                first[key] = run
                for _, verdict in cases:
                    difference = verdict.difference(run.outputs)
                    if difference:
                        return way, 0, difference
        return None

    def alone(self, case):
        """A network by itself: agrees, is refused, or fails."""
        drawing, verdict = case
        defect = self.defect_of([case])
        if defect is None:
            return self.count([case])
        way, code, text = defect
        if code == REFUSED:
            self.refused[reason(text)] += 1
            return self.note(f"{drawing.number}: refused: {text}")
        self.failed.append(drawing.number)
        print(
            f"network {drawing.number}, opset {drawing.opset}, {way}: {f'exit {code}: ' if code else ''}{text}",
            flush=True,
        )
        print(f"  {' '.join(drawing.blocks)}", flush=True)
        self.keep(drawing, verdict, way, code, text)
        return None

    def keep(self, drawing, verdict, way, code, text):
        """Saves the network made smaller, and its inputs."""
        folder = self.options.keep / f"seed{self.options.seed}-{drawing.number}"
        ways = [way] if "other bytes" not in text else [way._replace(threads=self.options.threads[0]), way]

        def does_fail(part):
            self.place.put(part.model, part.feeds)
            found = self.defect([(part, Verdict(part, part.model, expected(part.model, part.feeds)))], ways)
            return found is not None and found[1] == code

        whole = joined_model([drawing])
        save(folder / "whole", whole, drawing.feeds)
        try:
            part = shrunk(drawing, verdict.model, does_fail)
        except NotRunError:
            return
        save(folder, part.model, part.feeds)
        save(folder / "whole", whole, drawing.feeds)
        (folder / "defect.txt").write_text(f"{way}: {code} {text}\n")
        for node in part.nodes:
            settings = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
            settings = {name: value for name, value in settings.items() if not isinstance(value, onnx.TensorProto)}
            print(f"    {node.op_type} {list(node.input)} -> {list(node.output)} {settings}", flush=True)
        shapes = {name: array.shape for name, array in part.feeds.items()}
        constants = {tensor.name: tuple(tensor.dims) for tensor in part.constants}
        print(f"    inputs {shapes} constants {constants}", flush=True)


def save(folder, model, feeds):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    for name, array in feeds.items():
        np.save(folder / f"{name}.npy", array)


def reason(text):
    """An error without the names of this file and this node."""
    text = text.splitlines()[-1] if text else ""
    text = re.sub(r"\S*model\.onnx", "MODEL", text)
    return re.sub(r"g\d+_\d+(_\w+)?", "NODE", text)[:240]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first network")
    parser.add_argument("--only", type=int, help="one network of the seed, by its number")
    parser.add_argument("--isa", help="instruction sets, by default all of the processor")
    parser.add_argument("--threads", default="1,2,7")
    parser.add_argument("--no-plain", action="store_true", help="leaves the plain reference out")
    parser.add_argument(
        "--keep", type=Path, default=Path("out/random-graphs"), help="where networks that fail are kept"
    )
    parser.add_argument("--verbose", action="store_true", help="names refusals too")
    options = parser.parse_args()
    options.isa = options.isa.split(",") if options.isa else instruction_sets(options.ardf)
    options.threads = [int(count) for count in options.threads.split(",")]
    memory = Path("/dev/shm")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        proof = Proof(options, Path(folder))
        end = options.first + options.count
        with contextlib.suppress(KeyboardInterrupt):
            if options.only is not None:
                proof.check([options.only])
            else:
                for at in range(options.first, end, BATCH):
                    proof.check(range(at, min(at + BATCH, end)))
    report(proof, time.monotonic() - start)
    return 1 if proof.failed else 0


def report(proof, seconds):
    for text, count in proof.refused.most_common():
        print(f"refused {count}: {text}")
    for text, count in proof.not_run.most_common():
        print(f"not run by ONNX Runtime {count}: {text}")
    compared = ", ".join(f"{name} {count}" for name, count in proof.compared.items())
    print(f"compared: {compared}; {proof.nodes} nodes of {len(proof.operators)} operators, {proof.runs} runs")
    by_rounding = f"judged by how far rounding moves them: {proof.sensitive}"
    print(f"{by_rounding}; refused: {proof.refused.total()}; failed: {len(proof.failed)}; {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
