#!/usr/bin/env python3
"""Follows the relative links of every Markdown file of the repository: files, folders, and anchors of headings.

    tools/docs/check-links.py [FOLDER]

With FOLDER, a site that `make docs` made, links and anchors of its HTML pages are followed instead. Links to other
hosts are left alone. Prints every link that leads nowhere, and ends with 1 if there is one.
"""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from markdown_anchors import anchor_of, numbered

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:src|href)=\"([^\"]+)\"|^\[[^\]]+\]:\s+(\S+)", re.M)


def without_code(text):
    """Markdown without fenced blocks and code spans."""
    text = re.sub(r"^(```|~~~).*?^\1\s*$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "code", text)


def anchors_of_markdown(text):
    """The anchors that GitHub gives to headings, and those given by hand."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    text = re.sub(r"^(```|~~~).*?^\1\s*$", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        numbered(anchor_of(plain), found)
    return found


class Page(HTMLParser):
    """Links and anchors of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def parts(path):
    """`(links, anchors)` of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        page = Page(text)
        return page.links, page.anchors
    found = LINK.findall(without_code(text))
    return ["".join(groups) for groups in found], anchors_of_markdown(text)


def wrong(page, link):
    """The fault of a link of a page, as text; None without one."""
    path, _, anchor = link.partition("#")
    target = (page.parent / unquote(path)).resolve() if path else page
    if not target.exists():
        return "no such file"
    if target.is_dir() and page.suffix == ".html":
        target = target / "index.html"
        if not target.exists():
            return "no index.html there"
    if anchor and target.suffix in (".md", ".html") and anchor not in parts(target)[1]:
        return "no such heading"
    return None


def main():
    if len(sys.argv) > 1:
        root = Path(sys.argv[1]).resolve()
        # The reference is DocC's, whose pages are filled in by a script.
        reference = ("documentation", "data", "css", "js", "img", "index")
        pages = [page for page in sorted(root.rglob("*.html")) if page.relative_to(root).parts[0] not in reference]
    else:
        root = ROOT
        listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root, check=True,
                                 capture_output=True, text=True).stdout  # fmt: skip
        pages = [root / name for name in listing.splitlines() if (root / name).exists()]
    count = breaches = 0
    for page in pages:
        for link in parts(page)[0]:
            if re.match(r"[a-z][a-z0-9+.-]*:|//|.*documentation/$", link):
                continue
            count += 1
            if reason := wrong(page, link):
                breaches += 1
                print(f"check-links: {page.relative_to(root)}: {link}: {reason}", file=sys.stderr)
    if not count:
        sys.exit("check-links: no links at all: is this the right folder?")
    print(f"check-links: {count} links of {len(pages)} pages, {breaches} lead nowhere")
    sys.exit(bool(breaches))


if __name__ == "__main__":
    main()
