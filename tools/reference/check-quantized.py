#!/usr/bin/env python3
"""Draws quantized nodes (QDQ) and compares `ardf infer` with ONNX Runtime, which computes them one by one in floats.

    python tools/reference/check-quantized.py --ardf .build/release/ardf --nodes 200 --seed 1
    python tools/reference/check-quantized.py --network resnet18.onnx --out resnet18-qdq.onnx

A node is a convolution, a Gemm or a MatMul between roundings: integers of 8 bits with and without a sign, any zero point
of the input, a scale for all or one an output channel, strides, dilations, groups and uneven paddings. Results may be a
step of the output's scale apart, in at most 2 % of the elements; without a rounding after it, by that of floats. Ends
with 1 where one is farther off. --network quantizes a network instead, by ONNX Runtime's own tool on seeded noise, which
is enough to measure time.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

#: How far sums in another order may be apart, as a share of the largest element.
ROUNDING = 2e-5
#: Elements that may be a step apart, as a share of all.
TIES = 0.02


class Drawn:
    """A network of one quantized node, and a value for its input."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.is_product = self.random.random() < 0.25
        self.inputs = int(self.random.choice([3, 5, 16, 24, 32, 48, 64]))
        self.outputs = int(self.random.choice([1, 7, 16, 33, 64, 100]))
        self.last = self.product() if self.is_product else self.convolution()
        if self.random.random() < 0.5:
            self.last = self.node("Relu", [self.last])

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def rounded(self, x, kind, scale, zero):
        steps = [self.constant(np.float32(scale)), self.constant(np.array(zero, kind))]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *steps]), *steps])

    def input(self):
        is_signed = self.random.random() < 0.4
        zero = self.random.integers(-128, 128) if is_signed else self.random.integers(0, 256)
        return self.rounded("x", np.int8 if is_signed else np.uint8, 4 / 255 * self.random.uniform(0.7, 1.3), zero)

    def weights(self, shape, axis):
        integers = self.random.integers(-128 if self.random.random() < 0.3 else -127, 128, shape)
        is_signed = self.random.random() < 0.7
        kind, zero = (np.int8, 0) if is_signed else (np.uint8, 128)
        count = self.outputs if self.random.random() < 0.7 else None
        scale = np.asarray(self.random.uniform(0.001, 0.02, count), np.float32)
        zeros = np.full(scale.shape, zero, kind)
        operands = [self.constant((integers + zero).astype(kind)), self.constant(scale), self.constant(zeros)]
        return self.node("DequantizeLinear", operands, axis=axis)

    def bias(self):
        return self.constant(self.random.standard_normal(self.outputs).astype(np.float32))

    def product(self):
        self.shape = [int(self.random.integers(1, 9)), self.inputs]
        x, weights = self.input(), self.weights((self.inputs, self.outputs), 1)
        if self.random.random() < 0.5:
            return self.node("Gemm", [x, weights, self.bias()])
        return self.node("Add", [self.node("MatMul", [x, weights]), self.bias()])

    def convolution(self):
        edge, stride = int(self.random.choice([1, 1, 3, 3, 5, 7])), int(self.random.choice([1, 1, 2]))
        height, width = (int(side) for side in self.random.integers(edge, 22, 2))
        dilation = 2 if self.random.random() < 0.25 and min(height, width) >= 2 * edge else 1
        is_uneven = self.random.random() < 0.3
        pads = [int(pad) for pad in self.random.integers(0, edge, 4)] if is_uneven else [edge // 2] * 4
        groups = self.inputs if edge > 1 and self.random.random() < 0.25 else 1
        if groups > 1:
            self.outputs = self.inputs
        self.shape = [1, self.inputs, height, width]
        operands = [self.input(), self.weights((self.outputs, self.inputs // groups, edge, edge), 0), self.bias()]
        return self.node(
            "Conv", operands, kernel_shape=[edge, edge], strides=[stride, stride], pads=pads,
            dilations=[dilation, dilation], group=groups,
        )  # fmt: skip

    def model(self):
        graph = helper.make_graph(
            self.nodes, "drawn", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.last, TensorProto.FLOAT, None)], self.constants,
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def expected(self, value):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(self.model().SerializeToString(), options)
        return session.run(None, {"x": value})[0]


def compare(ardf, seed, folder):
    """The difference of a drawn node that is wrong, else None; and whether a kernel of 8 bits computed it."""
    drawn = Drawn(seed)
    value = (drawn.random.standard_normal(drawn.shape) * 1.2).astype(np.float32)
    expected, step = drawn.expected(value), 0
    if drawn.random.random() < 0.5:
        step = float(np.float32((expected.max() - expected.min()) / 200 + 1e-3))
        drawn.last = drawn.rounded(drawn.last, np.int8, step, 3)
        expected = drawn.expected(value)
    model = folder / "drawn.onnx"
    onnx.save(drawn.model(), model)
    np.save(folder / "x.npy", value)
    run = [ardf, "infer", model, "--input", f"x={folder / 'x.npy'}", "--out", folder / "out", "--force", "--quiet"]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    plan = subprocess.run([ardf, "inspect", "plan", model, "--wide"], check=True, capture_output=True, text=True)
    (file,) = (folder / "out").glob("*.npy")
    apart = np.abs(np.load(file) - expected)
    rounding = ROUNDING * np.abs(expected).max() + 1e-6
    is_wrong = not apart.max() <= 1.01 * step + rounding or (apart > rounding).mean() > TIES
    return apart.max() if is_wrong else None, "steps-i8" in plan.stdout


def quantize(network, out):
    """Quantizes a network by ONNX Runtime: activations without a sign, weights a scale per output channel."""
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quant_pre_process, quantize_static

    given = onnx.load(network).graph.input[0]
    shape = [side.dim_value or 1 for side in given.type.tensor_type.shape.dim]

    class Noise(CalibrationDataReader):
        def __init__(self):
            random = np.random.default_rng(1)
            self.inputs = iter([{given.name: random.standard_normal(shape).astype(np.float32)} for _ in range(4)])

        def get_next(self):
            return next(self.inputs, None)

    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(network, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared, out, Noise(), per_channel=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", type=Path)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.network:
        return quantize(arguments.network, arguments.out)
    wrong = by_bytes = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.nodes):
            apart, is_byte = compare(arguments.ardf, [arguments.seed, number], Path(folder))
            by_bytes += is_byte
            if apart is not None:
                wrong += 1
                print(f"node {number} of seed {arguments.seed}: {apart:.3g} apart")
    print(f"{arguments.nodes} nodes, {by_bytes} by kernels of 8 bits, {wrong} farther off than a step")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
