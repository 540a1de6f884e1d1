#!/usr/bin/env python3
"""Writes what pycocotools and ultralytics say of made-up key points and oriented boxes, as a golden of evaluations.

    python tools/reference/goldens/make-shape-evaluation-goldens.py --out \\
        Tests/EvaluationTests/Goldens/evaluation-shapes.json

`coco` has persons with 17 key points, some without any labeled and some crowds, detections, and the average
precisions of `COCOeval`'s `keypoints`. `poses` and `orientedBoxes` have labels over the picture's sides, detections in
pixels of the network's input, and the average precisions that `kpt_iou` or `batch_probiou`, `match_predictions` and
`ap_per_class` make of them.
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
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo

HEIGHT, WIDTH, JOINTS = 200, 300, 17
NETWORK, CONTENT, PADDING = (160, 192), (128, 192), (0, 16)


def person(random, share=0.7):
    """A box (x, y, width, height) and key points (x, y, labeled)."""
    size = random.uniform([20, 30], [90, 120])
    corner = random.uniform([0, 0], [WIDTH, HEIGHT] - size)
    points = corner + random.uniform(0, 1, (JOINTS, 2)) * size
    labeled = np.where(random.uniform(0, 1, JOINTS) < share, random.integers(1, 3, JOINTS), 0)
    points[labeled == 0] = 0
    return np.concatenate([corner, size]).round(2), np.concatenate([points.round(2), labeled[:, None]], 1)


def coco(random):
    document = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "person"}]}
    results = []
    for image in range(1, 9):
        document["images"].append({"id": image, "file_name": f"{image}.png", "width": WIDTH, "height": HEIGHT})
        found = []
        for _ in range(int(random.integers(2, 6))):
            number = len(document["annotations"]) + 1
            box, points = person(random, 0 if number % 6 == 0 else 0.7)
            entry = {"id": number, "image_id": image, "category_id": 1, "iscrowd": int(number % 7 == 0)}
            entry |= {"bbox": box.tolist(), "area": float((box[2] * box[3] * random.uniform(0.3, 0.8)).round(2))}
            entry |= {"keypoints": points.reshape(-1).tolist(), "num_keypoints": int((points[:, 2] > 0).sum())}
            document["annotations"].append(entry)
            for _ in range(int(random.integers(0, 4))):
                guessed = box[:2] + random.uniform(0, 1, (JOINTS, 2)) * box[2:]
                places = np.where(points[:, 2:] > 0, points[:, :2], guessed)
                found.append(places + random.normal(0, random.uniform(0.5, 6), (JOINTS, 2)))
        found += [person(random)[1][:, :2] for _ in range(20 if image == 3 else 2)]
        for places in found:
            score = int(random.integers(1, 40)) / 64
            points = np.concatenate([places.round(2), np.ones((JOINTS, 1))], 1)
            entry = {"image_id": image, "category_id": 1, "score": score}
            results.append(entry | {"keypoints": points.reshape(-1).tolist()})
    results.sort(key=lambda entry: (entry["image_id"], -entry["score"]))
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = copy.deepcopy(document)
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(copy.deepcopy(results)), "keypoints")
        evaluation.evaluate()
        evaluation.accumulate()
        precision = evaluation.eval["precision"][:, :, 0, 0, 0].mean(1).tolist()
    return {"annotations": document, "results": results, "precision": precision}


class Matcher:
    iouv = torch.linspace(0.5, 0.95, 10)


class Scores:
    """Scores of detections, no two of all pictures alike: equal ones are in no stated order there."""

    def __init__(self, random):
        self.left = list(random.permutation(900))

    def take(self, count):
        """The scores of a picture, best first."""
        taken, self.left = self.left[:count], self.left[count:]
        return np.sort(taken)[::-1].astype(np.float32) / 1024


def is_clear(overlaps):
    """Whether none is so near a threshold that the last digits of a rectangle decide."""
    return float((overlaps[..., None] - Matcher.iouv).abs().min()) > 1e-3


def in_network(points):
    """Shares of a picture's sides in pixels of the input, as `Instances` are scaled and padded."""
    return points * np.float32([CONTENT[1], CONTENT[0]]) + np.float32(PADDING)


def precisions(statistics):
    from ultralytics.utils.metrics import ap_per_class

    right, confidence, kinds, wanted = (np.concatenate(part) for part in zip(*statistics, strict=True))
    result = ap_per_class(right, confidence, kinds, wanted.astype(np.float32))
    return {str(c): ap.tolist() for c, ap in zip(result[6], result[5], strict=True)}


def match(kinds, wanted, overlaps):
    from ultralytics.engine.validator import BaseValidator

    return BaseValidator.match_predictions(Matcher, torch.tensor(kinds), torch.tensor(wanted), overlaps).numpy()


def poses(random, sigmas):
    from ultralytics.utils.metrics import kpt_iou
    from ultralytics.utils.ops import xyxy2xywh

    pictures, statistics, scores = [], [], Scores(random)
    for _ in range(8):
        labels = [person(random) for _ in range(4)]
        sides = np.float32([WIDTH, HEIGHT])
        shares = [np.concatenate([b[:2] + b[2:] / 2, b[2:]]).astype(np.float32) / np.tile(sides, 2) for b, _ in labels]
        points = np.stack([p for _, p in labels]).astype(np.float32)
        points[..., :2] = (points[..., :2] / sides).round(6)
        truth = points.copy()
        truth[..., :2] = in_network(points[..., :2])
        shares = np.stack(shares).round(6)
        low, high = in_network(shares[:, :2] - shares[:, 2:] / 2), in_network(shares[:, :2] + shares[:, 2:] / 2)
        area = xyxy2xywh(torch.from_numpy(np.concatenate([low, high], 1)))[:, 2:].prod(1) * 0.53
        wanted, kinds, found = random.integers(0, 2, 4), [], []
        for index in range(4):
            for _ in range(int(random.integers(0, 3))):
                kinds.append(int(wanted[index]))
                found.append(truth[index, :, :2] + random.normal(0, random.uniform(0.3, 5), (JOINTS, 2)))
        kinds += [0, 1]
        found += [in_network(person(random)[1][:, :2].astype(np.float32) / sides) for _ in range(2)]
        found = torch.from_numpy(np.stack(found).astype(np.float32).round(3))
        confidence = scores.take(len(kinds))
        overlaps = kpt_iou(torch.from_numpy(truth), found, sigma=sigmas, area=area)
        statistics.append((match(kinds, wanted, overlaps), confidence, np.array(kinds), wanted))
        pictures.append({
            "labels": [{"class": int(c), "box": b.tolist(), "keypoints": p.reshape(-1).tolist()}
                       for c, b, p in zip(wanted, shares, points, strict=True)],
            "detections": [{"class": k, "score": float(s), "keypoints": p.reshape(-1).tolist()}
                           for k, s, p in zip(kinds, confidence, found, strict=True)],
        })  # fmt: skip
    return {"pictures": pictures, "precisions": precisions(statistics)}


def oriented_boxes(random):
    from ultralytics.utils.metrics import batch_probiou
    from ultralytics.utils.ops import resample_segments, xyxyxyxy2xywhr

    pictures, statistics, scores = [], [], Scores(random)
    for number in range(8):
        corners = []
        for index in range(5):
            center, half = random.uniform(0.2, 0.8, 2), random.uniform(0.05, 0.2, 2)
            angle = random.uniform(0, np.pi)
            along = np.array([np.cos(angle), np.sin(angle)])
            across = np.array([-along[1], along[0]])
            signs = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
            square = np.array([center + a * half[0] * along + b * half[1] * across for a, b in signs])
            if index % 2:  # as people draw them
                square += random.normal(0, 0.01, (4, 2))
            corners.append(np.clip(square, 0, 1).round(6).astype(np.float32))
        segments = np.stack(resample_segments([c.copy() for c in corners], 100))
        truth = xyxyxyxy2xywhr(in_network(segments)).astype(np.float32)
        wanted, kinds, found = random.integers(0, 2, 5), [], []
        for index in range(5):
            for _ in range(int(random.integers(0, 3))):
                kinds.append(int(wanted[index]))
                spread = random.uniform(0.2, 2) * np.array([1, 1, 1, 1, 0.02])
                found.append(truth[index] + random.normal(0, spread))
        kinds += [number % 2, 1]
        for _ in range(2):
            sides = random.uniform(20, 120, 2), random.uniform(5, 40, 2)
            found.append(np.array([*sides[0], *sides[1], random.uniform(-1, 2)]))
        found = np.stack(found).astype(np.float32).round(4)
        found[:, 2:4] = np.maximum(found[:, 2:4], 1)
        while not is_clear(batch_probiou(torch.from_numpy(truth), torch.from_numpy(found))):
            found[:, :2] = (found[:, :2] + random.normal(0, 0.2, found[:, :2].shape)).astype(np.float32).round(4)
        confidence = scores.take(len(kinds))
        overlaps = batch_probiou(torch.from_numpy(truth), torch.from_numpy(found))
        statistics.append((match(kinds, wanted, overlaps), confidence, np.array(kinds), wanted))
        pictures.append({
            "labels": [{"class": int(c), "corners": p.reshape(-1).tolist()}
                       for c, p in zip(wanted, corners, strict=True)],
            "rectangles": truth.tolist(),
            "detections": [{"class": k, "score": float(s), "box": b.tolist()}
                           for k, s, b in zip(kinds, confidence, found, strict=True)],
        })  # fmt: skip
    return {"pictures": pictures, "precisions": precisions(statistics)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    yolo.import_ultralytics()
    from ultralytics.utils.metrics import OKS_SIGMA

    random = np.random.Generator(np.random.PCG64(11))
    golden = {"size": [HEIGHT, WIDTH], "frame": {"network": NETWORK, "content": CONTENT, "padding": PADDING}}
    golden |= {"coco": coco(random), "poses": poses(random, OKS_SIGMA), "orientedBoxes": oriented_boxes(random)}
    Path(arguments.out).write_text(json.dumps(golden, indent=None, separators=(",", ":")) + "\n")
    print(golden["coco"]["precision"][:3], golden["poses"]["precisions"], golden["orientedBoxes"]["precisions"])


if __name__ == "__main__":
    main()
