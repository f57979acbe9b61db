"""The known-wrong twins: what each has wrong, as a diff, and who finds it."""

import collections
import html
import re
import sys

import book
import diffs
import sources
import templates

sys.path.append(str(book.ROOT / "steps"))
import fault_header  # noqa: E402
import wrong_twins  # noqa: E402
import wrong_twins_report  # noqa: E402

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


def twins(step_name=None):
    """The records of the twins that are still there."""
    return [line for line in book.recorded("wrong_twins")[1:]
            if step_name in (None, line["step"]) and file_of(line).exists()]


def of_step(step):
    """All its twins, with what is recorded of them."""
    lines = {line["twin"]: line for line in twins(step.name)}
    return [lines.get(twin.name) or wrong_twins_report.describe(twin)
            for twin in wrong_twins.twins_of(step.folder)]


def pages():
    return [book.Page(f"wrong_{step.name}", "wrong/", str((step.folder / "wrong").relative_to(book.ROOT)),
                      "", "code", parent=step.page, step=step.name,
                      heading=f"Wrong on purpose: {named(step)}")
            for step in book.steps() if of_step(step)]


def named(step):
    return f"step {step.number}" if step.is_whole else step.name


def kind_of(line):
    check = line["rejected_by"]
    return KINDS["counters" if check.startswith("counters") else check]


def found_by(line, side):
    """The tools' findings on one side."""
    said = wrong_twins_report.finds_cell(line[side])
    return "no tool finds it" if said == "-" else said


def first_report(line):
    """The first words of compute-sanitizer on the fault, on the GPU."""
    tool, _, kind = line["rejected_by"].partition(" ")
    for report in (line["gpu"] or {}).get(tool, {}).get("reports", []):
        if not report.startswith(("Target", "Warning")) and \
                (report.startswith("Leaked") == (kind == "(leak)")):
            return re.sub(r"\(.*", "", report)
    return ""


def report(line):
    """The twin's own output, and the sanitizer's first words on a GPU."""
    if "cpu" not in line:
        return '<p class="hint">There is no record yet.</p>'
    rows = []
    for side, where in (("cpu", "on the CPU"), ("gpu", "on an H200")):
        if line[side] is None:
            rows.append((where, "not run", "not run", ""))
            continue
        plain = line[side]["result"]
        said = (plain["error"] or "").removeprefix("error: ") if plain["exit_code"] else \
            "the result is right"
        if plain["exit_code"] is None:
            said = "does not come to an end"
        rows.append((where, said, templates.safe(found_by(line, side)),
                     first_report(line) if side == "gpu" else ""))
    return templates.part("report", rows)


def description(path):
    """The comment at the top of a twin: its paragraphs, without what is for tools. A twin that the
    reader is to find says nothing there of its fault; another file does."""
    if path.stem == wrong_twins.FIND_ME:
        return [wrong_twins.read_find_me(path).fault]
    parts = [" ".join(lines) for lines in fault_header.paragraphs(path)]
    return [part for part in parts
            if part and not re.match(r"(?:May also show|Rejected by|Only|Runs)\b.*:", part)]


def right_text(step_name, names):
    """The functions of the same names in the step's own files."""
    by_name = sources.functions_of(step_name)
    return diffs.lines_of([by_name[name][0] for name in names if name in by_name])


def diff_of(line):
    functions = sources.functions(file_of(line))
    before = right_text(line["step"], [function.name for function in functions])
    after = diffs.lines_of(functions)
    if not before:
        return ""
    return diffs.side_by_side(before, after, f"<code>{line['of']}</code>",
                              f"<code>{line['twin']}</code>")


def body(page):
    """All twins of one step."""
    parts = [f'<p>Kernels of <a href="{page.parent}.html">{named(book.step(page.step))}</a> with one fault '
             "each, beside the right one. The tests insist on their being found.</p>"]
    for line in of_step(book.step(page.step)):
        parts.append(f'<h2 id="{line["twin"]}">{line["twin"]}</h2>')
        if line["twin"] == wrong_twins.FIND_ME:
            parts.append("<details><summary>Read its file before you look here.</summary>"
                         f"{all_of(line)}</details>")
        else:
            parts.append(all_of(line))
    return "".join(parts)


def all_of(line):
    """A twin's fault, what changed, and who finds it."""
    parts = [f"<p>{described(line) if part == line['fault'] else html.escape(part)}</p>"
             for part in description(file_of(line))]
    parts.append(diff_of(line))
    parts.append(report(line))
    parts.append(f'<p class="hint">Seen with <code>{html.escape(line["size"])}</code>.</p>')
    return "".join(parts)


def described(line):
    """Its fault in a sentence, which often begins with the kernel's name."""
    text = re.sub(rf"^{line['of']}\b", f"<code>{line['of']}</code>", html.escape(line["fault"]))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def gallery(kinds):
    """The twins of some kinds: a list with links; not those that the reader is to find."""
    items = []
    for line in twins():
        if kind_of(line) in kinds and line["twin"] != wrong_twins.FIND_ME:
            fault = described(line)
            items.append(f'<li><a href="wrong_{line["step"]}.html#{line["twin"]}">'
                         f'{book.step(line["step"]).label} <code>{line["twin"]}</code></a> {fault}</li>')
    return f'<ul class="gallery">{"".join(items)}</ul>'


def scores():
    """How many twins of each kind are found where."""
    counts = collections.OrderedDict((kind, [0, 0, 0, 0]) for kind in KINDS.values())
    for line in twins():
        row = counts[kind_of(line)]
        row[0] += 1
        row[2] += line["gpu"] is not None
        for i, side in ((1, "cpu"), (3, "gpu")):
            row[i] += wrong_twins_report.is_found(line, side)
    total = [sum(row[i] for row in counts.values()) for i in range(4)]
    return templates.part("scores", [(kind, row) for kind, row in [*counts.items(), ("All", total)]
                                     if row[0]])


def show(step_name, twin):
    line = next((line for line in of_step(book.step(step_name)) if line["twin"] == twin), None)
    if line is None:
        raise ValueError(f"{step_name} has no twin {twin}")
    link = f'<a href="wrong_{step_name}.html#{twin}"><code>{twin}</code>, {named(book.step(step_name))}</a>'
    return (f'<p class="hint">{link}: {described(line)}</p>' + diff_of(line) + report(line))


def make(_page, arguments):
    """<!-- faults scores -->, <!-- faults show STEP TWIN -->, <!-- faults list KIND... -->"""
    match arguments:
        case ["scores"]:
            return scores()
        case ["show", step_name, twin]:
            return show(step_name, twin)
        case ["list", *words]:
            return gallery({kind for kind in KINDS.values()
                            if kind in " ".join(words).split(" + ")})
    raise ValueError(f"faults {' '.join(arguments)}")
