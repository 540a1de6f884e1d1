#!/usr/bin/env python3
"""Writes streams of LZFSE of every kind of block, and a recording as Record3D stores it, as goldens.

    python tools/reference/goldens/make-lzfse-goldens.py --streams Tests/FileFormatsTests/Goldens \\
        --recordings Tests/AppCoreTests/Goldens --corpus Fuzz/Corpus/lzfse

Wants `pyliblzfse` (Apple's own library), `numpy`, `pillow`. `NAME.lzfse` are the streams, `lzfse.json` how many bytes each
gives and their CRC-32. The library writes no `bvx1`: such a stream is made of one of `bvx2` by unpacking its tables, and
is read back by the library. `lidar.r3d` has three frames with float32 depth and confidence, `halves.r3d` one with float16;
depth is 1 + row / 16 + column / 64 meters plus a quarter for each frame.
"""

import argparse
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import liblzfse
import numpy as np
from PIL import Image

SYMBOLS = 360


def bits(value, shift, count):
    return value >> shift & ((1 << count) - 1)


def frequencies(packed):
    """The frequencies of all symbols, as `bvx2` packs them."""
    rest, found = int.from_bytes(packed, "little"), []
    while len(found) < SYMBOLS:
        if rest & 3 in (0, 2):
            value, length = (rest & 3) // 2, 2
        elif rest & 3 == 1:
            value, length = 3 if rest & 4 else 2, 3
        elif not rest & 4:
            value, length = 4 + bits(rest, 3, 2), 5
        elif not rest & 8:
            value, length = 8 + bits(rest, 4, 4), 8
        else:
            value, length = 24 + bits(rest, 4, 10), 14
        found.append(value)
        rest >>= length
    return found


def with_plain_tables(stream):
    """A stream of one block of `bvx2` as one of `bvx1`."""
    assert stream[:4] == b"bvx2"
    (raw,) = struct.unpack_from("<I", stream, 4)
    words = struct.unpack_from("<3Q", stream, 8)
    size = bits(words[2], 0, 32)
    literals, literal_bytes, matches = (bits(words[0], shift, 20) for shift in (0, 20, 40))
    match_bytes = bits(words[1], 40, 20)
    head = b"bvx1" + struct.pack(
        "<6I", raw, literal_bytes + match_bytes, literals, matches, literal_bytes, match_bytes)
    head += struct.pack("<i", bits(words[0], 60, 3) - 7)
    head += struct.pack("<4H", *(bits(words[1], 10 * index, 10) for index in range(4)))
    head += struct.pack("<i", bits(words[1], 60, 3) - 7)
    head += struct.pack("<3H", *(bits(words[2], shift, 10) for shift in (32, 42, 52)))
    head += struct.pack(f"<{SYMBOLS}H", *frequencies(stream[32:size]))
    return head + bytes(772 - len(head)) + stream[size:]


def depth(frame, rows=32, columns=24):
    return 1 + np.arange(rows)[:, None] / 16 + np.arange(columns)[None, :] / 64 + frame / 4


def recording(kind, frames, with_confidence):
    """A zip archive as the app writes it: a phone held upright, moving along x."""
    metadata = {
        "w": 48, "h": 64, "dw": 24, "dh": 32, "fps": 10,
        "K": [50, 0, 0, 0, 51, 0, 23.5, 31.5, 1],
        "perFrameIntrinsicCoeffs": [[50 + frame, 51 + frame, 23.5, 31.5] for frame in range(frames)],
        "poses": [[0, 0, 0, 1, frame / 10, 0, 0] for frame in range(frames)],
        "frameTimestamps": [5 + frame / 10 for frame in range(frames)],
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:

        def add(name, data):
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data)

        add("metadata", json.dumps(metadata))
        for frame in range(frames):
            picture = io.BytesIO()
            Image.new("RGB", (48, 64), (40 * frame, 90, 160)).save(picture, "JPEG", quality=80)
            add(f"rgbd/{frame}.jpg", picture.getvalue())
            add(f"rgbd/{frame}.depth", liblzfse.compress(depth(frame).astype(kind).tobytes()))
            if with_confidence:
                levels = (np.arange(32 * 24) % 3).astype("u1")
                add(f"rgbd/{frame}.conf", liblzfse.compress(levels.tobytes()))
    return target.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("streams", "recordings", "corpus"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    options = parser.parse_args()
    for folder in vars(options).values():
        folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(3)
    words = [bytes(random.integers(97, 123, random.integers(2, 9), dtype="u1")) + b" " for _ in range(60)]

    def text(count):
        return b"".join(words[index] for index in random.integers(0, len(words), count))

    contents = {
        "stored": random.integers(0, 256, 300, dtype="u1").tobytes(),
        "lzvn": text(400)[:3000],
        "depth": depth(0, 64, 48).astype("<f4").tobytes(),
        "blocks": text(600) + bytes(150_000) + depth(1, 96, 72).astype("<f2").tobytes() + text(200),
    }
    streams = {name: (liblzfse.compress(data), data) for name, data in contents.items()}
    plain = with_plain_tables(streams["depth"][0])
    streams["plain"] = (plain, contents["depth"])
    joined = b"".join(streams[name][0][:-4] for name in ("stored", "lzvn", "plain", "depth")) + b"bvx$"
    streams["joined"] = (joined, b"".join(streams[name][1] for name in ("stored", "lzvn", "plain", "depth")))
    record = {}
    for name, (stream, data) in streams.items():
        assert liblzfse.decompress(stream) == data, name
        (options.streams / f"{name}.lzfse").write_bytes(stream)
        if name != "blocks":
            (options.corpus / f"{name}.lzfse").write_bytes(stream)
        record[name] = {"bytes": len(data), "crc32": zlib.crc32(data), "first": stream[:4].decode()}
        print(name, stream[:4], len(stream), len(data))
    (options.streams / "lzfse.json").write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    (options.recordings / "lidar.r3d").write_bytes(recording("<f4", 3, True))
    (options.recordings / "halves.r3d").write_bytes(recording("<f2", 1, False))


if __name__ == "__main__":
    main()
