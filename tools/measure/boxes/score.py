"""Compares measured boxes with true ones."""

import json

import numpy as np

CENTER = (0.005, 0.01)


class Errors:
    """Errors of one measured box: sides in %, yaw in degrees, center over the larger of 5 mm and 1 % of the range.

    `across` is the center's without its part along the view, by which a frame's bias displaces everything; `along` is that
    part, over the range.
    """

    def __init__(self, scene, box):
        self.scene, self.box = scene, box
        # Whether each side's interval holds the truth; empty where a box has none.
        self.held = np.array([], bool)
        self.measured = box is not None
        if not self.measured:
            self.sides, self.yaw, self.center, self.sure = np.full(3, -100.0), 45.0, 99.0, np.ones(3, bool)
            self.across, self.along = 99.0, 99.0
            return
        size = np.array(box["dimensions"])
        turn = box["yaw"] - scene.yaw
        quarters = round(turn / (np.pi / 2))
        marks = box.get("sides", {})
        sure = np.array([all(marks.get(f"{sign}{axis}") != "inferred" for sign in "-+") for axis in "xyz"])
        intervals = np.array(box.get("interval95", {}).get("dimensions", []))
        if quarters % 2:
            size, sure = size[[2, 1, 0]], sure[[2, 1, 0]]
            intervals = intervals[[2, 1, 0]] if len(intervals) else intervals
        if scene.solid.round:
            # Any turn of a round solid is right.
            turn, quarters = 0, 0
        if len(intervals):
            self.held = (intervals[:, 0] <= scene.solid.size) & (scene.solid.size <= intervals[:, 1])
        self.sides = (size / scene.solid.size - 1) * 100
        self.sure = sure
        self.yaw = abs(np.degrees(turn - quarters * np.pi / 2))
        off = np.array(box["center"]) - scene.center
        view = (scene.center - scene.origin) / np.linalg.norm(scene.center - scene.origin)
        limit = max(CENTER[0], CENTER[1] * scene.distance)
        self.center = np.linalg.norm(off) / limit
        self.across = np.linalg.norm(off - off @ view * view) / limit
        self.along = abs(off @ view) / scene.distance


def open3d_box(points):
    """Open3D's minimal oriented bounding box of the same points, its axis nearest to vertical taken for the height."""
    import open3d

    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
    box = cloud.get_minimal_oriented_bounding_box(robust=True)
    upright = int(np.abs(box.R[1]).argmax())
    flat = [axis for axis in range(3) if axis != upright]
    x = box.R[:, flat[0]]
    return {
        "center": list(box.center),
        "dimensions": [box.extent[flat[0]], box.extent[upright], box.extent[flat[1]]],
        "yaw": float(np.arctan2(-x[2], x[0])),
    }


def principal_box(points, distances, band=0.8):
    """A simple box: the extents of the points of a middle share of distances along their principal axes seen from above."""
    low, high = np.quantile(distances, [(1 - band) / 2, (1 + band) / 2])
    points = points[(distances >= low) & (distances <= high)]
    _, vectors = np.linalg.eigh(np.cov(points[:, [0, 2]].T))
    x = vectors[:, 1]
    yaw = float(np.arctan2(-x[1], x[0]))
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
    own = points @ turn.T
    middle = (own.min(0) + own.max(0)) / 2
    return {"center": list(turn.T @ middle), "dimensions": list(np.ptp(own, 0)), "yaw": yaw}


def figures(errors):
    """Sides in %: median, 95 % and worst; yaw in degrees: median and 95 %; the center's median."""
    sides = np.abs(np.concatenate([e.sides[e.sure] for e in errors]))
    yaw = np.array([e.yaw for e in errors if not e.scene.solid.round] or [0])
    found = [np.median(sides), np.quantile(sides, 0.95), sides.max(), np.median(yaw), np.quantile(yaw, 0.95)]
    return [float(figure) for figure in (*found, np.median([e.center for e in errors]))]


def table(rows):
    """Markdown: a line for each method and kind of solid."""
    head = ["method", "solids", "n", "side %: median", "95 %", "worst", "yaw deg: median", "95 %", "center: median"]
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    for method, errors in rows:
        for kind in ("all", *dict.fromkeys(e.scene.solid.kind for e in errors)):
            some = [e for e in errors if kind in ("all", e.scene.solid.kind)]
            cells = [method, kind, str(len(some)), *(f"{figure:.2f}" for figure in figures(some))]
            lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines)


def dump(path, entries):
    path.write_text(json.dumps(entries, indent=1))
