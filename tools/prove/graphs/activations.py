"""Activations in the spellings of exporters and in others that mean the same."""

import numpy as np


def silu(d, x):
    gate = d.op("Sigmoid", [x])
    return d.op("Mul", [x, gate] if d.chance(0.5) else [gate, x])


def clip(d, x):
    bounds = d.pick([(0, 6), (0, 1), (-1, 1), (None, 0.5), (-0.25, None), (0, None), (0.1, 3)])
    return d.op("Clip", [x, *(None if bound is None else np.float32(bound) for bound in bounds)])


def hard_swish(d, x):
    form = d.whole(0, 3)
    if form == 0 and d.opset >= 14:
        return d.op("HardSwish", [x])
    if form == 1:
        return d.op("Mul", [x, d.op("HardSigmoid", [x], alpha=1 / 6, beta=0.5)])
    clipped = d.op("Clip", [d.op("Add", [x, d.scalar(3)]), np.float32(0), np.float32(6)])
    if form == 2:
        return d.op("Div", [d.op("Mul", [x, clipped]), d.scalar(6)])
    return d.op("Mul", [x, d.op("Mul", [clipped, d.scalar(1 / 6)])])


def hard_sigmoid(d, x):
    if d.chance(0.5):
        return d.op("HardSigmoid", [x], alpha=d.pick([0.2, 1 / 6, 0.3]), beta=d.pick([0.5, 0.4]))
    clipped = d.op("Clip", [d.op("Add", [x, d.scalar(3)]), np.float32(0), np.float32(6)])
    return d.op("Div", [clipped, d.scalar(6)])


def gelu(d, x):
    form = d.whole(0, 4)
    half, one = d.scalar(0.5), d.scalar(1)
    if form == 0 and d.opset >= 20:
        return d.op("Gelu", [x], approximate=d.pick(["none", "tanh"]))
    if form <= 2:
        inner = d.op("Div", [x, d.scalar(np.sqrt(2))])
        if d.chance(0.3):
            inner = d.op("Mul", [x, d.scalar(np.sqrt(0.5))])
        sum_ = d.op("Add", [d.op("Erf", [inner]), one])
        if form == 1:
            return d.op("Mul", [d.op("Mul", [x, sum_]), half])
        return d.op("Mul", [d.op("Mul", [x, half]), sum_])
    cube = d.op("Pow", [x, np.float32(3)]) if d.chance(0.5) else d.op("Mul", [d.op("Mul", [x, x]), x])
    inner = d.op("Add", [x, d.op("Mul", [cube, d.scalar(0.044715)])])
    sum_ = d.op("Add", [one, d.op("Tanh", [d.op("Mul", [inner, d.scalar(np.sqrt(2 / np.pi))])])])
    return d.op("Mul", [d.op("Mul", [half, x]), sum_])


def quick_gelu(d, x):
    return d.op("Mul", [x, d.op("Sigmoid", [d.op("Mul", [x, d.scalar(1.702)])])])


def mish(d, x):
    if d.chance(0.4) and d.opset >= 18:
        return d.op("Mish", [x])
    soft = d.op("Softplus", [x])
    if d.chance(0.3):
        soft = d.op("Log", [d.op("Add", [d.op("Exp", [x]), d.scalar(1)])])
    return d.op("Mul", [x, d.op("Tanh", [soft])])


def prelu(d, x):
    channels = x.shape[1]
    spatial = (1,) * (len(x.shape) - 2)
    shape = d.pick([(channels, *spatial), (1,), (1, channels, *spatial)]) if len(x.shape) > 2 else (x.shape[-1],)
    return d.op("PRelu", [x, d.between(-0.2, 0.6, shape)])


def elu(d, x):
    kind = d.pick(["Elu", "Celu", "Selu", "ThresholdedRelu"])
    if kind == "Celu" and d.opset < 12:
        kind = "Elu"
    return d.op(kind, [x], **({"alpha": d.pick([0.5, 1.0])} if d.chance(0.5) else {}))


def spelled_relu(d, x):
    if d.chance(0.5):
        return d.op("Max", [x, np.float32(0)])
    return d.op("Mul", [x, d.op("Cast", [d.op("Greater", [x, np.float32(0)])], to=1)])


def leaky(d, x):
    return d.op("LeakyRelu", [x], **({"alpha": d.pick([0.1, 0.2, 0.3])} if d.chance(0.7) else {}))


def plain(d, x):
    return d.op(d.pick(["Sigmoid", "Tanh", "Softplus", "Softsign", "Erf", "Abs", "Neg", "Sin", "Cos"]), [x])


def root(d, x):
    positive = d.op("Add", [d.op("Abs", [x]), np.float32(0.3)])
    return d.op(d.pick(["Sqrt", "Reciprocal", "Log"]), [positive])


def relu(d, x):
    return d.op("Relu", [x])


def shifted(d, x):
    """Scaled and shifted, then one of the others, as quantization-friendly networks have it."""
    return relu(d, d.op("Add", [d.op("Mul", [x, d.between(0.5, 1.5)]), d.between(-0.5, 0.5)]))


ALL = [
    relu, relu, relu, silu, silu, silu, clip, hard_swish, hard_swish, hard_sigmoid, gelu, gelu, quick_gelu, mish,
    prelu, elu, spelled_relu, leaky, plain, root, shifted,
]  # fmt: skip


def activated(d, x):
    return d.pick(ALL)(d, x)
