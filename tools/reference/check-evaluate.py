#!/usr/bin/env python3
"""Compares `ardf evaluate` with pycocotools and with `yolo val`: mAP50-95 and mAP50 of boxes and masks, to four digits.

    python tools/reference/check-evaluate.py --weights yolo11n-seg.pt LABELED [--made PICTURES ...]

LABELED is a folder with images/ and labels/. By the protocol coco, pycocotools is given the labels as annotations
and what `ardf evaluate --out` found; once with the labels as they are, once as an annotation file in which every
fifth object is a crowd, every seventh of two outlines, every eleventh a mask. By the protocol ultralytics, `yolo val`
runs the checkpoint itself, with `rect=False` and with its default `rect=True`. With --made a second folder is
evaluated, of the pictures named (and of all in the folders named), whose labels are what the network finds there,
some of them moved, lost or of another class. With --capture the errors of depth are computed by NumPy from what `ardf
depth` writes. Ends with 1 where a figure differs by more than --tolerance.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures, yolo
from oracles.coco import PICTURES, annotations, of_pycocotools

FIGURES = ("box mAP50-95", "box mAP50", "mask mAP50-95", "mask mAP50")


def link_dataset(source, folder):
    """A copy of links, beside which ultralytics may leave what it remembers."""
    for part in ("images", "labels"):
        for path in sorted((source / part).rglob("*.*")):
            target = folder / part / path.relative_to(source / part)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path.resolve())
    return folder


def of_ultralytics(checkpoint, folder, names, rect):
    """The four figures of `yolo val`."""
    from ultralytics.utils import nms

    # No picture is given up for taking long.
    nms.time = types.SimpleNamespace(time=lambda: 0.0)
    data = folder / "data.yaml"
    lines = [f"path: {folder}", "train: images", "val: images", "names:"]
    data.write_text("\n".join(lines + [f"  {index}: {json.dumps(name)}" for index, name in names.items()]) + "\n")
    model = yolo.import_ultralytics().YOLO(checkpoint, task="segment")
    settings = {"imgsz": 640, "batch": 16, "device": "cpu", "plots": False, "verbose": False, "workers": 0}
    result = model.val(data=str(data), rect=rect, project=str(folder / "runs"), **settings)
    return [float(value) for value in (result.box.map, result.box.map50, result.seg.map, result.seg.map50)]


def of_ardf(program, weights, source, options, out=None):
    """The four figures, and what was found where `out` is given."""
    command = [program, "evaluate", source, "--weights", weights, "--report", "json", *options]
    done = subprocess.run(
        [str(part) for part in command + (["--out", out] if out else [])], capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{source}: {done.stderr}")
    result = json.loads(done.stdout)["results"][0]
    figures = [result[part][name] for part in ("boxes", "masks") for name in ("mAP50-95", "mAP50")]
    return figures, json.loads((out / "predictions-fp32.json").read_text()) if out else None


def make_labels(program, weights, sources, folder):
    """Pictures whose labels are what the network finds, damaged."""
    chance = random.Random(7)
    (folder / "images").mkdir(parents=True)
    (folder / "labels").mkdir()
    import cv2

    paths = []
    for source in map(Path, sources):
        found = sorted(source.rglob("*")) if source.is_dir() else [source]
        paths += [p for p in found if p.suffix.lower() in PICTURES and "depth" not in p.name and "conf" not in p.name]
    for number, path in enumerate(paths):
        picture = pictures.read(path)
        target = folder / "images" / f"{number:06}.png"
        Image.fromarray(picture).save(target)
        command = [program, "detect", target, "--yolo", weights, "--conf", "0.2", "--iou", "0.7", "--out", "-"]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
        lines = []
        for found in json.loads(done.stdout)["detections"]:
            mask = run_lengths.decode({**found["mask"], "counts": found["mask"]["counts"].encode("ascii")})
            outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            outline = max(outlines, key=len, default=np.zeros((0, 1, 2)))[:, 0].astype(np.float64)
            if len(outline) < 3 or chance.random() < 0.1:
                continue
            kind = chance.randrange(80) if chance.random() < 0.1 else found["classId"]
            span = outline.max(0) - outline.min(0)
            outline += [chance.gauss(0, 0.06) * span[0], chance.gauss(0, 0.06) * span[1]]
            shares = np.clip(outline / [picture.shape[1], picture.shape[0]], 0, 1)
            lines.append(f"{kind} " + " ".join(f"{value:.6f}" for value in shares.reshape(-1)))
        (folder / "labels" / f"{number:06}.txt").write_text("".join(line + "\n" for line in lines))


def of_numpy(program, weights, capture, work):
    """AbsRel, RMSE and delta1 of relative depth, the mean over frames."""
    for verb, more in (("depth", ["--depth", weights]), ("capture convert", [])):
        command = [program, *verb.split(), capture, *more, "--out", work / verb.split()[0]]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
    rows = []
    frames = sorted((work / "capture").glob("[0-9]*.json"))
    for folder, path in zip(json.loads((work / "depth/index.json").read_text())["frames"], frames, strict=True):
        estimate = np.load(work / "depth" / folder["folder"] / "relative.npy").astype(np.float64)
        frame = json.loads(path.read_text())
        path = work / "capture" / frame["depth"]
        depth = np.load(path) if path.suffix == ".npy" else np.asarray(Image.open(path)) / 1000
        valid = depth >= 0.1
        if "confidence" in frame:
            valid &= np.load(work / "capture" / frame["confidence"]) >= 2
        weights_of = []
        for cells, pixels in zip(depth.shape, estimate.shape, strict=True):
            place = np.clip((np.arange(cells) + 0.5) * pixels / cells - 0.5, 0, pixels - 1)
            low = np.minimum(place.astype(int), pixels - 2)
            weights_of.append((low, place - low))
        (rows_low, down), (columns_low, across) = weights_of
        upper, lower = estimate[rows_low], estimate[rows_low + 1]
        lines = upper * (1 - down[:, None]) + lower * down[:, None]
        read = lines[:, columns_low] * (1 - across) + lines[:, columns_low + 1] * across
        truth = depth[valid].astype(np.float64)
        columns = np.stack([read[valid], np.ones(len(truth))], 1)
        fitted = columns @ np.linalg.lstsq(columns, 1 / truth, rcond=None)[0]
        found = 1 / np.maximum(fitted, 1 / (10 * np.median(truth)))
        error = found - truth
        close = np.maximum(found / truth, truth / found) < 1.25
        rows.append((np.mean(np.abs(error) / truth), np.sqrt(np.mean(error**2)), np.mean(close)))
    return np.mean(rows, 0).tolist()


def check_depth(program, weights, capture, work):
    """Prints the errors of depth of both; the largest difference."""
    command = [program, "evaluate", capture, "--weights", weights, "--report", "json"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)["results"][0]
    ours = [result[name] for name in ("absRel", "rmseMeters", "delta1")]
    theirs = of_numpy(program, weights, capture, work)
    difference = max(abs(mine - other) for mine, other in zip(ours, theirs, strict=True))
    cells = [f"{mine:.4f} {other:.4f}" for mine, other in zip(ours, theirs, strict=True)]
    print("\n| capture | AbsRel | RMSE m | delta1 | largest difference |\n|---|--:|--:|--:|--:|")
    print(f"| {Path(capture).name} | {' | '.join(cells)} | {difference:.1e} |", flush=True)
    return difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labelled", help="a folder with images/ and labels/")
    parser.add_argument("--made", nargs="+", default=[], help="pictures, or folders of them, to make labels for")
    parser.add_argument("--weights", required=True, help="YOLO11-seg .pt checkpoint of COCO's classes")
    parser.add_argument("--capture", help="a capture of several frames with depth")
    parser.add_argument("--depth", help="weights of a relative depth network, for --capture")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--tolerance", type=float, default=5e-5, help="of a figure between 0 and 1")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    os.environ["YOLO_VERBOSE"] = "False"
    ardf = os.path.realpath(arguments.ardf)
    names = yolo.import_ultralytics().YOLO(arguments.weights, task="segment").names
    worst = 0.0
    print(f"| pictures | protocol | {' | '.join(FIGURES)} | largest difference |\n|---|---|{'--:|' * 5}")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        weights = work / "weights.safetensors"
        subprocess.run([ardf, "convert", arguments.weights, weights], check=True, stderr=subprocess.DEVNULL)
        sets = {"labelled": link_dataset(Path(arguments.labelled), work / "labelled")}
        if arguments.made:
            make_labels(ardf, weights, arguments.made, work / "made")
            sets["made"] = work / "made"
        for name, folder in sets.items():
            rows = {}
            ours, found = of_ardf(ardf, weights, folder, [], work / f"{name}-found")
            rows["coco"] = ours, of_pycocotools(annotations(folder, names, varied=False), found)
            varied = annotations(folder, names, varied=True)
            (work / f"{name}.json").write_text(json.dumps(varied))
            options = ["--annotations", work / f"{name}.json"]
            ours, found = of_ardf(ardf, weights, folder / "images", options, work / f"{name}-varied")
            rows["coco, crowds"] = ours, of_pycocotools(varied, found)
            for rect in (False, True):
                options = ["--protocol", "ultralytics"] + ["--rect"] * rect
                ours, _ = of_ardf(ardf, weights, folder, options)
                label = "ultralytics, rect" if rect else "ultralytics"
                rows[label] = ours, of_ultralytics(arguments.weights, folder, names, rect)
            for label, (ours, theirs) in rows.items():
                difference = max(abs(mine - other) for mine, other in zip(ours, theirs, strict=True))
                worst = max(worst, difference)
                cells = [f"{mine:.4f} {other:.4f}" for mine, other in zip(ours, theirs, strict=True)]
                print(f"| {name} | {label} | {' | '.join(cells)} | {difference:.1e} |", flush=True)
        if arguments.capture:
            worst = max(worst, check_depth(ardf, Path(arguments.depth).resolve(), arguments.capture, work))
    if worst > arguments.tolerance:
        print(f"a figure differs by {worst:.1e}", file=sys.stderr)
    sys.exit(int(worst > arguments.tolerance))


if __name__ == "__main__":
    main()
