#!/usr/bin/env python3
"""Uses a report page as people do, in headless Chromium, at the sizes of a desk and of a phone.

    ardf run CAPTURE --frame 00030 --out RESULTS
    tools/check/check-report.py RESULTS [--shots FOLDER]
    tools/check/check-report.py RESULTS --url http://127.0.0.1:8765/

Taps are checked against the masks in masks/, the depth under the pointer and how it is known against metric.npy and
metric-source.png, the 3-D view against a
blank one. No message on the console, and no request that leaves the page, is accepted. With --url the queue is placed
on the machine, else it must become a command. Ends with 1 if anything fails.

Needs playwright, numpy, Pillow (PyPI) and Debian's chromium.
"""

import argparse
import shutil
import sys
from pathlib import Path

from browser import visits
from playwright.sync_api import sync_playwright


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--url", help="the same frame's page as ardf serve gives it out")
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    url = options.url or (options.results / "report.html").resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
        )
        visits.check_page(browser, url, visits.Results(options.results), options)
        browser.close()
    print(f"{visits.failures} failed")
    return 1 if visits.failures else 0


if __name__ == "__main__":
    sys.exit(main())
