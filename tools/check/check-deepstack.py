#!/usr/bin/env python3
"""Asks `ardf serve --deepstack` as DeepStack's clients do, and compares with `ardf detect`.

    python tools/check/check-deepstack.py --weights yolo11n-seg.pt DATA/images

Takes pictures and folders. The SDK (`deepstack-sdk` from PyPI) asks for objects at two confidences, for scenes and for faces;
`requests` asks as Frigate's plug-in does, with the picture's bytes and an empty key; a client of gRPC (`grpcio`, if it is
there) asks for a model. Objects must be those of `ardf detect` in whole pixels. Ends with 1 where something differs.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import requests
from deepstack_sdk import Detection, Face, SceneRecognition, ServerConfig

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures

TOKEN = "0123456789abcdef0123456789abcdef"


@contextlib.contextmanager
def served(ardf, weights, *more):
    """A server's address."""
    command = [ardf, "serve", "--models", f"net={weights}", "--deepstack", "--listen", "127.0.0.1:0", *more]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            found = re.search(r"http://(127\.0\.0\.1:\d+)/v2", line)
            if found:
                break
        else:
            raise SystemExit("ardf serve ended")
        yield found.group(1)
    finally:
        process.terminate()
        process.wait()


def detected(ardf, weights, path, confidence):
    """The objects of `ardf detect`: label and whole pixels."""
    command = [ardf, "detect", path, "--yolo", weights, "--conf", confidence, "--quiet", "--out", "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    found = []
    for one in json.loads(done.stdout)["detections"]:
        box = one["box"]
        right, bottom = box["x"] + box["width"], box["y"] + box["height"]
        found.append((one["className"], box["x"], box["y"], right, bottom))
    return found


def answered(predictions):
    return [(p["label"], p["x_min"], p["y_min"], p["x_max"], p["y_max"]) for p in predictions]


def agree(ours, theirs):
    return len(ours) == len(theirs) and all(
        one[0] == other[0] and all(abs(a - b) <= 0.501 for a, b in zip(one[1:], other[1:], strict=True))
        for one, other in zip(ours, theirs, strict=True)
    )


def refusal(call):
    """The error of a call to the SDK, as text."""
    try:
        call()
    except Exception as error:  # the SDK raises nothing narrower
        return str(error)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them")
    parser.add_argument("--weights", required=True, help="a detector's checkpoint")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    arguments = parser.parse_args()
    ardf = os.path.realpath(arguments.ardf)
    failures = []

    def check(what, is_right):
        if not is_right:
            failures.append(what)

    with tempfile.TemporaryDirectory() as folder:
        weights = f"{folder}/weights.safetensors"
        subprocess.run([ardf, "convert", arguments.weights, weights], check=True, stderr=subprocess.DEVNULL)
        objects = count = 0
        with served(ardf, weights) as address:
            config = ServerConfig(f"http://{address}")
            for path in pictures.paths(arguments.pictures):
                count += 1
                for confidence in (0.25, 0.6):
                    found = Detection(config).detectObject(str(path), min_confidence=confidence)
                    theirs = [(one.label, one.x_min, one.y_min, one.x_max, one.y_max) for one in found]
                    objects += len(theirs)
                    check(f"{path.name} at {confidence}", agree(detected(ardf, weights, path, confidence), theirs))
                # As frigate/detectors/plugins/deepstack.py asks.
                answer = requests.post(
                    f"http://{address}/v1/vision/detection",
                    data={"api_key": ""},
                    files={"image": path.read_bytes()},
                    timeout=60,
                ).json()
                check(f"{path.name}, Frigate", answer["success"])
                check(
                    f"{path.name}, Frigate", agree(detected(ardf, weights, path, 0.45), answered(answer["predictions"]))
                )
            picture = str(path)
            check("a scene", "not enabled" in refusal(lambda: SceneRecognition(config).recognizeScene(picture)))
            check("faces", "not enabled" in refusal(lambda: Face(config).detectFace(picture)))
            # The SDK sends this one without a length, which is answered before anything else.
            check("known faces", refusal(lambda: Face(config).listFaces()) != "")
            text = f"{folder}/text.jpg"
            Path(text).write_text("no picture")
            check("no picture", "Invalid image" in refusal(lambda: Detection(config).detectObject(text)))
            metrics = requests.get(f"http://{address}/metrics", timeout=60).text
            check("metrics", f'ardf_inferences_total{{model="detect"}} {3 * count}' in metrics)
            with contextlib.suppress(ImportError):
                import grpc

                call = grpc.insecure_channel(address).unary_unary("/inference.GRPCInferenceService/ServerLive")
                try:
                    call(b"", timeout=20)
                    failures.append("gRPC was answered")
                except grpc.RpcError as error:
                    print(f"gRPC: {error.code().name}: {error.details()}")
        token = f"{folder}/token"
        Path(token).write_text(TOKEN + "\n")
        with served(ardf, weights, "--token-file", token) as address:
            known, unknown = (ServerConfig(f"http://{address}", api_key=key) for key in (TOKEN, None))
            check("the token", refusal(lambda: Detection(known).detectObject(picture)) == "")
            check("no token", refusal(lambda: Detection(unknown).detectObject(picture)) != "")
    print(f"{count} pictures, {objects} objects of two confidences; {len(failures)} failures")
    for failure in failures:
        print(f"differs: {failure}", file=sys.stderr)
    raise SystemExit(int(bool(failures)))


if __name__ == "__main__":
    main()
