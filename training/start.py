"""Makes a run of train.py out of a checkpoint, its encoder drawn back towards DINOv2.

    python start.py CHECKPOINT RUN.pt --assets ASSETS [--back 0.5]

Each of the encoder's weights becomes (1 - back) times its own and back times DINOv2's (WiSE-FT, Wortsman et al. 2022):
of what tuning on few kinds of scenes made of it, only a part is left."""

import argparse
import os

import torch

from export import averaged
from net import ENCODER, DepthNet, read_encoder


def drawn_back(state, original, back):
    """state: the network's entries; original: the encoder's, without their prefix."""
    out = dict(state)
    for name, value in original.items():
        key = "pretrained." + name
        out[key] = torch.lerp(out[key].float(), value.float(), back)
    return out


def run_of(state):
    """A run that has seen nothing, of the given weights."""
    return dict(net=state, average=state, step=0, seen=0, history=[], stage=None, stage_seen=0, stage_seconds=0.0)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("checkpoint")
    a.add_argument("run")
    a.add_argument("--assets", required=True, help="what fetch.py unpacked")
    a.add_argument("--back", type=float, default=0.0, help="0: as it is, 1: DINOv2's encoder")
    o = a.parse_args()
    state = drawn_back(averaged(o.checkpoint), read_encoder(os.path.join(o.assets, ENCODER)), o.back)
    DepthNet().load_state_dict(state)
    torch.save(run_of(state), o.run)


if __name__ == "__main__":
    main()
