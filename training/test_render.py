"""Exact depth of known scenes: python -m pytest training (or python test_render.py)."""

import numpy as np

import renderer
import shapes
from photograph import photograph
from renderer import BALL, affine, camera, instance
from rooms import doors
from testsets import rendered

MESHES = renderer.Meshes([shapes.box(), shapes.card(), shapes.cylinder()])
BOX, CARD, CYLINDER = 0, 1, 2
WHITE = renderer.pyramid(np.full((256, 256, 4), 255, np.uint8))[None]


def material(rgb=(0.5, 0.5, 0.5), texture=-1, flags=0, glow=0.0):
    return (rgb, 1.0, 0.0, 0.0, glow, texture, flags)


def shot(instances, view, materials=None, lights=(), textures=WHITE, ambient=(1, 1, 1)):
    return renderer.render(
        MESHES,
        textures,
        materials or [material()],
        instances,
        lights,
        np.full((2, 4, 3), 0.25, np.float32),
        ambient,
        1.0,
        view,
    )


def rays(view):
    """Directions with unit component along the optical axis: [h, w, 3]."""
    h, w = int(view["height"]), int(view["width"])
    a, b = np.meshgrid((np.arange(w) + 0.5) / w * 2 - 1, 1 - (np.arange(h) + 0.5) / h * 2)
    return view["forward"] + a[..., None] * view["right"] + b[..., None] * view["up"]


def test_plane_faced_squarely_has_one_depth():
    view = camera((0, 0, 0), (0, 0, 1), 40, 30, 1.0)
    _, inverse = shot([instance(affine((0, 0, 2.5), (50, 50, 1)), CARD, 0)], view)
    assert np.abs(1 / inverse - 2.5).max() < 1e-5


def test_slanted_plane():
    view = camera((0.3, 1.6, 0), (0.1, 0.2, 2), 64, 48, 1.1, roll=0.2)
    _, inverse = shot([instance(affine((0, 0, 0), (400, 400, 1), pitch=np.pi / 2), CARD, 0)], view)
    d = rays(view)
    depth = -1.6 / d[..., 1]
    seen = (d[..., 1] < -1e-3) & (depth < 100)
    assert seen.any() and np.abs(inverse[seen] * depth[seen] - 1).max() < 1e-4
    assert (inverse[d[..., 1] > 1e-3] == 0).all()


def test_ball_and_ellipsoid():
    view = camera((0, 0, -3), (0, 0, 0), 80, 60, 1.0)
    d = rays(view)
    for size in ((1, 1, 1), (0.5, 1.2, 0.8)):
        _, inverse = shot([instance(affine((0, 0, 0), size), BALL, 0)], view)
        o, k = np.array([0, 0, -3]) / size, d / np.array(size)
        a, b, c = (k * k).sum(-1), k @ o, o @ o - 1
        s = b * b - a * c
        inside = s > 1e-3
        assert np.abs(inverse[inside] * ((-b - np.sqrt(np.maximum(s, 0))) / a)[inside] - 1).max() < 1e-4
        assert (inverse[s < -1e-3] == 0).all()


def test_turned_box():
    view = camera((1.0, 2.0, -4.0), (0, 0, 0), 80, 60, 0.9)
    turn = affine((0.2, -0.1, 0.3), (0.7, 0.4, 0.9), yaw=0.5, pitch=-0.3, roll=0.2)
    _, inverse = shot([instance(turn, BOX, 0)], view)
    back = np.linalg.inv(turn[:, :3])
    o, d = back @ (view["eye"] - turn[:, 3]), rays(view) @ back.T
    a, b = (-1 - o) / d, (1 - o) / d
    enter, leave = np.minimum(a, b).max(-1), np.maximum(a, b).min(-1)
    hit, miss = leave - enter > 1e-3, enter - leave > 1e-3
    assert hit.any() and np.abs(inverse[hit] * enter[hit] - 1).max() < 1e-4
    assert (inverse[miss] == 0).all()


def test_nearest_of_many_wins():
    r, view = np.random.default_rng(1), camera((0, 0, -6), (0, 0, 0), 60, 60, 1.0)
    centers, radii = r.uniform(-2, 2, (300, 3)), r.uniform(0.05, 0.3, 300)
    _, inverse = shot([instance(affine(c, (q, q, q)), BALL, 0) for c, q in zip(centers, radii)], view)
    d, best = rays(view), np.full((60, 60), np.inf)
    for c, q in zip(centers, radii):
        o = np.array([0, 0, -6]) - c
        a, b, k = (d * d).sum(-1), d @ o, o @ o - q * q
        s = b * b - a * k
        best = np.where(s > 0, np.minimum(best, (-b - np.sqrt(np.maximum(s, 0))) / a), best)
    want = np.where(np.isfinite(best), 1 / best, 0)
    assert (np.abs(inverse - want) < 1e-4).mean() > 0.995  # grazing pixels may fall either way


def test_alpha_cuts_holes():
    picture = np.full((256, 256, 4), 255, np.uint8)
    picture[:, :128, 3] = 0  # the left half is open
    view = camera((0, 0, -2), (0, 0, 0), 40, 40, 0.8)
    right = np.sign(view["right"][0])
    _, inverse = shot(
        [instance(affine((0, 0, 0), (5, 5, 1)), CARD, 0)],
        view,
        [material(texture=0, flags=renderer.ALPHA)],
        textures=renderer.pyramid(picture)[None],
    )
    solid, open_ = (inverse[:, 22:], inverse[:, :18]) if right > 0 else (inverse[:, :18], inverse[:, 22:])
    assert np.abs(solid - 0.5).max() < 1e-5 and (open_ == 0).all()


def test_shadow_darkens_what_a_ball_covers():
    view = camera((0, 3, -3), (0, 0, 0), 64, 64, 0.8)
    floor, ball = (
        instance(affine((0, 0, 0), (20, 20, 1), pitch=np.pi / 2), CARD, 0),
        instance(affine((0, 1, 0), (0.6, 0.6, 0.6)), BALL, 0),
    )
    sun = ((0, 1, 0), (1, 1, 1), 0.0, 1)
    open_, _ = shot([floor], view, lights=[sun], ambient=(0.1, 0.1, 0.1))
    shaded, _ = shot([floor, ball], view, lights=[sun], ambient=(0.1, 0.1, 0.1))
    assert shaded[32, 32, 0] < 0.3 * open_[32, 32, 0]


def test_overexposed_pictures_burn_out():
    ramp = np.repeat(np.linspace(0, 1, 64, dtype=np.float32)[None, :, None], 3, 2).repeat(64, 0)
    dim, bright = (photograph(ramp, np.random.default_rng(3), (e, e)) for e in (0.6, 1.8))
    assert (dim > 250).mean() < 0.02 and (bright > 250).mean() > 0.2


def test_same_seed_same_picture():
    view = camera((0, 1, -3), (0, 0, 0), 32, 32, 0.8)
    scene = [instance(affine((0, 0, 0), (1, 1, 1), yaw=0.4), BOX, 0)]
    lamp = ((1, 3, -2), (5, 5, 5), 0.5, 0)
    assert np.array_equal(shot(scene, view, lights=[lamp])[0], shot(scene, view, lights=[lamp])[0])


def test_doors_lie_flat_on_their_wall():
    class Wall:
        def __init__(self, seed):
            self.r, self.boxes = np.random.default_rng(seed), []
            self.paint = self.metal = self.glass = lambda *kinds, **more: 0

        def between(self, low, high):
            return self.r.uniform(low, high)

        def chance(self, p):
            return self.r.random() < p

        def pick(self, *options):
            return options[self.r.integers(len(options))]

        def box(self, center, half, material):
            self.boxes.append((np.array(center), np.array(half)))

    for seed, x in ((1, 1.2), (2, -0.8)):
        wall = Wall(seed)
        doors(wall, x, 9)
        assert len(wall.boxes) > 6
        for center, half in wall.boxes:
            out = (x - center[0]) * np.sign(x)  # into the room
            assert out > 0 and out + half[0] < 0.1 and center[1] - half[1] >= -1e-9 and abs(center[2]) < 9


def test_farther_pixels_than_a_sets_reach_do_not_count(tmp_path):
    folder = tmp_path / "corridors"
    folder.mkdir()
    np.save(folder / "0_rgb.npy", np.zeros((1, 2, 2, 3), np.uint8))
    np.save(folder / "0_inverse.npy", np.array([[[1 / 3, 1 / 5.9], [1 / 6.1, 0]]], np.float16))
    (frame,) = rendered(str(tmp_path), "corridors", 6.0)
    assert np.array_equal(frame.valid, [[True, True], [False, False]]) and frame.far == 9


if __name__ == "__main__":
    import sys

    import pytest

    sys.exit(pytest.main([__file__, "-q"]))
