#!/usr/bin/env python3
"""Fine-tunes a YOLO network on classes of its own, and takes the checkpoint through `ardf` from `convert` to `detect`.

    python tools/reference/check-finetuned.py --ardf .build/release/ardf --base yolo11n-seg.pt --work finetuned
    python tools/reference/check-finetuned.py --base yolov8n.yaml --epochs 60 --work detect
    for v in 8.3.240 8.4.7 8.4.34 8.4.190; do pip install --no-deps --target ultralytics/$v ultralytics==$v; done
    python tools/reference/check-finetuned.py --base yolov8n.yaml --epochs 60 --packages ultralytics/*

Ultralytics trains on drawn discs, squares and triangles for a few epochs and writes `best.pt`, as any user's training
does: outlines, boxes, three key points of each shape, oriented boxes, or a shape a picture and its class, as the base
has it; a base that ends in `.yaml` is trained from the beginning. The checkpoint is converted; every layer is verified
against Ultralytics; what `ardf detect` finds in a new picture must be what Ultralytics finds: the same names, boxes,
key points, oriented boxes and classes. Ends with 1 where it is not.

With `--packages` each Ultralytics of these folders trains a network and predicts with it. They build four networks of
the same tensors: 8.4 had no activation after the first convolution of `SPPF` until September 2026, whatever the base.
References of layers are made with the installed Ultralytics.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.yolo import import_ultralytics

TOOLS = Path(__file__).resolve().parent
NAMES = ["disc", "square", "triangle"]
SIDE = 160
#: The least score of a detection; of a network that is less sure of all, half of its best score.
CONFIDENCE = 0.4
#: What boxes have to agree by, pixels, and scores.
BOX_TOLERANCE, SCORE_TOLERANCE = 0.5, 2e-3


def outline(shape, x, y, radius):
    """The corners of a shape, (n, 2) pixels."""
    count = {"disc": 24, "square": 4, "triangle": 3}[shape]
    turn = {"disc": 0, "square": np.pi / 4, "triangle": -np.pi / 2}[shape]
    angles = turn + 2 * np.pi * np.arange(count) / count
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], -1)


def picture(random, most=3):
    """A picture of one to `most` shapes that don't touch, and `(class, corners)` of each."""
    image = np.clip(random.normal(random.uniform(60, 200), 12, (SIDE, SIDE, 3)), 0, 255).astype(np.uint8)
    objects = []
    for cell in random.permutation(4)[: random.integers(1, most + 1)]:
        x, y = (SIDE * (0.25 + 0.5 * part) + random.uniform(-6, 6) for part in divmod(int(cell), 2))
        kind = int(random.integers(len(NAMES)))
        corners = outline(NAMES[kind], x, y, random.uniform(18, 30))
        color = tuple(int(value) for value in random.integers(0, 256, 3))
        cv2.fillPoly(image, [np.round(corners).astype(np.int32)], color)
        objects.append((kind, corners))
    return image, objects


def label(task, kind, corners):
    """A line of a label file: the class, and what the task wants of a shape."""
    low, high = corners.min(0) / SIDE, corners.max(0) / SIDE
    box = [*(low + high) / 2, *(high - low)]
    if task == "pose":  # the shape's first corner, its middle, and one that lies opposite of the first
        points = [corners[0], corners.mean(0), corners[len(corners) // 2]]
        box += [value for x, y in points for value in (x / SIDE, y / SIDE, 2)]
    elif task == "obb":
        (x, y), (w, h), angle = cv2.minAreaRect(corners.astype(np.float32))
        box = (cv2.boxPoints(((x, y), (w, h), angle)) / SIDE).ravel()
    elif task == "segment":
        box = corners.ravel() / SIDE
    return f"{kind} " + " ".join(f"{value:.5f}" for value in box)


def make_dataset(folder, random, counts, task):
    """Pictures and labels as Ultralytics reads them; the path of the description."""
    for split, count in counts.items():
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True, exist_ok=True)
        for index in range(count):
            image, objects = picture(random)
            cv2.imwrite(str(folder / f"images/{split}/{index:04}.png"), image)
            lines = [label(task, kind, corners) for kind, corners in objects]
            (folder / f"labels/{split}/{index:04}.txt").write_text("\n".join(lines) + "\n")
    description = {"path": str(folder), "train": "images/train", "val": "images/val", "names": dict(enumerate(NAMES))}
    if task == "pose":
        description |= {"kpt_shape": [3, 3], "flip_idx": [0, 1, 2]}
    (folder / "data.yaml").write_text(yaml.safe_dump(description))
    return folder / "data.yaml"


def make_class_dataset(folder, random, counts):
    """Pictures of one shape in a folder for each class."""
    for split, count in counts.items():
        for index in range(count):
            image, [(kind, _)] = picture(random, most=1)
            place = folder / split / NAMES[kind]
            place.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(place / f"{index:04}.png"), image)
    return folder


def train(base, data, work, epochs):
    """The path of Ultralytics' `best.pt`."""
    settings = {"imgsz": SIDE, "batch": 16, "workers": 0, "device": "cpu", "plots": False, "exist_ok": True, "seed": 1}
    settings |= {"mosaic": 0.0, "lr0": 2e-3, "optimizer": "AdamW", "warmup_epochs": 1, "verbose": False}
    if data.is_dir():  # classes of whole pictures, of which nothing may be cut off or made another color
        settings |= {"scale": 0.0, "erasing": 0.0, "auto_augment": None}
    import_ultralytics().YOLO(base).train(data=str(data), epochs=epochs, project=str(work), name="train", **settings)
    return work / "train/weights/best.pt"


def step(package, *arguments):
    """The result of a step of this script, run with the Ultralytics in a folder; of None with the installed one."""
    environment = os.environ | ({"PYTHONPATH": str(package.resolve())} if package else {})
    command = [sys.executable, __file__, *map(str, arguments)]
    return json.loads(
        subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]
    )


def run_step(arguments, work):
    """Trains, or predicts, in a process of its own; the last line that it prints is JSON."""
    if arguments.step == "predict":
        objects = expected_objects(work / "train/weights/best.pt", work / "new.png")
        least = min(CONFIDENCE, max((score for _, score, _ in objects), default=0) / 2)
        # Of a class of the whole picture there are no numbers, and all are kept.
        kept = [entry for entry in objects if entry[1] >= least or not len(entry[2])]
        kept = [(name, score, np.asarray(numbers).tolist()) for name, score, numbers in kept]
        result = {"confidence": least, "objects": kept}
    else:
        task = import_ultralytics().YOLO(arguments.base).task
        random = np.random.Generator(np.random.PCG64(1))
        counts, folder = {"train": 160, "val": 16}, work / "data"
        classifies = task == "classify"
        data = make_class_dataset(folder, random, counts) if classifies else make_dataset(folder, random, counts, task)
        train(arguments.base, data, work, arguments.epochs)
        result = import_ultralytics().__version__
    print(f"\n{json.dumps(result)}")


def run(ardf, *arguments):
    """The standard output of `ardf`."""
    return subprocess.run([ardf, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout


def expected_objects(checkpoint, image):
    """`(name, score, numbers)` of all that Ultralytics finds, best first; numbers as `numbers_of` has them."""
    options = {"conf": 0.001, "iou": 0.5, "imgsz": SIDE, "verbose": False}
    result = import_ultralytics().YOLO(checkpoint).predict(str(image), **options)[0]
    if result.probs is not None:
        return [(result.names[kind], float(result.probs.data[kind]), np.zeros(0)) for kind in result.probs.top5]
    boxes = result.boxes if result.obb is None else result.obb
    places = boxes.xyxy if result.obb is None else boxes.xyxyxyxy.flatten(1)
    if result.keypoints is not None:
        places = torch.cat([places, result.keypoints.xy.flatten(1)], 1)
    found = zip(boxes.cls, boxes.conf, places, strict=True)
    return [(result.names[int(kind)], float(score), place.numpy()) for kind, score, place in found]


def numbers_of(entry):
    """The corners of a detection's box, or of its oriented box, and the places of its key points; none of a class."""
    if "box" not in entry:
        return np.zeros(0)
    box = entry["box"]
    numbers = [box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]
    if "orientedBox" in entry:
        numbers = [value for corner in entry["orientedBox"]["corners"] for value in corner]
    return np.array(numbers + [value for point in entry.get("keypoints", []) for value in point[:2]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--base", required=True, help="checkpoint to start from, yolo11n-seg.pt, or yolo11n-pose.yaml")
    parser.add_argument("--work", type=Path, default=Path("finetuned"), help="folder for all files")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--packages", type=Path, nargs="*", help="folders with Ultralytics' releases, one each")
    parser.add_argument("--step", choices=["train", "predict"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    work = arguments.work.resolve()
    if arguments.step:
        run_step(arguments, work)
    elif arguments.packages:
        for package in arguments.packages:
            check(arguments, work / package.name, package)
    else:
        check(arguments, work, None)


def check(arguments, work, package):
    """Trains with one Ultralytics, and compares what it finds with what `ardf` does."""
    checkpoint = work / "train/weights/best.pt"
    common = ["--base", arguments.base, "--work", work, "--epochs", arguments.epochs]
    if not checkpoint.exists():
        print(f"trained by Ultralytics {step(package, '--step', 'train', *common)}")
    image = work / "new.png"
    cv2.imwrite(str(image), picture(np.random.Generator(np.random.PCG64(10)))[0])

    weights, reference = work / "best.safetensors", work / "best.ref.safetensors"
    run(arguments.ardf, "convert", checkpoint, weights, "--force")
    metadata = json.loads(run(arguments.ardf, "inspect", "weights", weights, "--json"))["metadata"]
    assert json.loads(metadata["names"]) == NAMES, metadata["names"]
    # Whoever has only the converted file can make the reference from that.
    for source in (checkpoint, weights):
        make = [sys.executable, TOOLS / "make-reference.py", "--weights", source, "--image", image, "--out", reference]
        subprocess.run([*make, "--size", f"{SIDE}x{SIDE}"], check=True)
        print(run(arguments.ardf, "verify", "--weights", weights, "--reference", reference, "--failed"))

    predicted = step(package, "--step", "predict", *common)
    confidence, expected = predicted["confidence"], predicted["objects"]
    assert expected, "the network finds nothing: train for longer"
    options = ["--yolo", weights, "--imgsz", SIDE, "--conf", confidence, "--out", work / "found", "--force", "--json"]
    document = json.loads(run(arguments.ardf, "detect", image, *options))
    found = document["classes"] if "classes" in document else document["detections"]
    assert len(found) == len(expected), (found, expected)
    for ours, (name, score, numbers) in zip(found, expected, strict=True):
        off = np.abs(numbers_of(ours) - np.array(numbers)).max(initial=0)
        print(f"{ours['className']} {ours['confidence']:.3f}, Ultralytics {name} {score:.3f}; box off by {off:.2f} px")
        assert ours["className"] == name and abs(ours["confidence"] - score) <= SCORE_TOLERANCE
        assert off <= BOX_TOLERANCE
    print(f"{len(found)} objects found as {package.name if package else 'Ultralytics'} finds them")


if __name__ == "__main__":
    main()
