#!/usr/bin/env python3
"""Opens the page of `ardf serve --listen` as a phone does: by the QR code in the terminal, at a phone's size.

    tools/check/check-phone.py [--ardf .build/release/ardf] [--capture CAPTURE] [--shots FOLDER] [-- --conf 0.5]

OpenCV reads the code off the terminal's characters, as a dark and as a light terminal show them; it must be the address
that is printed. The address lets the browser in, and no other client. Then every frame of the capture is turned to, by the
buttons, by the number and by the keyboard; titles must say which frame is shown, nothing may be wider than the window, and
no box may be empty. Without --capture a small one, with the small networks of the tests. Ends with 1 if anything fails.

Needs playwright, numpy, opencv-python (PyPI) and Debian's chromium.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import cv2
import numpy as np
from browser import visits
from browser.visits import check
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
SMALL = ["--yolo", GOLDENS / "yolo11-tiny-n.safetensors", "--imgsz", "64", "--conf", "0.05", "--max-det", "4"]
DEPTH = ["--depth", GOLDENS / "depth-tiny.safetensors", "--depth-size", "42"]
BLOCKS = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
# Without text, children or a drawing, and yet as large as something.
EMPTY = """() => [...document.querySelectorAll("body *")].filter(e => {
  const box = e.getBoundingClientRect(), style = getComputedStyle(e);
  return box.height > 60 && box.width > 60 && style.visibility !== "hidden" && !e.textContent.trim()
    && !e.querySelector("img, canvas, svg, input, button, i") && !e.matches("img, canvas, svg, svg *, input, button, i")
    && e.id !== "veil";
}).map(e => e.id || e.className || e.tagName)"""


def small_capture(folder):
    """Three frames of the tests' small capture."""
    source = ROOT / "Fuzz/Captures/native"
    shutil.copytree(source, folder)
    # A folder with this file is one frame.
    metadata = (folder / "frame.json").rename(folder / "00097.json")
    for name in ("00098", "00099"):
        shutil.copy(metadata, folder / f"{name}.json")
    return folder


def code_of(lines):
    """The modules of the code that a terminal shows: 1 is dark."""
    rows = []
    for line in lines:
        rows += [[BLOCKS[c][half] for c in line] for half in (0, 1)]
    return np.array(rows, np.uint8)


def reads(modules, inverted, address):
    """Whether OpenCV reads an address off a code. It misses one in some dozens at any one size; phones move."""
    return any(read(modules, inverted, size) == address for size in (8, 4, 6, 10, 12))


def read(modules, inverted, size):
    """The text that OpenCV reads of a code, on a terminal whose text is light on dark, or the other way round."""
    picture = np.where(modules == 1, 0, 255).astype(np.uint8)
    border = 255
    if inverted:
        picture, border = 255 - picture, 0
    picture = cv2.copyMakeBorder(picture, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=border)
    picture = cv2.resize(picture, None, fx=size, fy=size, interpolation=cv2.INTER_NEAREST)
    # Phones read codes of both kinds; OpenCV is given the light one.
    return cv2.QRCodeDetector().detectAndDecode(255 - picture if inverted else picture)[0]


def status(url):
    try:
        return urllib.request.urlopen(url).status
    except urllib.error.HTTPError as error:
        return error.code


def check_page(page, name, shots):
    """Checks the page of any frame, in both themes."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(200)
        check(f"{name}, {theme}: nothing is wider than the window",
              page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        empty = page.evaluate(EMPTY)
        check(f"{name}, {theme}: no box is empty", not empty, str(empty))
        if shots:
            page.screenshot(path=shots / f"phone-{name.replace(' ', '-')}-{theme}.png", full_page=True)


def shows(page, position):
    """Whether the page of a frame is ready."""
    try:
        return page.evaluate(
            f"document.documentElement.dataset.ready === 'yes' && data.position?.index === {position}")
    except Error:
        # The page is being replaced by the next one.
        return False


def arrive(page, position, count):
    # Asked again and again from here: a browser evaluates what it waits for as text, which the page's policy forbids.
    waited = 0
    while not shows(page, position) and waited < visits.patience:
        page.wait_for_timeout(50)
        waited += 50
    title = page.title()
    check(f"the title says frame {position + 1}", f"frame {position + 1} of {count}" in title, title)
    shown = page.input_value("#position")
    check(f"the page says frame {position + 1}", shown == str(position + 1), shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf")
    parser.add_argument("--capture", type=Path, help="a capture of at least three frames")
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    parser.add_argument("more", nargs="*", help="further options of ardf serve")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        capture = options.capture or small_capture(Path(temporary) / "capture")
        more = options.more or ([] if options.capture else [*SMALL, *DEPTH])
        service = subprocess.Popen(
            [options.ardf, "serve", capture, "--listen", "0.0.0.0:0", *map(str, more)], stderr=subprocess.PIPE,
            text=True)
        try:
            visit(service, playwright, options)
        finally:
            service.terminate()
            service.wait()
    print(f"{visits.failures} failed")
    return 1 if visits.failures else 0


def visit(service, playwright, options):
    """Reads what the service prints, and visits its pages with windows of both sizes."""
    lines, address = [], None
    while not address and (line := service.stderr.readline()):
        lines.append(line.rstrip("\n"))
        address = re.search(r"http://\S+/\?token=\w+", line)
    check("an address with a token is printed", address is not None, "\n".join(lines))
    address = address[0]
    code = code_of([line for line in lines if line and set(line) <= set(BLOCKS)])
    for name, inverted in (("dark", False), ("light", True)):
        check(f"OpenCV reads the address off a {name} terminal", reads(code, inverted, address))
    place = address.split("?")[0]
    check("without the token nothing is answered", status(place) == 403 and status(f"{place}frames/0") == 403)
    check("a wrong token is none", status(f"{place}?token=0") == 403)
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
              "--ignore-gpu-blocklist"])
    messages = []
    for size, (width, height, touch) in visits.SIZES.items():
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=touch,
                                      is_mobile=touch, device_scale_factor=2 if touch else 1)
        page = context.new_page()
        page.set_default_timeout(visits.patience)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        check(f"{size}: the address keeps no token in sight", "token" not in page.url, page.url)
        count = page.evaluate("data.position.count")
        start = page.evaluate("data.position.index")
        if start:
            page.fill("#position", "1")
            page.press("#position", "Enter")
        arrive(page, 0, count)
        check(f"{size}: there is no frame before the first", page.is_disabled("#before"))
        check_page(page, f"{size} first frame", options.shots)
        page.tap("#after") if touch else page.click("#after")
        arrive(page, 1, count)
        page.focus("#after")
        page.keyboard.press("Enter")
        arrive(page, 2, count)
        page.fill("#position", str(count + 7))
        page.press("#position", "Enter")
        arrive(page, count - 1, count)
        check(f"{size}: there is no frame after the last", page.is_disabled("#after"))
        page.click("#before")
        arrive(page, count - 2, count)
        page.go_back()
        arrive(page, count - 1, count)
        context.close()
    # The browser itself says what plain HTTP keeps it from.
    others = [text for text in messages if "Cross-Origin-Opener-Policy" not in text]
    check("no message on the console", not others, str(others))
    browser.close()


if __name__ == "__main__":
    sys.exit(main())
