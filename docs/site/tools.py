"""Programs that the site and the e-book are made with, and the command line of both."""

import argparse
import functools
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NODE_MODULES = pathlib.Path("/usr/share/nodejs")  # where Debian's packages have theirs


class Fault(Exception):
    """The text has something that the site cannot show."""


def run(*command, given="", folder=None, may_warn=True, **environment):
    """The output of a program. Raises Fault with its words if it fails, or warns and may not."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=folder,
                          env={**os.environ, **environment})
    if done.returncode != 0 or (done.stderr.strip() and not may_warn):
        raise Fault(done.stderr.replace(f"{folder}/", "").strip())
    return done.stdout


def node(script, *questions):
    """The answers of a script of this folder, which reads and writes JSON, to questions."""
    return _node(script, json.dumps(questions)) if questions else []


@functools.cache
def _node(script, given):
    return json.loads(run("node", HERE / script, given=given, NODE_PATH=str(NODE_MODULES)))


def script(name, value):
    """A script that defines something for those of the site: it works from file://, too, where a page
    cannot fetch."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"globalThis.{name} = {text};\n"


def parser(description):
    made = argparse.ArgumentParser(description=description)
    made.add_argument("out", type=pathlib.Path, help="what is made; what was there is removed")
    made.add_argument("--optional", action="store_true",
                      help="end with 0 where a package is missing")
    return made


def main(chosen, missing, make):
    """The exit code. make() makes it, and says what it has made."""
    if missing:
        print(f"{chosen.out}: skipped, not installed: {', '.join(missing)} "
              "(docs/pages/project.md names the packages)", file=sys.stderr)
        return 0 if chosen.optional else 77
    try:
        print(make())
    except Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    return 0
