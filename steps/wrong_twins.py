"""The known-wrong twins of the steps' kernels: what their files say of themselves.

A twin is a file STEP/wrong/NAME.cuh. Its code is that of a variant of the step, with one planted
fault. The comment that it begins with has two paragraphs, the fault and what comes of it, and says
which check has to find it:

    // reduce_shared without the barrier between two rounds of the tree.
    //
    // A thread adds a neighbor's word before that neighbor has added to it. ...
    //
    // May also show: initcheck (uninitialized)
    // Rejected by: racecheck (race) with --n 1003

The first word is the variant. A check is one of
  - memcheck, racecheck, initcheck, synccheck, and in parentheses the kind of finding;
  - counters, and in parentheses the figure that is to be worse than the right kernel's;
  - result: it comes out wrong; `result (undefined)` where on a GPU it may come out right by luck.
"May also show" is for what depends on the order of threads; findings of any other kind are not of
this fault. `with` are the options of a size at which it shows.

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
import re
import tomllib

import ladder

# The kinds of findings of each checker.
KINDS = {
    "memcheck": ("out_of_bounds", "misaligned", "use_after_free", "leak"),
    "racecheck": ("race",),
    "initcheck": ("uninitialized",),
    "synccheck": ("barrier_divergence", "invalid_mask", "deadlock"),
}
CHECKERS = tuple(KINDS)
FIND_ME = "find_me"

CHECK = re.compile(r"(\w+)(?: \(([\w.]+)\))?")
SIZE = re.compile(r"(?:--\w+ \d+ ?)+")
REJECTED = re.compile(rf"Rejected by: ({CHECK.pattern}) with ({SIZE.pattern})")
ALSO = re.compile(rf"May also show: ({CHECK.pattern})")


class BadHeader(ValueError):
    """A twin's file does not say what it has to."""


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    kind: str = ""

    def __str__(self):
        return f"{self.name} ({self.kind})" if self.kind else self.name


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


def read_check(text):
    name, kind = CHECK.fullmatch(text).groups("")
    if name == "result":
        is_one = kind in ("", "undefined")
    else:
        is_one = name in (*CHECKERS, "counters") and kind != ""
    if not is_one:
        raise BadHeader(f"'{text}' is no check")
    return Check(name, kind)


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
                also=frozenset(map(read_check, told.get("also", []))))


def read_twin(path):
    if path.stem == FIND_ME:
        return read_find_me(path)
    comment = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        comment.append(line[2:].strip())
    paragraphs = "\n".join(comment).split("\n\n")
    if len(paragraphs) != 3:
        raise BadHeader(f"{path}: three paragraphs expected: fault, effect, check")
    fault, effect = (" ".join(paragraph.split("\n")) for paragraph in paragraphs[:2])
    *also, rejected = paragraphs[2].split("\n")
    match = REJECTED.fullmatch(rejected)
    if not match:
        raise BadHeader(f"{path}: 'Rejected by: CHECK with SIZE' expected, not '{rejected}'")
    others = [ALSO.fullmatch(line) for line in also]
    if None in others:
        raise BadHeader(f"{path}: 'May also show: CHECK' expected in '{also}'")
    return Twin(path=path, variant=fault.split()[0], fault=fault, effect=effect,
                check=read_check(match[1]), also=frozenset(read_check(o[1]) for o in others),
                size=tuple(match.groups()[-1].split()))


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
