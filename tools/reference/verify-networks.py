#!/usr/bin/env python3
"""Verifies every layer of networks with seeded random weights against their PyTorch reference.

    python tools/reference/verify-networks.py --ardf .build/release/ardf
    python tools/reference/verify-networks.py --models yolo11n-pose,yolo26x-seg,depth-anything-v2-large

By default all networks and sizes that are supported. Prints, by network, the layers compared, the largest relative L2
of any, cumulative and isolated, and the largest difference of a raw output over the output's largest magnitude; ends
with 1 where a layer is beyond its tolerance, or an output is off by more than 1e-4.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.final_outputs import final_outputs
from oracles.random_networks import DEPTH_SHAPES, depth_metadata, random_depth, random_yolo, yolo_metadata
from oracles.random_weights import clouds, normal_image, random_prompt
from oracles.recording import record, with_taps
from oracles.tensor_files import save_tensors

TOLERANCE = 1e-4
#: Height and width of inputs.
DETECTOR_SIZE, CLASSIFIER_SIZE, DEPTH_SIZE = (128, 160), (128, 128), (98, 126)
#: Families whose layers are another's: YOLO26's classifier is YOLO11's.
SAME = "yolo26-cls"


def networks():
    """All networks, by name."""
    detectors = [yolo.named(family, v) for family in yolo.families() if family != SAME for v in yolo.VARIANTS]
    return detectors + list(DEPTH_SHAPES)


def write(name, seed, weights, reference):
    """Writes a network's weights, and what its layers make of an input."""
    if name.startswith("yolo"):
        family, variant = yolo.parsed(name)
        classes = yolo.CLASSES[yolo.split(family)[1]]
        network = random_yolo(family, variant, classes, seed)
        metadata = yolo_metadata(family, variant, classes, f"random seed {seed}")
        image = clouds(seed, 1, *(CLASSIFIER_SIZE if family.endswith("-cls") else DETECTOR_SIZE))
        more, arguments = {}, []
    else:
        shape = DEPTH_SHAPES[name]
        network = random_depth(seed, shape)
        metadata = depth_metadata(name.rpartition("-")[2], f"random seed {seed}", shape)
        image = normal_image(seed, *DEPTH_SIZE)
        more = {"prompt": random_prompt(seed, 24, 32)} if shape.prompted else {}
        arguments = [value.double() for value in more.values()]
    save_tensors(weights, yolo.state(network), metadata)
    network = network.double()
    tensors, result = record(network, lambda: network(image.double(), *arguments))
    if name.startswith("yolo"):
        outputs = yolo.named_outputs(network, result)
        more |= final_outputs(network, outputs, tuple(image.shape[-2:]))
    else:
        outputs = {"depth": result}
        tensors = with_taps(tensors, network.pretrained.taps)
    save_tensors(reference, tensors | outputs | more | {"input": image}, {"library": "torch"})
    return set(outputs)


def verify(ardf, weights, reference):
    """The reports of both modes."""
    command = [ardf, "verify", "--weights", weights, "--reference", reference, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return {mode["mode"]: mode for mode in json.loads(done.stdout)["modes"]}


def output_error(ardf, folder, weights, reference, outputs):
    """The largest difference of a raw output over its largest magnitude."""
    from oracles.differences import aligned, measure
    from oracles.tensor_files import load_tensors

    trace = folder / "trace.safetensors"
    command = [ardf, "trace", "--weights", weights, "--input", reference, "--out", trace, "--force"]
    subprocess.run(command, check=True, capture_output=True)
    ours, _ = load_tensors(trace)
    wanted, _ = load_tensors(reference)
    worst = 0.0
    # Traces name results by layers: the last ones of every branch.
    last = r"model\.\d+\.((one2one_)?cv[234](_kpts)?\.\d(\.2)?|proto\.cv3|linear)|depth_head\.scratch\.output_conv2"
    outputs = {name for name in wanted if name in outputs or re.fullmatch(last, name)}
    for name in outputs & ours.keys():
        value = aligned(ours[name], wanted[name].shape, channels_last=False)
        if value is None:
            value = aligned(ours[name], wanted[name].shape, channels_last=True)
        worst = max(worst, measure(value, wanted[name])[1])
    return worst, len(outputs & ours.keys())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--models", help="networks, by default all")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    failed = False
    print("| network | layers | cumulative, worst relative L2 | isolated | outputs, worst of its maximum |")
    print("|---|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        weights, reference = folder / "weights.safetensors", folder / "reference.safetensors"
        for name in arguments.models.split(",") if arguments.models else networks():
            outputs = write(name, arguments.seed, weights, reference)
            reports = verify(arguments.ardf, weights, reference)
            worst = {mode: max(layer["relativeL2"] for layer in r["layers"]) for mode, r in reports.items()}
            error, count = output_error(arguments.ardf, folder, weights, reference, outputs)
            passed = all(report["passed"] for report in reports.values()) and error <= TOLERANCE and count > 0
            layers = len(reports["isolated"]["layers"])
            figures = f"{worst['cumulative']:.1e} | {worst['isolated']:.1e} | {error:.1e}"
            print(f"| {name} | {layers} | {figures} |{'' if passed else ' FAILS'}", flush=True)
            failed |= not passed
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
