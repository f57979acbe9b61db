#!/usr/bin/env python3
"""Makes the runtime's library of its object files, with inline functions under names of their own.

usage: own_functions.py AR NM OBJCOPY LIBRARY OBJECT...

An inline function or a template's is a weak symbol, of which a program gets one copy, whoever uses
it. In a traced program that copy may be the program's, which reports its accesses: a checker that
uses it while it writes a report would then report itself, without end. Which functions a compiler
leaves out of line differs from version to version.
Variables stay shared.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PREFIX = "cucpu."
# Defined weak functions, and the names of groups of sections.
SHARED = re.compile(r" [Wn] (_Z\S+)$", re.MULTILINE)


def main(ar, nm, objcopy, library, *objects):
    listed = subprocess.run([nm, *objects], check=True, stdout=subprocess.PIPE, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        renames = pathlib.Path(folder, "renames.txt")
        renames.write_text("".join(
            f"{name} {PREFIX}{name}\n" for name in sorted(set(SHARED.findall(listed)))))
        renamed = []
        for i, path in enumerate(objects):
            renamed.append(pathlib.Path(folder, f"{i}_{pathlib.Path(path).name}"))
            subprocess.run([objcopy, f"--redefine-syms={renames}", path, renamed[-1]], check=True)
        pathlib.Path(library).unlink(missing_ok=True)
        subprocess.run([ar, "rcsD", library, *renamed], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
