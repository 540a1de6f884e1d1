#!/usr/bin/env python3
"""Compares identities of `ardf detect --track` with those of Ultralytics' trackers on the same boxes, and scores both.

    python tools/reference/check-tracking.py --weights yolo11n-seg.pt DATA/images DATA/coco/images [--film FILM]...

Draws films of things cut out of the pictures by their masks: they cross in front of each other, are hidden by a wall,
come in, leave and return, so that their boxes and identities are known exactly. In others the camera pans, jerks, turns
and zooms over a ground with texture. `ardf detect` says which boxes there are without a tracker, and which identities
they get with one; Ultralytics' tracker is given the former, and the pictures where it follows the camera too. Prints
how many boxes and identities there are, in how many boxes the two differ, and HOTA and IDF1 of both by `trackeval`
against what was drawn. `--film` takes films, sequences and folders too: of those the identities are compared alone.
Ends with 1 where an identity differs.
"""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from trackeval.metrics import HOTA, Identity

sys.path.insert(0, os.path.realpath(f"{__file__}/../.."))
from oracles import pictures, tracking, yolo

WIDTH, HEIGHT = 640, 480
#: Of a thing that counts as shown: the share of its pixels inside the picture that nothing hides.
SHOWN = 0.5
#: Name of a tracker in the table, its options, and Ultralytics' settings.
STILL = {
    "bytetrack": (["bytetrack"], tracking.STILL),
    "botsort, gmc off": (["botsort", "--gmc", "off"], tracking.STILL),
}
MOVING = {**STILL, "botsort": (["botsort"], {})}
#: How far a moving camera's ground reaches beyond a picture.
MARGIN = 160
COLUMNS = ("film", "pictures", "tracker", "boxes", "ids", "differ", "HOTA", "theirs", "IDF1", "theirs")


def cut_out(weights, paths, most):
    """Pictures of things with their masks, of those that a network is sure of and that no edge cuts."""
    network = yolo.import_ultralytics().YOLO(weights)
    things = []
    for path in paths:
        picture = pictures.read(path)
        found = network.predict(picture[:, :, ::-1], conf=0.7, retina_masks=True, verbose=False)[0]
        masks = [] if found.masks is None else found.masks.data.numpy() > 0
        for mask, box in zip(masks, found.boxes.xyxy.numpy(), strict=False):
            left, top, right, bottom = box.round().astype(int)
            inside = left > 2 and top > 2 and right < picture.shape[1] - 2 and bottom < picture.shape[0] - 2
            if inside and min(right - left, bottom - top) >= 60:
                things.append((picture[top:bottom, left:right], mask[top:bottom, left:right].astype(np.uint8)))
        if len(things) >= most:
            break
    return things


def path_of(number, random, length, size):
    """Where the middle of a thing is in each picture, and whether it passes in front of others."""
    width, height = size
    time = np.arange(length) / length
    level = height * random.uniform(0.3, 0.7)
    kind = number % 4
    if kind == 0:  # from left to right
        x = width * (-0.2 + 1.4 * time)
    elif kind == 1:  # from right to left: crosses the former
        x = width * (1.1 - 1.1 * time)
    elif kind == 2:  # leaves and returns
        x = width * (0.75 + 0.45 * np.sin(2 * np.pi * time))
    else:  # to and fro, hidden by the wall and not
        x = width * (0.35 + 0.15 * np.sin(4 * np.pi * time))
    y = level + height * 0.04 * np.sin(2 * np.pi * (time * random.uniform(1, 3) + random.uniform(0, 1)))
    return np.stack([x, y], 1)


def camera_of(random, length):
    """The map of the ground to each picture of a camera that pans, jerks, turns and zooms."""
    speeds = np.repeat(random.uniform(-9, 9, (length // 10 + 1, 2)), 10, axis=0)[:length]
    jerks = random.normal(0, 2, (length, 2)) + (random.random((length, 1)) < 0.05) * random.normal(0, 50, (length, 2))
    places = np.zeros((length, 2))
    for number in range(1, length):
        # Turned back where the ground ends.
        outside = np.abs(places[number - 1]) > MARGIN * 0.6
        speeds[number:][:, outside] = -np.sign(places[number - 1][outside]) * np.abs(speeds[number:][:, outside])
        places[number] = np.clip(places[number - 1] + speeds[number] + jerks[number], -0.7 * MARGIN, 0.7 * MARGIN)
    phase = 2 * np.pi * np.arange(length) / length
    middle = ((WIDTH / 2 + MARGIN), (HEIGHT / 2 + MARGIN))
    for number, place in enumerate(places):
        turn, scale = 2 * np.sin(3 * phase[number]), 1.05 + 0.05 * np.sin(2 * phase[number])
        matrix = cv2.getRotationMatrix2D(middle, turn, scale)
        matrix[:, 2] += place - MARGIN
        yield matrix


def ground_of(random, size, is_moving):
    """The ground of a film: smooth, or with a texture by which a camera's motion is seen."""
    width, height = size
    coarse = random.integers(90, 130, (height // 40, width // 40)).astype(np.uint8)
    ground = cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC).astype(float)
    for cell in (4, 9, 23) if is_moving else ():
        fine = random.normal(0, 14, (height // cell + 1, width // cell + 1))
        ground += cv2.resize(fine, size, interpolation=cv2.INTER_CUBIC)
    return np.repeat(np.clip(ground, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def draw(things, random, length, folder, is_moving=False):
    """Writes a film's pictures; returns of each picture the boxes of what it shows, by the number of the thing."""
    size = (WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN) if is_moving else (WIDTH, HEIGHT)
    chosen = [things[index] for index in random.permutation(len(things))[: random.integers(4, 7)]]
    sprites = []
    for picture, mask in chosen:
        scale = random.uniform(*((80, 140) if is_moving else (120, 210))) / max(mask.shape)
        sides = (round(mask.shape[1] * scale), round(mask.shape[0] * scale))
        sprites.append([cv2.resize(part, sides, interpolation=cv2.INTER_AREA) for part in (picture, mask * 255)])
    paths = [path_of(number, random, length, size) for number in range(len(sprites))]
    order = random.permutation(len(sprites))
    ground = ground_of(random, size, is_moving)
    cameras = camera_of(random, length) if is_moving else [None] * length
    truth = []
    for number, camera in enumerate(cameras):
        picture = ground.copy()
        owner = np.full(size[::-1], -1, np.int16)
        whole = {}
        for thing in order:
            color, mask = sprites[thing]
            left, top = np.round(paths[thing][number] - np.array(mask.shape[::-1]) / 2).astype(int)
            edges = max(left, 0), max(top, 0), min(left + mask.shape[1], size[0]), min(top + mask.shape[0], size[1])
            if edges[0] >= edges[2] or edges[1] >= edges[3]:
                continue
            there = np.s_[edges[1] : edges[3], edges[0] : edges[2]]
            here = np.s_[edges[1] - top : edges[3] - top, edges[0] - left : edges[2] - left]
            inside = mask[here] > 127
            picture[there][inside] = color[here][inside]
            owner[there][inside] = thing
            whole[thing] = edges, np.count_nonzero(mask > 127)
        if not is_moving:
            wall = np.s_[:, round(WIDTH * 0.42) : round(WIDTH * 0.47)]
            picture[wall], owner[wall] = (70, 75, 80), -1
        zoom = 1
        if camera is not None:
            picture = cv2.warpAffine(picture, camera, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
            owner = cv2.warpAffine(owner, camera, (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST, borderValue=-1)
            zoom = np.linalg.det(camera[:, :2])
        noise = random.normal(0, 3, picture.shape)
        cv2.imwrite(f"{folder}/{number:04}.png", np.clip(picture + noise, 0, 255).astype(np.uint8)[:, :, ::-1])
        shown = {}
        for thing, (edges, area) in whole.items():
            if np.count_nonzero(owner == thing) >= SHOWN * area * zoom:
                shown[thing] = edges if camera is None else seen_box(edges, camera)
        truth.append(shown)
    return truth


def seen_box(edges, camera):
    """The box, within the picture, of a box of the ground as a camera sees it."""
    left, top, right, bottom = edges
    corners = np.array([[left, top, 1], [right, top, 1], [left, bottom, 1], [right, bottom, 1]]) @ camera.T
    least, most = corners.min(0), corners.max(0)
    return max(least[0], 0), max(least[1], 0), min(most[0], WIDTH), min(most[1], HEIGHT)


def detected(arguments, source, options):
    """Each picture's rows `[x1, y1, x2, y2, score]`, and their identities."""
    command = [arguments.ardf, "detect", source, "--yolo", arguments.weights, "--imgsz", arguments.imgsz]
    command += ["--conf", 0.1, "--masks", "fast", "--track", *options, "--threads", arguments.threads, "--out", "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{source}: {done.stderr}")
    rows, ids = [], []
    for line in done.stdout.splitlines():
        found = json.loads(line)["detections"]
        boxes = [item["box"] for item in found]
        corners = [[box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]] for box in boxes]
        rows.append([[*box, item["confidence"]] for box, item in zip(corners, found, strict=True)])
        ids.append([item.get("track", 0) for item in found])
    return rows, ids


def images(source):
    """The pictures of a film or a folder, blue first."""
    if os.path.isdir(source):
        return [pictures.read(path)[:, :, ::-1].copy() for path in pictures.paths([source])]
    film, found = cv2.VideoCapture(source), []
    while (read := film.read())[0]:
        found.append(read[1])
    return found


def identities(rows, followed, ids):
    """The identities of all boxes, 0 of those that are not followed, from the boxes that are."""
    found = []
    for all_rows, some, some_ids in zip(rows, followed, ids, strict=True):
        by_row = {tuple(row): identity for row, identity in zip(some, some_ids, strict=True)}
        found.append([by_row.pop(tuple(row), 0) for row in all_rows])
        if by_row:
            raise SystemExit(f"boxes with a tracker that there are not without: {list(by_row)}")
    return found


def overlaps(first, second):
    """Intersection over union of each box with each."""
    first, second = (np.array(boxes, float).reshape(-1, 4) for boxes in (first, second))
    least = np.maximum(first[:, None, :2], second[None, :, :2])
    most = np.minimum(first[:, None, 2:], second[None, :, 2:])
    both = np.prod(np.maximum(most - least, 0), axis=2)
    areas = [np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) for boxes in (first, second)]
    return both / (areas[0][:, None] + areas[1][None] - both)


def scored(truth, rows, ids):
    """The results of `trackeval` for a film: HOTA and identities."""
    true_ids = [list(shown) for shown in truth]
    followed = [[k for k, identity in enumerate(picture) if identity] for picture in ids]
    kept = [[ids[n][k] for k in chosen] for n, chosen in enumerate(followed)]

    def numbered(pictures):
        known = sorted({identity for picture in pictures for identity in picture})
        return [np.array([known.index(identity) for identity in picture], int) for picture in pictures], len(known)

    (gt_ids, gt_count), (tracker_ids, tracker_count) = numbered(true_ids), numbered(kept)
    data = {
        "num_timesteps": len(truth), "gt_ids": gt_ids, "num_gt_ids": gt_count,
        "tracker_ids": tracker_ids, "num_tracker_ids": tracker_count,
        "num_gt_dets": sum(map(len, gt_ids)), "num_tracker_dets": sum(map(len, tracker_ids)),
        "similarity_scores": [
            overlaps(list(shown.values()), [rows[n][k][:4] for k in followed[n]]) for n, shown in enumerate(truth)
        ],
    }  # fmt: skip
    return HOTA().eval_sequence(data), identity_metric().eval_sequence(data)


def identity_metric():
    """Which prints its settings where it is made."""
    with contextlib.redirect_stdout(io.StringIO()):
        return Identity()


def figures(results):
    """HOTA, the mean over its thresholds, and IDF1 of some films together."""
    hota = HOTA().combine_sequences({str(n): result for n, (result, _) in enumerate(results)})
    identity = identity_metric().combine_sequences({str(n): result for n, (_, result) in enumerate(results)})
    return float(np.mean(hota["HOTA"])), float(identity["IDF1"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them, with things to cut out")
    parser.add_argument("--weights", required=True, help="a YOLO .pt checkpoint of a network with masks")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--films", type=int, default=4, help="films to draw")
    parser.add_argument("--length", type=int, default=120, help="pictures of each")
    parser.add_argument("--film", action="append", default=[], help="a film or a folder of pictures as well")
    parser.add_argument("--imgsz", type=int, default=416, help="the side of the network's input")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    arguments.ardf, arguments.weights = os.path.realpath(arguments.ardf), os.path.realpath(arguments.weights)
    things = cut_out(arguments.weights, list(pictures.paths(arguments.pictures)), most=24)
    if len(things) < 6:
        raise SystemExit(f"{len(things)} things can be cut out of these pictures; give more of them")
    random = np.random.default_rng(3)
    failed = False
    results = {kind: ([], []) for kind in MOVING}
    print(f"| {' | '.join(COLUMNS)} |\n|---|--:|---{'|--:' * (len(COLUMNS) - 3)}|")

    def compare(name, source, kinds, truth=None):
        nonlocal failed
        rows, _ = detected(arguments, source, ["off"])
        for kind, (options, settings) in kinds.items():
            ours = identities(rows, *detected(arguments, source, options))
            seen = None if settings == tracking.STILL else images(source)
            theirs = tracking.identities(rows, tracking.tracker(options[0], settings), seen)
            pairs = [pair for one, other in zip(ours, theirs, strict=True) for pair in zip(one, other, strict=True)]
            differ = sum(one != other for one, other in pairs)
            cells = [name, len(rows), kind, len(pairs), len({one for one, _ in pairs if one}), differ]
            if truth is None:
                cells += [""] * 4
            else:
                both = [scored(truth, rows, ids) for ids in (ours, theirs)]
                for kept, result in zip(results[kind], both, strict=True):
                    kept.append(result)
                cells += row_of([[result] for result in both])
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            failed |= differ > 0

    for number in range(arguments.films):
        for name, kinds in (("drawn", STILL), ("moving camera", MOVING)):
            with tempfile.TemporaryDirectory() as folder:
                truth = draw(things, random, arguments.length, folder, is_moving=kinds is MOVING)
                compare(f"{name} {number}", folder, kinds, truth)
    for film in arguments.film:
        compare(Path(film).name, os.path.realpath(film), MOVING)
    for kind, both in results.items():
        if both[0]:
            print(f"| all drawn | | {kind} | | | | {' | '.join(row_of(both))} |")
    raise SystemExit(int(failed))


def row_of(both):
    """The figures of ours and theirs, in the order of the table."""
    (hota, idf1), (their_hota, their_idf1) = (figures(results) for results in both)
    return [f"{value:.3f}" for value in (hota, their_hota, idf1, their_idf1)]


if __name__ == "__main__":
    main()
