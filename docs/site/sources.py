"""What is where in a step's source files."""

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


@functools.cache
def variants(step_name):
    """The names of a step's kernels, in order."""
    return [variant.name for variant in book.ladder.read().variants_of(step_name)]


def kernel_files(step_name):
    """kernel.cuh first, then the variants that have a file of their own, then what they need."""
    order = ["kernel", *variants(step_name)]

    def place(path):
        return order.index(path.stem) if path.stem in order else len(order)
    return sorted(book.step(step_name).folder.glob("*.cuh"), key=lambda path: (place(path), path))


@functools.cache
def functions_of(step_name):
    """All functions in the kernel files of a step, by name."""
    by_name = {}
    for path in kernel_files(step_name):
        for function in functions(path):
            by_name.setdefault(function.name, []).append(function)
    return by_name


def reached(step_name, start, follow):
    """The functions that `start` mentions, and those that these mention, where follow(function)."""
    by_name = functions_of(step_name)
    seen, wanted = [], [start]
    while wanted:
        for function in by_name.get(wanted.pop(), []):
            if function not in seen:
                seen.append(function)
                if follow(function):
                    wanted += re.findall(r"\w+", function.text)
    return seen


@functools.cache
def kernels_of(step_name, variant):
    """The kernels that a variant launches, in the order of the source."""
    others = set(variants(step_name)) - {variant}
    every = reached(step_name, variant,
                    lambda function: not function.is_kernel and function.name not in others)
    return sorted((function for function in every if function.is_kernel),
                  key=lambda function: (str(function.path), function.first))


@functools.cache
def kernel_functions(step_name, variant):
    """A variant's kernels, and the functions of the same file that they call."""
    found = []
    kernels = kernels_of(step_name, variant)
    for kernel in kernels:
        for function in sorted(reached(step_name, kernel.name, lambda _: True),
                               key=lambda function: function.first):
            if function.path == kernels[0].path and function not in found:
                found.append(function)
    return found


def text_of(functions):
    """[(line number, line)], with an empty line between two functions."""
    lines = []
    for function in functions:
        if lines:
            lines.append((None, ""))
        lines += enumerate(function.lines, function.first)
    return lines


@functools.cache
def kernel_text(step_name, variant):
    return text_of(kernel_functions(step_name, variant))


def code_files(step_name):
    """The files of a step that have a page, in the order in which they are read."""
    folder = book.step(step_name).folder
    names = [path.name for path in kernel_files(step_name)]
    names += [f"{program}.cu" for program in book.step(step_name).programs]
    names += ["main.cu", "test.cu", "claims.cu", "code.toml"]
    return [folder / name for name in names if (folder / name).exists()]


def find_excerpt(step_name, text):
    """Where a step's files have these lines: (path, first line), or None."""
    wanted = text.rstrip("\n") + "\n"
    for path in code_files(step_name):
        source = path.read_text(encoding="utf-8")
        position = ("\n" + source).find("\n" + wanted)
        if position >= 0:
            return path, source[:position].count("\n") + 1
    return None
