#!/usr/bin/env python3
"""Writes the identities that Ultralytics' trackers give drawn boxes, as a golden to compare a tracker with.

    python tools/reference/goldens/make-tracking-goldens.py Tests/AppCoreTests/Goldens/ultralytics-8.4.190-tracks.json

Boxes move in smooth curves, cross and hide each other, leave and come back; a detector's noise moves them, lowers
their scores with what hides them, misses some and invents others. Each film is given to ByteTrack and to BoT-SORT
(without appearance, without compensation of the camera's motion) with the defaults of their files, one other buffer
and one without fused scores. `--films N` draws more of them, for a comparison beyond the golden.
"""

import argparse
import json
import math
import random
import sys
from pathlib import Path

import ultralytics

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import tracking

WIDTH, HEIGHT = 640, 480
SETTINGS = {
    "bytetrack": ("bytetrack", {}),
    "botsort": ("botsort", {}),
    "bytetrack, buffer 5": ("bytetrack", {"track_buffer": 5}),
    "bytetrack, scores not fused": ("bytetrack", {"fuse_score": False}),
}


def film(seed, pictures):
    """A list of rows `[x1, y1, x2, y2, score]` for each picture."""
    draw = random.Random(seed)
    things = [
        {
            "period": draw.uniform(80, 300), "phase": draw.uniform(0, 6.28), "lag": draw.uniform(0, 6.28),
            "size": (draw.uniform(25, 120), draw.uniform(40, 160)), "from": draw.randrange(0, pictures // 2),
            "absent": [draw.randrange(pictures) for _ in range(2)], "length": draw.choice([2, 6, 33, 40]),
        }
        for _ in range(draw.randint(2, 9))
    ]  # fmt: skip
    shown = []
    for number in range(pictures):
        rows = []
        for thing in things:
            if number < thing["from"] or any(0 <= number - a < thing["length"] for a in thing["absent"]):
                continue
            turn = 2 * math.pi * number / thing["period"]
            x = WIDTH * (0.5 + 0.45 * math.sin(turn + thing["phase"]))
            y = HEIGHT * (0.5 + 0.3 * math.sin(turn * 0.7 + thing["lag"]))
            w, h = (side * (1 + 0.2 * math.sin(turn * 0.5)) for side in thing["size"])
            hidden = sum(abs(x - (r[0] + r[2]) / 2) < (w + r[2] - r[0]) / 4 for r in rows)
            score = min(max(draw.gauss(0.8 - 0.35 * hidden, 0.12), 0.02), 0.99)
            if draw.random() < 0.04:
                continue
            x, y, w, h = x + draw.gauss(0, 2), y + draw.gauss(0, 2), w + draw.gauss(0, 2), h + draw.gauss(0, 2)
            rows.append([x - w / 2, y - h / 2, x + w / 2, y + h / 2, score])
        if draw.random() < 0.1:
            x, y = draw.uniform(0, WIDTH - 60), draw.uniform(0, HEIGHT - 60)
            rows.append([x, y, x + draw.uniform(10, 60), y + draw.uniform(10, 60), draw.uniform(0.1, 0.6)])
        if draw.random() < 0.05:
            rows.append([10, 10, 10, 40, 0.9])
        shown.append([[round(value, 3) for value in row] for row in rows])
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--films", type=int, default=6)
    parser.add_argument("--pictures", type=int, default=90)
    arguments = parser.parse_args()
    films = []
    for seed in range(arguments.films):
        rows = film(seed, arguments.pictures)
        tracks = {}
        for name, (kind, changes) in SETTINGS.items():
            tracks[name] = tracking.identities(rows, tracking.tracker(kind, {**tracking.STILL, **changes}))
        films.append({"boxes": rows, "tracks": tracks})
    document = {"ultralytics": ultralytics.__version__, "films": films}
    arguments.out.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
