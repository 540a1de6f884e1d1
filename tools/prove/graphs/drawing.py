"""A network that is being drawn: nodes, constants and inputs, with the shape of every value."""

import itertools
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

#: Opsets that networks are written in; all of a batch have one.
OPSETS = (11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)
#: Networks in one file.
BATCH = 8
#: Elements of the largest value, and multiply-adds of the dearest convolution; ten times as many in large networks.
LARGEST, DEAREST = 60_000, 3_000_000


class Value(NamedTuple):
    """A value of a network: its name, shape and element type."""

    name: str
    shape: tuple
    kind: int = TensorProto.FLOAT


class ShapeUnknownError(Exception):
    """A node that the shapes drawn so far do not fit."""


class Drawing:
    """A network of seeded nodes, and values for its inputs."""

    def __init__(self, seed, number):
        self.number, self.prefix = number, f"g{number}_"
        self.opset = int(np.random.default_rng([seed, number // BATCH, 77]).choice(OPSETS))
        self.random = np.random.default_rng([seed, number])
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.feeds, self.known, self.free, self.blocks = {}, {}, set(), []
        self.steps, self.has_choices, self.is_rounded = {}, False, False
        self.is_odd, is_large = self.chance(0.15), self.chance(0.06)
        self.is_large = is_large
        self.largest, self.dearest = (10 * LARGEST, 10 * DEAREST) if is_large else (LARGEST, DEAREST)
        self.names = itertools.count()
        self.made, self.values, self.more = [], [], []

    # Numbers

    def chance(self, share):
        return self.random.random() < share

    def pick(self, options):
        return options[int(self.random.integers(len(options)))]

    def whole(self, low, high):
        """A whole number from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def floats(self, shape, scale=1.0):
        return (self.random.standard_normal(shape) * scale).astype(np.float32)

    def between(self, low, high, shape=()):
        return self.random.uniform(low, high, shape).astype(np.float32)

    # Values

    def name(self):
        return f"{self.prefix}{next(self.names)}"

    def input(self, shape, kind=np.float32, is_free=False):
        value = Value(self.name(), tuple(shape), helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
        self.inputs.append(value)
        self.feeds[value.name] = self.floats(shape) if kind == np.float32 else self.random.integers(0, 256, shape, kind)
        if is_free:
            self.free.add(value.name)
        return value

    def constant(self, array):
        array = np.asarray(array)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = self.name()
        tensor = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        if array.size <= 64 and self.chance(0.2):
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            self.constants.append(tensor)
        self.known[name] = tensor
        return Value(name, array.shape, tensor.data_type)

    def whole_numbers(self, numbers):
        return self.constant(np.array(numbers, np.int64))

    def operand(self, given):
        if given is None:
            return Value("", ())
        return given if isinstance(given, Value) else self.constant(given)

    def scalar(self, number):
        """A known number of a spelling, seldom another, which makes it a spelling of something else."""
        if self.is_odd and self.chance(0.3):
            number *= self.pick([0.5, 0.9, 1.1, 2])
        return np.full(self.pick([(), (), (), (), (1,), (1, 1, 1)]), number, np.float32)

    def weights(self, array):
        """Known weights as they are, or as what other nodes make of what is known."""
        form = self.random.random()
        if form < 0.9 or array.ndim < 2:
            return self.constant(array)
        if form < 0.92:
            return self.op("Identity", [array])
        if form < 0.94:
            return self.op("Mul", [array, self.between(0.5, 1.5, (array.shape[0],) + (1,) * (array.ndim - 1))])
        if form < 0.96:
            order = self.random.permutation(array.ndim)
            return self.transpose(self.constant(array.transpose(order)), np.argsort(order).tolist())
        if form < 0.98:
            return self.op("Reshape", [array.ravel(), self.whole_numbers(array.shape)])
        value = self.input(array.shape)
        self.feeds[value.name] = array
        return value

    def op(self, kind, inputs, outputs=1, **attributes):
        """Adds a node; returns its value, or several where outputs says so."""
        operands = [self.operand(given) for given in inputs]
        names = [self.name() for _ in range(outputs)]
        node = helper.make_node(
            kind, [value.name for value in operands], names, name=names[0] + "_" + kind, **attributes
        )
        types = {value.name: helper.make_tensor_type_proto(value.kind, value.shape) for value in operands if value.name}
        known = {value.name: self.known[value.name] for value in operands if value.name in self.known}
        schema = onnx.defs.get_schema(kind, self.opset, "")
        made = onnx.shape_inference.infer_node_outputs(
            schema, node, types, known, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8
        )
        values = []
        for name in names:
            if name not in made or not made[name].tensor_type.HasField("shape"):
                raise ShapeUnknownError(kind)
            tensor = made[name].tensor_type
            if not all(side.HasField("dim_value") for side in tensor.shape.dim):
                raise ShapeUnknownError(kind)
            values.append(Value(name, tuple(side.dim_value for side in tensor.shape.dim), tensor.elem_type))
        if any(int(np.prod(value.shape)) > self.largest or 0 in value.shape for value in values):
            raise ShapeUnknownError(kind)
        self.nodes.append(node)
        self.made.extend(values)
        return values[0] if outputs == 1 else values

    # Operators whose form depends on the opset

    def reduce(self, kind, x, axes, keepdims=1):
        if self.opset >= (13 if kind == "ReduceSum" else 18):
            return self.op(kind, [x, self.whole_numbers(axes)], keepdims=keepdims)
        return self.op(kind, [x], axes=axes, keepdims=keepdims)

    def squeeze(self, x, axes):
        return (
            self.op("Squeeze", [x, self.whole_numbers(axes)])
            if self.opset >= 13
            else self.op("Squeeze", [x], axes=axes)
        )

    def unsqueeze(self, x, axes):
        if self.opset >= 13:
            return self.op("Unsqueeze", [x, self.whole_numbers(axes)])
        return self.op("Unsqueeze", [x], axes=axes)

    def split(self, x, sizes, axis):
        count, is_even = len(sizes), len(set(sizes)) == 1
        if count == 1:
            return [self.op("Identity", [x])]
        if is_even and self.chance(0.4):
            more = {"num_outputs": count} if self.opset >= 18 else {}
            return self.op("Split", [x], count, axis=axis, **more)
        if self.opset >= 13:
            return self.op("Split", [x, self.whole_numbers(sizes)], count, axis=axis)
        return self.op("Split", [x], count, axis=axis, split=sizes)

    def slice(self, x, starts, ends, axes, steps=None):
        inputs = [x, *(self.whole_numbers(part) for part in (starts, ends, axes))]
        return self.op("Slice", inputs + ([self.whole_numbers(steps)] if steps else []))

    def reshape(self, x, shape):
        """A reshape to a stated shape, which may be written with 0 and -1."""
        written = list(shape)
        if self.chance(0.4) and len(x.shape) > 0 and written[0] == x.shape[0]:
            written[0] = 0
        if self.chance(0.5):
            written[self.whole(0, len(written) - 1)] = -1
        if self.chance(0.15) and len(x.shape) > 0 and written[0] == x.shape[0]:
            return self.reshape_by_shape(x, shape)
        return self.op("Reshape", [x, self.whole_numbers(written)])

    def reshape_by_shape(self, x, shape):
        """The first side read from the value, as exporters with a free batch write it."""
        sizes = self.op("Shape", [x])
        if self.chance(0.5):
            first = self.op("Gather", [sizes, self.whole_numbers([0])], axis=0)
        else:
            first = self.unsqueeze(self.op("Gather", [sizes, self.constant(np.int64(0))], axis=0), [0])
        joined = self.op("Concat", [first, self.whole_numbers(list(shape[1:]))], axis=0)
        name = self.name()
        self.nodes.append(helper.make_node("Reshape", [x.name, joined.name], [name], name=name + "_Reshape"))
        return Value(name, tuple(shape), x.kind)

    def transpose(self, x, order):
        return self.op("Transpose", [x], perm=list(order))

    # The whole

    def finish(self, outputs):
        """Names the outputs, and drops what they do not need."""
        self.outputs = list(dict.fromkeys(outputs))
        needed, kept = {value.name for value in self.outputs}, []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                kept.append(node)
                needed.update(node.input)
        self.nodes = kept[::-1]
        self.constants = [tensor for tensor in self.constants if tensor.name in needed]
        self.inputs = [value for value in self.inputs if value.name in needed]
        self.feeds = {value.name: self.feeds[value.name] for value in self.inputs}


def described(value, is_free=False, with_shape=True):
    shape = list(value.shape)
    if is_free:
        shape[0] = value.name + "_n"
    return helper.make_tensor_value_info(value.name, value.kind, shape if with_shape else None)


def joined_model(drawings):
    """One model of the networks of a batch, which share nothing."""
    graph = helper.make_graph(
        [node for drawing in drawings for node in drawing.nodes], "drawn",
        [described(value, value.name in drawing.free) for drawing in drawings for value in drawing.inputs],
        [described(value, with_shape=False) for drawing in drawings for value in drawing.outputs],
        [tensor for drawing in drawings for tensor in drawing.constants],
    )  # fmt: skip
    opset = helper.make_opsetid("", drawings[0].opset)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)
