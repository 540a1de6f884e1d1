#!/usr/bin/env python3
"""Floods `ardf serve` with strangers that say nothing, half a head or nonsense, or promise a body that never comes.

    tools/prove/flood.py [--ardf .build/release/ardf] [--connections 1500]

First the page, then `ardf serve --models`. Connections are opened without a pause and kept open. After every fiftieth
the page, or the list of models, is fetched; at the end it must have come each time, and the server must hold no more
descriptors than its places allow.
"""

import argparse
import contextlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors"
#: Connections that the server serves at a time; as many more may be closing.
PLACES = 64
STARTS = [
    b"",
    b"GET / HTTP/1.1\r\nHost: HOST\r\nA: ",
    b"POST /frames/0/place HTTP/1.1\r\nHost: HOST\r\nX-Ardf-Token: guessed\r\nContent-Length: 1000\r\n\r\n{",
    b"POST /v2/models/yolo11-tiny-n/infer HTTP/1.1\r\nHost: HOST\r\nContent-Length: 60000000\r\n\r\n{",
    b"\x00\xff" * 40,
]
#: What each server is started with, and what is asked of it.
SERVERS = [
    (["capture", "--port", "0", "--yolo", NETWORK, "--imgsz", "64"], "", b"</html>"),
    (["--models", NETWORK, "--listen", "127.0.0.1:0", "--imgsz", "64", "--max-connections", PLACES], "/models",
     b"yolo11-tiny-n"),
]  # fmt: skip


def fetch(address, mark):
    """Seconds that the page took."""
    start = time.monotonic()
    with urllib.request.urlopen(address, timeout=60) as answer:
        page = answer.read()
    seconds = time.monotonic() - start
    if mark not in page:
        raise OSError("the page is not whole")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf", type=Path)
    parser.add_argument("--connections", default=1500, type=int)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    failures = sum(run(options, *server) for server in SERVERS)
    sys.exit(1 if failures else 0)


def run(options, words, path, mark):
    """Floods one server; returns what failed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "Fuzz/Captures/native", f"{folder}/capture")
        server = subprocess.Popen(
            [str(word) for word in (options.ardf.resolve(), "serve", *words)],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            return flood(address + path, mark, options.connections, server)
        finally:
            server.send_signal(signal.SIGINT)
            print(f"ended with {server.wait(timeout=60)} on Ctrl-C")


def flood(address, mark, count, server):
    host = re.search(r"127\.0\.0\.1:(\d+)", address)
    descriptors = Path(f"/proc/{server.pid}/fd")
    before = len(list(descriptors.iterdir()))
    quiet = fetch(address, mark)
    starts = [start.replace(b"HOST", host[0].encode()) for start in STARTS]
    clients, times, most, failures = [], [], 0, 0
    for number in range(count):
        client = socket.create_connection(("127.0.0.1", int(host[1])))
        clients.append(client)
        with contextlib.suppress(OSError):  # It may have given way already.
            client.sendall(starts[number % len(starts)])
        if number % 50 == 49:
            try:
                times.append(fetch(address, mark))
            except OSError as error:
                failures += 1
                print(f"after {number + 1} connections the page does not come: {error}")
            most = max(most, len(list(descriptors.iterdir())) - before)
    print(
        f"{count} connections kept open; the page came {len(times)} times of {count // 50}, "
        f"slowest {max(times, default=0):.3f} s ({quiet:.3f} s before)"
    )
    print(f"descriptors: at most {most} more than before, allowed {2 * PLACES + 1}")
    if most > 2 * PLACES + 1:
        failures += 1
    for client in clients:
        client.close()
    print(f"afterwards: {fetch(address, mark):.3f} s, exit code so far {server.poll()}")
    return failures


if __name__ == "__main__":
    main()
