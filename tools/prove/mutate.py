#!/usr/bin/env python3
"""Runs `ardf` on damaged captures, weights, ONNX files, documents, plans, references, archives, pictures, results, files of jobs,
environments and arguments.

Of the published network in `../shared`, where it is there, one module's class, numbers, activation or a class name is
changed: only what computes the same, or is stated in the weight file, may be accepted.

    tools/prove/mutate.py [--ardf .build/release/ardf] [--runs 2000] [--minutes 0] [--jobs 2] [--seed 1]
        [--only native,plans]
    tools/prove/mutate.py --seed 1 --number 4711        one run again; its folder and its command are shown and kept

Files are damaged within their formats (tools/prove/mutations), so that most get past the first checks; small networks
read them. Every run must end by itself with a documented exit code, within bounds of memory and processor time; a
refusal says why in one printable line and leaves nothing; what is written holds finite numbers; inputs stay as they
were. A finding's inputs, output and command go to `--keep`. A run depends on seed and number alone. Needs Linux.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

from mutations.arguments import options as known_options
from mutations.cases import CLASSES, ROOT, Case, prepare
from mutations.judge import MOST_SECONDS, Run, digests, judge
from mutations.modules import judge_modules

#: Address space, so that no run takes the machine down, and seconds on the clock.
ADDRESS_SPACE, PATIENCE = 4 << 30, 600
#: Sound runs of every class, of which each must be accepted and the greediest is the class's measure.
SOUND = 12
KEPT_OF_A_KIND = 3


class Harness:
    """Builds, runs and judges by number."""

    def __init__(self, ardf, seed, only, scratch):
        self.ardf, self.seed, self.scratch = ardf, seed, scratch
        self.sound = scratch / "sound"
        self.pictures = prepare(ardf, self.sound)
        # What cannot be prepared here is no class any more.
        self.names = only or list(CLASSES)
        self.options = known_options(ardf)
        self.baselines = {}

    def enter(self, name):
        """Makes a fresh folder for a run and goes there; a folder above it that holds only what is another's."""
        above = self.scratch / name
        os.chdir(self.scratch)
        shutil.rmtree(above, ignore_errors=True)
        (above / "run/tmp").mkdir(parents=True)
        (above / "other").write_text("not ours")
        (above / "run/in").mkdir()
        os.chdir(above / "run")

    def build(self, number, kind=None, is_sound=False):
        """The class of a run, its arguments and variables; its inputs are in the current folder then."""
        generator = random.Random(f"{self.seed}:{number}:{is_sound}")
        kind = kind or generator.choices(self.names, [CLASSES[name][1] for name in self.names])[0]
        case = Case(generator, self.sound, self.pictures, self.options, is_sound)
        arguments = CLASSES[kind][0](case)
        return kind, arguments, case

    def run(self, arguments, variables):
        environment = {
            "PATH": os.environ["PATH"],
            "SWIFT_BACKTRACE": "enable=no",
            "TMPDIR": str(Path("tmp").absolute()),
        } | variables
        timed_out = False

        def give_up(*_):
            nonlocal timed_out
            timed_out = True
            os.kill(process.pid, signal.SIGKILL)

        with Path("stdout").open("wb") as output, Path("stderr").open("wb") as errors:
            process = subprocess.Popen(
                [self.ardf, *(os.fsencode(a.encode(errors="surrogatepass")) for a in arguments)],
                env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            )  # fmt: skip
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        # A child begins with this process's peak: what does not exceed that is not its own.
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak = usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0
        return Run(arguments, process.returncode, usage.ru_utime + usage.ru_stime, peak, timed_out)

    def calibrate(self):
        """Measures time and memory of each class's commands on sound files, which they must accept."""
        for kind in self.names:
            for number in range(SOUND):
                self.enter("calibration")
                _, arguments, case = self.build(number, kind, is_sound=True)
                run = self.run(arguments, case.environment)
                accepted = run.status == 0 or kind == "checkpoints"
                if not accepted:
                    sys.exit(f"mutate: sound, and refused: {shlex.join(arguments)}\n{Path('stderr').read_text()}")
                self.baselines[kind] = max(self.baselines.get(kind, 0), run.bytes)

    def attempt(self, number, place):
        """One run: its class, arguments, exit code, and what is wrong."""
        self.enter(place)
        kind, arguments, case = self.build(number)
        before = self.inputs()
        size = sum(path.stat().st_size for path in Path("in").rglob("*") if path.is_file() and not path.is_symlink())
        run = self.run(arguments, case.environment)
        defects = judge(run, before, self.inputs(), size, self.baselines.get(kind, 0))
        if case.expected and (defect := judge_modules(run, case.expected, Path("out.safetensors"))):
            defects.append(defect)
        arguments = [*(f"{name}={value}" for name, value in case.environment.items()), "ardf", *arguments]
        return kind, arguments, run, defects

    def inputs(self):
        """Everything that a run must not touch."""
        found = digests("in") | {"bystander": Path("bystander").exists(), "other": Path("../other").exists()}
        found["others"] = str(sorted(path.name for path in Path("..").iterdir()))
        return found


def reason(defects):
    """Findings of one kind have one reason: without numbers and names."""
    return re.sub(r"\d[\d.]*", "N", re.sub(r"in/\S+|\S+/\S+", "FILE", defects[0]))[:100]


def keep(folder, number, arguments, run, defects):
    """Copies a finding's folder and says how it was made."""
    target = folder / str(number)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(".", target, symlinks=True, ignore_dangling_symlinks=True)
    (target / "COMMAND").write_text(f"env {shlex.join(arguments)}\n", errors="surrogatepass")
    told = [*defects, f"status {run.status}, {run.seconds:.2f} s, {run.bytes >> 20} MiB"]
    (target / "FINDING").write_text("\n".join(told) + "\n", errors="backslashreplace")


def work(harness, job, jobs, runs, end, folder, results):
    """Every `jobs`-th run; what is found goes into the queue."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    counts, kept = defaultdict(Counter), Counter()
    for number in range(job + 1, runs + 1, jobs):
        if end and time.monotonic() > end:
            break
        try:
            kind, arguments, run, defects = harness.attempt(number, f"worker-{job}")
        except Exception:
            results.put((-number, traceback.format_exc()))
            raise
        counts[kind]["accepted" if run.status == 0 else "refused"] += 1
        if defects:
            counts[kind]["findings"] += 1
            why = reason(defects)
            kept[why] += 1
            if kept[why] <= KEPT_OF_A_KIND:
                keep(folder, number, arguments, run, defects)
            results.put((number, kind, why, shlex.join(arguments), defects))
    results.put((None, {kind: dict(counter) for kind, counter in counts.items()}))


def again(harness, number, folder):
    """One run, shown and kept."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    kind, arguments, run, defects = harness.attempt(number, "again")
    keep(folder, number, arguments, run, defects)
    print(f"{kind}: env {shlex.join(arguments)!r}")
    print(f"status {run.status}, {run.seconds:.2f} s, {run.bytes >> 20} MiB; {'; '.join(defects) or 'nothing wrong'}")
    print(f"in {folder / str(number)}")
    sys.exit(1 if defects else 0)


def gather(results, jobs):
    """The workers' messages until all are done: counts by class, findings by reason."""
    counts, reasons = defaultdict(Counter), defaultdict(list)
    while jobs:
        number, *message = results.get()
        if number is None:
            jobs -= 1
            for kind, counter in message[0].items():
                counts[kind].update(counter)
            continue
        if number < 0:
            sys.exit(f"mutate: run {-number} could not be made:\n{message[0]}")
        kind, why, command, defects = message
        if not reasons[kind, why]:
            print(f"{kind} {number}: {'; '.join(defects)}\n    {json.dumps(command)[:400]}", flush=True)
        reasons[kind, why].append(number)
    return counts, reasons


def show(counts, reasons, seconds):
    print(f"{'class':14}{'runs':>8}{'accepted':>10}{'refused':>9}{'findings':>10}")
    total = Counter()
    for kind in [name for name in CLASSES if name in counts] + ["all"]:
        counter = counts[kind] if kind != "all" else total
        if kind != "all":
            total.update(counter)
        runs = counter["accepted"] + counter["refused"]
        print(f"{kind:14}{runs:8}{counter['accepted']:10}{counter['refused']:9}{counter['findings']:10}")
    for (kind, why), numbers in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"  {len(numbers):6} {kind}: {why!r}, such as {' '.join(map(str, sorted(numbers)[:5]))}")
    runs = total["accepted"] + total["refused"]
    print(f"{runs} runs in {seconds:.0f} s, {runs / max(seconds, 1e-9):.1f} a second, {total['findings']} findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--runs", default=2000, type=int)
    parser.add_argument("--minutes", default=0, type=float, help="end after so many; 0 for never")
    parser.add_argument("--jobs", default=len(os.sched_getaffinity(0)), type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--only", help=f"classes: {', '.join(CLASSES)}")
    parser.add_argument("--number", type=int, help="one run again")
    parser.add_argument("--keep", default=ROOT / "out/mutate", type=Path, help="folder for what findings consist of")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else None
    if unknown := set(only or []) - set(CLASSES):
        sys.exit(f"mutate: no class {unknown.pop()}; there are {', '.join(CLASSES)}")
    folder = options.keep.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="ardf-mutate-") as scratch:
        try:
            harness = Harness(str(options.ardf.resolve()), options.seed, only, Path(scratch))
            harness.calibrate()
            if options.number is not None:
                again(harness, options.number, folder)
            start = time.monotonic()
            end = start + 60 * options.minutes if options.minutes else None
            results = multiprocessing.SimpleQueue()
            workers = [
                multiprocessing.Process(
                    target=work, args=(harness, job, options.jobs, options.runs, end, folder, results), daemon=True
                )
                for job in range(options.jobs)
            ]
            for worker in workers:
                worker.start()
            counts, reasons = gather(results, options.jobs)
        finally:
            os.chdir(ROOT)
    show(counts, reasons, time.monotonic() - start)
    sys.exit(1 if reasons else 0)


if __name__ == "__main__":
    main()
