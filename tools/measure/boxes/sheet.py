"""A picture of scenes with the true and the measured box."""

import itertools

import numpy as np
from capture import decoded
from PIL import Image, ImageDraw
from scenes import PICTURE

TILE = (480, 400)
TRUE, FOUND = (255, 255, 255), (60, 230, 90)


def corners(center, dimensions, yaw):
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    return (signs * dimensions) @ turn.T + center


def projected(scene, points):
    camera = (points - scene.origin) @ scene.rotation
    c = scene.constants
    return np.stack(
        [
            c.principal[0] + c.focal * camera[:, 0] / -camera[:, 2],
            c.principal[1] - c.focal * camera[:, 1] / -camera[:, 2],
        ],
        1,
    )


def tile(scene, errors, detections, warnings):
    """The scene shaded by incidence, its mask tinted, both boxes as wires, the errors below; upright."""
    truth = projected(scene, corners(scene.center, np.array(scene.solid.size), scene.yaw))
    boxes = [(truth, TRUE)]
    if errors.box:
        box = errors.box
        found = corners(np.array(box["center"]), np.array(box["dimensions"]), box["yaw"])
        boxes.append((projected(scene, found), FOUND))
    every = np.concatenate([points for points, _ in boxes])
    middle, reach = (every.min(0) + every.max(0)) / 2, (every.max(0) - every.min(0)).max() * 0.62
    # A portrait picture is stored lying down: a quarter turn clockwise shows it upright.
    steps = 2 * reach / TILE[1] * (np.mgrid[: TILE[1], : TILE[0]] - np.array([TILE[1], TILE[0]])[:, None, None] / 2)
    down, across = steps
    u, v = (middle[0] + down, middle[1] - across) if scene.portrait else (middle[0] + across, middle[1] + down)
    _, solid, incidence = scene.cast(u, v)
    shade = np.clip(60 + 170 * incidence, 0, 255)
    rgb = np.stack([shade] * 3, -1) * np.where(solid[..., None], [1.0, 0.92, 0.8], [0.62, 0.66, 0.74])
    mask = decoded(detections["detections"][0]["mask"]["counts"])
    inside = (u >= 0) & (v >= 0) & (u < PICTURE[0]) & (v < PICTURE[1])
    held = inside & mask[np.clip(v, 0, PICTURE[1] - 1).astype(int), np.clip(u, 0, PICTURE[0] - 1).astype(int)]
    rgb[held] = 0.75 * rgb[held] + 0.25 * np.array([90, 140, 255])
    picture = Image.fromarray(np.clip(rgb, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(picture)

    def place(point):
        x, y = (point - middle) / (2 * reach / TILE[1])
        if scene.portrait:
            x, y = -y, x
        return x + TILE[0] / 2, y + TILE[1] / 2

    for points, color in boxes:
        for a, b in itertools.combinations(range(8), 2):
            if bin(a ^ b).count("1") == 1:
                draw.line([place(points[a]), place(points[b])], fill=color, width=2)
    sides = " ".join(f"{e:+.1f}{'' if sure else '?'}" for e, sure in zip(errors.sides, errors.sure, strict=True))
    measured = f"{scene.name}, {scene.distance:.1f} m: {sides} %, yaw {errors.yaw:.1f}"
    lines = [measured, ", ".join(warnings) or "no warning"]
    draw.rectangle([0, TILE[1] - 34, TILE[0], TILE[1]], fill=(20, 20, 24))
    for line, text in enumerate(lines):
        draw.text((8, TILE[1] - 31 + 15 * line), text, fill=(235, 235, 235))
    return picture


def sheet(tiles, columns=3):
    rows = -(-len(tiles) // columns)
    picture = Image.new("RGB", (columns * TILE[0], rows * TILE[1]))
    for index, each in enumerate(tiles):
        picture.paste(each, (index % columns * TILE[0], index // columns * TILE[1]))
    return picture
