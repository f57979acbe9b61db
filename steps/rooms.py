#!/usr/bin/env python3
"""Holds the steps' folders, their texts and the manifest together.

    rooms.py [STEPS]    STEPS: another folder with a ladder.toml than this script's

Every step has the same rooms, with the same file names. main.cu, wrong/wrong.cu and meson.build are
the same in all of them, except the first line, a comment, and the arguments of main.cu beyond the
kernels. Each kernel file of a folder is in the manifest. Each ```cpp fence of a README.md is a run of
lines of a source file in the same folder.

Exit code 1 and one line `FILE: what is wrong` for each fault.
"""

import pathlib
import re
import sys

import ladder as manifest

ROOMS = ("README.md", "main.cu", "test.cu", "claims.cu", "code.toml", "meson.build")
NUMBERED = re.compile(r"\d+_\w+\.cuh")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([^\s`]*)")
CODE_FENCES = ("cpp", "c++", "cxx", "cc", "c", "cuda", "cu", "cuh")
SAME = {
    "main.cu": re.compile(r'// [^\n]+\n#include "harness/step\.h"\n#include "rungs\.h"\n'
                          r'(#include "\w+\.h"\n)?\nint main\(int argc, char\*\* argv\) \{\n'
                          r"  return harness::run_step\(argc, argv, kStep(,[^;]+)?\);\n\}\n"),
    "wrong/wrong.cu": re.compile(r'// [^\n]+\n#include "harness/step\.h"\n#include "twins\.h"\n\n'
                                 r"int main\(int argc, char\*\* argv\) "
                                 r"\{ return harness::run_step\(argc, argv, kTwins\); \}\n"),
}


class Faults(list):
    """The faults, one line each; all of them are found before anything is reported."""

    def add(self, where, what):
        self.append(f"{where}: {what}")


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def check_rooms(folder, ladder, faults):
    first = folder / ladder.steps[0].name / "meson.build"
    for step in ladder.steps:
        here = folder / step.name
        for room in ROOMS:
            if not (here / room).is_file():
                faults.add(here / room, "is missing")
        for name, form in SAME.items():
            path = here / name
            if path.is_file() and not form.fullmatch(path.read_text(encoding="utf-8")):
                faults.add(path, "is not like that of the other steps")
        build = here / "meson.build"
        if build.is_file() and build.read_bytes() != first.read_bytes():
            faults.add(build, f"differs from {first.parent.name}/meson.build")
    known = {step.name.partition("/")[0] for step in ladder.steps}
    for path in sorted(folder.glob("[0-9][0-9]_*")):
        if path.is_dir() and path.name not in known:
            faults.add(path, "is no step of the manifest")


def check_kernel_files(folder, ladder, faults):
    listed = {folder / variant.path for variant in ladder.variants}
    for step in ladder.steps:
        for path in sorted([*(folder / step.name).glob("*.cuh"),
                            *(folder / step.name / manifest.FURTHER).glob("*.cuh")]):
            if NUMBERED.fullmatch(path.name) and path not in listed:
                faults.add(path, "is no rung of the manifest")


def contains_run(lines, run):
    return any(lines[i:i + len(run)] == run for i in range(len(lines) - len(run) + 1))


def check_fences(readme, faults):
    """Code in a chapter's text is code of its folder, to the letter; that of a page on rungs off the
    trunk may also be the step's."""
    folder = readme.parent
    if folder.name == manifest.FURTHER:
        folder = folder.parent
    sources = [lines_of(path) for path in sorted(folder.rglob("*"))
               if path.suffix in (".cu", ".cuh") and path.parent.name != "wrong"]
    fence = None  # (sign, language, line number, lines) of the open one
    for number, line in enumerate(lines_of(readme), start=1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence = match.group(1), match.group(2).lower(), number, []
            continue
        sign, language, begin, lines = fence
        if not (match and match.group(1).startswith(sign) and not match.group(2)):
            lines.append(line)
            continue
        fence = None
        where = f"{readme}:{begin}"
        if not language:
            faults.add(where, "a fence without a language; say cpp, sh or text")
        elif language in CODE_FENCES and language != "cpp":
            faults.add(where, f"code of this folder is fenced as cpp, not as {language}")
        elif language == "cpp" and not any(line.strip() for line in lines):
            faults.add(where, "an empty cpp fence")
        elif language == "cpp" and not any(contains_run(source, lines) for source in sources):
            faults.add(where, f"no source file of {folder.name} has these lines in a row, "
                       f"from '{lines[0].strip()}' on")
    if fence:
        faults.add(f"{readme}:{fence[2]}", "a fence that is never closed")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else manifest.STEPS)
    faults = Faults()
    try:
        ladder = manifest.read(folder / "ladder.toml")
    except manifest.BadManifest as error:
        sys.exit(f"error: {error}")
    check_rooms(folder, ladder, faults)
    check_kernel_files(folder, ladder, faults)
    for readme in sorted(folder.glob("[0-9][0-9]_*/README.md")) + \
            sorted(folder.glob("[0-9][0-9]_*/*/README.md")):
        check_fences(readme, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
