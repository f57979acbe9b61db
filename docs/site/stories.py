"""Kernels told frame by frame in a page, each frame beside its line of code.

    <!-- story NAME -->

on a line of its own; stories.js has the names. Readers without scripts see the frame that a story
opens on. lab.py gives pages the scripts.
"""

import re
import textwrap

import book
import highlight
import node
import sources
import staging
import templates
from directives import directive


def lines_of(source):
    """A story's source: its lines, without their common indent, and the number of the first."""
    lines = (book.ROOT / source["file"]).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if source["first"] in line)
    last = next(i for i, line in enumerate(lines) if i >= first and (
        line == "}" if source["last"] == "}" else source["last"] in line))
    # Directives begin in the first column.
    kept = [line for line in lines[first:last + 1] if not line.startswith("#")]
    return textwrap.dedent("\n".join(kept)), first + 1


@directive("story")
def make(page, name):
    [opening] = node.run("stories_cli.js", [name])
    if opening is None:
        raise staging.Fault(f"{page.source}: there is no story {name}")
    text, first = lines_of(opening["source"])
    path = book.ROOT / opening["source"]["file"]
    lines = [(bool(re.search(opening["line"], line)), highlight.line(tokens))
             for line, tokens in zip(text.split("\n"), highlight.lines_of(text, "cpp"))]
    return templates.part("story", name, opening, lines, sources.page_name(path), path.name, first)
