"""Predictions of ultralytics, with published checkpoints and with random weights."""

import numpy as np
import torch

from oracles import yolo
from oracles.random_networks import published_yolo, random_yolo, yolo_metadata

OVERLAP, WANTED = 0.7, 20
#: Thresholds that are tried, until enough is found; none is less.
LEAST = (0.8, 0.5, 0.3, 0.15, 0.05)


def predictions(model, picture, confidence, rect, side, nms=False):
    """`(class, score, numbers, mask)` of each object, best first; numbers are pixels."""
    settings = {"imgsz": side, "conf": confidence, "iou": OVERLAP, "rect": rect, "retina_masks": True}
    settings |= {} if nms else yolo.predict_settings(model)
    (result,) = model.predict(np.ascontiguousarray(picture[:, :, ::-1]), device="cpu", verbose=False, **settings)
    if result.probs is not None:
        return [(int(kind), float(result.probs.data[kind]), np.zeros(0), None) for kind in result.probs.top5]
    found = []
    boxes = result.boxes if result.obb is None else result.obb
    for index in range(len(boxes)):
        places = boxes.xyxy if result.obb is None else boxes.xyxyxyxy
        numbers = places[index].numpy().ravel()
        if result.keypoints is not None:
            numbers = np.concatenate([numbers, result.keypoints.xy[index].numpy().ravel()])
        mask = None if result.masks is None else result.masks.data[index].numpy().astype(bool)
        found.append((int(boxes.cls[index]), float(boxes.conf[index]), numbers, mask))
    return found


def threshold(model, picture, rect, side, nms=False):
    """A confidence in the widest gap between the scores of about as many objects as are wanted."""
    for least in LEAST:
        scores = [score for _, score, _, _ in predictions(model, picture, least, rect, side, nms)]
        if len(scores) > WANTED:
            break
    if len(scores) < 3:
        return least
    last = min(WANTED, len(scores) - 1)
    first = last // 2
    gaps = [scores[index] - scores[index + 1] for index in range(first, last)]
    place = first + int(np.argmax(gaps))
    return round((scores[place] + scores[place + 1]) / 2, 6)


def random_checkpoint(name, seed, folder):
    """A `.pt` file with a network of random weights."""
    family, variant = yolo.parsed(name)
    classes = yolo.CLASSES[yolo.split(family)[1]]
    model = random_yolo(family, variant, classes, seed)
    path = f"{folder}/{name}-random.pt"
    torch.save(published_yolo(model, yolo_metadata(family, variant, classes, "")["names"]), path)
    return path
