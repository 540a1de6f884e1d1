"""The same seeded random network in every engine's own file format, and outputs in one form."""

import subprocess
import sys
from pathlib import Path

import numpy as np

TOOLS = Path(__file__).resolve().parents[2]
DETECTOR_SIZE, CLASSIFIER_SIZE, DEPTH_SIZE = (640, 640), (224, 224), (518, 518)
#: Files that are quantized, by what is read to make them.
QUANTIZED = {"int8.xml": "onnx", "int8.onnx": "onnx", "int8.tflite": "tflite", "int8.ncnn": "ncnn"}


def run_tool(python, script, *arguments):
    """Runs one of our scripts; whether it went well."""
    return subprocess.run([python, TOOLS / script, *arguments], check=False, stdout=sys.stderr).returncode == 0


def is_made(path):
    """Whether a model's file is there; ncnn's are two."""
    return (path.with_name(f"{path.name}.bin") if path.suffix == ".ncnn" else path).exists()


def size_of(model):
    """Height and width of the input of a model, or of a file that is named after one."""
    if not model.startswith("yolo"):
        return DEPTH_SIZE
    return CLASSIFIER_SIZE if model.split(".")[0].endswith("-cls") else DETECTOR_SIZE


def make_model(model, work, formats, litert_python, pictures):
    """Size, input and files of a model, made where they are not there.

    A format that cannot be made, or whose converter is not installed, is left out. `pictures` is a folder to calibrate
    8 bits on; noise without one.
    """
    size = size_of(model)
    text = f"{size[0]}x{size[1]}"
    paths = {
        "weights": work / f"{model}.safetensors",
        "onnx": work / f"{model}.onnx",
        "ncnn": work / f"{model}.ncnn",
        "tflite": work / f"{model}.tflite",
        **{name: work / f"{model}.{name}" for name in QUANTIZED},
    }
    if not paths["weights"].exists():
        run_tool(sys.executable, "reference/make-random-checkpoint.py", model, "--out", paths["weights"])
    makers = {
        "onnx": ("bench/export-onnx.py", sys.executable),
        "ncnn": ("bench/export-ncnn.py", sys.executable),
        "tflite": ("bench/export-litert.py", litert_python),
    }
    files = {"weights": str(paths["weights"])}
    order = sorted(formats - {"weights", *QUANTIZED} | {QUANTIZED[name] for name in formats & set(QUANTIZED)})
    for name in order:
        script, python = makers[name]
        path = paths[name]
        made = is_made(path) or (
            python is not None
            and run_tool(python, script, "--weights", paths["weights"], "--size", text, "--out", path)
        )
        if made:
            files[name] = str(path)
        else:
            print(f"{model}: no {name} file; engines that read one are left out", file=sys.stderr)
    for name in sorted(formats & set(QUANTIZED)):
        options = ["--kind", "detector" if model.startswith("yolo") else "depth", "--out", paths[name]]
        options += ["--calibrate", pictures] if pictures else []
        source = files.get(QUANTIZED[name])
        python = litert_python if name == "int8.tflite" else sys.executable
        if is_made(paths[name]) or (source and run_tool(python, "bench/export-int8.py", "--model", source, *options)):
            files[name] = str(paths[name])
        else:
            print(f"{model}: no {name} file; engines that read one are left out", file=sys.stderr)
    image = work / f"input-{text}.npy"
    np.save(image, np.random.Generator(np.random.PCG64(1)).random((1, 3, *size), dtype=np.float32))
    return {"size": size, "files": files, "input": str(image)}


def load_outputs(path):
    """An engine's outputs by their names, channels first, from the file it wrote."""
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return {name: np.squeeze(archive[name]) for name in archive.files}
    from safetensors.numpy import load_file

    # Of a classifier the other engines give probabilities alone.
    return {
        name: np.squeeze(values) if name in ("depth", "probabilities") else np.moveaxis(values, -1, 0)
        for name, values in load_file(path).items()
        if name != "logits"
    }


def difference(outputs, reference):
    """The largest difference of any output, relative to the output's largest magnitude."""
    return max(float(np.abs(outputs[name] - wanted).max() / np.abs(wanted).max()) for name, wanted in reference.items())
