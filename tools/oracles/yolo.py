"""YOLO networks from the ultralytics package, and their outputs by name."""

import copy
import functools
import math
import re
import zipfile
from pathlib import Path

import torch

from oracles.torchvision_operators import import_torchvision

#: The families that are supported, by where ultralytics describes them, and the class of each task's network.
FOLDERS = {"yolov8": "v8", "yolo11": "11", "yolo26": "26"}
MODELS = {
    "": "DetectionModel",
    "-seg": "SegmentationModel",
    "-pose": "PoseModel",
    "-obb": "OBBModel",
    "-cls": "ClassificationModel",
}
VARIANTS = "nsmlx"
#: Tasks as ultralytics calls them.
TASKS = {"": "detect", "-seg": "segment", "-pose": "pose", "-obb": "obb", "-cls": "classify"}
#: Classes of the published checkpoints.
CLASSES = {"": 80, "-seg": 80, "-pose": 1, "-obb": 15, "-cls": 1000}
#: What the raw outputs of each task are called besides boxes and classes, and in ultralytics.
EXTRAS = {"-seg": ("coef", "mask_coefficient"), "-pose": ("kpts", "kpts"), "-obb": ("angle", "angle")}


def families():
    """All families, such as `yolo11-seg`."""
    return [family + suffix for family in FOLDERS for suffix in MODELS]


def names():
    """All networks, such as `yolo11n-seg`."""
    return [named(family, variant) for family in families() for variant in VARIANTS]


def named(family, variant):
    """The name of a family's variant: `yolo11n-seg`."""
    design, suffix = split(family)
    return f"{design}{variant}{suffix}"


def split(family):
    """(design, suffix) of a family: `yolo11`, `-seg`."""
    return re.fullmatch(r"(yolo(?:v8|11|26))(-\w+)?", family).groups(default="")


def parsed(name):
    """(family, variant) of a network's name."""
    design, variant, suffix = re.fullmatch(r"(yolo(?:v8|11|26))([nsmlx])(-\w+)?", name).groups(default="")
    return design + suffix, variant


@functools.cache
def import_ultralytics():
    """The ultralytics package."""
    import_torchvision()
    import ultralytics

    return ultralytics


def build(family, variant, classes=None, scale=None, keypoints=None):
    """The untrained network of one variant; `scale` replaces its multiples (a small network of its kind)."""
    package = Path(import_ultralytics().__file__).parent
    import yaml
    from ultralytics.nn import tasks

    design, suffix = split(family)
    path = package / f"cfg/models/{FOLDERS[design]}/{family}.yaml"
    if not path.exists():
        path = path.with_name(f"{design}.yaml")
    description = yaml.safe_load(path.read_text(encoding="utf-8"))
    if scale:
        description["scales"] = {variant: list(scale)}
    description["scale"] = variant
    if keypoints:
        description["kpt_shape"] = list(keypoints)
    return getattr(tasks, MODELS[suffix])(description, nc=classes or CLASSES[suffix], verbose=False).eval()


def build_for(weights, family, variant, keypoints=None):
    """The untrained network that a checkpoint's `weights` fit.

    A fine-tuned network may have other classes than its base and keep the width of the base's class branches.
    """
    design, suffix = split(family)
    if suffix == "-cls":
        (name,) = (name for name in weights if name.endswith(".linear.weight"))
        return build(family, variant, weights[name].shape[0])
    branch = "one2one_cv3" if design == "yolo26" else "cv3"
    (name,) = (name for name in weights if re.fullmatch(rf"model\.\d+\.{branch}\.0\.2\.weight", name))
    classes, hidden = weights[name].shape[:2]
    network = build(family, variant, classes, keypoints=keypoints)
    if network.model[-1].cv3[0][2].in_channels == hidden:
        return network
    # A network made for that many classes has the width; its last layers are exchanged.
    network = build(family, variant, hidden, keypoints=keypoints)
    head = network.model[-1]
    for name in ("cv3", "one2one_cv3"):
        for branch in getattr(head, name, None) or []:
            branch[2] = torch.nn.Conv2d(hidden, classes, 1)
    head.nc, head.no = classes, classes + 4 * head.reg_max
    return network.eval()


def activation(name):
    """The activation that the metadata of a weight file names: `relu`, `leakyrelu 0.1`."""
    kind, _, slope = name.partition(" ")
    if kind == "leakyrelu":
        return torch.nn.LeakyReLU(float(slope))
    kinds = {"none": "Identity", "relu": "ReLU", "silu": "SiLU", "gelu": "GELU", "sigmoid": "Sigmoid"}
    return getattr(torch.nn, kinds[kind])()


def class_names(count=80):
    """The 80 COCO class names, or as many as there are."""
    import yaml

    if count != 80:
        return [f"class {index}" for index in range(count)]
    folder = Path(import_ultralytics().__file__).parent
    names = yaml.safe_load((folder / "cfg/datasets/coco.yaml").read_text(encoding="utf-8"))["names"]
    return [names[index] for index in range(len(names))]


def load(path):
    """The network of a `.pt` checkpoint, in fp32."""
    ultralytics = import_ultralytics()
    if not zipfile.is_zipfile(path):
        raise SystemExit(f"{path} is not a PyTorch checkpoint")
    return ultralytics.YOLO(path).model.float().eval()


def family_of(model):
    """The family of a network, such as `yolo11-seg`."""
    suffix = next(suffix for suffix, name in MODELS.items() if name == type(model).__name__)
    head = model.model[-1]
    if suffix == "-cls":
        return ("yolo11" if len(model.model) == 11 else "yolov8") + suffix
    design = "yolo26" if getattr(head, "reg_max", 16) == 1 else "yolo11" if len(model.model) == 24 else "yolov8"
    return design + suffix


def predict_settings(model):
    """The settings with which `predict` uses the head that gives each object one box, where there is one."""
    return {"nms": False} if hasattr(model.model.model[-1], "one2one_cv2") else {}


def state(model):
    """The weights under the checkpoint's keys, without the training counters."""
    return {k: v for k, v in model.state_dict().items() if not k.endswith("num_batches_tracked")}


def outputs(model, image, dtype=torch.float64):
    """Every raw head and the decoded tensor for an image (1, 3, H, W), evaluated in `dtype`.

    `box.L` (1, 64 or 4, h, w), side-major; `cls.L` (1, classes, h, w) logits; of level L = 0, 1, 2 at strides 8, 16,
    32 also `coef.L`, `kpts.L` or `angle.L` (logits, but of YOLO26); `proto` (1, 32, H/4, W/4); `output0`
    (1, 4 + classes + extras, N), of an end-to-end head before the best are chosen. Of a classifier `logits` and
    `probabilities`, (1, classes).
    """
    model = copy.deepcopy(model).to(dtype)
    with torch.inference_mode():
        return named_outputs(model, model(image.to(dtype)))


def named_outputs(model, result):
    """The tensors named in `outputs` of what the network returns."""
    family = family_of(model)
    design, suffix = split(family)
    if suffix == "-cls":
        return {"probabilities": result[0], "logits": result[1]}
    decoded, raw = result
    named = {}
    if suffix == "-seg":
        decoded, named["proto"] = decoded
    if "one2one" in raw:
        head, raw = model.model[-1], raw["one2one"]
        head.end2end = True  # as `predict(nms=False)` sets it; by default Ultralytics 8.4 takes the other head
        decoded = head._inference(raw)
    named["output0"] = decoded
    maps = [("box", "boxes"), ("cls", "scores")] + ([EXTRAS[suffix]] if suffix in EXTRAS else [])
    start = 0
    for level, feature in enumerate(raw["feats"]):
        height, width = feature.shape[-2:]
        cells = slice(start, start + height * width)
        for name, key in maps:
            values = raw[key][..., cells]
            if name == "angle" and design != "yolo26":  # the head itself turns its logits into angles
                values = torch.logit(values / math.pi + 0.25)
            named[f"{name}.{level}"] = values.reshape(*values.shape[:2], height, width)
        start += height * width
    return named
