#!/usr/bin/env python3
"""Builds the runtime's library from its object files, and renames their inline functions.

usage: own_functions.py AR NM OBJCOPY LIBRARY OBJECT...

Inline functions and instances of templates are weak symbols: the linker keeps one copy per program.
In a traced program it may keep the program's copy, which is instrumented. A checker that called it
while writing a report would report itself, without end. Compilers differ in which functions they
leave out of line, so all are renamed. Variables stay shared.
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
