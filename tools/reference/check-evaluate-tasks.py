#!/usr/bin/env python3
"""Compares `ardf evaluate` with `yolo val`, and of key points with pycocotools, for networks of every task.

    python tools/reference/check-finetuned.py --base yolo11n-pose.yaml --epochs 60 --work pose
    python tools/reference/check-evaluate-tasks.py pose obb classify

Takes folders that `check-finetuned.py` leaves, with the checkpoint and the pictures it was checked on while it was
trained. Prints both figures of every protocol: average precision of boxes (of oriented boxes theirs) and key points, or
top1 and top5. Ends with 1 where a figure differs by more than --tolerance.
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

import numpy as np
import torch
import yaml
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.final_outputs import without_time_limit

SIDE = 160


def of_ultralytics(checkpoint, data, rect):
    """The figures of `yolo val`."""
    model = yolo.import_ultralytics().YOLO(checkpoint)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"imgsz": SIDE, "batch": 16, "device": "cpu", "plots": False, "verbose": False, "workers": 0}
        settings |= yolo.predict_settings(model) | {"split": "val", "project": folder}
        result = model.val(data=str(data), rect=rect, **settings)
    if model.task == "classify":
        return [result.top1, result.top5]
    parts = [result.box] + ([result.pose] if model.task == "pose" else [])
    return [float(value) for part in parts for value in (part.map, part.map50)]


def of_ardf(ardf, weights, source, options, out=None):
    """The figures of `ardf evaluate`, and what was found where `out` is given."""
    command = [ardf, "evaluate", source, "--weights", weights, "--imgsz", SIDE, "--report", "json", *options]
    done = subprocess.run([str(part) for part in command + (["--out", out] if out else [])], capture_output=True)
    if done.returncode:
        raise SystemExit(f"{source}: {done.stderr.decode()}")
    result = json.loads(done.stdout)["results"][0]
    if "top1" in result:
        return [result["top1"], result["top5"]], None
    parts = [result[name] for name in ("boxes", "orientedBoxes", "keypoints") if result.get(name)]
    figures = [part[name] for part in parts for name in ("mAP50-95", "mAP50")]
    return figures, json.loads((out / "predictions-fp32.json").read_text()) if out else None


def of_pycocotools(data, predictions):
    """The figures of boxes and key points, for labels as COCO's annotations."""
    description = yaml.safe_load((data / "data.yaml").read_text())
    count = description["kpt_shape"][0]
    document = {"images": [], "annotations": []}
    document["categories"] = [{"id": index + 1, "name": name} for index, name in description["names"].items()]
    for path in sorted((data / "images/val").iterdir()):
        width, height = Image.open(path).size
        document["images"].append({"id": int(path.stem), "file_name": path.name, "width": width, "height": height})
        for line in (data / "labels/val" / f"{path.stem}.txt").read_text().splitlines():
            kind, x, y, w, h, *points = (float(np.float32(value)) for value in line.split())
            box = [(x - w / 2) * width, (y - h / 2) * height, w * width, h * height]
            points = np.array(points).reshape(count, 3) * [width, height, 1]
            entry = {"id": len(document["annotations"]) + 1, "image_id": int(path.stem), "category_id": int(kind) + 1}
            entry |= {"bbox": box, "area": box[2] * box[3] * 0.53, "iscrowd": 0, "num_keypoints": count}
            document["annotations"].append(entry | {"keypoints": points.reshape(-1).tolist()})
    figures = []
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = document
        truth.createIndex()
        for kind in ("bbox", "keypoints"):
            evaluation = COCOeval(truth, truth.loadRes([dict(entry) for entry in predictions]), kind)
            if kind == "keypoints":
                evaluation.params.kpt_oks_sigmas = np.ones(count) / count
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            figures += evaluation.stats[:2].tolist()
    return figures


def rows(ardf, folder, weights, work):
    """(protocol, our figures, theirs)."""
    checkpoint, data = folder / "train/weights/best.pt", folder / "data"
    task = yolo.import_ultralytics().YOLO(checkpoint).task
    if task == "classify":
        yield "yolo val", of_ardf(ardf, weights, data / "val", [])[0], of_ultralytics(checkpoint, data, True)
        return
    source = data / "images/val"
    if task == "pose":
        ours, found = of_ardf(ardf, weights, source, [], work / "found")
        yield "coco", ours, of_pycocotools(data, found)
    for rect in (False, True):
        options = ["--protocol", "ultralytics"] + ["--rect"] * rect
        theirs = of_ultralytics(checkpoint, data / "data.yaml", rect)
        yield "ultralytics" + ", rect" * rect, of_ardf(ardf, weights, source, options)[0], theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="what check-finetuned.py left")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--tolerance", type=float, default=5e-5, help="of a figure between 0 and 1")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    without_time_limit()
    os.environ["YOLO_VERBOSE"] = "False"
    ardf, worst = os.path.realpath(arguments.ardf), 0.0
    print("| network | protocol | ours | theirs | largest difference |\n|---|---|--:|--:|--:|", flush=True)
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory() as temporary:
            weights = Path(temporary) / "weights.safetensors"
            command = [ardf, "convert", folder / "train/weights/best.pt", weights]
            subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)
            for protocol, ours, theirs in rows(ardf, folder.resolve(), weights, Path(temporary)):
                difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
                worst = max(worst, difference)
                cells = [" ".join(f"{value:.4f}" for value in figures) for figures in (ours, theirs)]
                print(f"| {folder.name} | {protocol} | {cells[0]} | {cells[1]} | {difference:.1e} |", flush=True)
    if worst > arguments.tolerance:
        print(f"a figure differs by {worst:.1e}", file=sys.stderr)
    sys.exit(int(worst > arguments.tolerance))


if __name__ == "__main__":
    main()
