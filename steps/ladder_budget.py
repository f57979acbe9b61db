#!/usr/bin/env python3
"""Holds the ladder to its promise: every rung is one idea, in a file that is read on a screen or two.

    ladder_budget.py [STEPS]    STEPS: another folder with a ladder.toml than this script's

Prints how many lines each rung changes of the one it grows from (ladder_changes.py), and checks:
  - no rung changes more than CHANGED lines, and no more than STARTS rungs start a new problem;
  - a rung has a file of its own, PLACE_KERNEL.cuh, numbered in its folder from 1 on, with KERNEL_kernel
    and a launch function KERNEL; a dispatcher is a file NAME.cuh with no kernel in it;
  - a kernel, or a function of the device, has no more than FUNCTION lines, a file
    no more than FILE, and one of the trunk (not in further/, no dispatcher) no more than TRUNK;
  - rungs, dispatchers and their headers include nothing of this repository but headers of their own
    step and of steps/instructions/; the trunk includes nothing from further/, and grows from nothing
    there;
  - a header in steps/instructions/ only wraps single instructions: no loop, but a `while` with an
    empty body, which waits for one; no index arithmetic (no threadIdx and the like, no operator inside
    of [ ]); and its comments name the section of NVIDIA's documentation that describes them:
    one of MANUALS and, in quotes, the section's title.

Exit code 1 and one line `FILE: what is wrong` for each fault.
"""

import pathlib
import re
import sys

import ladder as manifest
import ladder_changes
from ladder_changes import INCLUDE, INSTRUCTIONS

CHANGED = 60
STARTS = 10
FUNCTION = 60
FILE = 150
TRUNK = 110
MANUALS = ("PTX ISA", "CUDA C++ Programming Guide", "CUDA Programming Guide", "CUDA Math API",
           "CUDA Runtime API")

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                               re.S)
COMMENT = re.compile(r"//([^\n]*)|/\*(.*?)\*/", re.S)
# From __global__ or __device__ up to the body: no `;` in between, which would end a declaration.
FUNCTION_HEAD = re.compile(r"\b__(?:global|device)__\b[^;{}]*\{")
FUNCTION_NAME = re.compile(r"\b(?!__launch_bounds__)(\w+)\s*\(")
LOOP = re.compile(r"\b(?:for|do|goto)\b")
WHILE = re.compile(r"\bwhile\b")
EMPTY_WHILE = re.compile(r"\bwhile\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\s*(?:\{\s*\}|;)")
INDEX = re.compile(r"(?<!\.)\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b|"
                   r"\[[^\][]*[-+*/%&|^][^\][]*\]")
TITLE = re.compile(r'"[^"]{3,}"')


class Faults(list):
    """One line per fault; all are found before any is reported."""

    def add(self, where, what):
        self.append(f"{where}: {what}")


def code_of(text):
    """The text with comments and strings blanked, line by line the same."""
    return COMMENT_OR_STRING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def functions(code):
    """(name, lines) of each function of the device that has a body."""
    for head in FUNCTION_HEAD.finditer(code):
        depth, end = 1, head.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        name = FUNCTION_NAME.search(head[0])
        yield name[1] if name else "a function", code[head.start():end].count("\n") + 1


def check_changes(ladder, steps, faults):
    width = max((len(rung.name) for rung in ladder.rungs), default=0)
    starts = []
    for rung in ladder.rungs:
        change = ladder_changes.change(ladder, rung, steps)
        if rung.origin:
            print(f"{rung.name:{width}}  +{change.added:<3} -{change.removed:<3}  {rung.origin}")
            if change.lines > CHANGED:
                faults.add(steps / rung.path, f"changes {change.lines} lines of {rung.origin}, "
                           f"+{change.added} -{change.removed}; allowed: {CHANGED}")
        else:
            starts.append(rung.name)
            print(f"{rung.name:{width}}  +{change.added:<3}       starts")
    if len(starts) > STARTS:
        faults.add(steps / "ladder.toml", f"{len(starts)} rungs grow from none, {', '.join(starts)}; "
                   f"allowed: {STARTS}")


def check_names(ladder, steps, faults):
    """Each rung's file, and what is in it."""
    places = {}  # folder -> how many rungs it has so far
    files = {}
    for variant in ladder.variants:
        path = steps / variant.path
        code = code_of(path.read_text(encoding="utf-8"))
        if path in files:
            faults.add(path, f"is the file of both {files[path]} and {variant.name}")
        files[path] = variant.name
        if not variant.is_rung:
            if path.name != f"{variant.name}.cuh":
                faults.add(path, f"is the dispatcher {variant.name}'s, {variant.name}.cuh")
            if re.search(r"\b__global__\b", code):
                faults.add(path, "is a dispatcher, and has a kernel in it")
            continue
        places[path.parent] = places.get(path.parent, 0) + 1
        name = f"{places[path.parent]}_{variant.name}.cuh"
        if path.name != name:
            faults.add(path, f"is, by its place in the manifest and its kernel, {name}")
        for what in (f"{variant.name}_kernel", f"{variant.name}("):
            if not re.search(rf"\b{re.escape(what)}", code):
                faults.add(path, f"has no {what}")


def check_further(ladder, steps, faults):
    for rung in ladder.rungs:
        before = ladder.rung(rung.origin)
        if before and is_further(steps / before.path) and not is_further(steps / rung.path):
            faults.add(steps / rung.path, f"grows from {before.name}, which is off the trunk")


def is_further(path):
    return path.parent.name == manifest.FURTHER


def included_by(path):
    """The headers of this repository that a file includes: (name as written, path)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := INCLUDE.match(line):
            yield match[1], (path.parent / match[1]).resolve()


def check_headers(ladder, steps, faults):
    """The files of rungs and dispatchers, and all that they include."""
    dispatchers = {steps / one.path for one in ladder.variants if not one.is_rung}
    left = list(dict.fromkeys(steps / one.path for one in ladder.variants))
    seen = set(left)
    while left:
        path = left.pop(0)
        off_trunk = is_further(path) or path in dispatchers
        check_lengths(path, FILE if off_trunk else TRUNK, faults)
        for name, header in included_by(path):
            if not header.is_file():
                faults.add(path, f'there is no "{name}" beside it')
                continue
            if is_further(header) and not off_trunk:
                faults.add(path, f'"{name}" is off the trunk')
            if header.is_relative_to(steps / INSTRUCTIONS):
                continue
            if not header.is_relative_to(steps / path.relative_to(steps).parts[0]):
                faults.add(path, f'"{name}" is neither of its own step nor of {INSTRUCTIONS}/')
            elif header not in seen:
                seen.add(header)
                left.append(header)


def check_lengths(path, most, faults):
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > most:
        faults.add(path, f"has {lines} lines; allowed: {most}")
    for name, lines in functions(code_of(text)):
        if lines > FUNCTION:
            faults.add(path, f"{name} has {lines} lines; allowed: {FUNCTION}")


def check_instructions(steps, faults):
    for path in sorted((steps / INSTRUCTIONS).glob("*.cuh")):
        text = path.read_text(encoding="utf-8")
        check_lengths(path, FILE, faults)
        code = code_of(text)
        loop = LOOP.search(code) or WHILE.search(EMPTY_WHILE.sub("", code))
        if loop:
            faults.add(path, f"has a loop, '{loop[0]}': more than a wrapper of one instruction")
        if index := INDEX.search(code):
            faults.add(path, f"computes an index, '{index[0]}': more than a wrapper of one instruction")
        comments = " ".join((line or block).strip() for line, block in COMMENT.findall(text))
        if not any(manual in comments for manual in MANUALS) or not TITLE.search(comments):
            faults.add(path, "names no section of NVIDIA's documentation, as in: PTX ISA, \"Bulk copy\"; "
                       f"known manuals: {', '.join(MANUALS)}")


def main():
    steps = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else manifest.STEPS).resolve()
    faults = Faults()
    try:
        ladder = manifest.read(steps / "ladder.toml")
    except manifest.BadManifest as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    check_changes(ladder, steps, faults)
    check_names(ladder, steps, faults)
    check_further(ladder, steps, faults)
    check_headers(ladder, steps, faults)
    check_instructions(steps, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
