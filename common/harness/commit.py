#!/usr/bin/env python3
"""Prints the commit of this source tree: of the git checkout it is, with -dirty after it if it was
changed; of the archive it comes from, which git fills in below; else nothing."""

import pathlib
import subprocess

ARCHIVED = "$Format:%h$"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def git(*arguments):
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    # The tree may lie in somebody else's checkout.
    if git("rev-parse", "--show-toplevel") == str(ROOT):
        return git("describe", "--always", "--dirty")
    return "" if ARCHIVED.startswith("$") else ARCHIVED


if __name__ == "__main__":
    print(commit())
