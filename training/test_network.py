"""The network and the losses: run with pytest or by itself."""

import argparse

import numpy as np
import torch

import train
from frames import Frame
from losses import depth_loss, relative
from net import WIDTH, Attention, DepthNet
from samples import rolled
from start import drawn_back, run_of


def maps(seed):
    torch.manual_seed(seed)
    return torch.rand(2, 40, 50) + 0.2, torch.rand(2, 40, 50) < 0.8


def test_relative_error_ignores_scale_and_shift():
    inverse, valid = maps(0)
    assert relative(3 * inverse + 7, inverse, valid).max() < 1e-4


def test_relative_error_is_that_of_the_least_squares_fit():
    inverse, valid = maps(4)
    raw = 2 * inverse + torch.rand_like(inverse)
    columns, truth = torch.stack([raw[0][valid[0]], torch.ones(int(valid[0].sum()))], 1), inverse[0][valid[0]]
    fitted = columns @ torch.linalg.lstsq(columns, truth[:, None]).solution
    depth, true_depth = 1 / fitted[:, 0], 1 / truth
    assert (fitted[:, 0] > 0.5 * truth).all()
    expected = ((depth - true_depth).abs() / true_depth).mean()
    assert torch.isclose(relative(raw, inverse, valid)[0], expected, rtol=1e-4)


def test_a_fit_below_zero_is_pushed_up():
    inverse = torch.rand(1, 40, 50) * 0.1 + 4
    inverse[:, 20:] = torch.rand(1, 20, 50) * 0.1 + 0.3
    raw = inverse.clone()
    raw[:, 35:] -= 2  # what is far comes out beyond infinity
    raw.requires_grad_(True)
    relative(raw, inverse, torch.ones(1, 40, 50, dtype=torch.bool)).sum().backward()
    assert raw.grad[:, 35:].max() < 0


def test_near_things_may_exceed_six_medians():
    inverse, every, real = torch.rand(1, 40, 50) * 0.2 + 0.4, torch.ones(1, 40, 50, dtype=torch.bool), torch.zeros(1)
    inverse[:, :4] = 10
    raw = inverse / inverse.median()
    assert raw.max() > 12
    assert depth_loss(raw, inverse, every, real.bool(), 1.0)[0] < 0.01


def test_pixels_beyond_the_valid_do_not_count():
    inverse, valid = maps(1)
    raw, real = inverse * 2 + torch.rand_like(inverse) * 0.3, torch.tensor([False, True])
    spoiled = torch.where(valid, inverse, inverse * 5)
    assert torch.allclose(relative(raw, inverse, valid), relative(raw, spoiled, valid))
    assert torch.allclose(depth_loss(raw, inverse, valid, real, 1.0)[0], depth_loss(raw, spoiled, valid, real, 1.0)[0])


def test_a_scale_of_the_truth_is_none_to_the_losses():
    inverse, valid = maps(5)
    raw, real = inverse + torch.rand_like(inverse), torch.tensor([False, True])
    inverse = 100 * inverse  # so that what keeps divisions finite is small
    once = torch.tensor([float(x) for x in depth_loss(raw, inverse, valid, real, 1.0)])
    twice = torch.tensor([float(x) for x in depth_loss(raw, 2 * inverse, valid, real, 1.0)])
    assert torch.allclose(once, twice, rtol=1e-4)


def test_a_shift_of_the_truth_changes_only_relative_error_and_anchor():
    inverse, valid = maps(6)
    raw, real = inverse + torch.rand_like(inverse), torch.tensor([False, True])
    _, flat, parts, edges = depth_loss(raw, inverse, valid, real, 1.0)
    _, shifted_flat, shifted_parts, shifted_edges = depth_loss(raw, inverse + 0.5, valid, real, 1.0)
    assert abs(shifted_flat - flat) < 1e-4 * flat and abs(shifted_edges - edges) < 1e-4 * edges
    assert shifted_parts < 0.8 * parts


def test_a_rolled_frame_turns_a_plane_and_leaves_no_corner():
    column, row = np.meshgrid(np.linspace(-1, 1, 160) * 4 / 3, np.linspace(-1, 1, 120))
    inverse = (3 + column).astype(np.float32)  # a plane that rises to the right
    frame = Frame(np.full((120, 160, 3), 200, np.uint8), inverse, np.ones((120, 160), bool))
    for degrees in (-45, -20, 0, 20, 45):
        turned = rolled(frame, degrees)
        assert turned.valid.all() and (turned.rgb == 200).all()
        one = np.ones(turned.inverse.size)
        k = np.linalg.lstsq(np.stack([one, column.ravel(), row.ravel()], 1), turned.inverse.ravel(), rcond=None)[0]
        # counterclockwise in the picture, whose rows run down
        assert abs(np.degrees(np.arctan2(-k[2], k[1])) - degrees) < 0.5


def test_attention_is_the_same_with_and_without_a_gradient():
    torch.manual_seed(2)
    attention, x = Attention(), torch.randn(2, 29, WIDTH)
    with torch.no_grad():
        fused = attention(x)
    assert torch.allclose(attention(x), fused, atol=1e-5)


def test_frozen_blocks_get_no_gradient():
    torch.manual_seed(3)
    net = DepthNet()
    net(torch.randn(1, 3, 42, 56), frozen=10, clamp=False).sum().backward()
    assert net.pretrained.blocks[9].attn.qkv.weight.grad is None
    assert net.pretrained.blocks[10].attn.qkv.weight.grad.abs().max() > 0


def encoder_of(value):
    return {k: torch.full_like(v, value) for k, v in DepthNet().pretrained.state_dict().items()}


def test_drawing_back_mixes_the_encoder_and_leaves_the_head():
    state = {k: torch.ones_like(v) for k, v in DepthNet().state_dict().items()}
    out = drawn_back(state, encoder_of(5.0), 0.25)
    assert list(out) == list(state)
    assert all((v == (2 if k.startswith("pretrained.") else 1)).all() for k, v in out.items())


def test_a_run_goes_on_from_a_checkpoint_and_decays_to_the_original_encoder(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "read_encoder", lambda path: encoder_of(3.0))
    state = {k: torch.ones_like(v) for k, v in DepthNet().state_dict().items()}
    torch.save(run_of(state), tmp_path / "run.pt")
    o = argparse.Namespace(run=str(tmp_path / "run.pt"), assets="", device="cpu", stage="x")
    o.unfreeze, o.rate, o.encoder_rate, o.pull = 2, 1e-30, 1e-30, 0.5
    run = train.Run(o)
    for p in run.live:
        p.grad = torch.zeros_like(p)
    run.update(0.5, 0.9)
    encoder = run.net.pretrained
    assert torch.allclose(encoder.blocks[11].mlp.fc1.weight, torch.tensor(1.5))
    assert (encoder.blocks[9].mlp.fc1.weight == 1).all() and (run.net.depth_head.projects[0].weight == 1).all()


if __name__ == "__main__":
    import sys

    import pytest

    sys.exit(pytest.main([__file__, "-q"]))
