"""Captures, networks and a verdict for the checks of jobs on many machines."""

import json
import struct
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# The detector of the tests, which takes no time, and the depth network that is part of the project: a tenth of a second
# a frame, long enough to be disturbed in.
NETWORKS = [
    "--yolo", str(ROOT / "Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors"), "--imgsz", "64", "--conf", "0.05",
    "--max-det", "8", "--depth", str(ROOT / "weights/dav2s-ardf-fp16.safetensors"), "--depth-size", "182",
]  # fmt: skip


def png(number: int, width: int = 160, height: int = 120) -> bytes:
    """A picture that no other is like."""
    rows = b"".join(
        b"\0"
        + bytes(
            value & 255
            for x in range(width)
            for value in ((x * 3 + number * 7) ^ (y * 2), x * y // 16 + number, (x // 16 + y // 16 + number) * 40)
        )
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_captures(place: Path, count: int) -> Path:
    """Writes pictures, two of which cannot be decoded, and the list of them."""
    (place / "photos").mkdir()
    lines = []
    for number in range(count):
        path = place / "photos" / f"{number:04}.png"
        data = png(number)
        if number == count // 4:
            data = data[: len(data) // 2]
        if number == count // 2:
            data = b"no picture"
        path.write_bytes(data)
        lines.append(json.dumps({"id": f"photo {number}", "path": str(path)}) if number % 2 else str(path))
    (place / "list").write_text("\n".join(lines) + "\n")
    return place / "list"


def records(path: Path) -> int:
    """Lines that a part has by now."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


class Checks:
    """Checks, each printed as a line."""

    def __init__(self, name: str):
        self.name = name
        self.failures = 0

    def that(self, holds: bool, text: str) -> None:
        print(("ok    " if holds else "FAIL  ") + text, flush=True)
        self.failures += not holds

    def end(self) -> None:
        print(f"{self.name}: {self.failures} failures" if self.failures else f"{self.name}: all of it holds")
        raise SystemExit(1 if self.failures else 0)
