#!/usr/bin/env python3
"""Uses a report page as people do, in headless Chromium, at the sizes of a desk and of a phone.

    tools/check/check-report.py [--ardf .build/release/ardf]
    ardf run CAPTURE --frame 00030 --out RESULTS
    tools/check/check-report.py RESULTS [--shots FOLDER]
    tools/check/check-report.py RESULTS --url http://127.0.0.1:8765/

The first makes the page of a small capture with the small networks of the tests: `make check-page`. Taps are checked
against the masks in masks/, the depth under the pointer and how it is known against metric.npy and metric-source.png,
the 3-D view against a blank one. No message on the console, and no request that leaves the page, is accepted. With
--url the queue is placed on the machine, else it must become a command. Ends with 1 if anything fails.

Needs playwright, numpy, Pillow and Debian's chromium, or Playwright's own: `tools/setup/packages --browser` makes
.cache/browser/bin/python.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import visits
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
#: What finds objects, with masks and boxes in space, in the small capture.
SMALL = ["--yolo", GOLDENS / "yolo11-tiny-n.safetensors", "--imgsz", "64", "--conf", "0.05", "--max-det", "4"]
DEPTH = ["--depth", GOLDENS / "depth-tiny.safetensors", "--depth-size", "42"]


def small_results(ardf, folder):
    """The results of a small capture, with a placed effect."""
    words = ["run", ROOT / "Fuzz/Captures/native", *SMALL, *DEPTH, "--effect", "0=debugCube", "--out", folder, "-q"]
    subprocess.run([ardf, *map(str, words)], check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="?", help="of one frame; those of a small capture unless given")
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", help="makes the small capture's results")
    parser.add_argument("--url", help="the same frame's page as ardf serve gives it out")
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        results = options.results or small_results(options.ardf, Path(scratch) / "results")
        url = options.url or (results / "report.html").resolve().as_uri()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
        )
        visits.check_page(browser, url, visits.Results(results), options)
        browser.close()
    print(f"{visits.failures} failed")
    return 1 if visits.failures else 0


if __name__ == "__main__":
    sys.exit(main())
