#!/usr/bin/env python3
"""The drawings of docs/explanation/how-the-engine-is-fast.md, one an idea, in docs/images/ideas.

    tools/docs/draw-ideas.py [--check]

`--check` writes nothing and ends with 1 where a drawing is not what would be written. Needs nothing from PyPI.
"""

import sys
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs/images/ideas"
STYLE = """
text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; font-size: 14px; fill: #1f2328 }
.strong { font-weight: 600 }
.small { font-size: 12px; fill: #59636e }
.cell { stroke: #8b949e; stroke-width: 1 }
.plain { fill: #f6f8fa }
.blue { fill: #bcd5fa }
.green { fill: #bfe3c5 }
.orange { fill: #f5cfa6 }
.gone { fill: none; stroke: #8b949e; stroke-dasharray: 5 4 }
.arrow { fill: none; stroke: #59636e; stroke-width: 1.5; marker-end: url(#head) }
#head path { fill: #59636e }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #a8b1bb }
  .plain { fill: #21262d }
  .blue { fill: #1c4a8a }
  .green { fill: #1f5c31 }
  .orange { fill: #7a4a14 }
  .arrow { stroke: #9198a1 }
  #head path { fill: #9198a1 }
}
"""


class Drawing:
    """Cells, boxes, arrows and words, in pixels."""

    def __init__(self, name, title, width, height):
        self.name, self.title, self.width, self.height = name, title, width, height
        self.parts = []

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')
        return self

    def box(self, x, y, width, height, kind="plain", words="", small=""):
        self.parts.append(
            f'<rect class="cell {kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>'
            if kind != "gone"
            else f'<rect class="gone" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>'
        )
        middle = y + height / 2 + 5
        if words:
            self.text(x + width / 2, middle - (9 if small else 0), words, "strong", "middle")
        if small:
            self.text(x + width / 2, middle + (9 if words else 0), small, "small", "middle")
        return self

    def grid(self, x, y, columns, rows, cell, kind):
        """Cells; `kind` is a class, or a function of column and row."""
        for row in range(rows):
            for column in range(columns):
                fill = kind(column, row) if callable(kind) else kind
                self.parts.append(
                    f'<rect class="cell {fill}" x="{x + column * cell}" y="{y + row * cell}" '
                    f'width="{cell}" height="{cell}"/>'
                )
        return self

    def arrow(self, *points):
        path = " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="arrow" d="M{path}"/>')
        return self

    def svg(self):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">\n<title>{escape(self.title)}</title>\n'
        )
        marker = (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        )
        return f"{head}<style>{STYLE}</style>\n{marker}" + "\n".join(self.parts) + "\n</svg>\n"


def winograd():
    d = Drawing("winograd", "An 8x8 window gives 6x6 outputs with 64 products instead of 324", 720, 190)
    d.grid(20, 30, 8, 8, 14, lambda c, r: "blue" if 1 <= c <= 6 and 1 <= r <= 6 else "plain")
    d.text(80, 165, "8x8 window", "small", "middle")
    d.arrow((140, 86), (205, 86)).text(172, 78, "transform", "small", "middle")
    d.grid(215, 30, 8, 8, 14, "orange").text(271, 165, "64 frequencies, one product each", "small", "middle")
    d.arrow((335, 86), (400, 86)).text(367, 78, "back", "small", "middle")
    d.grid(410, 44, 6, 6, 14, "green").text(452, 165, "6x6 outputs", "small", "middle")
    d.text(515, 36, "directly 36 x 9 = 324 products", "small").box(515, 44, 190, 20, "plain")
    d.text(515, 88, "Winograd 64", "small").box(515, 96, 37, 20, "orange")
    return d.text(515, 142, "5.1 times fewer", "strong")


def phases():
    d = Drawing("phases", "A strided convolution reads even and odd pixels apart", 720, 180)
    d.grid(20, 30, 8, 8, 14, lambda c, r: ("blue", "green", "orange", "plain")[(c % 2) + 2 * (r % 2)])
    d.text(76, 165, "map, stride 2", "small", "middle")
    d.arrow((140, 86), (200, 86))
    for index, kind in enumerate(("blue", "green", "orange", "plain")):
        d.grid(215 + 80 * (index % 2), 20 + 72 * (index // 2), 4, 4, 14, kind)
    d.text(283, 170, "four maps of stride 1", "small", "middle").arrow((365, 86), (425, 86))
    d.text(440, 70, "Winograd on each axis's even pixels", "").text(440, 92, "81 products for 4x4 outputs", "strong")
    return d.text(440, 114, "instead of 144", "")


def strassen():
    d = Drawing("strassen", "Seven products of quarters instead of eight", 720, 150)
    for x, name in ((20, "inputs"), (190, "weights")):
        d.grid(x, 25, 2, 2, 40, "blue" if x == 20 else "orange").text(x + 40, 125, name, "small", "middle")
    d.text(145, 70, "x", "strong", "middle").arrow((285, 65), (345, 65))
    for index in range(8):
        d.box(360 + 40 * index, 45, 32, 32, "green" if index < 7 else "gone", str(index + 1) if index < 7 else "")
    return d.text(360, 110, "7 products of a quarter each: 0.90 to 0.95 of the time", "small")


def fusion():
    d = Drawing("fusion", "A consumer reads tiles of its producer's output while they are in the cache", 720, 190)
    d.text(20, 25, "each operator by itself", "strong").box(20, 40, 120, 40, "blue", "producer")
    d.arrow((140, 60), (200, 60)).box(205, 40, 130, 40, "orange", "map", "in memory").arrow((335, 60), (395, 60))
    d.box(400, 40, 120, 40, "green", "consumer").text(540, 65, "write 26 MB, read 26 MB", "small")
    d.text(20, 120, "fused", "strong").box(20, 130, 120, 40, "blue", "producer").arrow((140, 150), (200, 150))
    d.box(205, 135, 60, 30, "orange", small="tile").arrow((265, 150), (325, 150))
    return d.box(330, 130, 120, 40, "green", "consumer").text(470, 155, "the map is never materialized", "small")


def before():
    d = Drawing("pointwise-first", "A pointwise convolution before an upsampling does a quarter of the work", 720, 175)
    d.text(20, 25, "as the network says it", "strong").grid(20, 45, 4, 4, 10, "blue").arrow((70, 65), (120, 65))
    d.text(95, 57, "up", "small", "middle").grid(130, 40, 8, 8, 7, "blue").arrow((195, 68), (255, 68))
    d.text(225, 60, "1x1", "small", "middle").grid(265, 40, 8, 8, 7, "green").text(190, 120, "64 pixels", "small")
    d.text(380, 25, "as it is computed", "strong").grid(380, 45, 4, 4, 10, "blue").arrow((430, 65), (480, 65))
    d.text(455, 57, "1x1", "small", "middle").grid(490, 45, 4, 4, 10, "green").arrow((540, 65), (590, 65))
    d.text(565, 57, "up", "small", "middle").grid(600, 40, 8, 8, 7, "green").text(490, 120, "16 pixels", "small")
    return d.text(20, 160, "Both are linear, and the interpolation's weights add up to one.", "small")


def joined():
    d = Drawing("joined", "A transposed convolution and the next 3x3 become four convolutions of 2x2", 720, 170)
    d.grid(20, 50, 4, 4, 14, "blue").arrow((85, 78), (150, 78)).text(117, 45, "transposed", "small", "middle")
    d.box(158, 30, 100, 96, "gone", small="26 MB").arrow((265, 78), (320, 78)).text(292, 70, "3x3", "small", "middle")
    d.grid(330, 38, 8, 8, 10, "green").text(208, 150, "not materialized", "small", "middle")
    d.text(440, 62, "four 2x2 convolutions of the small").text(440, 84, "map, one per output phase:")
    return d.text(440, 106, "26.2 ms become 14.5 (yolo11l-seg)", "strong")


def prefetch():
    d = Drawing("prefetch", "While one window is computed, the cache lines of the next are requested", 720, 150)
    for index in range(9):
        kind = "green" if index < 4 else "orange" if index < 7 else "plain"
        d.box(20 + 52 * index, 50, 44, 30, kind)
    d.text(20, 40, "being transformed", "small").text(228, 40, "prefetched", "small").text(384, 40, "not yet", "small")
    d.text(20, 110, "36 to 81 short rows in as many places: the hardware prefetcher does not follow them.", "small")
    return d.text(505, 70, "half of a transform's time", "strong")


def sets():
    d = Drawing("cache-sets", "A pixel stride of 1024 bytes falls into four sets of the cache", 720, 180)
    d.text(20, 22, "stride 1024 bytes", "strong")
    d.grid(20, 32, 16, 5, 18, lambda c, r: "orange" if c % 4 == 0 else "plain")
    d.text(164, 145, "14 pixels share 4 of the sets", "small", "middle")
    d.text(380, 22, "stride 1024 + 128 bytes", "strong")
    d.grid(380, 32, 16, 5, 18, lambda c, r: "green" if (c + 2 * r) % 3 == 0 else "plain")
    return d.text(524, 145, "they are spread over all of them", "small", "middle").text(
        20, 172, "3 to 10 % of such a layer", "strong"
    )


def attention():
    d = Drawing("attention", "Scores of a block of keys stay in the first-level cache", 720, 165)
    d.box(20, 40, 100, 70, "blue", "queries", "8 panels").arrow((120, 75), (185, 75))
    d.box(190, 40, 110, 70, "orange", "scores", "in L1").arrow((300, 75), (365, 75))
    d.box(370, 40, 120, 70, "green", "sums", "of values, rescaled")
    d.box(190, 125, 110, 26, "plain", small="keys and values").arrow((245, 125), (245, 112))
    return d.text(510, 70, "online softmax:").text(510, 92, "no score map in memory", "strong")


def threads():
    d = Drawing("threads", "Each thread reads what it wrote in the layer before", 720, 150)
    for row, name in enumerate(("layer 1", "layer 2")):
        y = 30 + 60 * row
        d.text(20, y + 22, name, "small")
        for index in range(8):
            d.box(90 + 50 * index, y, 44, 34, "blue" if index < 4 else "green")
    d.arrow((190, 64), (190, 90)).arrow((390, 64), (390, 90))
    d.text(510, 52, "thread 1, thread 2", "small").text(510, 80, "own chunks first,", "")
    return d.text(510, 100, "then others': 0.86", "strong")


def bits():
    d = Drawing("precisions", "Bits of a product's operands", 720, 170)
    rows = (
        ("fp32", (("plain", 1), ("blue", 8), ("green", 23)), ""),
        ("bf16", (("plain", 1), ("blue", 8), ("green", 7)), "2 times the products"),
        ("int16", (("green", 16),), "2 times the products"),
        ("int8", (("green", 8),), "4 times the products"),
    )
    for index, (name, fields, rate) in enumerate(rows):
        y, x = 34 + 32 * index, 80
        d.text(20, y + 16, name, "strong")
        for kind, width in fields:
            d.box(x, y, 12 * width, 22, kind)
            x += 12 * width
        d.text(500, y + 16, rate, "small")
    return d.text(80, 24, "sign, exponent, significand; integers share one scale per pixel", "small")


def cold():
    d = Drawing("cold-start", "Weights are packed from the mapped file", 720, 140)
    d.box(20, 40, 120, 44, "plain", "weight file", "mapped").arrow((140, 62), (215, 62))
    d.text(178, 54, "pack", "small", "middle").box(220, 40, 150, 44, "green", "packed weights", "kernel's order")
    d.arrow((370, 62), (440, 62)).box(445, 40, 110, 44, "blue", "first run")
    return d.text(20, 115, "No copy as floats between: 342 to 320 ms for yolo11l-seg.", "small")


def main():
    drawings = [winograd(), phases(), strassen(), fusion(), before(), joined()]
    drawings += [prefetch(), sets(), attention(), threads(), bits(), cold()]
    stale = []
    for drawing in drawings:
        path = FOLDER / f"{drawing.name}.svg"
        if not path.exists() or path.read_text(encoding="utf-8") != drawing.svg():
            stale.append(path.name)
            if "--check" not in sys.argv:
                FOLDER.mkdir(parents=True, exist_ok=True)
                path.write_text(drawing.svg(), encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"draw-ideas: {', '.join(stale)} out of date; run tools/docs/draw-ideas.py")


if __name__ == "__main__":
    main()
