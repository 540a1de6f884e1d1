"""Unit meshes that scenes are built from, as TRIANGLE arrays centered on the origin; renderer.BALL is the unit ball."""

import numpy as np

from renderer import triangles


def quads(corners):
    """[n, 4, 3], each around its face -> triangles with uv over the unit square."""
    corners = np.asarray(corners, float)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    return triangles(
        np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]]),
        uv=np.concatenate(
            [np.broadcast_to(uv[[0, 1, 2]], (len(corners), 3, 2)), np.broadcast_to(uv[[0, 2, 3]], (len(corners), 3, 2))]
        ),
    )


def box():
    """[-1, 1]^3, uv over every face upright."""
    faces = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            x, y = (2, 1) if axis == 0 else (0, 2) if axis == 1 else (0, 1)
            f = np.zeros((4, 3))
            f[:, axis], f[:, x], f[:, y] = sign, [-1, 1, 1, -1], [-1, -1, 1, 1]
            faces.append(f)
    return quads(faces)


def card():
    """The square [-1, 1]^2 at z = 0: screens, pictures, cut-outs."""
    return quads([[[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]])


def lathe(profile, sides=24):
    """Turns a polyline of (radius, y) about the y axis; smooth around, flat along."""
    profile, angle = np.asarray(profile, float), np.linspace(0, 2 * np.pi, sides + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    corners, normals, uv = [], [], []
    for (r0, y0), (r1, y1) in zip(profile[:-1], profile[1:]):
        slope = np.array([y1 - y0, r0 - r1]) / (np.hypot(y1 - y0, r0 - r1) + 1e-12)
        for i in range(sides):
            p = [
                np.array([r * ring[k][0], y, r * ring[k][1]])
                for r, y, k in ((r0, y0, i), (r0, y0, i + 1), (r1, y1, i + 1), (r1, y1, i))
            ]
            n = [np.array([slope[0] * ring[k][0], slope[1], slope[0] * ring[k][1]]) for k in (i, i + 1, i + 1, i)]
            t = [(k / sides, y) for k, y in ((i, y0), (i + 1, y0), (i + 1, y1), (i, y1))]
            for a in ((0, 1, 2), (0, 2, 3)):
                if np.linalg.norm(np.cross(p[a[1]] - p[a[0]], p[a[2]] - p[a[0]])) > 1e-9:
                    corners.append([p[k] for k in a]), normals.append([n[k] for k in a]), uv.append([t[k] for k in a])
    return triangles(np.array(corners), np.array(normals), np.array(uv))


def cylinder():
    return lathe([(0, -1), (1, -1), (1, 1), (0, 1)])


def cone():
    return lathe([(0, -1), (1, -1), (0, 1)])


def vessel(r):
    """A random solid of revolution: vases, lamps, bottles, table legs."""
    y = np.linspace(-1, 1, 9)
    radius = np.interp(y, np.linspace(-1, 1, 4), r.uniform(0.15, 1, 4))
    radius[-3:] *= r.uniform(0.3, 1)
    return lathe([(0, -1), *zip(radius / radius.max(), y), (0, 1)], 20)


def rock(r, n=12):
    """A lumpy closed surface: stones, cushions, bushes, heaps of cloth."""
    theta, phi = np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, 2 * n + 1)
    lumps = [(r.normal(size=3) * 2.5, r.uniform(0, 6.28), r.uniform(0.03, 0.14)) for _ in range(6)]
    d = np.stack(
        [
            np.sin(theta)[:, None] * np.cos(phi),
            np.cos(theta)[:, None] * np.ones_like(phi),
            np.sin(theta)[:, None] * np.sin(phi),
        ],
        -1,
    )
    p = d * (1 + sum(a * np.sin(d @ k + o) for k, o, a in lumps))[..., None]
    p /= np.abs(p).max((0, 1))
    grid = np.stack([p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]], 2).reshape(-1, 4, 3)
    corners = np.concatenate([grid[:, [0, 1, 2]], grid[:, [0, 2, 3]]])
    out = triangles(corners, corners, np.stack([corners[..., 0], corners[..., 1]], -1))
    return out[np.linalg.norm(np.cross(out["a"], out["b"]), axis=1) > 1e-9]


def cloth(r, n=20):
    """A wavy sheet over [-1, 1]^2 with unit-high folds along x: curtains, blankets, ground."""
    x = np.linspace(-1, 1, n + 1)
    u, v = np.meshgrid(x, x)
    z = sum(
        r.uniform(0.2, 1) * np.sin(u * r.uniform(1, 14) + v * r.uniform(-1, 1) + r.uniform(0, 6.28)) for _ in range(3)
    )
    p = np.stack([u, v, z / (np.abs(z).max() + 1e-9)], -1)
    grid = np.stack([p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]], 2).reshape(-1, 4, 3)
    corners = np.concatenate([grid[:, [0, 1, 2]], grid[:, [0, 2, 3]]])
    return triangles(corners, uv=corners[..., :2] / 2 + 0.5)
