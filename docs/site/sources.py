"""Finds things in a step's source files, which the manifest names."""

import dataclasses
import functools
import re

import book


@dataclasses.dataclass
class Function:
    """A function at file level, from its template line to its closing brace."""
    name: str
    path: object
    first: int  # line, from 1
    lines: list
    is_kernel: bool

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


OPENING = re.compile(r"^(?:template|__global__|__device__|inline|static|constexpr \w[\w:]* \w+\(|"
                     r"(?:void|bool|float|int|unsigned|std::\w+) \w+\()")


@functools.cache
def functions(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    found, i = [], 0
    while i < len(lines):
        if not OPENING.match(lines[i]):
            i += 1
            continue
        end = i
        while end < len(lines) and not lines[end].startswith("}") and \
                not re.search(r"[;}]$", lines[end]):
            end += 1
        # The head has ended in a body of one line, in a declaration, or in a body that goes on.
        while end < len(lines) and not lines[end].startswith("}") and \
                not (end == i and lines[end].endswith(("}", ";"))):
            end += 1
        head = re.sub(r"template <.*?>\s*(?=\w)|__\w+__(?:\([^()]*\))?", " ",
                      " ".join(lines[i:end + 1]).split("{")[0])
        name = re.search(r"(\w+)\s*\(", head)
        if name and name[1] != "static_assert":
            body = lines[i:end + 1]
            found.append(Function(name[1], path, i + 1, body,
                                  any("__global__" in line for line in body)))
        i = end + 1
    return found


INSTRUCTIONS = book.ROOT / "steps" / "instructions"
INCLUDE = re.compile(r'^ *# *include "([^"]+)"', re.M)


@functools.cache
def variants(step_name):
    """The names of a step's rungs and dispatchers, in order."""
    return [variant.name for variant in book.step(step_name).variants]


def page_name(path):
    """The page of a source file; the steps' files have names that others have, too."""
    steps = book.ROOT / "steps"
    folder = path.parent.relative_to(steps).parts if path.is_relative_to(steps) else [path.parent.name]
    return "_".join(["code", *folder, path.name.replace(".", "_")])


def path_of(variant):
    """The file of a rung or a dispatcher."""
    return book.ROOT / "steps" / variant.path


@functools.cache
def included(path):
    """The project's headers that a file includes, directly or not, in the order in which the compiler
    sees them."""
    found = []
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        header = (path.parent / name).resolve()
        if header.exists():
            found += [one for one in (*included(header), header) if one not in found]
    return found


@functools.cache
def rung_files(step_name):
    """The files of a step's rungs and dispatchers, as the manifest lists them."""
    return list(dict.fromkeys(path_of(variant) for variant in book.step(step_name).variants))


@functools.cache
def kernel_files(step_name):
    """The rungs and dispatchers, then the headers that they include."""
    files = rung_files(step_name)
    headers = dict.fromkeys(header for path in files for header in included(path))
    return files + sorted(header for header in headers if header not in files)


@functools.cache
def functions_of(step_name):
    """All functions in the kernel files of a step, by name."""
    by_name = {}
    for path in kernel_files(step_name):
        for function in functions(path):
            by_name.setdefault(function.name, []).append(function)
    return by_name


@functools.cache
def kernels_of(variant_name):
    """The kernels in the file of a rung; a dispatcher has none."""
    variant = book.variant(variant_name)
    if not variant.is_rung:
        return []
    return [function for function in functions(path_of(variant)) if function.is_kernel]


@functools.cache
def expanded(path):
    """A file with the headers of the steps that it includes, each once and in place: [(path, line
    number, line)]. Wrappers of single instructions stay outside, and what only the preprocessor
    wants."""
    seen = set()

    def lines_of(file):
        seen.add(file)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            header = (file.parent / found[1]).resolve() if found else None
            if header is None or not header.exists() or header.parent == INSTRUCTIONS:
                yield file, number, line
            elif header not in seen:
                yield from lines_of(header)
    return list(lines_of(path))


def text_of(functions):
    """[(line number, line)], with an empty line between two functions."""
    lines = []
    for function in functions:
        if lines:
            lines.append((None, ""))
        lines += enumerate(function.lines, function.first)
    return lines


def own_files(step_name):
    """The files of a step that have a page, in the order in which they are read."""
    step = book.step(step_name)
    names = [f"{program}.cu" for program in step.programs]
    names += ["main.cu", "test.cu", "claims.cu", "code.toml"]
    kernels = [path for path in kernel_files(step_name) if path.parent != INSTRUCTIONS]
    # Headers that no rung includes: what the chapter shows beside its rungs.
    headers = [path for pattern in ("*.cuh", "further/*.cuh")
               for path in sorted(step.folder.glob(pattern)) if path not in kernels]
    return kernels + headers + \
        [step.folder / name for name in names if (step.folder / name).exists()]


def code_files(step_name):
    """The same, and the wrappers of instructions that its kernels use, which no step owns."""
    return own_files(step_name) + [path for path in kernel_files(step_name)
                                   if path.parent == INSTRUCTIONS]


def instruction_files():
    return sorted(INSTRUCTIONS.glob("*.cuh"))


def find_excerpt(step_name, text):
    """The place of these lines in a step's files: (path, first line), or None; the first of several."""
    wanted = text.rstrip("\n") + "\n"
    for path in code_files(step_name):
        source = path.read_text(encoding="utf-8")
        position = ("\n" + source).find("\n" + wanted)
        if position >= 0:
            return path, source[:position].count("\n") + 1
    return None
