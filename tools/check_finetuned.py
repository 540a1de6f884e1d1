#!/usr/bin/env python3
"""Fine-tunes YOLO11-seg on classes of its own, and takes the checkpoint through `ardf` from `convert` to `detect`.

    python tools/check_finetuned.py --ardf .build/release/ardf --base yolo11n-seg.pt --work finetuned

Ultralytics trains on drawn discs, squares and triangles for a few epochs and writes `best.pt`, as any user's training
does. The checkpoint is converted; every layer is verified against Ultralytics; the objects that `ardf detect` finds in
a new picture must be those that Ultralytics finds: the same names, boxes and masks. Ends with 1 where they are not.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
import yaml

from oracles.yolo11 import import_ultralytics

TOOLS = Path(__file__).resolve().parent
NAMES = ["disc", "square", "triangle"]
SIDE = 160
CONFIDENCE = 0.4
#: What boxes have to agree by, pixels, and scores.
BOX_TOLERANCE, SCORE_TOLERANCE = 0.5, 2e-3


def outline(shape, x, y, radius):
    """The corners of a shape, (n, 2) pixels."""
    count = {"disc": 24, "square": 4, "triangle": 3}[shape]
    turn = {"disc": 0, "square": np.pi / 4, "triangle": -np.pi / 2}[shape]
    angles = turn + 2 * np.pi * np.arange(count) / count
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], -1)


def picture(random):
    """A picture of one to three shapes that don't touch, and `(class, corners)` of each."""
    image = np.clip(random.normal(random.uniform(60, 200), 12, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)
    objects = []
    for cell in random.permutation(4)[: random.integers(1, 4)]:
        x, y = (SIDE * (0.25 + 0.5 * part) + random.uniform(-6, 6) for part in divmod(int(cell), 2))
        kind = int(random.integers(len(NAMES)))
        corners = outline(NAMES[kind], x, y, random.uniform(18, 30))
        color = tuple(int(value) for value in random.integers(0, 256, 3))
        cv2.fillPoly(image, [np.round(corners).astype(np.int32)], color)
        objects.append((kind, corners))
    return image, objects


def make_dataset(folder, random, counts):
    """Pictures and labels as Ultralytics reads them; the path of the description."""
    for split, count in counts.items():
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True, exist_ok=True)
        for index in range(count):
            image, objects = picture(random)
            cv2.imwrite(str(folder / f"images/{split}/{index:04}.png"), image)
            lines = [f"{kind} " + " ".join(f"{v / SIDE:.5f}" for v in corners.ravel()) for kind, corners in objects]
            (folder / f"labels/{split}/{index:04}.txt").write_text("\n".join(lines) + "\n")
    description = {"path": str(folder), "train": "images/train", "val": "images/val", "names": dict(enumerate(NAMES))}
    (folder / "data.yaml").write_text(yaml.safe_dump(description))
    return folder / "data.yaml"


def train(base, data, work, epochs):
    """The path of Ultralytics' `best.pt`."""
    settings = {"imgsz": SIDE, "batch": 16, "workers": 0, "device": "cpu", "plots": False, "exist_ok": True, "seed": 1}
    settings |= {"mosaic": 0.0, "lr0": 2e-3, "optimizer": "AdamW", "warmup_epochs": 1, "verbose": False}
    import_ultralytics().YOLO(base).train(data=str(data), epochs=epochs, project=str(work), name="train", **settings)
    return work / "train/weights/best.pt"


def run(ardf, *arguments):
    """What `ardf` prints."""
    return subprocess.run([ardf, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout


def expected_objects(checkpoint, image):
    """`(name, score, box)` of what Ultralytics finds, best first."""
    options = {"conf": CONFIDENCE, "iou": 0.5, "imgsz": SIDE, "verbose": False}
    result = import_ultralytics().YOLO(checkpoint).predict(str(image), **options)[0]
    found = zip(result.boxes.cls, result.boxes.conf, result.boxes.xyxy, strict=True)
    return [(result.names[int(kind)], float(score), box.numpy()) for kind, score, box in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--base", required=True, help="checkpoint to start from: yolo11n-seg.pt")
    parser.add_argument("--work", type=Path, default=Path("finetuned"), help="folder for all files")
    parser.add_argument("--epochs", type=int, default=12)
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    work = arguments.work.resolve()
    random = np.random.Generator(np.random.PCG64(1))
    checkpoint = work / "train/weights/best.pt"
    if not checkpoint.exists():
        data = make_dataset(work / "data", random, {"train": 160, "val": 16})
        checkpoint = train(arguments.base, data, work, arguments.epochs)
    image = work / "new.png"
    cv2.imwrite(str(image), picture(np.random.Generator(np.random.PCG64(10)))[0])

    weights, reference = work / "best.safetensors", work / "best.ref.safetensors"
    run(arguments.ardf, "convert", checkpoint, weights, "--force")
    metadata = json.loads(run(arguments.ardf, "inspect", "weights", weights, "--json"))["metadata"]
    assert json.loads(metadata["names"]) == NAMES, metadata["names"]
    # Whoever has only the converted file can make the reference from that.
    for source in (checkpoint, weights):
        make = [sys.executable, TOOLS / "make_reference.py", "--weights", source, "--image", image, "--out", reference]
        subprocess.run([*make, "--size", f"{SIDE}x{SIDE}"], check=True)
        print(run(arguments.ardf, "verify", "--weights", weights, "--reference", reference, "--failed"))

    options = ["--yolo", weights, "--imgsz", SIDE, "--conf", CONFIDENCE, "--out", work / "found", "--force", "--json"]
    found = json.loads(run(arguments.ardf, "detect", image, *options))["detections"]
    expected = expected_objects(checkpoint, image)
    assert expected, "the network finds nothing: train for longer"
    assert len(found) == len(expected), (found, expected)
    for ours, (name, score, box) in zip(found, expected, strict=True):
        mine = ours["box"]
        corners = np.array([mine["x"], mine["y"], mine["x"] + mine["width"], mine["y"] + mine["height"]])
        off = np.abs(corners - box).max()
        print(f"{ours['className']} {ours['confidence']:.3f}, Ultralytics {name} {score:.3f}; box off by {off:.2f} px")
        assert ours["className"] == name and abs(ours["confidence"] - score) <= SCORE_TOLERANCE
        assert off <= BOX_TOLERANCE
    print(f"{len(found)} objects found as Ultralytics finds them")


if __name__ == "__main__":
    main()
