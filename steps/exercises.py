#!/usr/bin/env python3
"""The exercises: where they lie, and what their wrong solutions say of themselves.

    exercises.py list    prints STEP/exercises/NAME of each, a line each

An exercise is a folder STEP/exercises/NAME with README.md (the statement), NAME.cu (the skeleton),
hints.md, solutions/*.cu (the fastest one last) and wrong/*.cu. fault_header.py describes the
comment that a wrong solution begins with. Checks of solutions alone are input, launch, timeout,
memory, crash, exit, compile and signature, as `judge --json` names reasons.

One solution per step has ten lines that end in a mark: three in `// fade 1`, seven in `// fade 2`. `judge
--fade` and `judge --parsons` go by these marks (common/judge/practice.h); the site does not show them
(steps/fades.py).
"""

import dataclasses
import pathlib
import sys

import fault_header
from fault_header import Check

STEPS = pathlib.Path(__file__).resolve().parent
# Beside the checks of all known-wrong files.
OTHER_CHECKS = "input|launch|timeout|memory|crash|exit|compile|signature"


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


def read_wrong(path):
    header = fault_header.read(path, OTHER_CHECKS, has_size=False)
    return Wrong(path, header.check, header.also)


def wrong_of(exercise):
    return [read_wrong(path) for path in sorted((exercise / "wrong").glob("*.cu"))]


if __name__ == "__main__":
    if sys.argv[1:] != ["list"]:
        sys.exit(__doc__)
    for folder in all_exercises():
        print(folder.relative_to(STEPS).as_posix())
