"""Furniture, people, plants and cars: the Sweet Home 3D libraries (Debian's sweethome3d-furniture; CC0 and CC-BY).

python furniture.py DEB_FOLDER OUT.npz      reads the .sh3f catalogues into one cache"""

import os
import re
import sys
import zipfile
from dataclasses import dataclass, field

import cv2
import numpy as np

from renderer import TEXTURE, TRIANGLE, triangles

LIBRARIES = ("BlendSwap-CC-0", "BlendSwap-CC-BY", "KatorLegaz", "Reallusion", "Scopia")
MOST_TRIANGLES = 40_000
SEE_THROUGH = 0.6  # materials less opaque than this count as glass


@dataclass
class Model:
    """A mesh scaled to the unit box [-1, 1]^3 (upright, front towards +z), its true half extents and its materials."""

    name: str
    category: str
    half: np.ndarray  # meters
    elevation: float  # meters above the floor where it hangs
    mesh: np.ndarray  # TRIANGLE
    materials: list = field(default_factory=list)  # (rgb, texture file or None, glass, shine)


def catalogue(library):
    """Rows of PluginFurnitureCatalog.properties as dictionaries."""
    rows = {}
    for line in library.read("PluginFurnitureCatalog.properties").decode("latin-1").splitlines():
        found = re.match(r"(\w+)#(\d+)=(.*)", line)
        if found:
            rows.setdefault(int(found[2]), {})[found[1]] = found[3].strip()
    return [r for r in rows.values() if {"model", "width", "depth", "height"} <= r.keys()]


def read_materials(library, path):
    """MTL -> {name: (rgb, texture path, glass, shine)}."""
    out, name = {}, None
    for line in library.read(path).decode("latin-1").splitlines():
        key, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if key == "newmtl":
            name = rest
            out[name] = [(0.8, 0.8, 0.8), None, False, 0.0]
        elif name and key == "Kd":
            out[name][0] = tuple(map(float, rest.split()[:3]))
        elif name and key == "Ks":
            out[name][3] = min(1.0, float(rest.split()[0]))
        elif name and key == "d":
            out[name][2] = float(rest.split()[-1]) < SEE_THROUGH
        elif name and key == "map_Kd":
            out[name][1] = os.path.join(os.path.dirname(path), rest.split()[-1])
    return out


def read_mesh(library, path):
    """OBJ -> (corners [n, 3, 3], normals or None, uv, material names [n], MTL path)."""
    points, normals, uvs, faces, names, name, mtl = [], [], [], [], [], None, None
    for line in library.read(path).decode("latin-1").splitlines():
        key, _, rest = line.partition(" ")
        if key == "v":
            points.append(rest.split()[:3])
        elif key == "vn":
            normals.append(rest.split()[:3])
        elif key == "vt":
            uvs.append(rest.split()[:2])
        elif key == "f":
            corner = [(c.split("/") + ["", ""])[:3] for c in rest.split()]
            for i in range(1, len(corner) - 1):
                faces.append([corner[0], corner[i], corner[i + 1]]), names.append(name)
        elif key == "usemtl":
            name = rest.strip()
        elif key == "mtllib":
            mtl = os.path.join(os.path.dirname(path), rest.strip())
    if not 0 < len(faces) <= MOST_TRIANGLES:
        return None
    ids = np.array([[[int(x) if x else 0 for x in c] for c in f] for f in faces])

    def gather(table, k, width):
        """OBJ counts from 1, backwards from the end where negative; absent is 0."""
        table = np.array([[0] * width, *table], np.float64)
        at = np.where(ids[..., k] < 0, len(table) + ids[..., k], ids[..., k])
        return table[np.clip(at, 0, len(table) - 1)]

    return gather(points, 0, 3), gather(normals, 2, 3), gather(uvs, 1, 2), names, mtl


def read_model(library, row):
    read = read_mesh(library, row["model"].lstrip("/"))
    if read is None:
        return None
    corners, normals, uv, names, mtl = read
    if row.get("modelRotation"):
        turn = np.array(row["modelRotation"].split(), float).reshape(3, 3)
        corners, normals = corners @ turn.T, normals @ turn.T
    low, high = corners.min((0, 1)), corners.max((0, 1))
    extent = np.maximum((high - low) / 2, 1e-6)
    corners = (corners - (low + high) / 2) / extent
    half = np.array([float(row[k]) / 200 for k in ("width", "height", "depth")])
    table = read_materials(library, mtl) if mtl and mtl in library.namelist() else {}
    used = sorted({n for n in names if n in table}) or [None]
    slots = np.array([used.index(n) if n in used else 0 for n in names])
    materials = [tuple(table[n]) if n else ((0.7, 0.7, 0.7), None, False, 0.0) for n in used]
    kept = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) > 1e-10
    if not kept.any() or not np.isfinite(corners).all():
        return None
    normals = normals * extent / extent.max()  # the inverse transpose of the scaling above
    return Model(
        row["name"],
        row.get("category", ""),
        half,
        float(row.get("elevation", 0)) / 100,
        triangles(corners[kept], normals[kept], uv[kept], slots[kept]),
        materials,
    )


def read_picture(library, path):
    """A texture as RGBA uint8 [256, 256, 4], or None."""
    try:
        p = cv2.imdecode(np.frombuffer(library.read(path), np.uint8), cv2.IMREAD_UNCHANGED)
    except KeyError:
        return None
    if p is None or p.dtype != np.uint8:
        return None
    p = cv2.cvtColor(
        p,
        {2: cv2.COLOR_GRAY2RGBA, 3: cv2.COLOR_BGR2RGBA}[p.ndim]
        if p.ndim == 2 or p.shape[2] == 3
        else cv2.COLOR_BGRA2RGBA,
    )
    return cv2.resize(p, (TEXTURE, TEXTURE), interpolation=cv2.INTER_AREA)


def read_all(folder):
    """-> models with texture numbers in place of files, pictures [n, 256, 256, 4]."""
    models, pictures, number = [], [], {}
    for name in LIBRARIES:
        with zipfile.ZipFile(os.path.join(folder, name + ".sh3f")) as library:
            for row in catalogue(library):
                try:
                    model = read_model(library, row)
                except (KeyError, ValueError, IndexError) as defect:
                    print("left out", row.get("name"), repr(defect), file=sys.stderr)
                    continue
                if model is None:
                    continue
                for k, (rgb, path, glass, shine) in enumerate(model.materials):
                    key = (name, path)
                    if path and key not in number:
                        picture = read_picture(library, path)
                        number[key] = -1 if picture is None else len(pictures)
                        if picture is not None:
                            pictures.append(picture)
                    model.materials[k] = (rgb, number[key] if path else -1, glass, shine)
                models.append(model)
    return models, np.stack(pictures)


def save(path, models, pictures):
    np.savez(
        path,
        pictures=pictures,
        names=np.array([m.name for m in models]),
        categories=np.array([m.category for m in models]),
        half=np.array([m.half for m in models]),
        elevation=np.array([m.elevation for m in models]),
        sizes=np.array([len(m.mesh) for m in models]),
        triangles=np.frombuffer(b"".join(m.mesh.tobytes() for m in models), np.uint8),
        material_sizes=np.array([len(m.materials) for m in models]),
        materials=np.array(
            [[*rgb, texture, glass, shine] for m in models for rgb, texture, glass, shine in m.materials]
        ),
    )


def load(path):
    """-> models, pictures [n, 256, 256, 4]."""
    z = np.load(path)
    mesh, materials, models, t, k = z["triangles"].view(TRIANGLE), z["materials"], [], 0, 0
    for i, (n, q) in enumerate(zip(z["sizes"], z["material_sizes"])):
        rows = [(tuple(a[:3]), int(a[3]), bool(a[4]), float(a[5])) for a in materials[k : k + q]]
        models.append(
            Model(
                str(z["names"][i]),
                str(z["categories"][i]),
                z["half"][i],
                float(z["elevation"][i]),
                mesh[t : t + n],
                rows,
            )
        )
        t, k = t + n, k + q
    return models, z["pictures"]


if __name__ == "__main__":
    found, images = read_all(sys.argv[1])
    save(sys.argv[2], found, images)
    print(len(found), "models", sum(len(m.mesh) for m in found), "triangles", len(images), "pictures")
