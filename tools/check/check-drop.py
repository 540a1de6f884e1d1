#!/usr/bin/env python3
"""Drops a picture, a capture's folder and its archive on the page of `ardf serve`, and uses what comes of it.

    tools/check/check-drop.py --ardf .build/release/ardf --capture CAPTURE --frame 00030 --picture bus.jpg -- --conf 0.5

The browser is given real drops (files and folders, by its own protocol). After each the page of the new frame must show
what `ardf run` finds; then an effect is queued by a tap and placed on the machine, and the scene to download must have
it. What follows `--` goes to `ardf serve` and `ardf run`. Ends with 1 if anything fails.

Needs playwright, numpy, Pillow (PyPI) and Debian's chromium.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from browser import visits
from browser.visits import Results, check
from playwright.sync_api import sync_playwright


def run(ardf, *words):
    subprocess.run([ardf, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def drop(page, path):
    """Drags a file or folder of the machine over the middle of the page and lets go."""
    session = page.context.new_cdp_session(page)
    size = page.viewport_size
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    at = {"x": size["width"] / 2, "y": size["height"] / 2, "data": data}
    session.send("Input.dispatchDragEvent", {"type": "dragEnter", **at})
    session.send("Input.dispatchDragEvent", {"type": "dragOver", **at})
    shown = page.evaluate("document.body.classList.contains('dropping')")
    session.send("Input.dispatchDragEvent", {"type": "drop", **at})
    session.detach()
    return shown


def check_dropped(page, name, path, results, shots):
    """Drops a thing, waits for the frame's page, and compares it with what `ardf run` made."""
    before = page.url
    check(f"{name}: the page says where to let go", drop(page, path))
    page.wait_for_url(lambda url: url != before and "/frames/" in url)
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.wait_for_timeout(300)
    if shots:
        page.screenshot(path=shots / f"drop-{name.replace(' ', '-')}.png")
    found = page.evaluate("frame.items.map(item => [item.id, item.className, item.measured?.distanceMeters ?? null])")
    expected = [[i, o["className"], o["distanceMeters"]] for i, o in sorted(results.objects.items())]
    check(f"{name}: objects and distances are those of ardf run", found == expected, f"{found}")
    served = urllib.request.urlopen(f"{page.url}/detections.json").read()
    # Files of the masks' probabilities are those of ardf run alone.
    written = [{k: v for k, v in o.items() if k != "probabilities"} for o in results.detections["detections"]]
    check(f"{name}: detections.json is that of ardf run", json.loads(served)["detections"] == written)


def check_placing(page, results, options):
    """Queues an effect by a tap on an object's mask, places it, and looks for it in the files."""
    visit = object.__new__(visits.Visit)
    visit.page, visit.touch, visit.name = page, False, "after the drop"
    visits.check_queue(visit, results, True, options.shots)
    scene = json.loads(urllib.request.urlopen(f"{page.url}/scene.json").read())
    check("scene.json has the effect", [effect["type"] for effect in scene["effects"]] == ["debugCube"])
    binary = urllib.request.urlopen(f"{page.url}/scene.glb").read()
    check("scene.glb has it too", b"effect debugCube" in binary, f"{len(binary)} bytes")
    if options.shots:
        page.screenshot(path=options.shots / "drop-placed.png", full_page=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--capture", required=True, help="a capture with a frame in which there are objects")
    parser.add_argument("--frame", default="0")
    parser.add_argument("--picture", required=True, type=Path, help="a picture in which there are objects")
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    parser.add_argument("more", nargs="*", help="further options of ardf run and ardf serve")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        work = Path(temporary)
        run(options.ardf, "capture", "convert", options.capture, "--out", work / "frames")
        metadata = sorted((work / "frames").glob("*.json"))[0]
        chosen = next(
            (path for path in sorted((work / "frames").glob("*.json")) if options.frame in path.name), metadata
        )
        # One frame in the native layout, as a folder and as an archive.
        folder = work / "dropped"
        folder.mkdir()
        fields = json.loads(chosen.read_text())
        (folder / "frame.json").write_text(chosen.read_text())
        for key in ("image", "depth", "confidence"):
            shutil.copy(work / "frames" / fields[key], folder)
        archive = shutil.make_archive(str(work / "archive"), "zip", work, "dropped")
        sources = {"picture": options.picture.resolve(), "folder": folder, "archive": Path(archive)}
        for name in ("picture", "folder"):
            run(options.ardf, "run", sources[name], "--out", work / f"results-{name}", *options.more)
        results = {name: Results(work / f"results-{name}") for name in ("picture", "folder")}
        service = subprocess.Popen(
            [options.ardf, "serve", "--port", "0", *options.more], stderr=subprocess.PIPE, text=True
        )
        address = None
        while not address and (line := service.stderr.readline()):
            address = re.search(r"http://127\.0\.0\.1:\d+\S*", line)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        messages = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.set_default_timeout(visits.patience)
        page.goto(address[0])
        if options.shots:
            page.screenshot(path=options.shots / "drop-welcome.png")
        for name, path in sources.items():
            check_dropped(page, name, path, results["picture" if name == "picture" else "folder"], options.shots)
        check_placing(page, results["folder"], options)
        bad = work / "notes.txt"
        bad.write_text("no picture")
        drop(page, bad)
        page.wait_for_selector("#busy.bad")
        text = page.locator("#busy").text_content()
        check("what is no picture is refused in words", text.startswith("notes.txt: "), text)
        # The browser itself tells of the answer 422.
        others = [message for message in messages if "422" not in message]
        check("no message on the console", not others, "; ".join(others[:3]))
        browser.close()
        service.terminate()
        service.wait()
    print(f"{visits.failures} failed")
    return 1 if visits.failures else 0


if __name__ == "__main__":
    sys.exit(main())
