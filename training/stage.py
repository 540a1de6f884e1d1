"""A scene under construction: materials, instances, lights, and where things may stand."""

import numpy as np

import renderer
from assets import BALL, BOX, CARD
from renderer import ALPHA, METRIC, affine, chain
from textures import color


class Stage:
    def __init__(self, assets, r):
        self.assets, self.r = assets, r
        self.materials, self.instances, self.lights = [], [], []
        self.taken = []  # discs (x, z, radius) on the floor
        self.pale = 0.0  # the part of all paint that is white and plain
        self.holed, self.widest = 0.45, 1.1  # the part of walls with a window, and half its greatest width in meters
        self.glazed = 0.0  # the part of these windows that are glass doors

    # -- chance
    def between(self, low, high):
        return self.r.uniform(low, high)

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *options):
        return options[self.r.integers(len(options))]

    # -- materials
    def paint(self, *kinds, scale=None, metric=True, rgb=None, gloss=None, mirror=None, glow=0.0):
        """A material with a texture of one of the kinds, laid in meters or over the mesh's uv; -> its number."""
        if rgb is None and self.pale and self.chance(self.pale):
            kinds, rgb = ("plain", "plain", "mottled"), color(self.r, 0.85, 1.05, 0.06)
        kind = self.pick(*(kinds or tuple(self.assets.kinds)))
        texture = int(self.r.choice(self.assets.kinds[kind]))
        if rgb is None:
            rgb = (
                np.ones(3)
                if kind == "photograph"
                else color(self.r, 0.35, 1.05, 0.5)
                if kind in ("plain", "mottled", "stripes")
                else color(self.r, 0.7, 1.05, 0.25)
            )
        shiny = self.chance(0.4)
        gloss = self.between(0, 0.6) * shiny if gloss is None else gloss
        mirror = self.between(0, 0.15) * (shiny and self.chance(0.4)) if mirror is None else mirror
        flags = (METRIC if metric else 0) | (ALPHA if self.assets.cut[texture] and not metric else 0)
        self.materials.append(
            (rgb, scale or (self.between(0.4, 2.5) if metric else 1.0), gloss, mirror, glow, texture, flags)
        )
        return len(self.materials) - 1

    def metal(self):
        return self.paint(
            "plain", rgb=color(self.r, 0.05, 0.8, 0.15), gloss=self.between(0.2, 1), mirror=self.between(0, 0.4)
        )

    def glass(self):
        """Seen as a surface: dark, and mirroring its surroundings."""
        return self.paint("plain", rgb=color(self.r, 0.02, 0.2, 0.4), gloss=1.0, mirror=self.between(0.15, 0.6))

    # -- things
    def put(self, mesh, to_world, material):
        self.instances.append(renderer.instance(to_world, mesh, material))

    def box(self, center, half, material, **turn):
        self.put(BOX, affine(center, half, **turn), material)

    def model(self, number, position=(0, 0, 0), yaw=0.0, scale=1.0, frame=None, **turn):
        """A library model standing at position.  Glass parts are left open or become mirroring surfaces."""
        m, a = self.assets.models[number], self.assets
        half = (
            m.half
            * scale
            * (
                self.between(
                    0.85,
                    1.15,
                )
                if self.chance(0.7)
                else 1
            )
        )
        recolor, glass, first = self.chance(max(0.35, self.pale)), self.chance(0.5), len(self.materials)
        open_slots = set()
        for slot, (rgb, texture, see_through, shine) in enumerate(m.materials):
            if see_through:
                self.glass()
                if not glass:
                    open_slots.add(slot)
            elif recolor and self.chance(0.7):
                self.paint(metric=True)
            else:
                flags = ALPHA if texture >= 0 and a.cut[a.first_picture + texture] else 0
                tint = np.asarray(rgb) ** 2 if texture < 0 else np.ones(3)
                self.materials.append(
                    (
                        tint * self.between(0.7, 1.1),
                        1.0,
                        shine * 0.5,
                        shine * 0.1 * self.chance(0.3),
                        0.0,
                        a.first_picture + texture if texture >= 0 else -1,
                        flags,
                    )
                )
        if len(open_slots) == len(m.materials):
            open_slots = set()
        for slot in open_slots:  # an alpha texture that is open everywhere
            self.materials[first + slot] = ((1, 1, 1), 0.0, 0.0, 0.0, 0.0, a.open_texture, ALPHA)
        stand = affine(np.asarray(position, float) + [0, half[1], 0], half, yaw=yaw, **turn)
        self.put(a.first_model + number, stand if frame is None else chain(frame, stand), first)
        return half

    def lamp(self, at, strength, radius=None):
        self.lights.append(
            (at, color(self.r, 0.8, 1, 0.25) * strength, self.between(0.03, 0.4) if radius is None else radius, 0)
        )

    def sun(self, strength=(0.2, 2.5)):
        a, e = self.between(0, 6.28), self.between(0.2, 1.4)
        self.lights.append(
            (
                (np.cos(a) * np.cos(e), np.sin(e), np.sin(a) * np.cos(e)),
                np.array([1, 0.93, 0.8]) * self.between(*strength),
                0.03,
                1,
            )
        )

    def free(self, x, z, radius, overlap=0.8):
        """Claims a disc on the floor unless it is taken."""
        if any((x - a) ** 2 + (z - b) ** 2 < overlap * (radius + c) ** 2 for a, b, c in self.taken):
            return False
        self.taken.append((x, z, radius))
        return True

    def shape(self, position, size, material=None, yaw=0.0, **turn):
        """A made solid of the given half height standing at position."""
        a = self.assets
        mesh = self.pick(BOX, BOX, BALL, 2, 3, int(self.r.choice(a.vessels)), int(self.r.choice(a.rocks)))
        half = size * np.exp(self.r.normal(0, 0.35, 3))
        self.put(
            mesh,
            affine(np.asarray(position, float) + [0, half[1], 0], half, yaw=yaw, **turn),
            self.paint() if material is None else material,
        )
        return half

    def picture(self, to_world, **material):
        self.put(CARD, to_world, self.paint("photograph", "photograph", "text", "mottled", metric=False, **material))
