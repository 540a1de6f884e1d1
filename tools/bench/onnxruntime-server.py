#!/usr/bin/env python3
"""ONNX Runtime served by the standard library's HTTP server, to compare `ardf serve` with.

    onnxruntime-server.py MODEL.onnx [--port P] [--threads N] [--sessions S]

Speaks as much of the Open Inference Protocol as the load generator does: one input, all outputs, as bytes. Each session
has N threads and one request at a time. Prints its address when it answers.
"""

import argparse
import json
import queue
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import onnxruntime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sessions", type=int, default=1)
    arguments = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    idle = queue.Queue()
    for _ in range(arguments.sessions):
        idle.put(onnxruntime.InferenceSession(arguments.model, options, providers=["CPUExecutionProvider"]))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_):
            pass

        def do_POST(self):  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"]))
            length = int(self.headers["Inference-Header-Content-Length"])
            entry = json.loads(body[:length])["inputs"][0]
            elements = np.frombuffer(body, np.float32, offset=length).reshape(entry["shape"])
            session = idle.get()
            try:
                outputs = session.run(None, {entry["name"]: elements})
            finally:
                idle.put(session)
            described = [
                {"name": port.name, "datatype": "FP32", "shape": output.shape,
                 "parameters": {"binary_data_size": output.nbytes}}
                for port, output in zip(session.get_outputs(), outputs, strict=True)
            ]  # fmt: skip
            head = json.dumps({"model_name": "m", "model_version": "1", "outputs": described}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(head) + sum(output.nbytes for output in outputs)))
            self.send_header("Inference-Header-Content-Length", str(len(head)))
            self.end_headers()
            self.wfile.write(head)
            for output in outputs:
                self.wfile.write(output)

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    server = Server(("127.0.0.1", arguments.port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v2", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
