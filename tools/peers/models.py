"""The same seeded random network in every engine's own file format, and outputs in one form."""

import subprocess
import sys
from pathlib import Path

import numpy as np

TOOLS = Path(__file__).resolve().parent.parent
SIZES = {"depth-anything-v2-small": (518, 518)}
DETECTOR_SIZE = (640, 640)
#: Bins of a box side's distribution, and pixels of a cell, of the detector's head.
BINS, STRIDES = 16, (8, 16, 32)
CLASSIFIER_SIZE = (224, 224)


def size_of(model):
    """(height, width) of a network's input."""
    return SIZES.get(model) or (CLASSIFIER_SIZE if model.endswith("-cls") else DETECTOR_SIZE)


def run_tool(python, script, *arguments):
    """Runs one of our scripts; whether it went well."""
    return subprocess.run([python, TOOLS / script, *arguments], check=False, stdout=sys.stderr).returncode == 0


def make_model(model, work, formats, litert_python):
    """Size, input and files of a model, made where they are not there.

    A format that cannot be made, or whose converter is not installed, is left out.
    """
    size = size_of(model)
    text = f"{size[0]}x{size[1]}"
    paths = {
        "weights": work / f"{model}.safetensors",
        "onnx": work / f"{model}.onnx",
        "ncnn": work / f"{model}.ncnn",
        "tflite": work / f"{model}.tflite",
        "int8": work / f"{model}.int8.xml",
    }
    if not paths["weights"].exists():
        run_tool(sys.executable, "make_random_checkpoint.py", model, "--out", paths["weights"])
    makers = {
        "onnx": ("export_onnx.py", sys.executable),
        "ncnn": ("export_ncnn.py", sys.executable),
        "tflite": ("export_litert.py", litert_python),
    }
    files = {"weights": str(paths["weights"])}
    # What is quantised is the ONNX file.
    order = sorted(formats - {"weights", "int8"} | ({"onnx"} if "int8" in formats else set()))
    for name in order:
        script, python = makers[name]
        path = paths[name]
        present = path.with_suffix(".ncnn.bin") if name == "ncnn" else path
        made = present.exists() or (
            python is not None
            and run_tool(python, script, "--weights", paths["weights"], "--size", text, "--out", path)
        )
        if made:
            files[name] = str(path)
        else:
            print(f"{model}: no {name} file; engines that read one are left out", file=sys.stderr)
    if "int8" in formats and "onnx" in files:
        kind = "depth" if model in SIZES else "detector"
        options = ("--onnx", files["onnx"], "--kind", kind, "--out", paths["int8"])
        if paths["int8"].exists() or run_tool(sys.executable, "export_int8.py", *options):
            files["int8"] = str(paths["int8"])
    image = work / f"input-{text}.npy"
    np.save(image, np.random.Generator(np.random.PCG64(1)).random((1, 3, *size), dtype=np.float32))
    return {"size": size, "files": files, "input": str(image)}


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def sides_of(box):
    """Left, top, right and bottom, (4, height, width), of a box map: distributions, or plain distances."""
    if box.shape[-1] == 4:
        return np.moveaxis(box, -1, 0)
    logits = box.reshape(*box.shape[:2], 4, BINS)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.moveaxis((weights / weights.sum(-1, keepdims=True)) @ np.arange(BINS, dtype=np.float32), -1, 0)


def extras_of(maps, level, stride, x, y, is_direct):
    """What a level says of objects besides boxes and classes, and the angles of boxes."""
    for name in ("coef", "kpts", "angle"):
        values = maps.get(f"{name}.{level}")
        if values is None:
            continue
        if name == "angle":
            angle = values[..., 0] if is_direct else (sigmoid(values[..., 0]) - 0.25) * np.pi
            return angle[..., None], angle
        if name == "kpts":
            values = values.copy()
            for axis, cell in ((0, x), (1, y)):
                raw = values[..., axis::3]
                values[..., axis::3] = (
                    raw + cell[..., None] if is_direct else raw * 2 + cell[..., None] - 0.5
                ) * stride
            values[..., 2::3] = sigmoid(values[..., 2::3])
        return values, None
    return np.zeros((*x.shape, 0), np.float32), None


def decoded(maps, is_direct):
    """The detector's `output0` of the raw maps of its head, which lie channels last; key points have three numbers."""
    columns = []
    for level, stride in enumerate(STRIDES):
        box, classes = maps[f"box.{level}"], maps[f"cls.{level}"]
        height, width, _ = box.shape
        left, top, right, bottom = sides_of(box)
        y, x = np.mgrid[:height, :width] + 0.5
        extras, angle = extras_of(maps, level, stride, x, y, is_direct)
        if angle is not None:
            along, across = (right - left) / 2, (bottom - top) / 2
            cosine, sine = np.cos(angle), np.sin(angle)
            corners = [
                along * cosine - across * sine + x,
                along * sine + across * cosine + y,
                left + right,
                top + bottom,
            ]
        elif is_direct:
            corners = [x - left, y - top, x + right, y + bottom]
        else:
            low, high = (x - left, y - top), (x + right, y + bottom)
            corners = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[0] - low[0], high[1] - low[1]]
        cells = np.concatenate([np.stack(corners, -1) * stride, sigmoid(classes), extras], -1)
        columns.append(cells.reshape(height * width, -1))
    return np.concatenate(columns).T


def load_outputs(path, model):
    """An engine's outputs by their ONNX names, from the file it wrote."""
    if path.suffix == ".npz":
        with np.load(path) as archive:
            outputs = {name: np.squeeze(archive[name]) for name in archive.files}
        # Engines without names of outputs call a single one depth.
        return {"output0": outputs["depth"]} if model.startswith("yolo") and "depth" in outputs else outputs
    from safetensors.numpy import load_file

    maps = load_file(path)
    if "depth" in maps:
        return {"depth": np.squeeze(maps["depth"])}
    if "probabilities" in maps:
        return {"output0": np.squeeze(maps["probabilities"])}
    proto = {"proto": np.moveaxis(maps["proto"], -1, 0)} if "proto" in maps else {}
    return {"output0": decoded(maps, model.startswith("yolo26"))} | proto


def difference(outputs, reference):
    """The largest difference of any output, relative to the output's largest magnitude."""
    return max(float(np.abs(outputs[name] - wanted).max() / np.abs(wanted).max()) for name, wanted in reference.items())
