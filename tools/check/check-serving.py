#!/usr/bin/env python3
"""Has unmodified clients of the Open Inference Protocol use `ardf serve --models`, and compares what they get.

    tools/check/check-serving.py --ardf .build/release/ardf --yolo yolo11n-seg.pt --depth depth.safetensors \\
        --pictures IMAGES --clip CAPTURE --frame 00030

tritonclient, KServe's inference client and ultralytics ask a server that this script starts on a free port. Raw
tensors must be those of ultralytics' ONNX export in ONNX Runtime; boxes and masks those that ultralytics finds in its
own process; detections, depth and measured objects those of `ardf detect`, `ardf depth` and `ardf run`. The metrics
are read with prometheus_client's parser, and the examples of docs/guides/serving.md that are marked so are run. At last
the server must end on SIGTERM with its last request answered. Ends with 1 if anything fails.

Needs tritonclient[http], kserve, ultralytics, onnx, onnxruntime, prometheus_client, numpy, Pillow (PyPI).
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
from pathlib import Path

os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")

import numpy as np  # noqa: E402
import tritonclient.http as triton  # noqa: E402
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402
from tritonclient.utils import InferenceServerException  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.serving import FAILURES, Server, check, picture_input, run, tensor_input  # noqa: E402


def letterboxed(path):
    """A picture as ultralytics gives it to a network: 1 x 3 x 640 x 640, RGB in [0, 1]."""
    import cv2
    from ultralytics.data.augment import LetterBox

    image = LetterBox((640, 640), auto=False, stride=32)(image=cv2.imread(str(path)))
    return np.ascontiguousarray(image[..., ::-1].transpose(2, 0, 1)[None]).astype(np.float32) / 255


def check_raw(server, onnx, pictures):
    """The tensors of the export, by JSON and as bytes."""
    import onnxruntime

    client = triton.InferenceServerClient(server.address)
    check("tritonclient: live, ready", client.is_server_live() and client.is_server_ready())
    check("tritonclient: model ready", client.is_model_ready("yolo11n-seg") and not client.is_model_ready("none"))
    check("tritonclient: server metadata", client.get_server_metadata()["name"] == "ardf")
    session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    metadata = client.get_model_metadata("yolo11n-seg")
    for kind, ours, theirs in [
        ("inputs", metadata["inputs"], session.get_inputs()),
        ("outputs", metadata["outputs"], session.get_outputs()),
    ]:
        check(f"{kind} have the export's names", [t["name"] for t in ours] == [t.name for t in theirs])
        fits = all(
            len(o["shape"]) == len(t.shape) and all(a in (-1, b) for a, b in zip(o["shape"], t.shape, strict=True))
            for o, t in zip(ours, theirs, strict=True)
        )
        check(f"{kind} have the export's shapes", fits)
    for path in pictures:
        image = letterboxed(path)
        expected = session.run(None, {"images": image})
        got = client.infer("yolo11n-seg", [tensor_input("images", image)], request_id="a request")
        check("the answer has the request's id", got.get_response()["id"] == "a request")
        for name, reference in zip(["output0", "output1"], expected, strict=True):
            found = got.as_numpy(name)
            same = found.shape == reference.shape
            # Boxes are in pixels of 640; scores, coefficients and prototypes about 1.
            worst = np.abs(found - reference).max() if same else None
            check(f"{path.name}: {name} is the export's {reference.shape}", same and worst < 2e-2, worst)
        only = client.infer(
            "yolo11n-seg", [tensor_input("images", image)],
            outputs=[triton.InferRequestedOutput("output1", binary_data=False)],
        )  # fmt: skip
        names = [o["name"] for o in only.get_response()["outputs"]]
        same = np.array_equal(only.as_numpy("output1"), got.as_numpy("output1"))
        check(f"{path.name}: one output alone, in JSON, is the same", names == ["output1"] and same)
    image = letterboxed(pictures[0])[:, :, :320, :320].copy()
    by_bytes = client.infer("yolo11n-seg", [tensor_input("images", image)])
    by_json = client.infer("yolo11n-seg", [tensor_input("images", image, binary=False)])
    same = np.array_equal(by_bytes.as_numpy("output0"), by_json.as_numpy("output0"))
    check("an input in JSON is the same as in bytes", same)
    both = client.infer("yolo11n-seg", [tensor_input("images", np.concatenate([image, image[:, ::-1]]))])
    same = np.array_equal(both.as_numpy("output0")[:1], by_bytes.as_numpy("output0"))
    check("a batch of two has the first one's numbers", same and both.as_numpy("output0").shape[0] == 2)
    return client


def check_errors(server, client):
    """Client errors get the protocol's error object and the right status."""
    image = np.zeros((1, 3, 64, 64), np.float32)

    def refused(what, status, words, *arguments, **named):
        try:
            client.infer(*arguments, **named)
            check(what, False, "was not refused")
        except InferenceServerException as error:
            check(what, error.status() == str(status) and words in error.message(), error)

    good = tensor_input("images", image)
    refused("an unknown model", 404, "unknown model", "none", [good])
    refused("an unknown version", 404, "unknown model", "yolo11n-seg", [good], model_version="7")
    refused("an unknown input", 400, "no input", "yolo11n-seg", [tensor_input("image", image)])
    refused("a wrong datatype", 400, "FP64", "yolo11n-seg", [tensor_input("images", image.astype(np.float64))])
    refused("a wrong rank", 400, "shape", "yolo11n-seg", [tensor_input("images", image[0])])
    refused("a wrong size", 400, "multiples of 32", "yolo11n-seg", [tensor_input("images", image[..., :50].copy())])
    wrong = [triton.InferRequestedOutput("output7")]
    refused("an unknown output", 400, "no output", "yolo11n-seg", [good], outputs=wrong)
    classes = [triton.InferRequestedOutput("output0", class_count=3)]
    refused("classification", 400, "classification", "yolo11n-seg", [good], outputs=classes)
    refused("a time that is over", 504, "time", "yolo11n-seg", [good], timeout=1)
    junk = triton.InferInput("image", [1], "BYTES")
    junk.set_data_from_numpy(np.array([b"no picture"], dtype=object))
    refused("bytes that are no picture", 400, "image", "detect", [junk])
    for path, data, status in [
        ("v2/models/detect/infer", b"{", 400), ("v2/models/detect/infer", None, 405), ("v2/nothing", None, 404),
        ("v2/models/detect", b"", 405),
    ]:  # fmt: skip
        found, body = server.get(path, data)
        check(f"{path} with {data}: {status}", found == status and "error" in json.loads(body), body.decode())


def check_ultralytics(server, checkpoint, pictures):
    """Ultralytics' own client and its own process find the same."""
    from ultralytics import YOLO

    remote = YOLO(f"http://{server.address}/yolo11n-seg", task="segment")
    local = YOLO(checkpoint, task="segment")
    options = dict(verbose=False, rect=False, imgsz=640)
    for path in pictures:
        a, b = remote.predict(str(path), **options)[0], local.predict(str(path), **options)[0]
        count = len(b.boxes)
        same = len(a.boxes) == count and bool((a.boxes.cls == b.boxes.cls).all())
        check(f"ultralytics, {path.name}: the same {count} classes", same and count > 0)
        check(f"ultralytics, {path.name}: the same names", a.names == b.names)
        if not same:
            continue
        boxes, scores = (a.boxes.xyxy - b.boxes.xyxy).abs().max(), (a.boxes.conf - b.boxes.conf).abs().max()
        differing = (a.masks.data != b.masks.data).float().mean()
        check(f"ultralytics, {path.name}: boxes, scores and masks", boxes < 0.05 and scores < 1e-3 and differing < 1e-3,
              f"boxes within {boxes:.1e} px, scores {scores:.1e}, {differing:.1e} of mask pixels differ")  # fmt: skip


def check_kserve(server, picture):
    """KServe's client."""
    from kserve import InferenceRESTClient, InferInput, InferRequest
    from kserve.inference_client import RESTConfig

    async def use():
        client = InferenceRESTClient(RESTConfig(protocol="v2", timeout=60))
        base = f"http://{server.address}"
        ready = [await client.is_server_ready(base), await client.is_server_live(base)]
        ready.append(await client.is_model_ready(base, "yolo11n-seg"))
        check("kserve: live, ready, model ready", ready == [True] * 3, ready)
        results = []
        for binary in (True, False):
            tensor = InferInput("images", [1, 3, 320, 320], "FP32")
            tensor.set_data_from_numpy(letterboxed(picture)[:, :, :320, :320].copy(), binary_data=binary)
            answer = await client.infer(
                base, InferRequest("yolo11n-seg", [tensor], request_id="1"), model_name="yolo11n-seg"
            )
            results.append(answer.outputs[0].as_numpy())
        check("kserve: outputs, by bytes and by JSON", np.array_equal(*results), results[0].shape)

    asyncio.run(use())


def check_detect(client, arguments, pictures, weights, scratch):
    """`detect` is `ardf detect`, and its masks are pycocotools'."""
    from pycocotools import mask as coco

    for path in pictures:
        out = scratch / f"detect-{path.stem}"
        run(arguments.ardf, "detect", path, "--yolo", weights, "--out", out)
        expected = json.loads((out / "detections.json").read_text())["detections"]
        got = client.infer("detect", [picture_input(path)])
        boxes = np.array([[b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]]
                          for b in (e["box"] for e in expected)], np.float32).reshape(-1, 4)  # fmt: skip
        same = np.allclose(got.as_numpy("boxes"), boxes, atol=1e-3)
        same &= [label.decode() for label in got.as_numpy("labels")] == [e["className"] for e in expected]
        same &= np.allclose(got.as_numpy("scores"), [e["confidence"] for e in expected], atol=1e-6)
        check(f"detect, {path.name}: the {len(expected)} objects of ardf detect", same and len(expected) > 0)
        masks = [json.loads(text) for text in got.as_numpy("masks")]
        areas = [int(coco.decode(m).sum()) for m in masks]
        check(f"detect, {path.name}: masks", masks == [e["mask"] for e in expected] and min(areas) > 0, areas)
    few = client.infer("detect", [picture_input(pictures[0])], parameters={"conf": 0.25, "max_det": 2})
    check("detect: a request's own thresholds", few.as_numpy("boxes").shape[0] == 2)


def check_depth(client, arguments, picture, scratch):
    run(arguments.ardf, "depth", picture, "--depth", arguments.depth, "--out", scratch / "depth")
    expected = np.load(scratch / "depth" / "relative.npy")
    got = client.infer("depth", [picture_input(picture)]).as_numpy("depth")
    worst = np.abs(got - expected).max() if got.shape == expected.shape else None
    check("depth: that of ardf depth", worst == 0, f"{got.shape}, {worst}")
    pixels = np.random.default_rng(1).normal(size=(1, 3, 126, 168)).astype(np.float32)
    raw = client.infer("depth-net", [tensor_input("pixel_values", pixels)]).as_numpy("predicted_depth")
    check("depth: raw tensors", raw.shape == (1, 126, 168) and bool(np.isfinite(raw).all()), raw.shape)


def check_measure(client, arguments, weights, scratch):
    """`measure` is `ardf run`, for a frame of a recorded clip."""
    from PIL import Image

    out, clip, stem = scratch / "run", Path(arguments.clip), arguments.frame
    run(arguments.ardf, "run", clip, "--frame", stem, "--yolo", weights, "--depth", arguments.depth, "--conf", 0.4,
        "--out", out)  # fmt: skip
    expected = json.loads((out / "summary.json").read_text())["objects"]
    facts = json.loads((clip / f"{stem}.json").read_text())
    depth = np.asarray(Image.open(clip / f"{stem}_depth.png")).astype(np.float32) * np.float32(0.001)
    camera = np.array([[facts["fx"], 0, facts["cx"]], [0, facts["fy"], facts["cy"]], [0, 0, 1]])
    got = client.infer("measure", [
        picture_input(clip / f"{stem}_rgb.jpg"), tensor_input("lidar", depth),
        tensor_input("confidence", np.asarray(Image.open(clip / f"{stem}_conf.png"))),
        tensor_input("intrinsics", camera), tensor_input("pose", np.array(facts["T_wc"]).reshape(4, 4).T.copy()),
    ], parameters={"orientation": 6, "conf": 0.4})  # fmt: skip
    objects = [json.loads(text) for text in got.as_numpy("objects")]
    check(f"measure: the {len(expected)} objects of ardf run", objects == expected and len(expected) > 0)
    distances = [e["distanceMeters"] for e in expected]
    found = got.as_numpy("distances")
    same = len(found) == len(distances) and all(
        np.isnan(a) if b is None else abs(a - b) < 1e-3 for a, b in zip(found, distances, strict=True)
    )
    check("measure: distances in meters", same, [f"{value:.3f}" for value in found])
    check("measure: notes", all(isinstance(note, bytes) for note in got.as_numpy("notes")))


def check_examples(server, picture, scratch):
    """The examples of docs/guides/serving.md, as printed, with this server's address."""
    folder = scratch / "examples"
    folder.mkdir()
    shutil.copy(picture, folder / "photo.jpg")
    page = (Path(__file__).parents[2] / "docs/guides/serving.md").read_text()
    examples = re.findall(r"<!-- run -->\n```(\w*)\n(.*?)```", page, re.DOTALL)
    check("docs/guides/serving.md has examples", len(examples) >= 4, len(examples))
    for language, text in examples:
        text = text.replace("127.0.0.1:8000", server.address)
        command = [sys.executable, "-c", text] if language == "python" else ["bash", "-euo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=folder, capture_output=True)
        said = done.stdout.decode(errors="replace")
        fine = done.returncode == 0 and bool(said) and "error" not in said
        check(f"docs/guides/serving.md: {text.strip().splitlines()[0]}", fine, (done.stderr.decode() or said)[-120:])


def check_metrics(server):
    status, text = server.get("metrics")
    families = {family.name: family for family in text_string_to_metric_families(text.decode())}
    check("metrics: prometheus_client reads them", status == 200 and len(families) >= 10, len(families))
    counted = {s.labels["model"]: s.value for s in families["ardf_inferences"].samples if s.name.endswith("_total")}
    check("metrics: inferences by model", counted.get("yolo11n-seg", 0) > 5, counted)
    check("metrics: kinds of errors", {"bad_request", "not_found", "deadline"} <= {
        s.labels["kind"] for s in families["ardf_errors"].samples if s.name.endswith("_total")})  # fmt: skip
    for name in ["ardf_request_seconds", "ardf_queue_seconds", "ardf_compute_seconds"]:
        buckets = [s for s in families[name].samples
                   if s.name.endswith("_bucket") and s.labels["model"] == "yolo11n-seg"]  # fmt: skip
        rising = all(a.value <= b.value for a, b in zip(buckets, buckets[1:], strict=False))
        check(f"metrics: {name} is a histogram", rising and buckets[-1].labels["le"] == "+Inf")
    check("metrics: memory", families["process_resident_memory_bytes"].samples[0].value > 1e7)


def check_end(server):
    """A request under way is answered, a new one refused, and the server ends with 0."""
    shape, answers = [6, 3, 640, 640], []
    size = int(np.prod(shape)) * 4
    head = json.dumps({"inputs": [{"name": "images", "datatype": "FP32", "shape": shape,
                                   "parameters": {"binary_data_size": size}}],
                       "outputs": [{"name": "output0", "parameters": {"binary_data": True}}]}).encode()  # fmt: skip
    fields = {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}
    client = threading.Thread(
        target=lambda: answers.append(server.get("v2/models/yolo11n-seg/infer", head + bytes(size), fields))
    )
    client.start()
    threading.Event().wait(0.15)
    status = server.end()
    client.join()
    answered = answers[0][0] == 200 and len(answers[0][1]) > 6 * 116 * 8400 * 4
    check("SIGTERM: the request under way is answered", answered, answers[0][0])
    check("SIGTERM: the server ends with 0", status == 0, status)
    try:
        server.get("v2")
        check("SIGTERM: new requests are refused", False)
    except urllib.error.URLError:
        check("SIGTERM: new requests are refused", True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--yolo", required=True, help="the checkpoint yolo11n-seg.pt")
    parser.add_argument("--depth", required=True)
    parser.add_argument("--pictures", required=True, type=Path)
    parser.add_argument("--clip", required=True, help="a folder of NNNNN.json, NNNNN_rgb.jpg, _depth.png, _conf.png")
    parser.add_argument("--frame", default="00030")
    parser.add_argument("--onnx", help="ultralytics' export; made where there is none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        weights = scratch / "yolo11n-seg.safetensors"
        run(arguments.ardf, "convert", arguments.yolo, weights)
        onnx = arguments.onnx
        if not onnx:
            from ultralytics import YOLO

            copy = shutil.copy(arguments.yolo, scratch / "yolo11n-seg.pt")
            onnx = YOLO(copy).export(format="onnx", imgsz=640, simplify=False, verbose=False)
        pictures = [arguments.pictures / name for name in ("bus.jpg", "zidane.jpg")]
        server = Server(arguments.ardf, "--models", f"{weights},depth-net={arguments.depth}")
        try:
            client = check_raw(server, str(onnx), pictures)
            check_errors(server, client)
            check_ultralytics(server, arguments.yolo, pictures)
            check_kserve(server, pictures[0])
            check_detect(client, arguments, pictures, weights, scratch)
            check_depth(client, arguments, pictures[0], scratch)
            check_measure(client, arguments, weights, scratch)
            check_examples(server, pictures[0], scratch)
            check_metrics(server)
            check_end(server)
        finally:
            server.process.kill()
    if FAILURES:
        sys.exit(f"{len(FAILURES)} checks failed")


if __name__ == "__main__":
    main()
