"""Finds things in a step's source files, which the manifest names."""

import collections
import functools
import re

import book
from ladder_changes import Line, expanded  # of steps/, which book puts on the path

INSTRUCTIONS = book.ROOT / "steps" / "instructions"
# Files of every step that say little a reader wants; they have a page where a text links to them.
UNREAD = ("main.cu", "test.cu", "claims.cu", "code.toml")

# A function at file level, from its template line to its closing brace.
FUNCTION = re.compile(r"^(?:template|__global__|__device__|inline|static|constexpr \w[\w:]* \w+\(|"
                      r"(?:void|bool|float|int|unsigned|std::\w+) \w+\()(?://.*|[^;{])*\{"
                      r"(?:.*\}$|.*(?s:.*?)^\}.*$)", re.M)
COMMENT = re.compile(r"(?:^//.*\n)*\Z", re.M)  # at the end of a text
BEFORE_NAME = re.compile(r"template <.*?>\s*(?=\w)|__\w+__(?:\([^()]*\))?", re.S)


# `first`: the number of its first line; `comment`: the one above it; `lines`: of ladder_changes.Line.
Function = collections.namedtuple("Function", "name first comment lines is_kernel")


@functools.cache
def functions(path):
    text, found = path.read_text(encoding="utf-8"), []
    for match in FUNCTION.finditer(text):
        name = re.search(r"(\w+)\s*\(", BEFORE_NAME.sub(" ", match[0].partition("{")[0]))
        if name:
            first = text.count("\n", 0, match.start()) + 1
            lines = [Line(line, path, number)
                     for number, line in enumerate(match[0].split("\n"), first)]
            comment = " ".join(re.findall("//(.*)", COMMENT.search(text, 0, match.start())[0]))
            found.append(Function(name[1], first, " ".join(comment.split()), lines,
                                  "__global__" in match[0]))
    return found


def page_name(path):
    """The page of a source file; the steps' files have names that others have, too."""
    steps = book.ROOT / "steps"
    folder = path.parent.relative_to(steps).parts if path.is_relative_to(steps) else [path.parent.name]
    return "_".join(["code", *folder, path.name.replace(".", "_")])


def path_of(variant):
    """The file of a rung or a dispatcher."""
    return book.ROOT / "steps" / variant.path


@functools.cache
def ideas():
    """{file of a rung or a dispatcher: what it is about}"""
    return {path_of(variant): variant.idea for variant in book.manifest().variants}


@functools.cache
def kernel_files(step_name):
    """The rungs and dispatchers as the manifest lists them, then the headers that they include."""
    files = list(dict.fromkeys(map(path_of, book.step(step_name).variants)))
    headers = {line.path for path in files for line in expanded(path)}
    return files + sorted(headers - set(files))


@functools.cache
def functions_of(step_name):
    """The functions in the kernel files of a step, by name; of several the first."""
    found = [function for path in kernel_files(step_name) for function in functions(path)]
    return {function.name: function for function in reversed(found)}


def kernels_of(variant):
    """The kernels in the file of a rung; a dispatcher has none."""
    return [function for function in functions(path_of(variant))
            if function.is_kernel and variant.is_rung]


def read_files(step_name):
    """The files of a step that have a page, in the order in which they are read: its kernels, headers
    that no rung includes, programs."""
    step = book.step(step_name)
    files = [*kernel_files(step_name)]
    files += [path for pattern in ("*.cuh", "further/*.cuh")
              for path in sorted(step.folder.glob(pattern)) if path not in files]
    return files + [step.folder / f"{program}.cu" for program in step.entry.programs]


@functools.cache
def quotable(step_name):
    """{path: text} of all files that a chapter may quote."""
    files = read_files(step_name) + [book.step(step_name).folder / name for name in UNREAD]
    files += sorted(INSTRUCTIONS.glob("*.cuh"))
    return {path: path.read_text(encoding="utf-8") for path in files if path.exists()}


def find_excerpt(step_name, text):
    """The place of these lines in a step's files: (path, first line), or None; the first of several."""
    wanted = "\n" + text.rstrip("\n") + "\n"
    for path, source in quotable(step_name).items():
        position = f"\n{source}".find(wanted)
        if position >= 0:
            return path, source[:position].count("\n") + 1
    return None
