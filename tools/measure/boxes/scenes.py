"""Exact scenes for measuring boxes: solids on a floor before a wall, seen by a camera with a depth sensor.

Rays are cast here from the pinhole formulas and nothing of ardf. A scene's truth is the solid's own box; a side is
`observed` where the picture's own pixels (1920x1440) see at least 98 % of it.

The world has +y up. A box's yaw turns about +y: its x axis is (cos yaw, 0, -sin yaw), its z axis (sin yaw, 0, cos yaw).
"""

from dataclasses import dataclass, field

import numpy as np

PICTURE = (1920, 1440)
GRID = (256, 192)
KINDS = ("box", "slab", "cylinder", "corner", "step")
# Share of a side that the picture must see for it to count as observed.
OBSERVED = 0.98


@dataclass(frozen=True)
class Constants:
    """The constants from which a set of scenes is drawn."""

    seed: int
    focal: float = 1569.25
    principal: tuple = (960.4, 723.33)
    # Noise of planar depth: this share of it, divided by the cosine of the angle of incidence (0.2 at least).
    noise: float = 0.003
    # Standard deviation of the mask's edge about the true one and its mean outward shift, picture pixels: the median of
    # both over 21 masks of yolo11n-seg on two iPhone captures, against the edges of their depth.
    mask_scatter: float = 6.5
    mask_shift: float = 6.5
    # Length along the edge over which the displacement changes, picture pixels.
    mask_length: float = 60.0
    # Share of depth cells at an edge that lie between both surfaces.
    flying: float = 0.5
    # Longest side over distance.
    relative_size: tuple = (0.15, 0.45)
    portrait: float = 0.5


# Constants of the method may be chosen on `tune` and `wide` alone, of which `wide` varies the camera, the masks and the sizes
# beyond all others, and on `rooms-tune`. `table` is what docs/benchmarks/boxes.md publishes. `held` and `rooms-held` were drawn
# once, from other constants, after the method had been settled.
SETS = {
    "tune": Constants(seed=1),
    "wide": Constants(
        seed=4, focal=1280.0, principal=(978.2, 705.6), noise=0.0025, mask_scatter=9.5, mask_shift=3.0,
        mask_length=35.0, flying=0.7, relative_size=(0.1, 0.55), portrait=0.5,
    ),
    "table": Constants(seed=2),
    "held": Constants(
        seed=3, focal=1432.7, principal=(941.7, 733.9), noise=0.0035, mask_scatter=8.0, mask_shift=5.0,
        mask_length=45.0, flying=0.6, relative_size=(0.12, 0.5), portrait=0.3,
    ),
    # Furnished rooms: furnished.py.
    "rooms-tune": Constants(seed=11, relative_size=(0.2, 0.5)),
    "rooms-held": Constants(
        seed=12, focal=1432.7, principal=(941.7, 733.9), mask_scatter=8.0, mask_shift=5.0, mask_length=45.0,
        relative_size=(0.18, 0.55),
    ),
}  # fmt: skip


@dataclass
class Solid:
    """Parts of one object in its own axes, from the middle of its footprint and the floor up."""

    kind: str
    size: tuple
    boxes: list = field(default_factory=list)
    radius: float = 0.0

    @property
    def round(self):
        return self.kind == "cylinder"


@dataclass
class Scene:
    name: str
    solid: Solid
    yaw: float
    place: tuple
    rotation: np.ndarray
    origin: np.ndarray
    portrait: bool
    constants: Constants
    wall: float
    pitch: float
    distance: float

    # What of the sensor's model differs in this scene, and the detection's class.
    reading = {}
    detected = None

    @property
    def center(self):
        return np.array([self.place[0], self.solid.size[1] / 2, self.place[1]])

    def cast(self, u, v):
        """Planar depth, whether the solid is hit, and the cosine of incidence, for pixel centers `u`, `v`."""
        c = self.constants
        camera = np.stack([(u - c.principal[0]) / c.focal, -(v - c.principal[1]) / c.focal, -np.ones_like(u)], -1)
        ray = camera @ self.rotation.T
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        turn = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
        start = turn @ (self.origin - np.array([self.place[0], 0, self.place[1]]))
        own = ray @ turn.T
        depth = np.full(u.shape, np.inf)
        normal = np.zeros((*u.shape, 3))
        for low, high in self.solid.boxes:
            hit_box(start, own, np.array(low), np.array(high), depth, normal)
        if self.solid.round:
            hit_cylinder(start, own, self.solid.radius, self.solid.size[1], depth, normal)
        solid = np.isfinite(depth)
        normal = normal @ turn
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = np.where(ray[..., 1] < 0, -self.origin[1] / ray[..., 1], np.inf)
            wall = np.where(ray[..., 2] < 0, (self.wall - self.origin[2]) / ray[..., 2], np.inf)
        for other, axis in ((floor, 1), (wall, 2)):
            nearer = (other > 0) & (other < depth)
            depth = np.where(nearer, other, depth)
            solid &= ~nearer
            normal[nearer] = np.eye(3)[axis]
        incidence = np.abs((ray * normal).sum(-1)) / np.linalg.norm(ray, axis=-1)
        return depth, solid, incidence

    def surfaces(self, u, v):
        """Planar depth, and a label of what is hit there."""
        return self.cast(u, v)[:2]

    def pose(self):
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.rotation, self.origin
        return matrix

    def observed_sides(self):
        """Whether the picture sees the whole of each side (x, y, z); the floor shows where the solid ends below."""
        window = self.window(40)
        u, v = np.meshgrid(np.arange(window[0], window[2], 2.0), np.arange(window[1], window[3], 2.0))
        depth, solid, _ = self.cast(u, v)
        if not solid.any():
            return np.zeros(3, bool)
        c = self.constants
        z = depth[solid]
        camera = np.stack([(u[solid] - c.principal[0]) * z / c.focal, -(v[solid] - c.principal[1]) * z / c.focal, -z])
        world = (self.rotation @ camera).T + self.origin - self.center
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        along = world @ np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]]).T
        half = np.array(self.solid.size) / 2
        # A pixel's own step on the surface hides nothing.
        reach = np.maximum(along.max(0), 0) + np.maximum(-along.min(0), 0)
        return reach >= OBSERVED * 2 * half

    def window(self, margin):
        """First and last columns and rows of the picture that the solid's box covers, `margin` pixels wider."""
        half = np.array(self.solid.size) / 2
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        camera = ((signs * half) @ turn.T + self.center - self.origin) @ self.rotation
        c = self.constants
        u = c.principal[0] + c.focal * camera[:, 0] / -camera[:, 2]
        v = c.principal[1] - c.focal * camera[:, 1] / -camera[:, 2]
        return (
            int(np.floor(u.min())) - margin, int(np.floor(v.min())) - margin,
            int(np.ceil(u.max())) + margin, int(np.ceil(v.max())) + margin,
        )  # fmt: skip

    @property
    def fits(self):
        left, top, right, bottom = self.window(30)
        return left >= 0 and top >= 0 and right < PICTURE[0] and bottom < PICTURE[1]


def hit_box(start, ray, low, high, depth, normal):
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - start) / ray, (high - start) / ray
    near, far = np.fmin(a, b), np.fmax(a, b)
    axis = near.argmax(-1)
    first, last = near.max(-1), far.min(-1)
    hit = (first <= last) & (first > 0) & (first < depth)
    depth[hit] = first[hit]
    normal[hit] = np.eye(3)[axis[hit]]


def hit_cylinder(start, ray, radius, height, depth, normal):
    a = ray[..., 0] ** 2 + ray[..., 2] ** 2
    b = start[0] * ray[..., 0] + start[2] * ray[..., 2]
    root = b * b - a * (start[0] ** 2 + start[2] ** 2 - radius**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        side = (-b - np.sqrt(root)) / a
        y = start[1] + side * ray[..., 1]
        lid = (height - start[1]) / ray[..., 1]
    hit = (root >= 0) & (side > 0) & (y >= 0) & (y <= height) & (side < depth)
    depth[hit] = side[hit]
    point = start + side[..., None] * ray
    normal[hit] = (point * [1, 0, 1])[hit] / radius
    point = start + lid[..., None] * ray
    hit = (lid > 0) & (point[..., 0] ** 2 + point[..., 2] ** 2 <= radius**2) & (lid < depth)
    depth[hit] = lid[hit]
    normal[hit] = [0, 1, 0]


def solid(kind, longest, rng):
    """A solid of one kind with its longest side given."""

    def sides(low, high, count=2):
        return longest * rng.uniform(low, high, count)

    def block(x, y, z):
        return [((-x / 2, 0, -z / 2), (x / 2, y, z / 2))]

    if kind == "box":
        y, z = sides(0.35, 0.95)
        return Solid(kind, (longest, y, z), block(longest, y, z))
    if kind == "slab":
        z = sides(0.5, 0.9, 1)[0]
        y = max(0.02, longest * rng.uniform(0.05, 0.12))
        return Solid(kind, (longest, y, z), block(longest, y, z))
    if kind == "cylinder":
        y, width = sides(0.5, 0.95)
        return Solid(kind, (width, y, width), radius=width / 2)
    z, y = sides(0.5, 0.9)
    if kind == "corner":
        arm, side = longest * rng.uniform(0.25, 0.4), z * rng.uniform(0.3, 0.45)
        parts = [((-longest / 2, 0, -z / 2), (longest / 2, y * 0.6, -z / 2 + side))]
        parts.append(((-longest / 2, 0, -z / 2), (-longest / 2 + arm, y * 0.6, z / 2)))
        return Solid(kind, (longest, y * 0.6, z), parts)
    # A step: a low part with a high one along its back, as a bed has a head and a seat has a back.
    low, back = y * rng.uniform(0.35, 0.6), z * rng.uniform(0.15, 0.35)
    parts = [((-longest / 2, 0, -z / 2), (longest / 2, low, z / 2))]
    parts.append(((-longest / 2, 0, -z / 2), (longest / 2, y, -z / 2 + back)))
    return Solid(kind, (longest, y, z), parts)


def look(center, pitch, azimuth, roll, distance, aim, constants, portrait):
    """Rotation and place of a camera that sees `center` at pixel `aim`, `distance` meters of planar depth away."""
    forward = np.array([np.sin(azimuth) * np.cos(pitch), -np.sin(pitch), -np.cos(azimuth) * np.cos(pitch)])
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    right, up = np.cos(roll) * right + np.sin(roll) * up, np.cos(roll) * up - np.sin(roll) * right
    if portrait:
        # The picture's left is up: x = -up, y = right.
        right, up = -up, right
    rotation = np.stack([right, up, -forward], 1)
    ray = np.array([(aim[0] - constants.principal[0]) / constants.focal,
                    -(aim[1] - constants.principal[1]) / constants.focal, -1.0])  # fmt: skip
    return rotation, center - rotation @ ray * distance


def scenes(name, count):
    """`count` scenes of a set, the kinds in turn; the same every time."""
    if name.startswith("rooms"):
        import furnished

        return furnished.scenes(name, count)
    constants = SETS[name]
    rng = np.random.default_rng(constants.seed)
    made = []
    while len(made) < count:
        kind = KINDS[len(made) % len(KINDS)]
        pitch, yaw = np.radians(rng.uniform(10, 60)), np.radians(rng.uniform(0, 90))
        distance = np.exp(rng.uniform(np.log(0.5), np.log(6)))
        body = solid(kind, distance * rng.uniform(*constants.relative_size), rng)
        place = tuple(rng.uniform(-0.5, 0.5, 2))
        portrait = rng.uniform() < constants.portrait
        aim = np.array(PICTURE) / 2 + rng.uniform(-1, 1, 2) * (200, 150)
        center = np.array([place[0], body.size[1] / 2, place[1]])
        rotation, origin = look(
            center, pitch, np.radians(rng.uniform(-20, 20)), np.radians(rng.uniform(-4, 4)), distance, aim, constants,
            portrait,
        )  # fmt: skip
        reach = np.hypot(body.size[0], body.size[2]) / 2
        wall = place[1] - reach - distance * rng.uniform(0.1, 1.0)
        scene = Scene(
            f"{name}-{len(made):03d}-{kind}", body, yaw, place, rotation, origin, portrait, constants, wall, pitch,
            distance,
        )  # fmt: skip
        # A step turned round shows its back: allowed, it is what it is.
        if scene.fits and origin[1] > 0.05:
            made.append(scene)
    return made
