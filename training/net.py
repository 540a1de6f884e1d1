"""Depth Anything V2 Small (Yang et al. 2024): a DINOv2 ViT-S/14 encoder and a DPT head, with the published keys.

Pictures are [n, 3, 14 h, 14 w], ImageNet-normalized; the output is relative inverse depth [n, 1, 14 h, 14 w]."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

MEAN, DEVIATION = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
WIDTH, BLOCKS, HEADS, PATCH, GRID = 384, 12, 6, 14, 37
TAPS = (2, 5, 8, 11)
ENTRIES = 239
ENCODER = "dinov2_vits14_patch_8x8.onnx"  # what read_encoder reads, in the folder that fetch.py fills


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        n, tokens, _ = x.shape
        q, k, v = self.qkv(x).view(n, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if torch.is_grad_enabled():  # on processors the fused backward takes twice as long as this
            weights = (q * (WIDTH // HEADS) ** -0.5 @ k.transpose(-1, -2)).softmax(-1)
            x = weights.to(v.dtype) @ v
        else:
            x = F.scaled_dot_product_attention(q, k, v)
        return self.proj(x.transpose(1, 2).reshape(n, tokens, WIDTH))


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * self.gamma


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attn, self.ls1 = nn.LayerNorm(WIDTH, eps=1e-6), Attention(), Scale()
        self.norm2, self.mlp, self.ls2 = nn.LayerNorm(WIDTH, eps=1e-6), Mlp(), Scale()

    def forward(self, x):
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Conv2d(3, WIDTH, PATCH, PATCH)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + GRID * GRID, WIDTH))
        self.mask_token = nn.Parameter(torch.zeros(1, WIDTH))
        self.patch_embed = Patches()
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)

    def positions(self, h, w):
        p = self.pos_embed.float()
        if (h, w) == (GRID, GRID):
            return p
        grid = p[:, 1:].reshape(1, GRID, GRID, WIDTH).permute(0, 3, 1, 2)
        grid = F.interpolate(grid, scale_factor=((h + 0.1) / GRID, (w + 0.1) / GRID), mode="bicubic")
        return torch.cat([p[:, :1], grid.permute(0, 2, 3, 1).reshape(1, h * w, WIDTH)], 1)

    def forward(self, picture, frozen=0):
        """The four tapped token maps; the first `frozen` blocks keep no gradient."""
        h, w = picture.shape[-2] // PATCH, picture.shape[-1] // PATCH
        taps = []
        with torch.set_grad_enabled(torch.is_grad_enabled() and frozen == 0):
            x = self.patch_embed(picture)
            x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.positions(h, w)
        for i, block in enumerate(self.blocks):
            with torch.set_grad_enabled(torch.is_grad_enabled() and i >= frozen):
                x = block(x)
            if i in TAPS:
                taps.append(x)
        return [self.norm(t)[:, 1:].transpose(1, 2).reshape(len(t), WIDTH, h, w) for t in taps]


class ResidualUnit(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(c, c, 3, 1, 1), nn.Conv2d(c, c, 3, 1, 1)

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(F.relu(x))))


class Refine(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.out_conv, self.resConfUnit1, self.resConfUnit2 = nn.Conv2d(c, c, 1), ResidualUnit(c), ResidualUnit(c)

    def forward(self, x, skip, size):
        if skip is not None:
            x = x + self.resConfUnit1(skip)
        return self.out_conv(F.interpolate(self.resConfUnit2(x), size=size, mode="bilinear", align_corners=True))


class Scratch(nn.Module):
    def __init__(self, channels, c):
        super().__init__()
        for i, k in enumerate(channels, 1):
            setattr(self, f"layer{i}_rn", nn.Conv2d(k, c, 3, 1, 1, bias=False))
            setattr(self, f"refinenet{i}", Refine(c))
        self.output_conv1 = nn.Conv2d(c, c // 2, 3, 1, 1)
        self.output_conv2 = nn.Sequential(nn.Conv2d(c // 2, 32, 3, 1, 1), nn.ReLU(), nn.Conv2d(32, 1, 1), nn.ReLU())


class Head(nn.Module):
    def __init__(self, c=64, channels=(48, 96, 192, 384)):
        super().__init__()
        a, b, _, d = channels
        self.projects = nn.ModuleList(nn.Conv2d(WIDTH, k, 1) for k in channels)
        self.resize_layers = nn.ModuleList(
            [nn.ConvTranspose2d(a, a, 4, 4), nn.ConvTranspose2d(b, b, 2, 2), nn.Identity(), nn.Conv2d(d, d, 3, 2, 1)]
        )
        self.scratch = Scratch(channels, c)

    def forward(self, taps, clamp=True):
        """clamp=False leaves the last ReLU off, so that training meets no dead gradient."""
        s, (h, w), maps = self.scratch, taps[0].shape[-2:], []
        for i, t in enumerate(taps):
            t = t.contiguous(memory_format=torch.channels_last)
            maps.append(getattr(s, f"layer{i + 1}_rn")(self.resize_layers[i](self.projects[i](t))))
        x = s.refinenet4(maps[3], None, maps[2].shape[-2:])
        x = s.refinenet3(x, maps[2], maps[1].shape[-2:])
        x = s.refinenet2(x, maps[1], maps[0].shape[-2:])
        x = s.refinenet1(x, maps[0], (2 * maps[0].shape[-2], 2 * maps[0].shape[-1]))
        x = F.interpolate(s.output_conv1(x), size=(PATCH * h, PATCH * w), mode="bilinear", align_corners=True)
        x = F.relu(s.output_conv2[0](x))
        with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            x = s.output_conv2[2](x.float())
        return F.relu(x) if clamp else x


class DepthNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.pretrained, self.depth_head = Encoder(), Head()
        self.depth_head.to(memory_format=torch.channels_last)

    def forward(self, picture, frozen=0, clamp=True):
        return self.depth_head(self.pretrained(picture, frozen), clamp)


def read_encoder(path):
    """The DINOv2 weights of an ONNX export: linear layers are transposed MatMul constants, others keep their names."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    made_by = {n.output[0]: n for n in graph.node}
    state = {k.removeprefix("model."): torch.tensor(v) for k, v in constants.items() if k.startswith("model.")}
    for n in graph.node:
        if n.op_type == "MatMul" and n.input[1] in constants:
            state[n.name.strip("/").replace("/", ".").removesuffix(".MatMul") + ".weight"] = torch.tensor(
                constants[n.input[1]].T.copy()
            )
    grid = next(v for v in constants.values() if v.shape == (1, GRID * GRID, WIDTH))
    source = made_by[next(n for n in graph.node if n.name == "/Concat_4").input[0]]
    first = constants[source.input[0]] if source.op_type == "Identity" else numpy_helper.to_array(source.attribute[0].t)
    state["pos_embed"] = torch.cat([torch.tensor(np.array(first)).view(1, 1, WIDTH), torch.tensor(grid)], 1)
    state["mask_token"] = torch.zeros(1, WIDTH)
    return state
