"""Writes a run's averaged weights as fp16 safetensors under the published keys.

python export.py RUN.pt OUT.safetensors [--with EARLIER.pt --share 0.5]

With an earlier state of the same run, or what was exported of it, each weight is the mean of both, `share` of it the
earlier one's: what was trained towards one kind of picture last keeps more of what was known of others (Wortsman et
al. 2022)."""

import argparse
import hashlib
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from net import ENTRIES, DepthNet

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


def averaged(run):
    """The averaged weights of a run, or those of an exported checkpoint."""
    if run.endswith(".safetensors"):
        return {k: v.float() for k, v in load_file(run).items()}
    return torch.load(run, map_location="cpu")["average"]


def export(o):
    state, shapes = averaged(o.run), DepthNet().state_dict()
    if o.earlier:
        other = averaged(o.earlier)
        state = {k: torch.lerp(v.float(), other[k], o.share) for k, v in state.items()}
    assert (
        list(state) == list(shapes) and all(state[k].shape == shapes[k].shape for k in shapes) and len(state) == ENTRIES
    )
    half = {k: v.half().contiguous() for k, v in state.items()}
    assert all(torch.isfinite(v).all() for v in half.values())
    save_file(half, o.out, metadata=METADATA)
    return state


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("run")
    a.add_argument("out")
    a.add_argument("--with", dest="earlier", help="an earlier state of the run, or its export")
    a.add_argument("--share", type=float, default=0.5)
    o = a.parse_args()
    state = export(o)
    exact, rounded = DepthNet().eval(), DepthNet().eval()
    exact.load_state_dict(state)
    rounded.load_state_dict({k: v.float() for k, v in load_file(o.out).items()})
    torch.manual_seed(0)
    picture = torch.randn(1, 3, 252, 336)
    with torch.no_grad():
        a, b = exact(picture), rounded(picture)
    print("sha256", hashlib.sha256(Path(o.out).read_bytes()).hexdigest())
    print(f"rounding to fp16 moves outputs of {a.min():.3f}...{a.max():.3f} by at most {(a - b).abs().max():.2g}")


if __name__ == "__main__":
    main()
