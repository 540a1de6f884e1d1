"""Clients of `ardf serve --models`, and what their checks have in common."""

import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import tritonclient.http as triton

FAILURES = []


def check(what, passed, detail=""):
    print(f"{'ok  ' if passed else 'FAIL'} {what}{': ' + str(detail) if detail != '' else ''}", flush=True)
    if not passed:
        FAILURES.append(what)


class Server:
    """`ardf serve --models` on a free port."""

    def __init__(self, ardf, *words):
        command = [ardf, "serve", "--listen", "127.0.0.1:0", *map(str, words)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if found := re.search(r"http://(127\.0\.0\.1:\d+)/v2", line):
                self.address = found[1]
                break
        else:
            sys.exit("the server did not start:\n" + "".join(lines))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def get(self, path, data=None, headers=None):
        """Status and body."""
        request = urllib.request.Request(f"http://{self.address}/{path}", data=data, headers=headers or {})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def picture_input(path):
    tensor = triton.InferInput("image", [1], "BYTES")
    tensor.set_data_from_numpy(np.array([Path(path).read_bytes()], dtype=object))
    return tensor


def tensor_input(name, array, binary=True):
    kinds = {"float32": "FP32", "float64": "FP64", "uint8": "UINT8"}
    tensor = triton.InferInput(name, array.shape, kinds[str(array.dtype)])
    tensor.set_data_from_numpy(array, binary_data=binary)
    return tensor


def run(ardf, *words):
    subprocess.run([ardf, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
