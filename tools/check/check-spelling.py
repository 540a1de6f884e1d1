#!/usr/bin/env python3
"""US spelling, and the field's words: in pages, comments, messages and help.

    tools/check/check-spelling.py [--fix]

Of Swift and Python comments and strings are read, of C, CSS and JavaScript comments, of all other text files
everything. Names are left alone: code spans of comments, parts of longer names, options (`--labelled`), and words of
Python that are a string by themselves; but names of Swift code are in US spelling too, word by word. `--fix` replaces
British spelling, but not in names. Pages but the changelog, comments of Swift, Python, C and scripts, and helps and
messages of Sources use the field's words; pages of docs outside of decisions tell no history; a docstring of Swift or
Python begins with a noun or a verb, not with "What", "Of", "That of" or "So many". Ends with 1 where something is
left.
"""

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Beginnings of words and what they are in US spelling; what follows them stays.
STEMS = {
    "colour": "color",
    "recolour": "recolor",
    "neighbour": "neighbor",
    "favour": "favor",
    "behaviour": "behavior",
    "honour": "honor",
    **{
        f"{stem}{stem[-1]}{end}": f"{stem}{end}" for stem in ("label", "model", "travel") for end in ("ed", "ing", "er")
    },
    "licence": "license",
    "centred": "centered",
    "centre": "center",
    "centring": "centering",
    "grey": "gray",
    "artefact": "artifact",
    "judgement": "judgment",
    "programme ": "program ",
    "learnt": "learned",
    "spelt": "spelled",
    **{f"{prefix}metre": f"{prefix}meter" for prefix in ("", "milli", "centi", "deci", "kilo", "micro", "nano")},
    **{
        f"{stem}is": f"{stem}iz"
        for stem in (
            *("normal", "denormal", "optim", "quant", "dequant", "material", "initial", "deinitial", "random"),
            *("synchron", "special", "vector", "general", "minim", "maxim", "final", "visual", "organ", "summar"),
            *("serial", "parallel", "util", "real", "raster", "token", "categor", "standard", "local", "penal"),
            *("custom", "linear", "binar", "memor", "priorit", "stabil", "equal", "emphas", "recogn", "author"),
        )
    },
}
#: What may follow `...is` where it is the British ending; `realistic` and `minimises` differ.
ENDINGS = r"(?:e|ed|er|ers|es|ing|able|ation|ations)"
#: The field's words, by patterns of what is not: of pages, comments, and strings of Sources.
FIELD_WORDS = {
    "brought near": "prefetched",
    "brings near": "prefetches",
    "own foresight": "hardware prefetcher",
    "leaves out maps": "does not materialize maps",
    "behind": "after, beyond, in the background",
    "in turns": "interleaved",
    "(?:is|are|be|as) told": "gets, is reported",
    "told (?:of|otherwise|apart)": "reported, unless --option, distinguished",
    "said of": "in, expressed in",
    "nobody": "no one, no other client",
    "anybody": "anyone",
    "somebody": "someone",
    "looked at": "evaluated, checked, inspected",
    "(?:goes|go|went|going) on": "continues, extends",
    "hangs? together": "is connected",
    "for want of": "for lack of",
    "reckon(?:s|ed|ing)?": "compute, expect",
    "one an? (?:processor|frame|picture|row|line|channel|pixel|thread|class|object|file|folder|point)": "one per",
    "(?:takes?|taking) no notice": "ignores",
    "nothing tells": "it is unknown",
    "by heart": "in memory, cached",
}
#: And of all text, code included.
WORDS = {
    "strewn": "sparse",
    "foret(?:ell|ells|old|elling)": "predict",
    "puts? up with": "allow, tolerate",
    "amiss": "wrong, faulty",
    "(?:its|their|his|her) own accord": "by itself, unasked",
    "thereby": "so, by that",
    "and the like": "such as",
}
#: Of pages that tell what is so, not how it came about: all of docs but the decisions.
HISTORY = {"since then": "state the present", "the commit before": "state the present"}
#: Pages that are older than these words, or not ours to change.
RECORDS = ("CHANGELOG.md",)
#: Where `behind` is a place in a scene; elsewhere it stands for `after`.
SPATIAL = (
    *("Sources/AppCore/Effects/", "Sources/AppCore/Fusion/", "Sources/AppCore/Measuring/", "Sources/Support/Geometry/"),
    *("Tests/AppCoreTests/", "tools/check/check-boxes", "tools/measure/boxes/", "training/scenes.py"),
)
#: A docstring that makes its reader finish a riddle.
RIDDLE = re.compile(r'^[ ]*(///|""") ?(What|Of|That of|So many)\b', re.MULTILINE)
RIDDLED = ("Sources/", "Tests/", "Examples/", "tools/", "training/", "Fuzz/")
SUFFIXES = {".md", ".swift", ".py", ".c", ".h", ".js", ".html", ".css", ".sh", ".yaml", ".yml", ".json", ".jq", ".txt"}
SKIPPED = re.compile(r"^(Fuzz/Corpus|Fuzz/Captures|Tests/[A-Za-z]+/Goldens/.*\.json|tools/check/check-spelling\.py)")


def pattern():
    words = []
    for stem in sorted(STEMS, key=len, reverse=True):
        british = stem.endswith("is") and STEMS[stem].endswith("iz")
        words.append(re.escape(stem) + (ENDINGS if british else "[a-z]*"))
    return re.compile(rf"(?<![A-Za-z0-9_.$])(?<!--)(?!labelledby)(?:{'|'.join(words)})(?![A-Za-z0-9_(])", re.IGNORECASE)


WORD = pattern()
BRITISH = re.compile(WORD.pattern.replace("(?<![A-Za-z0-9_.$])", "").replace("(?![A-Za-z0-9_(])", ""), re.IGNORECASE)


def american(word):
    """A word in US spelling, with the capitals it has."""
    low = word.lower()
    stem = max((stem for stem in STEMS if low.startswith(stem)), key=len)
    new = STEMS[stem] + low[len(stem) :]
    return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new


def spans_of_python(text, docs=False):
    """`(start, end)` of comments, and of strings that are no single word, or of docstrings alone."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    is_statement = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_wanted = token.type == tokenize.COMMENT or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1) and not docs
        if token.type == tokenize.STRING:
            is_wanted = is_statement if docs else re.search(r"\s", token.string)
        if is_wanted:
            yield lines[token.start[0] - 1] + token.start[1], lines[token.end[0] - 1] + token.end[1]
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            is_statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def spans_of_comments(text):
    """`(start, end)` of comments as in C."""
    for match in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.DOTALL):
        yield match.span()


def spans_of_swift(text):
    """`(start, end)` of comments and of strings without their interpolations."""
    at, end = 0, len(text)
    while at < end:
        if text.startswith("//", at):
            stop = text.find("\n", at)
            stop = end if stop < 0 else stop
            yield at, stop
            at = stop
        elif text.startswith("/*", at):
            stop = text.find("*/", at) + 2
            yield at, stop
            at = stop
        elif text[at] == '"':
            at = yield from string_of_swift(text, at)
        else:
            at += 1


def string_of_swift(text, at):
    """The pieces of the string that begins at a position; returns where it ends."""
    quote = '"""' if text.startswith('"""', at) else '"'
    raw = at > 0 and text[at - 1] == "#"
    at += len(quote)
    start = at
    while at < len(text) and not text.startswith(quote, at):
        if text[at] == "\\" and not raw:
            if text[at + 1] == "(":
                yield start, at
                at, depth = at + 2, 1
                while depth:
                    depth += {"(": 1, ")": -1}.get(text[at], 0)
                    if text[at] == '"':
                        at = yield from string_of_swift(text, at)
                        continue
                    at += 1
                start = at
                continue
            at += 1
        at += 1
    yield start, at
    return at + len(quote)


def spans_of_script(text):
    """`(start, end)` of comments of a shell script, a line each."""
    for match in re.finditer(r"^[ \t]*#[^\n]*|(?<=\s)# [^\n]*", text, re.MULTILINE):
        yield match.span()


def spans_of_prose(name, text):
    """`(start, end)` of what people read of a file: all of a page, comments, docstrings, and strings of Sources."""
    suffix = Path(name).suffix
    if suffix == ".md":
        return [(0, len(text))]
    if suffix == ".swift":
        strings = name.startswith("Sources/")
        return [
            (start, end)
            for start, end in spans_of_swift(text)
            if text.startswith(("//", "/*"), start) or (strings and " " in text[start:end])
        ]
    if suffix == ".py":
        return list(spans_of_python(text, docs=True))
    if suffix in (".c", ".h"):
        return list(spans_of_comments(text))
    if suffix == ".sh" or (not suffix and text.startswith("#!")):
        return list(spans_of_script(text))
    return []


def corrected(text, suffix):
    """The text in US spelling, and `(position, word)` of what was not."""
    spans_of = {".swift": spans_of_swift, ".py": spans_of_python}
    spans_of |= dict.fromkeys((".c", ".h", ".js", ".css"), spans_of_comments)
    spans = list(spans_of[suffix](text)) if suffix in spans_of else [(0, len(text))]
    found = []

    def replace(match):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        after = text[match.end() : match.end() + 1]
        is_parameter = after == ":" and re.search(r"(?:- |Parameter |Parameters )$", line)
        if not (match[0].islower() or match[0].istitle() or match[0].isupper()):
            return match[0]
        if suffix == ".swift" and (line.count("`") % 2 or is_parameter) and "//" in line:
            return match[0]
        found.append((match.start(), match[0]))
        return american(match[0])

    pieces, last = [], 0
    for start, end in spans:
        pieces.append(text[last:start])
        # Matched in the whole text, so that what lies around a span counts as its neighborhood.
        piece, at = [], start
        for match in WORD.finditer(text, start, end):
            piece += [text[at : match.start()], replace(match)]
            at = match.end()
        pieces += [*piece, text[at:end]]
        last = end
    return "".join([*pieces, text[last:]]), found


def british_names(text):
    """`(position, word)` of words of Swift's names, each from a capital on, in British spelling."""
    if not BRITISH.search(text):
        return
    last = 0
    for start, end in [*spans_of_swift(text), (len(text), len(text))]:
        for match in re.finditer(r"[A-Z]?[a-z]+", text[last:start]):
            if BRITISH.fullmatch(match[0]):
                yield last + match.start(), match[0]
        last = end


def dialect(name, text):
    """`(position, phrase, better)` of phrases that are not the field's."""
    if name in RECORDS:
        return
    yield from phrases(WORDS, text)
    if name.startswith("docs/") and name.endswith(".md") and not name.startswith("docs/decisions/"):
        yield from phrases(HISTORY, text)
    if name.endswith((".swift", ".py")) and name.startswith(RIDDLED):
        for match in RIDDLE.finditer(text):
            before = text[: match.start()].rstrip().rpartition("\n")[2]
            if not before.lstrip().startswith("///"):
                yield match.start(), match[2], "the noun it describes"
    is_spatial = name.startswith(SPATIAL)
    found = [phrase for phrase in phrases(FIELD_WORDS, text) if not is_spatial or phrase[1] != "behind"]
    spans = spans_of_prose(name, text) if found else []
    for position, phrase, better in found:
        line = text[text.rfind("\n", 0, position) + 1 : position]
        is_code = re.match(r"\s*(//|#)", line) and line.count("`") % 2
        if not is_code and any(start <= position < end for start, end in spans):
            yield position, phrase, better


def phrases(words, text):
    """`(position, phrase, better)` of all matches in a text, over the ends of comment lines too."""
    gap = r"\s+(?:(?:///?|#:?)\s+)?"
    lower = text.replace("\u0130", "I").lower()  # of the same length, and much faster to search than without regard to case
    for phrase, better in words.items():
        for match in re.finditer(rf"\b{phrase.replace(' ', gap)}\b", lower):
            yield match.start(), re.sub(gap, " ", match[0]), better


def main():
    fix = sys.argv[1:] == ["--fix"]
    listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, text=True,
                             capture_output=True).stdout  # fmt: skip
    left = 0
    for name in listing.splitlines():
        path = ROOT / name
        plain = path.suffix in SUFFIXES or (not path.suffix and name.startswith(("tools/", "Makefile", ".ci/")))
        if not plain or SKIPPED.match(name) or path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        new, found = corrected(text, path.suffix)
        if fix and found:
            path.write_text(new, encoding="utf-8")
            text, found = new, []
        if path.suffix == ".swift":
            found += british_names(text)
        for position, word in found:
            print(f"check-spelling: {name}:{text.count(chr(10), 0, position) + 1}: {word}: {american(word)}")
        left += len(found)
        for position, word, better in dialect(name, text):
            left += 1
            print(f"check-spelling: {name}:{text.count(chr(10), 0, position) + 1}: {word}: {better}")
    if left:
        sys.exit(f"check-spelling: {left} to mend; --fix replaces words")


if __name__ == "__main__":
    main()
