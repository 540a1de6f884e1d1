"""The ray caster of render.c from Python: meshes, materials, instances, cameras; all lengths in meters, y up."""

import ctypes
import functools
import os
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTURE, LEVELS = 256, 8
ALPHA, METRIC = 1, 2
BALL = -1

f4, i4 = np.float32, np.int32
NODE = np.dtype([("lo", f4, 3), ("first", i4), ("hi", f4, 3), ("count", i4)])
TRIANGLE = np.dtype(
    [("p", f4, 3), ("a", f4, 3), ("b", f4, 3), ("normal", f4, (3, 3)), ("uv", f4, (3, 2)), ("slot", i4)]
)
MATERIAL = np.dtype(
    [("rgb", f4, 3), ("scale", f4), ("gloss", f4), ("mirror", f4), ("glow", f4), ("texture", i4), ("flags", i4)]
)
INSTANCE = np.dtype(
    [("to_world", f4, (3, 4)), ("to_local", f4, (3, 4)), ("size", f4, 3), ("mesh", i4), ("material", i4)]
)
LIGHT = np.dtype([("at", f4, 3), ("rgb", f4, 3), ("radius", f4), ("sun", i4)])
CAMERA = np.dtype([("eye", f4, 3), ("right", f4, 3), ("up", f4, 3), ("forward", f4, 3), ("width", i4), ("height", i4)])


class Sky(ctypes.Structure):
    _fields_ = [
        ("rgb", ctypes.c_void_p),
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("ambient", ctypes.c_float * 3),
        ("reach", ctypes.c_float),
    ]


@functools.cache
def library():
    """Compiles render.c for this machine, once a source version."""
    sources = [os.path.join(HERE, f) for f in ("render.c", "bvh.h")]
    stamp = "-".join(str(int(os.stat(f).st_mtime)) for f in sources)
    built = os.path.join(tempfile.gettempdir(), f"train-depth-render-{os.getuid()}-{stamp}.so")
    if not os.path.exists(built):
        draft = f"{built}.{os.getpid()}"
        subprocess.run(
            ["cc", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-o", draft, sources[0], "-lm"],
            check=True,
        )
        os.replace(draft, built)
    return ctypes.CDLL(built)


def pointer(a):
    return a.ctypes.data_as(ctypes.c_void_p)


def triangles(corners, normals=None, uv=None, slots=None):
    """corners [n, 3, 3]; normals [n, 3, 3] (flat where absent); uv [n, 3, 2]; slots [n] -> TRIANGLE [n]."""
    corners = np.asarray(corners, f4)
    out = np.zeros(len(corners), TRIANGLE)
    out["p"], out["a"], out["b"] = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    flat = np.cross(out["a"], out["b"])
    out["normal"] = flat[:, None] if normals is None else normals
    bad = np.abs(out["normal"]).sum((1, 2)) < 1e-12
    out["normal"][bad] = flat[bad, None]
    if uv is not None:
        out["uv"] = uv
    if slots is not None:
        out["slot"] = slots
    return out


def hierarchy(mesh):
    """Orders a TRIANGLE array by its bounding volume hierarchy -> (ordered triangles, NODE array)."""
    corners = np.stack([mesh["p"], mesh["p"] + mesh["a"], mesh["p"] + mesh["b"]], 1)
    margin = 1e-5 * (np.ptp(corners.reshape(-1, 3), 0).max() + 1e-3)
    boxes = np.ascontiguousarray(np.concatenate([corners.min(1) - margin, corners.max(1) + margin], 1), f4)
    order, nodes = np.empty(len(mesh), i4), np.zeros(2 * len(mesh), NODE)
    used = library().build_mesh(len(mesh), pointer(boxes), pointer(order), pointer(nodes))
    return mesh[order], nodes[:used].copy()


class Meshes:
    """A library of meshes in the flat layout of render.c.  Built once and shared by all scenes."""

    def __init__(self, meshes):
        built = [hierarchy(m) for m in meshes]
        self.triangles = np.concatenate([t for t, _ in built])
        self.nodes = np.concatenate([n for _, n in built])

        def starts(parts):
            return np.cumsum([0] + [len(p) for p in parts[:-1]])

        self.root = np.ascontiguousarray(
            np.stack([starts([n for _, n in built]), starts([t for t, _ in built])], 1), i4
        )
        self.bounds = np.array([np.stack([n[0]["lo"], n[0]["hi"]]) for _, n in built])


def affine(position=(0, 0, 0), size=(1, 1, 1), yaw=0.0, pitch=0.0, roll=0.0):
    """A 3 x 4 map from the unit shape to the world: scale, then turn (roll z, pitch x, yaw y), then move."""
    (cy, sy), (cp, sp), (cr, sr) = [(np.cos(a), np.sin(a)) for a in (yaw, pitch, roll)]
    turn = (
        np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        @ np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
        @ np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    )
    return np.concatenate([turn * np.asarray(size, float), np.asarray(position, float)[:, None]], 1)


def chain(outer, inner):
    """The map that applies inner first."""
    return np.concatenate([outer[:, :3] @ inner[:, :3], outer[:, :3] @ inner[:, 3:] + outer[:, 3:]], 1)


def instance(to_world, mesh, material):
    out = np.zeros((), INSTANCE)
    back = np.linalg.inv(to_world[:, :3])
    out["to_world"], out["to_local"] = to_world, np.concatenate([back, -back @ to_world[:, 3:]], 1)
    out["size"], out["mesh"], out["material"] = np.linalg.norm(to_world[:, :3], axis=0), mesh, material
    return out


def camera(eye, target, width, height, field_of_view, roll=0.0):
    """field_of_view: radians across the longer side."""
    eye, forward = np.asarray(eye, float), np.asarray(target, float) - eye
    forward /= np.linalg.norm(forward) + 1e-9
    up = np.array([0, 1.0, 0]) if abs(forward[1]) < 0.97 else np.array([0, 0, 1.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    right, up = np.cos(roll) * right + np.sin(roll) * up, np.cos(roll) * up - np.sin(roll) * right
    half = np.tan(field_of_view / 2) / max(width, height)
    out = np.zeros((), CAMERA)
    out["eye"], out["right"], out["up"], out["forward"], out["width"], out["height"] = (
        eye,
        right * half * width,
        up * half * height,
        forward,
        width,
        height,
    )
    return out


def pyramid(picture):
    """RGBA uint8 [256, 256, 4] -> its mip levels, flat."""
    levels, p = [], picture.astype(f4)
    for _ in range(LEVELS):
        levels.append(np.clip(p + 0.5, 0, 255).astype(np.uint8).ravel())
        p = (p[::2, ::2] + p[1::2, ::2] + p[::2, 1::2] + p[1::2, 1::2]) / 4
    return np.concatenate(levels)


def render(meshes, textures, materials, instances, lights, panorama, ambient, reach, view, seed=0):
    """-> linear rgb float32 [h, w, 3], inverse depth along the optical axis float32 [h, w] in 1/m (0: sky).

    textures: uint8 [n, bytes of a pyramid]; panorama: float32 [h, w, 3], equirectangular, +z in the middle."""
    height, width = int(view["height"]), int(view["width"])
    rgb, inverse = np.empty((height, width, 3), f4), np.empty((height, width), f4)
    panorama = np.ascontiguousarray(panorama, f4)
    sky = Sky(
        panorama.ctypes.data, panorama.shape[1], panorama.shape[0], (ctypes.c_float * 3)(*map(float, ambient)), reach
    )
    materials, instances, lights = [
        np.array([np.asarray(x, t) for x in a], t).reshape(-1)
        for a, t in ((materials, MATERIAL), (instances, INSTANCE), (lights, LIGHT))
    ]
    view = np.ascontiguousarray(view)
    library().render(
        pointer(meshes.triangles),
        pointer(meshes.nodes),
        pointer(meshes.root),
        pointer(textures),
        pointer(materials),
        len(instances),
        pointer(instances),
        len(lights),
        pointer(lights),
        ctypes.byref(sky),
        pointer(view),
        ctypes.c_uint32(seed % 2**32),
        pointer(rgb),
        pointer(inverse),
    )
    return rgb, inverse
