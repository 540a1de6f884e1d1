#!/usr/bin/env python3
"""Puts single faults into references: into the decode, the final outputs and the objects.

    python tools/reference/check-wrong-references.py --ardf .build/release/ardf
    python tools/reference/check-wrong-references.py --models yolo11n-obb,yolo26n-seg --seed 7

Networks have random weights. A reference without a fault must pass, also without outputs and with layers alone; one
with a fault must end with 1, name the tensor that holds it, and pass with `--layers-only` where the fault is after
the raw outputs. The faults are in `oracles/reference_faults.py`. Ends with 1 where one is not found.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.final_outputs import final_outputs
from oracles.random_networks import DEPTH_SHAPES, depth_metadata, random_depth, random_yolo, yolo_metadata
from oracles.random_weights import clouds, normal_image
from oracles.recording import record, with_taps
from oracles.reference_faults import Context, classifier_faults, depth_faults, detector_faults
from oracles.tensor_files import save_tensors

MODELS = [
    "yolo11n-seg", "yolo11n-pose", "yolo11n-obb", "yolov8n", "yolo26n-seg", "yolo26n-pose", "yolo26n-obb", "yolo26n",
    "yolo11n-cls", "depth-anything-v2-small",
]  # fmt: skip
DETECTOR_SIZE, CLASSIFIER_SIZE, DEPTH_SIZE = (128, 160), (128, 128), (98, 126)
#: Objects wanted: enough to overlap, few enough to be apart in score.
CANDIDATES, OVERLAP, LIMIT = 60, 0.5, 300
#: Of a network: one class cannot be permuted.
LEAST_CLASSES = 3
#: Faults that are in a raw output, which is compared as a layer is.
RAW = ("box.", "cls.", "proto", "logits", "probabilities", "depth")


def verify(ardf, weights, reference, *options):
    """(exit code, all that was said)."""
    command = [ardf, "verify", "--weights", weights, "--reference", reference, "--failed", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def confidence(output, classes, end2end):
    """A threshold that so many candidates pass, in the widest gap between scores near there."""
    scores = output[0, 4 : 4 + classes]
    scores = (scores.flatten() if end2end else scores.amax(0)).sort(descending=True).values
    last = min(CANDIDATES, len(scores) - 1)
    near = scores[last // 2 : last + 1]
    place = int((near[:-1] - near[1:]).argmax())
    return float((near[place] + near[place + 1]) / 2)


def case(model, seed):
    """(weights, their metadata, reference, context, faults) of a network without fault."""
    if not model.startswith("yolo"):
        shape = DEPTH_SHAPES[model]
        network = random_depth(seed, shape)
        state = {k: v.clone() for k, v in network.state_dict().items()}
        image = normal_image(seed, *DEPTH_SIZE)
        network = network.double()
        tensors, result = record(network, lambda: network(image.double()))
        tensors = with_taps(tensors | {"depth": result, "input": image}, network.pretrained.taps)
        return state, depth_metadata(model.rpartition("-")[2], "random", shape), tensors, None, depth_faults()
    family, variant = yolo.parsed(model)
    suffix = yolo.split(family)[1]
    classes = max(yolo.CLASSES[suffix], LEAST_CLASSES)
    network = random_yolo(family, variant, classes, seed)
    state = {k: v.clone() for k, v in yolo.state(network).items()}
    metadata = yolo_metadata(family, variant, classes, "random")
    image = clouds(seed, 1, *(CLASSIFIER_SIZE if suffix == "-cls" else DETECTOR_SIZE))
    network = network.double()
    tensors, result = record(network, lambda: network(image.double()))
    named = yolo.named_outputs(network, result)
    tensors |= named | {"input": image}
    if suffix == "-cls":
        return state, metadata, tensors, None, classifier_faults()
    context = Context(network, image, None)
    context.thresholds = (confidence(named["output0"], classes, context.end2end), OVERLAP, LIMIT)
    tensors |= final_outputs(network, named, tuple(image.shape[-2:]), context.thresholds)
    return state, metadata, tensors, context, detector_faults(family, context)


def check(model, ardf, seed, folder):
    """(faults, those that were found) of a network."""
    weights, path = folder / "weights.safetensors", folder / "reference.safetensors"
    state, metadata, right, context, faults = case(model, seed)
    save_tensors(weights, state, metadata)
    save_tensors(path, right, {"library": "torch"})
    code, said = verify(ardf, weights, path)
    if code != 0:
        raise SystemExit(f"{model} diverges without any fault:\n{said}")
    found = total = 0
    for fault in faults:
        tensors = dict(right)
        fault.change(tensors, context)
        save_tensors(path, tensors, {"library": "torch"})
        code, said = verify(ardf, weights, path)
        summaries = [line for line in said.splitlines() if line.startswith(("cumulative: ", "isolated: "))]
        named = all(fault.tensor in line for line in summaries)
        layers, _ = verify(ardf, weights, path, "--layers-only")
        right_code = layers == 0 or fault.tensor.startswith(RAW)
        ok = code == 1 and len(summaries) >= 2 and named and right_code
        found, total = found + ok, total + 1
        print(f"{model}: {fault.kind}: {'found' if ok else 'NOT FOUND'} in {fault.tensor}", flush=True)
        if not ok:
            print(said)
    return total, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--seed", type=int, default=1, help="of weights and input")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    total = found = 0
    with tempfile.TemporaryDirectory() as temporary:
        for model in arguments.models.split(","):
            more, hits = check(model, arguments.ardf, arguments.seed, Path(temporary))
            total, found = total + more, found + hits
    print(f"{total} faults in references, {found} found")
    sys.exit(found != total)


if __name__ == "__main__":
    main()
