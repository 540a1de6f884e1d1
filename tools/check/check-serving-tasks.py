#!/usr/bin/env python3
"""Has ultralytics use `ardf serve --models` with networks of every task, and compares with its own export and process.

    python tools/check/check-serving-tasks.py --ardf .build/release/ardf --pictures IMAGES
    python tools/check/check-serving-tasks.py --models yolo26n-seg --pictures IMAGES

Networks have seeded random weights. Raw tensors must be those of ultralytics' ONNX export in ONNX Runtime: YOLO26's
those of `export(nms=False)`, its end-to-end head. `YOLO("http://...")` must find what the checkpoint finds in
ultralytics' own process. `detect` and `classify` must say what `ardf detect` says. Ends with 1 if anything fails.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import tritonclient.http as triton

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures, yolo
from oracles.final_outputs import without_time_limit
from oracles.predictions import predictions, random_checkpoint, threshold
from oracles.serving import FAILURES, Server, check, picture_input, run, tensor_input

NETWORKS = "yolo11n,yolo11n-pose,yolo11n-obb,yolo11n-cls,yolov8n-seg,yolo26n,yolo26n-seg,yolo26n-pose,yolo26n-obb"
SIDE, CLASSIFIER_SIDE, OVERLAP = 320, 224, 0.5


def exported(checkpoint, side, folder):
    """The ONNX file of a checkpoint, of a head without suppression where there is one."""
    copy = shutil.copy(checkpoint, folder / "export.pt")
    model = yolo.import_ultralytics().YOLO(copy)
    return model.export(format="onnx", imgsz=side, simplify=False, verbose=False, **yolo.predict_settings(model))


def matched(found, expected):
    """Rows of objects in the order of those expected: roundings of equal scores change it."""
    distances = np.abs(found[:, None] - expected[None]).max(-1)
    order = []
    for column in distances.T:
        column[order] = np.inf
        order.append(int(column.argmin()))
    return found[order]


def check_raw(client, name, onnx, side):
    """The tensors of the export."""
    session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    image = np.random.default_rng(3).random((1, 3, side, side), dtype=np.float32)
    wanted = session.run(None, {"images": image})
    got = client.infer(name, [tensor_input("images", image)])
    for output, expected in zip(session.get_outputs(), wanted, strict=True):
        found = got.as_numpy(output.name)
        same = found.shape == expected.shape
        if same and found.ndim == 3 and found.shape[1] == 300:
            same = bool((np.diff(found[0, :, 4]) <= 0).all())
            found, expected = matched(found[0], expected[0]), expected[0]
        worst = np.abs(found - expected).max() / np.abs(expected).max() if same else np.inf
        check(f"{name}: {output.name} of the export", same and worst < 1e-3, f"{expected.shape}, {worst:.1e}")


def check_client(server, name, checkpoint, paths, side):
    """Ultralytics' own client finds what its own process does."""
    task = yolo.import_ultralytics().YOLO(checkpoint).task
    for path in paths:
        picture = pictures.read(path)
        local = yolo.import_ultralytics().YOLO(checkpoint)
        confidence = None if task == "classify" else threshold(local, picture, False, side)
        theirs = predictions(local, picture, confidence, False, side)
        remote = yolo.import_ultralytics().YOLO(f"http://{server.address}/{name}", task=task)
        settings = {"imgsz": side, "conf": confidence, "iou": 0.7, "rect": False, "retina_masks": True}
        (result,) = remote.predict(np.ascontiguousarray(picture[:, :, ::-1]), verbose=False, **settings)
        if result.probs is not None:
            same = result.probs.top5 == [entry[0] for entry in theirs]
            check(f"{name}: {path.name} by ultralytics' client", same, result.probs.top5)
            continue
        boxes = result.boxes if result.obb is None else result.obb
        same = boxes.cls.int().tolist() == [entry[0] for entry in theirs] and len(theirs) > 0
        worst = -1.0
        if same:
            places = boxes.xyxy if result.obb is None else boxes.xyxyxyxy.flatten(1)
            if result.keypoints is not None:
                places = torch.cat([places, result.keypoints.xy.flatten(1)], 1)
            worst = float(np.abs(places.numpy() - np.stack([entry[2] for entry in theirs])).max())
        check(f"{name}: {path.name} by ultralytics' client", same and worst < 0.5,
              f"{len(theirs)} objects, within {worst:.1e} px")  # fmt: skip


def check_pipeline(client, ardf, name, weights, path, side):
    """`detect` and `classify` say what `ardf detect` says."""
    command = [ardf, "detect", path, "--yolo", weights, "--imgsz", side, "--out", "-"]
    classifies = name.endswith("-cls")
    command += [] if classifies else ["--conf", 0.25, "--max-det", 20]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    expected = json.loads(done.stdout)["classes" if classifies else "detections"]
    got = client.infer("classify" if classifies else "detect", [picture_input(path)],
                       parameters=None if classifies else {"conf": 0.25, "max_det": 20})  # fmt: skip
    same = got.as_numpy("classes").tolist() == [entry["classId"] for entry in expected] and len(expected) > 0
    same = same and np.allclose(got.as_numpy("scores"), [entry["confidence"] for entry in expected], atol=1e-6)
    if "keypoints" in expected[0]:
        points = np.array([[point for point in entry["keypoints"]] for entry in expected], np.float32)
        same = same and np.allclose(got.as_numpy("keypoints"), points, atol=1e-3)
    if "orientedBox" in expected[0]:
        boxes = [[*b["center"], b["width"], b["height"], b["angle"]] for b in (e["orientedBox"] for e in expected)]
        same = same and np.allclose(got.as_numpy("oriented_boxes"), np.array(boxes, np.float32), atol=1e-3)
    check(f"{name}: the pipeline says what ardf detect says", same, len(expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--pictures", required=True, type=Path)
    parser.add_argument("--models", default=NETWORKS)
    arguments = parser.parse_args()
    ardf = str(Path(arguments.ardf).resolve())
    paths = [arguments.pictures / name for name in ("bus.jpg", "zidane.jpg")]
    torch.set_num_threads(2)
    without_time_limit()
    for name in arguments.models.split(","):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            side = CLASSIFIER_SIDE if name.endswith("-cls") else SIDE
            checkpoint = random_checkpoint(name, 1, temporary)
            weights = folder / f"{name}.safetensors"
            run(ardf, "convert", checkpoint, weights)
            server = Server(ardf, "--models", weights, "--imgsz", side)
            try:
                client = triton.InferenceServerClient(server.address)
                check_raw(client, name, exported(checkpoint, side, folder), side)
                check_client(server, name, checkpoint, paths, side)
                check_pipeline(client, ardf, name, weights, paths[0], side)
                check(f"{name}: SIGTERM ends with 0", server.end() == 0)
            finally:
                server.process.kill()
    if FAILURES:
        sys.exit(f"{len(FAILURES)} checks failed")


if __name__ == "__main__":
    main()
