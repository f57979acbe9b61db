"""The lines that a rung changes of the rung it grows from.

A rung's file is taken together with the headers of steps/ that it includes, each expanded once, in the
place of its first #include: a helper moved into a header counts all the same. System headers and
the wrappers of single instructions, steps/instructions/, stay #include lines. Each rung's own
name counts as VARIANT, so that a new name is no change.
"""

import dataclasses
import difflib
import pathlib
import re

import ladder as manifest

INSTRUCTIONS = "instructions"
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def own_header(line, path, steps):
    """The header of the steps that this line of the file includes, but none of instructions; or None."""
    if match := INCLUDE.match(line):
        header = (path.parent / match[1]).resolve()
        if header.is_relative_to(steps) and not header.is_relative_to(steps / INSTRUCTIONS) and \
                header.is_file():
            return header
    return None


class Line(str):
    """A line of a file, which knows its place: `path`, and `number` from 1 on."""

    def __new__(cls, text, path, number):
        line = super().__new__(cls, text)
        line.path, line.number = path, number
        return line


def expanded(path, steps=manifest.STEPS, seen=None):
    """The lines of a file with its headers in them."""
    path, steps = pathlib.Path(path).resolve(), pathlib.Path(steps).resolve()
    seen = {path} if seen is None else seen
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        header = own_header(line, path, steps)
        if header is None:
            lines.append(Line(line, path, number))
        elif header not in seen:
            seen.add(header)
            lines += expanded(header, steps, seen)
    return lines


def equalised(lines, name):
    own_name = re.compile(rf"\b{re.escape(name)}(?=\b|_)")
    return [own_name.sub("VARIANT", line) for line in lines]


@dataclasses.dataclass(frozen=True)
class Change:
    """From the lines `old` to `new`. The opcodes are difflib's, for the lines with names equalised."""
    old: list
    new: list
    matcher: difflib.SequenceMatcher

    def count(self, begin, end):
        return sum(code[end] - code[begin] for code in self.matcher.get_opcodes()
                   if code[0] != "equal")

    @property
    def removed(self):
        return self.count(1, 2)

    @property
    def added(self):
        return self.count(3, 4)

    @property
    def lines(self):
        return self.added + self.removed


def change(ladder, rung, steps=manifest.STEPS):
    """The change from the rung that it grows from; a rung that starts a problem adds all its lines."""
    before = ladder.rung(rung.origin)
    old = expanded(steps / before.path, steps) if before else []
    new = expanded(steps / rung.path, steps)
    return Change(old, new, difflib.SequenceMatcher(
        None, equalised(old, before.name) if before else [], equalised(new, rung.name),
        autojunk=False))
