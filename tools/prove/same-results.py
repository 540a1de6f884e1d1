#!/usr/bin/env python3
"""Every command that computes something, run twice as different users and machines have it: byte for byte the same.

    tools/prove/same-results.py [--ardf .build/release/ardf] [--only quantize,run] [--keep FOLDER]

The two runs differ in threads, locale, time zone, width of the terminal, home, the order in which folders hold their
files, and, as processes do by themselves, in the seeds of their hash tables and in timing. What they print on standard
output and every file that they write must be the same. A command that is neither run here nor among those that measure
time or only wait for others is a failure: whoever adds one says which it is.
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from mutations.cases import DEPTH, DETECTOR, ROOT
from mutations.values import gray_ramp

#: Their results are times, what this machine is, other programs' requests and downloads, or those of ffmpeg.
MEASURING = {"bench", "profile", "tune", "soak", "serve", "weights list", "weights get", "inspect cpu", "capture frames"}
#: Files that say when things happened and what took how long; no other result depends on them.
TIMED = {"events-", "replay.json", "sensitivity.json"}
TIMING = re.compile(rb'<script type="application/json" id="timing">.*?</script>')
ENVIRONMENTS = [
    {"LANG": "C", "TZ": "UTC", "COLUMNS": "40", "HOME": "/"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "COLUMNS": "231", "HOME": "/nowhere",
     "TERM": "xterm-256color"},
]  # fmt: skip
THREADS = ["1", "3"]
#: Not part of the repository: where it is not, nothing is converted.
CHECKPOINT = ROOT.parent / "shared/weights/yolo11n-seg.pt"


def networks(threads):
    return [
        *f"--yolo {DETECTOR} --imgsz 64 --conf 0.05 --max-det 8 --depth {DEPTH} --depth-size 28".split(),
        "--threads", threads,
    ]  # fmt: skip


def commands(threads):
    """Every command: its name, its arguments, and those that must have run before it; outputs are in `out`."""
    yolo = [*f"--yolo {DETECTOR} --imgsz 64 --conf 0.05 --max-det 8".split(), "--threads", threads]
    found = ["--detections", "out/detect/detections.json", "--capture", "in/native"]
    sensitivity = ["--precision", "int8", "--sensitivity", "--calibrate", "in/pictures", "--max-error", "0.3"]
    return [
        ("convert", [str(CHECKPOINT), "out/converted.safetensors", "--json"]),
        ("quantize", [str(DEPTH), "--calibrate", "in/pictures", "--max-error", "0.2", "--threads", threads, "--out",
                      "out/depth-w8.safetensors", "--json"]),
        ("quantize", [str(DETECTOR), "--calibrate", "in/pictures", "--max-error", "0.2", "--threads", threads, "--out",
                      "out/yolo-w8.safetensors"]),
        ("detect", ["in/native", *yolo, "--out", "out/detect", "--json"]),
        ("detect", ["in/pictures", *yolo, "--out", "out/pictures"]),
        ("detect", ["in/pictures", *yolo, "--precision", "int8", "--out", "out/int8"]),
        ("depth", ["in/native", "--depth", str(DEPTH), "--depth-size", "28", "--threads", threads, "--out",
                   "out/depth"]),
        ("fuse", ["--relative", "out/depth/relative.npy", "--capture", "in/native", "--out", "out/fused"]),
        ("place", [*found, "--effect", "0=smoke", "--usda", "--usdz", "--out", "out/placed"]),
        ("compose", [*found, "--out", "out/composed"]),
        ("run", ["in/native", *networks(threads), "--effect", "0=love", "--usda", "--out", "out/run"]),
        ("run", ["in/sequence", "in/native", *networks(threads), "--out", "out/batch", "--json"]),
        ("run", ["in/sequence", *networks(threads), "--keep", "masks", "--shard", "1/2", "--out", "out/job"]),
        ("run", ["in/sequence", *networks(threads), "--keep", "masks", "--shard", "2/2", "--out", "out/job"]),
        ("merge", ["out/job", "--out", "out/records.jsonl"]),
        ("status", ["out/job-as-it-was", "--json"]),
        ("report", ["out/run", "--capture", "in/native", "--out", "out/report.html"]),
        ("replay", ["in/sequence", "--effect", "0=debugCube", *networks(threads), "--max-speed", "--seed", "5", "--at",
                    "1", "--out", "out/replay"]),
        ("simulate", ["in/all.json", "--out", "out/simulated.json"]),
        ("evaluate", ["in/sequence", "--weights", str(DEPTH), "--threads", threads, "--out", "out/evaluated"]),
        ("trace", ["--weights", str(DEPTH), "--input", "in/native/image.png", "--size", "28x28", "--threads", threads,
                   "--out", "out/trace.safetensors"]),
        ("verify", ["--weights", str(DEPTH), "--reference", "in/trace.safetensors", "--threads", threads, "--json"]),
        ("verify", ["--weights", str(DEPTH), *sensitivity, "--size", "28x42", "--threads", threads, "--out",
                    "out/sensitivity"]),
        ("capture check", ["in/native", "--json"]),
        ("capture convert", ["in/scannerApp", "--out", "out/native"]),
        ("infer", ["in/model.onnx", "--input", "x=in/x.npy", "--out", "out/inferred"]),
        ("inspect checkpoint", ["in/module.pt"]),
        ("inspect weights", [str(DEPTH), "--json"]),
        ("inspect graph", [str(DEPTH), "--size", "28x28"]),
        ("inspect plan", [str(DETECTOR), "--size", "64x64", "--json"]),
        ("inspect kernels", ["--json"]),
        ("inspect operators", ["--json"]),
        ("demo", ["--yolo", str(DETECTOR), "--depth", str(DEPTH), "--out", "out/demo"]),
    ]  # fmt: skip


def field(number, content):
    """A field of a protocol buffer: a whole number below 128, or bytes."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def onnx_model():
    """y = x * x, a product of matrices of 8 x 8."""
    shape = b"".join(field(1, field(1, 8)) for _ in range(2))
    value = field(2, field(1, field(1, 1) + field(2, shape)))
    node = field(1, b"x") + field(1, b"x") + field(2, b"y") + field(4, b"MatMul")
    graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + value) + field(12, field(1, b"y") + value)
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def prepare(ardf, folder):
    """The sound files that both runs read."""
    for name in ["native", "scannerApp"]:
        shutil.copytree(ROOT / "Fuzz/Captures" / name, folder / name)
    for index in range(3):
        frame = folder / f"sequence/{index:05}"
        shutil.copytree(folder / "native", frame)
        document = json.loads((frame / "frame.json").read_text())
        document["timestamp"] = 12 + index / 10
        document["cameraToWorld"][12] = index / 10
        (frame / "frame.json").write_text(json.dumps(document))
    (folder / "pictures").mkdir()
    for index in range(5):
        (folder / f"pictures/{index}.png").write_bytes(gray_ramp(96, 72 + index))
    (folder / "model.onnx").write_bytes(onnx_model())
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }".ljust(117) + "\n"
    numbers = struct.pack("<64f", *(1 / (index + 3) for index in range(64)))
    (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers)
    shutil.copy(ROOT / "Fuzz/Corpus/checkpoint/module.pt", folder)
    shutil.copy(ROOT / "Fuzz/Corpus/simulation/all.json", folder)
    (folder / "job").mkdir()
    for name, corpus in [("part", "part/records.jsonl"), ("events", "events/log.jsonl")]:
        shutil.copy(ROOT / "Fuzz/Corpus" / corpus, folder / f"job/{name}-00001-of-00001.jsonl")
    trace = ["trace", "--weights", DEPTH, "--input", "native/image.png", "--size", "28x28", "--out", "trace.safetensors"]
    subprocess.run([ardf, *trace], cwd=folder, check=True, capture_output=True)


def copy(source, target, backwards):
    """A copy whose folders were filled in another order: some file systems list them so."""
    target.mkdir(parents=True)
    for entry in sorted(source.iterdir(), reverse=backwards):
        if entry.is_dir():
            copy(entry, target / entry.name, backwards)
        else:
            shutil.copy(entry, target / entry.name)


def outcome(ardf, place, name, arguments, environment):
    """The exit code, standard output and every file that a command wrote."""
    shutil.copytree(place / "in/job", place / "out/job-as-it-was", dirs_exist_ok=True)
    before = contents(place / "out")
    run = subprocess.run(
        [ardf, *name.split(), *arguments], cwd=place, env=environment | {"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    files = {path: data for path, data in contents(place / "out").items() if before.get(path) != data}
    return run, files


def contents(folder):
    return {
        str(path.relative_to(folder)): comparable(path)
        for path in folder.rglob("*") if path.is_file() and not path.name.startswith(tuple(TIMED)) and not is_record(path)
    }  # fmt: skip


def comparable(path):
    """The bytes of a file that must be equal in two runs: without the times in a page; with the lines of a job's part
    sorted, since they are in the order in which threads ended."""
    data = path.read_bytes()
    if path.name.startswith("part-"):
        return b"".join(sorted(data.splitlines(keepends=True)))
    return TIMING.sub(b"", data) if path.suffix == ".html" else data


def is_record(path):
    """Whether it holds the digests of files that tell times."""
    return path.name == ".ardf.json" and any((path.parent / name).exists() for name in TIMED)


def known(ardf):
    """All commands that there are."""
    dump = subprocess.run([ardf, "--experimental-dump-help"], check=True, capture_output=True).stdout
    found = set()

    def walk(command, path):
        inner = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
        if not inner and path:
            found.add(" ".join(path))
        for sub in inner:
            walk(sub, [*path, sub["commandName"]])

    walk(json.loads(dump)["command"], [])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--only", help="commands, by commas")
    parser.add_argument("--keep", type=Path, help="folder for both runs' files")
    options = parser.parse_args()
    ardf = str(options.ardf.resolve())
    only = options.only.split(",") if options.only else None
    covered = {name for name, _ in commands("1")} | MEASURING
    if missing := known(ardf) - covered:
        sys.exit(f"same-results: no case says whether {', '.join(sorted(missing))} gives the same on every run")
    if not CHECKPOINT.exists():
        print(f"convert: skipped, as there is no {CHECKPOINT.relative_to(ROOT.parent)} beside the repository")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ardf-same-") as scratch:
        scratch = Path(options.keep.absolute() if options.keep else scratch)
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "sound").mkdir(parents=True)
        prepare(ardf, scratch / "sound")
        runs = []
        for backwards, (threads, environment) in enumerate(zip(THREADS, ENVIRONMENTS, strict=True)):
            # Both at one place, which results may name.
            place = scratch / "place"
            copy(scratch / "sound", place / "in", backwards)
            (place / "out").mkdir()
            runs.append(
                [
                    (name, *outcome(ardf, place, name, arguments, environment))
                    for name, arguments in commands(threads)
                    if CHECKPOINT.exists() or name != "convert"
                ]
            )
            place.rename(scratch / f"run-{backwards + 1}")
        for (name, *one), (_, *other) in zip(*runs, strict=True):
            if only and name not in only:
                continue
            defects = []
            if one[0].returncode != 0 and name != "inspect checkpoint":
                defects.append(f"exit code {one[0].returncode}: {one[0].stderr.decode()[-300:]}")
            told = [(run.returncode, b"" if "--sensitivity" in run.args else run.stdout) for run in (one[0], other[0])]
            if told[0] != told[1]:
                defects.append("exit code or standard output")
            defects += sorted(path for path in one[1] | other[1] if one[1].get(path) != other[1].get(path))
            failures += bool(defects)
            print(f"{name:20}{len(one[1]):4} files  {'DIFFER: ' + ', '.join(defects) if defects else 'the same'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
