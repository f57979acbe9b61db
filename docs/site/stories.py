"""Kernels told frame by frame in a page, each frame beside its line of code.

    <!-- story NAME -->

on a line of its own; stories.js has the names. Readers without scripts see the frame that a story
opens on. lab.py gives pages the scripts.
"""

import functools
import html
import json
import pathlib
import re
import subprocess
import textwrap

import book
import highlight
import sources
import staging

HERE = pathlib.Path(__file__).resolve().parent


@functools.cache
def opening_of(name):
    """stories_cli.js's answer for a name; None: there is no such story."""
    done = subprocess.run(["node", HERE / "stories_cli.js"], input=json.dumps([name]),
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise staging.Fault(done.stderr)
    return json.loads(done.stdout)[0]


def lines_of(source):
    """A story's source: its lines, without their common indent, and the number of the first."""
    lines = (book.ROOT / source["file"]).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if source["first"] in line)
    is_last = (lambda line: line == "}") if source["last"] == "}" else \
        (lambda line: source["last"] in line)
    last = next(i for i in range(first, len(lines)) if is_last(lines[i]))
    # Directives begin in the first column.
    kept = [line for line in lines[first:last + 1] if not line.startswith("#")]
    return textwrap.dedent("\n".join(kept)).split("\n"), first + 1


def make(page, arguments):
    """The HTML of a story; `arguments`: its name."""
    [name] = arguments
    opening = opening_of(name)
    if opening is None:
        raise staging.Fault(f"{page.source}: there is no story {name}")
    lines, first = lines_of(opening["source"])
    shown = "".join(
        f'<span class="{"now" if re.search(opening["line"], line) else "line"}">'
        f'{"".join(highlight.colored(*token) for token in tokens) or " "}</span>'
        for line, tokens in zip(lines, highlight.lines_of("\n".join(lines), "cpp")))
    path = book.ROOT / opening["source"]["file"]
    where = f'<a href="{sources.page_name(path)}.html">{path.name}</a>, from line {first} on'
    return (f'<section class="story" data-story="{name}" '
            f'aria-label="{html.escape(name)}, step by step">'
            f'<div class="scroll" tabindex="0">{opening["svg"]}</div>'
            f'<p class="story-said">{html.escape(opening["said"])}</p>'
            f'<pre tabindex="0"><code>{shown}</code></pre>'
            f'<p class="hint">{where}</p></section>')
