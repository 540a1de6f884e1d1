"""The rules of glTF 2.0 (Khronos, 2021) that a scene of points, lines, triangles, pictures and cameras can break.

Khronos' own validator is no Python package; this follows the specification's text, chapter by chapter.
"""

import json
import struct

import numpy as np

COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SHAPES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
VERTICES, INDICES = 34962, 34963
#: What a primitive's count of vertices is a multiple of, by mode: points, lines, triangles.
MULTIPLES = {0: 1, 1: 2, 4: 3}
ATTRIBUTES = {
    "POSITION": {("VEC3", 5126, False)},
    "NORMAL": {("VEC3", 5126, False)},
    "TEXCOORD_0": {("VEC2", 5126, False), ("VEC2", 5121, True), ("VEC2", 5123, True)},
    "COLOR_0": {(shape, *kind) for shape in ("VEC3", "VEC4") for kind in ((5126, False), (5121, True), (5123, True))},
}
#: By how much the norm of a quaternion of float32 may differ from 1.
QUATERNION_TOLERANCE = 1e-5


class Scene:
    """A GLB file taken apart; `faults` lists what is wrong with it."""

    def __init__(self, data):
        self.faults, self.used = [], set()
        self.document, self.binary = self.container(data)
        if self.document is not None:
            self.check()

    def expect(self, holds, text):
        if not holds:
            self.faults.append(text)
        return holds

    def container(self, data):
        """4.4: header, JSON chunk, binary chunk."""
        magic, version, length = struct.unpack_from("<4sII", data)
        if not self.expect((magic, version, length) == (b"glTF", 2, len(data)), f"header {magic} {version} {length}"):
            return None, b""
        chunks, offset = [], 12
        while offset + 8 <= len(data):
            size, kind = struct.unpack_from("<I4s", data, offset)
            self.expect(size % 4 == 0, f"chunk {kind} of {size} bytes is not padded")
            chunks.append((kind, data[offset + 8 : offset + 8 + size]))
            offset += 8 + size
        self.expect(offset == len(data), "bytes after the last chunk")
        kinds = [kind for kind, _ in chunks]
        if not self.expect(kinds in ([b"JSON"], [b"JSON", b"BIN\0"]), f"chunks {kinds}"):
            return None, b""
        return json.loads(chunks[0][1].decode()), chunks[1][1] if len(chunks) > 1 else b""

    def get(self, kind, index, by):
        """An object that another refers to."""
        found = self.document.get(kind, [])
        if not self.expect(isinstance(index, int) and 0 <= index < len(found), f"{by}: no {kind} {index}"):
            return None
        self.used.add((kind, index))
        return found[index]

    def check(self):
        self.expect(self.document["asset"].get("version") == "2.0", "asset.version")
        used = set(self.document.get("extensionsUsed", []))
        self.expect(set(self.document.get("extensionsRequired", [])) <= used, "extensionsRequired are not all used")
        present = set()
        extensions(self.document, present)
        self.expect(present == used, f"extensions {present}, said to be {used}")
        self.check_buffers()
        self.arrays = [self.array(i, accessor) for i, accessor in enumerate(self.document.get("accessors", []))]
        for index, mesh in enumerate(self.document.get("meshes", [])):
            for primitive in mesh["primitives"]:
                self.check_primitive(f"mesh {index}", primitive)
        for index, image in enumerate(self.document.get("images", [])):
            self.check_image(f"image {index}", image)
        for index, texture in enumerate(self.document.get("textures", [])):
            self.get("images", texture["source"], f"texture {index}")
            if "sampler" in texture:
                self.get("samplers", texture["sampler"], f"texture {index}")
        for index, material in enumerate(self.document.get("materials", [])):
            self.check_material(f"material {index}", material)
        for index, camera in enumerate(self.document.get("cameras", [])):
            self.check_camera(f"camera {index}", camera)
        self.check_nodes()
        for kind in ("accessors", "bufferViews", "meshes", "materials", "images", "textures", "cameras", "samplers"):
            unused = [i for i in range(len(self.document.get(kind, []))) if (kind, i) not in self.used]
            self.expect(not unused, f"{kind} {unused} are never used")

    def check_buffers(self):
        """3.6.1"""
        buffers = self.document.get("buffers", [])
        self.expect(len(buffers) <= 1 and all("uri" not in buffer for buffer in buffers), "a GLB has its own buffer")
        for buffer in buffers:
            self.expect(0 <= len(self.binary) - buffer["byteLength"] <= 3, "buffer and binary chunk differ in length")
        self.targets = {}
        for index, view in enumerate(self.document.get("bufferViews", [])):
            end = view.get("byteOffset", 0) + view["byteLength"]
            self.expect(view["byteLength"] > 0 and end <= buffers[view["buffer"]]["byteLength"], f"bufferView {index}")

    def array(self, index, accessor):
        """3.6.2: an accessor's elements, (count, components)."""
        by = f"accessor {index}"
        kind, width = np.dtype(COMPONENTS[accessor["componentType"]]), SHAPES[accessor["type"]]
        view = self.get("bufferViews", accessor["bufferView"], by)
        if view is None or not self.expect("sparse" not in accessor, f"{by}: sparse"):
            return None
        inner, start = accessor.get("byteOffset", 0), view.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        aligned = inner % kind.itemsize == 0 and (start + inner) % kind.itemsize == 0
        self.expect(aligned and stride % kind.itemsize == 0, f"{by}: not aligned")
        length = stride * (accessor["count"] - 1) + kind.itemsize * width
        if not self.expect(accessor["count"] > 0 and inner + length <= view["byteLength"], f"{by}: leaves its view"):
            return None
        shape, strides = (accessor["count"], width), (stride, kind.itemsize)
        values = np.ndarray(shape, kind, self.binary, start + inner, strides)
        self.expect(np.isfinite(values).all(), f"{by}: not finite")
        for name, found in (("min", values.min(0)), ("max", values.max(0))):
            stated = accessor.get(name)
            self.expect(stated is None or (np.array(stated, kind) == found).all(), f"{by}: {name} {stated}, is {found}")
        return values

    def use_view(self, accessor, target, by):
        """3.6.2.1: a view is for vertices or for indices."""
        view = self.document["accessors"][accessor]["bufferView"]
        stated = self.document["bufferViews"][view].get("target")
        self.expect(stated in (None, target), f"{by}: target {stated}, used as {target}")
        self.expect(self.targets.setdefault(view, target) == target, f"{by}: bufferView {view} is used for both")

    def check_primitive(self, by, primitive):
        """3.7.2"""
        counts = set()
        for name, index in primitive["attributes"].items():
            accessor = self.get("accessors", index, f"{by} {name}")
            if accessor is None:
                continue
            kind = (accessor["type"], accessor["componentType"], accessor.get("normalized", False))
            self.expect(kind in ATTRIBUTES.get(name, ()), f"{by}: {name} is {kind}")
            self.expect(accessor.get("byteOffset", 0) % 4 == 0, f"{by}: {name} is not at a multiple of 4")
            self.use_view(index, VERTICES, f"{by} {name}")
            counts.add(accessor["count"])
            if name == "POSITION":
                self.expect("min" in accessor and "max" in accessor, f"{by}: POSITION without min and max")
        self.expect("POSITION" in primitive["attributes"] and len(counts) == 1, f"{by}: attributes of {counts}")
        count, mode = max(counts, default=0), primitive.get("mode", 4)
        if "indices" in primitive and self.get("accessors", primitive["indices"], by) is not None:
            accessor = self.document["accessors"][primitive["indices"]]
            scalar = accessor["type"] == "SCALAR" and accessor["componentType"] in (5121, 5123, 5125)
            self.expect(scalar and not accessor.get("normalized", False), f"{by}: indices are {accessor['type']}")
            self.use_view(primitive["indices"], INDICES, f"{by} indices")
            indices = self.arrays[primitive["indices"]]
            self.expect(indices is None or indices.max() < count, f"{by}: an index beyond {count} vertices")
            count = accessor["count"]
        self.expect(count % MULTIPLES[mode] == 0, f"{by}: {count} vertices in mode {mode}")
        if "material" in primitive:
            material = self.get("materials", primitive["material"], by)
            textured = material is not None and "baseColorTexture" in material.get("pbrMetallicRoughness", {})
            self.expect(not textured or "TEXCOORD_0" in primitive["attributes"], f"{by}: a texture, no coordinates")

    def check_image(self, by, image):
        """3.8.3: the bytes are what the type says."""
        view = self.get("bufferViews", image["bufferView"], by)
        start = view.get("byteOffset", 0)
        signature = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG"}[image["mimeType"]]
        self.expect(self.binary[start:].startswith(signature), f"{by}: no {image['mimeType']}")
        self.expect("target" not in view, f"{by}: its bufferView has a target")

    def check_material(self, by, material):
        """3.9"""
        surface = material.get("pbrMetallicRoughness", {})
        factors = [surface.get("metallicFactor", 1), surface.get("roughnessFactor", 1)]
        factors += surface.get("baseColorFactor", [])
        self.expect(all(0 <= value <= 1 for value in factors), f"{by}: factors {factors}")
        self.expect(len(surface.get("baseColorFactor", [1] * 4)) == 4, f"{by}: baseColorFactor")
        self.expect(material.get("alphaMode", "OPAQUE") in ("OPAQUE", "MASK", "BLEND"), f"{by}: alphaMode")
        if texture := surface.get("baseColorTexture"):
            self.get("textures", texture["index"], by)

    def check_camera(self, by, camera):
        """3.10"""
        lens = camera["perspective"]
        self.expect(camera["type"] == "perspective" and 0 < lens["yfov"] < np.pi and lens["znear"] > 0, by)
        self.expect(lens.get("aspectRatio", 1) > 0 and lens.get("zfar", np.inf) > lens["znear"], by)

    def check_nodes(self):
        """3.5"""
        nodes, parents = self.document.get("nodes", []), {}
        for index, node in enumerate(nodes):
            by = f"node {index}"
            for child in node.get("children", []):
                self.get("nodes", child, by)
                self.expect(parents.setdefault(child, index) == index, f"{by}: child {child} has another parent")
            self.expect("matrix" not in node or not {"translation", "rotation", "scale"} & node.keys(), f"{by}: matrix")
            norm = float(np.linalg.norm(node.get("rotation", [0, 0, 0, 1])))
            self.expect(abs(norm - 1) <= QUATERNION_TOLERANCE, f"{by}: a rotation of norm {norm}")
            for kind in ("mesh", "camera"):
                if kind in node:
                    self.get({"mesh": "meshes", "camera": "cameras"}[kind], node[kind], by)
        for scene in self.document.get("scenes", []):
            for root in scene.get("nodes", []):
                self.get("nodes", root, "scene")
                self.expect(root not in parents, f"scene: node {root} is no root")
        if "scene" in self.document:
            self.get("scenes", self.document["scene"], "scene")
        reached = [root for scene in self.document.get("scenes", []) for root in scene.get("nodes", [])]
        reached = [index for index in reached if index < len(nodes)]
        for index in reached:
            reached += nodes[index].get("children", [])
        self.expect(set(reached) == set(range(len(nodes))), "nodes that are in no scene")


def extensions(value, found):
    """Collects the names of all extensions in a document."""
    if isinstance(value, dict):
        found.update(value.get("extensions", {}))
        for inner in value.values():
            extensions(inner, found)
    elif isinstance(value, list):
        for inner in value:
            extensions(inner, found)


def faults(data):
    """The faults of a GLB file's bytes; empty without one."""
    return Scene(data).faults


def damaged(data):
    """`(what was done, bytes)`: files in which `faults` must find something."""
    (length,) = struct.unpack_from("<I", data, 12)
    binary = data[20 + length :]

    def rebuilt(change):
        document = json.loads(data[20 : 20 + length])
        change(document)
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text + binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body

    def position(document):
        return document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]

    yield "cut short", data[:-4]
    yield "another version", data[:4] + struct.pack("<I", 1) + data[8:]
    yield "a wrong minimum", rebuilt(lambda d: position(d)["min"].__setitem__(0, 9))
    yield "an accessor beyond its view", rebuilt(lambda d: position(d).update(count=10**6))
    yield "a node that is not there", rebuilt(lambda d: d["scenes"][0]["nodes"].append(10**6))
    yield "a rotation that is none", rebuilt(lambda d: d["nodes"][0].update(rotation=[1, 1, 0, 0]))
    yield "an undeclared extension", rebuilt(lambda d: d.pop("extensionsUsed"))
    yield "a material that is never used", rebuilt(lambda d: d["materials"].append({}))
    yield (
        "colors that are not normalized",
        rebuilt(lambda d: [accessor.pop("normalized", None) for accessor in d["accessors"]]),
    )
