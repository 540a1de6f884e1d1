#!/usr/bin/env python3
"""Measures the most memory that `ardf` holds, and the processor time it takes, while it refuses bad files: at most
64 MiB and 1.1 times the file, 2 s and 0.1 s for each of its mebibytes. What is sound but heavy is drawn within limits
of its own.

    tools/prove/memory.py [--ardf .build/release/ardf] [--only TEXT]

The files are made here, each to be as dear to its parser as it can be.
"""

import argparse
import itertools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
MIB = 1 << 20
BASE, FACTOR = 64 * MIB, 1.1
SECONDS, SECONDS_PER_MIB, REFUSED = 2.0, 0.1, 65


def safetensors(header, data=b""):
    text = header.encode()
    return struct.pack("<Q", len(text)) + text + data


def npy(header, data=b""):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, data, depth=8, color=2, end=True):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + (chunk(b"IEND", b"") if end else b"")


def pickle_archive(pickle):
    """A zip archive of one stored member c/data.pkl."""
    return stored_archive((b"c/data.pkl", pickle))


def packed_archive(*members):
    """A zip archive of deflated members: name, first bytes, and a byte and how often it follows."""
    local = directory = b""
    for name, start, filler, count in members:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        data, crc = packer.compress(start), zlib.crc32(start)
        for length in [MIB] * (count // MIB) + [count % MIB]:
            data += packer.compress(filler * length)
            crc = zlib.crc32(filler * length, crc)
        data += packer.flush()
        common = struct.pack("<HHHIIIIHH", 20, 0, 8, 0, crc, len(data), len(start) + count, len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10) + struct.pack("<I", len(local)) + name
        local += b"PK\x03\x04" + common + name + data
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(local), 0)
    return local + directory + b"PK\x05\x06" + end


def stored_archive(*members):
    """A zip archive of members as they are: name and bytes."""
    local = directory = b""
    for name, data in members:
        common = struct.pack("<HHHIIIIHH", 20, 0, 0, 0, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10) + struct.pack("<I", len(local)) + name
        local += b"PK\x03\x04" + common + name + data
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(local), 0)
    return local + directory + b"PK\x05\x06" + end


class Pickle:
    """Instructions of pickle protocol 2."""

    @staticmethod
    def text(text):
        return b"X" + struct.pack("<I", len(text)) + text

    @staticmethod
    def integers(values):
        return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"

    @staticmethod
    def tensor(count, shape, strides):
        """A view of the storage "0" of floats; shape and strides are instructions."""
        storage = b"(" + Pickle.text(b"storage") + b"ctorch\nFloatStorage\n" + Pickle.text(b"0") + Pickle.text(b"cpu")
        storage += b"J" + struct.pack("<i", count) + b"tQ"
        return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\x00" + shape + strides + b"tR"

    @staticmethod
    def table(members):
        """A pickle of a table of names and values."""
        return b"\x80\x02}(" + b"".join(Pickle.text(name) + value for name, value in members) + b"u."


def checkpoints():
    """As files()."""
    convert = ["convert", "{}", "o.safetensors"]
    one, gib = Pickle.integers([1]), 1 << 30
    whole = Pickle.tensor(gib // 4, Pickle.integers([gib // 4]), one)
    yield "checkpoint: 8 tensors of a packed gigabyte", "c.pt", partial(
        packed_archive,
        (b"c/data.pkl", Pickle.table((b"w%d" % i, whole) for i in range(8)), b"", 0), (b"c/data/0", b"", b"\0", gib)
    ), convert  # fmt: skip
    shape = Pickle.integers([1] * 100_000) + b"q\x00"
    tensors = [(b"a", Pickle.tensor(1, shape, b"h\x00"))]
    tensors += [(b"b%d" % i, Pickle.tensor(1, b"h\x00", b"h\x00")) for i in range(3000)]
    yield "checkpoint: a shape of 100,000 for 3,000", "c.pt", stored_archive(
        (b"c/data.pkl", Pickle.table(tensors)), (b"c/data/0", bytes(4))
    ), convert  # fmt: skip
    turned = Pickle.tensor(MIB, Pickle.integers([1024, 1024]), Pickle.integers([1, 1024]))
    yield "checkpoint: 400 turned views of 4 MiB", "c.pt", stored_archive(
        (b"c/data.pkl", Pickle.table((b"w%d" % i, turned) for i in range(400))), (b"c/data/0", bytes(4 * MIB))
    ), convert  # fmt: skip
    view = Pickle.tensor(1, one, one)
    again = b"h\x01h\x02R"
    arguments = view[view.index(b"(") : -1]
    first = b"ctorch._utils\n_rebuild_tensor_v2\nq\x01" + arguments + b"q\x02R"
    yield "checkpoint: 200,000 tensors", "c.pt", stored_archive(
        (b"c/data.pkl", Pickle.table((b"%d" % i, again if i else first) for i in range(200_000))),
        (b"c/data/0", bytes(4)),
    ), convert  # fmt: skip
    yield "checkpoint: 55,000 long names", "c.pt", stored_archive(
        (b"c/data.pkl", Pickle.table((b"%0180d" % i, again if i else first) for i in range(55_000))),
        (b"c/data/0", bytes(4)),
    ), convert  # fmt: skip
    long = Pickle.text(b"x" * 12 * MIB)
    yield "checkpoint: a class's name of 12 MiB, often", "c.pt", partial(
        packed_archive,
        (b"c/data.pkl", b"\x80\x02" + long + b"q\x00" + b"h\x00\x93h\x00" * 1000 + b".", b"", 0)
    ), convert  # fmt: skip
    yield "checkpoint: 16 MiB of packed instructions", "c.pt", partial(
        packed_archive,
        (b"c/data.pkl", b"\x80\x02X" + struct.pack("<I", 15 * MIB), b"x", 16 * MIB - 7)
    ), convert  # fmt: skip


def archives():
    """As files()."""
    check = ["capture", "check", "{}"]
    line = b'{"seq": 0, "offset": 0, "length": 100}'
    messages = (b"messages.bin", b"", b"\0", 100)
    yield "zip: a gigabyte of zeros as a recording", "clip.zip", partial(
        packed_archive,
        (b"messages.bin", b"", b"\0", 1 << 30)
    ), check  # fmt: skip
    yield "clip: 255 MiB of lines in 260 KB", "c.zip", partial(
        packed_archive,
        messages, (b"index.jsonl", b"", b"\n", 255 * MIB)
    ), check  # fmt: skip
    yield "clip: 32 MiB of short lines", "c.zip", partial(
        packed_archive,
        messages, (b"index.jsonl", b"", b"1\n", 16 * MIB)
    ), check  # fmt: skip
    yield "clip: 32 MiB of blank lines", "c.ZIP", partial(
        packed_archive,
        messages, (b"index.jsonl", b"", b"\n", 32 * MIB)
    ), check  # fmt: skip
    yield "clip: a gigabyte of messages", "c.zip", partial(
        packed_archive,
        (b"index.jsonl", line, b"", 0), (b"messages.bin", b"", b"\0", (1 << 30) - 1)
    ), check  # fmt: skip
    lines = b"\n".join(line.replace(b" 0,", b" %d," % i, 1) for i in range(100_000))
    yield "clip: 100,000 lines for one message", "c.zip", partial(
        packed_archive, messages, (b"index.jsonl", lines, b"", 0)
    ), check  # fmt: skip
    header = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 6689, 6689), }".ljust(118))
    bomb = partial(packed_archive, *((name, header, b"\0", 4 * 3 * 6689**2) for name in [b"input.npy", b"model.0.npy"]))
    network = ["--weights", str(GOLDENS / "yolo11-tiny-n.safetensors")]
    yield "npz: a gigabyte of reference in 1 MB", "r.npz", bomb, ["verify", *network, "--reference", "{}"]
    yield (
        "npz: a gigabyte of input in 1 MB",
        "r.npz",
        bomb,
        ["trace", *network, "--input", "{}", "--out", "o.safetensors"],
    )


def drawings():
    """As files(), and what the command may cost: its exit code, bytes, and seconds of processor time."""
    document = {"schema": "ardf.detections/1", "image": "", "model": None}
    box = {"x": 0, "y": 0, "width": 1e9, "height": 1e9}
    found = {"classId": 0, "className": "c", "confidence": 1, "box": box}
    compose = ["compose", "--detections", "{}", "--out", "o", "--capture"]

    def masks(width, height, count):
        # The lower third of every column.
        counts = counts_text([height - height // 3, height // 3] * width)
        size = {"size": [height, width], "counts": counts}
        items = [found | {"id": i, "mask": size} for i in range(count)]
        return json.dumps(document | {"imageSize": [width, height], "detections": items}).encode()

    yield "masks: 10,000 of the whole picture", "d.json", masks(640, 480, 10_000), [*compose, "wide.png"], (
        0, 256 * MIB, 30
    )  # fmt: skip
    boxes = [found | {"id": i} for i in range(10_000)]
    for width, height, exit_code in [(640, 480, 0), (4032, 3024, REFUSED)]:
        text = json.dumps(document | {"imageSize": [width, height], "detections": boxes}).encode()
        yield f"boxes: 10,000 of {width}x{height}", "d.json", text, [
            *compose, "wide.png" if exit_code == 0 else "large.png"
        ], (exit_code, 256 * MIB, 10)  # fmt: skip
    text = json.dumps(document | {"imageSize": [32, 24], "detections": [found | {"id": 0}]}).encode()
    yield "wireframe: a focal length of a million", "d.json", text, [
        *compose, "long", "--objects", "objects.json"
    ], ({0, REFUSED}, BASE, SECONDS)  # fmt: skip


def counts_text(runs):
    """Run lengths as COCO writes them."""
    text = ""
    for index, run in enumerate(runs):
        value = run - runs[index - 2] if index > 2 else run
        while True:
            group, value = value & 0x1F, value >> 5
            more = value != -1 if group & 0x10 else value != 0
            text += chr(group + (0x20 if more else 0) + 48)
            if not more:
                break
    return text


def make_scenes(place):
    """The pictures and captures that drawings are made in."""
    for name, width, height in [("wide.png", 640, 480), ("large.png", 4032, 3024)]:
        (place / name).write_bytes(png(width, height, zlib.compress(bytes((3 * width + 1) * height), 1)))
    shutil.copytree(ROOT / "Fuzz/Captures/native", place / "long")
    frame = json.loads((place / "long/frame.json").read_text())
    frame["intrinsics"][0] = frame["intrinsics"][4] = 1e6
    (place / "long/frame.json").write_text(json.dumps(frame))
    wires = {"center": [0.11, 0.21, -2], "dimensions": [1e4, 1e4, 1], "yaw": 0.7, "method": "minarea"}
    thing = {"id": 0, "label": "c", "distanceSource": "lidar", "depthRange": [1, 2], "box3D": wires}
    (place / "objects.json").write_text(json.dumps({"schema": "ardf.objects/1", "objects": [thing]}))


def entry(begin, end):
    return f'{{"dtype":"F32","shape":[{(end - begin) // 4}],"data_offsets":[{begin},{end}]}}'


def files():
    """Name, file, and the command that reads it; {} stands for its path."""
    detect = ["detect", "capture", "--out", "o", "--imgsz", "64", "--yolo", "{}"]
    script, convert = ["simulate", "{}"], ["convert", "{}", "o.safetensors"]
    picture = ["detect", "{}", "--out", "o", "--imgsz", "64", "--yolo", str(GOLDENS / "yolo11-tiny-n.safetensors")]
    fuse = ["fuse", "--relative", "{}", "--capture", "capture", "--out", "o"]
    place = ["place", "--detections", "{}", "--capture", "capture", "--out", "o"]
    many = ",".join(f'"{i}":{entry(4 * i, 4 * i + 4)}' for i in range(60_000))
    yield "safetensors: 60,000 tensors, data cut off", "w.safetensors", safetensors("{" + many + "}"), detect
    yield (
        "safetensors: 4 million empty lists",
        "w.safetensors",
        safetensors('{"a":[' + "[]," * 4_000_000 + "[]]}"),
        detect,
    )
    yield "safetensors: 16 MiB of one name", "w.safetensors", safetensors('{"' + "x" * (16 * MIB - 8) + '":1}'), detect
    yield "safetensors: promises 8 exabytes", "w.safetensors", safetensors(
        '{"a":{"dtype":"F32","shape":[2305843009213693951],"data_offsets":[0,9223372036854775804]}}'
    ), detect  # fmt: skip
    yield "safetensors: 100 MB, one byte short", "w.safetensors", safetensors(
        '{"a":' + entry(0, 100_000_000) + "}", bytes(99_999_999)
    ), detect  # fmt: skip
    yield "JSON: 2 million empty objects", "s.json", b"[" + b"{}," * 2_000_000 + b"{}]", script
    yield "JSON: a million small objects", "s.json", b"[" + b'{"a":1},' * 1_000_000 + b"1]", script
    yield "JSON: 2 million numbers", "s.json", b"[" + b"1," * 3_000_000 + b"1]", script
    yield "JSON: 30 MB of one text", "s.json", b'"' + b"x" * 30_000_000, script
    yield "JSON: a million open lists", "s.json", b"[" * 1_000_000, script
    document = {"schema": "ardf.detections/1", "image": "", "imageSize": [16384, 16384], "model": None}
    found = {"id": 0, "classId": 0, "className": "c", "confidence": 1, "box": {"x": 1, "y": 1, "width": 2, "height": 2}}
    masks = [found | {"id": i, "mask": {"size": [16384, 16384], "counts": "PPPP8"}} for i in range(1000)]
    yield "detections: masks of 268 megapixels", "d.json", json.dumps(document | {"detections": masks}).encode(), place
    stray = ["capture", "check", "stray"]
    yield (
        "CSV: 15 million lines",
        "stray/odometry.csv",
        b"timestamp,frame,x,y,z,qx,qy,qz,qw\n" + b"1\n" * 15_000_000,
        stray,
    )
    yield (
        "CSV: 15 million fields",
        "stray/odometry.csv",
        b"timestamp,frame,x,y,z,qx,qy,qz,qw\n" + b"1," * 15_000_000,
        stray,
    )
    yield (
        "npy: a terabyte promised",
        "r.npy",
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (250000000000,), }"),
        fuse,
    )
    yield "npy: 100 MB, one byte short", "r.npy", npy(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (25000000,), }", bytes(99_999_999)
    ), fuse  # fmt: skip
    yield "pickle: 200,000 lists", "c.pt", pickle_archive(b"\x80\x02" + b"]0" * 200_001 + b"N."), convert
    yield (
        "pickle: half a million elements",
        "c.pt",
        pickle_archive(b"\x80\x02]" + (b"(" + b"N" * 99_000 + b"e") * 6 + b"."),
        convert,
    )
    yield "pickle: 250,000 memo entries", "c.pt", pickle_archive(b"\x80\x02N" + b"\x94" * 250_001 + b"."), convert
    yield (
        "pickle: 16 MiB of text",
        "c.pt",
        pickle_archive(b"\x80\x02X" + struct.pack("<I", 16 * MIB) + b"x" * 15 * MIB),
        convert,
    )
    yield "zip: a gigabyte of zeros as a pickle", "c.pt", partial(
        packed_archive,
        (b"c/data.pkl", b"", b"\0", 1 << 30)
    ), convert  # fmt: skip
    yield "PNG: 64 megapixels promised", "p.png", png(8192, 8192, zlib.compress(bytes(1000))), picture
    yield (
        "PNG: 64 megapixels, cut off",
        "p.png",
        png(8192, 8192, zlib.compress(bytes(8192 * 8192 * 3)), end=False),
        picture,
    )
    yield "PNG: 4 gigapixels", "p.png", png(65535, 65535, zlib.compress(bytes(1000))), picture
    yield "JPEG: 100 MB of nothing", "p.jpg", b"\xff\xd8\xff\xe0\x00\x10" + bytes(100_000_000), picture


def peak(arguments, folder):
    """Exit code, most resident bytes, seconds of processor time, and the message of a run."""
    with (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=err,
            env={"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no"},
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return process.returncode, usage.ru_maxrss * 1024, seconds, (folder / "err").read_text(errors="replace").strip()


def make(folder, only):
    """Writes every file into a folder of its own and says what reads it, and what that may cost."""
    made = []
    for number, (name, file, content, command, *cost) in enumerate(
        itertools.chain(files(), archives(), checkpoints(), drawings())
    ):
        if only not in name:
            continue
        content = content() if callable(content) else content
        place = folder / str(number)
        for layout, copy in [("native", "capture"), ("strayScanner", "stray")]:
            shutil.copytree(ROOT / "Fuzz/Captures" / layout, place / copy)
        if cost:
            make_scenes(place)
        (place / file).write_bytes(content)
        command = [str(place / file) if argument == "{}" else argument for argument in command]
        size = len(content)
        exits, most, seconds = cost[0] if cost else (REFUSED, BASE, SECONDS)
        made.append({
            "name": name, "folder": str(place), "bytes": size, "command": command,
            "exits": sorted(exits) if isinstance(exits, set) else [exits],
            "limit": most + FACTOR * size, "seconds": seconds + SECONDS_PER_MIB * size / MIB,
        })  # fmt: skip
    print(json.dumps(made))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        return make(options.make, options.only)
    ardf = str(options.ardf.resolve())
    failures = 0
    print(f"{'file':44} {'size':>10} {'peak':>10} {'limit':>10} {'time':>7} {'limit':>7}  exit")
    with tempfile.TemporaryDirectory() as scratch:
        # In a process of its own: a child's peak begins with what its parent held.
        made = subprocess.run(
            [sys.executable, __file__, "--make", scratch, "--only", options.only], stdout=subprocess.PIPE, check=True
        )
        for found in json.loads(made.stdout):
            status, resident, seconds, message = peak([ardf, *found["command"]], Path(found["folder"]))
            sides = " ".join(f"{n / MIB:6.1f} MiB" for n in (found["bytes"], resident, found["limit"]))
            times = f"{seconds:5.2f} s {found['seconds']:5.1f} s"
            is_good = resident <= found["limit"] and seconds <= found["seconds"] and status in found["exits"]
            print(f"{found['name']:44} {sides} {times}  {status}{'' if is_good else '  FAILS'}", flush=True)
            if not is_good:
                failures += 1
                print(f"  {message[:300]}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
