#!/usr/bin/env python3
"""The accuracy of `bench-peers.py`'s engines with yolo11n-seg: mAP50-95 of boxes and masks on labeled pictures.

    python tools/bench/evaluate-peers.py LABELED --work peers --engines onnxruntime,openvino-int8-bf16,litert-int8

LABELED is a folder with images/ and labels/; the models are those that `bench-peers.py --prepare` made of real
weights in --work. Every engine gets the same pictures (letterboxed to 640x640), and what it makes of them is decoded,
suppressed and turned into masks by ultralytics, as `yolo val` does it; pycocotools compares. `ardf evaluate` is the
same measure of ours: the row of an engine in single precision is to be what it says.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.coco import CATEGORIES, annotations, of_pycocotools
from peers.engines import PEERS, is_installed, labeled, precision

SIZE, STRIDES, BINS = 640, (8, 16, 32), 16


def decoded(maps):
    """The head's output of its maps: (1, 4 + classes + 32, N), boxes as centers and sizes in pixels."""
    columns = []
    for level, stride in enumerate(STRIDES):
        box, classes, coefficients = (torch.from_numpy(maps[f"{name}.{level}"]) for name in ("box", "cls", "coef"))
        height, width = box.shape[1:]
        sides = box.reshape(4, BINS, height, width).softmax(1).mul(torch.arange(BINS).reshape(1, -1, 1, 1)).sum(1)
        y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
        left, top, right, bottom = x - sides[0], y - sides[1], x + sides[2], y + sides[3]
        boxes = torch.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]) * stride
        columns.append(torch.cat([boxes, classes.sigmoid(), coefficients]).reshape(-1, height * width))
    return torch.cat(columns, 1)[None]


def found(run, path, number):
    """The objects that an engine finds in a picture, as COCO's results."""
    import cv2
    from ultralytics.data.augment import LetterBox
    from ultralytics.utils import nms, ops

    picture = cv2.imread(str(path))
    image = LetterBox((SIZE, SIZE), auto=False)(image=picture)
    image = np.ascontiguousarray(image[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32) / 255
    maps = {name: np.squeeze(np.asarray(value, dtype=np.float32)) for name, value in labeled(run(image)).items()}
    settings = {"nc": len(CATEGORIES), "multi_label": True, "max_det": 300, "max_time_img": 60}
    (rows,) = nms.non_max_suppression(decoded(maps), 0.001, 0.7, **settings)
    masks = ops.process_mask(torch.from_numpy(maps["proto"]), rows[:, 6:], rows[:, :4], (SIZE, SIZE), upsample=True)
    masks = ops.scale_masks(masks[None].float(), picture.shape[:2])[0] > 0.5
    boxes = ops.scale_boxes((SIZE, SIZE), rows[:, :4].clone(), picture.shape[:2])
    results = []
    for box, row, mask in zip(boxes.tolist(), rows.tolist(), masks.numpy(), strict=True):
        lengths = run_lengths.encode(np.asfortranarray(mask.astype(np.uint8)))
        entry = {"image_id": number, "category_id": CATEGORIES[int(row[5])], "score": row[4], "segmentation": lengths}
        results.append(entry | {"bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]]})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--work", type=Path, default=Path("peers"), help="folder of bench-peers.py")
    parser.add_argument("--engines", default=",".join(PEERS))
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    yolo.import_ultralytics()
    names = {index: str(number) for index, number in enumerate(CATEGORIES)}
    truth = annotations(arguments.labelled, names, varied=False)
    print("| engine | precision | box mAP50-95 | mask mAP50-95 |\n|---|---|--:|--:|")
    for engine in arguments.engines.split(","):
        file = PEERS[engine].file
        path = arguments.work / f"yolo11n-seg.{file}"
        there = path.exists() or path.with_name(f"{path.name}.param").exists()
        if not there or not is_installed(engine):
            continue
        run = PEERS[engine].open({file: str(path)}, arguments.threads)
        results = []
        for entry in truth["images"]:
            results += found(run, arguments.labelled / "images" / entry["file_name"], entry["id"])
        box, _, mask, _ = of_pycocotools(truth, results)
        print(f"| {engine} | {precision(engine)} | {box:.4f} | {mask:.4f} |", flush=True)


if __name__ == "__main__":
    main()
