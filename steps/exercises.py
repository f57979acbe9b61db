#!/usr/bin/env python3
"""The exercises: where they lie, and what their wrong solutions say of themselves.

    exercises.py list    prints STEP/exercises/NAME of each, a line each

An exercise is a folder STEP/exercises/NAME with README.md (the statement), NAME.cu (the skeleton),
hints.md, solutions/*.cu (the fastest one last) and wrong/*.cu. A wrong solution begins with a comment
of three paragraphs: the fault, what comes of it, and which check has to reject it:

    // relu without its guard: every thread of every block changes an element.
    //
    // The grid is rounded up to whole blocks, so that the last one reads and writes past the end ...
    //
    // May also show: initcheck (uninitialized)
    // Rejected by: memcheck (out_of_bounds)

A check is one of
  - memcheck, racecheck, initcheck, synccheck, and in parentheses the kind of finding;
  - result: it comes out wrong; `result (undefined)` where on a GPU it may come out right by luck;
  - input, launch, timeout, memory, crash, exit, compile, signature: as `judge --json` names reasons.
Findings of kinds that are not named are not of this fault.

One solution per step has ten lines that end in a mark: three in `// fade 1`, seven in `// fade 2`. `judge
--fade` and `judge --parsons` go by these marks (common/judge/practice.h); the site does not show them
(steps/fades.py).
"""

import dataclasses
import pathlib
import re
import sys

from wrong_twins import CHECK, CHECKERS, BadHeader, Check

STEPS = pathlib.Path(__file__).resolve().parent
OTHER_CHECKS = ("result", "input", "launch", "timeout", "memory", "crash", "exit", "compile",
                "signature")
REJECTED = re.compile(rf"Rejected by: ({CHECK.pattern})")
ALSO = re.compile(rf"May also show: ({CHECK.pattern})")


@dataclasses.dataclass(frozen=True)
class Wrong:
    path: pathlib.Path
    check: Check  # that has to reject it
    also: frozenset  # of checks


def all_exercises():
    """Folders, in the order of the steps."""
    return sorted(path.parent for path in STEPS.glob("[0-9][0-9]_*/exercises/*/*.cu")
                  if path.stem == path.parent.name)


def solutions_of(exercise):
    return sorted((exercise / "solutions").glob("*.cu"))


def leading_comment(path):
    """The lines of the comment that a file begins with, without their slashes."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines


def read_check(text):
    name, kind = CHECK.fullmatch(text).groups("")
    if name == "result":
        is_one = kind in ("", "undefined")
    else:
        is_one = (name in CHECKERS and kind != "") or (name in OTHER_CHECKS and kind == "")
    if not is_one:
        raise BadHeader(f"'{text}' is no check")
    return Check(name, kind)


def read_wrong(path):
    paragraphs = "\n".join(leading_comment(path)).split("\n\n")
    if len(paragraphs) != 3:
        raise BadHeader(f"{path}: three paragraphs expected: fault, effect, check")
    *also, rejected = paragraphs[2].split("\n")
    match = REJECTED.fullmatch(rejected)
    others = [ALSO.fullmatch(line) for line in also]
    if not match or None in others:
        raise BadHeader(f"{path}: 'Rejected by: CHECK' expected, after 'May also show: CHECK' or "
                        f"nothing, not '{paragraphs[2]}'")
    return Wrong(path, read_check(match[1]), frozenset(read_check(other[1]) for other in others))


def wrong_of(exercise):
    return [read_wrong(path) for path in sorted((exercise / "wrong").glob("*.cu"))]


if __name__ == "__main__":
    if sys.argv[1:] != ["list"]:
        sys.exit(__doc__)
    for folder in all_exercises():
        print(folder.relative_to(STEPS).as_posix())
