"""The marks in solutions that fade (steps/exercises.py)."""

import re

MARK = re.compile(r" *// fade [12]$", re.M)


def without_marks(path):
    """A solution as readers see it."""
    return MARK.sub("", path.read_text(encoding="utf-8"))
