#!/usr/bin/env python3
"""Exports ten networks that others designed, with seeded random weights: what `bench-peers.py --onnx` measures.

    python tools/bench/export-networks.py networks [--only resnet18,dinov2-small]

Of torchvision, transformers and Ultralytics as they define them; nothing is downloaded. All shapes are fixed, batch 1.
NAME.onnx is what most engines read; beside it NAME.pt and NAME.bf16.pt, TorchScript of the same network, are what
PyTorch runs and ncnn's files are made of.
"""

import argparse
import copy
import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.torchvision_operators import import_torchvision

OPSET = 17


def torchvision_network(name):
    import torchvision

    return getattr(torchvision.models, name)(weights=None)


def ultralytics_network(name):
    from ultralytics import YOLO

    network = YOLO(f"{name}.yaml").model
    network.model[-1].export, network.model[-1].format = True, "onnx"
    # Rows that are chosen by random scores change with every rounding.
    if hasattr(network.model[-1], "end2end"):
        network.model[-1].end2end = False
    return network


class Tensors(nn.Module):
    """A network of transformers whose outputs are tensors."""

    def __init__(self, network, *names):
        super().__init__()
        self.network, self.names = network, names

    def forward(self, pixels):
        outputs = self.network(pixels)
        return tuple(getattr(outputs, name) for name in self.names)


def dinov2_small():
    from transformers import Dinov2Config, Dinov2Model

    config = Dinov2Config(hidden_size=384, num_attention_heads=6, image_size=518, patch_size=14)
    return Tensors(Dinov2Model(config), "last_hidden_state")


def segformer_b0():
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    return Tensors(SegformerForSemanticSegmentation(SegformerConfig(num_labels=150)), "logits")


def d_fine_nano():
    from transformers import DFineConfig, DFineForObjectDetection, HGNetV2Config

    backbone = HGNetV2Config(
        stem_channels=[3, 16, 16],
        stage_in_channels=[16, 64, 256, 512],
        stage_mid_channels=[16, 32, 64, 128],
        stage_out_channels=[64, 256, 512, 1024],
        stage_num_blocks=[1, 1, 2, 1],
        stage_numb_of_layers=[3, 3, 3, 3],
        hidden_sizes=[64, 256, 512, 1024],
        use_learnable_affine_block=True,
        out_features=["stage3", "stage4"],
    )
    config = DFineConfig(
        backbone_config=backbone,
        num_labels=80,
        encoder_in_channels=[512, 1024],
        feat_strides=[16, 32],
        encoder_hidden_dim=128,
        encoder_ffn_dim=512,
        encode_proj_layers=[1],
        hidden_expansion=0.34,
        depth_mult=0.5,
        d_model=128,
        decoder_in_channels=[128, 128],
        decoder_ffn_dim=512,
        decoder_layers=3,
        decoder_n_points=[6, 6],
        num_feature_levels=2,
        num_denoising=0,
    )
    return Tensors(DFineForObjectDetection(config), "logits", "pred_boxes")


def depth_anything_v2_small():
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config

    backbone = Dinov2Config(
        hidden_size=384,
        num_attention_heads=6,
        image_size=518,
        patch_size=14,
        reshape_hidden_states=False,
        out_features=["stage3", "stage6", "stage9", "stage12"],
        apply_layernorm=True,
    )
    config = DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=384,
        neck_hidden_sizes=[48, 96, 192, 384],
        fusion_hidden_size=64,
    )
    return Tensors(DepthAnythingForDepthEstimation(config), "predicted_depth")


#: A network's maker, and the side of its square input.
NETWORKS = {
    "resnet18": (lambda: torchvision_network("resnet18"), 224),
    "mobilenet-v3-small": (lambda: torchvision_network("mobilenet_v3_small"), 224),
    "efficientnet-b0": (lambda: torchvision_network("efficientnet_b0"), 224),
    "dinov2-small": (dinov2_small, 224),
    "segformer-b0": (segformer_b0, 512),
    "d-fine-nano": (d_fine_nano, 640),
    "yolov8n": (lambda: ultralytics_network("yolov8n"), 640),
    "yolo11n-seg": (lambda: ultralytics_network("yolo11n-seg"), 640),
    "yolo26n": (lambda: ultralytics_network("yolo26n"), 640),
    "depth-anything-v2-small": (depth_anything_v2_small, 518),
}


def in_bfloat16(network, picture):
    """TorchScript in bfloat16: as a whole, or by PyTorch's choice of operators where numbers would not stay finite.

    It is traced so, since TorchScript of float32 that is cast later may have operators that make float32 of their own.
    """
    whole, value = copy.deepcopy(network).to(torch.bfloat16), picture.to(torch.bfloat16)
    traced = torch.jit.trace(whole, value, check_trace=False)
    # The first runs are others than those that follow: PyTorch rewrites the network by what it saw in them.
    for _ in range(3):
        outputs = traced(value)
    if all(output.isfinite().all() for output in (outputs if isinstance(outputs, tuple) else (outputs,))):
        return traced
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
        return torch.jit.trace(network, picture, check_trace=False)


def export(name, folder):
    maker, side = NETWORKS[name]
    torch.manual_seed(0)
    network = maker().eval()
    picture = torch.rand(1, 3, side, side)
    with torch.no_grad():
        # Statistics of its own input keep numbers ordinary through many layers.
        norms = [module for module in network.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
        for norm in norms:
            norm.train()
            norm.momentum = 1.0
        if norms:
            network(picture.repeat(2, 1, 1, 1) * torch.tensor([1.0, 0.6]).view(2, 1, 1, 1))
        network.eval()
        torch.onnx.export(
            network, (picture,), folder / f"{name}.onnx", input_names=["pixels"], opset_version=OPSET, dynamo=False
        )
        torch.jit.trace(network, picture, check_trace=False).save(folder / f"{name}.pt")
        in_bfloat16(network, picture).save(folder / f"{name}.bf16.pt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help=f"of {', '.join(NETWORKS)}")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    import_torchvision()
    for name in arguments.only.split(",") if arguments.only else NETWORKS:
        export(name, arguments.folder)
        print(arguments.folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
