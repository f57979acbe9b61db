"""The access lab, and stories: kernels told frame by frame.

Readers without scripts see what both open on, made by the same rules when the site is built.
"""

import re
import textwrap

import book
import highlight
import staging
import tools


def view(page, *arguments):
    """(its name, what is seen of it) of a lab; `arguments`: FIELD=VALUE..."""
    fields = dict(argument.split("=", 1) for argument in arguments)
    name = fields.pop("id", "lab")
    [seen] = tools.node("lab_cli.js", "&".join(f"{field}={fields[field]}" for field in fields))
    for field, value in fields.items():
        if str(seen["setting"].get(field)) != value and field != "lanes":
            raise staging.Fault(f"{page.source}: a lab has no setting {field}={value}")
    return name, seen


def lines_of(source):
    """A story's source: its lines, without their common indent, and the number of the first."""
    lines = (book.ROOT / source["file"]).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if source["first"] in line)
    last = next(i for i, line in enumerate(lines) if i >= first and (
        line == "}" if source["last"] == "}" else source["last"] in line))
    # Directives begin in the first column.
    kept = [line for line in lines[first:last + 1] if not line.startswith("#")]
    return textwrap.dedent("\n".join(kept)), first + 1


def opening(page, name):
    """The frame that a story opens on, its lines of code as [(is it the frame's, HTML)], and the
    number of the first of these."""
    [frame] = tools.node("stories_cli.js", name)
    if frame is None:
        raise staging.Fault(f"{page.source}: there is no story {name}")
    text, first = lines_of(frame["source"])
    is_now = [bool(re.search(frame["line"], line)) for line in text.split("\n")]
    return frame, list(zip(is_now, highlight.lines_of(text, "cpp"))), first
