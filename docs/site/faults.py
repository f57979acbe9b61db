"""The known-wrong twins: what each has wrong, as a diff, and who finds it."""

import difflib
import re

import book
import diffs
import sources
import templates
import ladder_changes  # of steps/, which book puts on the path
import wrong_twins
import wrong_twins_report


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


def check_of(line):
    """The check that is to find it, without what that counts."""
    return re.sub(r"^counters.*", "counters", line["rejected_by"])


def found(lines, side):
    """How many of them are found on one side."""
    return sum(wrong_twins_report.is_found(line, side) for line in lines)


def first_report(line):
    """The first words of compute-sanitizer on the fault, on the GPU."""
    tool, _, kind = line["rejected_by"].partition(" ")
    for report in line["gpu"].get(tool, {}).get("reports", []):
        if not report.startswith(("Target", "Warning")) and \
                (report.startswith("Leaked") == (kind == "(leak)")):
            return re.sub(r"\(.*", "", report)
    return ""


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
    return templates.inline(re.sub(rf"^{line['of']}\b", f"`{line['of']}`", line["fault"]))


def of_check(check):
    """The records of the twins that it is to find."""
    return [line for line in twins() if check_of(line) == check]
