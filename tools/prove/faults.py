#!/usr/bin/env python3
"""Breaks system calls, kills and fills the disk under `ardf`, and checks that its outputs are whole or absent.

    tools/prove/faults.py [--ardf .build/release/ardf] [--injections 500] [--kills 500] [--signals 500] [--seed 1]
    tools/prove/faults.py --only openat:EMFILE --injections 0 --kills 0 --signals 0     every call, not some

Every run starts with an old result of ardf's under the output's name, made with other options, and a file of the
user's beside it. After it, the name must hold the old result or the whole new one, byte for byte; where the command
says that it succeeded, the new one; inputs and the user's file must be as they were. An injected failure must end
with one of the exit codes for input and output, and leave no temporary files; what kills leave must be gone after the
next run of the same command. No program that was started outlives a signal, no named pipe is waited for where a file
is meant, and what killed jobs left is gone after the next run. Signals go to every command that writes, failures to four of them. Needs `strace`; the
full disk needs the right to mount a tmpfs and is skipped, visibly, without it.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from injection import processes
from injection.commands import GOLDENS, NETWORKS, ROOT, commands, writing_commands

SCRIPT = '{"schema": "ardf.simulation/1", "duration": 2, "arrivals": {"framesPerSecond": 60}}'

#: What each call is made to fail with, and whether only calls on the inputs are meant.
FAULTS = {
    "write": ["ENOSPC", "EIO", "EINTR"],
    "fsync": ["ENOSPC", "EIO", "EINTR"],
    "rename,renameat2,link": ["ENOSPC", "EIO", "EINTR"],
    "openat": ["EMFILE", "EIO", "EINTR", "ENOSPC"],
    "mkdir": ["ENOSPC", "EIO"],
    "getdents64": ["EIO"],
    "read": ["EIO", "EINTR"],
    "mmap": ["ENOMEM", "EMFILE", "EIO"],
}
#: Anonymous memory is malloc's, and most files that are read are the loader's: only those of inputs are made to fail.
ONLY_FILES = {"mmap", "read"}
#: Done, or one of: input that cannot be read, output that cannot be made, failed input or output.
ALLOWED = {0, 66, 73, 74}
#: The dynamic loader's own refusal, before the program starts.
NOT_STARTED = 127
#: What Swift's libdispatch opens now and then to see whether its threads run; where it cannot, it ends the
#: program with SIGILL ("registered worker exited prematurely"). The program cannot prevent that.
DISPATCH = re.compile(r'openat\(AT_FDCWD, "/proc/\d+/stat", .*\(INJECTED\)')


def content(path):
    """A file's bytes, without what is measured: how long stages took in a page, and a replay's figures."""
    text = path.read_bytes()
    if path.name == "replay.json":
        try:
            return json.loads(text)["schema"].encode()
        except ValueError:
            return text  # Half of one, in what a killed run left.
    if path.name == ".ardf.json":
        return re.sub(rb'"replay.json":.*', b"", text)
    if path.name != "report.html":
        return text
    return b"\n".join(line for line in text.split(b"\n") if b'id="timing"' not in line)


def digest(path):
    """Every file below a path with its digest; None where there is nothing."""
    if path.is_file():
        return hashlib.sha256(content(path)).hexdigest()
    if not path.exists():
        return None
    return {
        str(file.relative_to(path)): hashlib.sha256(content(file)).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


class Place:
    """A folder with inputs, a file of the user's, old results, and the means to try again."""

    def __init__(self, ardf, folder):
        self.ardf, self.folder = ardf, folder
        shutil.copytree(ROOT / "Fuzz/Captures/native", folder / "capture")
        for name in "abc":
            shutil.copytree(ROOT / "Fuzz/Captures/native", folder / "scans" / name)
        (folder / "thesis.txt").write_text("precious")
        (folder / "script.json").write_text(SCRIPT)
        (folder / "short.json").write_text(SCRIPT.replace(": 2,", ": 1,"))
        self.environment = {"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no"}
        self.call(["run", "capture", "--out", "results", *NETWORKS])
        self.call(["run", "capture", "--out", "smoke", "--effect", "0=smoke", *NETWORKS])
        shutil.copy(folder / "results/detections.json", folder / "detections.json")
        shutil.copy(folder / "results/relative.npy", folder / "relative.npy")
        self.inputs = digest(folder)
        self.kept = folder.parent / "kept"
        self.old, self.new, self.seconds = {}, {}, {}
        for command in writing_commands():
            target = folder / command.output
            self.call(command.old, allowed=(0, 1))
            self.old[command.name] = digest(target)
            self.keep(command)
            start = time.monotonic()
            self.call(command.arguments, allowed=(0, 1))
            self.seconds[command.name] = time.monotonic() - start
            self.new[command.name] = digest(target)
            if self.new[command.name] == self.old[command.name]:
                sys.exit(f"faults: {command.name}: the old result and the new one are the same")
            remove(target)
        self.entries = {path.name for path in folder.iterdir()}

    def call(self, arguments, allowed=(0,)):
        run = subprocess.run([self.ardf, *arguments], cwd=self.folder, env=self.environment, capture_output=True)
        if run.returncode not in allowed:
            sys.exit(f"faults: ardf {' '.join(arguments)} ended with {run.returncode}: {run.stderr.decode()}")

    def keep(self, command):
        """Keeps the old result for `reset`."""
        copy(self.folder / command.output, self.kept / command.name / command.output)

    def reset(self, command, leftovers=True):
        """Puts the old result back and, unless they are to stay, removes what killed runs left."""
        for path in list(self.folder.iterdir()):
            if path.name not in self.entries and (leftovers or not path.name.startswith(".")):
                remove(path)
        copy(self.kept / command.name / command.output, self.folder / command.output)

    def is_new(self, command, found):
        if not command.varies or found is None:
            return found == self.new[command.name]
        try:
            text = (self.folder / command.output).read_text()
            return json.loads(text)["schema"].startswith("ardf.")
        except (ValueError, KeyError):
            return False

    def judge(self, command, status, allowed, may_leave=False):
        """The fault after a run, as text; None without one."""
        found = digest(self.folder / command.output)
        if found is None:
            return "the output is gone"
        if found != self.old[command.name] and not self.is_new(command, found):
            return "the output is neither the old one nor the whole new one"
        if status == 0 and not self.is_new(command, found):
            return "success without the new output"
        if status not in allowed:
            return f"ended with {status}"
        everything = digest(self.folder)
        if any(everything.get(name) != text for name, text in self.inputs.items()):
            return "an input, or a file of the user's, is not as it was"
        left = [p.name for p in self.folder.iterdir() if p.name not in self.entries | {command.output}]
        return f"left {left}" if left and not may_leave else None


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def injected(place, command, calls, error, number, log):
    """Runs a command whose call of that number fails in every thread; its exit code and whether any did fail."""
    only = []
    if calls in ONLY_FILES:
        for name in command.inputs:
            only += ["-P", str(place.folder / name)]
    run = subprocess.run(
        ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={calls}", *only,
         "-e", f"inject={calls}:error={error}:when={number}", place.ardf, *command.arguments],
        cwd=place.folder, env=place.environment, capture_output=True, timeout=120,
    )  # fmt: skip
    hits = len(re.findall(r"\(INJECTED\)", log.read_text(errors="replace")))
    return run.returncode, hits, run.stderr.decode(errors="replace")


def inject(place, count, only, log, failures):
    """Spreads the injections evenly over commands, calls, errors and the number of the call; 0 stands for all."""
    plan = [(c, calls, error) for calls, errors in FAULTS.items() for error in errors for c in commands()]
    table, done, number = Counter(), 0, 0
    alive = {index for index, (_, calls, error) in enumerate(plan) if only in (None, f"{calls}:{error}")}
    while alive and (count == 0 or done < count):
        number += 1
        for index in sorted(alive):
            command, calls, error = plan[index]
            place.reset(command)
            status, hits, text = injected(place, command, calls, error, number, log)
            if hits == 0:
                alive.discard(index)
                continue
            if status == NOT_STARTED and "loading shared libraries" in text:
                table[calls, error, "loader"] += 1
                continue
            if status == -signal.SIGILL and DISPATCH.search(log.read_text(errors="replace")):
                defect = place.judge(command, status, {status}, may_leave=True)
                table[calls, error, "dispatch"] += 1
            else:
                done += 1
                defect = place.judge(command, status, ALLOWED)
                table[calls, error, status] += 1
            if status != 0 and not text.strip() and status > 0:
                defect = defect or "failed without a word"
            if defect:
                failures.append(f"{command.name}: {calls} number {number} fails with {error}: {defect}\n{text}")
            if done == count > 0:
                break
    return table


def interrupt(place, count, number, generator, failures):
    """Sends a signal at random times of the commands' lives."""
    table = Counter()
    for index in range(count):
        command = writing_commands()[index % len(writing_commands())]
        place.reset(command, leftovers=False)
        process = subprocess.Popen(
            [place.ardf, *command.arguments], cwd=place.folder, env=place.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(generator.uniform(0, 1.1) * place.seconds[command.name])
        process.send_signal(number)
        status = process.wait(timeout=60)
        # Before the program has taken the signal over, the system ends it; 1 is a comparison that failed, as it does.
        allowed = {0, 1, -number} if number == signal.SIGKILL else {0, 1, 128 + number, -number}
        defect = place.judge(command, status, allowed, may_leave=number == signal.SIGKILL)
        table["done" if status in (0, 1) else "ended"] += 1
        if defect:
            failures.append(f"{command.name}: signal {number}: {defect}")
    for command in writing_commands():
        place.reset(command, leftovers=False)
        place.call(command.arguments, allowed=(0, 1))
        remove(place.folder / command.output)
    left = [path.name for path in place.folder.iterdir() if path.name not in place.entries]
    if left:
        failures.append(f"signal {number}: the next runs of all commands left {left}")
    return table


def overwrite_end(path):
    """Changes the last weights, the header and the size untouched."""
    with path.open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(bytes(8))


def wait_for_mapping(tracer, path):
    """Returns once a traced program has mapped the file."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            for child in Path(f"/proc/{tracer}/task/{tracer}/children").read_text().split():
                if str(path) in Path(f"/proc/{child}/maps").read_text():
                    return
        except OSError:
            pass  # Not there yet, or gone.
        time.sleep(0.01)


def change(place, failures):
    """Cuts a weight file short, or writes to it, between its mapping and its use."""
    told = []
    for name, spoil, words in [
        ("cut short", lambda path: os.truncate(path, 4096), "cannot be read to its end"),
        ("written to", overwrite_end, "was written to"),
    ]:
        weights = place.folder / "weights.safetensors"
        command = commands()[0]
        place.reset(command)
        shutil.copy(GOLDENS / "yolo11-tiny-n.safetensors", weights)
        arguments = [str(weights) if a.endswith("yolo11-tiny-n.safetensors") else a for a in command.arguments]
        # The mapping's call returns so late that the file is spoiled before anything is read.
        process = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", str(place.folder.parent / "log"), "-P", str(weights), "-e", "trace=mmap",
             "-e", "inject=mmap:delay_exit=2000000", place.ardf, *arguments],
            cwd=place.folder, env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        wait_for_mapping(process.pid, weights)
        spoil(weights)
        _, text = process.communicate(timeout=60)
        weights.unlink()
        told.append(f"{name}: {process.returncode}")
        if process.returncode != 74 or words not in text.decode():
            failures.append(f"weights {name}: ended with {process.returncode}\n{text.decode()}")
        elif defect := place.judge(command, 74, {74}):
            failures.append(f"weights {name}: {defect}")
        place.reset(command)
    return told


def fill(place, failures):
    """Runs the commands on file systems too small for their results; None where none can be mounted."""
    table = Counter()
    for kilobytes in (4, 16, 64, 128, 256):
        with tempfile.TemporaryDirectory() as small:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", small]
            if subprocess.run(mount, capture_output=True).returncode != 0:
                return None
            try:
                for command in commands():
                    target = Path(small) / command.output
                    arguments = [str(target) if a == command.output else a for a in command.arguments]
                    run = subprocess.run(
                        [place.ardf, *arguments], cwd=place.folder, env=place.environment, capture_output=True
                    )
                    found = digest(target)
                    whole = found == place.new[command.name] if run.returncode == 0 else found is None
                    left = len(list(Path(small).iterdir())) - (found is not None)
                    if not whole or run.returncode not in (0, 74) or left:
                        failures.append(f"{command.name} on {kilobytes} KiB: ended with {run.returncode}, {found}")
                    table[run.returncode] += 1
                    shutil.rmtree(target, ignore_errors=True)
                    target.unlink(missing_ok=True) if target.is_file() else None
            finally:
                subprocess.run(["umount", small], check=False)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--injections", default=500, type=int, help="0 for every call of every command")
    parser.add_argument("--only", help="call and error, such as openat:EMFILE")
    parser.add_argument("--kills", default=500, type=int)
    parser.add_argument("--signals", default=500, type=int, help="of SIGINT and SIGTERM together")
    parser.add_argument("--children", default=40, type=int, help="signals while a program is silent")
    parser.add_argument("--jobs", default=40, type=int, help="kills of jobs that keep frames' folders")
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("faults: strace is needed: apt-get install strace")
    ardf = str(options.ardf.resolve())
    generator, failures = random.Random(options.seed), []
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "place").mkdir()
        place = Place(ardf, Path(scratch) / "place")
        table = inject(place, options.injections, options.only, Path(scratch) / "log", failures)
        print(f"{'call':24} {'error':8} exit codes")
        for calls, errors in FAULTS.items():
            for error in errors:
                found = {str(k[2]): n for k, n in table.items() if k[:2] == (calls, error)}
                if found:
                    print(f"{calls:24} {error:8} " + "  ".join(f"{k}: {n}" for k, n in sorted(found.items())))
        total = sum(n for k, n in table.items() if k[2] not in ("loader", "dispatch"))
        print(f"injections: {total}, of which {sum(n for k, n in table.items() if k[2] == 0)} were overcome")
        for number, count in [
            (signal.SIGKILL, options.kills),
            (signal.SIGINT, options.signals // 2),
            (signal.SIGTERM, options.signals - options.signals // 2),
        ]:
            result = interrupt(place, count, number, generator, failures)
            name = signal.Signals(number).name
            print(f"{name}: {count} sent, {result['ended']} ended by it, {result['done']} were done")
        print("weights changed while mapped, exit codes: " + ", ".join(change(place, failures)))
        count = processes.children(place, options.children, generator, failures)
        print(f"signals to commands that read from a silent program: {count}")
        print(f"named pipes in the place of files: {processes.pipes(place, failures)}")
        print(f"jobs killed and gone on with: {processes.jobs(place, options.jobs, generator, failures)}")
        full = fill(place, failures)
        text = "skipped: a tmpfs cannot be mounted here" if full is None else f"exit codes {dict(full)}"
        print(f"full disk: {text}")
    print(f"failures: {len(failures)}")
    for failure in failures[:20]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
