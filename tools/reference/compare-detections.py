#!/usr/bin/env python3
"""Compares what `ardf detect` finds with Ultralytics: boxes and masks, every way of either, picture by picture.

    python tools/reference/compare-detections.py --weights yolo11n-seg.pt DATA/images DATA/captures/bedroom

Takes pictures and folders, which are searched. For the square input (`rect=False`) and the minimal rectangle
(`--rect`; `predict`'s default), and for `--masks fast` (`retina_masks=False`) and `retina` (`retina_masks=True`), it
prints how many objects both found, the largest difference of a box's edge and of a score, and the intersection over
union of masks in the picture. The last rows set our `fast` against Ultralytics' `retina`: what the ways differ by.
Ends with 1 where one finds what the other doesn't, or a mask of the same way falls below `--least`.
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

CONFIDENCE, OVERLAP, SIDE = 0.25, 0.7, 640
WAYS = ("fast", "retina")
COLUMNS = (
    *("input", "`--masks`", "Ultralytics", "objects", "pictures that differ", "edge px", "score", "masks the same"),
    *("below .99", "IoU median", "IoU least"),
)


def found_by_ultralytics(model, picture, rect, way):
    """`(class, score, box, mask in the picture)` of each object, best first."""
    from ultralytics.utils import ops

    bgr = np.ascontiguousarray(picture[:, :, ::-1])
    settings = {"imgsz": SIDE, "conf": CONFIDENCE, "iou": OVERLAP, "device": "cpu", "verbose": False}
    (result,) = model.predict(bgr, rect=rect, retina_masks=way == "retina", **settings)
    if result.masks is None:
        return []
    masks = result.masks.data
    if way == "fast":
        masks = ops.scale_masks(masks[None].float(), picture.shape[:2])[0] > 0.5
    values = zip(result.boxes.cls, result.boxes.conf, result.boxes.xyxy, masks, strict=True)
    return [(int(kind), float(score), box.numpy(), mask.numpy().astype(bool)) for kind, score, box, mask in values]


def found_by_ardf(ardf, weights, path, rect, way, threads):
    """The same, of `ardf detect`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [ardf, "detect", path, "--yolo", weights, "--conf", CONFIDENCE, "--iou", OVERLAP, "--imgsz", SIDE]
        command += ["--masks", way, "--threads", threads, "--out", "-"] + ["--rect"] * rect
        done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr}")
    found = []
    for detection in json.loads(done.stdout)["detections"]:
        box = detection["box"]
        corners = np.array([box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]])
        mask = run_lengths.decode(
            {"size": detection["mask"]["size"], "counts": detection["mask"]["counts"].encode("ascii")}
        )
        found.append((detection["classId"], detection["confidence"], corners, mask.astype(bool)))
    return found


def intersection_over_union(first, second):
    union = np.count_nonzero(first | second)
    return np.count_nonzero(first & second) / union if union else 1.0


class Row:
    """Figures of one setting over all pictures."""

    def __init__(self):
        self.edges, self.scores, self.overlaps = [], [], []
        self.differing = []

    def add(self, name, ours, theirs):
        if [object[0] for object in ours] != [object[0] for object in theirs]:
            self.differing.append(name)
            return
        for (_, score, box, mask), (_, their_score, their_box, their_mask) in zip(ours, theirs, strict=True):
            self.edges.append(float(np.abs(box - their_box).max()))
            self.scores.append(abs(score - their_score))
            self.overlaps.append(intersection_over_union(mask, their_mask))

    def text(self, label):
        overlaps = np.array(self.overlaps or [1.0])
        return (
            f"| {label} | {len(self.overlaps)} | {len(self.differing)} | {max(self.edges, default=0):.4f} "
            f"| {max(self.scores, default=0):.1e} | {np.count_nonzero(overlaps == 1)} "
            f"| {np.count_nonzero(overlaps < 0.99)} | {np.median(overlaps):.4f} | {overlaps.min():.4f} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them")
    parser.add_argument("--weights", required=True, help="YOLO11-seg .pt checkpoint")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--least", type=float, default=0.99, help="intersection over union of masks of the same way")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    model = yolo.import_ultralytics().YOLO(arguments.weights, task="segment")
    ardf = os.path.realpath(arguments.ardf)
    rows = {}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        weights = f"{folder}/weights.safetensors"
        subprocess.run([ardf, "convert", arguments.weights, weights], check=True, stderr=subprocess.DEVNULL)
        for path in pictures.paths(arguments.pictures):
            picture = pictures.read(path)
            count += 1
            for rect in (False, True):
                theirs = {way: found_by_ultralytics(model, picture, rect, way) for way in WAYS}
                ours = {way: found_by_ardf(ardf, weights, path, rect, way, arguments.threads) for way in WAYS}
                shape = "rect" if rect else "square"
                for way in WAYS:
                    rows.setdefault((shape, way, way), Row()).add(path.name, ours[way], theirs[way])
                rows.setdefault((shape, "fast", "retina"), Row()).add(path.name, ours["fast"], theirs["retina"])
    print(f"{count} pictures, {Path(arguments.weights).name}, confidence {CONFIDENCE}, overlap {OVERLAP}\n")
    print(f"| {' | '.join(COLUMNS)} |\n|---|---|---{'|--:' * (len(COLUMNS) - 3)}|")
    failed = False
    for (shape, ours, theirs), row in sorted(rows.items(), key=lambda item: (item[0][1] != item[0][2], item[0])):
        print(row.text(f"{shape} | {ours} | {theirs}"))
        for name in row.differing:
            print(f"{name}: other objects", file=sys.stderr)
        failed |= bool(row.differing) or (ours == theirs and min(row.overlaps, default=1) < arguments.least)
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
