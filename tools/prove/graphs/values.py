"""Blocks on values of any rank: operations on two, joining, moving, choosing, and ends of networks."""

import numpy as np
from onnx import TensorProto

from .rows import divisors, linear


def vectors(x):
    """Shapes that broadcast to a value's."""
    shape, found = x.shape, [(), (1,)]
    for at in range(len(shape)):
        found.append(tuple(side if axis == at else 1 for axis, side in enumerate(shape)))
        found.append(found[-1][at:])
        found.append((1,) * (at > 0) + shape[at:])
    return found


def other_operand(d, x):
    same = [value for value in d.values if value.shape == x.shape]
    wide = [value for value in d.values if broadcasts(value.shape, x.shape)]
    form = d.random.random()
    if form < 0.45 and same:
        return d.pick(same)
    if form < 0.6 and wide:
        return d.pick(wide)
    if form < 0.7 and len(x.shape) > 2:
        return d.reduce(d.pick(["ReduceMean", "ReduceMax"]), x, [d.whole(1, len(x.shape) - 1)])
    return d.constant(d.floats(d.pick(vectors(x))))


def broadcasts(shape, onto):
    return len(shape) <= len(onto) and all(
        side in (1, full) for side, full in zip(shape[::-1], onto[::-1], strict=False)
    )


def binary(d, x):
    kind = d.pick(["Add", "Add", "Add", "Mul", "Mul", "Sub", "Div", "Max", "Min", "Sum", "Mean"])
    y = other_operand(d, x)
    pair = [x, y] if d.chance(0.6) else [y, x]
    if kind == "Div":
        pair[1] = d.op("Add", [d.op("Abs", [pair[1]]), np.float32(0.5)])
    if kind in ("Max", "Min", "Sum", "Mean") and d.chance(0.3):
        pair.append(other_operand(d, x))
    return d.op(kind, pair)


def concat(d, x):
    axis = d.whole(1, len(x.shape) - 1)
    rest = [value for value in d.values if fits(value.shape, x.shape, axis)]
    parts = [x, *(d.pick(rest) for _ in range(d.whole(1, 2)) if rest)]
    if d.chance(0.2):
        parts.append(d.constant(d.floats(x.shape)))
    if d.chance(0.4):
        parts = parts[::-1]
    return d.op("Concat", parts, axis=axis if d.chance(0.7) else axis - len(x.shape))


def fits(shape, other, axis):
    return len(shape) == len(other) and all(at == axis or shape[at] == other[at] for at in range(len(shape)))


def slices(d, x):
    axis = d.whole(1, len(x.shape) - 1)
    side, step = x.shape[axis], d.pick([1, 1, 2, 3, -1])
    if step < 0:
        return d.slice(x, [-1], [-(2**31)], [axis], [step])
    start = d.whole(0, side - 1)
    end = d.pick([2**31, side, d.whole(start + 1, side)])
    if d.chance(0.3):
        start -= side
    return d.slice(x, [start], [end], [axis if d.chance(0.6) else axis - len(x.shape)], [step] if step > 1 else None)


def moved(d, x):
    """Sides exchanged, and back after a step in between."""
    order = [0, *(1 + d.random.permutation(len(x.shape) - 1)).tolist()]
    y = d.transpose(x, order)
    y = d.pick([binary, lambda d, y: d.op("Relu", [y]), lambda d, y: d.op("Sigmoid", [y])])(d, y)
    return d.transpose(y, np.argsort(order).tolist()) if d.chance(0.7) else y


def folded(d, x):
    """Sides put together or taken apart, with a step in between."""
    axis = d.whole(1, len(x.shape) - 1)
    side = d.pick(divisors(x.shape[axis]))
    y = d.reshape(x, (*x.shape[:axis], side, x.shape[axis] // side, *x.shape[axis + 1 :]))
    y = d.op("Mul", [y, d.floats((side, *(1,) * (len(y.shape) - axis - 1)))])
    if d.chance(0.4):
        y = d.reduce(d.pick(["ReduceSum", "ReduceMean", "ReduceMax"]), y, [axis], 1)
    return d.reshape(y, (*x.shape[:axis], y.shape[axis] * y.shape[axis + 1], *x.shape[axis + 1 :]))


def gathered(d, x):
    axis = d.whole(1, len(x.shape) - 1)
    index = d.random.integers(-x.shape[axis] if d.chance(0.3) else 0, x.shape[axis], d.whole(1, 8))
    return d.op("Gather", [x, d.whole_numbers(index)], axis=axis)


def chosen(d, x):
    """One of two values by a comparison."""
    d.has_choices = True
    kinds = ["Greater", "Less"] + (["GreaterOrEqual", "LessOrEqual"] if d.opset >= 12 else [])
    test = d.op(d.pick(kinds), [x, other_operand(d, x)])
    if d.chance(0.3):
        test = d.op("Not", [test])
    if d.chance(0.3):
        test = d.op(d.pick(["And", "Or", "Xor"]), [test, d.op("Less", [x, np.float32(1)])])
    if d.chance(0.25):
        return d.op("Mul", [x, d.op("Cast", [test], to=TensorProto.FLOAT)])
    return d.op("Where", [test, x, other_operand(d, x)])


def best(d, x):
    """The largest along an axis: values in order, and where they were."""
    d.has_choices = True
    axis = d.whole(1, len(x.shape) - 1)
    count = d.whole(1, min(6, x.shape[axis]))
    found, index = d.op("TopK", [x, d.whole_numbers([count])], 2, axis=axis, largest=d.whole(0, 1))
    d.more.append(index)
    if d.chance(0.4):
        return d.op("GatherElements", [x, index], axis=axis)
    return found


def best_index(d, x):
    d.has_choices = True
    axis = d.whole(1, len(x.shape) - 1)
    index = d.op(d.pick(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=d.whole(0, 1))
    d.more.append(index)
    return x


def repeated(d, x):
    counts = [1] + [d.pick([1, 1, 2]) for _ in x.shape[1:]]
    return d.op("Tile", [x, d.whole_numbers(counts)])


def summed(d, x):
    return d.op("CumSum", [x, d.constant(np.int64(d.whole(1, len(x.shape) - 1)))])


def product(d, x):
    """A product of two values in batches."""
    y = d.transpose(x, (*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2))
    return d.op("MatMul", [x, d.op("Mul", [y, np.float32(1 / np.sqrt(x.shape[-1]))])])


def squared(d, x):
    return d.op("Pow", [x, np.float32(d.pick([2, 2, 3, 1]))])


def grid_sampled(d, x):
    if d.opset < 16 or len(x.shape) != 4:
        return binary(d, x)
    names = ["linear", "nearest", "cubic"] if d.opset >= 20 else ["bilinear", "nearest", "bicubic"]
    mode = names[d.pick([0, 0, 0, 1, 2])]
    d.has_choices |= mode == names[1]
    shape = (x.shape[0], d.whole(1, 9), d.whole(1, 9), 2)
    grid = d.constant(d.between(-1.2, 1.2, shape)) if d.chance(0.5) else d.op("Tanh", [d.input(shape)])
    padding = d.pick(["zeros", "zeros", "border", "reflection"])
    return d.op("GridSample", [x, grid], mode=mode, padding_mode=padding, align_corners=d.whole(0, 1))


def classified(d, x):
    """An end: pooled or flattened, a product, perhaps shares."""
    if len(x.shape) == 4:
        y = d.op("GlobalAveragePool", [x]) if d.chance(0.5) else d.reduce("ReduceMean", x, [2, 3])
        y = d.op("Flatten", [y]) if d.chance(0.6) else d.reshape(y, x.shape[:2])
    elif d.chance(0.5):
        y = d.reduce("ReduceMean", x, [1], 0) if len(x.shape) == 3 else x
    else:
        y = d.op("Gather", [x, np.int64(0)], axis=1) if len(x.shape) == 3 else x
    y = linear(d, y, d.pick([1, 5, 10, 17]))
    return d.op(d.pick(["Softmax", "Sigmoid", "LogSoftmax"]), [y]) if d.chance(0.5) else y


def distributed(d, x):
    """An end as detectors have it: shares over bins, and their mean (DFL)."""
    if len(x.shape) != 4:
        return classified(d, x)
    batch, channels, height, width = x.shape
    bins = d.pick([4, 8, 16])
    y = d.op("Conv", [x, d.floats((4 * bins, channels, 1, 1), 1 / np.sqrt(channels))])
    y = d.transpose(d.reshape(y, (batch, 4, bins, height * width)), (0, 2, 1, 3))
    y = d.op("Softmax", [y], axis=1)
    weights = np.arange(bins, dtype=np.float32).reshape(1, bins, 1, 1)
    return d.reshape(d.op("Conv", [y, weights], kernel_shape=[1, 1]), (batch, 4, height * width))


ALL = [
    *[binary] * 8, *[concat] * 4, slices, slices, moved, moved, folded, gathered, chosen, best, best_index,
    repeated, summed, product, squared, grid_sampled,
]  # fmt: skip
ENDS = [classified, distributed]
