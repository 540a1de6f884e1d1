"""Blocks on rows of features: [batch, rows, features] in and out, as transformers have them."""

import numpy as np

from .activations import activated, gelu, silu


def linear(d, x, outputs):
    """A product with known weights, in its forms."""
    inputs = x.shape[-1]
    weights, bias = d.floats((inputs, outputs), 1 / np.sqrt(inputs)), d.floats(outputs, 0.2)
    form = d.random.random()
    if form < 0.65:
        y = d.op("MatMul", [x, d.weights(weights)])
        return d.op("Add", [y, bias] if d.chance(0.5) else [bias, y]) if d.chance(0.75) else y
    if form < 0.72:
        return d.op("MatMul", [x, np.broadcast_to(weights, (1,) * (len(x.shape) - 2) + weights.shape)])
    flat = d.reshape(x, (int(np.prod(x.shape[:-1])), inputs)) if len(x.shape) != 2 else x
    y = gemm(d, flat, weights, bias)
    return d.reshape(y, (*x.shape[:-1], outputs)) if len(x.shape) != 2 else y


def gemm(d, x, weights, bias):
    attributes = {}
    if d.chance(0.6):
        weights, attributes["transB"] = weights.T, 1
    if d.chance(0.1):
        x, attributes["transA"] = d.transpose(x, (1, 0)), 1
    if d.chance(0.15):
        attributes["alpha"] = 0.5
    if d.chance(0.15):
        attributes["beta"] = 2.0
    form, weights = d.whole(0, 5), d.weights(weights)
    if form == 0:
        return d.op("Gemm", [x, weights], **attributes)
    if form == 1:
        bias = bias.reshape(1, -1)
    if form == 2:
        bias = np.float32(0.5)
    return d.op("Gemm", [x, weights, bias], **attributes)


def layer_norm(d, x):
    features = x.shape[-1]
    scale, shift = d.between(0.5, 1.5, features), d.floats(features, 0.3)
    epsilon = d.pick([1e-5, 1e-6, 1e-12, 1e-3])
    if d.opset >= 17 and d.chance(0.5):
        operands = [x, scale] + ([shift] if d.chance(0.8) else [])
        return d.op("LayerNormalization", operands, axis=-1, epsilon=epsilon)
    centered = d.op("Sub", [x, d.reduce("ReduceMean", x, [-1])])
    power = np.float32(d.pick([2, 2, 2, 4]) if d.is_odd else 2)
    square = d.op("Pow", [centered, power]) if d.chance(0.6) else d.op("Mul", [centered, centered])
    root = d.op("Sqrt", [d.op("Add", [d.reduce("ReduceMean", square, [-1]), d.scalar(epsilon)])])
    y = d.op("Div", [centered, root])
    if d.chance(0.85):
        y = d.op("Mul", [y, scale] if d.chance(0.7) else [scale, y])
        y = d.op("Add", [y, shift]) if d.chance(0.85) else y
    return y


def rms_norm(d, x):
    square = d.op("Pow", [x, np.float32(2)]) if d.chance(0.6) else d.op("Mul", [x, x])
    root = d.op("Sqrt", [d.op("Add", [d.reduce("ReduceMean", square, [-1]), np.float32(1e-6)])])
    y = d.op("Mul", [x, d.op("Reciprocal", [root])]) if d.chance(0.5) else d.op("Div", [x, root])
    return d.op("Mul", [d.between(0.5, 1.5, x.shape[-1]), y])


def mlp(d, x):
    features = x.shape[-1]
    inner = min(d.pick([384, 1024]) if d.is_large else 96, features * d.pick([1, 2, 4]))
    y = d.pick([gelu, gelu, silu, activated])(d, linear(d, x, inner))
    if d.chance(0.2):
        y = d.op("Mul", [silu(d, linear(d, x, inner)), linear(d, x, inner)])
    return d.op("Add", [x, linear(d, y, features)])


def masked(d, scores, heads):
    """Scores of attention with a mask or a bias, or without."""
    rows, columns = scores.shape[-2:]
    form = d.random.random()
    if form < 0.4:
        return scores
    if form < 0.6:
        shape = d.pick([(rows, columns), (heads, rows, columns), (1, heads, rows, columns), (1, 1, 1, columns)])
        return d.op("Add", [scores, d.floats(shape)]) if len(shape) <= len(scores.shape) else scores
    if form < 0.75 and len(scores.shape) == 4:
        table, index = d.floats((rows * columns, heads)), d.random.integers(0, rows * columns, rows * columns)
        bias = d.op("Gather", [table, d.whole_numbers(index)], axis=0)
        bias = d.transpose(d.reshape(bias, (rows, columns, heads)), (2, 0, 1))
        return d.op("Add", [scores, d.unsqueeze(bias, [0])])
    mask = d.random.random((rows, columns)) < 0.7
    mask[:, 0] = True
    if form < 0.85:
        return d.op("Where", [mask, scores, np.float32(d.pick([-1e9, -1e4, -np.inf]))])
    low = np.float32(d.pick([-1e9, -100, -np.inf]))
    return d.op("Add", [scores, np.where(mask, np.float32(0), low).astype(np.float32)])


def softmax(d, x):
    axis = -1 if d.opset >= 13 and d.chance(0.7) else len(x.shape) - 1
    return d.op("Softmax", [x], axis=axis)


def divisors(number):
    return [count for count in range(1, number + 1) if number % count == 0]


def projected(d, x, heads, order):
    """Features of a projection, taken apart by heads."""
    batch, rows, features = x.shape
    y = d.reshape(linear(d, x, features), (batch, rows, heads, features // heads))
    return d.transpose(y, order)


def fused_parts(d, x, heads):
    """Queries, keys and values of one product."""
    batch, rows, features = x.shape
    y = d.reshape(linear(d, x, 3 * features), (batch, rows, 3, heads, features // heads))
    y = d.transpose(y, (2, 0, 3, 1, 4))
    if d.chance(0.5):
        return [d.op("Gather", [y, np.int64(at)], axis=0) for at in range(3)]
    return [d.squeeze(part, [0]) for part in d.split(y, [1, 1, 1], 0)]


def attention(d, x, source=None):
    """Attention of several heads, with projections; of another source where one is given."""
    batch, rows, features = x.shape
    heads = d.pick(divisors(features)[:6])
    width = features // heads
    factor = np.float32(1 / np.sqrt(width))
    if source is None and d.chance(0.5):
        q, k, v = fused_parts(d, x, heads)
        k = d.transpose(k, (0, 1, 3, 2))
    else:
        source = x if source is None else source
        q = projected(d, x, heads, (0, 2, 1, 3))
        k = projected(d, source, heads, (0, 2, 3, 1))
        v = projected(d, source, heads, (0, 2, 1, 3))
    form = d.whole(0, 3)
    if form == 0:
        q = d.op("Mul", [q, factor])
    if form == 1:
        root = np.float32(np.sqrt(factor))
        q, k = d.op("Mul", [q, root]), d.op("Mul", [k, root])
    if d.chance(0.15):
        flat = [d.reshape(part, (batch * heads, *part.shape[2:])) for part in (q, k, v)]
        scores = d.op("MatMul", flat[:2])
        scores = d.op("Mul", [scores, factor]) if form > 1 else scores
        y = d.reshape(d.op("MatMul", [softmax(d, scores), flat[2]]), (batch, heads, rows, width))
    else:
        scores = d.op("MatMul", [q, k])
        if form == 2:
            scores = d.op("Mul", [scores, factor])
        if form == 3:
            scores = d.op("Div", [scores, np.float32(np.sqrt(width))])
        y = d.op("MatMul", [softmax(d, masked(d, scores, heads)), v])
    y = d.reshape(d.transpose(y, (0, 2, 1, 3)), (batch, rows, features))
    return linear(d, y, features) if d.chance(0.8) else y


def self_attention(d, x):
    y = attention(d, layer_norm(d, x) if d.chance(0.6) else x)
    if d.chance(0.3):
        y = d.op("Mul", [y, d.floats(x.shape[-1], 0.5)])
    return d.op("Add", [x, y]) if d.chance(0.8) else y


def cross_attention(d, x):
    others = [value for value in d.values if len(value.shape) == 3 and value.shape[0] == x.shape[0]]
    others = [value for value in others if value.shape[2] == x.shape[2]]
    return d.op("Add", [x, attention(d, x, d.pick(others) if others else None)])


def einsum_attention(d, x):
    """Attention in the words of Einsum, heads last but one."""
    if d.opset < 12:
        return self_attention(d, x)
    batch, rows, features = x.shape
    heads = d.pick(divisors(features)[:6])
    q, k, v = (d.reshape(linear(d, x, features), (batch, rows, heads, features // heads)) for _ in range(3))
    scores = d.op("Einsum", [q, k], equation="bihd,bjhd->bhij")
    scores = d.op("Mul", [scores, d.scalar(1 / np.sqrt(features // heads))])
    y = d.op("Einsum", [softmax(d, masked(d, scores, heads)), v], equation="bhij,bjhd->bihd")
    return d.op("Add", [x, d.reshape(y, x.shape)])


def deformable(d, x):
    """Samples of one or two maps at places of one's own, weighed and summed up (deformable attention)."""
    batch, rows, features = x.shape
    if d.opset < 16:
        return self_attention(d, x)
    sides = [(high, rows // high) for high in divisors(rows)]
    levels = [d.pick(sides)] + ([d.pick([(2, 3), (4, 4), (5, 1)])] if d.chance(0.5) else [])
    heads, points, count = d.pick(divisors(features)[:4]), d.whole(1, 4), len(levels)
    width = features // heads
    sources = [x] + [d.constant(d.floats((batch, high * wide, features))) for high, wide in levels[1:]]
    value = linear(d, d.op("Concat", sources, axis=1) if count > 1 else x, features)
    value = d.reshape(value, (batch, value.shape[1], heads, width))
    parts = d.split(value, [high * wide for high, wide in levels], 1) if count > 1 else [value]
    offsets = d.reshape(linear(d, x, heads * count * points * 2), (batch, rows, heads, count, points, 2))
    offsets = d.op("Mul", [offsets, np.float32(0.2)])
    places = d.op("Add", [offsets, d.between(0, 1, (1, rows, 1, count, 1, 2))])
    grid = d.op("Sub", [d.op("Mul", [places, np.float32(2)]), np.float32(1)])
    shares = d.reshape(linear(d, x, heads * count * points), (batch, rows, heads, count * points))
    shares = softmax(d, shares)
    found = []
    for at, (high, wide) in enumerate(levels):
        plane = d.reshape(d.transpose(parts[at], (0, 2, 3, 1)), (batch * heads, width, high, wide))
        one = d.op("Gather", [grid, np.int64(at)], axis=3)
        one = d.reshape(d.transpose(one, (0, 2, 1, 3, 4)), (batch * heads, rows, points, 2))
        mode = "linear" if d.opset >= 20 else "bilinear"
        found.append(d.op("GridSample", [plane, one], mode=mode, padding_mode="zeros", align_corners=0))
    samples = d.op("Concat", found, axis=-1) if count > 1 else found[0]
    shares = d.reshape(d.transpose(shares, (0, 2, 1, 3)), (batch * heads, 1, rows, count * points))
    y = d.reduce("ReduceSum", d.op("Mul", [samples, shares]), [-1], 0)
    y = d.transpose(d.reshape(y, (batch, features, rows)), (0, 2, 1))
    return linear(d, y, features) if d.chance(0.7) else y


def linear_attention(d, x):
    """Features by features instead of rows by rows."""
    q = d.op("Relu", [linear(d, x, x.shape[-1])])
    k = d.op("Relu", [linear(d, x, x.shape[-1])])
    context = d.op("MatMul", [d.transpose(k, (0, 2, 1)), linear(d, x, x.shape[-1])])
    return d.op("Mul", [d.op("MatMul", [q, context]), np.float32(1 / x.shape[1])])


def token(d, x):
    """A row put before the others, or taken off."""
    if x.shape[1] > 1 and d.chance(0.5):
        return d.slice(x, [1], [d.pick([2**31, 2**63 - 1, x.shape[1]])], [1])
    row = d.constant(d.floats((1, 1, x.shape[2])))
    row = d.op("Expand", [row, d.whole_numbers([x.shape[0], 1, 1])])
    return d.op("Concat", [row, x], axis=1)


def positions(d, x):
    shape = d.pick([(1, *x.shape[1:]), x.shape[1:]])
    return d.op("Add", [x, d.floats(shape, 0.5)])


def rotary(d, x):
    """Halves of the features turned by known angles."""
    half = x.shape[2] // 2
    if x.shape[2] % 2 or half == 0:
        return positions(d, x)
    first, second = d.slice(x, [0], [half], [2]), d.slice(x, [half], [2**31], [2])
    turned = d.op("Concat", [d.op("Neg", [second]), first], axis=2)
    angles = d.between(-3, 3, x.shape[1:])
    return d.op("Add", [d.op("Mul", [x, np.cos(angles)]), d.op("Mul", [turned, np.sin(angles)])])


def reduced(d, x):
    kind = d.pick(
        ["ReduceMean", "ReduceMax", "ReduceSum", "ReduceMin", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]
    )
    return d.op("Sub", [x, d.op("Mul", [d.reduce(kind, x, [d.pick([1, 2, -1])]), np.float32(0.1)])])


def conv_rows(d, x):
    """A convolution along the rows."""
    features, outputs, edge = x.shape[2], d.pick([4, 7, 16, 24]), d.pick([1, 3, 5])
    y = d.transpose(x, (0, 2, 1))
    groups = features if d.chance(0.3) else 1
    outputs = features if groups > 1 else outputs
    weights = d.floats((outputs, features // groups, edge), 1 / np.sqrt(features // groups * edge))
    y = d.op("Conv", [y, weights, d.floats(outputs, 0.2)], pads=[edge // 2] * 2, group=groups)
    return d.transpose(y, (0, 2, 1))


def resized_rows(d, x):
    return linear(d, x, d.pick([64, 96, 192, 256, 384] if d.is_large else [3, 8, 12, 16, 17, 24, 32, 48]))


def windows(d, x):
    """Attention within windows of a map whose rows these are, shifted or not (Swin)."""
    batch, rows, features = x.shape
    sides = [(high, rows // high) for high in divisors(rows) if high > 1 and rows // high > 1]
    if not sides:
        return self_attention(d, x)
    height, width = d.pick(sides)
    edge = [d.pick(divisors(side)[1:3]) for side in (height, width)]
    y = d.reshape(x, (batch, height, width, features))
    is_shifted = d.chance(0.5)
    if is_shifted:
        y = rolled(d, y, edge[0] // 2 or 1, edge[1] // 2 or 1)
    y = d.reshape(y, (batch, height // edge[0], edge[0], width // edge[1], edge[1], features))
    y = d.transpose(y, (0, 1, 3, 2, 4, 5))
    count = batch * (height // edge[0]) * (width // edge[1])
    y = d.reshape(y, (count, edge[0] * edge[1], features))
    y = attention(d, y)
    y = d.reshape(y, (batch, height // edge[0], width // edge[1], edge[0], edge[1], features))
    y = d.reshape(d.transpose(y, (0, 1, 3, 2, 4, 5)), (batch, height, width, features))
    if is_shifted:
        y = rolled(d, y, height - (edge[0] // 2 or 1), width - (edge[1] // 2 or 1))
    return d.op("Add", [x, d.reshape(y, x.shape)])


def rolled(d, x, down, right):
    for axis, shift in ((1, down), (2, right)):
        if x.shape[axis] > shift:
            first, last = d.slice(x, [shift], [2**31], [axis]), d.slice(x, [0], [shift], [axis])
            x = d.op("Concat", [first, last], axis=axis)
    return x


ALL = [
    layer_norm, layer_norm, rms_norm, mlp, mlp, mlp, *[self_attention] * 4, cross_attention, linear_attention,
    einsum_attention, deformable, deformable, token, positions, rotary, reduced, conv_rows, resized_rows,
    resized_rows, windows, windows, activated,
]  # fmt: skip
