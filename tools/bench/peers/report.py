"""The measurements of `bench-peers.py` as a table and as a plot."""

from html import escape
from pathlib import Path

from peers.engines import OURS, is_ours

#: Fills of bars by whose they are and in what they compute.
FILLS = {
    (True, "f32"): "#c2571a",
    (True, "int16"): "#d4773a",
    (True, "fp16"): "#dc8a4d",
    (True, "bf16"): "#e39a5f",
    (True, "int8"): "#f0bd92",
    (False, "f32"): "#8a9bb0",
    (False, "bf16"): "#b9c4d2",
    (False, "int8"): "#dde3ea",
}


#: In the order of the table.
PRECISIONS = ("f32", "int16", "fp16", "bf16", "int8")


def groups(rows):
    """Rows of each model and number of threads, in order."""
    found = {}
    for row in rows:
        found.setdefault((row["model"], row["threads"]), []).append(row)
    return found


def markdown(report):
    """The table, a line an engine; the ratio is our median over the engine's, both in the same precision."""
    lines = [
        f"{report['date']}, {report['processor']}, {report['processors']} processors, load {report['load']:.1f}; "
        f"{report['versions']}. {report['rounds']} processes of {report['runs']} runs each, in turns.",
        "",
        "| model | threads | engine | precision | median ms | min ms | ardf / engine | cold start ms | peak RSS MB "
        "| difference |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (model, threads), rows in groups(report["rows"]).items():
        ours = {row["precision"]: row["medianMs"] for row in rows if is_ours(row["engine"])}
        for row in sorted(rows, key=lambda row: (PRECISIONS.index(row["precision"]), row["medianMs"])):
            difference = "reference" if row["difference"] is None else f"{row['difference']:.0e}"
            own = ours.get(row["precision"])
            ratio = "" if is_ours(row["engine"]) or own is None else f"{own / row['medianMs']:.2f}"
            lines.append(
                f"| {model} | {threads} | {row['engine']} | {row['precision']} | {row['medianMs']:.1f} "
                f"| {row['minMs']:.1f} | {ratio} | {row['coldStartMs']:.0f} | {row['peakRSSBytes'] / 1e6:.0f} "
                f"| {difference} |"
            )
    return "\n".join(lines) + "\n"


def plot(report):
    """Bars of the medians, a group a model and number of threads, each group scaled to its slowest."""
    left, width, bar = 130, 420, 18
    parts, y = [], 10
    for (model, threads), rows in groups(report["rows"]).items():
        parts.append(f'<text x="10" y="{y + 13}" font-weight="bold">{escape(model)}, {threads} threads</text>')
        y += bar + 4
        slowest = max(row["medianMs"] for row in rows)
        for row in sorted(rows, key=lambda row: row["medianMs"]):
            length = width * row["medianMs"] / slowest
            fill = FILLS[is_ours(row["engine"]), row["precision"]]
            parts.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(row["engine"])}</text>')
            parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 3}" fill="{fill}"/>')
            parts.append(f'<text x="{left + length + 6:.1f}" y="{y + 12}">{row["medianMs"]:.1f} ms</text>')
            y += bar
        y += 12
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {y}" '
    style = 'font-family="system-ui, sans-serif" font-size="12">'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head + style, background, *parts, "</svg>"]) + "\n"


def processor():
    """The processor's name; on arm64, where Linux gives none, the numbers of who made it and which it is."""
    found = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    if "model name" in found:
        return found["model name"]
    if "CPU part" in found:
        return f"arm64, implementer {found.get('CPU implementer')}, part {found['CPU part']}"
    return "unknown"


def summary(report):
    """One line a group: ours against the best peer of the same precision."""
    lines = []
    for (model, threads), rows in groups(report["rows"]).items():
        for ours in (row for row in rows if is_ours(row["engine"])):
            others = [r for r in rows if not is_ours(r["engine"]) and r["precision"] == ours["precision"]]
            if others:
                best = min(others, key=lambda row: row["medianMs"])
                lines.append(
                    f"{model}, {threads} threads, {ours['precision']}: {OURS} {ours['medianMs']:.1f} ms, best peer "
                    f"{best['engine']} {best['medianMs']:.1f} ms (ratio {ours['medianMs'] / best['medianMs']:.2f})"
                )
    return "\n".join(lines) + "\n"
