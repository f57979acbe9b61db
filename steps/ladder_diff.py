"""Diffs of rungs as text: one column as `diff -u` has it, or side by side.

Lines that differ in the rungs' own names only are no change, and shown as the new file has them.
"""

import difflib
import re

CONTEXT = 3
ADDED, REMOVED, PLACE, BOLD = "32", "31", "36", "1"
WORD = re.compile(r"\w+|\s+|[^\w\s]")


def painted(text, color, colors):
    return f"\033[{color}m{text}\033[0m" if colors and text else text


def extent(begin, end):
    """As `diff -u` writes a run of lines."""
    count = end - begin
    return f"{begin + (count > 0)}" + ("" if count == 1 else f",{count}")


def place(group):
    first, last = group[0], group[-1]
    return f"@@ -{extent(first[1], last[2])} +{extent(first[3], last[4])} @@"


def unified(change, colors=False):
    """The lines of a diff in one column."""
    for group in change.matcher.get_grouped_opcodes(CONTEXT):
        yield painted(place(group), PLACE, colors)
        for kind, old_begin, old_end, new_begin, new_end in group:
            if kind == "equal":
                yield from (f" {line}" for line in change.new[new_begin:new_end])
                continue
            yield from (painted(f"-{line}", REMOVED, colors)
                        for line in change.old[old_begin:old_end])
            yield from (painted(f"+{line}", ADDED, colors)
                        for line in change.new[new_begin:new_end])


def wrapped(pieces, width):
    """Rows of a column: `pieces` are (text, is it changed), to be cut at the width."""
    rows, room = [[]], width
    for text, changed in pieces:
        while len(text) > room:
            rows[-1].append((text[:room], changed))
            text, room = text[room:], width
            rows.append([])
        rows[-1].append((text, changed))
        room -= len(text)
    return rows


def column(row, width, color, colors):
    """A row, filled up with blanks: changed words are inverted."""
    length = sum(len(text) for text, _ in row)
    text = "".join(painted(text, f"{color};7" if changed else color, colors and bool(color))
                   for text, changed in row)
    return text + " " * (width - length)


def is_alike(old, new):
    """Whether half of the words of two lines are the same, however far these are indented."""
    a, b = (WORD.findall(line.strip()) for line in (old, new))
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= 0.5


def words(old, new):
    """Both lines in pieces, with what changed marked; in one piece where little is the same."""
    if not is_alike(old, new):
        return [(old, False)], [(new, False)]
    a, b = WORD.findall(old), WORD.findall(new)
    left, right = [], []
    for kind, old_begin, old_end, new_begin, new_end in difflib.SequenceMatcher(
            None, a, b, autojunk=False).get_opcodes():
        left.append(("".join(a[old_begin:old_end]), kind != "equal"))
        right.append(("".join(b[new_begin:new_end]), kind != "equal"))
    return left, right


def side_by_side(change, width, colors=False):
    """The lines of a diff in two columns, `width` wide in all; long lines go on in the next row."""
    half = (width - 3) // 2

    def rows(left, right, sign, left_color, right_color):
        left, right = wrapped(left, half), wrapped(right, half)
        for i in range(max(len(left), len(right))):
            a = column(left[i] if i < len(left) else [], half, left_color, colors)
            b = column(right[i] if i < len(right) else [], half, right_color, colors)
            yield f"{a} {sign} {b}".rstrip()

    for group in change.matcher.get_grouped_opcodes(CONTEXT):
        yield painted(place(group), PLACE, colors)
        for kind, old_begin, old_end, new_begin, new_end in group:
            old, new = change.old[old_begin:old_end], change.new[new_begin:new_end]
            if kind == "equal":
                for a, b in zip(old, new):
                    yield from rows([(a, False)], [(b, False)], " ", "", "")
                continue
            for i in range(max(len(old), len(new))):
                if i < min(len(old), len(new)):
                    yield from rows(*words(old[i], new[i]), "|", REMOVED, ADDED)
                elif i < len(old):
                    yield from rows([(old[i], False)], [], "<", REMOVED, ADDED)
                else:
                    yield from rows([], [(new[i], False)], ">", REMOVED, ADDED)
