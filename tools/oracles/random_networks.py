"""Networks with seeded random weights, and what is written beside such weights."""

import copy
from dataclasses import replace

import torch

from oracles import depth_anything, yolo
from oracles.random_weights import calibrate, clouds, randomise, uniform_image

#: The DFL logits are spread and the class logits kept low, as a trained detector has them.
YOLO_GAINS = {f"{branch}.{level}.2": gain for level in range(3) for branch, gain in (("cv2", 2.0), ("cv3", 1.0))}
YOLO_BIASES = {f"cv3.{level}.2": -4.0 for level in range(3)}
#: YOLO26 has distances, which are cells, and no distributions.
DIRECT_GAINS = YOLO_GAINS | {f"cv2.{level}.2": 1.0 for level in range(3)}
DIRECT_BIASES = YOLO_BIASES | {f"cv2.{level}.2": 4.0 for level in range(3)}

#: Layers without an activation before them keep their scale, residual branches add less than what they add to.
DEPTH_GAINS = {
    "attn.qkv": 1.0,
    "patch_embed.proj": 1.0,
    "out_conv": 1.0,
    "conv2": 0.7,
    "output_conv1": 1.0,
    "output_conv2.2": 0.5,
    "resConfUnit_depth.4": 0.7,
    **{f"projects.{index}": 1.0 for index in range(4)},
    **{f"resize_layers.{index}": 1.0 for index in (0, 1, 3)},
    **{f"layer{level}_rn": 1.0 for level in (1, 2, 3, 4)},
}

#: Keeps the last ReLU open nearly everywhere.
DEPTH_BIASES = {"output_conv2.2": 3.0}

#: A sigmoid is steepest at zero.
SIGMOID_BIASES = {"output_conv2.2": 0.0}

#: Names of depth networks, and their shapes.
DEPTH_SHAPES = {
    **{f"depth-anything-v2-{size}": shape for size, shape in depth_anything.SIZES.items()},
    **{f"depth-anything-v2-metric-{size}": replace(s, max_depth=20.0) for size, s in depth_anything.SIZES.items()},
    "prompt-depth-anything-small": depth_anything.Shape(prompted=True),
}


def random_yolo(family, variant, classes, seed, scale=None, keypoints=None):
    """A YOLO network with random weights."""
    is_direct = family.startswith("yolo26")
    gains, biases = (DIRECT_GAINS, DIRECT_BIASES) if is_direct else (YOLO_GAINS, YOLO_BIASES)
    model = randomise(yolo.build(family, variant, classes, scale, keypoints), seed, gains, biases)
    images = torch.cat([uniform_image(seed, 320, 320), clouds(seed, 5, 320, 320)])
    return calibrate(model, images, seed)


def random_depth(seed, shape=None):
    """A Depth Anything V2 network with random weights."""
    shape = shape or depth_anything.Shape()
    model = depth_anything.DepthAnything(shape).eval()
    biases = SIGMOID_BIASES if shape.prompted or shape.max_depth else DEPTH_BIASES
    return randomise(model, seed, DEPTH_GAINS, biases)


def yolo_metadata(family, variant, classes, source, keypoints=None):
    """The metadata that names a YOLO checkpoint."""
    more = {"kpt_shape": list(keypoints or (17, 3))} if family.endswith("-pose") else {}
    return more | {
        "format": "ardf.weights/1",
        "architecture": family,
        "variant": variant,
        "names": yolo.class_names(classes),
        "stride": "32",
        "source": source,
        "license": "none: random numbers",
    }


def depth_metadata(variant, source, shape=None):
    """The metadata that names a depth checkpoint."""
    shape = shape or depth_anything.Shape()
    greatest = {"max_depth": f"{shape.max_depth:g}"} if shape.max_depth else {}
    return greatest | {
        "format": "ardf.weights/1",
        "architecture": "prompt-depth-anything" if shape.prompted else "depth-anything-v2",
        "variant": variant,
        "source": source,
        "license": "none: random numbers",
    }


def published_yolo(model, names):
    """The content of a `.pt` file of ultralytics: the whole model in float16, and notes on its training."""
    model = copy.deepcopy(model).half()
    model.names = dict(enumerate(names))
    return {
        "epoch": -1,
        "best_fitness": None,
        "model": model,
        "ema": None,
        "updates": None,
        "optimizer": None,
        "train_args": {"task": yolo.TASKS[yolo.split(yolo.family_of(model))[1]], "mode": "train", "imgsz": 640},
        "date": "2024-01-01T00:00:00",
        "version": yolo.import_ultralytics().__version__,
        "license": "AGPL-3.0",
    }


def transformers_config(shape):
    """The `config.json` of a depth network, with the names of transformers."""
    backbone = {
        "model_type": "dinov2",
        "hidden_size": shape.embed_dim,
        "num_hidden_layers": shape.depth,
        "num_attention_heads": shape.heads,
        "image_size": 518,
        "patch_size": depth_anything.PATCH,
        "out_indices": [tap + 1 for tap in shape.taps],
        "reshape_hidden_states": False,
    }
    return {
        "model_type": "prompt_depth_anything" if shape.prompted else "depth_anything",
        "architectures": [f"{'Prompt' if shape.prompted else ''}DepthAnythingForDepthEstimation"],
        "backbone_config": backbone,
        "depth_estimation_type": "metric" if shape.prompted or shape.max_depth else "relative",
        "max_depth": int(shape.max_depth) if shape.max_depth else None if shape.prompted else 1,
        "reassemble_hidden_size": shape.embed_dim,
        "neck_hidden_sizes": list(shape.out_channels),
        "fusion_hidden_size": shape.features,
        "head_hidden_size": 32,
    }
