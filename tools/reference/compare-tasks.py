#!/usr/bin/env python3
"""Compares what `ardf detect` finds with Ultralytics, for networks of every task, on pictures.

    python tools/reference/compare-tasks.py --models yolo11n,yolo11n-pose,yolo26n-seg DATA/images DATA/coco/images
    python tools/reference/compare-tasks.py --weights best.pt DATA/images

Networks named have seeded random weights in a `.pt` file as Ultralytics saves it; the threshold of a picture lies in a
gap between scores, so that some twenty objects are found and none is near it. `predict` is run with its own settings
(the least rectangle, `--rect`) and on the square; YOLO26 with `nms=False`, its end-to-end head, and with the other
(`--nms`). It prints, by network, how many objects both found, and the largest difference of a score, of a box's edge, a
key point or an oriented box, pixels, and the least intersection over union of masks. Of classifiers the five likeliest
classes are compared. Ends with 1 where one finds what the other does not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures, yolo
from oracles.final_outputs import without_time_limit
from oracles.predictions import OVERLAP, predictions, random_checkpoint, threshold

TOLERANCE = {"score": 1e-3, "edge": 0.5}
COLUMNS = ("network", "input", "pictures", "objects", "pictures that differ", "score", "pixels", "masks' least IoU")


def found_by_ardf(ardf, weights, path, confidence, rect, side, folder, nms=False):
    """The same, of `ardf detect`."""
    command = [ardf, "detect", path, "--yolo", weights, "--imgsz", side, "--out", "-"]
    if confidence is not None:
        command += ["--conf", f"{confidence:.6f}", "--iou", OVERLAP] + ["--rect"] * rect + ["--nms"] * nms
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr}")
    document = json.loads(done.stdout)
    if "classes" in document:
        return [(entry["classId"], entry["confidence"], np.zeros(0), None) for entry in document["classes"]]
    return [ours(entry) for entry in document["detections"]]


def ours(entry):
    """An object of detections.json."""
    box = entry["box"]
    numbers = [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]
    if "orientedBox" in entry:
        numbers = np.array(entry["orientedBox"]["corners"]).ravel()
    if "keypoints" in entry:
        numbers = np.concatenate([numbers, *(np.array(point[:2]) for point in entry["keypoints"])])
    mask = None
    if entry["mask"]:
        counts = entry["mask"]["counts"].encode("ascii")
        mask = run_lengths.decode({"size": entry["mask"]["size"], "counts": counts}).astype(bool)
    return entry["classId"], entry["confidence"], numbers, mask


def intersection_over_union(first, second):
    union = np.count_nonzero(first | second)
    return np.count_nonzero(first & second) / union if union else 1.0


class Row:
    """Figures of one network and input over all pictures."""

    def __init__(self):
        self.pictures, self.objects, self.differing = 0, 0, []
        self.score, self.pixels, self.overlap = 0.0, 0.0, 1.0

    def add(self, name, mine, theirs):
        self.pictures += 1
        if [entry[0] for entry in mine] != [entry[0] for entry in theirs]:
            self.differing.append(name)
            return
        for (_, score, numbers, mask), (_, their_score, their_numbers, their_mask) in zip(mine, theirs, strict=True):
            self.objects += 1
            self.score = max(self.score, abs(score - their_score))
            self.pixels = max(self.pixels, float(np.abs(numbers - their_numbers).max(initial=0)))
            if their_mask is not None:
                self.overlap = min(self.overlap, intersection_over_union(mask, their_mask))

    @property
    def failed(self):
        beyond = self.score > TOLERANCE["score"] or self.pixels > TOLERANCE["edge"] or self.overlap < 0.99
        return bool(self.differing) or beyond

    def text(self, label):
        return (
            f"| {label} | {self.pictures} | {self.objects} | {len(self.differing)} | {self.score:.1e} "
            f"| {self.pixels:.4f} | {self.overlap:.4f} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them")
    parser.add_argument("--models", default="", help="networks with random weights, such as yolo11n-pose,yolo26s")
    parser.add_argument("--weights", nargs="*", default=[], help="checkpoints of Ultralytics")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--most", type=int, default=20, help="pictures that are taken")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    without_time_limit()
    ardf = os.path.realpath(arguments.ardf)
    print(f"| {' | '.join(COLUMNS)} |\n|---|---{'|--:' * (len(COLUMNS) - 2)}|")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        named = [
            (name, random_checkpoint(name, arguments.seed, folder)) for name in arguments.models.split(",") if name
        ]
        for name, checkpoint in named + [(Path(path).name, path) for path in arguments.weights]:
            model = yolo.import_ultralytics().YOLO(checkpoint)
            weights = f"{folder}/weights.safetensors"
            convert = [ardf, "convert", checkpoint, weights, "--force"]
            subprocess.run(convert, check=True, stderr=subprocess.DEVNULL)
            classifies = model.task == "classify"
            ways = [(False, False)] if classifies else [(False, False), (True, False)]
            if yolo.predict_settings(model):
                ways.append((False, True))
            for rect, nms in ways:
                model = yolo.import_ultralytics().YOLO(checkpoint)  # a predictor keeps the head that it began with
                row, side = Row(), 224 if classifies else 640
                for path in list(pictures.paths(arguments.pictures))[: arguments.most]:
                    picture = pictures.read(path)
                    confidence = None if classifies else threshold(model, picture, rect, side, nms)
                    theirs = predictions(model, picture, confidence, rect, side, nms)
                    mine = found_by_ardf(ardf, weights, path, confidence, rect, side, folder, nms)
                    row.add(path.name, mine, theirs)
                print(row.text(f"{name} | {'rect' if rect else 'square'}{', nms' * nms}"), flush=True)
                for picture in row.differing:
                    print(f"{name}, {picture}: other objects", file=sys.stderr)
                failed |= row.failed
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
