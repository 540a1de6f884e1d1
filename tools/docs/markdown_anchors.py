"""The anchors that GitHub gives to headings."""

import re


def anchor_of(heading):
    """The anchor of a heading's text without markup."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def numbered(anchor, used):
    """An anchor that no earlier heading of the page has; adds it to those used."""
    count = sum(1 for one in used if one == anchor or re.fullmatch(re.escape(anchor) + r"-\d+", one))
    used.add(f"{anchor}-{count}" if count else anchor)
    return f"{anchor}-{count}" if count else anchor
