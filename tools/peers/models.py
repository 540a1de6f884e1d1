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


def run_tool(python, script, *arguments):
    """Runs one of our scripts; whether it went well."""
    return subprocess.run([python, TOOLS / script, *arguments], check=False, stdout=sys.stderr).returncode == 0


def make_model(model, work, formats, litert_python):
    """Size, input and files of a model, made where they are not there.

    A format that cannot be made, or whose converter is not installed, is left out.
    """
    size = SIZES.get(model, DETECTOR_SIZE)
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


def decoded(maps):
    """The detector's `output0` of the raw maps of its head, which lie channels last."""
    columns = []
    for level, stride in enumerate(STRIDES):
        box, classes, coefficients = (maps[f"{name}.{level}"] for name in ("box", "cls", "coef"))
        height, width, _ = box.shape
        logits = box.reshape(height, width, 4, BINS)
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        sides = (weights / weights.sum(-1, keepdims=True)) @ np.arange(BINS, dtype=np.float32)
        y, x = np.mgrid[:height, :width] + 0.5
        left, top, right, bottom = (x - sides[..., 0], y - sides[..., 1], x + sides[..., 2], y + sides[..., 3])
        boxes = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], -1) * stride
        cells = np.concatenate([boxes, 1 / (1 + np.exp(-classes)), coefficients], -1)
        columns.append(cells.reshape(height * width, -1))
    return np.concatenate(columns).T


def load_outputs(path):
    """An engine's outputs by their ONNX names, from the file it wrote."""
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return {name: np.squeeze(archive[name]) for name in archive.files}
    from safetensors.numpy import load_file

    maps = load_file(path)
    if "depth" in maps:
        return {"depth": np.squeeze(maps["depth"])}
    return {"output0": decoded(maps), "proto": np.moveaxis(maps["proto"], -1, 0)}


def difference(outputs, reference):
    """The largest difference of any output, relative to the output's largest magnitude."""
    return max(float(np.abs(outputs[name] - wanted).max() / np.abs(wanted).max()) for name, wanted in reference.items())
