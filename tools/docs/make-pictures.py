#!/usr/bin/env python3
"""The pictures of README and docs that can be made anew here; docs/images/README.md says which command makes which.

    python tools/docs/make-pictures.py [NAME...] [--ardf .build/release/ardf] [--out docs/images]

Without names all of them: `results` and `stages` from what `make clip` leaves in out/clip and .cache, `effects` and `replay`
from the clip itself, `arena` with the detector's weights, `boxes` by tools/measure/measure-boxes.py, and the drawings. Needs
Pillow, and what measure-boxes needs.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[2]
FRAME = "00000"
RESULTS, STAGE, GAP = (720, 960), (300, 400), 8
#: Turns of a stored picture that show it upright, by the name that the native layout gives them.
TURNS = {"portrait": Image.Transpose.ROTATE_270, "portraitUpsideDown": Image.Transpose.ROTATE_90,
         "landscapeLeft": Image.Transpose.ROTATE_180}  # fmt: skip
FILMS = ("explosion", "flamethrower", "smoke", "lightning", "magic", "snow", "tornado", "love", "aurora", "dance",
         "confetti", "dragonBreath")  # fmt: skip
#: Frames of the capture that an effect is played over, of which the last is shown; and a tile of it.
PLAYED, TILE, COLUMNS = 8, (300, 330), 6
#: The moving picture of a whole replay: its size, and its quality by which it stays below 1 MB.
MOVING, MOVING_QUALITY = (360, 480), 55


def called(*words):
    subprocess.run([str(word) for word in words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def converted(ardf, scratch):
    """The clip that `make clip` fetches, in the native layout; its frames in order."""
    place = Path(scratch) / "capture"
    called(ardf, "capture", "convert", ROOT / ".cache/bedroom", "--out", place)
    return sorted(place.glob("[0-9]*.json"))


def photograph(frames):
    """The first frame's own picture, upright."""
    frame = json.loads(frames[0].read_text())
    picture = Image.open(frames[0].parent / frame["image"])
    turn = TURNS.get(frame["orientation"])
    return picture.transpose(turn) if turn is not None else picture


def results(ardf, out, scratch):
    picture = Image.open(ROOT / "out/clip" / FRAME / "results.jpg").convert("RGB")
    picture.resize(RESULTS, Image.Resampling.LANCZOS).save(out / "results.jpg", quality=86)


def stages(ardf, out, scratch):
    made = ROOT / "out/clip" / FRAME
    drawn = [Image.open(made / f"{name}.jpg") for name in ("annotated", "relative", "results")]
    sheet = Image.new("RGB", (4 * STAGE[0] + 3 * GAP, STAGE[1]), "white")
    for index, stage in enumerate([photograph(converted(ardf, scratch)), *drawn]):
        tile = stage.convert("RGB").resize(STAGE, Image.Resampling.LANCZOS)
        sheet.paste(tile, (index * (STAGE[0] + GAP), 0))
    sheet.save(out / "stages.jpg", quality=86)


def effects(ardf, out, scratch):
    """Every built-in film on the bed, in the live loop."""
    clip = Path(scratch) / "clip"
    clip.mkdir()
    for document in converted(ardf, scratch)[:PLAYED]:
        frame = json.loads(document.read_text())
        for name in (document.name, *(frame[key] for key in ("image", "depth", "confidence") if key in frame)):
            shutil.copy(document.parent / name, clip / name)
    sheet = Image.new("RGB", (COLUMNS * TILE[0], -(-len(FILMS) // COLUMNS) * TILE[1]), "white")
    for index, film in enumerate(FILMS):
        place = Path(scratch) / film
        called(ardf, "replay", clip, "--max-speed", "--frames", "png", "--effect", f"bed={film}", "--out", place, "-q")
        picture = Image.open(max((place / "frames").glob("*.png"))).convert("RGB")
        width, height = picture.size
        kept = width * TILE[1] // TILE[0]
        picture = picture.crop((0, (height - kept) // 2, width, (height + kept) // 2))
        tile = picture.resize(TILE, Image.Resampling.LANCZOS)
        words = {"font_size": 18, "fill": "white", "stroke_width": 2, "stroke_fill": "black"}
        ImageDraw.Draw(tile).text((8, TILE[1] - 28), film, **words)
        sheet.paste(tile, (index % COLUMNS * TILE[0], index // COLUMNS * TILE[1]))
    sheet.save(out / "effects.jpg", quality=86)


def replay(ardf, out, scratch):
    """Smoke on the bed over the whole capture, each picture shown as long as the camera took for it."""
    frames, place = converted(ardf, scratch), Path(scratch) / "played"
    called(ardf, "replay", frames[0].parent, "--max-speed", "--effect", "bed=smoke", "--out", place, "-q")
    times = [json.loads(frame.read_text())["timestamp"] for frame in frames]
    waits = [round(1000 * (after - before)) for before, after in zip(times, times[1:])]
    shown = [Image.open(path).convert("RGB") for path in sorted((place / "frames").glob("*.jpg"))]
    small = [picture.resize(MOVING, Image.Resampling.LANCZOS) for picture in shown]
    moving = {"save_all": True, "append_images": small[1:], "duration": [*waits, 1000], "loop": 0}
    small[0].save(out / "replay.webp", quality=MOVING_QUALITY, method=6, **moving)


def arena(ardf, out, scratch):
    weights = ROOT / "weights/yolo11n-seg.safetensors"
    called(ardf, "inspect", "plan", weights, "--arena", out / "arena.svg", "--force")


def boxes(ardf, out, scratch):
    tool = ROOT / "tools/measure/measure-boxes.py"
    called(sys.executable, tool, "--set", "table", "--noisy", "--ardf", ardf, "--picture", out / "boxes.jpg")


def drawings(ardf, out, scratch):
    for tool in ("draw-architecture.py", "draw-ideas.py"):
        called(sys.executable, ROOT / "tools/docs" / tool)


def main():
    makers = {maker.__name__: maker for maker in (results, stages, effects, replay, arena, boxes, drawings)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(makers))
    parser.add_argument("--ardf", type=Path, default=ROOT / ".build/release/ardf")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images")
    options = parser.parse_args()
    unknown = set(options.names) - makers.keys()
    if unknown:
        parser.error(f"no picture {', '.join(sorted(unknown))}: there are {', '.join(makers)}")
    for name in options.names or makers:
        with tempfile.TemporaryDirectory() as scratch:
            print(f"make-pictures: {name}", file=sys.stderr)
            makers[name](options.ardf.resolve(), options.out.resolve(), scratch)


if __name__ == "__main__":
    main()
