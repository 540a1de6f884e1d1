"""Blocks on maps: [batch, channels, height, width] in, the same rank out."""

import numpy as np
from onnx import TensorProto

from .activations import activated
from .windows import ends_after, window


def outside(size, edge, stride, dilation, before, after):
    return (size + before + after - dilation * (edge - 1) - 1) // stride + 1


def kernel_edges(d):
    edge = d.pick([1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 7])
    if d.chance(0.15):
        return d.pick([(1, 3), (3, 1), (1, 7), (7, 1), (3, 5), (5, 2), (1, 5), (2, 3)])
    return edge, edge


def groups_of(d, channels):
    """Groups and output channels."""
    outputs = d.pick([1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 20, 24, 31, 32, 40, 48, 64])
    if d.is_large:
        outputs *= d.pick([1, 2, 4, 6])
    form = d.random.random()
    if form < 0.55 or channels == 1:
        return 1, outputs
    if form < 0.85:
        return channels, channels * d.pick([1, 1, 1, 1, 2, 3])
    divisors = [count for count in range(2, channels + 1) if channels % count == 0]
    groups = d.pick(divisors)
    return groups, groups * d.pick([1, 2, 3, 4, 8])


def conv(d, x):
    _, channels, height, width = x.shape
    edges = kernel_edges(d)
    groups, outputs = groups_of(d, channels)
    attributes = window(d, (height, width), edges)
    cost = height * width * edges[0] * edges[1] * (channels // groups)
    while groups == 1 and outputs > 1 and cost * outputs > d.dearest:
        outputs //= 2
    weights = d.floats((outputs, channels // groups, *edges), 1.2 / np.sqrt(channels // groups * edges[0] * edges[1]))
    operands = [x, d.weights(weights)]
    if d.chance(0.7):
        operands.append(d.floats(outputs, 0.3))
    if d.chance(0.8):
        attributes["kernel_shape"] = list(edges)
    if all(edge == 1 for edge in attributes["dilations"]) and d.chance(0.4):
        del attributes["dilations"]
    if groups > 1 or d.chance(0.5):
        attributes["group"] = groups
    return d.op("Conv", operands, **attributes)


def transposed(d, x):
    _, channels, height, width = x.shape
    edge = d.pick([2, 2, 2, 3, 3, 4, 4, 1, 5])
    stride = d.pick([1, 2, 2, 2, 3])
    groups = channels if d.chance(0.2) else 1
    outputs = 1 if groups > 1 else d.pick([1, 3, 4, 8, 13, 16, 24])
    cost = height * width * edge * edge * (channels // groups)
    while outputs > 1 and cost * outputs > d.dearest:
        outputs //= 2
    weights = d.floats((channels, outputs, edge, edge), 1.2 * stride / np.sqrt(channels // groups * edge * edge))
    operands = [x, d.weights(weights)] + ([d.floats(outputs * groups, 0.3)] if d.chance(0.7) else [])
    attributes = {"strides": [stride, stride], "kernel_shape": [edge, edge], "group": groups}
    pad = d.whole(0, (edge - 1) // 2)
    attributes["pads"] = [pad] * 4 if d.chance(0.8) else [d.whole(0, (edge - 1) // 2) for _ in range(4)]
    if stride > 1 and d.chance(0.3):
        attributes["output_padding"] = [d.whole(0, stride - 1)] * 2
    if d.chance(0.1):
        attributes["dilations"] = [2, 2]
    elif edge >= stride and d.chance(0.1):
        del attributes["pads"]
        attributes["auto_pad"] = d.pick(["SAME_UPPER", "SAME_LOWER"])
    return d.op("ConvTranspose", operands, **attributes)


def batch_norm(d, x):
    channels = x.shape[1]
    operands = [x, d.between(0.5, 1.5, channels), d.floats(channels, 0.3), d.floats(channels, 0.3)]
    attributes = {"epsilon": d.pick([1e-5, 1e-3])} if d.chance(0.7) else {}
    return d.op("BatchNormalization", [*operands, d.between(0.3, 1.5, channels)], **attributes)


def other_norm(d, x):
    channels = x.shape[1]
    scale, shift = d.between(0.5, 1.5, channels), d.floats(channels, 0.3)
    if d.chance(0.3) or min(x.shape[2:]) < 2:
        return d.op("LRN", [x], size=d.pick([1, 3, 5]))
    if d.chance(0.4):
        return d.op("InstanceNormalization", [x, scale, shift], epsilon=1e-5)
    groups = d.pick([count for count in range(1, channels + 1) if channels % count == 0])
    if d.opset >= 21 and d.chance(0.5):
        return d.op("GroupNormalization", [x, scale, shift], num_groups=groups)
    flat = d.reshape(x, (x.shape[0], groups, int(np.prod(x.shape[1:])) // groups))
    normal = d.op(
        "InstanceNormalization", [flat, np.ones(groups, np.float32), np.zeros(groups, np.float32)], epsilon=1e-5
    )
    return d.op("Add", [d.op("Mul", [d.reshape(normal, x.shape), scale.reshape(-1, 1, 1)]), shift.reshape(-1, 1, 1)])


def conv_block(d, x):
    y = conv(d, x)
    if d.chance(0.35):
        y = batch_norm(d, y)
    return activated(d, y) if d.chance(0.75) else y


def bottleneck(d, x):
    """Reduced, computed, expanded, and added to what came in."""
    channels = x.shape[1]
    inner = max(1, channels // d.pick([1, 2, 4])) * d.pick([1, 1, 2])
    y = activated(d, d.op("Conv", [x, d.floats((inner, channels, 1, 1), 1 / np.sqrt(channels)), d.floats(inner, 0.2)]))
    edge = d.pick([3, 3, 5, 7])
    groups = d.pick([1, inner])
    weights = d.floats((inner, inner // groups, edge, edge), 1 / np.sqrt(inner // groups * edge * edge))
    y = d.op("Conv", [y, weights], pads=[edge // 2] * 4, group=groups)
    y = activated(d, batch_norm(d, y) if d.chance(0.5) else y)
    if d.chance(0.4):
        y = squeeze_excite(d, y)
    y = d.op("Conv", [y, d.floats((channels, inner, 1, 1), 1 / np.sqrt(inner))])
    y = d.op("Add", [x, y] if d.chance(0.5) else [y, x])
    return activated(d, y) if d.chance(0.5) else y


def squeeze_excite(d, x):
    channels = x.shape[1]
    inner = max(1, channels // d.pick([2, 4]))
    pooled = d.op("GlobalAveragePool", [x]) if d.chance(0.5) else d.reduce("ReduceMean", x, d.pick([[2, 3], [-1, -2]]))
    down, up = d.floats((inner, channels), 1 / np.sqrt(channels)), d.floats((channels, inner), 1 / np.sqrt(inner))
    if d.chance(0.7):
        gate = activated(d, d.op("Conv", [pooled, down[..., None, None], d.floats(inner, 0.2)]))
        gate = d.op("Conv", [gate, up[..., None, None], d.floats(channels, 0.2)])
    else:
        gate = activated(d, d.op("Gemm", [d.reshape(pooled, x.shape[:2]), down, d.floats(inner, 0.2)], transB=1))
        gate = d.reshape(d.op("MatMul", [gate, up.T]), (*x.shape[:2], 1, 1))
    gate = d.op("Sigmoid", [gate]) if d.chance(0.5) else d.op("HardSigmoid", [gate], alpha=1 / 6)
    return d.op("Mul", [x, gate] if d.chance(0.6) else [gate, x])


def pool(d, x):
    height, width = x.shape[2:]
    edges = d.pick([(1, 1), (2, 2), (3, 3), (2, 2), (3, 3), (5, 5), (7, 7), (2, 3), (1, 4)])
    edges = (min(edges[0], height), min(edges[1], width))
    is_max = d.chance(0.5)
    attributes = window(d, (height, width), edges, dilated=is_max or d.opset >= 19)
    attributes["kernel_shape"] = list(edges)
    if "pads" in attributes:
        attributes["pads"] = [min(pad, edges[axis % 2] - 1) for axis, pad in enumerate(attributes["pads"])]
        if attributes["dilations"] != [1, 1]:
            attributes["pads"], attributes["dilations"] = [0] * 4, [1, 1]
        # ONNX's shape inference counts windows that begin after the map, which are not made.
        if d.chance(0.35) and not ends_after(attributes, (height, width), edges):
            attributes["ceil_mode"] = 1
    if not is_max:
        if d.opset < 19:
            del attributes["dilations"]
        if d.chance(0.5):
            attributes["count_include_pad"] = 1
    return d.op("MaxPool" if is_max else "AveragePool", [x], **attributes)


def pyramid_pool(d, x):
    """Max pools after one another, all of them side by side (SPPF)."""
    parts = [x]
    for _ in range(d.whole(1, 3)):
        parts.append(d.op("MaxPool", [parts[-1]], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
    return d.op("Concat", parts, axis=1)


def pad(d, x):
    mode = d.pick(["constant", "constant", "constant", "reflect", "edge"])
    most = [min(3, side - 1) for side in x.shape[2:]] if mode == "reflect" else [3, 3]
    sides = [d.whole(0, most[axis % 2]) for axis in range(4)]
    pads = [0, 0, sides[0], sides[1], 0, 0, sides[2], sides[3]]
    if mode == "constant" and d.chance(0.1):
        pads[1], pads[5] = d.whole(0, 3), d.whole(0, 3)
    operands = [x, d.whole_numbers(pads)]
    if mode == "constant" and d.chance(0.5):
        operands.append(np.float32(d.pick([0, 0, 1.5, -1])))
    y = d.op("Pad", operands, **({"mode": mode} if mode != "constant" or d.chance(0.5) else {}))
    return d.pick([conv, pool])(d, y) if d.chance(0.8) else y


def resize(d, x):
    mode = d.pick(["nearest", "nearest", "nearest", "linear", "linear", "linear", "cubic"])
    coordinates = d.pick(["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"])
    if mode == "nearest" and d.chance(0.6):
        coordinates = "asymmetric"
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = d.pick(["floor", "floor", "round_prefer_floor", "ceil"])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = d.pick([-0.75, -0.5])
    roi = None if d.opset >= 13 else np.zeros(0, np.float32)
    factors = d.pick([(2, 2), (2, 2), (2, 2), (3, 3), (4, 4), (1.5, 1.5), (0.5, 0.5), (2, 1), (1.7, 0.6)])
    if d.chance(0.5):
        sides = [max(1, int(side * factor)) for side, factor in zip(x.shape[2:], factors, strict=True)]
        if d.chance(0.3):
            sides = [d.whole(1, 40), d.whole(1, 40)]
        scales = None if d.opset >= 13 else np.zeros(0, np.float32)
        return d.op("Resize", [x, roi, scales, d.whole_numbers([*x.shape[:2], *sides])], **attributes)
    # Where a side times its scale has a rest, corners are aligned by the product, which ONNX Runtime cuts off first.
    products = [side * factor for side, factor in zip(x.shape[2:], factors, strict=True)]
    if min(products) < 1 or coordinates == "align_corners" and any(product % 1 for product in products):
        factors = (2, 2)
    return d.op("Resize", [x, roi, np.array([1, 1, *factors], np.float32)], **attributes)


def enlarged_centered(d, x):
    """The nearest pixel by whole factors, as any rounding has it."""
    factor = d.pick([2, 2, 4])
    rounding = d.pick(["round_prefer_ceil", "round_prefer_floor", "floor"])
    coordinates = d.pick(
        ["half_pixel", "asymmetric", "half_pixel_symmetric"] if d.opset >= 19 else ["half_pixel", "asymmetric"]
    )
    roi = None if d.opset >= 13 else np.zeros(0, np.float32)
    scales = np.array([1, 1, factor, factor], np.float32)
    return d.op(
        "Resize", [x, roi, scales], mode="nearest", nearest_mode=rounding, coordinate_transformation_mode=coordinates
    )


def shared_conv(d, x):
    """Two convolutions of the same weights, as heads of several levels have them."""
    channels = x.shape[1]
    weights = d.constant(d.floats((channels, channels, 3, 3), 1 / np.sqrt(9 * channels)))
    y = activated(d, d.op("Conv", [x, weights], pads=[1] * 4))
    z = d.op(
        "Conv",
        [d.op("MaxPool", [x], kernel_shape=[2, 2], strides=[1, 1], auto_pad="SAME_UPPER"), weights],
        pads=[1] * 4,
    )
    return d.op(d.pick(["Add", "Mul", "Sub"]), [y, z])


def volume(d, x):
    """Convolved or pooled as a volume of one channel."""
    batch, channels, height, width = x.shape
    y = d.reshape(x, (batch, 1, channels, height, width))
    edge = [d.pick([1, min(3, side)]) for side in x.shape[1:]]
    if d.chance(0.6):
        weights = d.weights(d.floats((2, 1, *edge), 1 / np.sqrt(np.prod(edge))))
        y = d.op("Conv", [y, weights, d.floats(2, 0.2)], pads=[side // 2 for side in edge] * 2)
    else:
        y = d.op(d.pick(["MaxPool", "AveragePool"]), [y], kernel_shape=edge, strides=[d.pick([1, 2]), 1, 1])
    return d.reshape(y, (batch, int(np.prod(y.shape[1:3])), *y.shape[3:]))


def pixel_shuffle(d, x):
    batch, channels, height, width = x.shape
    block = d.pick([2, 2, 3])
    if channels % (block * block) == 0 and d.chance(0.6):
        if d.chance(0.5):
            return d.op("DepthToSpace", [x], blocksize=block, mode=d.pick(["DCR", "CRD"]))
        y = d.reshape(x, (batch, channels // block**2, block, block, height, width))
        y = d.transpose(y, (0, 1, 4, 2, 5, 3))
        return d.reshape(y, (batch, channels // block**2, height * block, width * block))
    if height % block or width % block:
        return conv(d, x)
    if d.chance(0.5):
        return d.op("SpaceToDepth", [x], blocksize=block)
    parts = [
        d.slice(x, [row, column], [2**31] * 2, [2, 3], [block] * 2) for row in range(block) for column in range(block)
    ]
    return d.op("Concat", parts, axis=1)


def channel_shuffle(d, x):
    batch, channels, height, width = x.shape
    groups = d.pick([count for count in range(1, channels + 1) if channels % count == 0])
    if d.chance(0.5):
        y = d.transpose(d.reshape(x, (batch, groups, channels // groups, height, width)), (0, 2, 1, 3, 4))
    else:
        y = d.transpose(d.reshape(x, (batch, groups, channels // groups, height * width)), (0, 2, 1, 3))
    return d.reshape(y, x.shape)


def sizes_of(d, total, count):
    cuts = sorted(d.random.choice(np.arange(1, total), count - 1, replace=False).tolist())
    return [after - before for before, after in zip([0, *cuts], [*cuts, total], strict=True)]


def split_paths(d, x):
    """Channels taken apart, some computed, all put together again (C2f, ShuffleNet, CSP)."""
    channels = x.shape[1]
    if channels < 2:
        return conv(d, x)
    count = d.whole(2, min(3, channels))
    sizes = [channels // count] * count if channels % count == 0 and d.chance(0.6) else sizes_of(d, channels, count)
    if d.chance(0.6):
        parts = d.split(x, sizes, d.pick([1, -3]))
    else:
        ends = np.cumsum([0, *sizes]).tolist()
        parts = [d.slice(x, [ends[at]], [ends[at + 1]], [1]) for at in range(count)]
    kept = list(parts)
    for at, part in enumerate(parts):
        if d.chance(0.6):
            same = part.shape[1]
            edge = d.pick([1, 3])
            y = d.op(
                "Conv",
                [part, d.floats((same, same, edge, edge), 1 / np.sqrt(same * edge * edge))],
                pads=[edge // 2] * 4,
            )
            y = activated(d, y)
            if d.chance(0.4):
                y = d.op("Add", [y, part])
            if d.chance(0.3):
                kept.append(y)
            else:
                kept[at] = y
    if d.chance(0.3):
        kept = kept[::-1]
    return d.op("Concat", kept, axis=d.pick([1, -3]))


def last_channels(d, x):
    """Channels made last for some steps, as ConvNeXt and TensorFlow's exports have it."""
    from .rows import layer_norm, linear

    y = d.transpose(x, (0, 2, 3, 1))
    for _ in range(d.whole(1, 3)):
        y = d.pick([layer_norm, activated_rows, lambda d, y: linear(d, y, d.pick([4, 7, 16, 24]))])(d, y)
    return d.transpose(y, (0, 3, 1, 2))


def activated_rows(d, x):
    from .activations import gelu, relu, silu

    return d.pick([gelu, relu, silu])(d, x)


def global_context(d, x):
    pooled = d.op(d.pick(["GlobalAveragePool", "GlobalMaxPool"]), [x])
    y = conv_one(d, pooled, x.shape[1])
    if d.chance(0.5):
        return d.op("Concat", [x, d.op("Expand", [y, d.whole_numbers(x.shape)])], axis=1)
    return d.op("Add", [x, y])


def conv_one(d, x, outputs):
    return d.op("Conv", [x, d.floats((outputs, x.shape[1], 1, 1), 1 / np.sqrt(x.shape[1])), d.floats(outputs, 0.2)])


def spatial_gate(d, x):
    """Mean and maximum over channels, a 7x7, and a product (CBAM)."""
    both = d.op("Concat", [d.reduce("ReduceMean", x, [1]), d.reduce("ReduceMax", x, [1])], axis=1)
    gate = d.op("Sigmoid", [d.op("Conv", [both, d.floats((1, 2, 7, 7), 0.15)], pads=[3] * 4)])
    return d.op("Mul", [x, gate] if d.chance(0.5) else [gate, x])


def softmax_map(d, x):
    return d.op("Softmax", [x], axis=d.pick([1, 1, -1, 2, 3]) if d.opset >= 13 else d.pick([1, 3]))


def cast_map(d, x):
    form = d.whole(0, 3)
    if form == 3:
        return d.transpose(d.transpose(x, (0, 2, 3, 1)), (0, 3, 1, 2))
    return d.op(["Identity", "Dropout", "Cast"][form], [x], **({"to": TensorProto.FLOAT} if form == 2 else {}))


ALL = [
    *[conv_block] * 8, conv, conv, *[bottleneck] * 4, transposed, transposed, batch_norm, other_norm,
    squeeze_excite, pool, pool, pool, pyramid_pool, pad, pad, resize, resize, resize, enlarged_centered,
    shared_conv, volume, pixel_shuffle, channel_shuffle, split_paths, split_paths, last_channels, last_channels,
    global_context, spatial_gate, softmax_map, cast_map,
]  # fmt: skip
