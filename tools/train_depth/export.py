"""Writes a run's averaged weights as fp16 safetensors under the published keys.

python export.py RUN.pt OUT.safetensors"""

import hashlib
import sys
from pathlib import Path

import torch
from net import ENTRIES, DepthNet
from safetensors.torch import load_file, save_file

METADATA = {
    "format": "pt",
    "architecture": "depth-anything-v2",
    "variant": "small",
    "origin": "ardf",
    "license": "Apache-2.0",
    "note": "Depth Anything V2 Small architecture trained by ardf from the DINOv2 ViT-S/14 encoder on rendered scenes "
    "and iPhone LiDAR frames; "
    "NOT the published checkpoint; see weights/MODEL_CARD.md",
}


def export(run, path):
    state, shapes = torch.load(run, map_location="cpu")["average"], DepthNet().state_dict()
    assert (
        list(state) == list(shapes) and all(state[k].shape == shapes[k].shape for k in shapes) and len(state) == ENTRIES
    )
    half = {k: v.half().contiguous() for k, v in state.items()}
    assert all(torch.isfinite(v).all() for v in half.values())
    save_file(half, path, metadata=METADATA)
    return state


def main():
    state = export(sys.argv[1], sys.argv[2])
    exact, rounded = DepthNet().eval(), DepthNet().eval()
    exact.load_state_dict(state)
    rounded.load_state_dict({k: v.float() for k, v in load_file(sys.argv[2]).items()})
    torch.manual_seed(0)
    picture = torch.randn(1, 3, 252, 336)
    with torch.no_grad():
        a, b = exact(picture), rounded(picture)
    print("sha256", hashlib.sha256(Path(sys.argv[2]).read_bytes()).hexdigest())
    print(f"rounding to fp16 moves outputs of {a.min():.3f}...{a.max():.3f} by at most {(a - b).abs().max():.2g}")


if __name__ == "__main__":
    main()
