"""The known-wrong twins: what each has wrong, as a diff, and who finds it."""

import difflib
import re

import book
import diffs
import sources
import staging
import templates
from directives import directive
import ladder_changes  # of steps/, which book puts on the path
import wrong_twins
import wrong_twins_report
from wrong_twins import FIND_ME

KINDS = {
    "memcheck (out_of_bounds)": "Out of bounds",
    "memcheck (misaligned)": "Misaligned",
    "memcheck (use_after_free)": "Use after free",
    "memcheck (leak)": "Leak",
    "racecheck (race)": "Race",
    "initcheck (uninitialized)": "Read before it was written",
    "synccheck (barrier_divergence)": "A barrier that not all reach",
    "synccheck (invalid_mask)": "A mask that names the wrong lanes",
    "synccheck (deadlock)": "Deadlock",
    "result": "A wrong result",
    "result (undefined)": "A wrong result, undefined",
    "counters": "Right, and slow",
}


def file_of(line):
    return book.step(line["step"]).folder / "wrong" / f"{line['twin']}.cuh"


def twins():
    """The records of the twins that are still there."""
    return [line for line in book.recorded("wrong_twins")[1:] if file_of(line).exists()]


def of_step(step):
    """{twin: what is recorded of it}"""
    lines = {line["twin"]: line for line in twins() if line["step"] == step.name}
    return {twin: lines.get(twin.name) or wrong_twins_report.describe(twin)
            for twin in wrong_twins.twins_of(step.folder)}


def pages():
    return [book.Page(f"wrong_{step.name}", "wrong/", f"steps/{step.entry.name}/wrong", kind="code",
                      parent=step.page, step=step.name, heading=f"Wrong on purpose: {step.called}")
            for step in book.steps() if of_step(step)]


def kind_of(line):
    check = line["rejected_by"]
    return KINDS["counters" if check.startswith("counters") else check]


def found(lines, side):
    """How many of them are found on one side."""
    return sum(wrong_twins_report.is_found(line, side) for line in lines)


def run_on_gpu(lines):
    return [line for line in lines if line["gpu"] is not None]


def first_report(line):
    """The first words of compute-sanitizer on the fault, on the GPU."""
    tool, _, kind = line["rejected_by"].partition(" ")
    for report in line["gpu"].get(tool, {}).get("reports", []):
        if not report.startswith(("Target", "Warning")) and \
                (report.startswith("Leaked") == (kind == "(leak)")):
            return re.sub(r"\(.*", "", report)
    return ""


def ran(line, side):
    """(words of a plain run on one side, words of the tools, a quotation)"""
    if line[side] is None:
        return "not run", "not run", ""
    plain, tools = line[side]["result"], wrong_twins_report.finds_cell(line[side])
    if plain["exit_code"] is None:
        said = "does not come to an end"
    elif plain["exit_code"] == 0:
        said = "the result is right"
    else:
        said = (plain["error"] or "").removeprefix("error: ")
    return (said, "no tool finds it" if tools == "-" else tools,
            first_report(line) if side == "gpu" else "")


def report(line):
    """The twin's own output, and the sanitizer's first words on a GPU."""
    sides = (("cpu", "on the CPU"), ("gpu", "on an H200"))
    return templates.part("report", [(where, *ran(line, side)) for side, where in sides]
                          if "cpu" in line else [])


def diff_of(line):
    """Beside the functions of the same names in the step's own files."""
    functions, right = sources.functions(file_of(line)), sources.functions_of(line["step"])
    after = diffs.lines_of(functions)
    before = diffs.lines_of(right[one.name] for one in functions if one.name in right)
    change = ladder_changes.Change(before, after,
                                   difflib.SequenceMatcher(None, before, after, False))
    names = [templates.safe(f"<code>{line[name]}</code>") for name in ("of", "twin")]
    return diffs.side_by_side(change, *names) if before else ""


def described(line):
    """Its fault in a sentence, which often begins with the kernel's name."""
    return templates.coded(re.sub(rf"^{line['of']}\b", f"`{line['of']}`", line["fault"]))


def body(page):
    """All twins of one step."""
    step = book.step(page.step)
    return templates.part("twins", step, [
        (twin, described(line), twin.path.stem == FIND_ME, diff_of(line), report(line), line["size"])
        for twin, line in of_step(step).items()])


@directive("faults list")
def gallery(_page, *words):
    """<!-- faults list KIND + KIND -->, except those that the reader is to find"""
    kinds = " ".join(words).split(" + ")
    return templates.part("gallery", [
        (book.step(line["step"]), line["twin"], described(line)) for line in twins()
        if kind_of(line) in kinds and line["twin"] != FIND_ME])


@directive("faults scores")
def scores(_page):
    """How many twins of each kind are found where."""
    by_kind = {kind: [line for line in twins() if kind_of(line) == kind] for kind in KINDS.values()}
    return templates.part("scores", [
        (kind, [len(lines), found(lines, "cpu"), len(run_on_gpu(lines)), found(lines, "gpu")])
        for kind, lines in {**by_kind, "All": twins()}.items() if lines])


@directive("faults show")
def show(page, step_name, name):
    """<!-- faults show STEP TWIN -->"""
    step = book.step(step_name)
    for twin, line in of_step(step).items():
        if twin.name == name:
            return templates.part("twin", step, name, described(line), diff_of(line), report(line))
    raise staging.Fault(f"{page.source}: {step_name} has no twin {name}")
