"""Blocks of quantized networks: values rounded to 8 bits and back (QDQ), around a convolution or a product."""

import numpy as np


def rounded(d, x, low=-3.0, high=3.0):
    """The value in steps of a scale; and the scale."""
    is_signed = d.chance(0.5)
    scale = np.float32((high - low) / 255 * d.random.uniform(0.8, 1.2))
    zero = np.array(d.whole(-40, 40) if is_signed else d.whole(90, 160), np.int8 if is_signed else np.uint8)
    steps = [d.constant(scale), d.constant(zero)]
    return d.op("DequantizeLinear", [d.op("QuantizeLinear", [x, *steps]), *steps]), float(scale)


def weights(d, shape, axis, reach):
    """Known weights of 8 bits, a scale for all or one an output."""
    integers = d.random.integers(-127, 128, shape).astype(np.int8)
    is_by_output = d.chance(0.6) and d.opset >= 13
    scale = np.asarray(d.between(0.5, 1.5, shape[axis] if is_by_output else ()) * reach / 127, np.float32)
    zeros = np.zeros(scale.shape, np.int8)
    return d.op("DequantizeLinear", [integers, scale, zeros], **({"axis": axis} if is_by_output else {}))


def convolution(d, x):
    channels, outputs, edge = x.shape[1], d.pick([3, 8, 13, 16, 24]), d.pick([1, 3, 3, 5])
    groups = channels if d.chance(0.25) else 1
    outputs = channels if groups > 1 else outputs
    reach = 2.5 / np.sqrt(channels // groups * edge * edge)
    operands = [
        rounded(d, x)[0],
        weights(d, (outputs, channels // groups, edge, edge), 0, reach),
        d.floats(outputs, 0.3),
    ]
    stride = d.pick([1, 1, 2])
    y = d.op("Conv", operands, pads=[edge // 2] * 4, strides=[stride] * 2, group=groups)
    return d.op("Relu", [y]) if d.chance(0.5) else y


def product(d, x):
    outputs = d.pick([1, 7, 16, 33])
    y = d.op("MatMul", [rounded(d, x)[0], weights(d, (x.shape[-1], outputs), 1, 2.5 / np.sqrt(x.shape[-1]))])
    return d.op("Add", [y, d.floats(outputs, 0.3)]) if d.chance(0.6) else y


def block(d, x):
    """A quantized node whose result is rounded too; returned values may be a step apart."""
    y = convolution(d, x) if len(x.shape) == 4 else product(d, x)
    d.is_rounded = True
    if d.chance(0.3) and y.shape == x.shape:
        y = d.op("Add", [rounded(d, y)[0], rounded(d, x)[0]])
    return rounded(d, y)[0] if d.chance(0.7) else y


def end(d, x):
    """A quantized node at the end, judged by its step."""
    y = convolution(d, x) if len(x.shape) == 4 else product(d, x)
    if d.chance(0.6):
        y, step = rounded(d, y)
        d.steps[y.name] = step
    else:
        d.steps[y.name] = 0
    return y
