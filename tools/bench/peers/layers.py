"""Layers that multiply (convolutions, products of matrices), and those of them that an engine computes in 8 bits, by
what the engine itself says: a quantized file may still run in floats where the engine has no kernel for it."""

import json
import subprocess
import tempfile
from pathlib import Path


def in_openvino(files):
    """From the compiled model, whose operations carry the precision they run in."""
    import openvino

    core = openvino.Core()
    model = core.compile_model(core.read_model(files["int8.xml"]), "CPU").get_runtime_model()
    facts = [operation.get_rt_info() for operation in model.get_ops()]
    products = [
        str(fact["runtimePrecision"].astype(str))
        for fact in facts
        if "layerType" in fact
        and str(fact["layerType"].astype(str))
        in ("Convolution", "Deconvolution", "FullyConnected", "MatMul", "ScaledDotProductAttention")
    ]
    return sum(precision in ("i8", "u8") for precision in products), len(products)


def in_onnxruntime(files):
    """From the graph that the session has made of the file."""
    import onnx
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = str(Path(folder) / "optimized.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(files["int8.onnx"], options, providers=["CPUExecutionProvider"])
        graph = onnx.load(options.optimized_model_filepath, load_external_data=False).graph
    kinds = [node.op_type for node in graph.node if any(kind in node.op_type for kind in ("Conv", "MatMul", "Gemm"))]
    quantized = [kind for kind in kinds if kind.startswith(("QLinear", "QGemm", "Dynamic")) or "Integer" in kind]
    return len(quantized), len(kinds)


def in_litert(files):
    """From the operators of the file, which have one kernel each; the second operand are weights."""
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_path=files["int8.tflite"], experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    )
    types = {entry["index"]: entry["dtype"] for entry in interpreter.get_tensor_details()}
    kinds = ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "BATCH_MATMUL")
    products = [entry for entry in interpreter._get_ops_details() if entry["op_name"] in kinds]
    return sum(types.get(entry["inputs"][1]) == np.int8 for entry in products), len(products)


NCNN_PRODUCTS = ("Convolution", "Deconvolution", "InnerProduct", "Gemm", "MatMul", "MultiHeadAttention")


def in_ncnn(files):
    """From the file's parameters: a layer with scales of 8 bits has no other kernel."""
    lines = Path(f"{files['int8.ncnn']}.param").read_text().splitlines()
    products = [line for line in lines if line.startswith(NCNN_PRODUCTS)]
    return sum(" 8=" in line or " 18=2" in line for line in products), len(products)


def in_ardf(ardf, files, size):
    """From the plan."""
    command = [ardf, "inspect", "plan", files["weights"], "--size", f"{size[0]}x{size[1]}"]
    command += ["--precision", "int8", "--json"]
    plan = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    products = [layer["precision"] for layer in plan["layers"] if layer["operation"].startswith(("conv", "attention"))]
    return products.count("int8"), len(products)
