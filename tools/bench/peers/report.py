"""The measurements of `bench-peers.py` as a table and as a plot."""

import math
import re
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


def table(report):
    """A line per engine; the ratio is the engine's median over ours, both in the same precision."""
    lines = [
        "| model | threads | engine | precision | median ms | min ms | engine / ardf | cold start ms | peak RSS MB "
        "| difference | in 8 bits |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for (model, threads), rows in groups(report["rows"]).items():
        ours = {row["precision"]: row["medianMs"] for row in rows if is_ours(row["engine"])}
        for row in sorted(rows, key=lambda row: (PRECISIONS.index(row["precision"]), row["medianMs"])):
            known = "difference" in row
            difference = "" if not known else f"{row['difference']:.0e}" if row["difference"] else "reference"
            eight = "{} of {}".format(*row["eightBitLayers"]) if row.get("eightBitLayers") else ""
            own = ours.get(row["precision"])
            ratio = "" if is_ours(row["engine"]) or own is None else f"{row['medianMs'] / own:.2f}"
            least = f"{row['minMs']:.1f}" if "minMs" in row else ""
            lines.append(
                f"| {model} | {threads} | {row['engine']} | {row['precision']} | {row['medianMs']:.1f} "
                f"| {least} | {ratio} | {row['coldStartMs']:.0f} | {row['peakRSSBytes'] / 1e6:.0f} | {difference} "
                f"| {eight} |"
            )
    return "\n".join(lines) + "\n"


def markdown(report):
    """How the measurement was made, and its table."""
    return (
        f"{report['date']}, {report['processor']}, {report['processors']} processors, load {report['load']:.1f}; "
        f"{report['versions']}. {report['rounds']} processes of {report['runs']} runs each, interleaved.\n\n"
    ) + table(report)


def page(folder, reports):
    """A machine's page of several reports, `(name, report)`, each with a plot `NAME.svg` in the folder beside it."""
    machine = reports[0][1]
    lines = [
        f"# {machine.get('heading') or machine['processor']}",
        "",
        "<!-- Written by tools/bench/bench-peers.py --page from the reports beside it: change those, not this. -->",
        "",
        f"{machine['processor']}, {counted(machine['processors'], 'processor')}, batch 1. "
        "[How it is measured, and how to read it](README.md).",
        "",
    ]
    for name, report in reports:
        facts = [("date", report["date"]), ("commit", report["commit"]), ("engines", report["versions"])]
        turns = f"{counted(report['rounds'], 'process')} of {report['runs']} runs each, interleaved"
        facts += [("each engine", turns), ("raw", f"[{name}.json]({folder}/{name}.json)")]
        lines += [f"## {report['title']}", "", "```", report["command"], "```", "", "| | |", "|---|---|"]
        lines += [f"| {fact} | {value} |" for fact, value in facts if value]
        lines += ["", *(f"- {line}" for line in (summary(report) + left_out(report)).splitlines()), "", table(report)]
        lines += [text for text in (losses(report),) if text]
        lines += [f"![The same as a plot]({folder}/{name}.svg)", ""]
        lines += [text for note in report.get("notes", []) for text in (note, "")]
    return "\n".join(lines).rstrip() + "\n"


def counted(number, noun):
    """Such as `1 thread`, `2 threads`, `2 processes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def file_name(title):
    """A title as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def plot(report):
    """Bars of the medians, a group a model and number of threads, each group scaled to its slowest."""
    left, width, bar = 130, 420, 18
    parts, y = [], 10
    for (model, threads), rows in groups(report["rows"]).items():
        parts.append(
            f'<text x="10" y="{y + 13}" font-weight="bold">{escape(model)}, {counted(threads, "thread")}</text>'
        )
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


def compared(report):
    """Each row of ours with the fastest peer's of the same precision; int16, which no peer has, with fp32's."""
    for rows in groups(report["rows"]).values():
        for ours in (row for row in rows if is_ours(row["engine"])):
            asked = "f32" if ours["precision"] == "int16" else ours["precision"]
            others = [row for row in rows if not is_ours(row["engine"]) and row["precision"] == asked]
            if others:
                yield ours, min(others, key=lambda row: row["medianMs"])


def lost(report):
    """Those of them that are slower than a peer of their own precision."""
    return [
        (ours, best)
        for ours, best in compared(report)
        if ours["precision"] == best["precision"] and ours["medianMs"] > best["medianMs"]
    ]


def summary(report):
    """One line a row of ours that has a peer, then one a number of threads and precision."""
    lines = [
        f"{ours['model']}, {counted(ours['threads'], 'thread')}, {ours['precision']}: "
        f"{OURS} {ours['medianMs']:.1f} ms, {best['medianMs'] / ours['medianMs']:.2f} times as fast as "
        f"{best['engine']} ({best['medianMs']:.1f} ms)"
        for ours, best in compared(report)
    ]
    return "\n".join(lines + means(report)) + "\n"


def means(report):
    """A line a number of threads and precision: the geometric mean of ours over the fastest peer's times, of several
    models."""
    ratios = {}
    for ours, best in compared(report):
        if ours["precision"] == best["precision"]:
            found = ratios.setdefault((ours["threads"], PRECISIONS.index(ours["precision"])), [])
            found.append(ours["medianMs"] / best["medianMs"])
    return [
        f"{len(found)} models, {counted(threads, 'thread')}, {PRECISIONS[index]}: {OURS} takes "
        f"{math.prod(found) ** (1 / len(found)):.2f} of the fastest peer's time (geometric mean), "
        f"{max(found):.2f} at the most"
        for (threads, index), found in sorted(ratios.items())
        if len(found) > 1
    ]


def left_out(report):
    """A line for engines that the same models were not measured in, for the same reason; older reports have none."""
    found = report.get("leftOut", {})
    models, engines = {}, {}
    for model, reasons in found.items():
        for item in reasons.items():
            models.setdefault(item, []).append(model)
    for (engine, reason), of in models.items():
        engines.setdefault((reason, tuple(of)), []).append(engine)
    lines = [
        f"left out of {'all' if len(of) == len(found) else ', '.join(of)}: {', '.join(names)} ({reason})"
        for (reason, of), names in engines.items()
    ]
    return "".join(f"{line}\n" for line in lines)


def losses(report):
    """A line a row of ours that a peer beats, with the layers that most of its time goes to and how much of the peak
    of fp32's multiply-adds each reaches; older reports have none."""
    if not report.get("losses"):
        return ""
    lines = [
        "| model | threads | precision | ardf ms | faster | ms | ardf's layers: share of its time, of fp32's peak |",
        "|---|--:|---|--:|---|--:|---|",
    ]
    for loss in report["losses"]:
        layers = "; ".join(map(described, loss["layers"]))
        lines.append(
            f"| {loss['model']} | {loss['threads']} | {loss['precision']} | {loss['medianMs']:.1f} | {loss['peer']} "
            f"| {loss['peerMs']:.1f} | {layers} |"
        )
    return "\n".join(["### Where ardf loses", "", *lines]) + "\n"


def described(layer):
    """A layer, its share of the time and, where it multiplies, of the peak."""
    peak = "" if layer["peak"] is None else f", {layer['peak']:.0f} % of the peak"
    return f"`{layer['name']}` ({layer['operation']}, {layer['algorithm']}) {layer['share']:.0f} %{peak}"
