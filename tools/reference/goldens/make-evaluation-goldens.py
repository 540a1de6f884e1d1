#!/usr/bin/env python3
"""Writes what pycocotools and ultralytics say of made-up labels and detections, as a golden of evaluations.

    python tools/reference/goldens/make-evaluation-goldens.py --out Tests/EvaluationTests/Goldens/evaluation.json

`outlines` are polygons, in the picture and beyond its borders, with the masks that pycocotools makes of them. `coco` is
a small set of labels (outlines, masks, crowds), detections with equal scores among them, and every average precision of
`COCOeval`. `ultralytics` is a set of outlines, detections in pixels of the network's input and on its prototype grid,
and every average precision that `SegmentationValidator`'s functions and `ap_per_class` make of them.
"""

import argparse
import contextlib
import copy
import io
import json
import sys
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask as run_lengths
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo

HEIGHT, WIDTH, CLASSES = 48, 64, 3


def outline(random, corners, reach=0.0):
    """A polygon around a point, in pixels with one decimal."""
    middle = random.uniform([8, 8], [WIDTH - 8, HEIGHT - 8])
    angles = np.sort(random.uniform(0, 2 * np.pi, corners))
    radii = random.uniform(3, 20, corners)
    points = middle + np.stack([np.cos(angles), np.sin(angles)], 1) * radii[:, None]
    least, most = -reach, 1 + reach
    points = np.clip(points, [least * WIDTH, least * HEIGHT], [most * WIDTH, most * HEIGHT])
    return np.round(points, 1)


def counts(mask):
    return run_lengths.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode("ascii")


def outlines(random):
    cases = []
    for index in range(24):
        points = outline(random, int(random.integers(3, 12)), 0.3 if index % 3 == 0 else 0.0)
        if index % 4 == 0:
            points = np.floor(points)
        (mask,) = run_lengths.frPyObjects([points.reshape(-1).tolist()], HEIGHT, WIDTH)
        cases.append({"corners": points.reshape(-1).tolist(), "counts": mask["counts"].decode("ascii")})
    return cases


def shaken(random, points, by):
    return np.clip(points + random.normal(0, by, 2) + random.normal(0, by / 2, points.shape), 0, [WIDTH, HEIGHT])


def coco(random):
    document = {"images": [], "annotations": [], "categories": [{"id": n + 1, "name": str(n)} for n in range(CLASSES)]}
    found = []
    for image in range(1, 7):
        document["images"].append({"id": image, "file_name": f"{image}.png", "width": WIDTH, "height": HEIGHT})
        for index in range(int(random.integers(2, 6))):
            points = outline(random, 7)
            low, high = points.min(0), points.max(0)
            box = [*low, *(high - low)]
            number = len(document["annotations"]) + 1
            entry = {"id": number, "image_id": image, "category_id": int(random.integers(1, CLASSES)), "iscrowd": 0}
            entry |= {"bbox": [float(v) for v in box], "area": float(box[2] * box[3])}
            parts = [points, outline(random, 4)][: 1 + index % 2]
            entry["segmentation"] = [part.reshape(-1).tolist() for part in parts]
            if number % 4 == 0:
                whole = run_lengths.merge(run_lengths.frPyObjects(entry["segmentation"], HEIGHT, WIDTH))
                entry |= {"iscrowd": 1, "segmentation": {"size": [HEIGHT, WIDTH], "counts": whole["counts"].decode()}}
            document["annotations"].append(entry)
            for _ in range(int(random.integers(0, 3))):
                found.append((image, entry["category_id"], shaken(random, points, 0.8)))
        for _ in range(3):
            found.append((image, int(random.integers(1, CLASSES + 1)), outline(random, 6)))
    results = []
    for image, category, points in found:
        low, high = points.min(0).round(2), points.max(0).round(2)
        mask = run_lengths.merge(run_lengths.frPyObjects([points.reshape(-1).tolist()], HEIGHT, WIDTH))
        entry = {"image_id": image, "category_id": category, "score": int(random.integers(1, 20)) / 32}
        entry |= {"bbox": [float(v) for v in (*low, *(high - low).round(2))]}
        entry["segmentation"] = {"size": [HEIGHT, WIDTH], "counts": mask["counts"].decode("ascii")}
        results.append(entry)
    # Best first in each picture, as detectors have them.
    results.sort(key=lambda entry: (entry["image_id"], -entry["score"]))
    precisions = {}
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = copy.deepcopy(document)
        truth.createIndex()
        for kind in ("bbox", "segm"):
            entries = [{key: value for key, value in e.items() if kind == "bbox" or key != "bbox"} for e in results]
            evaluation = COCOeval(truth, truth.loadRes(entries), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            # (thresholds, recalls, classes) of all areas and 100 detections.
            values = evaluation.eval["precision"][:, :, :, 0, 2].mean(1)
            precisions[kind] = [None if values[0, k] < 0 else values[:, k].tolist() for k in range(CLASSES)]
    return {"annotations": document, "results": results, "precisions": precisions}


def ultralytics(random):
    from ultralytics.data.utils import polygons2masks_overlap
    from ultralytics.engine.validator import BaseValidator
    from ultralytics.utils.metrics import ap_per_class, box_iou, mask_iou
    from ultralytics.utils.ops import crop_mask, resample_segments

    class Matcher:
        iouv = torch.linspace(0.5, 0.95, 10)

    network, content, padding = (96, 128), (80, 128), (0, 8)
    pictures, statistics = [], []
    # All different: equal scores are in no stated order there.
    pool = random.permutation(900)
    for _ in range(6):
        shares = [(outline(random, 9) / [WIDTH, HEIGHT]).round(6).astype(np.float32) for _ in range(5)]
        classes = random.integers(0, CLASSES - 1, len(shares))
        segments = np.stack(resample_segments([share.copy() for share in shares], 1000))
        segments = segments * np.float32([content[1], content[0]]) + np.float32([padding[0], padding[1]])
        masks, order = polygons2masks_overlap(network, segments, downsample_ratio=4)
        ordered = segments[order]
        boxes = np.concatenate([ordered.min(1), ordered.max(1)], 1)
        truth = (torch.from_numpy(masks)[None] == torch.arange(1, len(order) + 1).view(-1, 1, 1)).float()
        kinds, frames, cells = [], [], []
        for label in range(len(order)):
            for _ in range(int(random.integers(0, 3))):
                kinds.append(int(classes[order[label]]))
                frames.append(boxes[label] + random.normal(0, 2, 4).astype(np.float32))
                cells.append(np.roll(truth[label].numpy(), random.integers(-1, 2, 2), (0, 1)))
        for _ in range(2):
            kinds.append(int(random.integers(0, CLASSES)))
            frames.append(np.float32([20, 20, 60, 50]) + random.uniform(-15, 15, 4).astype(np.float32))
            cells.append(random.integers(0, 2, truth.shape[1:]))
        scores, pool = np.sort(pool[: len(kinds)])[::-1].astype(np.float32) / 1024, pool[len(kinds) :]
        frames = torch.from_numpy(np.round(np.stack(frames) * 64).astype(np.float32) / 64)
        cells = crop_mask(torch.from_numpy(np.stack(cells).astype(np.uint8)), frames / 4)
        kinds, wanted = torch.tensor(kinds), torch.from_numpy(classes[order])
        pairs = box_iou(torch.from_numpy(boxes), frames), mask_iou(truth.flatten(1), cells.flatten(1).float())
        right = [BaseValidator.match_predictions(Matcher, kinds, wanted, pair).numpy() for pair in pairs]
        statistics.append((*right, scores.copy(), kinds.numpy(), classes))
        labels = [{"class": int(c), "outline": s.reshape(-1).tolist()} for c, s in zip(classes, shares, strict=True)]
        detections = [
            {"class": int(kind), "score": float(score), "box": frame.tolist(), "cells": counts(cell.numpy())}
            for kind, score, frame, cell in zip(kinds, scores, frames, cells, strict=True)
        ]
        pictures.append({"labels": labels, "detections": detections})
    boxes, masks, scores, kinds, wanted = (np.concatenate(part) for part in zip(*statistics, strict=True))
    precisions = {}
    for name, right in (("boxes", boxes), ("masks", masks)):
        result = ap_per_class(right, scores, kinds, wanted.astype(np.float32))
        precisions[name] = {str(c): ap.tolist() for c, ap in zip(result[6], result[5], strict=True)}
    frame = {"network": network, "content": content, "padding": padding}
    return {"frame": frame, "pictures": pictures, "precisions": precisions}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    yolo.import_ultralytics()
    random = np.random.Generator(np.random.PCG64(5))
    golden = {"size": [HEIGHT, WIDTH], "classes": CLASSES, "outlines": outlines(random), "coco": coco(random)}
    golden["ultralytics"] = ultralytics(random)
    Path(arguments.out).write_text(json.dumps(golden, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
