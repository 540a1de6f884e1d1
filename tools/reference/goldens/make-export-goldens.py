#!/usr/bin/env python3
"""Writes the least classifier as PyTorch exports it to ONNX, for the reader of exports.

    python tools/reference/goldens/make-export-goldens.py --goldens Tests/ModelsTests/Goldens

Reads `yolo11-cls-least.safetensors` there, and writes `yolo11-cls-least.onnx`, traced on 64x64 pixels. Ultralytics
writes the same graph; what it says of itself (task, names, stride) is added here as it does.
"""

import argparse
import sys
from pathlib import Path

import onnx
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo
from oracles.tensor_files import load_tensors
from oracles.tiny_networks import LEAST_NETWORKS, TINY_CLASSES

FAMILY = "yolo11-cls"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--goldens", type=Path, required=True, help="folder of the goldens")
    folder = parser.parse_args().goldens
    torch.set_num_threads(1)
    scale = next(scale for family, scale, _ in LEAST_NETWORKS if family == FAMILY)
    tensors, _ = load_tensors(folder / f"{FAMILY}-least.safetensors")
    network = yolo.build(FAMILY, "n", TINY_CLASSES, scale)
    network.load_state_dict({k: torch.from_numpy(v).float() for k, v in tensors.items()}, strict=False)
    network = network.float().eval()
    network.model[-1].export = True
    out = folder / f"{FAMILY}-least.onnx"
    torch.onnx.export(
        network, torch.zeros(1, 3, 64, 64), str(out), input_names=["images"], output_names=["output0"], opset_version=17,
        dynamo=False,
    )  # fmt: skip
    model = onnx.load(out)
    names = {index: f"class{index}" for index in range(TINY_CLASSES)}
    said = {"task": "classify", "imgsz": "[64, 64]", "stride": "1", "names": str(names)}
    onnx.helper.set_model_props(model, said)
    onnx.save(model, out)


if __name__ == "__main__":
    main()
