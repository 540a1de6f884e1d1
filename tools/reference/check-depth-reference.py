#!/usr/bin/env python3
"""Compares `oracles/depth_anything.py` with the Depth Anything of the transformers package at random weights.

    python tools/reference/check-depth-reference.py --size 518x518
    python tools/reference/check-depth-reference.py prompt-depth-anything-small

transformers resamples the position embedding to the exact grid instead of with scales (n + 0.1) / 37, so the two
are the same network at 518 x 518 only; at other sizes its embedding is replaced by ours before comparing.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.checkpoints import parse_size
from oracles.depth_anything import PATCH, interpolate_positions
from oracles.random_networks import DEPTH_SHAPES, random_depth
from oracles.random_weights import normal_image, random_prompt
from oracles.torchvision_operators import import_torchvision
from oracles.transformers_names import transformers_state

#: Meters that a prompt reaches from and to.
NEAREST, FARTHEST = 0.8, 4.3


def transformers_network(shape):
    """The untrained network with the small variant's sizes and the taps of version 2."""
    import_torchvision()
    from transformers import AutoModelForDepthEstimation, DepthAnythingConfig, Dinov2Config, PromptDepthAnythingConfig

    backbone = Dinov2Config(
        hidden_size=shape.embed_dim,
        num_hidden_layers=shape.depth,
        num_attention_heads=shape.heads,
        image_size=518,
        patch_size=PATCH,
        out_features=[f"stage{tap + 1}" for tap in shape.taps],
        reshape_hidden_states=False,
    )
    config = (PromptDepthAnythingConfig if shape.prompted else DepthAnythingConfig)(
        backbone_config=backbone,
        reassemble_hidden_size=shape.embed_dim,
        neck_hidden_sizes=list(shape.out_channels),
        fusion_hidden_size=shape.features,
        head_hidden_size=32,
        depth_estimation_type="metric" if shape.prompted or shape.max_depth else "relative",
        max_depth=int(shape.max_depth or 1),
    )
    return AutoModelForDepthEstimation.from_config(config).eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", nargs="?", choices=DEPTH_SHAPES, default="depth-anything-v2-small")
    parser.add_argument("--size", type=parse_size, default=(518, 518), help="height x width")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-5, help="largest relative difference accepted")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    shape = DEPTH_SHAPES[arguments.model]
    ours = random_depth(arguments.seed, shape)
    theirs = transformers_network(shape)
    theirs.load_state_dict(transformers_state(ours.state_dict(), shape.depth))
    height, width = arguments.size
    image = normal_image(arguments.seed, height, width)
    embedding = interpolate_positions(ours.pretrained.pos_embed, height // PATCH, width // PATCH)
    theirs.backbone.embeddings.interpolate_pos_encoding = lambda *_: embedding
    with torch.inference_mode():
        if shape.prompted:
            # In meters: ours get as arguments what theirs take from the prompt.
            prompt = random_prompt(arguments.seed)
            a = ours(image, prompt) * (FARTHEST - NEAREST) + NEAREST
            b = theirs(image, prompt_depth=prompt * (FARTHEST - NEAREST) + NEAREST).predicted_depth
        else:
            a, b = ours(image), theirs(image).predicted_depth
    difference = float((a - b).abs().max() / b.abs().max())
    print(f"{height}x{width}: largest difference {difference:.2e} of the largest value")
    raise SystemExit(difference > arguments.tolerance)


if __name__ == "__main__":
    main()
