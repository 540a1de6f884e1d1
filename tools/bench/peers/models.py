"""The same network in every engine's own file format, and outputs in one form."""

import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TOOLS = Path(__file__).resolve().parents[2]
DETECTOR_SIZE, CLASSIFIER_SIZE, DEPTH_SIZE = (640, 640), (224, 224), (518, 518)
#: What a format's file is made of, the first that works, and by which script.
MAKERS = {
    "onnx": (("weights",), "bench/export-onnx.py"),
    "pt": (("weights",), "bench/export-onnx.py"),
    "bf16.pt": (("weights",), "bench/export-onnx.py"),
    "ncnn": (("pt", "onnx"), "bench/export-ncnn.py"),
    "tflite": (("weights",), "bench/export-litert.py"),
    "int8.xml": (("onnx",), "bench/export-int8.py"),
    "int8.onnx": (("onnx",), "bench/export-int8.py"),
    "int8.tflite": (("tflite",), "bench/export-int8.py"),
    "int8.ncnn": (("ncnn",), "bench/export-int8.py"),
}


def run_tool(python, script, *arguments):
    """Runs one of our scripts; whether it went well."""
    return subprocess.run([python, TOOLS / script, *arguments], check=False, stdout=sys.stderr).returncode == 0


def is_made(path):
    """Whether a model's file is there; ncnn's are two."""
    return (path.with_name(f"{path.name}.bin") if path.suffix == ".ncnn" else path).exists()


def parse_shape(text):
    """The sides of a text such as 1x3x480x640."""
    return tuple(map(int, text.split("x")))


def size_of(model):
    """Height and width of the input of a model."""
    if not model.startswith("yolo"):
        return DEPTH_SIZE
    return CLASSIFIER_SIZE if model.endswith("-cls") else DETECTOR_SIZE


@dataclass
class Model:
    """A network and its files. `size` is that of the image a model of ours reads; an ONNX file has `names` of outputs
    instead. `base` is where files are made, `kind` the recipe of 8 bits."""

    name: str
    base: Path
    shape: tuple
    kind: str
    input: str
    files: dict
    size: tuple | None = None
    names: list | None = None
    missing: set = field(default_factory=set)

    def make(self, format, litert_python, pictures):
        """Whether a format's file is there, made where it is not; a converter that fails or is not installed leaves it
        out. `pictures` is a folder to calibrate 8 bits on; noise without one."""
        if format in self.files or format in self.missing:
            return format in self.files
        sources, script = MAKERS.get(format, ((), None))
        path = self.base.with_name(f"{self.base.name}.{format}")
        python = litert_python if format.endswith("tflite") else sys.executable
        options = ["--shape", "x".join(map(str, self.shape)), "--out", path]
        if script == "bench/export-int8.py":
            options += ["--kind", self.kind, *(["--calibrate", pictures] if pictures else [])]
        made = is_made(path) or any(
            python is not None
            and self.make(source, litert_python, pictures)
            and run_tool(python, script, "--model", self.files[source], *options)
            for source in sources
        )
        if made:
            self.files[format] = str(path)
        else:
            self.missing.add(format)
        return made


def own_model(name, work):
    """A model of ours with seeded random weights, made where they are not there."""
    size = size_of(name)
    weights = work / f"{name}.safetensors"
    if not weights.exists():
        run_tool(sys.executable, "reference/make-random-checkpoint.py", name, "--out", weights)
    image = work / f"input-{size[0]}x{size[1]}.npy"
    np.save(image, drawn().random((1, 3, *size), dtype=np.float32))
    kind = "convolutional" if name.startswith("yolo") else "transformer"
    return Model(name, work / name, (1, 3, *size), kind, str(image), {"weights": str(weights)}, size=size)


def drawn():
    return np.random.Generator(np.random.PCG64(1))


def onnx_model(name, path, work):
    """An ONNX file with drawn inputs of its shapes; one that leaves an axis free has no shape to be measured with.

    TorchScript of the same network lies beside it, as NAME.pt and NAME.bf16.pt.
    """
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    known = {tensor.name for tensor in graph.initializer}
    numbers, inputs = drawn(), {}
    for value in graph.input:
        if value.name in known:
            continue
        tensor = value.type.tensor_type
        shape = [axis.dim_value for axis in tensor.shape.dim]
        if not all(shape):
            raise SystemExit(f"{path}: the input {value.name} has free axes")
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        inputs[value.name] = numbers.random(shape, dtype=np.float32).astype(dtype)
    # Files of another network of the same name, or of this one before it changed, are not taken for its own.
    base = work / f"{name}-{zlib.crc32(path.read_bytes()):08x}"
    file = base.with_name(f"{base.name}.input.npz")
    np.savez(file, **inputs)
    beside = {name: path.with_suffix(f".{name}") for name in ("pt", "bf16.pt")}
    files = {"onnx": str(path)} | {name: str(file) for name, file in beside.items() if file.exists()}
    shape = next(iter(inputs.values())).shape
    names = [output.name for output in graph.output]
    return Model(name, base, shape, kind_of(graph), str(file), files, names=names)


def kind_of(graph):
    """A transformer has more products with matrices of weights than convolutions."""
    known = {tensor.name for tensor in graph.initializer}
    products = sum(node.op_type in ("MatMul", "Gemm") and node.input[1] in known for node in graph.node)
    return "transformer" if products > sum(node.op_type == "Conv" for node in graph.node) else "convolutional"


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
    """Difference of ONNX Runtime's outputs of a file where its weights alone are rounded to bfloat16; networks of
    random weights enlarge it."""
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

    Rows that a network chooses by their scores may change places where two are near: columns are compared in order
    then.
    """
    return max(
        min(apart(outputs[name], wanted), apart(*map(ordered, (outputs[name], wanted))))
        for name, wanted in reference.items()
    )


def apart(found, wanted):
    """Infinite for another shape, or numbers that are not finite."""
    if found.shape != wanted.shape or not np.isfinite(found).all():
        return float("inf")
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def ordered(values):
    """Each column of a list of rows in order; other tensors as they are."""
    return np.sort(values, axis=0) if values.ndim == 2 else values
