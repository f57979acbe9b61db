"""Runs a program under valgrind, with no error allowed that SUPPRESSIONS does not name:
under_valgrind.py VALGRIND SUPPRESSIONS PROGRAM."""

import subprocess
import sys

SKIPPED = 77


def main():
    valgrind, suppressions, program = sys.argv[1:]
    if not valgrind:
        print("valgrind was not found")
        return SKIPPED
    # A kernel that is given up never ends its calls: the runtime must have freed what it needed to
    # say so.
    run = subprocess.run(
        [
            valgrind,
            "--error-exitcode=3",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite",
            "--log-fd=1",
            f"--suppressions={suppressions}",
            program,
        ],
        capture_output=True,
        text=True,
    )
    print(run.stdout[-8000:], run.stderr[-2000:])
    return run.returncode


sys.exit(main())
