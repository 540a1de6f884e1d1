#!/usr/bin/env python3
"""Compares what `ardf detect --tile` finds with `sahi` on the same network: boxes and masks put together from tiles.

    python tools/reference/compare-tiles.py --weights yolo11n-seg.pt DATA/coco/images

Takes pictures and folders, and makes large pictures of them: mosaics of nine, each at a size of its own, so that objects
are small, and cut by tiles. `sahi` runs as it does by default (tiles and the whole picture, GREEDYNMM by IOS of 0.5). Its
network of masks takes them as the network's input has them, which is `--masks fast`, and boxes from their outlines; with
`--boxes` the layers of the masks are left out of the checkpoint, for a network of boxes alone. Prints how many objects both found, the largest difference of a box's edge and of a
score, and the least intersection over union of masks. Ends with 1 where one finds what the other does not, or an edge
differs by more than a pixel and a rounding.

`sahi` draws the outline of a mask through the centers of its pixels: its boxes end one pixel before ours, which is taken
into account. It enlarges the mask of the network's input to the whole picture, gray borders and all: the mosaics have sides
that need none. An outline of one line has no area for it: specks of one row or column of pixels count for our boxes and not
for its. Where that alone moves an edge, the picture is listed under "specks".
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures, yolo

CONFIDENCE, OVERLAP = 0.25, 0.7
ROUNDING = 0.05
#: Width and height of mosaics, which fit into 640 x 640 as multiples of 32.
SIZES = ((1280, 960), (1440, 1920), (2560, 1280))
COLUMNS = ("picture", "tile", "overlap", "objects", "only ours", "only theirs", "edge px", "score", "IoU least", "specks")


def mosaic(paths, random, size):
    """Nine pictures, three by three, each row scaled by a factor of its own, all of it to a size."""
    rows = []
    for row in range(3):
        height = int(random.integers(300, 900))
        cells = []
        for path in paths[row * 3 : row * 3 + 3]:
            picture = pictures.read(path)
            width = round(picture.shape[1] * height / picture.shape[0])
            cells.append(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA))
        rows.append(np.concatenate(cells, axis=1))
    width = min(row.shape[1] for row in rows)
    whole = np.concatenate([row[:, :width] for row in rows])
    return np.ascontiguousarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA))


def boxes_alone(weights, path):
    """Writes a checkpoint of a network with masks without the layers of the masks."""
    from ultralytics import YOLO
    from ultralytics.nn.tasks import DetectionModel

    model = YOLO(weights).model
    layers = copy.deepcopy(model.yaml)
    layers["head"][-1][2:] = ["Detect", ["nc"]]
    boxes = DetectionModel(layers, nc=len(model.names), verbose=False)
    kept = boxes.state_dict()
    boxes.load_state_dict({name: tensor for name, tensor in model.float().state_dict().items() if name in kept})
    boxes.names, boxes.task = model.names, "detect"
    boxes.args = {"task": "detect", "imgsz": 640}
    torch.save({"model": boxes, "train_args": boxes.args}, path)


def found_by_sahi(weights, picture, tile, overlap):
    """`(class, score, box, mask or None)` of each object, best first."""
    from sahi.models.ultralytics import UltralyticsDetectionModel
    from sahi.predict import get_sliced_prediction

    model = UltralyticsDetectionModel(model_path=weights, confidence_threshold=CONFIDENCE, device="cpu")
    result = get_sliced_prediction(
        picture, model, slice_height=tile, slice_width=tile, overlap_height_ratio=overlap, overlap_width_ratio=overlap,
        verbose=0,
    )  # fmt: skip
    found = []
    for item in result.object_prediction_list:
        mask = None if item.mask is None else item.mask.bool_mask
        found.append((item.category.id, float(item.score.value), np.array(item.bbox.to_xyxy(), float), mask))
    return sorted(found, key=lambda item: -item[1])


def found_by_ardf(ardf, weights, path, tile, overlap, threads):
    """The same, of `ardf detect`."""
    command = [ardf, "detect", path, "--yolo", weights, "--conf", CONFIDENCE, "--iou", OVERLAP, "--rect"]
    command += ["--masks", "fast", "--tile", tile, "--overlap", overlap, "--threads", threads, "--out", "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr}")
    found = []
    for detection in json.loads(done.stdout)["detections"]:
        box = detection["box"]
        corners = np.array([box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]])
        mask = None
        if detection["mask"]:
            runs = {"size": detection["mask"]["size"], "counts": detection["mask"]["counts"].encode("ascii")}
            mask = run_lengths.decode(runs).astype(bool)
        found.append((detection["classId"], detection["confidence"], corners, mask))
    return found


def without_specks(mask):
    """The box of a mask's outlines of three points and more, as `sahi` takes it."""
    outlines, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    points = np.concatenate([outline[:, 0] for outline in outlines if len(outline) >= 3])
    return np.concatenate([points.min(axis=0), points.max(axis=0) + 1])


def intersection_over_union(first, second):
    union = np.count_nonzero(first | second)
    return np.count_nonzero(first & second) / union if union else 1.0


def compared(ours, theirs):
    """Pairs of both, and what has no partner: of a class and with the nearest score, best first."""
    left = list(ours)
    pairs, missing = [], []
    for item in theirs:
        near = [one for one in left if one[0] == item[0] and np.abs(one[2] - item[2]).max() < 20]
        if not near:
            missing.append(item)
            continue
        best = min(near, key=lambda one: abs(one[1] - item[1]) + np.abs(one[2] - item[2]).max())
        left = [one for one in left if one is not best]
        pairs.append((best, item))
    return pairs, left, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them: nine or more")
    parser.add_argument("--weights", required=True, help="a YOLO .pt checkpoint")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--mosaics", type=int, default=3)
    parser.add_argument("--boxes", action="store_true", help="without the masks of the checkpoint")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    yolo.import_ultralytics()
    ardf = os.path.realpath(arguments.ardf)
    weights = os.path.realpath(arguments.weights)
    paths = list(pictures.paths(arguments.pictures))
    random = np.random.default_rng(1)
    failed = False
    print(f"| {' | '.join(COLUMNS)} |\n|--{'|--:' * (len(COLUMNS) - 1)}|")
    with tempfile.TemporaryDirectory() as folder:
        if arguments.boxes:
            boxes_alone(weights, f"{folder}/boxes.pt")
            weights = f"{folder}/boxes.pt"
        for number in range(arguments.mosaics):
            chosen = [paths[index] for index in random.choice(len(paths), 9, replace=len(paths) < 9)]
            picture = mosaic(chosen, random, SIZES[number % len(SIZES)])
            file = f"{folder}/mosaic-{number}.png"
            cv2.imwrite(file, picture[:, :, ::-1])
            for tile, overlap in ((640, 0.2), (512, 0.3)):
                theirs = found_by_sahi(weights, picture, tile, overlap)
                ours = found_by_ardf(ardf, weights, file, tile, overlap, arguments.threads)
                pairs, ours_alone, theirs_alone = compared(ours, theirs)
                edges, scores, overlaps, specks = [0.0], [0.0], [1.0], 0
                for (_, score, box, mask), (_, their_score, their_box, their_mask) in pairs:
                    if mask is not None:
                        their_box = their_box + np.array([0, 0, 1, 1])
                        overlaps.append(intersection_over_union(mask, their_mask))
                    edge = np.abs(box - their_box).max()
                    if edge > 1 + ROUNDING and mask is not None:
                        edge, specks = np.abs(without_specks(mask) - their_box).max(), specks + 1
                    edges.append(edge)
                    scores.append(abs(score - their_score))
                size = f"{picture.shape[1]}x{picture.shape[0]}"
                print(
                    f"| {size} | {tile} | {overlap} | {len(pairs)} | {len(ours_alone)} | {len(theirs_alone)} "
                    f"| {max(edges):.2f} | {max(scores):.1e} | {min(overlaps):.4f} | {specks} |",
                    flush=True,
                )
                for name, alone in (("ours", ours_alone), ("theirs", theirs_alone)):
                    for kind, score, box, _ in alone:
                        print(f"{size}, only {name}: class {kind}, {score:.3f}, {np.round(box, 1)}", file=sys.stderr)
                failed |= bool(ours_alone or theirs_alone) or max(edges) > 1 + ROUNDING
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
