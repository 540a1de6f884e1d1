"""An ncnn network with its convolutions and products of matrices in 8 bits, in the form of ncnn's own converter
(ncnn2int8), which no package index has: a convolution's weights on a scale per output channel, a matrix's on one; what
a convolution reads on a scale from calibration, what a matrix multiplies on scales found at run time.

The parameter file names a layer a line; the binary file has their weights in that order. A weight begins with four
bytes that say what it holds, a bias or a scale does not.
"""

from pathlib import Path

import numpy as np

FLOATS, BYTES = 0, 0x000D4B38


class Layer:
    """A line of the parameter file."""

    def __init__(self, line):
        self.kind, self.name, inputs, outputs, *rest = line.split()
        count = int(inputs)
        self.inputs = rest[:count]
        self.blobs = rest[: count + int(outputs)]
        self.settings = dict(item.split("=", 1) for item in rest[len(self.blobs) :])

    def number(self, key):
        return int(self.settings.get(str(key), 0))

    def line(self):
        outputs = len(self.blobs) - len(self.inputs)
        settings = [f"{key}={value}" for key, value in self.settings.items()]
        return " ".join([self.kind, self.name, str(len(self.inputs)), str(outputs), *self.blobs, *settings])


def read(path):
    """The first two lines of the parameter file, its layers, and each layer's arrays: (has a tag, numbers)."""
    head, counts, *lines = Path(f"{path}.param").read_text().splitlines()
    layers = [Layer(line) for line in lines if line.split()]
    binary, place = Path(f"{path}.bin").read_bytes(), 0

    def floats(count, tagged):
        nonlocal place
        if tagged:
            if int.from_bytes(binary[place : place + 4], "little") != FLOATS:
                raise SystemExit(f"{path}.bin has weights that are no floats")
            place += 4
        place += 4 * count
        return tagged, np.frombuffer(binary, np.float32, count, place - 4 * count)

    arrays = []
    for layer in layers:
        number = layer.number
        if layer.kind in ("Convolution", "ConvolutionDepthWise", "Deconvolution"):
            found = [floats(number(6), True)] + ([floats(number(0), False)] if number(5) else [])
        elif layer.kind == "InnerProduct":
            found = [floats(number(2), True)] + ([floats(number(0), False)] if number(1) else [])
        elif layer.kind == "MultiHeadAttention":
            width, query = number(0), number(2) // number(0)
            sides = ((query, width), (number(3), width), (number(4), width), (width, query))
            found = [floats(*part) for read, made in sides for part in ((read * made, True), (made, False))]
        elif layer.kind == "Gemm":
            found = [floats(number(8) * number(9), True)] if number(5) else []
            if number(6) and number(10) != -1:
                if number(10) != 4:
                    raise SystemExit(f"{layer.name}: what is added to the product is no row")
                found.append(floats(number(8), True))
        elif layer.kind == "LayerNorm":
            found = [floats(number(0), False), floats(number(0), False)] if number(2) else []
        elif layer.kind == "MemoryData":
            sides = [number(key) for key in (0, 1, 2) if number(key)]
            found = [floats(int(np.prod(sides)), False)]
        else:
            found = []
        arrays.append(found)
    if place != len(binary):
        raise SystemExit(f"{path}.bin has {len(binary) - place} bytes more than its layers")
    return head, counts, layers, arrays


def input_scales(path, layers, pictures):
    """For every convolution and product with a vector, 127 over the largest magnitude that it reads in all pictures.

    Nothing is clipped: with the threshold for a normal distribution (`method=aciq`) yolo11n-seg loses thirteen times as
    much mAP.
    """
    import ncnn

    network = ncnn.Net()
    network.opt.use_fp16_packed = network.opt.use_fp16_storage = network.opt.use_fp16_arithmetic = False
    network.opt.lightmode = False
    if network.load_param(f"{path}.param") or network.load_model(f"{path}.bin"):
        raise SystemExit(f"ncnn cannot read {path}")
    largest = {layer.inputs[0]: 1e-12 for layer in layers if layer.kind.startswith(("Convolution", "InnerProduct"))}
    for picture in pictures:
        with network.create_extractor() as extractor:
            extractor.input("in0", ncnn.Mat(picture[0]))
            for blob in largest:
                largest[blob] = max(largest[blob], float(np.abs(np.array(extractor.extract(blob)[1])).max()))
    return {blob: 127 / value for blob, value in largest.items()}


def as_bytes(weights, rows):
    """Rows of weights as integers of 8 bits, and each row's scale."""
    weights = weights.reshape(rows, -1)
    scales = 127 / np.maximum(np.abs(weights).max(axis=1), 1e-12)
    return np.rint(weights * scales[:, None]).astype(np.int8), scales.astype(np.float32)


def in_bytes(layer, found, inputs):
    """A layer's weights as bytes, by their places among its arrays, and the scales that follow the arrays; the layer's
    settings say so from then on. Nothing of a layer that stays in floats."""
    if layer.kind in ("Convolution", "ConvolutionDepthWise", "InnerProduct"):
        depthwise = layer.kind == "ConvolutionDepthWise"
        numbers, scales = as_bytes(found[0][1], layer.number(7 if depthwise else 0))
        layer.settings["8"] = "1" if depthwise else "2"
        return {0: numbers}, [scales, np.float32([inputs[layer.inputs[0]]])]
    if layer.kind == "Gemm" and found:
        numbers, scales = as_bytes(found[0][1], 1)
        layer.settings["18"] = "2"
        return {0: numbers}, [scales]
    if layer.kind == "MultiHeadAttention":
        # What query, key and value are made by has a scale a row, what the result is made by one.
        made = {place: as_bytes(found[place][1], layer.number(0) if place < 6 else 1) for place in (0, 2, 4, 6)}
        layer.settings["18"] = "2"
        return {place: numbers for place, (numbers, _) in made.items()}, [scales for _, scales in made.values()]
    return {}, []


def quantize(path, out, pictures):
    """Writes OUT.param and OUT.bin, from floats at PATH.param and PATH.bin."""
    head, counts, layers, arrays = read(path)
    inputs = input_scales(path, layers, pictures)
    with Path(f"{out}.bin").open("wb") as file:
        for layer, found in zip(layers, arrays, strict=True):
            numbers, scales = in_bytes(layer, found, inputs)
            for place, (tagged, values) in enumerate(found):
                if tagged:
                    file.write((BYTES if place in numbers else FLOATS).to_bytes(4, "little"))
                data = numbers.get(place, values).tobytes()
                file.write(data + bytes(-len(data) % 4))
            for values in scales:
                file.write(values.tobytes())
    lines = [head, counts, *(layer.line() for layer in layers)]
    Path(f"{out}.param").write_text("\n".join(lines) + "\n")
