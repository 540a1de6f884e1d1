#!/usr/bin/env python3
"""Floods `ardf serve` with strangers that say nothing, half a head or nonsense, or promise a body that never comes, and
`ardf serve --models` with requests that ask for more than there is.

    tools/prove/flood.py [--ardf .build/release/ardf] [--connections 1500]

First the page, then `ardf serve --models`. Connections are opened without a pause and kept open. After every fiftieth
the page, or the list of models, is fetched; at the end it must have come each time, and the server must hold no more
descriptors than its places allow.

Then, under `ulimit -v` of 4 GiB: numbers that overflow or are beyond their type, 250 promised bodies of 64 MiB, pictures of
75 kB that unpack to 64 megapixels with hundreds of objects, and readers that take nothing of large answers. Each gets
an error, the server answers the next request, takes at most 1.5 GiB, and gives back what it held.
"""

import argparse
import contextlib
import json
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
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
    failures = sum(run(options, *server) for server in SERVERS) + excess(options)
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


#: Bytes that the server may take, whatever is asked of it: what requests may hold, its networks and its threads.
MOST_RESIDENT = 1536 << 20
LIMIT = 4 << 30
MODEL = "yolo11-tiny-n"


def picture(side):
    """A gray PNG of a side, which packs to a thousandth."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * side) * side, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def of_picture(bytes_, **members):
    """The body of a request for a picture's objects, and the length of its JSON."""
    image = {"name": "image", "datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": len(bytes_) + 4}}
    head = json.dumps({"inputs": [image], **members}).encode()
    return head + struct.pack("<I", len(bytes_)) + bytes_, len(head)


def numbers(datatype="FP32", data="0", shape="1,3,32,32", parameters=""):
    text = '{"inputs":[{"name":"images","datatype":"%s","shape":[%s],%s}]%s}'
    return (text % (datatype, shape, data, parameters)).encode()


def odd_numbers():
    """Requests with numbers beyond every range: what they are, the model, the body, the length of its JSON."""
    sound = ",".join(["0.5"] * (3 * 32 * 32 - 1))
    for value in ("1e39", "-3.5e38", "1e400", "NaN", "Infinity", "null", "true"):
        yield f"element {value}", MODEL, numbers(data=f'"data":[{sound},{value}]'), None
    for size in (2**63 - 1, 2**63, 2**64, -1, 0.5, 1e300):
        yield f"binary_data_size {size}", MODEL, numbers(data='"parameters":{"binary_data_size":%s}' % size), None
        both = numbers(data='"parameters":{"binary_data_size":4}').replace(
            b"}]}", b'}},{"name":"b","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":%d}}]}' % size, 1
        ).replace(b"4}}}", b"4}}", 1)
        yield f"binary_data_size 4 and {size}", MODEL, both + b"1234", len(both)
    for shape in ("9223372036854775807,2", "0,9223372036854775807,4611686018427387904", "-1", "67108865", "1.5"):
        yield f"shape {shape}", MODEL, numbers(data='"data":[1]', shape=shape), None
    for bits in (0x7F800000, 0xFF800000, 0x7FC00000, 0x7F000000):
        head = numbers(data='"parameters":{"binary_data_size":%d}' % (4 * 3 * 32 * 32))
        yield f"bits {bits:x}", MODEL, head + struct.pack("<I", bits) * (3 * 32 * 32), len(head)
    small = picture(32)
    for name, value in (
        ("max_det", 0), ("max_det", 2**63 - 1), ("max_det", 1.5), ("conf", -0.1), ("conf", 1e300), ("iou", 2),
        ("orientation", 9), ("orientation", 1.5), ("timeout", -1), ("timeout", 2**63 - 1), ("timeout", 0.5),
    ):  # fmt: skip
        yield f"{name} {value}", "detect", *of_picture(small, parameters={name: value})


class Excess:
    """A server with a limit of memory, and requests to it."""

    def __init__(self, options):
        self.server = subprocess.Popen(
            [str(options.ardf.resolve()), "serve", "--models", str(NETWORK), "--listen", "127.0.0.1:0", "--imgsz", "64",
             "--timeout", "20"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
        )  # fmt: skip
        line = next(line for line in self.server.stderr if "http://" in line)
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", line)[1])
        threading.Thread(target=self.server.stderr.read, daemon=True).start()

    def begin(self, model, body, length=None, promised=None, buffer=None):
        client = socket.socket()
        if buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        client.settimeout(120)
        client.connect(("127.0.0.1", self.port))
        head = f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
        head += f"Content-Length: {promised or len(body)}\r\n"
        if length is not None:
            head += f"Inference-Header-Content-Length: {length}\r\n"
        with contextlib.suppress(OSError):  # It may have been refused already.
            client.sendall(head.encode() + b"\r\n" + body)
        return client

    def status(self, client):
        """The status of a request's answer, all of which is read."""
        got = b""
        with client, contextlib.suppress(OSError):
            while part := client.recv(1 << 20):
                got = (got + part)[:64]
        found = re.match(rb"HTTP/1.1 (\d+)", got)
        return int(found[1]) if found else None

    def memory(self, field):
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1]) << 10

    def answers(self):
        with contextlib.suppress(OSError):
            return fetch(f"http://127.0.0.1:{self.port}/v2/models", MODEL.encode()) >= 0
        return False


def excess(options):
    """Requests for more than there is; returns what failed."""
    failures = 0

    def check(what, holds, detail=""):
        nonlocal failures
        if not holds:
            failures += 1
            print(f"FAILED: {what} {detail}")

    server = Excess(options)
    try:
        count = 0
        for what, model, body, length in odd_numbers():
            status = server.status(server.begin(model, body, length))
            check(what, status == 400, status)
            count += 1
        check("answers after odd numbers", server.answers())
        print(f"{count} requests with odd numbers: each answered 400")

        promised = [server.begin(MODEL, b"{", promised=64 << 20) for _ in range(250)]
        check("answers beside promised bodies", server.answers())
        print(f"250 bodies of 64 MiB promised: {server.memory('VmHWM') >> 20} MiB")
        for client in promised:
            client.close()

        large = picture(8000)
        for most in (40, 300):
            body = of_picture(large, parameters={"conf": 0, "iou": 1, "max_det": most}, outputs=[{"name": "scores"}])
            status = server.status(server.begin("detect", *body))
            check(f"{most} objects of 64 megapixels", status in (200, 400, 413, 503, 504), status)
            check("answers after large masks", server.answers())
        print(f"masks of 64 megapixels: {server.memory('VmHWM') >> 20} MiB")

        # Outputs of a batch of pictures, as JSON, of which nothing is read.
        head = numbers(data='"parameters":{"binary_data_size":%d}' % (4 * 3 * 640 * 640 * 8), shape="8,3,640,640")
        body = head + bytes(4 * 3 * 640 * 640 * 8)
        deaf = [server.begin(MODEL, body, len(head), buffer=4096) for _ in range(8)]
        dripping = time.monotonic() + 90
        ended = 0
        for client in deaf:
            client.settimeout(1)
        while ended < len(deaf) and time.monotonic() < dripping:
            ended = 0
            for client in deaf:
                try:
                    ended += client.recv(1) == b""
                except TimeoutError:
                    pass
                except OSError:
                    ended += 1
            time.sleep(1)
            check("answers beside deaf readers", server.answers())
        # What lies in the system's buffers may still be read byte by byte; the server holds none of it.
        held = re.search(
            rb"(?m)^ardf_request_memory_bytes (\S+)",
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=60).read(),
        )[1]
        check("memory is given back", float(held) == 0, held)
        print(
            f"8 readers of a byte a second: {server.memory('VmHWM') >> 20} MiB at most, "
            f"{server.memory('VmRSS') >> 20} MiB afterwards"
        )
        check("memory", server.memory("VmHWM") <= MOST_RESIDENT, server.memory("VmHWM"))
    finally:
        check("is there still", server.server.poll() is None, server.server.poll())
        server.server.send_signal(signal.SIGINT)
        print(f"ended with {server.server.wait(timeout=60)} on Ctrl-C")
    return failures


if __name__ == "__main__":
    main()
