"""The contents of the site: its pages and their order, and the recorded results they show."""

import dataclasses
import functools
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "steps"), str(ROOT / "docs" / "drawings"),
             # Debian's packages, for a python3 that is not Debian's, too. They are all in Python.
             "/usr/lib/python3/dist-packages"]
import ladder  # noqa: E402
import ladder_records  # noqa: E402, which lets those of common/bench be found
import records  # noqa: E402

DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
TITLE = "CUDA in twelve steps"

# The chapters as the manifest calls them, and their introductions in docs/pages.
CHAPTERS = {"elementwise": "elementwise", "reduce": "reduction", "transpose": "transpose",
            "sgemm": "product"}
# The groups of pages, and the pages of those that follow the chapters, in order; new names go here.
GROUPS = {
    "Learn": [],
    "Practice": ["exercises", "judge", "teachers", "debugging", "course"],
    "Understand": ["memory", "faults", "measured", "map", "cpu"],
    "Reference": ["running", "gpu", "output", "glossary", "sources", "interfaces", "project", "site"],
}


@dataclasses.dataclass
class Page:
    name: str      # the file is NAME.html
    title: str
    source: str = ""  # where its text comes from, for the reader; a path in the repository
    text: str = ""    # Markdown
    kind: str = "reference"  # guide, chapter, step, background, code, interface
    number: str = ""  # of a step: "08"
    parent: str = ""  # the page that it belongs to; of a step its chapter's introduction
    heading: str = ""  # where it is not the title, which the list of pages has
    step: str = ""     # whose sources and results it speaks of; of steps and what belongs to them


class Step:
    """A step, or the further program of one that has a folder and a chapter of its own (gemv)."""

    def __init__(self, entry):
        self.entry = entry  # of the manifest: a ladder.Step
        self.name = entry.program  # of its records and its page, too: "08_transpose_shared", "gemv"
        self.number = entry.name[:2]  # 08; of gemv that of the step whose folder it is in
        self.folder = ROOT / "steps" / entry.name
        self.is_whole = "/" not in entry.name  # no part of another
        self.label = self.number if self.is_whole else self.name  # 08, gemv
        self.called = f"step {self.number}" if self.is_whole else self.name  # step 08, gemv
        # Its chapter; None where it has none of its own (yet).
        self.readme = existing(self.folder / "README.md")
        # The name of the page that speaks of it.
        self.page = self.name if self.readme else entry.name.partition("/")[0]
        self.title = title_of(self.readme.read_text(encoding="utf-8")) if self.readme else self.name
        self.variants = manifest().variants_of(entry.name)  # rungs and dispatchers, in order


def existing(path):
    return path if path.exists() else None


@functools.cache
def manifest():
    return ladder.read()


@functools.cache
def steps():
    """As the manifest lists them."""
    return list(map(Step, manifest().steps))


def step(name):
    """That of a program, or of the manifest."""
    return next(step for step in steps() if name in (step.name, step.entry.name))


def variant(name):
    """A rung or a dispatcher; None: there is none of this name."""
    return next((one for one in manifest().variants if one.name == name), None)


def is_further(variant):
    """Off the trunk: nothing that is not needs it."""
    return variant.file.startswith(f"{ladder.FURTHER}/")


def further(step):
    """The text about a step's rungs off the trunk, if it has one."""
    return existing(step.folder / ladder.FURTHER / "README.md")


def title_of(text):
    """The text of the first heading, without a step's number and the like."""
    return re.sub(r"^(?:\d\d|Exercise): ", "", re.search(r"^# (.+)$", text, re.M)[1])


def page_of(path, name, kind, **more):
    """The page that a file is written for."""
    text = path.read_text(encoding="utf-8")
    return Page(name, title_of(text), str(path.relative_to(ROOT)), text, kind, **more)


def chapters_in_order():
    """The pages that are read one after the other."""
    def written(kind, *names):
        return [page_of(DOCS / "pages" / f"{name}.md", name, kind) for name in names]

    pages = written("guide", "index", "first")
    for chapter, introduction in CHAPTERS.items():
        pages += written("chapter", introduction)
        pages += [page_of(one.readme, one.name, "step", step=one.name, parent=introduction,
                          number=one.number if one.is_whole else "")
                  for one in steps() if one.entry.chapter == chapter and one.readme]
    made = ("sources", "interfaces")  # from code
    return pages + written("background", *(name for names in GROUPS.values() for name in names
                                           if name not in made))


def source_of(page, target):
    """The file that a link of a page means, from the top of the repository."""
    return os.path.normpath(os.path.join(os.path.dirname(page.source), target)) \
        if target else page.source


def further_pages():
    """The pages that go beyond the chapters; each is linked from its own."""
    return [page_of(further(one), f"further_{one.name}", "further", parent=one.page, step=one.name)
            for one in steps() if further(one)]


# --- recorded results -----------------------------------------------------------------------------


@functools.cache
def recorded(name):
    """The lines of docs/results/NAME.jsonl."""
    path = RESULTS / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@functools.cache
def rows(results):
    """The recorded runs; of several of a kernel at one size, the middle one."""
    return records.read(RESULTS / f"{results}.jsonl")


@functools.cache
def of_rungs():
    """The rungs' recorded runs at their steps' standard sizes, and their counts."""
    return ladder_records.Records(manifest())


def counted(variant):
    """The counts of all launches of a kernel at the first of the recorded sizes; None: there are
    none."""
    return of_rungs().counts(variant.name, step(variant.program_step).entry)


def rate(row):
    """(figure, unit), as the problem is measured: ("3425", "GB/s")."""
    if row.limited_by_arithmetic and row.rate >= 1000:
        return number(row.rate / 1000), "TFLOP/s"
    return number(row.rate), "GFLOP/s" if row.limited_by_arithmetic else "GB/s"


def number(value):
    """As prose writes it: 3425, 34.4, 0.52."""
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"
