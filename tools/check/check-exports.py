#!/usr/bin/env python3
"""Reads a frame's results with the programs that others use, and checks that the numbers are the same.

    ardf run CAPTURE --frame 00030 --usda --usdz --pfm --out RESULTS
    tools/check/check-exports.py RESULTS

trimesh, pygltflib, gltfpack and assimp (the last two of Debian) read the GLB, which must keep the rules of glTF;
usd-core reads the USD, trimesh (and open3d where it is installed) the PLY, pycocotools the masks, OpenCV the PFM and
the PNG. Ends with 1 if a number differs.
"""

import argparse
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import gltf_rules

failures = 0


def check(name, holds, detail=""):
    """Prints one line; counts what does not hold."""
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {name}{': ' + detail if detail else ''}")


def close(name, found, expected, tolerance):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape:
        check(name, False, f"shape {found.shape}, expected {expected.shape}")
        return
    worst = float(np.abs(found - expected).max()) if found.size else 0.0
    check(name, worst <= tolerance, f"{found.shape}, largest difference {worst:.2g}, allowed {tolerance:g}")


def read_ply(path):
    """Positions and colors as the header says, without any library."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    count = next(int(line.split()[2]) for line in head.decode().splitlines() if line.startswith("element vertex"))
    points = np.frombuffer(body, dtype=[("p", "<f4", 3), ("c", "u1", 3)], count=count)
    return points["p"], points["c"]


def check_ply(folder):
    import trimesh

    points, colors = read_ply(folder / "points.ply")
    loaded = trimesh.load(folder / "points.ply")
    close("points.ply in trimesh, positions", loaded.vertices, points, 0)
    close("points.ply in trimesh, colors", loaded.colors[:, :3], colors, 0)
    try:
        import open3d
    except ImportError:
        print("--   open3d is not installed")
        return
    cloud = open3d.io.read_point_cloud(str(folder / "points.ply"))
    close("points.ply in open3d, positions", cloud.points, points, 0)
    close("points.ply in open3d, colors", np.asarray(cloud.colors) * 255, colors, 1e-4)
    cloud = open3d.io.read_triangle_model(str(folder / "scene.glb"))
    check("scene.glb in open3d", len(cloud.meshes) > 0, f"{len(cloud.meshes)} meshes")


def check_rules(path):
    """glTF's rules, of which every breach must be noticed; and two programs that read scenes for a living."""
    data = path.read_bytes()
    found = gltf_rules.faults(data)
    check("scene.glb keeps the rules of glTF 2.0", not found, "; ".join(found[:3]))
    unseen = [name for name, bad in gltf_rules.damaged(data) if not gltf_rules.faults(bad)]
    check("damaged copies of it do not", not unseen, ", ".join(unseen))
    with tempfile.TemporaryDirectory() as folder:
        for words in (["gltfpack", "-i", path, "-o", f"{folder}/packed.glb"], ["assimp", "info", path]):
            if shutil.which(words[0]):
                done = subprocess.run(words, capture_output=True, text=True)
                lines = (done.stdout + done.stderr).strip().splitlines()
                check(f"scene.glb in {words[0]}", done.returncode == 0, lines[-1] if done.returncode and lines else "")
            else:
                print(f"--   {words[0]} is not installed")


def check_glb(folder, objects):
    import pygltflib
    import trimesh

    check_rules(folder / "scene.glb")
    gltf = pygltflib.GLTF2().load(str(folder / "scene.glb"))
    check("scene.glb in pygltflib", gltf.asset.version == "2.0", f"{len(gltf.nodes)} nodes")
    scene = trimesh.load(folder / "scene.glb")
    points, colors = read_ply(folder / "points.ply")
    cloud = next((g for n, g in scene.geometry.items() if n.startswith("points")), None)
    if cloud is not None:
        close("scene.glb in trimesh, points", cloud.vertices, points, 0)
    for entry in objects:
        box = entry["box3D"]
        if box is None:
            continue
        name = f"{entry['className']} {entry['id']}"
        node = next(node for node in gltf.nodes if node.name == name)
        transform = trimesh.transformations.quaternion_matrix(np.roll(node.rotation, 1))
        unit = np.array(box["corners"]) - np.array(box["center"])
        turned = unit @ transform[:3, :3]
        close(f"scene.glb, {name}, sides", np.ptp(turned, axis=0), node.scale, 4e-6)
        close(f"scene.glb, {name}, center", node.translation, box["center"], 1e-6)
        close(f"scene.glb, {name}, sides as in objects.json", node.scale, box["dimensions"], 1e-6)


def check_usd(folder, objects):
    from pxr import Usd, UsdGeom

    names = [name for name in ("scene.usda", "scene.usdz") if (folder / name).exists()]
    stages = {name: Usd.Stage.Open(str(folder / name)) for name in names}
    if not stages:
        print("--   no USD files: run with --usda --usdz")
    points, _ = read_ply(folder / "points.ply")
    for name, stage in stages.items():
        check(f"{name}, unit", UsdGeom.GetStageMetersPerUnit(stage) == 1, "metersPerUnit 1")
        check(f"{name}, up axis", UsdGeom.GetStageUpAxis(stage) == "Y", "Y")
        check(f"{name}, default prim", stage.GetDefaultPrim().GetName() == "Scene")
        prim = stage.GetPrimAtPath("/Scene/points")
        if len(points):
            close(f"{name}, points", UsdGeom.Points(prim).GetPointsAttr().Get(), points, 0)
        cache = UsdGeom.XformCache()
        by_id = {p.GetAttribute("ardf:objectId").Get(): p for p in stage.Traverse() if p.HasAttribute("ardf:objectId")}
        for entry in objects:
            if entry["box3D"] is None:
                continue
            prim = by_id[entry["id"]]
            mesh = next(child for child in prim.GetChildren() if child.IsA(UsdGeom.Mesh))
            matrix = np.array(cache.GetLocalToWorldTransform(mesh))
            corners = np.c_[np.array(UsdGeom.Mesh(mesh).GetPointsAttr().Get()), np.ones(8)] @ matrix
            title = f"{name}, {entry['className']} {entry['id']}, corners"
            close(title, corners[:, :3], entry["box3D"]["corners"], 2e-6)
    if "scene.usdz" in stages:
        path = folder / "scene.usdz"
        with zipfile.ZipFile(path) as archive:
            check("scene.usdz, checksums", archive.testzip() is None)
            for member in archive.infolist():
                with path.open("rb") as file:
                    file.seek(member.header_offset + 26)
                    name_length, extra_length = struct.unpack("<HH", file.read(4))
                start = member.header_offset + 30 + name_length + extra_length
                aligned = start % 64 == 0 and member.compress_type == zipfile.ZIP_STORED
                check(f"scene.usdz, {member.filename}", aligned, f"stored at {start}, a multiple of 64")
        check_valid_usd(stages["scene.usdz"])


def check_valid_usd(stage):
    """Every validator that comes with USD."""
    try:
        from pxr import UsdValidation
    except ImportError:
        print("--   this USD has no validators")
        return
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    faults = [fault.GetMessage() for fault in UsdValidation.ValidationContext(validators).Validate(stage)]
    check(f"scene.usdz, {len(validators)} validators of USD", not faults, "; ".join(faults))


def check_masks(folder):
    import cv2
    from pycocotools import mask as coco

    document = json.loads((folder / "detections.json").read_text())
    if not isinstance(document, dict):
        document = {"detections": []}
    for entry in document["detections"]:
        if not entry["mask"]:
            continue
        decoded = coco.decode(entry["mask"])
        picture = cv2.imread(str(folder / "masks" / f"{entry['id']:03}.png"), cv2.IMREAD_UNCHANGED)
        close(f"mask {entry['id']} in pycocotools", decoded * 255, picture, 0)
        again = coco.encode(np.asfortranarray(decoded))["counts"].decode()
        check(f"mask {entry['id']} encoded by pycocotools", again == entry["mask"]["counts"])


def check_depth(folder, scale):
    import cv2

    if not (folder / "metric.npy").exists():
        print("--   no metric depth")
        return
    metric = np.load(folder / "metric.npy")
    png = cv2.imread(str(folder / "metric.png"), cv2.IMREAD_UNCHANGED)
    check("metric.png", png.dtype == np.uint16, "16 bits")
    close("metric.png in OpenCV, meters", png / scale, np.minimum(metric, 65535 / scale), 0.501 / scale)
    if (folder / "metric.pfm").exists():
        pfm = cv2.imread(str(folder / "metric.pfm"), cv2.IMREAD_UNCHANGED)
        close("metric.pfm in OpenCV", pfm, metric, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--depth-scale", type=float, default=1000)
    options = parser.parse_args()
    objects = json.loads((options.results / "objects.json").read_text())["objects"]
    check_ply(options.results)
    check_glb(options.results, objects)
    check_usd(options.results, objects)
    check_masks(options.results)
    check_depth(options.results, options.depth_scale)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
