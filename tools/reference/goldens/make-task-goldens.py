#!/usr/bin/env python3
"""Writes what ultralytics' `predict` makes of one picture with the least network of every family.

    python tools/reference/goldens/make-task-goldens.py --goldens Tests/ModelsTests/Goldens

Reads `FAMILY-least.safetensors` there, and writes `clouds-120x90.png` and `ultralytics-8.4.190-tasks.json` beside them:
by family the thresholds, and the objects, best first, with `class`, `score`, `box`, and as the network has it `mask`
(COCO run lengths in the picture, `retina_masks=True`), `keypoints` and `rotated` (center, width, height, angle); of
classifiers the `classes` and their `probabilities`, best first. `squares` has the middle squares that
`classify_transforms` makes of the picture and of it turned, by side: SHA-256 over bytes.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import pictures, yolo
from oracles.random_networks import published_yolo
from oracles.random_weights import clouds
from oracles.tensor_files import load_tensors
from oracles.tiny_networks import LEAST_NETWORKS, TINY_CLASSES

HEIGHT, WIDTH, SIDE, OVERLAP = 90, 120, 96, 0.4
#: Objects wanted of a picture.
WANTED = 24


def checkpoint(folder, family, scale, keypoints, path):
    """Writes the least network of a family as ultralytics saves it."""
    tensors, metadata = load_tensors(folder / f"{family}-least.safetensors")
    network = yolo.build(family, "n", TINY_CLASSES, scale, keypoints)
    network.load_state_dict({k: torch.from_numpy(v).float() for k, v in tensors.items()}, strict=False)
    torch.save(published_yolo(network, json.loads(metadata["names"])), path)


def encoded(mask):
    result = run_lengths.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": [int(length) for length in result["size"]], "counts": result["counts"].decode("ascii")}


def rounded(values, decimals=4):
    return [round(float(value), decimals) for value in values]


def found(model, picture, confidence, nms):
    """The results of `predict` for an RGB picture; `nms`: with the head that needs suppression, of YOLO26."""
    settings = {"imgsz": SIDE, "rect": False, "conf": confidence, "iou": OVERLAP, "retina_masks": True}
    settings |= {} if nms else yolo.predict_settings(model)
    bgr = np.ascontiguousarray(picture[:, :, ::-1])
    (result,) = model.predict(bgr, device="cpu", verbose=False, **settings)
    boxes = result.boxes if result.obb is None else result.obb
    objects = []
    for index in range(len(boxes)):
        kind, score = int(boxes.cls[index]), round(float(boxes.conf[index]), 6)
        entry = {"class": kind, "score": score, "box": rounded(boxes.xyxy[index])}
        if result.masks is not None:
            entry["mask"] = encoded(result.masks.data[index].numpy())
        if result.keypoints is not None:
            entry["keypoints"] = [rounded(point) for point in result.keypoints.data[index]]
        if result.obb is not None:
            entry["rotated"] = rounded(result.obb.xywhr[index])
        objects.append(entry)
    return objects


def detections(model, picture, nms=False):
    """The best objects of a picture: about as many as are wanted, with a threshold that none is near."""
    scores = [entry["score"] for entry in found(model, picture, 0.001, nms)]
    wanted = min(WANTED, len(scores) - 1)
    gaps = [scores[i] - scores[i + 1] for i in range(wanted // 2, wanted)]
    last = wanted // 2 + int(np.argmax(gaps))
    confidence = round((scores[last] + scores[last + 1]) / 2, 5)
    return {"confidence": confidence, "overlap": OVERLAP, "objects": found(model, picture, confidence, nms)}


def classes(model, picture):
    bgr = np.ascontiguousarray(picture[:, :, ::-1])
    (result,) = model.predict(bgr, imgsz=64, device="cpu", verbose=False)
    order = np.argsort(-result.probs.data.numpy(), kind="stable")
    return {"classes": order.tolist(), "probabilities": rounded(result.probs.data.numpy()[order], 6)}


def square_digest(picture, side):
    values = pictures.middle_square(picture, side)[0].numpy().transpose(1, 2, 0)
    return hashlib.sha256(np.round(values * 255).astype(np.uint8).tobytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--goldens", type=Path, required=True, help="folder of the goldens")
    folder = parser.parse_args().goldens
    torch.set_num_threads(1)
    image = clouds(12, 1, HEIGHT, WIDTH)[0].numpy().transpose(1, 2, 0)
    picture = np.round(image * 255).astype(np.uint8)
    name = f"clouds-{WIDTH}x{HEIGHT}.png"
    cv2.imwrite(str(folder / name), picture[:, :, ::-1])
    ultralytics = yolo.import_ultralytics()
    result = {"picture": name, "ultralytics": ultralytics.__version__, "families": {}}
    with tempfile.TemporaryDirectory() as temporary:
        for family, scale, keypoints in LEAST_NETWORKS:
            path = f"{temporary}/{family}.pt"
            checkpoint(folder, family, scale, keypoints, path)
            model = ultralytics.YOLO(path)
            work = classes if family.endswith("-cls") else detections
            result["families"][family] = work(model, picture)
            if yolo.predict_settings(model):
                # A predictor keeps the head that it began with.
                result["families"][f"{family}, nms"] = detections(ultralytics.YOLO(path), picture, nms=True)
            print(family, len(result["families"][family].get("objects", [])))
    turned = np.ascontiguousarray(picture.transpose(1, 0, 2))
    result["squares"] = {
        which: {str(side): square_digest(values, side) for side in (32, 64, 96, 224)}
        for which, values in (("upright", picture), ("transposed", turned))
    }
    path = folder / f"ultralytics-{ultralytics.__version__}-tasks.json"
    path.write_text(json.dumps(result, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
    print(f"{path.stat().st_size} {path.name}")


if __name__ == "__main__":
    main()
