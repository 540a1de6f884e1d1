#!/usr/bin/env python3
"""Writes small goldens of every block of both networks, and of whole networks of reduced width.

    python tools/reference/goldens/make-model-goldens.py --out Tests/ModelsTests/Goldens

Weights are random, rounded to float16 and stored so; inputs and outputs are float32, computed in float64. A block's
file holds its weights under their module paths beside `input...` and `output...`; its metadata says how the block is
made. A whole network is two files: a checkpoint, and `*.ref.safetensors` with its input and outputs.
"""

import argparse
import copy
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import depth_anything, yolo
from oracles.random_networks import depth_metadata, random_depth, random_yolo, yolo_metadata
from oracles.random_weights import clouds, normal_image, randomise
from oracles.tensor_files import save_tensors
from oracles.tiny_networks import LEAST_NETWORKS, TINY_CLASSES, TINY_DEPTH, TINY_DETECTORS

#: Layers whose outputs are kept: the ends of the backbone's stages, and the head's inputs.
KEPT_LAYERS = (4, 6, 9, 10, 16, 19, 22)


def rounded(module):
    """The module with its weights and statistics rounded to float16."""
    return module.half().float().eval()


def half_precision(module):
    """The weights as float16, without the training counters."""
    return {name: value.half() for name, value in yolo.state(module).items()}


def random_tensor(generator, *shape):
    return torch.from_numpy(generator.standard_normal(shape).astype(np.float32))


class Writer:
    """Writes one file for each block, seeded by its place in the sequence."""

    def __init__(self, folder):
        self.folder = folder
        self.seed = 0

    def generator(self):
        """The next seed's generator."""
        self.seed += 1
        return np.random.Generator(np.random.PCG64(1000 + self.seed))

    def write(self, name, tensors, description):
        metadata = {"module": description, "seed": str(1000 + self.seed), "torch": torch.__version__}
        save_tensors(self.folder / f"{name}.safetensors", tensors, metadata)

    def block(self, name, module, inputs, description, call=None):
        """A module's weights, its inputs (shapes) and what `call` (the module itself) makes of them."""
        generator = self.generator()
        for part in module.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.eps = 1e-3  # as the whole detector sets it
        rounded(randomise(module, 1000 + self.seed))
        values = [random_tensor(generator, *shape) for shape in inputs]
        exact = module.double()
        with torch.no_grad():
            result = (call or exact)(*[value.double() for value in values])
        result = result if isinstance(result, dict) else {"output": result}
        names = ["input"] if len(values) == 1 else [f"input.{index}" for index in range(len(values))]
        tensors = half_precision(module) | dict(zip(names, values, strict=True)) | result
        self.write(name, tensors, description)


def write_detector_blocks(writer):
    """The blocks of YOLO11-seg, from ultralytics."""
    yolo.import_ultralytics()
    from ultralytics.nn.modules import block, conv
    from ultralytics.utils.torch_utils import fuse_conv_and_bn

    convolutions = {
        "conv-3x3": (conv.Conv(16, 24, 3, 1), 16, "Conv(16, 24, 3, 1)"),
        "conv-3x3-stride2": (conv.Conv(3, 16, 3, 2), 3, "Conv(3, 16, 3, 2)"),
        "conv-1x1": (conv.Conv(24, 40, 1, 1), 24, "Conv(24, 40, 1, 1)"),
        "conv-depthwise": (conv.DWConv(24, 24, 3), 24, "DWConv(24, 24, 3)"),
        "conv-linear": (conv.Conv(24, 16, 1, 1, act=False), 24, "Conv(24, 16, 1, 1, act=False)"),
    }
    for name, (module, channels, description) in convolutions.items():
        writer.block(f"yolo-{name}", module, [(1, channels, 11, 14)], description)

    folded = conv.Conv(16, 24, 3, 1)
    folded.conv = fuse_conv_and_bn(folded.conv, folded.bn)
    del folded.bn
    writer.block("yolo-conv-folded", folded, [(1, 16, 11, 14)], "Conv(16, 24, 3, 1) after folding", folded.forward_fuse)

    blocks = {
        "bottleneck": (block.Bottleneck(16, 16), 16, "Bottleneck(16, 16), half the channels inside"),
        "c3k": (block.C3k(16, 16, 2), 16, "C3k(16, 16, 2)"),
        "c3k2-bottleneck": (block.C3k2(24, 32, 2, False), 24, "C3k2(24, 32, 2, c3k=False)"),
        "c3k2-quarter": (block.C3k2(24, 32, 1, False, 0.25), 24, "C3k2(24, 32, 1, c3k=False, e=0.25)"),
        "c3k2-c3k": (block.C3k2(24, 32, 2, True), 24, "C3k2(24, 32, 2, c3k=True)"),
        "attention": (block.Attention(128, 2, 0.5), 128, "Attention(128, num_heads=2, attn_ratio=0.5)"),
    }
    for name, (module, channels, description) in blocks.items():
        writer.block(f"yolo-{name}", module, [(1, channels, 7, 9)], description)

    pyramid = block.SPPF(32, 48, 5)
    pyramid.cv1.act = nn.SiLU()  # as the parser restores it for YOLO11
    writer.block("yolo-sppf", pyramid, [(1, 32, 7, 9)], "SPPF(32, 48, 5), cv1 with SiLU")
    writer.block("yolo-proto", block.Proto(24, 16, 32), [(1, 24, 5, 7)], "Proto(24, 16, 32)")


def write_decoding(writer):
    """Decoding of raw heads, which has no weights."""
    yolo.import_ultralytics()
    from ultralytics.nn.modules import head

    generator = writer.generator()
    segment = head.Segment(3, 32, 16, ch=(8, 8, 8)).double().eval()
    segment.stride = torch.tensor([8.0, 16.0, 32.0])
    grids = ((12, 16), (6, 8), (3, 4))
    tensors, raw = {}, {"feats": [torch.zeros(1, 8, *grid) for grid in grids]}
    for name, key, channels, spread in (
        ("box", "boxes", 64, 3.0),
        ("cls", "scores", 3, 4.0),
        ("coef", "mask_coefficient", 32, 1.0),
    ):
        maps = [random_tensor(generator, 1, channels, *grid) * spread for grid in grids]
        tensors |= {f"{name}.{level}": value for level, value in enumerate(maps)}
        raw[key] = torch.cat([value.double().flatten(2) for value in maps], 2)
    with torch.no_grad():
        tensors["output"] = segment._inference(raw)
    writer.write("yolo-decoding", tensors, "decoding of Segment(nc=3, nm=32), strides 8, 16, 32")


def write_depth_blocks(writer):
    """The blocks of Depth Anything V2."""
    writer.block(
        "depth-patch-embed",
        depth_anything.PatchEmbed(24),
        [(1, 3, 42, 70)],
        "PatchEmbed(24): tokens (1, 15, 24) of a 3 x 5 grid",
    )
    generator = writer.generator()
    table = random_tensor(generator, 1, 1370, 8).half()
    tensors = {"pos_embed": table}
    for rows, columns in ((28, 37), (37, 49), (16, 16), (3, 5)):
        tensors[f"output.{rows}x{columns}"] = depth_anything.interpolate_positions(table.double(), rows, columns)
    writer.write("depth-positions", tensors, "class and 37 x 37 position embedding resampled for rows x columns")

    parts = nn.ModuleDict({"norm1": nn.LayerNorm(128, eps=1e-6), "attn": depth_anything.Attention(128, 2)})
    writer.block(
        "depth-attention",
        parts,
        [(1, 36, 128)],
        "attn(norm1(x)) of Block(128, heads=2) on 36 tokens",
        lambda x: {"output.norm1": parts["norm1"](x), "output": parts["attn"](parts["norm1"](x))},
    )
    block = depth_anything.Block(32, 2)
    writer.block("depth-block", block, [(1, 16, 32)], "Block(32, heads=2) on 16 tokens")
    writer.block("depth-rcu", depth_anything.ResidualConvUnit(16), [(1, 16, 7, 9)], "ResidualConvUnit(16)")

    fusion = depth_anything.FeatureFusion(16)
    writer.block(
        "depth-fusion",
        fusion,
        [(1, 16, 5, 7), (1, 16, 5, 7)],
        "FeatureFusion(16): x, skip to 9 x 13; without a size to 10 x 14; without a skip",
        lambda x, skip: {
            "output.sized": fusion(x, skip, (9, 13)),
            "output.doubled": fusion(x, skip),
            "output.alone": fusion(x, None, (9, 13)),
        },
    )


def write_later_blocks(writer):
    """The blocks that other families than YOLO11-seg have besides, written last so that the seeds of the first stay."""
    yolo.import_ultralytics()
    from ultralytics.nn.modules import block, head

    writer.block("yolo-c2f", block.C2f(24, 32, 2, shortcut=True), [(1, 24, 7, 9)], "C2f(24, 32, 2, shortcut=True)")
    writer.block("yolo-c2f-plain", block.C2f(24, 32, 1), [(1, 24, 7, 9)], "C2f(24, 32, 1, shortcut=False)")
    attentive = block.C3k2(24, 32, 1, True, 0.5, True)
    writer.block("yolo-c3k2-attention", attentive, [(1, 24, 7, 9)], "C3k2(24, 32, 1, c3k=True, e=0.5, attn=True)")
    writer.block(
        "yolo-sppf-linear", block.SPPF(32, 32, 5, 3, True), [(1, 32, 7, 9)], "SPPF(32, 32, 5, 3, shortcut=True)"
    )
    fused = block.Proto26((16, 24, 32), 16, 8, 3)
    writer.block(
        "yolo-proto26",
        fused,
        [(1, 16, 8, 12), (1, 24, 4, 6), (1, 32, 2, 3)],
        "Proto26((16, 24, 32), 16, 8, nc=3)",
        lambda *levels: fused(list(levels)),
    )
    classify = head.Classify(24, 7)
    writer.block("yolo-classify", classify, [(1, 24, 5, 5)], "Classify(24, 7): logits", lambda x: classify(x)[1])


def features(network, image):
    """`layer.I` for the layers kept."""
    network = copy.deepcopy(network).double()
    taken = {}
    for index in KEPT_LAYERS:
        network.model[index].register_forward_hook(
            lambda _, __, output, index=index: taken.update({f"layer.{index}": output})
        )
    with torch.no_grad():
        network(image.double())
    return taken


def write_tiny_detector(writer, kind, scale, size):
    """A detector of reduced width, made as the variant `kind` is."""
    network = rounded(random_yolo("yolo11-seg", kind, TINY_CLASSES, seed=11, scale=scale))
    name = f"yolo11-tiny-{kind}"
    metadata = yolo_metadata("yolo11-seg", f"tiny-{kind}", TINY_CLASSES, "random seed 11, width reduced")
    keys = ("depth_multiple", "width_multiple", "max_channels")
    metadata |= {key: str(value) for key, value in zip(keys, scale, strict=True)}
    save_tensors(writer.folder / f"{name}.safetensors", half_precision(network), metadata)
    image = clouds(12, 1, *size)
    outputs = yolo.outputs(network, image)
    save_tensors(
        writer.folder / f"{name}.ref.safetensors",
        {"input": image, **features(network, image), **outputs},
        {"ultralytics": yolo.import_ultralytics().__version__, "torch": torch.__version__, "input seed": "12"},
    )


def write_least_networks(folder):
    """The least network of every other family, and its outputs."""
    for index, (family, scale, keypoints) in enumerate(LEAST_NETWORKS):
        seed = 41 + index
        network = rounded(random_yolo(family, "n", TINY_CLASSES, seed, scale, keypoints))
        metadata = yolo_metadata(family, "least", TINY_CLASSES, f"random seed {seed}, width reduced", keypoints)
        keys = ("depth_multiple", "width_multiple", "max_channels")
        metadata |= {key: str(value) for key, value in zip(keys, scale, strict=True)}
        weights = {k: v for k, v in half_precision(network).items() if ".flow_model." not in k}
        save_tensors(folder / f"{family}-least.safetensors", weights, metadata)
        image = clouds(12, 1, 64, 64 if family.endswith("-cls") else 96)
        save_tensors(
            folder / f"{family}-least.ref.safetensors",
            {"input": image, **yolo.outputs(network, image)},
            {"ultralytics": yolo.import_ultralytics().__version__, "torch": torch.__version__, "input seed": "12"},
        )


def write_tiny_depth(writer, size):
    """A depth network of reduced sizes."""
    network = rounded(random_depth(21, TINY_DEPTH))
    metadata = depth_metadata("tiny", "random seed 21, sizes reduced")
    metadata |= {
        "embed_dim": str(TINY_DEPTH.embed_dim),
        "depth": str(TINY_DEPTH.depth),
        "heads": str(TINY_DEPTH.heads),
        "taps": list(TINY_DEPTH.taps),
        "features": str(TINY_DEPTH.features),
        "out_channels": list(TINY_DEPTH.out_channels),
    }
    save_tensors(writer.folder / "depth-tiny.safetensors", half_precision(network), metadata)
    image = normal_image(22, *size)
    save_tensors(
        writer.folder / "depth-tiny.ref.safetensors",
        {"input": image, **depth_anything.outputs(network, image)},
        {"torch": torch.__version__, "input seed": "22"},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    parser.add_argument("--least", action="store_true", help="write the least networks of other families alone")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    writer = Writer(arguments.out)
    write_least_networks(arguments.out)
    if arguments.least:
        return
    write_detector_blocks(writer)
    write_decoding(writer)
    write_depth_blocks(writer)
    write_later_blocks(writer)
    for kind, scale in TINY_DETECTORS.items():
        write_tiny_detector(writer, kind, scale, (64, 96))
    write_tiny_depth(writer, (42, 70))
    files = sorted(arguments.out.glob("*.safetensors"))
    for path in files:
        print(f"{path.stat().st_size:9} {path.name}")
    print(f"{sum(path.stat().st_size for path in files):9} in all")


if __name__ == "__main__":
    main()
