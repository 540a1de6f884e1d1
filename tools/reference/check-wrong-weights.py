#!/usr/bin/env python3
"""Puts single faults into random layers of full-size networks, and checks that `ardf verify` names each.

    python tools/reference/check-wrong-weights.py --ardf .build/release/ardf --work faults --seed 1

Networks have seeded random weights. A fault of the weights (epsilon, transposed, q and k) goes into the file that the
engine reads; one of the computation (activation, resize) into the reference, since a comparison does not know which
side is wrong. Isolated mode must name the layer that holds the fault and no other; the first layer that cumulative
mode names must be that one. Prints a table of what was found; ends with 1 where a fault was not.
"""

import argparse
import copy
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.final_outputs import final_outputs
from oracles.network_faults import (
    copied,
    exchanged_heads,
    exchanged_rows,
    most_for_mean,
    other_corners,
    other_shortcut,
    smooth_levels,
    smooth_upsampling,
    transposed,
    unscaled,
    with_activation,
    without,
    without_activation,
    without_gelu,
    without_last_shortcut,
    wrong_epsilon,
)
from oracles.random_networks import DEPTH_SHAPES, depth_metadata, random_depth, random_yolo, yolo_metadata
from oracles.random_weights import normal_image, uniform_image
from oracles.recording import record, with_taps
from oracles.tensor_files import save_tensors

#: Networks, and height and width of their inputs.
NETWORKS = {
    "yolo11n-seg": (192, 160),
    "yolo11l-seg": (128, 160),
    "yolo11n-pose": (192, 160),
    "yolo11n-obb": (192, 160),
    "yolo11n-cls": (128, 128),
    "yolov8n-seg": (192, 160),
    "yolov8m": (128, 160),
    "yolov8n-pose": (192, 160),
    "yolov8n-obb": (192, 160),
    "yolov8n-cls": (128, 128),
    "yolo26n-seg": (192, 160),
    "yolo26l": (128, 160),
    "yolo26n-pose": (192, 160),
    "yolo26n-obb": (192, 160),
    "depth-anything-v2-small": (98, 126),
    "depth-anything-v2-base": (98, 126),
    "depth-anything-v2-large": (98, 126),
}
#: What a network without suppression has besides: the head with it, and what only training needs.
UNREAD = re.compile(r"model\.\d+\.(cv[234](_\w+)?|one2one_cv4_sigma|flow_model|proto\.semseg)(\..*)?")


@dataclass
class Fault:
    """`layer` is what the engine calls the faulty operation; `change` alters the state or the network."""

    kind: str
    layer: str
    change: object
    in_weights: bool


# --- Random layers ------------------------------------------------------------------------------------------------


def read_modules(network):
    """Modules by name, without those that the engine leaves out."""
    unread = UNREAD if hasattr(network.model[-1], "one2one_cv2") else re.compile("")
    return {name: module for name, module in network.named_modules() if name and not unread.fullmatch(name)}


def detector_faults(network, random):
    modules = read_modules(network)

    def pick(fits):
        return random.choice(sorted(name for name, module in modules.items() if fits(name, module)))

    normalized = pick(lambda _, m: isinstance(m, torch.nn.BatchNorm2d))
    yield Fault("BN epsilon 1e-5", normalized, wrong_epsilon(normalized), True)
    activated = pick(lambda _, m: isinstance(getattr(m, "act", None), torch.nn.SiLU))
    yield Fault("missing activation", activated, without_activation(activated), False)
    kernel = pick(lambda _, m: isinstance(m, torch.nn.Conv2d) and m.kernel_size == (3, 3))
    yield Fault("transposed kernel", kernel, transposed(kernel), True)
    yield from block_faults(network, pick)
    if any(isinstance(module, torch.nn.Upsample) for module in modules.values()):
        resize = pick(lambda _, m: isinstance(m, torch.nn.Upsample))
        yield Fault("bilinear for nearest", resize, smooth_upsampling(resize), False)
    if not any(name.endswith(".attn") for name in modules):
        return
    attention = pick(lambda name, _: name.endswith(".attn"))
    rows = exchanged_heads(modules[attention])
    yield Fault("q and k exchanged", f"{attention}.qkv.conv", exchanged_rows(keys_of(f"{attention}.qkv"), rows), True)
    if yolo.family_of(network) != "yolo11-seg":
        yield Fault("attention not scaled", f"{attention}.attention", unscaled(attention), False)
        block = attention.removesuffix(".attn")
        yield Fault("missing shortcut of attention", block, without_last_shortcut(block), False)


def keys_of(convolution):
    """All tensors of a convolution that have a row an output channel."""
    leaves = ["conv.weight", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"]
    return [f"{convolution}.{leaf}" for leaf in leaves]


def block_faults(network, pick):
    """Faults of what only some of the families have; nothing of YOLO11-seg, whose faults stay those of its seed."""
    family = yolo.family_of(network)
    if family == "yolo11-seg":
        return

    def is_fed(name, module):
        # A sum is a layer of its own; without one the block ends with its last convolution.
        return type(module).__name__ == "Bottleneck" and (module.add or family.startswith("yolov8"))

    block = pick(is_fed)
    module = network.get_submodule(block)
    yield Fault("other shortcut", block if module.add else f"{block}.cv2", other_shortcut(block), False)
    split = pick(lambda _, m: type(m).__name__ in ("C2f", "C3k2", "C2PSA")) + ".cv1"
    half = network.get_submodule(split).conv.out_channels // 2
    rows = [*range(half, 2 * half), *range(half)]
    yield Fault("halves exchanged", f"{split}.conv", exchanged_rows(keys_of(split), rows), True)
    yield from head_faults(network, pick, family)
    if family.startswith("yolo26"):
        yield Fault("activation of SPPF", "model.9.cv1", with_activation("model.9.cv1"), False)
        yield Fault("missing shortcut of SPPF", "model.9", other_shortcut("model.9"), False)
    if family == "yolo26-seg":
        yield Fault("bilinear for nearest", "model.23.proto.sum", smooth_levels("model.23.proto"), False)
    if family.endswith("-cls"):
        head = f"model.{len(network.model) - 1}"
        yield Fault("maximum for mean", f"{head}.pool", most_for_mean(head), False)


def head_faults(network, pick, family):
    """Faults of what a task's head has of its own, and of a head without suppression."""
    head = f"model.{len(network.model) - 1}"
    if family.endswith("-cls"):
        yield Fault("missing activation of the head", f"{head}.conv", without_activation(f"{head}.conv"), False)
        yield Fault("missing bias of the head", f"{head}.linear", without(f"{head}.linear.bias"), True)
        return
    branch = "one2one_cv4" if family.startswith("yolo26") else "cv4"
    if yolo.split(family)[1]:
        owner = f"{head}.{branch}."
        layer = pick(lambda name, m: name.startswith(owner) and isinstance(getattr(m, "act", None), torch.nn.SiLU))
        yield Fault("missing activation of the head", layer, without_activation(layer), False)
        last = rf"{head}\.{branch}(_kpts)?\.\d(\.2)?"
        layer = pick(lambda name, m: re.fullmatch(last, name) and isinstance(m, torch.nn.Conv2d))
        yield Fault("missing bias of the head", layer, without(f"{layer}.bias"), True)
    if family.startswith("yolo26"):
        layer = pick(lambda name, m: name.startswith(f"{head}.one2one_cv") and hasattr(m, "conv"))
        other = layer.replace("one2one_", "")
        yield Fault("layer of the other head", f"{layer}.conv", copied(layer, other), True)


def depth_faults(network, random):
    blocks = [f"pretrained.blocks.{index}" for index in range(len(network.pretrained.blocks))]
    mlp = random.choice(blocks) + ".mlp"
    yield Fault("missing activation", f"{mlp}.act", without_gelu(mlp), False)
    square = random.choice(blocks) + ".attn.proj"
    yield Fault("transposed matrix", square, transposed(square), True)
    units = [f"depth_head.scratch.refinenet{level}.resConfUnit2.conv{k}" for level in (1, 2, 3, 4) for k in (1, 2)]
    kernel = random.choice(units)
    yield Fault("transposed kernel", kernel, transposed(kernel), True)
    fusion = random.choice([f"depth_head.scratch.refinenet{level}" for level in (1, 2, 3, 4)])
    yield Fault("align_corners false", f"{fusion}.resize", other_corners(fusion), False)
    qkv, dim = random.choice(blocks) + ".attn.qkv", network.pretrained.cls_token.shape[-1]
    rows = [*range(dim, 2 * dim), *range(dim), *range(2 * dim, 3 * dim)]
    yield Fault("q and k exchanged", qkv, exchanged_rows([f"{qkv}.weight", f"{qkv}.bias"], rows), True)


# --- Verification -------------------------------------------------------------------------------------------------


def reference_tensors(network, image):
    """The outputs of all modules, in float64."""
    network = network.double()
    tensors, result = record(network, lambda: network(image.double()))
    tensors["input"] = image
    if hasattr(network, "pretrained"):
        return with_taps(tensors | {"depth": result}, network.pretrained.taps)
    named = yolo.named_outputs(network, result)
    return tensors | named | final_outputs(network, named, tuple(image.shape[-2:]))


def verify(ardf, weights, reference):
    """The reports of both modes."""
    command = [ardf, "verify", "--weights", weights, "--reference", reference, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return {mode["mode"]: mode for mode in json.loads(done.stdout)["modes"]}


def diverging(report):
    return [layer for layer in report["layers"] if not layer["passed"]]


def check(model, ardf, seed, work):
    """Rows of the table, and whether every fault was found."""
    random = np.random.Generator(np.random.PCG64(seed))
    if model.startswith("yolo"):
        family, variant = yolo.parsed(model)
        classes = yolo.CLASSES[yolo.split(family)[1]]
        network = random_yolo(family, variant, classes, seed)
        metadata = yolo_metadata(family, variant, classes, f"random seed {seed}")
        image, faults = uniform_image(seed, *NETWORKS[model]), detector_faults
    else:
        shape = DEPTH_SHAPES[model]
        network = random_depth(seed, shape)
        metadata = depth_metadata(model.rpartition("-")[2], f"random seed {seed}", shape)
        image, faults = normal_image(seed, *NETWORKS[model]), depth_faults
    right = {k: v.clone() for k, v in network.state_dict().items() if not k.endswith("num_batches_tracked")}
    weights, reference = work / f"{model}.safetensors", work / f"{model}.ref.safetensors"
    save_tensors(weights, right, metadata)
    save_tensors(reference, reference_tensors(copy.deepcopy(network), image), {"library": "torch"})
    clean = verify(ardf, weights, reference)
    if any(diverging(report) for report in clean.values()):
        raise SystemExit(f"{model} diverges without any fault")
    rows, layers = [], len(clean["isolated"]["layers"])
    for fault in faults(network, random):
        given, expected = work / "faulty.safetensors", work / "faulty.ref.safetensors"
        if fault.in_weights:
            state = {name: value.clone() for name, value in right.items()}
            fault.change(state)
            save_tensors(given, state, metadata)
            reports = verify(ardf, given, reference)
        else:
            faulty = copy.deepcopy(network)
            fault.change(faulty)
            save_tensors(expected, reference_tensors(faulty, image), {"library": "torch"})
            reports = verify(ardf, weights, expected)
        alone, added = diverging(reports["isolated"]), diverging(reports["cumulative"])
        # The last layers of the head are in the reference twice: under their names and as outputs.
        found = bool(alone) and all(fault.layer in layer["holds"] for layer in alone) and bool(added)
        found = found and added[0]["name"] == alone[0]["name"]
        rows.append((model, layers, fault, alone, added, found))
        print(f"{model}: {fault.kind} in {fault.layer}: {'found' if found else 'NOT FOUND'}", file=sys.stderr)
    return rows


def table(rows):
    lines = [
        "| network | layers | fault | put into | isolated names | relative L2 | cumulative names first | diverging |",
        "|---|--:|---|---|---|--:|---|--:|",
    ]
    for model, layers, fault, alone, added, _ in rows:
        named = ", ".join(layer["name"] for layer in alone) or "none"
        error = f"{alone[0]['relativeL2']:.1e}" if alone else ""
        first = added[0]["name"] if added else "none"
        row = [model, layers, fault.kind, fault.layer, named, error, first, len(added)]
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--models", default=",".join(NETWORKS))
    parser.add_argument("--seed", type=int, default=1, help="of weights, input, and choice of layers")
    parser.add_argument("--work", type=Path, help="folder for weights and references; by default a temporary one")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        rows = []
        for model in arguments.models.split(","):
            rows += check(model, arguments.ardf, arguments.seed, work)
    print(table(rows))
    found = sum(row[-1] for row in rows)
    print(f"\n{len(rows)} faults, {found} found")
    sys.exit(found != len(rows))


if __name__ == "__main__":
    main()
