"""Ultralytics' trackers on boxes that are given, without its detectors."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import ultralytics
from ultralytics.trackers.bot_sort import BOTSORT
from ultralytics.trackers.byte_tracker import BYTETracker
from ultralytics.utils import YAML


class Detections:
    """As a tracker reads them: `conf`, `cls`, `xywh`, `xyxy`, and a selection by mask."""

    def __init__(self, rows):
        self.rows = np.asarray(rows, np.float32).reshape(-1, 5)
        self.xyxy, self.conf = self.rows[:, :4], self.rows[:, 4]
        self.cls = np.zeros(len(self.rows), np.float32)
        sides = self.xyxy[:, 2:] - self.xyxy[:, :2]
        self.xywh = np.concatenate([(self.xyxy[:, :2] + self.xyxy[:, 2:]) / 2, sides], 1)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, mask):
        return Detections(self.rows[mask])


def tracker(kind, changes=()):
    """`bytetrack` or `botsort` with the defaults of its file, and changes of them."""
    file = Path(ultralytics.__file__).parent / f"cfg/trackers/{kind}.yaml"
    settings = {**YAML.load(file), **dict(changes)}
    return {"bytetrack": BYTETracker, "botsort": BOTSORT}[kind](SimpleNamespace(**settings))


#: Settings without compensation of the camera's motion, for which no pictures are needed.
STILL = {"gmc_method": "none"}


def identities(pictures, tracker, images=None):
    """The identity of each row `[x1, y1, x2, y2, score]` of each picture, 0 for none.

    `images`: the pictures themselves, blue first, for a tracker that finds the camera's motion in them.
    """
    found = []
    for rows, image in zip(pictures, images or [None] * len(pictures), strict=True):
        ids = [0] * len(rows)
        for track in tracker.update(Detections(rows), image):
            ids[int(track[-1])] = int(track[4])
        found.append(ids)
    return found
