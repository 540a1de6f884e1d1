"""Single faults of a network, as functions that change its weights or its computation."""

import torch
import torch.nn.functional as F

#: Epsilon of the detectors' normalization, and of the faulty one.
EPSILON, WRONG_EPSILON = 1e-3, 1e-5


# --- Of the weights: functions of the state ----------------------------------------------------------------


def wrong_epsilon(owner):
    def change(state):
        state[f"{owner}.running_var"] += WRONG_EPSILON - EPSILON

    return change


def transposed(owner):
    def change(state):
        state[f"{owner}.weight"] = state[f"{owner}.weight"].transpose(-1, -2).contiguous()

    return change


def exchanged_rows(keys, rows):
    """Output channels in another order."""

    def change(state):
        for key in keys:
            state[key] = state[key][rows]

    return change


def without(key):
    """Zeros in the place of a tensor."""

    def change(state):
        state[key] = state[key] * 0

    return change


def copied(owner, other):
    """The tensors of `other` in the place of those of `owner`."""

    def change(state):
        for key in [key for key in state if key.startswith(f"{owner}.")]:
            state[key] = state[other + key.removeprefix(owner)]

    return change


def exchanged_heads(attention):
    """The rows of a detector's `qkv` with q and k of every head exchanged: q, k, v lie together, head by head."""
    width, rows = attention.key_dim, []
    for head in range(attention.num_heads):
        start = head * (2 * width + attention.head_dim)
        q, k = (range(start + part * width, start + (part + 1) * width) for part in (0, 1))
        rows += [*k, *q, *range(start + 2 * width, start + 2 * width + attention.head_dim)]
    return rows


# --- Of the computation: functions of the reference network ------------------------------------------------


def without_activation(path):
    def change(network):
        network.get_submodule(path).act = torch.nn.Identity()

    return change


def with_activation(path):
    def change(network):
        network.get_submodule(path).act = torch.nn.SiLU()

    return change


def other_shortcut(path):
    """A shortcut where there is none, or none where there is one."""

    def change(network):
        block = network.get_submodule(path)
        block.add = not block.add

    return change


def unscaled(path):
    """Products of queries and keys as they are."""

    def change(network):
        network.get_submodule(path).scale = 1.0

    return change


def without_last_shortcut(path):
    """A block of attention that adds its input to the attention, and nothing to the layers after it."""

    def change(network):
        block = network.get_submodule(path)
        block.forward = lambda x: block.ffn(x + block.attn(x))

    return change


def most_for_mean(path):
    def change(network):
        network.get_submodule(path).pool = torch.nn.AdaptiveMaxPool2d(1)

    return change


def without_gelu(path):
    def change(network):
        mlp = network.get_submodule(path)
        mlp.forward = lambda x: mlp.fc2(mlp.fc1(x))

    return change


def smooth_upsampling(path):
    def change(network):
        module = network.get_submodule(path)
        module.mode, module.align_corners = "bilinear", False

    return change


def smooth_levels(path):
    """Coarse maps enlarged bilinearly where the network repeats their pixels."""
    return other_interpolation(path, mode="bilinear")


def other_corners(path):
    """`align_corners` false where the network has true."""
    return other_interpolation(path, align_corners=False)


def other_interpolation(path, **changed):
    def change(network):
        module = network.get_submodule(path)
        forward, interpolate = module.forward, F.interpolate

        def wrong(*arguments, **options):
            F.interpolate = lambda *a, **o: interpolate(*a, **{**o, **changed})
            try:
                return forward(*arguments, **options)
            finally:
                F.interpolate = interpolate

        module.forward = wrong

    return change
