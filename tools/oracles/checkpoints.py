"""Checkpoints as PyTorch networks, and the sizes of their inputs."""

import json
from pathlib import Path

import torch

from oracles import depth_anything, yolo
from oracles.tensor_files import load_tensors


def load_network(path):
    """`(family, network)` of a `.pt` or safetensors checkpoint: `yolo11-seg`, `depth-anything-v2`."""
    if Path(path).suffix == ".pt":
        network = yolo.load(path)
        return yolo.family_of(network), network
    tensors, metadata = load_tensors(path)
    weights = {name: torch.from_numpy(value).float() for name, value in tensors.items()}
    if any(name.startswith("pretrained.") for name in weights):
        network = depth_anything.DepthAnything(depth_anything.shape_of(weights, metadata)).eval()
        network.load_state_dict(weights)
        return "depth-anything-v2", network
    if not {"variant", "names"} <= metadata.keys():
        raise SystemExit(f"{path} is no weight file of ardf; make one with ardf convert, or give the .pt checkpoint")
    family = metadata["architecture"]
    network = yolo.build_for(weights, family, metadata["variant"], json.loads(metadata.get("kpt_shape", "null")))
    network.names = dict(enumerate(json.loads(metadata["names"])))
    missing, unexpected = network.load_state_dict(weights, strict=False)
    if unexpected or any(not name.endswith("num_batches_tracked") for name in missing):
        raise SystemExit(f"{path} does not hold this network: missing {missing}, unexpected {unexpected}")
    for name, activation in json.loads(metadata.get("activations", "{}")).items():
        network.get_submodule(name).act = yolo.activation(activation)
    return family, network


def standard_size(architecture):
    """(height, width) of a network's input where nothing else is asked for."""
    side = 518 if not architecture.startswith("yolo") else 224 if architecture.endswith("-cls") else 640
    return side, side


def parse_size(text):
    """(height, width) of a text such as 480x640."""
    height, width = (int(part) for part in text.split("x"))
    return height, width
