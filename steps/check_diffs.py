#!/usr/bin/env python3
"""Holds the steps of a chapter, and the chapters' texts and sources, together.

    check_diffs.py --chapter 01_naive_add 02_vectorized_add --chapter 03_reduce_atomic ... \\
                   --extra 01_naive_add/whole_program.cu

For each pair of neighbours in a chapter:
  - both have the same files, except those declared with --extra and those that kernel.cuh
    includes, as it may have kernels in files of their own;
  - main.cu and test.cu say the same apart from the names of step, problem and variants; README.md,
    kernel.cuh, claims.cu and code.toml are each step's own; every further file is equal to the
    letter.
Each variant that main.cu lists is in test.cu too, and stands between two `// [variant]` lines.
The variants of SMALL_CHANGES differ from one to the next by fewer than SMALL lines.
Each ```cpp fence of a README.md is a run of lines of a source file in the same folder.

Prints how many lines changed from step to step and from variant to variant. Exit code 1 and one
line `FILE: what is wrong` for each fault. Subfolders of a step are its own affair.
"""

import argparse
import difflib
import pathlib
import re
import sys

ROOMS = ("README.md", "kernel.cuh", "main.cu", "test.cu", "claims.cu", "code.toml")  # of each step
SMALL_CHANGES = ("sgemm_threadtile_float4", "sgemm_warptile", "sgemm_warptile_zorder")
SMALL = 40

VARIANT_ENTRY = re.compile(r'\{\s*"(\w+)"\s*,\s*(\w+)\b[^{}]*\}\s*,?')
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"/]+)"', re.M)
MARKER = re.compile(r"^\s*// \[(\w+)\]\s*$")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([^\s`]*)")
CODE_FENCES = ("cpp", "c++", "cxx", "cc", "c", "cuda", "cu", "cuh")


class Faults(list):
    """What is wrong, one line each; all of it is found before anything is reported."""

    def add(self, where, what):
        self.append(f"{where}: {what}")


def count_changes(old, new):
    """Lines added and lines removed between two lists of lines."""
    added = removed = 0
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for _, old_begin, old_end, new_begin, new_end in matcher.get_opcodes():
        if old[old_begin:old_end] != new[new_begin:new_end]:
            removed += old_end - old_begin
            added += new_end - new_begin
    return added, removed


def files_of(step):
    return {path.name: path for path in sorted(step.iterdir())
            if path.is_file() and not path.name.startswith(".")}


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def own_files(step):
    """The files of the folder that kernel.cuh includes, directly or not."""
    found, left = set(), ["kernel.cuh"]
    while left:
        path = step / left.pop()
        if not path.is_file():
            continue
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if (step / name).is_file() and name not in found | {"kernel.cuh"}:
                found.add(name)
                left.append(name)
    return found


def variants_of(path):
    """The (name, function) pairs that a main.cu or test.cu lists, in order."""
    return VARIANT_ENTRY.findall(path.read_text(encoding="utf-8"))


def tokens_without_names(path, step):
    """The file as words and signs, with the names of step, problem and variants taken out."""
    text = path.read_text(encoding="utf-8")
    text = VARIANT_ENTRY.sub("", text)
    text = re.sub(rf"^// {re.escape(step.name)}: .*$", "// STEP: ...", text, flags=re.M)
    text = text.replace(f'"{step.name}"', '"STEP"')
    text = re.sub(r"problem/\w+\.h", "problem/PROBLEM.h", text)
    text = re.sub(r"problem::\w+", "problem::PROBLEM", text)
    return re.findall(r"\w+|[^\w\s]", text)


def check_equal_but_names(old, new, name, may_be_longer, faults):
    a = tokens_without_names(old / name, old)
    b = tokens_without_names(new / name, new)
    rest = iter(b)
    if a == b or may_be_longer and all(token in rest for token in a):
        return
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    around = slice(max(0, at - 3), at + 6)
    faults.add(new / name, f"differs from {old.name}/{name} in more than names: "
               f"'{' '.join(b[around])}' is '{' '.join(a[around])}' there")


def check_pair(old, new, extras, longer, faults):
    old_files = {n for n in files_of(old) if f"{old.name}/{n}" not in extras}
    new_files = {n for n in files_of(new) if f"{new.name}/{n}" not in extras}
    for name in sorted((old_files - own_files(old)) ^ (new_files - own_files(new))):
        have, lack = (old, new) if name in old_files else (new, old)
        faults.add(have / name, f"{lack.name} has no such file, and it is not declared as an extra")
    for name in sorted(old_files & new_files):
        if name in ("main.cu", "test.cu"):
            check_equal_but_names(old, new, name, f"{new.name}/{name}" in longer, faults)
        elif name not in ROOMS and (old / name).read_bytes() != (new / name).read_bytes():
            faults.add(new / name, f"differs from {old.name}/{name}")
    if "kernel.cuh" in old_files & new_files:
        added, removed = count_changes(lines_of(old / "kernel.cuh"), lines_of(new / "kernel.cuh"))
        print(f"{old.name} -> {new.name}: kernel.cuh +{added} -{removed}")


def marked_variants(step, faults):
    """name -> the lines between the variant's two markers, without its name."""
    found = {}
    for path in files_of(step).values():
        if path.suffix not in (".cu", ".cuh"):
            continue
        begin = {}  # of the variants that are open
        lines = lines_of(path)
        for number, line in enumerate(lines):
            marker = MARKER.match(line)
            if not marker:
                continue
            name = marker.group(1)
            if name not in begin:
                begin[name] = number
                continue
            if name in found:
                faults.add(f"{path}:{number + 1}", f"[{name}] is marked a second time")
            own_name = re.compile(rf"\b{name}(?=\b|_)")
            found[name] = [own_name.sub("VARIANT", line)
                           for line in lines[begin.pop(name) + 1:number]]
        for name, number in begin.items():
            faults.add(f"{path}:{number + 1}", f"[{name}] has no closing marker")
    return found


def check_variants(steps, faults):
    """Of one chapter: the lists of variants agree, and the changes are as small as they must be."""
    before = None  # (name, lines) of the variant before, also across folders
    for step in steps:
        if not (step / "main.cu").is_file() or not (step / "test.cu").is_file():
            continue  # reported already
        marked = marked_variants(step, faults)
        listed = variants_of(step / "main.cu")
        if not listed:
            faults.add(step / "main.cu", "lists no variant")
        if listed != variants_of(step / "test.cu"):
            faults.add(step / "test.cu", "does not list the variants of main.cu in their order")
        for name, function in listed:
            if name != function:
                faults.add(step / "main.cu", f"variant '{name}' launches '{function}'")
            if name not in marked:
                faults.add(step, f"variant '{name}' stands between no '// [{name}]' lines")
                continue
            if before:
                check_change(before, (name, marked[name]), faults)
            before = name, marked[name]


def check_change(before, after, faults):
    added, removed = count_changes(before[1], after[1])
    print(f"  {before[0]} -> {after[0]}: +{added} -{removed}")
    if (before[0], after[0]) in zip(SMALL_CHANGES, SMALL_CHANGES[1:]) and added + removed >= SMALL:
        faults.add(f"{before[0]} -> {after[0]}",
                   f"{added + removed} lines changed, allowed are fewer than {SMALL}")


def check_small_changes_seen(steps, faults):
    """A renamed or reordered variant must not switch its limit off."""
    order = [name for step in steps if (step / "main.cu").is_file()
             for name, _ in variants_of(step / "main.cu")]
    for pair in zip(SMALL_CHANGES, SMALL_CHANGES[1:]):
        if pair not in zip(order, order[1:]):
            faults.add(f"{pair[0]} -> {pair[1]}", "are not neighbouring variants of any chapter")


def contains_run(lines, run):
    return any(lines[i:i + len(run)] == run for i in range(len(lines) - len(run) + 1))


def check_fences(readme, faults):
    """Code in a chapter's text is code of its folder, to the letter."""
    sources = [lines_of(path) for path in sorted(readme.parent.rglob("*"))
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
            faults.add(where, f"no source file of {readme.parent.name} has these lines in a row, "
                       f"from '{lines[0].strip()}' on")
    if fence:
        faults.add(f"{readme}:{fence[2]}", "a fence that is never closed")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=pathlib.Path, default=pathlib.Path(__file__).parent,
                        metavar="DIR", help="the folder of the steps (default: this file's)")
    parser.add_argument("--chapter", nargs="+", action="append", required=True, metavar="STEP",
                        help="the steps of one chapter, in order; once for each chapter")
    parser.add_argument("--extra", nargs="+", action="extend", default=[], metavar="STEP/FILE",
                        help="files that a neighbour need not have")
    parser.add_argument("--longer", nargs="+", action="extend", default=[], metavar="STEP/FILE",
                        help="files that have more in them than the ones of the step before")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    faults = Faults()
    listed = {name for chapter in arguments.chapter for name in chapter}
    for step in sorted(arguments.steps.glob("[0-9][0-9]_*")):
        if step.is_dir() and step.name not in listed:
            faults.add(step, "is in no chapter")
        if (step / "README.md").is_file():
            check_fences(step / "README.md", faults)
    for extra in arguments.extra + arguments.longer:
        if not (arguments.steps / extra).is_file():
            faults.add(arguments.steps / extra, "is declared as an extra but does not exist")

    all_steps = []
    for chapter in arguments.chapter:
        steps = [arguments.steps / name for name in chapter]
        for step in steps:
            for room in ROOMS:
                if not (step / room).is_file():
                    faults.add(step / room, "is missing")
        steps = [step for step in steps if step.is_dir()]
        for old, new in zip(steps, steps[1:]):
            check_pair(old, new, arguments.extra, arguments.longer, faults)
        check_variants(steps, faults)
        all_steps += steps
    check_small_changes_seen(all_steps, faults)

    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
