#!/usr/bin/env python3
"""Writes a checkpoint of seeded random weights: the exact architecture and keys, no training.

python tools/reference/make-random-checkpoint.py yolo11n-seg --seed 1 --out yolo11n-seg-random.safetensors
python tools/reference/make-random-checkpoint.py yolo26s --seed 1 --out yolo26s-random.pt
python tools/reference/make-random-checkpoint.py depth-anything-v2-small --seed 1 --out depth-random.safetensors
python tools/reference/make-random-checkpoint.py depth-anything-v2-metric-small --max-depth 20 --out metric.safetensors
python tools/reference/make-random-checkpoint.py prompt-depth-anything-small --out prompt-random.safetensors

With `--transformers` the names are Hugging Face's, and `config.json` is written beside them.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import yolo
from oracles.random_networks import (
    DEPTH_SHAPES,
    depth_metadata,
    published_yolo,
    random_depth,
    random_yolo,
    transformers_config,
    yolo_metadata,
)
from oracles.tensor_files import save_tensors
from oracles.transformers_names import transformers_state


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "model", choices=yolo.names() + list(DEPTH_SHAPES), metavar="model", help="such as yolo11n-pose"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classes", type=int, help="number of classes; by default those of the published")
    parser.add_argument("--keypoints", type=int, nargs=2, metavar=("COUNT", "2|3"), help="of a pose network")
    parser.add_argument("--max-depth", type=float, default=20.0, help="of a metric network, meters")
    parser.add_argument("--transformers", action="store_true", help="depth weights under the names of transformers")
    parser.add_argument("--out", required=True, help="file to write: .safetensors, .pt, .pth or .ckpt")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    source = f"random seed {arguments.seed}"
    if arguments.model.startswith("yolo"):
        family, variant = yolo.parsed(arguments.model)
        classes = arguments.classes or yolo.CLASSES[yolo.split(family)[1]]
        model = random_yolo(family, variant, classes, arguments.seed, keypoints=arguments.keypoints)
        metadata = yolo_metadata(family, variant, classes, source, arguments.keypoints)
        weights = yolo.state(model)
        published = published_yolo(model, metadata["names"])
    else:
        shape = DEPTH_SHAPES[arguments.model]
        if shape.max_depth:
            shape = replace(shape, max_depth=arguments.max_depth)
        metadata = depth_metadata(arguments.model.rpartition("-")[2], source, shape)
        weights = published = random_depth(arguments.seed, shape).state_dict()
        if shape.prompted:  # as Prompt Depth Anything's authors save it
            published = {"state_dict": {f"pipeline.{name}": value for name, value in weights.items()}}
        if arguments.transformers:
            weights = transformers_state(weights, shape.depth)
            metadata = {"format": "pt"}
            config = json.dumps(transformers_config(shape), indent=2)
            (Path(arguments.out).parent / "config.json").write_text(config + "\n", encoding="utf-8")
    if Path(arguments.out).suffix in (".pt", ".pth", ".ckpt"):
        torch.save(published, arguments.out)
    else:
        save_tensors(arguments.out, weights, metadata)
    print(f"{arguments.out}: {len(weights)} tensors, {sum(v.numel() for v in weights.values())} values")


if __name__ == "__main__":
    main()
