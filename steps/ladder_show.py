"""build/ladder: the rungs, what each changes, and what that gains. See HELP."""

import argparse
import difflib
import json
import os
import shutil
import signal
import sys
import textwrap

import chapter_questions
import expressions
import ladder as manifest
import ladder_changes
import ladder_diff
import ladder_records
import quiz
import step_runs

WIDTH = 80  # of tables
SIDE_BY_SIDE = 160  # columns of a terminal from which a diff has two
WRONG, BAD_USAGE = 1, 2
ALL = ""  # instead of a step
HELP = """Shows the ladder: the tutorial's kernels in order, each one idea apart from the
one it grows from.

  ladder                        the table of all rungs
  ladder transpose_tile_padded  one rung: its idea, its counts and records
                                before and after, and its diff
  ladder --steps 10 11          the same for the rungs after step 10, up to the
                                last one of step 11
  ladder --json                 one JSON object per rung and line
  ladder --quiz 04              asks the questions of a step's chapter, runs its
                                kernels on the CPU, and shows their counts
                                beside your answers
  ladder --quiz                 the same for all chapters

A diff includes the headers of steps/ that a rung includes, except those of
steps/instructions. On a terminal of 160 columns it is side by side; on any
terminal it is in color, unless NO_COLOR is set.

--quiz runs the steps' programs in this program's build folder, which must have
the cpu backend.

Exit codes: 0 all right; 1 steps/ladder.toml, a record, a question or a run is
wrong; 2 bad usage."""


class BadUsage(ValueError):
    """The command line asks for what is not there."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadUsage(f"{message}; ladder --help says what is allowed")

    def _print_message(self, message, file=None):
        # argparse's own swallows what a full disk says.
        (file or sys.stdout).write(message)
        (file or sys.stdout).flush()


def parse(words, version):
    parser = Parser(prog="ladder", description=HELP, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a rung, by its kernel's name")
    parser.add_argument("--steps", nargs=2, metavar=("FIRST", "LAST"),
                        help="steps by number or name: 10, gemv, 10_sgemm_blocktile")
    parser.add_argument("--quiz", nargs="?", const=ALL, metavar="STEP",
                        help="the questions of a step's chapter, or of all chapters")
    parser.add_argument("--json", action="store_true", help="JSON instead of text")
    parser.add_argument("--version", action="version", version=f"ladder {version}")
    arguments = parser.parse_args(words)
    if arguments.name is not None and arguments.steps:
        raise BadUsage(f"'{arguments.name}' and --steps: allowed is one of them")
    if arguments.quiz is not None and (arguments.name or arguments.steps or arguments.json):
        raise BadUsage("--quiz takes a step, and nothing beside it")
    return arguments


# --- what is asked for ----------------------------------------------------------------------------


def nearest(word, words):
    return difflib.get_close_matches(word, words, n=1, cutoff=0)[0]


def find_rung(ladder, name):
    if rung := ladder.rung(name):
        return rung
    if any(name == variant.name for variant in ladder.variants):
        raise BadUsage(f"'{name}' is no rung: it chooses among the rungs of its step by shape")
    near = nearest(name, [rung.name for rung in ladder.rungs])
    raise BadUsage(f"there is no rung '{name}'; the nearest is '{near}'")


def find_step(ladder, word):
    """Its place in the ladder."""
    for i, step in enumerate(ladder.steps):
        number = step.program.partition("_")[0]
        if word in (step.name, step.program, number, number.lstrip("0")):
            return i
    names = [step.program for step in ladder.steps]
    if word.isdigit():
        numbers = [name[:2] for name in names if name[:2].isdigit()]
        raise BadUsage(f"there is no step '{word}'; there are {numbers[0]} to {numbers[-1]}")
    raise BadUsage(f"there is no step '{word}'; the nearest is '{nearest(word, names)}'")


def rungs_between(ladder, first, last):
    """From one step's to another's: without those of the first, but where it is also the last."""
    begin, end = find_step(ladder, first), find_step(ladder, last)
    if begin > end:
        raise BadUsage(f"--steps {first} {last}: the first comes after the last")
    names = [step.name for step in ladder.steps[begin + (begin < end):end + 1]]
    return [rung for rung in ladder.rungs if rung.program_step in names]


def chosen(ladder, arguments):
    if arguments.name is not None:
        return [find_rung(ladder, arguments.name)]
    if arguments.steps:
        return rungs_between(ladder, *arguments.steps)
    return ladder.rungs


# --- the table ------------------------------------------------------------------------------------


def short_number(value):
    """In at most six characters; a pair with a slash between."""
    if value is None:
        return "-"
    if isinstance(value, list):
        return "/".join(map(short_number, value))
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    if value >= 1e4:
        return f"{value / 1e3:.3g}k"
    return str(round(value)) if value >= 100 or value == int(value) else f"{value:.3g}"


def gain_text(gain):
    return "-" if gain is None else f"{gain:.2f}x" if gain < 100 else f"{gain:.0f}x"


def shortened(text, width):
    return textwrap.shorten(text, width, placeholder=" ...")


def wrapped(text):
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def places(ladder):
    """Name -> (step as it is short, place in its folder): ("08", "2"), ("02", "f1")."""
    found, count = {}, {}
    for rung in ladder.rungs:
        folder = rung.path.rpartition("/")[0]
        count[folder] = count.get(folder, 0) + 1
        further = folder.endswith(f"/{manifest.FURTHER}")
        step = ladder.step(rung.program_step).program.partition("_")[0]
        found[rung.name] = step, f"{'f' if further else ''}{count[folder]}"
    return found


def origin_text(rung, place):
    if not rung.origin:
        return "-"
    step, number = place[rung.origin]
    return number if step == place[rung.name][0] else f"{step}/{number}"


def table(ladder, records):
    """Its lines: two for a rung, the second with the idea."""
    place = places(ladder)
    name_width = max(len(variant.name) for variant in ladder.variants)

    def row(number, name, *cells):
        text = f"{number:>2} {name:{name_width}}"
        return text + "".join(f" {cell:>{width}}" for cell, width in zip(cells, (5, 7, 8, 8, 7, 5)))

    shown = {}  # headings of what is counted, in order
    for step in ladder.steps:
        headings = [heading for heading, _ in ladder_records.FIGURES[step.problem]]
        shown.update(dict.fromkeys(headings))
        unit = "TFLOP/s" if step.problem == "sgemm" else "GB/s"
        yield shortened(f"{step.name}: {step.idea}", WIDTH)
        yield row("", "kernel", "from", "lines", *headings, unit, "gain")
        for variant in ladder.variants_of(step.name):
            figures = [short_number(value) for value in records.figures(variant).values()]
            rate = records.rate(variant)
            recorded = [short_number(rate.value), gain_text(rate.gain)] if rate else ["-", "-"]
            if variant.is_rung:
                change = ladder_changes.change(ladder, variant)
                lines = f"+{change.added}" + (f" -{change.removed}" if variant.origin else "")
                yield row(place[variant.name][1], variant.name, origin_text(variant, place), lines,
                          *figures, *recorded)
            else:
                yield row("", variant.name, "", "", *figures, *recorded)
            yield "     " + shortened(variant.idea, WIDTH - 5)
        yield ""
    yield from legend(shown, records)


def legend(headings, records):
    devices = sorted({row.device for row in records.rows.values()})
    yield "from      the rung it grows from, of this step or of another; f: in further/"
    yield "lines     added and removed against that rung, headers of steps/ included"
    for heading in headings:
        yield f"{heading:9} {ladder_records.MEANINGS[heading]}"
    yield "GB/s      recorded at the step's first measured size" + \
        (f", {', '.join(devices)}" if devices else "")
    yield "gain      over the rung it grows from"
    yield "A kernel without a number is no rung, but chooses among rungs by shape."


# --- one rung ---------------------------------------------------------------------------------------


def comparison(ladder, records, rung):
    """Counts of the rung before and of this one, and the recorded rate."""
    before = ladder.rung(rung.origin)
    step = ladder.step(rung.program_step)
    names = [before.name] if before else []
    names.append(rung.name)
    counts = [records.counts(name, step) for name in names]
    if any(counts):
        yield from ["", f"counted on the CPU at {' '.join(step.arguments(step.counted[0]))}"]
        yield comparison_row("", names, names)
        for kind in (*ladder_records.GLOBAL, "global_atomic", *ladder_records.SHARED):
            for name in ("requests", "sectors", "wavefronts"):
                if any(one and name in one.kinds.get(kind, {}) for one in counts):
                    yield comparison_row(f"{kind.replace('_', ' '):14}{name}",
                                         [f"{one.of(name, kind):,}" if one else "-"
                                          for one in counts], names)
        for heading, figure in ladder_records.FIGURES[step.problem]:
            yield comparison_row(heading, [short_number(figure(one, step.counted[0]) if one
                                                        else None) for one in counts], names)
    rate = records.rate(rung)
    if rate:
        gain = f", {gain_text(rate.gain)} {before.name}" if rate.gain else ""
        yield ""
        yield from wrapped(f"on {rate.device}, {rate.size}: "
                           f"{short_number(rate.value)} {rate.unit}{gain}")


def comparison_row(label, cells, names):
    return f"  {label:24}" + "".join(f"  {cell:>{len(name)}}" for cell, name in zip(cells, names))


def page(ladder, records, rung, width, colors):
    """One rung and its diff; `width` is the terminal's, or None."""
    change = ladder_changes.change(ladder, rung)
    before = ladder.rung(rung.origin)
    for line in wrapped(f"{rung.name}: {rung.idea}"):
        yield ladder_diff.painted(line, ladder_diff.BOLD, colors)
    if before:
        yield f"grows from {before.name}: +{change.added} -{change.removed}"
    else:
        yield f"grows from no other rung: {change.added} lines"
    yield from comparison(ladder, records, rung)
    yield ""
    yield f"--- {'steps/' + before.path if before else '/dev/null'}"
    yield f"+++ steps/{rung.path}"
    if before and width is not None and width >= SIDE_BY_SIDE:
        yield from ladder_diff.side_by_side(change, width, colors)
    else:
        yield from ladder_diff.unified(change, colors)


def json_line(ladder, records, rung):
    change = ladder_changes.change(ladder, rung)
    fields = {"step": rung.step, "file": rung.file, "kernel": rung.name, "from": rung.origin,
              "idea": rung.idea, "added": change.added, "removed": change.removed}
    if not rung.origin:
        del fields["from"]
    step = ladder.step(rung.program_step)
    counts = records.counts(rung.name, step)
    if counts:
        fields["counted"] = {
            "shape": counts.shape, **counts.kinds,
            **{figure.__name__: figure(counts, step.counted[0])
               for _, figure in ladder_records.FIGURES[step.problem]}}
    if rate := records.rate(rung):
        fields |= {"rate": rate.value, "unit": rate.unit, "shape": rate.size,
                   "device": rate.device}
        if rate.gain:
            fields["gain"] = rate.gain
    return json.dumps(fields)


def ask_questions(ladder, word, build):
    """Those of a step's chapter, or of all that have some."""
    steps = ladder.steps if word == ALL else [ladder.steps[find_step(ladder, word)]]
    chapters = [(step, chapter_questions.read(step)) for step in steps
                if chapter_questions.has_questions(step)]
    if not chapters:
        raise BadUsage(f"no questions in the chapters of {', '.join(s.program for s in steps)}")
    sources = chapter_questions.Sources(build)
    sources.check_built([question for _, questions in chapters for question in questions])
    quiz.run(sources, chapters, in_colors())


def in_colors():
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def report(arguments, build):
    ladder = manifest.read()
    if arguments.quiz is not None:
        ask_questions(ladder, arguments.quiz, build)
        return
    rungs = chosen(ladder, arguments)
    records = ladder_records.Records(ladder)
    if arguments.json:
        for rung in rungs:
            print(json_line(ladder, records, rung))
    elif arguments.name is None and not arguments.steps:
        for line in table(ladder, records):
            print(line)
    else:
        colors = in_colors()
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for i, rung in enumerate(rungs):
            for line in [""] * min(i, 1) + list(page(ladder, records, rung, width, colors)):
                print(line)


def main(version, build, words=None):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `ladder | head` ends with head
    sys.stdout.reconfigure(errors="replace")
    try:
        try:
            report(parse(words, version), build)
        finally:
            sys.stdout.flush()
        return 0
    except (BadUsage, manifest.BadManifest, chapter_questions.BadQuestion, expressions.Fault,
            step_runs.Failure, ladder_records.records.Failure, OSError) as error:
        print("error:", " ".join(str(error).split("\n")), file=sys.stderr)
        # Python would try to write the rest again at the end.
        if isinstance(error, OSError):
            sys.stdout = None
        return BAD_USAGE if isinstance(error, BadUsage) else WRONG
