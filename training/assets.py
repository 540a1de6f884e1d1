"""The material of scenes, read once a process: meshes, textures, panoramas."""

import glob
import os

import cv2
import numpy as np

import furniture
import renderer
import shapes
import textures

BOX, CARD, CYLINDER, CONE = range(4)
BALL = renderer.BALL
INDOORS = ("Bathroom", "Bedroom", "Kitchen", "Lights", "Living room", "Miscellaneous", "Office")


class Assets:
    """folder holds what fetch.py made: furniture.npz, photos/*.npy, panoramas/*.npy."""

    def __init__(self, folder, seed=7):
        self.models, pictures = furniture.load(os.path.join(folder, "furniture.npz"))
        photos = [np.load(f) for f in sorted(glob.glob(os.path.join(folder, "photos", "*.npy")))]
        self.panoramas = [np.load(f) for f in sorted(glob.glob(os.path.join(folder, "panoramas", "*.npy")))]
        made, kinds = self.made_textures(folder, seed, photos)
        self.kinds = {k: np.flatnonzero(kinds == k) for k in np.unique(kinds)}
        everything = [*made, *pictures, np.zeros_like(made[0])]
        self.textures = np.stack([renderer.pyramid(p) for p in everything])
        self.cut = np.array([(p[..., 3] < 128).mean() > 0.02 for p in everything])
        self.first_picture, self.open_texture = len(made), len(everything) - 1
        r = np.random.default_rng(seed)
        base = [shapes.box(), shapes.card(), shapes.cylinder(), shapes.cone()]
        self.vessels = range(len(base), len(base) + 24)
        base += [shapes.vessel(r) for _ in self.vessels]
        self.rocks = range(len(base), len(base) + 24)
        base += [shapes.rock(r) for _ in self.rocks]
        self.cloths = range(len(base), len(base) + 16)
        base += [shapes.cloth(r) for _ in self.cloths]
        self.first_model = len(base)
        self.meshes = renderer.Meshes(base + [m.mesh for m in self.models])
        self.sort_models()

    @staticmethod
    def made_textures(folder, seed, photos):
        cache = os.path.join(folder, f"textures-{seed}.npz")
        if not os.path.exists(cache):
            made, kinds = textures.bank(seed, photos)
            part = f"{cache}.{os.getpid()}.npz"  # processes that start together each make it
            np.savez(part, made=made, kinds=kinds)
            os.replace(part, cache)
        z = np.load(cache)
        return z["made"], z["kinds"]

    def sort_models(self):
        """Lists of model numbers by where they belong."""

        def which(test):
            return [i for i, m in enumerate(self.models) if test(m, 2 * m.half)]

        self.people = which(lambda m, s: m.category == "Characters" and 0.8 < s[1] < 2.2 and s[[0, 2]].max() < 1.5)
        self.vehicles = which(lambda m, s: m.category == "Vehicles" and s[1] > 0.3)
        self.outdoors = which(lambda m, s: m.category == "Exterior" and s[1] > 0.15)
        self.standing = which(
            lambda m, s: (
                m.category in INDOORS and m.elevation < 0.05 and s.max() > 0.4 and s[1] > 0.15 and s[[0, 2]].max() < 3
            )
        )
        self.hanging = which(lambda m, s: m.category in INDOORS and m.elevation > 0.3 and s.max() < 2.5)
        self.small = which(lambda m, s: m.category in (*INDOORS, "Characters") and s.max() < 0.5 and s.max() > 0.05)
        self.openings = which(lambda m, s: m.category == "Doors and windows" and s[1] > 0.8)
        self.every = which(lambda m, s: s.max() < 20)


def panorama(r, assets):
    """A sky: a photographed panorama turned at random, or a made gradient with clouds.  Linear rgb [h, w, 3]."""
    if assets.panoramas and r.random() < 0.6:
        p = assets.panoramas[r.integers(len(assets.panoramas))]
        p = np.roll(p, r.integers(p.shape[1]), axis=1)
        p = p[:, ::-1] if r.random() < 0.5 else p
        return p * (r.uniform(0.5, 1.2) / np.percentile(p, 80)) * r.uniform(0.8, 1.2, 3).astype(np.float32)
    high = np.linspace(1, -1, 64, dtype=np.float32)[:, None, None]
    horizon, zenith = textures.color(r, 0.5, 1.2, 0.3), np.array([0.35, 0.55, 0.95]) * r.uniform(0.4, 1.1)
    out = np.where(high > 0, horizon + (zenith - horizon) * np.sqrt(np.abs(high)), horizon * 0.5) * np.ones((1, 128, 1))
    if r.random() < 0.5:
        cloud = np.clip((cv2.resize(textures.noise(r, 4, 4, 5), (128, 64)) - r.uniform(0.3, 0.6)) * 4, 0, 1)[..., None]
        out = out * (1 - cloud) + cloud * r.uniform(0.6, 1.2)
    return out.astype(np.float32)
