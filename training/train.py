"""Trains the depth network.  A run is one checkpoint file; each call continues from it and may change the stage.

    python train.py RUN.pt --assets ASSETS --pools POOL... --images 6000 --unfreeze 0 --rate 1e-3 ...

A call ends after --images pictures or --minutes, whichever comes first, and saves every --save seconds; called again
with the same --stage it continues where it stopped."""

import argparse
import copy
import math
import os
import time

import torch
import torch.distributed
import torch.multiprocessing

from losses import depth_loss
from net import BLOCKS, ENCODER, DepthNet, read_encoder
from samples import Batches


def options():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("run")
    a.add_argument("--assets", required=True, help="what fetch.py unpacked")
    a.add_argument("--pools", nargs="+", required=True, help="folders of rendered frames")
    a.add_argument("--stage", default="a", help="a name; a new one starts new schedules and optimizer state")
    a.add_argument("--images", type=int, default=10**9)
    a.add_argument("--minutes", type=float, default=1e9)
    a.add_argument("--unfreeze", type=int, default=0, help="trained blocks at the encoder's end, 0...12")
    a.add_argument("--rate", type=float, default=1e-3, help="of the head")
    a.add_argument("--encoder-rate", type=float, default=2e-5)
    a.add_argument("--end", type=float, default=0.05, help="the cosine's last value")
    a.add_argument("--warm-up", type=int, default=30, help="steps")
    a.add_argument("--batch", type=float, default=8, help="pictures of 252 x 252, fewer of larger ones")
    a.add_argument("--shapes", default="252x252,252x336,336x252")
    a.add_argument("--least", type=float, default=0.5, help="smallest window as a part of the frame")
    a.add_argument("--real", type=float, default=0.15, help="part of LiDAR frames")
    a.add_argument("--plain", action="store_true", help="no distortions of color, sharpness and noise")
    a.add_argument("--shift", type=float, default=0.0, help="most added to inverse depth, in its medians")
    a.add_argument(
        "--roll", type=float, default=0.0, help="most degrees that frames are turned about the camera's axis"
    )
    a.add_argument("--edge-weight", type=float, default=1.0)
    a.add_argument("--relative-weight", type=float, default=1.0)
    a.add_argument("--pull", type=float, default=0.0, help="decay of the encoder towards DINOv2, per step at full rate")
    a.add_argument("--average", type=float, default=0.99, help="of the weights, per step")
    a.add_argument("--seed", type=int, default=0)
    a.add_argument("--processes", type=int, default=1, help="data-parallel ones, each with batches of its own")
    a.add_argument("--threads", type=int, default=1, help="of each process")
    a.add_argument("--device", default="cpu")
    a.add_argument("--save", type=float, default=120)
    return a.parse_args()


class Run:
    """The network, its moving average, the optimizer and how far they are."""

    def __init__(self, o):
        self.path, self.net = o.run, DepthNet()
        self.step, self.seen, self.stage_seen, self.stage_seconds, self.history = 0, 0, 0, 0.0, []
        held = torch.load(o.run, map_location="cpu") if os.path.exists(o.run) else None
        if held:
            self.net.load_state_dict(held["net"])
            self.step, self.seen, self.history = held["step"], held["seen"], held["history"]
        else:
            self.net.pretrained.load_state_dict(read_encoder(os.path.join(o.assets, ENCODER)))
            torch.nn.init.ones_(self.net.depth_head.scratch.output_conv2[2].bias)
        self.net.to(o.device)
        self.average = copy.deepcopy(self.net).eval().requires_grad_(False)
        self.groups(o)
        self.anchor(o)
        if held:
            self.average.load_state_dict(held["average"])
            if held["stage"] == o.stage:
                self.optimiser.load_state_dict(held["optimiser"])
                self.stage_seen, self.stage_seconds = held["stage_seen"], held["stage_seconds"]
        self.stage = o.stage

    def groups(self, o):
        """Trains the head and the last blocks; the unit that Depth Anything never runs stays as it is."""
        self.net.requires_grad_(False)
        head, encoder = self.net.depth_head, self.net.pretrained
        blocks = [*encoder.blocks[BLOCKS - o.unfreeze :], encoder.norm] if o.unfreeze else []
        for m in (head, *blocks):
            m.requires_grad_(True)
        head.scratch.refinenet4.resConfUnit1.requires_grad_(False)
        if o.unfreeze == BLOCKS:
            encoder.patch_embed.requires_grad_(True)

        def live(m):
            return [p for p in m.parameters() if p.requires_grad]

        groups = [dict(params=live(head), base=o.rate)] + (
            [dict(params=live(encoder), base=o.encoder_rate)] if o.unfreeze else []
        )
        self.optimiser = torch.optim.AdamW(groups, lr=o.rate, weight_decay=0.01, betas=(0.9, 0.99))
        names = [n for n, p in self.net.named_parameters() if p.requires_grad]
        mine, averaged = dict(self.net.named_parameters()), dict(self.average.named_parameters())
        self.live, self.averaged = [mine[n] for n in names], [averaged[n] for n in names]

    def anchor(self, o):
        """The weights to which the trained part of the encoder decays (L2-SP, Li et al. 2018): DINOv2, not zero."""
        self.pull, self.pulled, self.anchors = o.pull, [], []
        if o.pull:
            original = read_encoder(os.path.join(o.assets, ENCODER))
            for name, p in self.net.pretrained.named_parameters():
                if p.requires_grad:
                    self.pulled.append(p)
                    self.anchors.append(original[name].float().to(p.device))

    def share(self, done):
        """Averages the gradients over all processes; -> the first one's `done`, so that all stop together."""
        if not torch.distributed.is_initialized():
            return done
        held = [p for p in self.live if p.grad is not None]
        first = done if torch.distributed.get_rank() == 0 else 0.0
        flat = torch.cat([p.grad.reshape(-1) for p in held] + [torch.tensor([first])])
        torch.distributed.all_reduce(flat)
        at = 0
        for p in held:
            p.grad.copy_(flat[at : at + p.numel()].view_as(p) / torch.distributed.get_world_size())
            at += p.numel()
        return float(flat[-1])

    def update(self, rate, average):
        for g in self.optimiser.param_groups:
            g["lr"] = g["base"] * rate
        norm = torch.nn.utils.clip_grad_norm_(self.live, 1.0)
        if torch.isfinite(norm):
            self.optimiser.step()
            if self.pull:
                with torch.no_grad():
                    torch._foreach_lerp_([p.detach() for p in self.pulled], self.anchors, self.pull * rate)
        with torch.no_grad():
            torch._foreach_lerp_(
                self.averaged, [p.detach() for p in self.live], 1 - min(average, (self.step + 1) / (self.step + 10))
            )
        self.step += 1
        return float(norm)

    def save(self):
        held = dict(
            net=self.net.state_dict(),
            average=self.average.state_dict(),
            optimiser=self.optimiser.state_dict(),
            step=self.step,
            seen=self.seen,
            stage=self.stage,
            stage_seen=self.stage_seen,
            stage_seconds=self.stage_seconds,
            history=self.history,
        )
        torch.save(held, self.path + ".part")
        os.replace(self.path + ".part", self.path)


def work(rank, o):
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    if o.processes > 1:
        torch.distributed.init_process_group(
            "gloo", f"file://{os.path.abspath(o.run)}.meet", rank=rank, world_size=o.processes
        )
    run = Run(o)
    run.history.append(dict(vars(o), from_step=run.step))
    shapes = [tuple(map(int, s.split("x"))) for s in o.shapes.split(",")]
    clip = os.path.join(o.assets, "bedroom")
    changes = dict(plain=o.plain, shift=o.shift, roll=o.roll)
    batches = Batches(o.pools, clip, o.batch, shapes, o.real, [o.seed, run.step], rank, o.least, **changes)
    batches = iter(torch.utils.data.DataLoader(batches, batch_size=None, num_workers=1, prefetch_factor=4))
    if rank == 0:
        print("from step", run.step, "stage", o.stage, "seen in it", run.stage_seen, flush=True)
    log, last_save, last, done = [], time.monotonic(), time.monotonic(), 0.0
    warm = o.warm_up if run.stage_seen else 0  # a stage that continues has its optimizer's state
    while done < 1:
        picture, inverse, valid, real = [t.to(o.device) for t in next(batches)]
        with torch.autocast(o.device, torch.bfloat16):
            raw = run.net(picture, frozen=BLOCKS - o.unfreeze, clamp=False)[:, 0].float()
        loss, *parts = depth_loss(raw, inverse, valid, real, o.edge_weight, o.relative_weight)
        run.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        done = run.share(max(run.stage_seen / o.images, run.stage_seconds / (60 * o.minutes)))
        rate = (o.end + (1 - o.end) * (0.5 + 0.5 * math.cos(math.pi * min(done, 1)))) * min(
            1, (warm + len(log) + 1) / o.warm_up
        )
        norm = run.update(rate, o.average)
        spent, last = time.monotonic() - last, time.monotonic()
        pictures = len(picture) * o.processes
        run.seen, run.stage_seen, run.stage_seconds = (
            run.seen + pictures,
            run.stage_seen + pictures,
            run.stage_seconds + spent,
        )
        log.append((*parts, norm, pictures, spent))
        if rank == 0 and run.step % 25 == 0:
            flat, relative, edges, norm, pictures, spent = [sum(c) / len(c) for c in zip(*log[-25:])]
            print(
                time.strftime("%H:%M:%S"),
                f"step {run.step} seen {run.seen} flat {flat:.4f} relative {relative:.4f} edges {edges:.4f}",
                f"norm {norm:.2f} rate {rate:.3f} {pictures / spent:.2f} pictures/s",
                flush=True,
            )
        if rank == 0 and time.monotonic() - last_save > o.save:
            run.save()
            last_save = time.monotonic()
    if rank == 0:
        run.save()
        print("done: step", run.step, "seen", run.seen, flush=True)


def main():
    o = options()
    if o.processes == 1:
        return work(0, o)
    if os.path.exists(o.run + ".meet"):
        os.remove(o.run + ".meet")
    torch.multiprocessing.spawn(work, (o,), o.processes)


if __name__ == "__main__":
    main()
