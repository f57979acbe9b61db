"""The comment that a known-wrong file begins with: a kernel's twin (wrong_twins.py), or a solution
of an exercise (exercises.py). It has three paragraphs: the fault, what comes of it, and which check
has to reject it:

    // reduce_shared without the barrier between two rounds of the tree.
    //
    // A thread adds a neighbor's word before that neighbor has added to it. ...
    //
    // May also show: initcheck (uninitialized)
    // Rejected by: racecheck (race) with --n 1003

A check is one of
  - memcheck, racecheck, initcheck, synccheck, and in parentheses the kind of finding;
  - result: it comes out wrong; `result (undefined)` where on a GPU it may come out right by luck;
  - those that only twins have, or only solutions.
"May also show" is for what depends on the order of threads; findings of any other kind are not of
this fault. `with` are the options of a size at which it shows; solutions have none.
"""

import dataclasses
import re

# The kinds of findings of each checker.
KINDS = {
    "memcheck": ("out_of_bounds", "misaligned", "use_after_free", "leak"),
    "racecheck": ("race",),
    "initcheck": ("uninitialized",),
    "synccheck": ("barrier_divergence", "invalid_mask", "deadlock"),
}
CHECKERS = tuple(KINDS)

CHECK = re.compile(r"(\w+)(?: \(([\w.]+)\))?")
SIZE = re.compile(r"(?:--\w+ \d+ ?)+")
REJECTED = re.compile(
    rf"Rejected by: (?P<check>{CHECK.pattern})(?: with (?P<size>{SIZE.pattern}))?")
ALSO = re.compile(rf"May also show: (?P<check>{CHECK.pattern})")


class BadHeader(ValueError):
    """A file does not say what it has to."""


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    kind: str = ""

    def __str__(self):
        return f"{self.name} ({self.kind})" if self.kind else self.name


@dataclasses.dataclass(frozen=True)
class Header:
    fault: str  # a sentence
    effect: str
    check: Check  # that has to reject it
    also: frozenset  # of checks
    size: tuple  # options: ("--n", "1003")


def read_check(text, others):
    """`others` are the checks beside those of all: a pattern of how each is written."""
    name, kind = CHECK.fullmatch(text).groups("")
    if name in CHECKERS:
        is_one = kind != ""
    elif name == "result":
        is_one = kind in ("", "undefined")
    else:
        is_one = re.fullmatch(others, text) is not None
    if not is_one:
        raise BadHeader(f"'{text}' is no check")
    return Check(name, kind)


def leading_comment(path):
    """The lines of the comment that a file begins with, without their slashes."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines


def paragraphs(path):
    """Those of that comment, each a list of lines."""
    return [part.split("\n") for part in "\n".join(leading_comment(path)).split("\n\n")]


def read(path, others, has_size):
    parts = paragraphs(path)
    if len(parts) != 3:
        raise BadHeader(f"{path}: three paragraphs expected: fault, effect, check")
    fault, effect = (" ".join(lines) for lines in parts[:2])
    *also, rejected = parts[2]
    match = REJECTED.fullmatch(rejected)
    if not match or (match["size"] is not None) != has_size:
        expected = "Rejected by: CHECK" + (" with SIZE" if has_size else "")
        raise BadHeader(f"{path}: '{expected}' expected, not '{rejected}'")
    shown = [ALSO.fullmatch(line) for line in also]
    if None in shown:
        raise BadHeader(f"{path}: 'May also show: CHECK' expected in '{also}'")
    return Header(fault, effect, read_check(match["check"], others),
                  frozenset(read_check(one["check"], others) for one in shown),
                  tuple((match["size"] or "").split()))
