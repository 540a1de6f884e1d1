#!/usr/bin/env python3
"""Measures what docs/guides/scale.md says: processor time a frame, photographs, a shard's start, folders of parts.

    tools/bench/measure-scale.py frames --weights FOLDER --capture CAPTURE [--frames 24]
    tools/bench/measure-scale.py photographs --weights FOLDER --pictures FOLDER [--count 128]
    tools/bench/measure-scale.py start --weights FOLDER
    tools/bench/measure-scale.py records [--records 100000] [--shards 100]

Processor time (of the process and its threads, one thread at work) is what counts on a machine that others use too.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from jobs.captures import png

ROOT = Path(__file__).resolve().parents[2]


def measured(words: list[str]) -> tuple[float, float, int]:
    """Processor seconds, seconds on the clock and the most KiB of a command that must succeed."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            log.seek(0)
            raise SystemExit(f"{' '.join(words)}: {log.read().decode()}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss


def files(folder: Path) -> tuple[int, int]:
    """Files in a folder and their bytes."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return len(found), sum(path.stat().st_size for path in found)


def frames(given: argparse.Namespace, place: Path) -> None:
    """A table: frames an hour and core, by networks and by what is kept."""
    captures = sorted(path for path in given.capture.iterdir() if path.suffix == ".json")[: given.frames]
    manifest = place / "list"
    manifest.write_text("".join(f"{path}\n" for path in captures))
    one = place / "one"
    one.write_text(f"{captures[0]}\n")
    print("| networks | kept | ms of processor a frame | frames an hour and core | files a frame | kB a frame |")
    print("|---|---|---:|---:|---:|---:|")
    for name, networks in {
        "yolo11n-seg": ["--yolo", "yolo11n-seg.safetensors"],
        "yolo11n-seg, depth": ["--yolo", "yolo11n-seg.safetensors", "--depth", "dav2s-ardf-fp16.safetensors"],
    }.items():
        words = [str(given.weights / word) if word.endswith("safetensors") else word for word in networks]
        environment = [] if "--depth" in words else ["env", "-C", str(place), "ARDF_WEIGHTS=/nonexistent"]
        for keep in ["records", "masks", "all"]:
            run = [*environment, str(given.ardf), "run", "--keep", keep, "--threads", "1", *words]
            out = place / f"{name}-{keep}".replace(", ", "-")
            # What a start takes is not a frame's.
            start = min(measured([*run, "--from", str(one), "--out", f"{out}-one-{turn}"])[0] for turn in range(2))
            whole = min(measured([*run, "--from", str(manifest), "--out", f"{out}-{turn}"])[0] for turn in range(2))
            seconds = (whole - start) / (len(captures) - 1)
            count, size = files(Path(f"{out}-0"))
            print(
                f"| {name} | {keep} | {seconds * 1000:.0f} | {3600 / seconds:,.0f} | {(count - 3) / len(captures):.0f} "
                f"| {size / len(captures) / 1000:.0f} |",
                flush=True,
            )


def busy(words: list[str], threads: int) -> tuple[float, float]:
    """Processor seconds of a command, and the share of its time in which `threads` of its threads had work.

    A thread that waits for a processor, since others use the machine too, has work.
    """
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples = []
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        running = 0
        for path in Path(f"/proc/{process.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):  # a thread that has ended meanwhile
                running += path.read_text().rpartition(")")[2].split()[0] == "R"
        samples.append(min(running, threads) / threads)
        time.sleep(0.02)
    if os.waitstatus_to_exitcode(ended[1]) != 0:
        raise SystemExit(f"{' '.join(words)}: failed")
    return ended[2].ru_utime + ended[2].ru_stime, sum(samples) / len(samples)


def photographs(given: argparse.Namespace, place: Path) -> None:
    """A folder of `--count` copies of `--pictures` through `ardf detect`; files of 4 MiB or more by themselves."""
    folder = place / "pictures"
    folder.mkdir()
    sources = sorted(path for path in given.pictures.iterdir() if path.is_file())
    detect = [str(given.ardf), "detect", "--yolo", str(given.weights / "yolo11n-seg.safetensors"), "--quiet"]
    small = [path for path in sources if path.stat().st_size < 4 << 20]
    for number in range(given.count):
        source = small[number % len(small)]
        shutil.copy(source, folder / f"{number:04}{source.suffix}")
    out = place / "found"
    processor, share = busy([*detect, str(folder), "--threads", "2", "--out", str(out)], 2)
    each = 1000 * processor / given.count
    print(f"{given.count} pictures: {each:.0f} ms of processor each, both threads busy {share:.0%}")
    for path in (path for path in sources if path not in small):
        for layout in ("jpeg", "png"):
            out = place / f"{path.stem}-{layout}"
            words = [*detect, str(path), "--picture-format", layout, "--threads", "1", "--out", str(out)]
            processor, _, memory = measured(words)
            size = files(out)[1] / 1e6
            print(f"{path.name}, {layout}: {processor:.2f} s of processor, {size:.0f} MB, {memory / 1024:.0f} MiB")


def start(given: argparse.Namespace, place: Path) -> None:
    """Measures the time of a shard apart from its frames."""
    path = place / "photo.png"
    path.write_bytes(png(1))
    for what, lines in {"no capture": "", "one small picture": f"{path}\n", "eleven of them": f"{path}\n" * 11}.items():
        (place / "list").write_text(lines)
        words = ["--yolo", str(given.weights / "yolo11n-seg.safetensors"), "--depth"]
        words += [str(given.weights / "dav2s-ardf-fp16.safetensors"), "--keep", "records", "--threads", "1"]
        runs = [
            measured(
                [str(given.ardf), "run", "--from", str(place / "list"), *words, "--out", str(place / f"{what}{turn}")]
            )
            for turn in range(5)
        ]
        processor, clock, memory = (min(values) for values in zip(*runs, strict=True))
        print(f"{what}: {processor:.2f} s of processor, {clock:.2f} s, {memory / 1024:.0f} MiB")
    (place / "list").write_text("".join(f"nothing{number}\n" for number in range(1_000_000)))
    words = ["--yolo", str(given.weights / "yolo11n-seg.safetensors"), "--keep", "records", "--threads", "1"]
    words += ["--shard", "1/100000", "--max-errors", "100", "--out", str(place / "million")]
    processor, clock, memory = measured([str(given.ardf), "run", "--from", str(place / "list"), *words])
    print(
        f"ten captures of a list of a million: {processor:.2f} s of processor, {clock:.2f} s, {memory / 1024:.0f} MiB"
    )


def records(given: argparse.Namespace, place: Path) -> None:
    """Merging and status of a folder of made-up parts, whose records are as large as a frame's with three objects."""
    side = {"y": 0.0, "x": 0.0, "width": 160.0, "height": 120.0}
    thing = {"box": side, "className": "bed", "confidence": 0.9, "distanceMeters": 1.5, "corners": [[0.123456] * 3] * 8}
    digest = "0123456789abcdef" * 4
    for shard in range(given.shards):
        name = f"{shard + 1:05}-of-{given.shards:05}.jsonl"
        with (place / f"part-{name}").open("w") as part, (place / f"events-{name}").open("w") as events:
            events.write(json.dumps({"event": "began", "time": 0, "captures": given.records // given.shards}) + "\n")
            for number in range(shard, given.records, given.shards):
                at = f"{number:09}.0000000"
                record = {
                    "at": at,
                    "digest": digest,
                    "error": None,
                    "errorKind": None,
                    "frames": 1,
                    "id": f"photo {number}",
                }
                record |= {"schema": "ardf.record/1", "settings": digest, "summary": {"objects": [thing] * 3}}
                part.write(json.dumps(record, separators=(",", ":")) + "\n")
                events.write(json.dumps({"at": at, "event": "started", "time": number / 100}) + "\n")
                done = {"at": at, "event": "done", "id": f"photo {number}", "seconds": 0.5, "time": number / 100 + 0.5}
                events.write(json.dumps(done) + "\n")
    count, size = files(place)
    print(f"{given.records} records in {given.shards} parts, {count} files of {size / 1e6:.0f} MB")
    for name, words in {
        "merge": ["merge", str(place), "--out", str(place / "records.jsonl"), "--force"],
        "status": ["status", str(place)],
    }.items():
        processor, clock, memory = measured([str(given.ardf), *words])
        print(f"{name}: {processor:.1f} s of processor, {clock:.1f} s, {memory / 1024:.0f} MiB", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ardf", type=Path, default=ROOT / ".build/release/ardf")
    commands = options.add_subparsers(required=True)
    for work in (frames, photographs, start, records):
        command = commands.add_parser(work.__name__, help=work.__doc__)
        command.set_defaults(work=work)
        command.add_argument("--weights", type=Path, default=ROOT / "weights")
        command.add_argument("--capture", type=Path)
        command.add_argument("--frames", type=int, default=24)
        command.add_argument("--pictures", type=Path)
        command.add_argument("--count", type=int, default=128)
        command.add_argument("--records", type=int, default=100_000)
        command.add_argument("--shards", type=int, default=100)
    given = options.parse_args()
    given.ardf = given.ardf.resolve()
    given.weights = given.weights.resolve()
    given.capture = given.capture and given.capture.resolve()
    with tempfile.TemporaryDirectory(prefix="ardf-scale-") as place:
        given.work(given, Path(place))


if __name__ == "__main__":
    main()
