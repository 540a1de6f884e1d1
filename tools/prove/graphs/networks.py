"""A whole network: inputs, blocks wired to one another, and outputs."""

import numpy as np
import onnx

from . import maps, quantized, rows, values
from .drawing import Drawing, ShapeUnknownError


def to_rows(d, x):
    batch, channels, height, width = x.shape
    if d.chance(0.2):
        return d.reshape(d.transpose(x, (0, 2, 3, 1)), (batch, height * width, channels))
    return d.transpose(d.reshape(x, (batch, channels, height * width)), (0, 2, 1))


def to_map(d, x):
    batch, count, features = x.shape
    height = d.pick(rows.divisors(count))
    if d.chance(0.3):
        return d.transpose(d.reshape(x, (batch, height, count // height, features)), (0, 3, 1, 2))
    return d.reshape(d.transpose(x, (0, 2, 1)), (batch, features, height, count // height))


def first(d):
    """An input, or two."""
    batch = d.pick([1, 1, 1, 2, 3])
    is_free = d.chance(0.3)
    if d.chance(0.08):
        return [pictures(d, batch)]
    if d.chance(0.25):
        count, features = d.pick([1, 5, 16, 17, 30, 36, 49]), d.pick([3, 8, 12, 16, 24, 30, 32, 64])
        if d.is_large:
            count, features = d.pick([49, 64, 100, 197, 256]), d.pick([64, 96, 192, 384])
        found = [d.input((batch, count, features), is_free=is_free)]
    else:
        sides = [d.pick([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14, 16, 17, 20, 23, 28, 31, 40]) for _ in range(2)]
        sides = [sides[0]] * 2 if d.chance(0.4) else sides
        channels = d.pick([1, 2, 3, 3, 3, 4, 5, 8, 12, 13, 16, 17, 24, 32, 48])
        if d.is_large:
            channels, sides = d.pick([3, 48, 96, 130, 256, 384]), [d.pick([14, 20, 28, 40, 57, 80]) for _ in range(2)]
        while batch * channels * sides[0] * sides[1] > d.largest // 3:
            batch, channels = 1, channels // 2
        found = [d.input((batch, channels, *sides), is_free=is_free)]
    if d.chance(0.15):
        found.append(d.input(found[0].shape, is_free=is_free))
    return found


def pictures(d, batch):
    """Pictures of 8 bits, and their preparation inside of the network."""
    sides = d.pick([(8, 8), (17, 23), (32, 32)])
    is_last = d.chance(0.6)
    x = d.input((batch, *sides, 3) if is_last else (batch, 3, *sides), np.uint8)
    y = d.op("Cast", [x], to=1)
    if is_last and d.chance(0.5):
        y, is_last = d.transpose(y, (0, 3, 1, 2)), False
    y = d.op("Mul", [y, np.float32(1 / 255)]) if d.chance(0.5) else d.op("Div", [y, np.float32(255)])
    shape = (3,) if is_last else (3, 1, 1)
    y = d.op("Div", [d.op("Sub", [y, d.between(0.4, 0.5, shape)]), d.between(0.2, 0.3, shape)])
    return d.transpose(y, (0, 3, 1, 2)) if is_last else y


def drawn_block(d, x):
    form = d.random.random()
    if form < 0.05 and not d.is_rounded and len(x.shape) in (3, 4):
        return quantized.block
    if len(x.shape) == 4:
        return d.pick(maps.ALL) if form < 0.72 else (d.pick(values.ALL) if form < 0.94 else to_rows)
    if len(x.shape) == 3:
        return d.pick(rows.ALL) if form < 0.72 else (d.pick(values.ALL) if form < 0.9 else to_map)
    return d.pick(values.ALL)


def attempt(d, block, x):
    """Adds a block; takes it back where the shapes do not fit."""
    lists = d.nodes, d.constants, d.more, d.inputs, d.made
    before = [len(part) for part in lists]
    marks = d.is_rounded, d.has_choices
    try:
        y = block(d, x)
        d.blocks.append(block.__name__)
        return y
    except (ShapeUnknownError, IndexError, ValueError, onnx.shape_inference.InferenceError):
        for part, count in zip(lists, before, strict=True):
            del part[count:]
        d.is_rounded, d.has_choices = marks
        return None


def drawn_network(seed, number):
    """The network of a number; the same for the same seed."""
    d = Drawing(seed, number)
    d.values = first(d)
    x = d.values[0]
    for _ in range(d.whole(1, 9)):
        y = attempt(d, drawn_block(d, x), x)
        if y is None or not np.prod(y.shape):
            continue
        d.values.append(y)
        x = y if d.chance(0.85) else d.pick(d.values)
    outputs = [d.values[-1]]
    end = d.random.random()
    if end < 0.2:
        y = attempt(d, d.pick(values.ENDS), d.values[-1])
        outputs = [y] if y else outputs
    elif end < 0.28 and len(d.values[-1].shape) in (3, 4) and not d.is_rounded:
        y = attempt(d, quantized.end, d.values[-1])
        outputs = [y] if y else outputs
    if d.chance(0.3):
        outputs.append(d.pick(d.values))
    if d.chance(0.2) and d.made and not d.is_rounded and not d.steps:
        outputs += [d.pick(d.made) for _ in range(d.whole(1, 2))]
    given = {value.name for value in d.inputs}
    outputs = [value for value in [*outputs, *d.more] if value.name not in given]
    if not outputs:
        outputs = [d.op("Relu", [d.values[-1]])]
    d.finish(outputs)
    return d
