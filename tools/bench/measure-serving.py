#!/usr/bin/env python3
"""Measures throughput and latency of `ardf serve --models` on loopback, beside other servers in the same run.

    tools/bench/measure-serving.py --ardf .build/release/ardf \\
        --weights yolo11n-seg.safetensors --onnx yolo11n-seg.onnx \\
        [--triton FOLDER] [--clients 1,4,16,64] [--seconds 8] [--workers 1] [--picture bus.jpg] [--requests N]

Each client sends a request of 1 x 3 x 640 x 640 numbers as bytes on a connection of its own, reads both outputs, and
sends the next: never more than one at a time, so that the load is bounded by the number of clients. Other servers are
ONNX Runtime served by Python's HTTP server, and Triton (`--triton`: the folder `pytriton/tritonserver` of the wheel
nvidia-pytriton, unpacked) with ONNX Runtime in its Python backend. With --picture also the pipeline `detect` with
that JPEG. With --requests instead: so many requests, and the server's memory on the way. Prints a Markdown table.

Needs numpy and onnxruntime (PyPI).
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

TRITON_MODEL = """
import sys

sys.path[:0] = {packages!r}
import onnxruntime
import triton_python_backend_utils as utils

class TritonPythonModel:
    def initialize(self, arguments):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = {threads}
        self.session = onnxruntime.InferenceSession({onnx!r}, options, providers=["CPUExecutionProvider"])

    def execute(self, requests):
        answers = []
        for request in requests:
            images = utils.get_input_tensor_by_name(request, "images").as_numpy()
            outputs = self.session.run(None, {{"images": images}})
            answers.append(utils.InferenceResponse(
                [utils.Tensor(f"output{{i}}", output) for i, output in enumerate(outputs)]))
        return answers
"""

TRITON_CONFIGURATION = """
name: "yolo"
backend: "python"
max_batch_size: 0
input [ { name: "images" data_type: TYPE_FP32 dims: [ 1, 3, 640, 640 ] } ]
output [ { name: "output0" data_type: TYPE_FP32 dims: [ 1, 116, 8400 ] },
         { name: "output1" data_type: TYPE_FP32 dims: [ 1, 32, 160, 160 ] } ]
instance_group [ { kind: KIND_CPU count: COUNT } ]
"""


class Server:
    """A process that prints an address when it answers."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
        self.port = None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/v2|HTTPService at 127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1] or found[2])
                break
        else:
            sys.exit("no server: " + "".join(lines[-200:]))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        for _ in range(100):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                break
            time.sleep(0.1)

    def memory(self):
        """Peak and present resident megabytes, of all processes of the server."""
        texts = {}
        for status in Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                texts[int(status.parent.name)] = status.read_text()
        family = {self.process.pid}
        while new := {
            pid for pid, text in texts.items()
            if pid not in family and int(re.search(r"PPid:\s+(\d+)", text)[1]) in family
        }:  # fmt: skip
            family |= new
        found = [re.search(rf"{key}:\s+(\d+)", texts[pid]) for key in ("VmHWM", "VmRSS") for pid in sorted(family)]
        sizes = [int(match[1]) / 1024 if match else 0 for match in found]
        return [sum(sizes[: len(family)]), sum(sizes[len(family) :])]

    def end(self):
        self.process.terminate()
        self.process.wait()


def ardf_server(arguments, weights, workers):
    return Server([arguments.ardf, "serve", "--models", f"yolo={weights}", "--listen", "127.0.0.1:0",
                   "--threads", arguments.threads, "--workers", workers, "--max-queue", 256, "--conf", 0.25])  # fmt: skip


def triton_server(arguments, folder):
    """Triton with ONNX Runtime in the Python backend: one instance for each worker."""
    root, repository = Path(arguments.triton), folder / "repository"
    (repository / "yolo" / "1").mkdir(parents=True)
    text = TRITON_MODEL.format(
        threads=max(1, arguments.threads // arguments.workers), onnx=arguments.onnx, packages=[p for p in sys.path if p]
    )
    (repository / "yolo" / "1" / "model.py").write_text(text)
    (repository / "yolo" / "config.pbtxt").write_text(TRITON_CONFIGURATION.replace("COUNT", str(arguments.workers)))
    backends = shutil.copytree(root / "backends", folder / "backends")
    stub = root / "python_backend_stubs" / f"{sys.version_info.major}.{sys.version_info.minor}"
    for file in stub.iterdir():
        shutil.copy(file, backends / "python")
    for file in (backends / "python").iterdir():
        file.chmod(0o755)
    binary = shutil.copy(root / "bin" / "tritonserver", folder)
    Path(binary).chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [binary, "--model-repository", repository, "--backend-directory", backends, "--http-address",
               "127.0.0.1", "--http-port", port, "--allow-grpc", "false", "--allow-metrics", "false"]  # fmt: skip
    libraries = f"{root.parent.parent / 'nvidia_pytriton.libs'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return Server(command, {"LD_LIBRARY_PATH": libraries})


def raw_request(name, shape):
    elements = np.random.default_rng(0).random(shape, np.float32)
    outputs = [{"name": f"output{i}", "parameters": {"binary_data": True}} for i in range(2)]
    entry = {"name": "images", "datatype": "FP32", "shape": shape, "parameters": {"binary_data_size": elements.nbytes}}
    head = json.dumps({"inputs": [entry], "outputs": outputs}).encode()
    return request(name, head + elements.tobytes(), len(head))


def request(name, body, header_length):
    def bytes_for(port):
        return (
            f"POST /v2/models/{name}/infer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n"
            f"Inference-Header-Content-Length: {header_length}\r\n\r\n"
        ).encode() + body

    return bytes_for


def ask(connection, message, buffer):
    """Sends a request and reads its answer; returns the status."""
    connection.sendall(message)
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError("the server closed the connection")
        head += part
    head, rest = head.split(b"\r\n\r\n", 1)
    left = int(re.search(rb"content-length: (\d+)", head.lower())[1]) - len(rest)
    while left > 0:
        left -= connection.recv_into(buffer, min(left, len(buffer)))
    return int(head.split(b" ", 2)[1])


def load(port, message, clients, seconds, count=None):
    """Closed loop: latencies of answers, how many were refused, and the time it took."""
    message = message(port)
    latencies, refused = [[] for _ in range(clients)], [0] * clients
    remaining = threading.Semaphore(count) if count else None
    began = time.perf_counter()
    end = began + seconds if seconds else float("inf")

    def client(index):
        buffer = bytearray(1 << 20)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while time.perf_counter() < end and (remaining is None or remaining.acquire(blocking=False)):
                start = time.perf_counter()
                if ask(connection, message, buffer) == 200:
                    latencies[index].append(time.perf_counter() - start)
                else:
                    refused[index] += 1

    threads = [threading.Thread(target=client, args=(index,)) for index in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(value for list_ in latencies for value in list_), sum(refused), time.perf_counter() - began


def row(name, clients, latencies, refused, seconds, server):
    at = lambda share: 1000 * latencies[min(len(latencies) - 1, int(share * len(latencies)))]  # noqa: E731
    print(f"| {name} | {clients} | {len(latencies) / seconds:.1f} | {at(0.5):.0f} | {at(0.99):.0f} | {refused} "
          f"| {server.memory()[0]:.0f} |", flush=True)  # fmt: skip


def measure(arguments):
    servers = {
        f"ardf serve, {arguments.workers} workers": lambda folder: ardf_server(
            arguments, arguments.weights, arguments.workers),
        "ONNX Runtime, http.server": lambda folder: Server(
            [sys.executable, HERE / "onnxruntime-server.py", arguments.onnx, "--threads",
             max(1, arguments.threads // arguments.workers), "--sessions", arguments.workers]),
    }  # fmt: skip
    if arguments.triton:
        servers["ONNX Runtime, Triton"] = lambda folder: triton_server(arguments, folder)
    messages = {"raw tensors": raw_request("yolo", [1, 3, 640, 640])}
    if arguments.picture:
        messages["detect, JPEG"] = request("detect", Path(arguments.picture).read_bytes(), 0)
    print("| server | clients | requests/s | p50 ms | p99 ms | refused | peak MB |\n|---|--:|--:|--:|--:|--:|--:|")
    for name, start in servers.items():
        with tempfile.TemporaryDirectory() as folder:
            server = start(Path(folder))
            try:
                for kind, message in messages.items():
                    if kind != "raw tensors" and "ardf" not in name:
                        continue
                    load(server.port, message, 2, 1)
                    for clients in arguments.clients:
                        latencies, refused, seconds = load(server.port, message, clients, arguments.seconds)
                        row(f"{name}, {kind}", clients, latencies, refused, seconds, server)
            finally:
                server.end()


def endure(arguments):
    """Many requests of small inputs: memory must not grow."""
    server = ardf_server(arguments, arguments.weights, arguments.workers)
    print("| requests | resident MB | open files |\n|--:|--:|--:|")
    try:
        message = raw_request("yolo", [1, 3, 32, 32])
        for part in range(11):
            if part:
                load(server.port, message, 8, None, count=arguments.requests // 10)
            files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
            print(f"| {part * arguments.requests // 10} | {server.memory()[1]:.1f} | {files} |", flush=True)
        text = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics").read().decode()
        print([line for line in text.split("\n") if line.startswith("ardf_inferences_total")])
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--weights", required=True)
    parser.add_argument("--onnx")
    parser.add_argument("--triton")
    parser.add_argument("--picture")
    parser.add_argument("--clients", default="1,4,16,64", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--requests", type=int)
    arguments = parser.parse_args()
    if arguments.requests:
        endure(arguments)
    elif arguments.onnx:
        arguments.onnx = str(Path(arguments.onnx).resolve())
        measure(arguments)
    else:
        parser.error("give --onnx to measure, or --requests to endure")


if __name__ == "__main__":
    main()
