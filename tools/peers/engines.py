"""Engines on one CPU, each run in a child process.

An opener takes the model's files and a number of threads, and returns a function from an image (1, 3, H, W) to the
outputs by their ONNX names. Libraries are imported where they are used: each needs its own installation, and the
import belongs to the cold start.
"""

import json
import os
import time
from dataclasses import dataclass
from importlib import util
from pathlib import Path

import numpy as np

OURS = "ardf"


def by_rank(values):
    """Outputs without names: a detector has its boxes and its prototypes, the depth network one map."""
    arrays = [np.asarray(value) for value in values]
    if len(arrays) == 1:
        return {"depth": arrays[0]}
    arrays = sorted((np.squeeze(array) for array in arrays), key=lambda array: array.ndim)
    return dict(zip(("output0", "proto"), arrays, strict=True))


def onnxruntime_f32(files, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(files["onnx"], options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda image: dict(zip(names, session.run(None, {"input": image}), strict=True))


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

        def run(image):
            results = request.infer({"input": image}, share_inputs=True)
            return {output.get_any_name(): value for output, value in results.items()}

        return run

    return opened


def torch_with(precision):
    def opened(files, threads):
        import torch

        from export_onnx import fused, output_names
        from make_reference_outputs import load_network

        torch.set_num_threads(threads)
        architecture, network = load_network(files["weights"])
        detector = architecture.startswith("yolo")
        dtype = getattr(torch, precision)
        network = (fused(network) if detector else network).to(dtype=dtype, memory_format=torch.channels_last)

        def run(image):
            with torch.inference_mode():
                value = torch.from_numpy(image).to(dtype=dtype, memory_format=torch.channels_last)
                outputs = network(value)
            names = output_names(architecture)
            named = dict(zip(names, outputs if len(names) > 1 else [outputs], strict=True))
            return {name: value.float().numpy() for name, value in named.items()}

        return run

    return opened


def ncnn_with(bf16):
    def opened(files, threads):
        import ncnn

        network = ncnn.Net()
        network.opt.num_threads = threads
        network.opt.use_vulkan_compute = False
        network.opt.use_fp16_packed = network.opt.use_fp16_storage = network.opt.use_fp16_arithmetic = False
        network.opt.use_bf16_storage = bf16
        if network.load_param(f"{files['ncnn']}.param") or network.load_model(f"{files['ncnn']}.bin"):
            raise SystemExit(f"ncnn cannot read {files['ncnn']}")
        names = network.output_names()

        def run(image):
            with network.create_extractor() as extractor:
                extractor.input("in0", ncnn.Mat(image[0]))
                return by_rank([np.array(extractor.extract(name)[1]) for name in names])

        return run

    return opened


def litert_f32(files, threads):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=files["tflite"], num_threads=threads)
    interpreter.allocate_tensors()
    (source,) = (entry["index"] for entry in interpreter.get_input_details())
    results = [entry["index"] for entry in interpreter.get_output_details()]

    def run(image):
        interpreter.set_tensor(source, image)
        interpreter.invoke()
        return by_rank([interpreter.get_tensor(index) for index in results])

    return run


@dataclass(frozen=True)
class Engine:
    """`module` must be installed; `file` is the model it reads."""

    open: object
    module: str
    package: str
    file: str
    precision: str = "f32"


PEERS = {
    "onnxruntime": Engine(onnxruntime_f32, "onnxruntime", "onnxruntime", "onnx"),
    "openvino": Engine(openvino_with("f32"), "openvino", "openvino", "onnx"),
    "torch": Engine(torch_with("float32"), "torch", "torch", "weights"),
    "ncnn": Engine(ncnn_with(False), "ncnn", "ncnn", "ncnn"),
    "litert": Engine(litert_f32, "ai_edge_litert", "ai-edge-litert", "tflite"),
    "openvino-bf16": Engine(openvino_with("bf16"), "openvino", "openvino", "onnx", "bf16"),
    "torch-bf16": Engine(torch_with("bfloat16"), "torch", "torch", "weights", "bf16"),
    "ncnn-bf16": Engine(ncnn_with(True), "ncnn", "ncnn", "ncnn", "bf16"),
    "openvino-int8": Engine(openvino_with("f32", "int8"), "openvino", "openvino", "int8", "int8"),
    "openvino-int8-bf16": Engine(openvino_with("bf16", "int8"), "openvino", "openvino", "int8", "int8"),
}


def precision(engine):
    """What an engine computes in."""
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
    image = np.load(task["input"])
    run = PEERS[task["engine"]].open(task["files"], task["threads"])
    outputs = run(image)
    first = time.monotonic_ns()
    for _ in range(task["warm_up"]):
        run(image)
    times = []
    for _ in range(task["runs"]):
        start = time.perf_counter_ns()
        run(image)
        times.append((time.perf_counter_ns() - start) / 1e6)
    peak = peak_bytes()
    if task["outputs"]:
        np.savez(task["outputs"], **outputs)
    print(json.dumps({"samplesMs": times, "firstOutputMonotonicNs": first, "peakRSSBytes": peak}), file=report)
    report.close()
