#!/usr/bin/env python3
"""Tables of the chapters' rungs, made from the manifest, the sources and docs/results.

    chapter_tables.py write     writes them between their marks
    chapter_tables.py check     only says what is out of date; exit code 1 if anything is

A README of steps/ has them in the places

    <!-- written by steps/chapter_tables.py: rungs [NAME...] -->
    <!-- end of what chapter_tables.py wrote -->

and the same for `stalls`. `rungs` says what each rung changes, counts and gains, `stalls` what it
waits for, as ncu saw it. NAME is a rung; without names the table has all rungs of the README's
folder. Exit code 2 if a place is wrong.
"""

import os
import re
import sys

import ladder as manifest
import ladder_changes
import ladder_records
import ladder_show
import rung_stalls
from ladder_records import records

ROOT = manifest.STEPS.parent
sys.path.append(str(ROOT / "common"))
import generated  # noqa: E402

END = "<!-- end of what chapter_tables.py wrote -->\n"
BEGIN = re.compile(r"^<!-- written by steps/chapter_tables\.py: (.*?) -->\n", re.M)


class BadPlace(ValueError):
    """A README has a place for a table that cannot be made; the text names the file."""


def table(head, rows):
    lines = [f"| {' | '.join(cells)} |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


class Tables:
    def __init__(self, ladder):
        self.ladder = ladder
        self.records = ladder_records.Records(ladder)
        self.stalls = rung_stalls.Stalls()

    def rungs_of(self, readme, names):
        if names:
            return [self.rung(name) for name in names]
        return [rung for rung in self.ladder.rungs
                if (manifest.STEPS / rung.path).parent == readme.parent]

    def rung(self, name):
        rung = self.ladder.rung(name)
        if rung is None:
            raise BadPlace(f"there is no rung '{name}'")
        return rung

    # --- what each changes, counts and gains ---

    def rungs_table(self, readme, rungs):
        step = self.ladder.step(rungs[0].program_step)
        figures = ladder_records.FIGURES[step.problem]
        head = ["rung", "from", "lines", *(heading for heading, _ in figures), "time", "gain"]
        places = ladder_show.places(self.ladder)
        rows = [[f"{places[rung.name][1]}. {link(readme, rung)}",
                 ladder_show.origin_text(rung, places), self.lines(rung),
                 *self.figures(rung, step), *self.time(rung)] for rung in rungs]
        meanings = "; ".join(f"{heading}: {ladder_records.MEANINGS[heading]}"
                             for heading, _ in figures)
        origins = {rung.origin: ladder_show.origin_text(rung, places) for rung in rungs}
        elsewhere = [f"{text} is `{name}`" for name, text in origins.items()
                     if text != "-" and name not in [rung.name for rung in rungs]]
        about = ("From: the rung that it grows from" +
                 (f" ({', '.join(elsewhere)})" if elsewhere else "") +
                 "; lines: added and removed against that one; A → B: A for that one, B for this one; "
                 f"{meanings}. Counts: with `{' '.join(step.arguments(step.counted[0]))}`.")
        rates = [rate for rate in map(self.records.rate, rungs) if rate]
        if rates:
            about += f" Time: with `{rates[0].size}` on an {rates[0].device}."
        return table(head, rows) + "\n" + generated.wrapped(about)

    def lines(self, rung):
        change = ladder_changes.change(self.ladder, rung)
        return f"+{change.added}" + (f" −{change.removed}" if rung.origin else "")

    def figures(self, rung, step):
        """The counted figures before and after the rung; one number where they are equal."""
        size = step.counted[0]
        for _, figure in ladder_records.FIGURES[step.problem]:
            texts = []
            for name in filter(None, (rung.origin, rung.name)):
                counts = self.records.counts(name, step)
                texts.append(ladder_show.short_number(figure(counts, size) if counts else None))
            # A rung that grows from another problem's has no counts before it.
            texts = [text for i, text in enumerate(texts) if text != "-" or i == len(texts) - 1]
            yield " → ".join(dict.fromkeys(texts))

    def time(self, rung):
        row = self.records.measured(rung)
        if row is None:
            return "-", "-"
        gain = ladder_show.gain_text(self.records.rate(rung).gain)
        return milliseconds(row.median_ms), gain.replace("x", " ×")

    # --- what each waits for ---

    def stalls_table(self, readme, rungs):
        step = self.ladder.step(rungs[0].program_step)
        limits = rung_stalls.LIMITS["sgemm" if step.problem == "sgemm" else "others"]
        head = ["rung", "issue", "waits for", "regs", "warps", *limits]
        rows, reasons, shapes = [], [], []
        for rung in rungs:
            launches = self.stalls.launches_of(rung.name)
            if not launches:
                rows.append([link(readme, rung), *["-"] * (len(head) - 1)])
            for launch in launches:
                name = link(readme, rung)
                if len(launches) > 1:
                    name += f" {rung_stalls.part_text(launch, launches)}"
                rows.append([name, f"{launch['issue_percent']:.0f} %", rung_stalls.waits(launch),
                             str(launch["registers"]), f"{launch['warps']:.0f}",
                             *(figure(launch) for figure in limits.values())])
                reasons += launch["stalls"]
                shapes.append(launch["shape"])
        return table(head, rows) + "\n" + generated.wrapped(
            self.stalls.about(shapes, limits, reasons))


def link(readme, rung):
    path = os.path.relpath(manifest.STEPS / rung.path, readme.parent)
    return f"[`{rung.name}`]({path})"


def milliseconds(ms):
    """In three digits: 472 ms, 2.02 ms, 67.0 µs."""
    return f"{ms:#.3g}".rstrip(".") + " ms" if ms >= 0.1 else f"{1000 * ms:#.3g} µs"


MAKERS = {"rungs": Tables.rungs_table, "stalls": Tables.stalls_table}


def with_tables(text, readme, tables):
    """The README's text with its tables up to date; raises BadPlace."""
    done, rest = "", text
    while place := BEGIN.search(rest):
        kind, *names = place[1].split() or [""]
        if kind not in MAKERS:
            raise BadPlace(f"there is no table '{kind}'; allowed: {', '.join(MAKERS)}")
        inside, end, after = rest[place.end():].partition(END)
        if not end or BEGIN.search(inside):
            raise BadPlace(f"'{place[0].strip()}' is not ended by '{END.strip()}'")
        rungs = tables.rungs_of(readme, names)
        if not rungs:
            raise BadPlace(f"'{place[0].strip()}': no rung is in this folder")
        made = MAKERS[kind](tables, readme, rungs)
        done += f"{rest[:place.end()]}\n{made}\n{END}"
        rest = after
    return done + rest


def readmes(ladder):
    """The chapters' and those of what goes further."""
    for step in ladder.steps:
        for folder in ("", manifest.FURTHER):
            path = manifest.STEPS / step.name / folder / "README.md"
            if path.is_file():
                yield path


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = {}
    try:
        ladder = manifest.read()
        tables = Tables(ladder)
        for readme in readmes(ladder):
            try:
                wanted[readme] = with_tables(readme.read_text(encoding="utf-8"), readme, tables)
            except BadPlace as error:
                raise BadPlace(f"{os.path.relpath(readme, ROOT)}: {error}") from error
    except (BadPlace, manifest.BadManifest, records.Failure, rung_stalls.Failure,
            OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults = generated.bring_up_to_date(wanted, arguments == ["write"], "steps/chapter_tables.py")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
