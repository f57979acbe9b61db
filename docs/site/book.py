"""What the site consists of: its pages and their order, and the recorded results they show."""

import dataclasses
import functools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "common" / "bench"))
import records  # noqa: E402
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
TITLE = "CUDA in twelve steps"

# The chapters as the manifest calls them, and their introductions in docs/pages.
CHAPTERS = {"elementwise": "elementwise", "reduce": "reduction", "transpose": "transpose",
            "sgemm": "product"}
# What follows the chapters.
BACKGROUND = ["memory", "faults", "cpu", "output", "measured", "glossary"]


@dataclasses.dataclass
class Page:
    name: str      # the file is NAME.html
    title: str
    source: str    # where its text comes from, for the reader; a path in the repository
    text: str      # Markdown
    kind: str      # guide, chapter, step, background, code, interface
    number: str = ""  # of a step: "08"
    parent: str = ""  # of code: the page that it belongs to
    heading: str = ""  # where it is not the title, which the list of pages has


@dataclasses.dataclass
class Step:
    name: str
    chapter: str
    programs: list

    @property
    def folder(self):
        return ROOT / "steps" / self.name

    @property
    def number(self):
        return self.name[:2]


@functools.cache
def steps():
    """As the manifest lists them."""
    return [Step(step.name, step.chapter, step.programs) for step in ladder.read().steps
            if "/" not in step.name]


def step(name):
    return next(step for step in steps() if step.name == name)


def title_of(text):
    """The text of the first heading, without a step's number."""
    return re.sub(r"^\d\d: ", "", re.search(r"^# (.+)$", text, re.M)[1])


def chapters_in_order():
    """The pages that are read one after the other."""
    def written(name, kind):
        path = DOCS / "pages" / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        return Page(name, title_of(text), str(path.relative_to(ROOT)), text, kind)

    pages = [written("index", "guide")]
    for chapter, introduction in CHAPTERS.items():
        pages.append(written(introduction, "chapter"))
        for one in steps():
            if one.chapter == chapter:
                path = one.folder / "README.md"
                text = path.read_text(encoding="utf-8")
                pages.append(Page(one.name, title_of(text), str(path.relative_to(ROOT)), text,
                                  "step", number=one.number))
    return pages + [written(name, "background") for name in BACKGROUND]


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


def runs(results):
    """The same, what was recorded of each."""
    return [row.fields for row in rows(results)]


def measured(step_name, variant=None):
    """The recorded runs of a step at its standard size, the first in the record; or of one of its
    kernels (None: it was not recorded)."""
    lines = [line for line in runs("h200") if line["step"] == step_name]
    lines = [line for line in lines if line["shape"] == lines[0]["shape"]]
    if variant is None:
        return lines
    return next((line for line in lines if line["variant"] == variant), None)


def counted(step_name, variant):
    """What all launches of a kernel count at the first of the recorded sizes: {kind: figures}, and
    the size."""
    lines = [line for line in recorded("agreement")
             if (line["step"], line["variant"]) == (step_name, variant)]
    sums = {}
    if not lines:
        return sums, ""
    for line in lines:
        if line["shape"] == lines[0]["shape"]:
            for kind, figures in line["cpu"].items():
                into = sums.setdefault(kind, {})
                for figure, value in figures.items():
                    into[figure] = into.get(figure, 0) + value
    return sums, lines[0]["shape"]


def rate(line):
    """(figure, unit), as the problem is measured."""
    if "roof_gflop_per_s" in line or "gb_per_s" not in line:
        flops = line["gflop_per_s"]
        return (flops / 1000, "TFLOP/s") if flops >= 1000 else (flops, "GFLOP/s")
    return line["gb_per_s"], "GB/s"


def number(value):
    """As prose writes it: 3425, 34.4, 0.52."""
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def shape_text(shape):
    return " ".join(f"{name}={value}" for name, value in shape.items())
