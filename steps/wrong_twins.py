"""The known-wrong twins of the steps' kernels: what their files say of themselves.

A twin is a file STEP/wrong/NAME.cuh. Its code is that of a variant of the step, with one planted
fault. fault_header.py describes the comment that it begins with; the first word is the variant. A
check of twins alone is counters, and in parentheses the figure that is to be worse than the right
kernel's.

find_me.cuh is a twin for the reader to find: it begins like an honest kernel. The file find_me.toml
beside it has what the comment has of the others:

    kernel = "reduce_shared"
    line = 21                  # of the fault; where a line is missing, the one before or after it
    kind = "race"              # of findings, as docs/pages/output.md lists them, or wrong_result
    why = "A sentence for the reader who gave up."
    with = "--n 1003"
    also = ["initcheck (uninitialized)"]    # "May also show"; may be left out
"""

import dataclasses
import pathlib
import tomllib

import fault_header
import ladder
from fault_header import CHECKERS, KINDS, SIZE, BadHeader, Check

FIND_ME = "find_me"
# Beside the checks of all known-wrong files.
OTHER_CHECKS = r"counters \([\w.]+\)"


@dataclasses.dataclass(frozen=True)
class Twin:
    path: pathlib.Path
    variant: str  # the right kernel
    fault: str  # a sentence
    effect: str
    check: Check  # that has to reject it
    also: frozenset  # of checks
    size: tuple  # options: ("--n", "1003")
    line: int = 0  # of the fault, if the reader is to find it

    @property
    def name(self):
        return self.path.stem

    @property
    def step(self):
        """The name of its program."""
        return self.path.parent.parent.name

    @property
    def folder(self):
        """That of its step, in steps/."""
        return self.path.parent.parent.relative_to(ladder.STEPS)


def check_for(kind):
    """The check that finds a kind of fault."""
    if kind == "wrong_result":
        return Check("result")
    for checker, kinds in KINDS.items():
        if kind in kinds:
            return Check(checker, kind)
    raise BadHeader(f"'{kind}' is no kind of finding")


def read_find_me(path):
    """A twin that does not tell its fault; the file beside it does."""
    told_in = path.with_suffix(".toml")
    told = tomllib.loads(told_in.read_text(encoding="utf-8"))
    types = {"kernel": str, "line": int, "kind": str, "why": str, "with": str, "also": list}
    if not set(types) - {"also"} <= set(told) <= set(types):
        raise BadHeader(f"{told_in}: expected the keys {', '.join(types)}")
    for key, value in told.items():
        if not isinstance(value, types[key]):
            raise BadHeader(f"{told_in}: '{key}' is no {types[key].__name__}")
    if not SIZE.fullmatch(told["with"]):
        raise BadHeader(f"{told_in}: '{told['with']}' are no options of a size")
    return Twin(path=path, variant=told["kernel"], fault=told["why"], effect="",
                check=check_for(told["kind"]), size=tuple(told["with"].split()), line=told["line"],
                also=frozenset(fault_header.read_check(text, OTHER_CHECKS)
                               for text in told.get("also", [])))


def read_twin(path):
    if path.stem == FIND_ME:
        return read_find_me(path)
    header = fault_header.read(path, OTHER_CHECKS, has_size=True)
    return Twin(path=path, variant=header.fault.split()[0], fault=header.fault,
                effect=header.effect, check=header.check, also=header.also, size=header.size)


def twins_of(step):
    """A step's twins, in the order of their names."""
    return [read_twin(path) for path in sorted((step / "wrong").glob("*.cuh"))]


def code_of(path):
    """A twin's code, without what makes it one: the lines inside its namespace."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[first_code_line(path) - 1:lines.index(f"}}  // namespace {path.stem}")]


def first_code_line(path):
    """The number of the first line of code_of(path)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines.index(f"namespace {path.stem} {{") + 2


def all_steps():
    """The folders of those that have twins, in the manifest's order."""
    folders = [ladder.STEPS / step.name for step in ladder.read().steps]
    return [folder for folder in folders if (folder / "wrong").is_dir()]
