"""Engines on one CPU, each run in a child process.

An opener takes the model's files and a number of threads, and returns a function from an image (1, 3, H, W), or from
the inputs of an ONNX file by their names, to the outputs: by their ONNX names, or a list where the engine has lost
them (`labeled`). Libraries are imported where they are used: each needs its own installation, and the
import belongs to the cold start.
"""

import json
import os
import time
from dataclasses import dataclass
from importlib import util
from pathlib import Path

import numpy as np

from peers import layers

OURS = "ardf"


def named(values):
    """Outputs without names, by what only one of them can be: a detector's maps differ in channels or in size."""
    arrays = [np.squeeze(np.asarray(value)) for value in values]
    if len(arrays) == 1:
        return {"depth" if arrays[0].ndim > 1 else "probabilities": arrays[0]}
    # One channel of three axes may have been squeezed away: the class of a person, or an angle.
    arrays = [array if array.ndim == 3 else array[None] for array in arrays]
    poses = any(array.shape[0] == 51 for array in arrays)
    channels = {64: "box", 4: "box", 80: "cls", 15: "cls", 32: "coef", 51: "kpts", 1: "cls" if poses else "angle"}
    heights = sorted({array.shape[1] for array in arrays}, reverse=True)[-3:]
    names = [
        f"{channels[array.shape[0]]}.{heights.index(array.shape[1])}" if array.shape[1] in heights else "proto"
        for array in arrays
    ]
    return dict(zip(names, arrays, strict=True))


def labeled(outputs, names=None):
    """Outputs by their ONNX names; those without by their position among `names`, or as a model of ours has them."""
    if isinstance(outputs, dict):
        return outputs
    return dict(zip(names, outputs, strict=True)) if names else named(outputs)


def by_name(inputs):
    """Inputs of an ONNX file; an image is the only one of those that are exported here."""
    return inputs if isinstance(inputs, dict) else {"input": inputs}


def by_position(inputs):
    """Inputs without their names."""
    return list(inputs.values()) if isinstance(inputs, dict) else [inputs]


def onnxruntime_of(file):
    def opened(files, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(files[file], options, providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]
        return lambda inputs: dict(zip(names, session.run(None, by_name(inputs)), strict=True))

    return opened


def exported_name(names):
    """The name that an output's export gave it: quantizers add those of operators."""
    return next((name for name in names if not name.startswith("/")), next(iter(names)))


def openvino_with(precision, file="onnx"):
    def opened(files, threads):
        import openvino

        core = openvino.Core()
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": precision,
        }
        request = core.compile_model(core.read_model(files[file]), "CPU", settings).create_infer_request()

        def run(inputs):
            results = request.infer(by_name(inputs), share_inputs=True)
            return {exported_name(output.get_names()): value for output, value in results.items()}

        return run

    return opened


def torch_of(file):
    """TorchScript, frozen, in the precision it was traced in; channels last, which convolutions are faster with."""

    def opened(files, threads):
        import torch

        torch.set_num_threads(threads)
        network = torch.jit.load(files[file]).eval()
        dtype = next(network.parameters()).dtype
        network = torch.jit.freeze(network.to(memory_format=torch.channels_last))

        def entering(array):
            value = torch.from_numpy(array)
            value = value.to(dtype) if value.is_floating_point() else value
            return value.to(memory_format=torch.channels_last) if value.ndim == 4 else value

        def run(inputs):
            with torch.inference_mode():
                outputs = network(*map(entering, by_position(inputs)))
            outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
            return [output.float().numpy() for output in outputs]

        return run

    return opened


def ncnn_with(bf16=False, file="ncnn"):
    def opened(files, threads):
        import ncnn

        network = ncnn.Net()
        network.opt.num_threads = threads
        network.opt.use_vulkan_compute = False
        network.opt.use_fp16_packed = network.opt.use_fp16_storage = network.opt.use_fp16_arithmetic = False
        network.opt.use_bf16_storage = bf16
        if network.load_param(f"{files[file]}.param") or network.load_model(f"{files[file]}.bin"):
            raise SystemExit(f"ncnn cannot read {files[file]}")
        names = network.output_names()

        def run(inputs):
            with network.create_extractor() as extractor:
                for index, array in enumerate(by_position(inputs)):
                    extractor.input(f"in{index}", ncnn.Mat(array[0]))
                return [np.array(extractor.extract(name)[1]) for name in names]

        return run

    return opened


def to_integers(values, entry):
    """Floats as a quantized tensor of LiteRT has them; as they are for one of floats."""
    if entry["dtype"] == np.float32:
        return values
    scale, zero = entry["quantization"]
    limits = np.iinfo(entry["dtype"])
    return np.clip(np.rint(values / scale) + zero, limits.min, limits.max).astype(entry["dtype"])


def to_floats(values, entry):
    """The real values of a tensor of LiteRT."""
    if entry["dtype"] == np.float32:
        return values
    scale, zero = entry["quantization"]
    return (values.astype(np.float32) - zero) * np.float32(scale)


def litert_of(file):
    def opened(files, threads):
        from ai_edge_litert.interpreter import Interpreter

        interpreter = Interpreter(model_path=files[file], num_threads=threads)
        interpreter.allocate_tensors()
        (source,) = interpreter.get_input_details()
        results = interpreter.get_output_details()

        def run(image):
            interpreter.set_tensor(source["index"], to_integers(image, source))
            interpreter.invoke()
            return [to_floats(interpreter.get_tensor(entry["index"]), entry) for entry in results]

        return run

    return opened


@dataclass(frozen=True)
class Engine:
    """`module` must be installed; `file` is the model it reads."""

    open: object
    module: str
    package: str
    file: str
    precision: str = "f32"
    #: How many of the layers that multiply run in 8 bits, of how many, from the model's files.
    in_eight_bits: object = None


PEERS = {
    "onnxruntime": Engine(onnxruntime_of("onnx"), "onnxruntime", "onnxruntime", "onnx"),
    "openvino": Engine(openvino_with("f32"), "openvino", "openvino", "onnx"),
    "torch": Engine(torch_of("pt"), "torch", "torch", "pt"),
    "ncnn": Engine(ncnn_with(), "ncnn", "ncnn", "ncnn"),
    "litert": Engine(litert_of("tflite"), "ai_edge_litert", "ai-edge-litert", "tflite"),
    "openvino-bf16": Engine(openvino_with("bf16"), "openvino", "openvino", "onnx", "bf16"),
    "torch-bf16": Engine(torch_of("bf16.pt"), "torch", "torch", "bf16.pt", "bf16"),
    "ncnn-bf16": Engine(ncnn_with(bf16=True), "ncnn", "ncnn", "ncnn", "bf16"),
    "openvino-int8": Engine(
        openvino_with("f32", "int8.xml"), "openvino", "openvino", "int8.xml", "int8", layers.in_openvino
    ),
    "openvino-int8-bf16": Engine(
        openvino_with("bf16", "int8.xml"), "openvino", "openvino", "int8.xml", "int8", layers.in_openvino
    ),
    "onnxruntime-int8": Engine(
        onnxruntime_of("int8.onnx"), "onnxruntime", "onnxruntime", "int8.onnx", "int8", layers.in_onnxruntime
    ),
    "litert-int8": Engine(
        litert_of("int8.tflite"), "ai_edge_litert", "ai-edge-litert", "int8.tflite", "int8", layers.in_litert
    ),
    "ncnn-int8": Engine(ncnn_with(file="int8.ncnn"), "ncnn", "ncnn", "int8.ncnn", "int8", layers.in_ncnn),
}


def precision(engine):
    """The precision that an engine computes in."""
    return PEERS[engine].precision if engine in PEERS else engine.removeprefix(OURS).lstrip("-") or "f32"


def is_ours(engine):
    return engine.startswith(OURS)


def is_installed(engine):
    return util.find_spec(PEERS[engine].module) is not None


def peak_bytes():
    """The most memory that this process has held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def child(task):
    """Runs one peer; prints what it measured as JSON, and nothing else: libraries greet on standard output."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    loaded = np.load(task["input"])
    image = loaded if isinstance(loaded, np.ndarray) else dict(loaded)
    run = PEERS[task["engine"]].open(task["files"], task["threads"])
    run(image)
    first = time.monotonic_ns()
    for _ in range(task["warm_up"]):
        run(image)
    times = []
    for _ in range(task["runs"]):
        start = time.perf_counter_ns()
        outputs = run(image)
        times.append((time.perf_counter_ns() - start) / 1e6)
    peak = peak_bytes()
    measured = {"samplesMs": times, "firstOutputMonotonicNs": first, "peakRSSBytes": peak}
    if task["outputs"]:
        np.savez(task["outputs"], **labeled(outputs, task["names"]))
        count = PEERS[task["engine"]].in_eight_bits
        measured["eightBitLayers"] = count and count(task["files"])
    print(json.dumps(measured), file=report)
    report.close()
