#!/usr/bin/env python3
"""The pages of the repository as a site in HTML, beside the libraries' reference: what `make docs` runs.

    tools/docs/make-site.py FOLDER [--ardf PROGRAM]

Markdown is rendered by Debian's cmark-gfm, with the anchors that GitHub gives to headings. Links between pages become
links between the site's, and files that pages show or name (pictures, schemas, sources) are copied to the same paths.
With a program, its help is a page too. `index.html` leads to the pages and to the reference in `documentation/`.
"""

import argparse
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_anchors import anchor_of, numbered

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "tools/README.md", "training",
         "weights/MODEL_CARD.md", "Tests/TRACEABILITY.md"]  # fmt: skip
STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --code: #f6f8fa; --page: #ffffff;
  --link: #0969da }
@media (prefers-color-scheme: dark) { :root { --text: #f0f6fc; --quiet: #9198a1; --line: #3d444d; --code: #151b23;
  --page: #0d1117; --link: #4493f8 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page) }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 50rem); gap: 3rem; max-width: 75rem; margin: auto;
  padding: 1.5rem }
nav { font-size: .9rem; position: sticky; top: 1.5rem; align-self: start; max-height: 95vh; overflow-y: auto }
nav h2 { font-size: .8rem; text-transform: uppercase; color: var(--quiet); margin: 1.2rem 0 .2rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav [aria-current] { font-weight: 600; color: var(--text) }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
h1, h2, h3 { line-height: 1.25 }
main h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem }
img { max-width: 100%; height: auto }
code { background: var(--code); padding: .15em .35em; border-radius: 4px; font-size: .875em }
pre { background: var(--code); padding: 1rem; overflow-x: auto; border-radius: 6px }
pre code { padding: 0; background: none }
table { display: block; overflow-x: auto; border-collapse: collapse; margin: 1rem 0; font-size: .9em }
th, td { border: 1px solid var(--line); padding: .35rem .7rem; vertical-align: top }
footer { color: var(--quiet); font-size: .85rem; margin-top: 3rem; border-top: 1px solid var(--line);
  padding-top: .7rem }
@media (max-width: 60rem) { .frame { grid-template-columns: minmax(0, 1fr) } nav { position: static; max-height: none } }
"""


def tracked(path):
    """Files of the repository at a path, those not yet committed too."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", path]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listing.splitlines() if (ROOT / name).exists()]


def rendered(name, pages, files):
    """The body of a page; adds what it shows and names to `files`."""
    extensions = [word for name in ("table", "autolink", "strikethrough") for word in ("-e", name)]
    command = ["cmark-gfm", "--unsafe", "--github-pre-lang", *extensions]
    body = subprocess.run(command, input=(ROOT / name).read_text(encoding="utf-8"), check=True, capture_output=True,
                          text=True).stdout  # fmt: skip
    used = set()

    def heading(match):
        plain = html.unescape(re.sub(r"<[^>]+>", "", match[2]))
        anchor = numbered(anchor_of(plain), used)
        return f'<h{match[1]} id="{anchor}">{match[2]}</h{match[1]}>'

    def link(match):
        target = html.unescape(match[2])
        if re.match(r"[a-z][a-z0-9+.-]*:|//|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if found in pages:
            path = path.removesuffix(".md") + ".html"
        elif (ROOT / found).is_dir():
            path = ""  # A folder of sources is not part of the site.
        else:
            files.add(found)
        target = path + ("#" + anchor if anchor else "")
        return f'{match[1]}="{html.escape(target)}"' if path else 'class="folder"'

    body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.DOTALL)
    return re.sub(r'(href|src)="([^"]*)"', link, body)


def title_of(name):
    found = re.search(r"^# +(.+)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else name


def navigation(pages, current):
    """The sections of the site, with the page that is shown marked."""
    sections = {"": ["README.md"]}
    index = re.findall(r"\(([^)#]+\.md)", (ROOT / "docs/README.md").read_text(encoding="utf-8"))
    order = {f"docs/{name}": at for at, name in enumerate(index)}
    for part in ("start", "guides", "reference", "explanation", "benchmarks", "decisions"):
        inside = [name for name in pages if name.startswith(f"docs/{part}/") and "/schemas/" not in name]
        sections[part] = sorted(inside, key=lambda name: (order.get(name, len(order)), name))
    sections["project"] = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tools/README.md", "weights/MODEL_CARD.md"]
    parts = []
    up = posixpath.relpath(".", posixpath.dirname(current) or ".")
    for title, names in sections.items():
        items = []
        for name in names:
            target = posixpath.relpath(name.removesuffix(".md") + ".html", posixpath.dirname(current) or ".")
            mark = ' aria-current="page"' if name == current else ""
            items.append(f'<li><a href="{target}"{mark}>{html.escape(title_of(name))}</a></li>')
        if title == "reference":
            items.append(f'<li><a href="{up}/help.html">Help of all commands</a></li>')
            items.append(f'<li><a href="{up}/documentation/">API of the libraries</a></li>')
        parts.append((f"<h2>{title}</h2>" if title else "") + f"<ul>{''.join(items)}</ul>")
    return "".join(parts)


def written(place, name, title, body, pages, version):
    target = place / (name.removesuffix(".md") + ".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<style>{STYLE}</style>\n<div class="frame">\n<nav>{navigation(pages, name)}</nav>\n<main>\n{body}'
        f"<footer>ardf {version}</footer>\n</main>\n</div>\n</html>\n",
        encoding="utf-8",
    )


def helps(program):
    """The help of every command, as a page."""
    dump = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    parts = ["<h1>Help of all commands</h1>"]

    def add(command, path):
        if command.get("shouldDisplay") is False or command["commandName"] == "help":
            return
        path = [*path, command["commandName"]]
        words = [program, *path[1:], "--help"]
        text = subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
        name = " ".join(path)
        parts.append(f'<h2 id="{anchor_of(name)}">{name}</h2>\n<pre><code>{html.escape(text.stdout)}</code></pre>')
        for child in command.get("subcommands", []):
            add(child, path)

    add(dump["command"], [])
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ardf", help="the built program")
    options = parser.parse_args()
    if not shutil.which("cmark-gfm"):
        sys.exit("make-site: needs cmark-gfm: tools/setup/packages --docs")
    version = re.search(r'static let version = "(.+)"', (ROOT / "Sources/ardf/Command/ARDF.swift").read_text())[1]
    pages = [name for path in PAGES for name in tracked(path) if name.endswith(".md")]
    files = set()
    for name in pages:
        written(options.folder, name, title_of(name), rendered(name, pages, files), pages, version)
    body = helps(options.ardf) if options.ardf else "<h1>Help of all commands</h1><p>Not part of this build.</p>"
    written(options.folder, "help.md", "Help of all commands", body, pages, version)
    # The reference's own first page leads nowhere that documentation/ does not.
    written(options.folder, "index.md", "ardf", rendered("README.md", pages, files), pages, version)
    for name in sorted(files):
        (options.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, options.folder / name)
    print(f"make-site: {len(pages) + 2} pages and {len(files)} files in {options.folder}", file=sys.stderr)


if __name__ == "__main__":
    main()
