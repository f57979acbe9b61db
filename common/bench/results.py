#!/usr/bin/env python3
"""The pictures and tables of speed in the READMEs, made from the records alone.

    results.py write     draws docs/figures/*.svg, and writes the section `Measured` of each step's
                         README.md, the tables of the README.md of all, and docs/pages/map.md
    results.py check     only says what would be written otherwise; exit code 1 if anything would

The records are docs/results/h200.jsonl, written by `bench --record`,
docs/results/softmax_peers.jsonl, written by softmax_peers.py, and docs/results/map_*.jsonl, written
by `bench --map --record`, where there are any. Exit code 2 if they lack something.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import figures  # noqa: E402
import generated  # noqa: E402
import map_page  # noqa: E402
import map_records  # noqa: E402
import records  # noqa: E402
from generated import wrapped  # noqa: E402
from tables import milliseconds, percent, table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "docs" / "results" / "h200.jsonl"
PEERS = ROOT / "docs" / "results" / "softmax_peers.jsonl"
FIGURES = ROOT / "docs" / "figures"
MAP_PAGE = ROOT / "docs" / "pages" / "map.md"

BEGIN = "<!-- written by common/bench/results.py -->\n"
END = "<!-- end of what results.py wrote -->\n"
BEFORE_IN_ROOT = "## Your own kernels, without a GPU"  # the section of all goes before it


def rate(row):
    return figures.rate_text(row.rate, row.limited_by_arithmetic)


def of_library(row):
    return row.rate / row.library_rate if row.library_rate else None


def figure_names(rows):
    """{chapter: names of its pictures}"""
    result = {}
    for chapter in records.chapters():
        chapter_rows = records.of_chapter(rows, chapter)
        if not chapter_rows:
            continue
        result[chapter] = [chapter]
        if len({row.sizes for row in records.finals(chapter_rows)}) > 2:
            result[chapter].append(f"{chapter}-sizes")
    return result


# --- a step's section ----------------------------------------------------------------------------

def span(values):
    """20, or 10 to 20."""
    return " to ".join(str(value) for value in sorted({min(values), max(values)}))


def runs_text(runs):
    """Which of so many runs counts."""
    if runs == [1]:
        return ""
    if runs == [2]:
        return ", in the slower of 2 runs"
    some_even = any(number % 2 == 0 for number in runs)
    return (f", in the middle one of {span(runs)} runs" +
            (" (of two in the middle the slower)" if some_even else ""))


def circumstances(rows):
    """The circumstances that these measurements share."""
    def all_of(name):
        return sorted({row.fields[name] for row in rows if name in row.fields})

    clocks = all_of("sm_clock_mhz")
    clock = f"{span(clocks)} MHz, " if clocks else ""
    versions = "".join(f"{what} {', '.join(all_of(name))}, "
                       for what, name in (("driver for CUDA", "driver"), ("Toolkit", "toolkit")))
    return (f"on an {', '.join(all_of('device'))} ({clock}{versions}{span(all_of('date'))}): "
            f"the median of {span(all_of('repeats'))} launches"
            f"{runs_text(sorted({row.runs for row in rows}))}, the L2 cache flushed before each")


def library_of(rows):
    """The kernel that all of these rows are compared with, or a name for the several that they are."""
    names = {row.baseline for row in rows if row.get("baseline")}
    return names.pop() if len(names) == 1 else "the library's fastest"


def ladder_table(ladder, step):
    """The step's kernels, each with how much faster it is than the rung that it grows from."""
    head = ["kernel", "time", "spread", "rate", "grows from", "gain", "of the roof",
            f"of {library_of(ladder)}"]
    lines = []
    for row in ladder:
        if row.step == step:
            before = records.before(row, ladder)
            lines.append([f"`{row.variant}`", milliseconds(row.median_ms),
                          f"{100 * row.spread:.1f} %", rate(row),
                          f"`{before.variant}`" if before else "-",
                          figures.gain_text(row, ladder) or "-", percent(row.rate / row.roof),
                          percent(of_library(row))])
    return table(head, lines)


def sizes_table(rows, peers):
    arithmetic = rows[0].limited_by_arithmetic
    at_size = not arithmetic and all("roof_at_size_gb_per_s" in row.fields for row in rows)
    library = library_of(rows)
    head = ["size", "kernel", "time", "rate", "of the roof"]
    head += ["of the same bytes' roof"] if at_size else []
    head += [f"of {library}"] + (["of the fastest peer"] if peers else [])
    lines = []
    for row in rows:
        line = [records.size_text(row.sizes), f"`{row.variant}`", milliseconds(row.median_ms),
                rate(row), percent(row.rate / row.roof)]
        if at_size:
            line.append(percent(row.rate / row.roof_at_size_gb_per_s))
        line.append(percent(of_library(row)) +
                    (f" ({row.baseline})" if row.get("baseline", library) != library else ""))
        if peers:
            rival = records.fastest_rival(row, peers)
            line.append(f"{percent(row.rate / rival[1])} ({rival[0]})" if rival else "-")
        lines.append(line)
    return table(head, lines)


def picture(name, title, up):
    return f"![{title}]({up}docs/figures/{name}.svg)\n"


def part(step, chapter, rows, peers, names, maps=()):
    """The section of a step's README.md on the times of a program's kernels. `maps`: map_page.named"""
    ladder = records.ladder(rows)
    first = next(row for row in ladder if row.step == step)
    roof = figures.roof_name(step)
    up = "../" * len(readme_of(step).parent.relative_to(ROOT).parts)
    own = [row for row in ladder if row.step == step]
    out = [wrapped(f"`{first.options}` {circumstances(own)}. The roof ({roof}) was "
                   f"{figures.rate_text(first.roof, first.limited_by_arithmetic)} in the same "
                   "process. The gain is over the rung that a kernel grows from. "
                   f"`build-cuda/bench --only {records.label(step)}` measures it again."),
           ladder_table(ladder, step),
           picture(names[0], f"The rate of every kernel: {chapter}", up)]
    finals = [row for row in records.finals(rows) if row.step == step]
    if len({row.sizes for row in finals}) > 1:
        about = "The last kernels of the chapter, at all sizes that are measured."
        if not first.limited_by_arithmetic:
            one, several = ("", "") if roof.startswith("two ") else ("a ", "es")
            about += (" For few bytes the start of a kernel counts: their roof is what "
                      f"{one}{roof} of the same bytes reach{several}, from as cold a cache. "
                      "A better kernel may pass it.")
        beside = peers if chapter == "softmax" else ()
        if beside:
            about += (" The peers are that library and, at some sizes, PyTorch, "
                      "torch.compile and Triton, which took turns with "
                      f"`{finals[-1].variant}` in another process.")
        out += [wrapped(about), sizes_table(finals, beside)]
        out += [picture(name, f"The last kernels at every size: {chapter}", up)
                for name in names[1:]]
    out += map_page.in_chapter(step, maps, up)
    return "\n".join(out)


def section(parts):
    """The section of a step's README.md: {program: what is said of it}, the step's own first."""
    text = "\n".join(said if i == 0 else f"### {program}\n\n{said}"
                     for i, (program, said) in enumerate(parts.items()))
    return f"{BEGIN}## Measured\n\n{text}{END}"


def summary(ladders, peers):
    """The table of the root's README.md: the best kernel of each step."""
    lines, shown = [], []
    for rows in ladders.values():
        for step in dict.fromkeys(row.step for row in rows):
            best = records.best([row for row in rows if row.step == step])
            shown.append(best)
            rival = records.fastest_rival(best, peers)
            lines.append([records.label(best.step),
                          records.size_text(best.sizes), f"`{best.variant}`", rate(best),
                          percent(best.rate / best.roof),
                          f"{percent(best.rate / rival[1])} ({rival[0]})" if rival else "-"])
    out = [BEGIN.rstrip(),
           wrapped(f"The best kernel of each step {circumstances(shown)}:"),
           table(["step", "size", "kernel", "rate", "of the roof", "of the fastest peer"],
                 sorted(lines, key=lambda line: (not line[0].isdigit(), line[0]))),
           picture("roofline", "All kernels below the roofs of memory and arithmetic", "")]
    return "\n".join(out) + END


# --- all files -----------------------------------------------------------------------------------

def readme_of(program):
    """The README.md of the step that a program belongs to; a part of a step without a chapter of its
    own shares the step's."""
    step = records.step_of(program) or next(
        (step for step in records.tutorial().steps if program in step.programs), None)
    if step is None:
        raise records.Failure(f"{program}: no step has a program of this name")
    own = ROOT / "steps" / step.name / "README.md"
    return own if own.exists() else ROOT / "steps" / step.name.partition("/")[0] / "README.md"


def texts(rows, peers, maps=()):
    """{file: what is to be in it}; `maps`: map_records.read_all()"""
    result = {FIGURES / f"{name}.svg": svg for name, svg in map_page.pictures(maps).items()}
    mapped = map_page.named(maps)
    result[MAP_PAGE] = generated.with_section(
        MAP_PAGE.read_text(encoding="utf-8"), BEGIN + "\n" + map_page.section(mapped) + "\n" + END,
        BEGIN, END, "")
    ladders, parts = {}, {}
    names = figure_names(rows)
    for chapter in names:
        chapter_rows = records.of_chapter(rows, chapter)
        ladders[chapter] = records.ladder(chapter_rows)
        result[FIGURES / f"{chapter}.svg"] = figures.ladder(chapter, ladders[chapter],
                                                          records.finals(chapter_rows))
        if len(names[chapter]) > 1:
            result[FIGURES / f"{chapter}-sizes.svg"] = figures.sizes(
                chapter, records.finals(chapter_rows), peers if chapter == "softmax" else ())
        for step in dict.fromkeys(row.step for row in ladders[chapter]):
            parts.setdefault(readme_of(step), {})[step] = part(step, chapter, chapter_rows, peers,
                                                               names[chapter], mapped)
    for readme, said in parts.items():
        result[readme] = generated.in_chapter(readme.read_text(encoding="utf-8"), section(said),
                                              BEGIN, END)
    result[FIGURES / "roofline.svg"] = figures.roofline(ladders)
    readme = ROOT / "README.md"
    result[readme] = generated.with_section(readme.read_text(encoding="utf-8"),
                                            summary(ladders, peers), BEGIN, END, BEFORE_IN_ROOT)
    return result


def left_over(wanted):
    """Pictures of ours that no record asks for any more."""
    return [f"{path}: nothing is recorded that it could show"
            for path in sorted(FIGURES.glob("*.svg"))
            if path not in wanted and figures.MARK in path.read_text(encoding="utf-8")]


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        wanted = texts(records.read(RECORD), records.read(PEERS), map_records.read_all())
    except (records.Failure, generated.NoPlace, OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults = generated.bring_up_to_date(wanted, arguments == ["write"], "results.py")
    faults += left_over(wanted)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
