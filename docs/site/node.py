"""JavaScript of this folder, for what the site has from it: scripts that read and write JSON."""

import functools
import json
import os
import pathlib
import subprocess

import staging

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path("/usr/share/nodejs")  # where Debian's packages have theirs


def run(script, given):
    """The answers of a script to a list of questions."""
    return _run(script, json.dumps(given)) if given else []


@functools.cache
def _run(script, given):
    done = subprocess.run(["node", HERE / script], input=given, capture_output=True, text=True,
                          env={**os.environ, "NODE_PATH": str(MODULES)})
    if done.returncode != 0:
        raise staging.Fault(done.stderr)
    return json.loads(done.stdout)
