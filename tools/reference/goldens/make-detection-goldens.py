#!/usr/bin/env python3
"""Writes what ultralytics detects in pictures, as a golden to compare a detector with.

    python tools/reference/goldens/make-detection-goldens.py --weights yolo11n-seg.pt --root DATA \\
        images coco/images --clockwise captures/bedroom/00000_rgb.jpg captures/bedroom/00030_rgb.jpg \\
        --out Tests/ModelsTests/Goldens/ultralytics-8.4.190-yolo11n-seg.json --full full-detections

Settings: 640, confidence 0.25, at most 300 detections, `retina_masks=False`. Runs of each picture: `iou 0.7` (the
default of ultralytics) and `iou 0.5` on the square letterbox (`rect=False`), and `iou 0.7, rect` on the least
rectangle of whole strides.

The golden is keyed by the picture's path below the root. Boxes are x1, y1, x2, y2 in pixels of the (turned)
picture; masks are run-length encoded as COCO does it (column-major, compressed counts): `networkMask` on the
network's input, straight from the predictor, and in the files of `--full` also `imageMask`, that mask scaled to
the picture by `ultralytics.utils.ops.scale_masks` and cut at 0.5, as its own plotting does.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import pictures, yolo

SIDE = 640
CONFIDENCE = 0.25
#: Run name: (IoU threshold, least rectangle).
RUNS = {"iou 0.7": (0.7, False), "iou 0.5": (0.5, False), "iou 0.7, rect": (0.7, True)}
PICTURES = (".jpg", ".jpeg", ".png")


def encoded(mask):
    """The COCO object of a binary mask (H, W)."""
    result = run_lengths.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": [int(length) for length in result["size"]], "counts": result["counts"].decode("ascii")}


def detect(model, picture, threshold, rect):
    """The detections in an RGB picture, best first, each with both masks."""
    from ultralytics.utils import ops

    (result,) = model.predict(
        np.ascontiguousarray(picture[:, :, ::-1]),
        imgsz=SIDE,
        rect=rect,
        conf=CONFIDENCE,
        iou=threshold,
        max_det=300,
        retina_masks=False,
        device="cpu",
        verbose=False,
    )
    detections = []
    if result.masks is None:
        return detections
    masks = result.masks.data
    if not rect and tuple(masks.shape[1:]) != (SIDE, SIDE):
        raise SystemExit(f"the network ran at {tuple(masks.shape[1:])} instead of the square letterbox")
    scaled = ops.scale_masks(masks[None].float(), picture.shape[:2])[0] > 0.5
    for box, network_mask, image_mask in zip(result.boxes, masks, scaled, strict=True):
        detections.append(
            {
                "class": int(box.cls),
                "score": round(float(box.conf), 6),
                "box": [round(float(value), 4) for value in box.xyxy[0]],
                "networkMask": encoded(network_mask.numpy()),
                "imageMask": encoded(image_mask.numpy()),
            }
        )
    return detections


def without_image_masks(detections):
    """The compact form."""
    return [{k: v for k, v in detection.items() if k != "imageMask"} for detection in detections]


def paths_below(root, names):
    """The pictures named, and those in the folders named, in order."""
    for name in names:
        path = root / name
        if path.is_dir():
            yield from sorted(child for child in path.iterdir() if child.suffix.lower() in PICTURES)
        elif path.is_file():
            yield path
        else:
            raise SystemExit(f"{path} is not there")


def write_json(path, value):
    """One detection a line, keys sorted."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    path.write_text(text.replace('{"box"', '\n{"box"') + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="*", help="pictures or folders below the root")
    parser.add_argument("--clockwise", nargs="*", default=[], help="pictures to turn by 90 degrees clockwise first")
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--weights", required=True, help="official yolo11n-seg.pt")
    parser.add_argument("--out", type=Path, required=True, help="compact golden to write")
    parser.add_argument("--full", type=Path, help="folder for one file a picture, with masks of picture size")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ultralytics = yolo.import_ultralytics()
    model = ultralytics.YOLO(arguments.weights, task="segment")
    entries = {}
    work = [(path, False) for path in paths_below(arguments.root, arguments.pictures)]
    work += [(path, True) for path in paths_below(arguments.root, arguments.clockwise)]
    for path, clockwise in work:
        key = path.relative_to(arguments.root).as_posix()
        picture = pictures.read(path, clockwise)
        entry = {"width": picture.shape[1], "height": picture.shape[0], "turnedClockwise": clockwise}
        runs = {name: detect(model, picture, *settings) for name, settings in RUNS.items()}
        if arguments.full:
            arguments.full.mkdir(parents=True, exist_ok=True)
            name = key.replace("/", "-").rsplit(".", 1)[0] + ".json"
            write_json(arguments.full / name, {"picture": key, **entry, **runs})
        entries[key] = {**entry, **{name: without_image_masks(found) for name, found in runs.items()}}
        print(f"{key}: " + ", ".join(f"{len(found)} at {name}" for name, found in runs.items()))
    golden = {
        "ultralytics": ultralytics.__version__,
        "torch": torch.__version__,
        "weights": Path(arguments.weights).name,
        "settings": {"imgsz": SIDE, "conf": CONFIDENCE, "max_det": 300, "retina_masks": False},
        "pictures": entries,
    }
    write_json(arguments.out, golden)


if __name__ == "__main__":
    main()
