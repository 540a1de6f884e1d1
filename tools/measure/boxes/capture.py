"""Writes scenes as captures of ardf's native layout with a detections.json, and reads what `ardf place` says."""

import json
import subprocess

import missing
import numpy as np
import sensors
from scenes import PICTURE
from sensing import MASK_GRID, exact_depth, exact_mask, leaking_mask, noisy_depth


def write(scene, number, seen, folder):
    """The capture folder of one scene, as `seen`: exact, with independent noise, or by a model of `sensors`; of these
    without the readings of a kind of `missing`."""
    rng = np.random.default_rng([scene.constants.seed, number])
    noisy, lost, sensor = seen.noisy or seen.sensor is not None, seen.missing, seen.sensor
    confidence = None
    if sensor:
        sensed = sensors.sensed(scene, sensor, rng, scene.reading)
        depth, confidence = sensed.depth, sensed.confidence
    else:
        depth = noisy_depth(scene, rng) if noisy else exact_depth(scene)
    mask, probabilities = leaking_mask(scene, rng) if noisy else (exact_mask(scene), None)
    if lost:
        depth = missing.without(depth, scene, lost, rng)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "depth.npy", np.where(np.isfinite(depth), depth, 0).astype(np.float32))
    c = scene.constants
    frame = {
        "schema": "ardf.capture/1",
        "imageSize": list(PICTURE),
        "intrinsics": [c.focal, 0, 0, 0, c.focal, 0, *c.principal, 1],
        "cameraToWorld": scene.pose().T.ravel().tolist(),
        "orientation": "portrait" if scene.portrait else "landscapeRight",
        "timestamp": 0,
        "depth": "depth.npy",
    }
    if sensor:
        frame["sensor"] = sensor
    if confidence is not None:
        np.save(folder / "confidence.npy", confidence)
        frame["confidence"] = "confidence.npy"
    (folder / "frame.json").write_text(json.dumps(frame))
    rows, columns = np.nonzero(mask)
    left, top = int(columns.min()), int(rows.min())
    box = {"x": left, "y": top, "width": int(columns.max()) + 1 - left, "height": int(rows.max()) + 1 - top}
    detection = {"id": 0, "classId": 0, "className": scene.detected or scene.solid.kind, "confidence": 0.9, "box": box}
    detection["mask"] = {"size": [PICTURE[1], PICTURE[0]], "counts": run_lengths(mask)}
    if noisy:
        detection["probabilities"] = written(probabilities, folder)
    document = {"schema": "ardf.detections/1", "image": "", "imageSize": list(PICTURE), "detections": [detection]}
    (folder / "detections.json").write_text(json.dumps(document))


def written(probabilities, folder):
    """The file of a mask's probabilities, and what the document says of it."""
    (folder / "probabilities").mkdir(exist_ok=True)
    np.save(folder / "probabilities" / "000.npy", probabilities)
    scale = MASK_GRID / PICTURE[0]
    place = {"orientation": "up", "scale": [scale, scale], "offset": [-0.5, -0.5], "hasPixels": True}
    return {"file": "probabilities/000.npy", **place}


def run_lengths(mask):
    """COCO's text for run lengths down the columns, zeros first."""
    flat = mask.T.ravel()
    starts = np.flatnonzero(np.diff(np.concatenate([[False], flat]).astype(np.int8)))
    runs = np.diff(np.concatenate([[0], starts, [flat.size]])).tolist()
    text = []
    for index, run in enumerate(runs):
        value = run - runs[index - 2] if index > 2 else run
        while True:
            low = value & 31
            value >>= 5
            more = not ((value == 0 and not low & 16) or (value == -1 and low & 16))
            text.append(chr(48 + (low | 32 if more else low)))
            if not more:
                break
    return "".join(text)


def place(program, folder):
    """The object's entry of objects.json."""
    command = [program, "place", "--detections", folder / "detections.json", "--capture", folder, "--out", "-"]
    run = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["objects"][0]


def masked_points(scene, folder, depth):
    """World points of the depth cells whose center the detection's mask holds."""
    counts = json.loads((folder / "detections.json").read_text())["detections"][0]["mask"]["counts"]
    mask = decoded(counts)
    rows, columns = np.mgrid[: depth.shape[0], : depth.shape[1]]
    scale = PICTURE[0] / depth.shape[1], PICTURE[1] / depth.shape[0]
    u, v = (columns + 0.5) * scale[0], (rows + 0.5) * scale[1]
    held = mask[v.astype(int), u.astype(int)] & (depth > 0)
    u, v, z = u[held] - 0.5, v[held] - 0.5, depth[held].astype(float)
    c = scene.constants
    camera = np.stack([(u - c.principal[0]) * z / c.focal, -(v - c.principal[1]) * z / c.focal, -z], 1)
    return camera @ scene.rotation.T + scene.origin


def decoded(text):
    runs, value, shift = [], 0, 0
    for character in text:
        code = ord(character) - 48
        value |= (code & 31) << shift
        shift += 5
        if not code & 32:
            if code & 16:
                value -= 1 << shift
            runs.append(value + (runs[-2] if len(runs) > 2 else 0))
            value, shift = 0, 0
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return flat.reshape(PICTURE[0], PICTURE[1]).T
