"""Faults of a run: in its status, its time and memory, its messages and its files."""

import itertools
import json
import math
import re
import sys
import unicodedata
import zlib
from pathlib import Path

MIB = 1 << 20
#: The exit codes that a command may end with by itself; 70, the internal error, is not among them.
DOCUMENTED = {0, 1, 10, 64, 65, 66, 69, 71, 73, 74}
#: A refusal: what the same command takes of sound files, a fixed part, and a part of the inputs' size.
REFUSAL_BASE, REFUSAL_FACTOR, REFUSAL_SECONDS = 64 * MIB, 1.1, 2.0
ACCEPTED_BYTES = 1024 * MIB
#: Processor time of work: a fixed part, and one for every frame that was done; a process is ended at the most seconds.
WORK_SECONDS, FRAME_SECONDS, MOST_SECONDS = 10.0, 0.5, 120
#: What never stands in a message for people: texts of the libraries beneath, and addresses of memory, which on Linux have
#: twelve digits; others in ffmpeg's messages are places in a file.
BENEATH = re.compile(
    r"Error Domain=|NSCocoa|NSPOSIX|NSUnderlying|[Ii]nternal error|Fatal error|\.swift:|Optional\("
    r"|@ 0x|(?<!\d)0x[57][0-9a-f]{11}\b"
)
#: All of Unicode's control, format, surrogate, line and paragraph characters, but for the line feed.
UNPRINTABLE = re.compile(
    "[" + "".join(re.escape(chr(c)) for c in range(sys.maxunicode + 1)
                  if c != 0x0A and unicodedata.category(chr(c)) in ("Cc", "Cf", "Cs", "Zl", "Zp")) + "]"
)  # fmt: skip
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f]")


def digests(folder):
    """Every entry below a folder with its kind, size and checksum."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_symlink():
            found[str(path)] = str(path.readlink())
        elif path.is_file():
            found[str(path)] = zlib.crc32(path.read_bytes())
        else:
            found[str(path)] = path.stat().st_mode
    return found


def unprintable(text):
    """The first character that a terminal may take for a command, or that hides others; None where there is none."""
    found = (CONTROL if text.isascii() else UNPRINTABLE).search(text)
    return found[0] if found else None


def finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"number {text}")
    return number


def no_number(text):
    raise ValueError(f"number {text}")


def check_json(text):
    """Raises ValueError for what is no JSON or holds numbers beyond a double."""
    json.loads(text, parse_float=finite, parse_constant=no_number)


def check_output(path):
    """The fault of a written file, as text; None without one."""
    ending = path.suffix
    try:
        if ending == ".json":
            check_json(path.read_text())
        elif ending == ".jsonl":
            for line in path.read_text().splitlines():
                check_json(line)
        elif ending == ".usda":
            if odd := re.search(r"\b(inf|nan)\b", re.sub(r'"[^"]*"', "", path.read_text())):
                return f"{path.name} holds {odd[0]}"
        elif ending == ".glb":
            data = path.read_bytes()
            check_json(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        elif ending == ".html" and (odd := unprintable(path.read_text().replace("\t", ""))):
            return f"{path.name} holds U+{ord(odd):04X}"
    except (ValueError, UnicodeError) as error:
        return f"{path.name}: {error}"
    return None


class Run:
    """How a run ended."""

    def __init__(self, arguments, status, seconds, bytes_, timed_out):
        self.arguments, self.status, self.seconds, self.bytes, self.timed_out = (
            arguments, status, seconds, bytes_, timed_out,
        )  # fmt: skip


def frames_done():
    """Frames with a result: folders of an output, or lines of records, whichever are more; a film's damage may add some."""
    records = [Path("stdout"), *Path().glob("out*.jsonl"), *Path().glob("out/*.jsonl")]
    lines = [sum(line.startswith(b"{") for line in file.read_bytes().splitlines()) for file in records if file.is_file()]
    return max(sum(path.is_dir() for path in Path().glob("out/*")), *lines)


def judge(run, before, after, size, baseline):
    """All that is wrong with a run in the current folder; its inputs before and after, their size, its usual memory."""
    found = []
    if run.timed_out:
        found.append("no end on the clock")
    elif run.status < 0:
        found.append(f"signal {-run.status}")
    elif run.status not in DOCUMENTED:
        found.append(f"exit code {run.status}")
    refused = run.status != 0
    limit = max(baseline, 0) + REFUSAL_BASE + REFUSAL_FACTOR * size if refused else ACCEPTED_BYTES
    if run.bytes > limit:
        found.append(
            f"{'refusal' if refused else 'work'} beyond its memory: {run.bytes // MIB} of {int(limit) // MIB} MiB"
        )
    done = frames_done()
    allowed = (REFUSAL_SECONDS if refused else WORK_SECONDS) + FRAME_SECONDS * done
    if run.seconds > allowed and not found:
        kind = "refusal" if refused else "work"
        found.append(f"{kind} beyond its time: {run.seconds:.1f} of {allowed:.1f} s for {done} frames")
    found += said(run)
    # A new name beside the command's own inputs is its output, although it lies among those of others.
    out = [value for name, value in itertools.pairwise(run.arguments) if name in ("--out", "-o")]
    own = {name for name in after if name not in before and run.status == 0 and out and name.startswith(tuple(out))}
    after = {name: digest for name, digest in after.items() if name not in own}
    if before != after:
        changed = sorted(set(before.items()) ^ set(after.items()))
        found.append(f"inputs changed: {changed[0][0]}")
    found += left(run, refused)
    return found


def said(run):
    """The faults of the printed text, a list."""
    found = []
    texts = {name: Path(name).read_bytes().decode(errors="surrogateescape") for name in ("stdout", "stderr")}
    for name, text in texts.items():
        if name == "stdout" and "-" in run.arguments:
            continue  # A result, not text.
        if name == "stdout" and "--cases" in run.arguments:
            text = text.replace("\t", "")  # Between the columns of its lines.
        if odd := unprintable(text):
            found.append(f"{name} holds U+{ord(odd):04X}")
        if beneath := BENEATH.search(text):
            found.append(f"{name} says {beneath[0]}")
    messages = [line for line in texts["stderr"].splitlines() if line.startswith(("ardf: ", "Error: "))]
    if run.status > 1 and len(messages) != 1:
        found.append(f"a refusal in {len(messages)} lines")
    if any(len(line) > 2000 for line in messages):
        found.append("a message of more than 2000 characters")
    if "--json" in run.arguments and run.status == 0:
        # One document, or one per line for several frames.
        documents = texts["stdout"].splitlines() if texts["stdout"].startswith('{"folder"') else [texts["stdout"]]
        try:
            for document in documents:
                check_json(document)
        except ValueError as error:
            found.append(f"standard output: {error}")
    return found


def left(run, refused):
    """The faults of the files that a run left, a list."""
    found = [f"left {re.sub(r'[0-9A-F-]{8,}', '', path.name)} in TMPDIR" for path in Path("tmp").iterdir()]
    entries = {path.name for path in Path().iterdir()}
    outputs = {name for name in entries if name.startswith("out")}
    hidden = [name for name in entries if name.startswith(".") or ".partial" in name]
    hidden += [path.name for name in outputs for path in Path(name).rglob(".*") if path.name != ".ardf.json"]
    if hidden:
        found.append("left a temporary name")
    # Of several frames those that can be read are done, and results.jsonl says what is wrong with the others.
    several = run.arguments[0] in ("run", "detect", "depth", "replay") and (
        len(list(Path("out").glob("*/"))) > 0 or Path("out/results.jsonl").exists() or "--keep" in run.arguments
    )
    several = several or "the others are done" in Path("stderr").read_text(errors="replace")
    if refused and run.status != 1 and outputs and not several and "--resume" not in run.arguments:
        found.append("a refusal with an output")
    for name in outputs:
        for path in [Path(name), *Path(name).rglob("*")]:
            if refused and path.name == ".ardf.json":
                continue  # A damaged record is why it was refused.
            if "--resume" in run.arguments and path.name.startswith(("part-", "events-")):
                continue  # Damaged lines stay where they are and are passed over.
            if path.is_file() and (defect := check_output(path)):
                found.append(defect)
                break
    return found
