#!/usr/bin/env python3
"""Writes what transformers' image processors make of pictures and of outputs for detectors like DETR.

    python tools/reference/goldens/make-detr-goldens.py Tests/ModelsTests/Goldens/transformers-detr.json

`designs` has by `model_type` the `logits` (queries, logits a query) and `boxes` (queries, 4) that were drawn, and the objects
that `post_process_object_detection` finds above `threshold` in a picture of `size` (height, width), best first: `class`, `score`,
`box`. `inputs` has of a picture of drawn bytes what the processor makes of it, at `points` of `values` (channel, row, column);
`sizes` the inputs' sides for pictures' sides (height, width) where the shorter side becomes 800.
"""

import argparse
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from PIL import Image

THRESHOLD, SIZE = 0.3, (90, 120)
#: Logits a query of each design, and its processor.
DESIGNS = {
    "rt_detr": (5, "RTDetrImageProcessorPil"),
    "deformable_detr": (7, "DeformableDetrImageProcessorPil"),
    "detr": (6, "DetrImageProcessorPil"),
}
PICTURES = [(480, 640), (640, 480), (90, 120), (1000, 3000), (3000, 1000), (800, 900), (1333, 800), (427, 641), (50, 50)]


def processor(name):
    return getattr(transformers, name)()


def edges(box):
    return [round(float(edge), 3) for edge in box]


def objects(found):
    """The objects of one picture, best first, equal scores in the order found."""
    order = torch.argsort(found["scores"], descending=True, stable=True)
    return [
        {"class": int(found["labels"][i]), "score": round(float(found["scores"][i]), 7), "box": edges(found["boxes"][i])}
        for i in order
    ]


def design(name, random):
    perQuery, kind = DESIGNS[name]
    queries = 40 if name == "deformable_detr" else 9
    logits = random.normal(0, 2, (1, queries, perQuery)).astype(np.float32).round(4)
    centers, sides = random.uniform(0.1, 0.9, (1, queries, 2)), random.uniform(0.05, 0.6, (1, queries, 2))
    boxes = np.concatenate([centers, sides], -1).astype(np.float32).round(4)
    outputs = SimpleNamespace(logits=torch.tensor(logits), pred_boxes=torch.tensor(boxes))
    found = processor(kind).post_process_object_detection(outputs, threshold=THRESHOLD, target_sizes=[SIZE])[0]
    return {
        "perQuery": perQuery,
        "logits": [round(float(x), 4) for x in logits.ravel()],
        "boxes": [round(float(x), 4) for x in boxes.ravel()],
        "objects": objects(found),
    }


def inputs(random):
    picture = random.integers(0, 256, (23, 31, 3), dtype=np.uint8)
    made = {"picture": picture.tobytes().hex(), "size": [23, 31]}
    points = [(c, y, x) for c in range(3) for y, x in ((0, 0), (0, 15), (7, 3), (11, 15), (9, 8))]
    for name, design, size in (
        ("rt_detr", "rt_detr", {"height": 12, "width": 16}),
        ("detr", "detr", {"shortest_edge": 12, "longest_edge": 40}),
        # So much lower that Pillow resizes columns first.
        ("lower", "rt_detr", {"height": 6, "width": 29}),
    ):
        if name == "lower":
            points = [(c, y, x) for c in range(3) for y in range(6) for x in range(0, 29, 2)]
        found = processor(DESIGNS[design][1])(Image.fromarray(picture), size=size, do_pad=False, return_tensors="np")["pixel_values"][0]
        values = [round(float(found[point]), 7) for point in points]
        made[name] = {"sides": list(found.shape[1:]), "points": [list(p) for p in points], "values": values}
    return made


def sizes():
    detr = processor(DESIGNS["detr"][1])
    found = []
    for height, width in PICTURES:
        picture = Image.new("RGB", (width, height))
        found.append([height, width, *detr(picture, return_tensors="np")["pixel_values"].shape[2:]])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    document = {
        "transformers": transformers.__version__,
        "threshold": THRESHOLD,
        "size": SIZE,
        "designs": {name: design(name, random) for name in DESIGNS},
        "inputs": inputs(random),
        "sizes": sizes(),
    }
    arguments.output.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
