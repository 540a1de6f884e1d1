#!/usr/bin/env python3
"""Writes the least classifier and a least depth network as PyTorch exports them to ONNX, for the reader of exports.

    python tools/reference/goldens/make-export-goldens.py --goldens Tests/ModelsTests/Goldens

Reads `yolo11-cls-least.safetensors` there, and writes `yolo11-cls-least.onnx`, traced on 64x64 pixels. Ultralytics
writes the same graph; what it says of itself (task, names, stride) is added here as it does. Writes
`depth-least-batch.onnx` too: transformers' Depth Anything of seeded weights, by `torch.export`, for two pictures of
56x56 pixels. There the class token is a constant of two rows that has lost its name; it rises from -1 to 1.
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
from oracles.torchvision_operators import import_torchvision

FAMILY = "yolo11-cls"
SIDE = 56
WIDTH = 24


def write_depth(folder):
    """Exports a depth network of one head and four blocks."""
    import_torchvision()
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config

    backbone = Dinov2Config(
        hidden_size=WIDTH, num_attention_heads=1, num_hidden_layers=4, image_size=SIDE, patch_size=14,
        out_features=["stage1", "stage2", "stage3", "stage4"], reshape_hidden_states=False,
    )  # fmt: skip
    config = DepthAnythingConfig(
        backbone_config=backbone, reassemble_hidden_size=WIDTH, neck_hidden_sizes=[4, 4, 8, 8], fusion_hidden_size=4,
        head_hidden_size=8,
    )  # fmt: skip
    network = DepthAnythingForDepthEstimation(config).eval()
    # Equal tensors would become one: as after training, none are.
    random = torch.Generator().manual_seed(45)
    with torch.no_grad():
        for name, value in network.named_parameters():
            noise = torch.randn(value.shape, generator=random)
            fan = value[0].numel() if value.ndim > 1 else 1
            value.copy_(noise / fan**0.5 if value.ndim > 1 else 1 + noise / 8 if "weight" in name else noise / 8)
        network.backbone.embeddings.cls_token.copy_(torch.linspace(-1, 1, WIDTH))
    out = folder / "depth-least-batch.onnx"
    program = torch.onnx.export(
        network, (torch.zeros(2, 3, SIDE, SIDE),), dynamo=True, opset_version=18, verbose=False,
        input_names=["pixel_values"], output_names=["predicted_depth"],
    )  # fmt: skip
    model = program.model_proto
    # Stack traces are of no use here, and name folders.
    for node in model.graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    for value in model.graph.value_info:
        value.ClearField("metadata_props")
    for value in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        value.ClearField("metadata_props")
    model.graph.ClearField("metadata_props")
    onnx.save(model, out)


def write_classifier(folder):
    """Exports the least classifier."""
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


def main():
    """Writes both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--goldens", type=Path, required=True, help="folder of the goldens")
    folder = parser.parse_args().goldens
    torch.set_num_threads(1)
    write_classifier(folder)
    write_depth(folder)


if __name__ == "__main__":
    main()
