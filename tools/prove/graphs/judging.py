"""Results of ONNX Runtime, and whether others agree with them."""

import contextlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

#: How far sums in another order may be apart, as a share of an output's largest element.
ROUNDING = 2e-5
#: Changes of inputs and of results of nodes that show how much a network amplifies rounding, as a share of each.
CHANGE = 3e-7
#: The same where a comparison or a rounding decides: a tie is as near as results of engines are to one another.
CHOICE_CHANGE = 3e-6
#: How often they are changed, and by what factor a result may be farther off.
CHANGES, FACTOR = 8, 8
#: Elements of a quantized result that may be a step apart, as a share of all.
TIES = 0.02
#: What a tie of a rounding within may change of a result, as a share of its Euclidean length.
TIE = 0.005


class NotRunError(Exception):
    """A model that ONNX Runtime does not run."""


def expected(model, feeds, is_optimized=False):
    """Outputs by name, computed node by node."""
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if is_optimized else level.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, feeds), strict=True))
    except Exception as error:
        raise NotRunError(str(error)) from error


def all_values(model, feeds):
    """Every value of the network by name, inputs too, and its element type."""
    types = {value.name: value.type.tensor_type.elem_type for value in [*model.graph.input, *model.graph.output]}
    inferred = onnx.shape_inference.infer_shapes(model)
    types.update({value.name: value.type.tensor_type.elem_type for value in inferred.graph.value_info})
    whole = type(model)()
    whole.CopyFrom(model)
    del whole.graph.output[:]
    for name in (name for node in model.graph.node for name in node.output if name):
        whole.graph.output.append(helper.make_tensor_value_info(name, types.get(name, TensorProto.FLOAT), None))
    return {**feeds, **expected(whole, feeds)}, types


def changed(model, feeds, values, random, share):
    """The model and its inputs, every element that a node makes or an input has a little changed; known places too."""
    other = type(model)()
    other.CopyFrom(model)
    places = {node.input[1] for node in model.graph.node if node.op_type == "GridSample"}
    for tensor in other.graph.initializer:
        if tensor.name in places:
            array = numpy_helper.to_array(tensor)
            factors = 1 + share * random.uniform(-1, 1, array.shape)
            tensor.CopyFrom(numpy_helper.from_array((array * factors).astype(np.float32), tensor.name))
    del other.graph.node[:]
    for node in model.graph.node:
        kept = other.graph.node.add()
        kept.CopyFrom(node)
        for at, name in enumerate(node.output):
            if node.op_type == "Constant" or values[name].dtype != np.float32:
                continue
            kept.output[at] = name + "_exact"
            factors = (1 + share * random.uniform(-1, 1, values[name].shape)).astype(np.float32)
            other.graph.initializer.append(numpy_helper.from_array(factors, name + "_factors"))
            other.graph.node.append(helper.make_node("Mul", [kept.output[at], name + "_factors"], [name]))
    moved = {}
    for name, array in feeds.items():
        is_float = array.dtype == np.float32
        factors = 1 + share * random.uniform(-1, 1, array.shape)
        moved[name] = (array * factors).astype(np.float32) if is_float else array
    return other, moved


def amplified(model, feeds, wanted, has_choices):
    """By output, how far ONNX Runtime's own results move when inputs and results of nodes move by rounding."""
    random, reach, values = np.random.default_rng(1), {name: 0.0 for name in wanted}, all_values(model, feeds)[0]
    share = CHOICE_CHANGE if has_choices else CHANGE
    results = []
    for _ in range(CHANGES):
        try:
            results.append(expected(*changed(model, feeds, values, random, share)))
        except NotRunError:  # The sizes of some results are not what it takes them for before it runs.
            results.append(expected(model, changed(model, feeds, values, random, share)[1]))
    with contextlib.suppress(NotRunError):
        results.append(expected(model, feeds, is_optimized=True))
    for result in results:
        for name, array in wanted.items():
            if array.shape == result[name].shape:
                reach[name] = max(reach[name], distance(result[name], array))
    return reach


def distance(found, wanted):
    """The largest difference; infinite where one is not a number and the other is."""
    if wanted.dtype.kind != "f":
        return float(np.max(found.astype(np.float64) != wanted.astype(np.float64), initial=0))
    is_odd = ~np.isfinite(wanted)
    if not np.array_equal(found[is_odd], wanted[is_odd], equal_nan=True) or not np.isfinite(found[~is_odd]).all():
        return np.inf
    return float(np.max(np.abs(found[~is_odd].astype(np.float64) - wanted[~is_odd]), initial=0))


def largest(array):
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    return float(np.max(np.abs(finite.astype(np.float64)), initial=0))


class Verdict:
    """Whether results of a network agree; `text` says what does not."""

    def __init__(self, drawing, model, wanted):
        self.drawing, self.model, self.wanted, self.reach = drawing, model, wanted, None

    def difference(self, found):
        """None where all outputs agree, else the first that does not."""
        for name, wanted in self.wanted.items():
            if name not in found:
                return f"{name} is missing"
            if found[name].shape != wanted.shape or found[name].dtype != wanted.dtype:
                return f"{name} is {found[name].dtype} {found[name].shape}, not {wanted.dtype} {wanted.shape}"
            apart, bound = distance(found[name], wanted), ROUNDING * largest(wanted) + 1e-6
            if wanted.dtype.kind != "f":
                bound = 0
            if apart <= bound or self.is_a_step(name, found[name], wanted, bound):
                continue
            if self.reach is None:
                has_choices = self.drawing.has_choices or self.drawing.is_rounded
                self.reach = amplified(self.model, self.drawing.feeds, self.wanted, has_choices)
            if apart > bound + FACTOR * self.reach[name] and not self.is_near(found[name], wanted):
                return f"{name}: {apart:.3g} apart of {largest(wanted):.3g}, {self.reach[name]:.2g} by rounding"
        return None

    def is_a_step(self, name, found, wanted, bound):
        """Whether a quantized output is a step off in few elements."""
        if name not in self.drawing.steps:
            return False
        apart = np.abs(found - wanted)
        is_few = np.count_nonzero(apart > bound) <= max(1, TIES * apart.size)
        step = self.drawing.steps[name] or 4 * np.max(np.abs(wanted)) / 255
        return is_few and np.max(apart, initial=0) <= 1.01 * step

    def is_near(self, found, wanted):
        """Whether what comes after a rounding within is the same but for few of its ties."""
        if not self.drawing.is_rounded or wanted.dtype.kind != "f" or not np.isfinite(found).all():
            return False
        return np.linalg.norm(found - wanted) <= TIE * np.linalg.norm(wanted)
