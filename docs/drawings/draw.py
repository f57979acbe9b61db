#!/usr/bin/env python3
"""The chapters' drawings, each made by a function of a chapter_*.py in this folder.

    draw.py write     writes the folder's *.svg
    draw.py check     only says what would be written otherwise; exit code 1 if anything would

A module has DRAWINGS, {name: function without arguments that returns the SVG's text}. A warp's
accesses are drawn from docs/results/traces.jsonl if they were recorded.
"""

import importlib
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path.append(str(FOLDER))
sys.path.append(str(ROOT / "common"))
import generated  # noqa: E402


def wanted():
    """{path: text} of all drawings."""
    result = {}
    for path in sorted(FOLDER.glob("chapter_*.py")):
        for name, draw in importlib.import_module(path.stem).DRAWINGS.items():
            target = FOLDER / f"{name}.svg"
            if target in result:
                raise ValueError(f"{path.name}: there is a drawing {name} already")
            result[target] = draw()
    return result


def left_over(drawings):
    return [f"{path}: no chapter_*.py draws it" for path in sorted(FOLDER.glob("*.svg"))
            if path not in drawings]


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    drawings = wanted()
    faults = generated.bring_up_to_date(drawings, arguments == ["write"], "docs/drawings/draw.py")
    faults += left_over(drawings)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
