"""YOLO11-seg from the ultralytics package, and its outputs by name."""

import copy
import functools
import zipfile
from pathlib import Path

import torch

from oracles.torchvision_operators import declare_operators

#: The variants published, and (depth multiple, width multiple, most channels) of each.
SCALES = {
    "n": (0.50, 0.25, 1024),
    "s": (0.50, 0.50, 1024),
    "m": (0.50, 1.00, 512),
    "l": (1.00, 1.00, 512),
    "x": (1.00, 1.50, 512),
}


@functools.cache
def import_ultralytics():
    """The ultralytics package."""
    declare_operators()
    import ultralytics

    return ultralytics


def build(variant, classes=80, scale=None):
    """The untrained network of one variant; `scale` replaces its multiples (a small network of its kind)."""
    folder = Path(import_ultralytics().__file__).parent
    import yaml
    from ultralytics.nn import tasks

    description = yaml.safe_load((folder / "cfg/models/11/yolo11-seg.yaml").read_text(encoding="utf-8"))
    description["scales"] = {variant: list(scale or SCALES[variant])}
    description["scale"] = variant
    return tasks.SegmentationModel(description, nc=classes, verbose=False).eval()


def build_for(weights, variant):
    """The untrained network that a checkpoint's `weights` fit.

    A fine-tuned network may have other classes than its base and keep the width of the base's class branches.
    """
    classes, hidden = weights["model.23.cv3.0.2.weight"].shape[:2]
    network = build(variant, classes)
    if network.model[-1].cv3[0][2].in_channels == hidden:
        return network
    # A network made for that many classes has the width; its last layers are exchanged.
    network = build(variant, hidden)
    head = network.model[-1]
    for branch in head.cv3:
        branch[2] = torch.nn.Conv2d(hidden, classes, 1)
    head.nc, head.no = classes, classes + 4 * head.reg_max
    return network.eval()


def class_names():
    """The 80 COCO class names."""
    import yaml

    folder = Path(import_ultralytics().__file__).parent
    names = yaml.safe_load((folder / "cfg/datasets/coco.yaml").read_text(encoding="utf-8"))["names"]
    return [names[index] for index in range(len(names))]


def load(path):
    """The network of an official `.pt` checkpoint, in fp32."""
    ultralytics = import_ultralytics()
    if not zipfile.is_zipfile(path):
        raise SystemExit(f"{path} is not a PyTorch checkpoint")
    return ultralytics.YOLO(path, task="segment").model.float().eval()


def state(model):
    """The weights under the checkpoint's keys, without the training counters."""
    return {k: v for k, v in model.state_dict().items() if not k.endswith("num_batches_tracked")}


def outputs(model, image, dtype=torch.float64):
    """Every raw head and the decoded tensor for an image (1, 3, H, W), evaluated in `dtype`.

    `box.L` (1, 64, h, w) bin logits, side-major; `cls.L` (1, classes, h, w) logits; `coef.L` (1, 32, h, w) for
    level L = 0, 1, 2 at strides 8, 16, 32; `proto` (1, 32, H/4, W/4); `output0` (1, 4 + classes + 32, N).
    """
    model = copy.deepcopy(model).to(dtype)
    with torch.inference_mode():
        return named_outputs(model(image.to(dtype)))


def named_outputs(result):
    """The tensors named in `outputs` of what the network, or its head, returns."""
    (decoded, proto), raw = result
    named = {"output0": decoded, "proto": proto}
    start = 0
    for level, feature in enumerate(raw["feats"]):
        height, width = feature.shape[-2:]
        cells = slice(start, start + height * width)
        for name, key in (("box", "boxes"), ("cls", "scores"), ("coef", "mask_coefficient")):
            values = raw[key][..., cells]
            named[f"{name}.{level}"] = values.reshape(*values.shape[:2], height, width)
        start += height * width
    return named
