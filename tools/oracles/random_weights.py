"""Seeded random weights that keep activations of order one through a deep network.

Convolutions and linear layers are drawn He-like; batch normalization gets statistics and an affine part that
are far from the identity, so that folding it wrongly shows.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

#: Standard deviation times sqrt(fan-in): keeps the second moment through SiLU, ReLU or GELU layers.
ACTIVATED_GAIN = 1.6

#: Mean of what leaves a batch normalization: on the bend of SiLU, but where it is mostly increasing. Around zero
#: the differences between two inputs, rounding errors too, would grow by a fifth in each layer.
NORMALIZED_MEAN = 0.7


def randomise(model, seed, gains=None, biases=None):
    """Fills every parameter and statistic of `model` from one generator, in the order of the key names.

    `gains` and `biases` map a suffix of a module's name to the gain of its weight and the mean of its bias.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    modules = dict(model.named_modules())
    with torch.no_grad():
        for key, value in sorted(model.state_dict().items()):
            owner, _, leaf = key.rpartition(".")
            if leaf == "num_batches_tracked" or owner.endswith("dfl.conv"):
                continue
            drawn = _draw(generator, modules[owner], owner, leaf, tuple(value.shape), gains or {}, biases or {})
            value.copy_(torch.from_numpy(drawn.astype(np.float32)))
    return model


def _draw(generator, module, owner, leaf, shape, gains, biases):
    normalization = isinstance(module, (nn.BatchNorm2d, nn.LayerNorm))
    if leaf == "running_var" or (normalization and leaf == "weight"):
        return generator.uniform(0.5, 1.5, shape)
    if leaf == "gamma":  # LayerScale
        return generator.uniform(0.1, 0.6, shape)
    if leaf == "weight":
        gain = next((g for suffix, g in gains.items() if owner.endswith(suffix)), ACTIVATED_GAIN)
        return generator.normal(0, gain / np.sqrt(_fan_in(module, shape)), shape)
    if leaf == "bias" and isinstance(module, nn.BatchNorm2d):
        return generator.normal(NORMALIZED_MEAN, 0.1, shape)
    if leaf == "bias":
        mean = next((b for suffix, b in biases.items() if owner.endswith(suffix)), 0.0)
        return generator.normal(mean, 0.1, shape)
    if leaf == "running_mean":
        return generator.normal(0, 0.2, shape)
    return generator.normal(0, 0.5, shape)  # class token and position embedding


def _fan_in(module, shape):
    if isinstance(module, nn.ConvTranspose2d):  # kernel equals stride: each output sees every input channel once
        return shape[0]
    return int(np.prod(shape[1:]))


def calibrate(model, images, seed):
    """Sets the statistics of every batch normalization near those of a batch of images, layer after layer.

    Without this, a hundred layers of residual sums grow beyond every scale. The statistics are off by a random
    fifth of a standard deviation and a random factor of 0.5...1.5, as a trained network's are for one image.
    """
    generator = np.random.Generator(np.random.PCG64(seed))

    def measure(module, inputs):
        (x,) = inputs
        deviation, mean = torch.std_mean(x, (0, 2, 3))
        shift = torch.from_numpy(generator.normal(0, 0.2, len(mean)).astype(np.float32))
        factor = torch.from_numpy(generator.uniform(0.5, 1.5, len(mean)).astype(np.float32))
        module.running_mean.copy_(mean + shift * deviation)
        module.running_var.copy_(deviation**2 * factor)

    modules = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    hooks = [module.register_forward_pre_hook(measure) for module in modules]
    with torch.no_grad():
        model(images)
    for hook in hooks:
        hook.remove()
    return model


def uniform_image(seed, height, width):
    """A (1, 3, H, W) tensor, uniform in 0...1."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return torch.from_numpy(generator.random((1, 3, height, width), dtype=np.float32))


def random_prompt(seed, height=192, width=256):
    """A (1, 1, H, W) prompt as a prompted network reads it: smooth, from exactly 0 to exactly 1."""
    values = clouds(seed, 1, height, width)[:, :1]
    return (values - values.min()) / (values.max() - values.min())


def normal_image(seed, height, width):
    """A (1, 3, H, W) tensor like a normalized picture: standard normal."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return torch.from_numpy(generator.standard_normal((1, 3, height, width), dtype=np.float32))


def clouds(seed, count, height, width):
    """A (count, 3, H, W) batch in 0...1: noise on grids of several sizes, smoothly enlarged and summed."""
    generator = np.random.Generator(np.random.PCG64(seed))
    total = torch.zeros(count, 3, height, width)
    for cells in (2, 5, 13, 34):
        grid = torch.from_numpy(generator.standard_normal((count, 3, cells, cells), dtype=np.float32))
        total += F.interpolate(grid, (height, width), mode="bilinear", align_corners=True)
    return total.mul(0.2).add(0.5).clamp(0, 1)
