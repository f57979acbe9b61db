#!/usr/bin/env python3
"""The faults that readers are to find (wrong/find_me.cuh), as the judge needs them.

    find_me.py OUT      writes a list of JSON
    find_me.py files    prints the files that it comes from
"""

import json
import pathlib
import sys
import tomllib

import wrong_twins


def faults():
    """In the order of the steps."""
    pattern = f"[0-9][0-9]_*/**/wrong/{wrong_twins.FIND_ME}.cuh"
    for path in sorted(wrong_twins.ladder.STEPS.glob(pattern)):
        twin = wrong_twins.read_twin(path)
        told = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
        program = f"build/steps/{twin.folder.as_posix()}/{twin.step}_wrong"
        yield {"step": twin.step, "file": str(path), "line": twin.line, "kind": told["kind"],
               "why": twin.fault,
               "command": f"{program} --kernel {wrong_twins.FIND_ME} {' '.join(twin.size)}"}


def kinds():
    return [kind for group in wrong_twins.KINDS.values() for kind in group] + ["wrong_result"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "files":
        for fault in faults():
            print(pathlib.Path(fault["file"]).with_suffix(".toml"))
        sys.exit()
    pathlib.Path(sys.argv[1]).write_text(
        json.dumps({"kinds": kinds(), "faults": list(faults())}, indent=1), encoding="utf-8")
