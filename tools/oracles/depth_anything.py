"""Depth Anything V2 in plain PyTorch: a DINOv2 encoder and a DPT head, under the published checkpoint's keys.

Relative, metric (a sigmoid times the greatest depth), or prompted with a sensor's depth (Prompt Depth Anything).
"""

import copy
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import nn

PATCH = 14
NATIVE_GRID = 37


@dataclass(frozen=True)
class Shape:
    """The sizes that make a network; the defaults are Depth Anything V2 Small."""

    embed_dim: int = 384
    depth: int = 12
    heads: int = 6
    taps: tuple = (2, 5, 8, 11)
    features: int = 64
    out_channels: tuple = (48, 96, 192, 384)
    #: Meters of a metric network; None of any other.
    max_depth: float | None = None
    prompted: bool = False


#: The published sizes, by name.
SIZES = {
    "small": Shape(),
    "base": Shape(embed_dim=768, heads=12, features=128, out_channels=(96, 192, 384, 768)),
    "large": Shape(
        embed_dim=1024, depth=24, heads=16, taps=(4, 11, 17, 23), features=256, out_channels=(256, 512, 1024, 1024)
    ),
}


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        batch, tokens, dim = x.shape
        packed = self.qkv(x).reshape(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = packed.permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) * (dim // self.heads) ** -0.5).softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(batch, tokens, dim))


class LayerScale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * self.gamma


class MLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=1e-6)
        self.attn = Attention(dim, heads)
        self.ls1 = LayerScale(dim)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = MLP(dim)
        self.ls2 = LayerScale(dim)

    def forward(self, x):
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


class PatchEmbed(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, PATCH, PATCH)

    def forward(self, image):
        return self.proj(image).flatten(2).transpose(1, 2)


def interpolate_positions(embedding, rows, columns, mode="bicubic"):
    """The (1, 1 + 37 * 37, D) embedding resampled for a grid; the class position stays as it is.

    The scale factors (rows + 0.1) / 37 and (columns + 0.1) / 37 are those the network was trained with; they reach
    the kernel, so 37 -> 37 is the identity only where the whole grid is 37 x 37.
    """
    if rows == NATIVE_GRID and columns == NATIVE_GRID:
        return embedding
    grid = embedding[:, 1:].reshape(1, NATIVE_GRID, NATIVE_GRID, -1).permute(0, 3, 1, 2)
    factors = ((rows + 0.1) / NATIVE_GRID, (columns + 0.1) / NATIVE_GRID)
    grid = F.interpolate(grid, scale_factor=factors, mode=mode)
    return torch.cat([embedding[:, :1], grid.flatten(2).transpose(1, 2)], 1)


class Encoder(nn.Module):
    def __init__(self, shape=Shape(), position_mode="bicubic"):  # noqa: B008
        super().__init__()
        dim = shape.embed_dim
        self.taps = shape.taps
        self.position_mode = position_mode
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + NATIVE_GRID**2, dim))
        self.mask_token = nn.Parameter(torch.zeros(1, dim))
        self.patch_embed = PatchEmbed(dim)
        self.blocks = nn.ModuleList(Block(dim, shape.heads) for _ in range(shape.depth))
        self.norm = nn.LayerNorm(dim, eps=1e-6)

    def embed(self, image):
        """Class and patch tokens with their positions, (1, 1 + rows * columns, D)."""
        rows, columns = image.shape[-2] // PATCH, image.shape[-1] // PATCH
        tokens = torch.cat([self.cls_token, self.patch_embed(image)], 1)
        return tokens + interpolate_positions(self.pos_embed, rows, columns, self.position_mode)

    def forward(self, image):
        """The raw tokens after each tapped block, and the last tokens after the final norm."""
        x = self.embed(image)
        tapped = []
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index in self.taps:
                tapped.append(x)
        return tapped, self.norm(x)


class ResidualConvUnit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, 1, 1)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1)

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(F.relu(x))))


class FeatureFusion(nn.Module):
    """Adds a refined skip, refines, upsamples to `size` (twice the size without one), then projects.

    A prompted network's adds what three convolutions make of the prompt before it upsamples.
    """

    def __init__(self, channels, prompted=False):
        super().__init__()
        if prompted:
            self.resConfUnit_depth = nn.Sequential(
                nn.Conv2d(1, channels, 3, 1, 1),
                nn.ReLU(),
                nn.Conv2d(channels, channels, 3, 1, 1),
                nn.ReLU(),
                nn.Conv2d(channels, channels, 3, 1, 1),
            )
        self.out_conv = nn.Conv2d(channels, channels, 1)
        self.resConfUnit1 = ResidualConvUnit(channels)
        self.resConfUnit2 = ResidualConvUnit(channels)

    def forward(self, x, skip=None, size=None, prompt=None):
        if skip is not None:
            x = x + self.resConfUnit1(skip)
        x = self.resConfUnit2(x)
        if prompt is not None:
            resized = F.interpolate(prompt, size=x.shape[-2:], mode="bilinear", align_corners=False)
            x = x + self.resConfUnit_depth(resized)
        size = size or (2 * x.shape[-2], 2 * x.shape[-1])
        return self.out_conv(F.interpolate(x, size=size, mode="bilinear", align_corners=True))


class Scratch(nn.Module):
    def __init__(self, shape):
        super().__init__()
        features = shape.features
        for level, channels in enumerate(shape.out_channels, start=1):
            self.add_module(f"layer{level}_rn", nn.Conv2d(channels, features, 3, 1, 1, bias=False))
            self.add_module(f"refinenet{level}", FeatureFusion(features, shape.prompted))
        self.output_conv1 = nn.Conv2d(features, features // 2, 3, 1, 1)
        last = nn.Sigmoid() if shape.prompted or shape.max_depth else nn.ReLU()
        self.output_conv2 = nn.Sequential(nn.Conv2d(features // 2, 32, 3, 1, 1), nn.ReLU(), nn.Conv2d(32, 1, 1), last)


class Head(nn.Module):
    """The DPT head, from the normed patch tokens of four taps to depth."""

    def __init__(self, shape=Shape()):  # noqa: B008
        super().__init__()
        self.max_depth = shape.max_depth or 1.0
        first, second, _, fourth = shape.out_channels
        self.projects = nn.ModuleList(nn.Conv2d(shape.embed_dim, k, 1) for k in shape.out_channels)
        self.resize_layers = nn.ModuleList(
            [
                nn.ConvTranspose2d(first, first, 4, 4),
                nn.ConvTranspose2d(second, second, 2, 2),
                nn.Identity(),
                nn.Conv2d(fourth, fourth, 3, 2, 1),
            ]
        )
        self.scratch = Scratch(shape)

    def forward(self, tokens, rows, columns, prompt=None):
        """`depth` (1, H, W) and every stage: `rn.1...4`, `path.1...4` and `output_conv1`, named as modules are."""
        scratch = self.scratch
        stages = {}
        for index, value in enumerate(tokens):
            grid = value.transpose(1, 2).reshape(1, -1, rows, columns)
            grid = self.resize_layers[index](self.projects[index](grid))
            stages[f"rn.{index + 1}"] = scratch.get_submodule(f"layer{index + 1}_rn")(grid)
        x = None
        for level in (4, 3, 2, 1):
            fusion = scratch.get_submodule(f"refinenet{level}")
            size = stages[f"rn.{level - 1}"].shape[-2:] if level > 1 else None
            skip = stages[f"rn.{level}"]
            x = fusion(skip, None, size, prompt) if x is None else fusion(x, skip, size, prompt)
            stages[f"path.{level}"] = x
        x = scratch.output_conv1(x)
        stages["output_conv1"] = x
        x = F.interpolate(x, size=(PATCH * rows, PATCH * columns), mode="bilinear", align_corners=True)
        stages["depth"] = scratch.output_conv2(x).squeeze(1) * self.max_depth
        return stages


class DepthAnything(nn.Module):
    def __init__(self, shape=Shape()):  # noqa: B008
        super().__init__()
        self.shape = shape
        self.pretrained = Encoder(shape)
        self.depth_head = Head(shape)

    def forward(self, image, prompt=None):
        """Depth (1, H, W) of a normalized picture (1, 3, H, W), both sides multiples of 14: relative inverse depth,
        meters, or from 0 to 1 as the prompt (1, 1, h, w) is.
        """
        return self.outputs(image, prompt)["depth"]

    def outputs(self, image, prompt=None):
        """The depth with every stage: `tap.B` (1, 1 + rows * columns, D) tokens after block B before the norm,
        `norm.B` the same after it, and the stages of the head."""
        rows, columns = image.shape[-2] // PATCH, image.shape[-1] // PATCH
        tapped, _ = self.pretrained(image)
        normed = [self.pretrained.norm(value) for value in tapped]
        stages = self.depth_head([value[:, 1:] for value in normed], rows, columns, prompt)
        for block, raw, value in zip(self.pretrained.taps, tapped, normed, strict=True):
            stages[f"tap.{block}"] = raw
            stages[f"norm.{block}"] = value
        return stages


def shape_of(weights, metadata, base=None):
    """The shape of a checkpoint: `base`, or the published size, as far as its metadata and names say nothing else."""
    width = weights["pretrained.cls_token"].shape[-1]
    base = base or next(shape for shape in SIZES.values() if shape.embed_dim == width)
    prompted = any("resConfUnit_depth" in name for name in weights)
    max_depth = float(metadata["max_depth"]) if "max_depth" in metadata else None
    return replace(base, prompted=prompted, max_depth=max_depth)


def outputs(model, image, dtype=torch.float64, prompt=None):
    """`DepthAnything.outputs` evaluated in `dtype`."""
    model = copy.deepcopy(model).to(dtype).eval()
    with torch.inference_mode():
        return model.outputs(image.to(dtype), None if prompt is None else prompt.to(dtype))
