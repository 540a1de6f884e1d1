"""Safetensors files of named arrays, with string metadata."""

import json
import struct
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file


def save_tensors(path, tensors, metadata=None):
    """Writes named arrays or torch tensors (float64 becomes float32), in the order of their names."""
    arrays = {}
    for name in sorted(tensors):
        value = tensors[name]
        value = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
        arrays[name] = np.ascontiguousarray(value.astype(np.float32) if value.dtype == np.float64 else value)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in (metadata or {}).items()}
    save_file(arrays, path, metadata=texts or None)
    _sort_header(path)
    path.chmod(0o644)


def _sort_header(path):
    """Sorts the header keys: the library writes the metadata in a random order, and files must repeat."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])


def load_tensors(path):
    """Reads `(tensors, metadata)` of a safetensors file, or of a NumPy `.npy` (named by its stem) or `.npz`."""
    path = Path(path)
    if path.suffix == ".npy":
        return {path.stem: np.load(path)}, {}
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return {name: archive[name] for name in archive.files}, {}
    with safe_open(path, framework="np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
