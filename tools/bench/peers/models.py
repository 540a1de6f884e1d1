"""The same seeded random network in every engine's own file format, and outputs in one form."""

import subprocess
import sys
import zlib
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


def onnx_model(path, work):
    """An ONNX file with drawn inputs of its shapes; one that leaves an axis free has no shape to be measured with."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    known = {tensor.name for tensor in graph.initializer}
    numbers, inputs = np.random.Generator(np.random.PCG64(1)), {}
    for value in graph.input:
        if value.name in known:
            continue
        tensor = value.type.tensor_type
        shape = [axis.dim_value for axis in tensor.shape.dim]
        if not all(shape):
            raise SystemExit(f"{path}: the input {value.name} has free axes")
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        inputs[value.name] = numbers.random(shape, dtype=np.float32).astype(dtype)
    # One file's inputs do not replace another's of the same name.
    file = work / f"input-{zlib.crc32(str(path.resolve()).encode()):08x}.npz"
    np.savez(file, **inputs)
    return {"size": None, "files": {"onnx": str(path)}, "input": str(file)}


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


def weights_rounded(file, inputs):
    """Difference of ONNX Runtime's outputs of a file where its weights alone are rounded to bfloat16; networks of random
    weights enlarge it."""
    import onnx
    import onnxruntime

    def run(model):
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        with np.load(inputs) as values:
            found = session.run(None, {name: values[name] for name in values.files})
        return {output.name: np.squeeze(value) for output, value in zip(session.get_outputs(), found, strict=True)}

    model = onnx.load(file)
    exact = run(model.SerializeToString())
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.ndim > 1:
            bits = np.ascontiguousarray(values).view(np.uint32)
            nearest = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
            tensor.CopyFrom(onnx.numpy_helper.from_array(nearest.view(np.float32), tensor.name))
    return difference(run(model.SerializeToString()), exact)


def difference(outputs, reference):
    """The largest difference of any output, relative to the output's largest magnitude.

    Rows that a network chooses by their scores may change places where two are near: columns are compared in order then.
    """
    return max(min(apart(outputs[name], wanted), apart(*map(ordered, (outputs[name], wanted))))
               for name, wanted in reference.items())


def apart(found, wanted):
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def ordered(values):
    """Each column of a list of rows in order; other tensors as they are."""
    return np.sort(values, axis=0) if values.ndim == 2 else values
