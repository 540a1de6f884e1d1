#!/usr/bin/env python3
"""Writes the layer references of the networks of reduced width: what every module makes of a small input.

    python tools/reference/goldens/make-layer-goldens.py --goldens Tests/ModelsTests/Goldens

Reads `yolo11-tiny-n.safetensors` and `depth-tiny.safetensors` there, and writes `*.layers.safetensors` beside them.
Of the metric and the prompted network only what differs from the relative one is kept: layers of the head, and in
`depth-tiny-prompted.safetensors` the weights that `depth-tiny` lacks.
"""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo
from oracles.random_networks import random_depth, random_yolo
from oracles.random_weights import clouds, normal_image, random_prompt
from oracles.recording import record, with_taps
from oracles.tensor_files import load_tensors, save_tensors
from oracles.tiny_networks import TINY_CLASSES, TINY_DEPTH, TINY_DETECTORS


def loaded(network, path):
    """The network in float64 with the weights of a golden checkpoint."""
    tensors, _ = load_tensors(path)
    weights = {name: torch.from_numpy(value).double() for name, value in tensors.items()}
    _, unexpected = network.load_state_dict(weights, strict=False)
    if unexpected:
        raise SystemExit(f"{path} is of another network: {unexpected}")
    return network.double().eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--goldens", type=Path, required=True, help="folder of the goldens")
    folder = parser.parse_args().goldens
    torch.set_num_threads(1)

    scale = TINY_DETECTORS["n"]
    detector = random_yolo("yolo11-seg", "n", TINY_CLASSES, seed=11, scale=scale)
    detector = loaded(detector, folder / "yolo11-tiny-n.safetensors")
    image = clouds(31, 1, 64, 64).double()
    tensors, result = record(detector, lambda: detector(image))
    tensors |= yolo.named_outputs(detector, result) | {"input": image}
    # The parts that the engine joins, and twice the same: left out to keep the file small.
    parts = re.compile(r".*\.(conv|bn|act)|model\.(2|4|6|8|9|10|13|16|19|22)|.*\.(proto|ffn)|model\.10\.m")
    tensors = {name: value for name, value in tensors.items() if not parts.fullmatch(name)}
    version = yolo.import_ultralytics().__version__
    metadata = {"library": "ultralytics", "version": version, "profile": "ultralytics-8.4", "input": "clouds, seed 31"}
    save_tensors(folder / "yolo11-tiny-n.layers.safetensors", tensors, metadata)

    depth = loaded(random_depth(21, TINY_DEPTH), folder / "depth-tiny.safetensors")
    image = normal_image(32, 28, 42).double()
    tensors, result = record(depth, lambda: depth(image))
    tensors = with_taps(tensors, TINY_DEPTH.taps) | {"input": image, "depth": result}
    metadata = {"library": "torch", "version": torch.__version__, "profile": "depth-anything"}
    metadata["input"] = "random, seed 32"
    save_tensors(folder / "depth-tiny.layers.safetensors", tensors, metadata)

    metric = random_depth(21, replace(TINY_DEPTH, max_depth=20.0))
    metric = loaded(metric, folder / "depth-tiny.safetensors")
    tensors, result = record(metric, lambda: metric(image))
    tensors = head_layers(tensors, r"output_conv2(\.2)?") | {"input": image, "depth": result}
    save_tensors(folder / "depth-tiny-metric.layers.safetensors", tensors, metadata | {"max_depth": "20"})

    prompted = random_depth(23, replace(TINY_DEPTH, prompted=True)).half()
    prompts = {name: value for name, value in prompted.state_dict().items() if "resConfUnit_depth" in name}
    save_tensors(folder / "depth-tiny-prompted.safetensors", prompts, {"seed": "23", "torch": torch.__version__})
    prompted = loaded(prompted, folder / "depth-tiny.safetensors")
    prompt = random_prompt(33, 10, 13).double()
    tensors, result = record(prompted, lambda: prompted(image, prompt))
    tensors = head_layers(tensors, r"refinenet\d\.(resConfUnit_depth.*|prompted|resize|out_conv)|output_conv2")
    tensors |= {"input": image, "prompt": prompt, "depth": result}
    save_tensors(folder / "depth-tiny-prompted.layers.safetensors", tensors, metadata | {"prompt": "random, seed 33"})


def head_layers(tensors, pattern):
    """Those of `depth_head.scratch` whose names continue as the pattern says."""
    return {k: v for k, v in tensors.items() if re.fullmatch(r"depth_head\.scratch\.(" + pattern + ")", k)}


if __name__ == "__main__":
    main()
