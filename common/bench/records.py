"""The records of `bench --record` and softmax_peers.py: one result per line."""

import functools
import json
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "steps"))
import ladder as manifest  # noqa: E402

# The pictures' names for problems of the manifest, if they differ.
CHAPTER_NAMES = {"add": "elementwise", "sum": "reduction"}


class Failure(Exception):
    """The records lack something, or have something that cannot be."""


@functools.cache
def tutorial():
    return manifest.read()


def step_of(name):
    """The step of the manifest whose program has this name; None: there is none."""
    return next((step for step in tutorial().steps if step.program == name), None)


def label(step_name):
    """As tables and pictures say it: 08, gemv."""
    return step_name[:2] if "/" not in step_of(step_name).name else step_name


def chapters():
    """As the pictures have them: the steps of one problem."""
    problems = dict.fromkeys(step.problem for step in tutorial().steps)
    return [CHAPTER_NAMES.get(problem, problem) for problem in problems]


def rate_name(line):
    """Whether arithmetic is the limit, or memory. Without a roof, a product's line has one rate."""
    return "gflop_per_s" if "roof_gflop_per_s" in line or "gb_per_s" not in line else "gb_per_s"


class Row:
    """A variant at one size: the middle one of several runs, and the slower of two middle ones, so
    that one process has measured all its figures."""

    def __init__(self, lines):
        in_order = sorted(lines, key=lambda line: line["median_ms"])
        self.fields = in_order[len(in_order) // 2]
        self.runs = len(lines)

    def __getattr__(self, name):
        if name == "fields" or name not in self.fields:
            raise AttributeError(name)
        return self.fields[name]

    def get(self, name, default=None):
        return self.fields.get(name, default)

    @property
    def sizes(self):
        return tuple(self.fields["shape"].values())

    @property
    def options(self):
        return " ".join(f"--{name} {size}" for name, size in self.fields["shape"].items())

    @property
    def limited_by_arithmetic(self):
        return rate_name(self.fields) == "gflop_per_s"

    @property
    def rate(self):
        """GB/s, or GFLOP/s where arithmetic is the limit."""
        return self.fields[rate_name(self.fields)]

    @property
    def roof(self):
        return self.get("roof_gflop_per_s", self.get("roof_gb_per_s"))

    @property
    def library_rate(self):
        """None where no library was measured beside it."""
        if "baseline_ms" not in self.fields:
            return None
        return self.rate * self.median_ms / self.baseline_ms

    @property
    def spread(self):
        """How far the slowest launch is from the fastest, as a part of the median."""
        return (self.max_ms - self.min_ms) / self.median_ms


def is_number(value, positive=False):
    return (isinstance(value, (int, float)) and not isinstance(value, bool) and
            math.isfinite(value) and (value > 0 or not positive))


def fault_of(line):
    """Why a line of a record is no result; None: it is one."""
    if not isinstance(line, dict):
        return "no object"
    for name in ("step", "variant", "device", "status"):
        if not isinstance(line.get(name), str):
            return f"'{name}' is no text"
    shape = line.get("shape")
    if not isinstance(shape, dict) or not all(type(size) is int and size >= 0
                                              for size in shape.values()):
        return "'shape' has no sizes"
    positive = {"median_ms", "min_ms", "max_ms", rate_name(line)}
    for name in positive | {name for name in line if name.endswith(("_ms", "_per_s"))}:
        if not is_number(line.get(name), name in positive or name == "baseline_ms"):
            return f"'{name}' is no such number"
    if "baseline_ms" in line and not isinstance(line.get("baseline"), str):
        return "'baseline' is no text"
    if not isinstance(line.get("run", 1), int):
        return "'run' is no number"
    return None


def json_lines(path, fault_of_line=lambda line: None if isinstance(line, dict) else "no object"):
    """The objects of a file, in order; `Failure` names the first line that is none, or has a fault."""
    lines = []
    try:
        texts = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise Failure(f"{path}: {error}") from error
    for number, text in enumerate(filter(None, texts), 1):
        try:
            lines.append(json.loads(text))
            fault = fault_of_line(lines[-1])
        except (ValueError, OverflowError, RecursionError) as error:
            fault = error
        if fault:
            raise Failure(f"{path}: line {number} is no result: {fault}")
    return lines


def read(*paths):
    """The rows of these files, in order. Wrong results, and times that are no measurement, are left out."""
    lines = []
    for path in map(pathlib.Path, paths):
        if path.exists():
            lines += json_lines(path, fault_of)
    groups = {}
    for line in lines:
        if line["status"] != "pass" or "measuring_error" in line:
            raise Failure(f"{line['step']} {line['variant']}: what is no measurement is recorded")
        key = (line["step"], line["variant"], line["device"], tuple(line["shape"].items()))
        group = groups.setdefault(key, [])
        if any(other.get("run") == line.get("run") for other in group):
            raise Failure(f"{line['step']} {line['variant']}: run {line.get('run')} is recorded twice: "
                          "several runs are measured by one command, with --runs")
        group.append(line)
    return [Row(lines) for lines in groups.values()]


def of_chapter(rows, chapter):
    """In the order of the manifest."""
    order = [variant.name for variant in tutorial().variants]
    names = [step.program for step in tutorial().steps
             if CHAPTER_NAMES.get(step.problem, step.problem) == chapter]
    return sorted((row for row in rows if row.step in names),
                  key=lambda row: (names.index(row.step), row.variant not in order,
                                   row.variant in order and order.index(row.variant)))


def ladder(rows):
    """A chapter's rows at its standard size, the first one that its steps list."""
    return [row for row in rows if row.sizes == tuple(step_of(row.step).measured[0])]


def before(row, rows):
    """Among the rows that of the rung which this one grows from, at the same size; None: there is
    none."""
    variant = next((one for one in tutorial().variants if one.name == row.variant), None)
    return next((other for other in rows if variant and other.variant == variant.origin and
                 (other.sizes, other.device) == (row.sizes, row.device)), None)


def finals(rows):
    """A chapter's rows of its last variants, which are measured at all sizes, from small to large."""
    sizes = {row.sizes for row in rows}
    if len(sizes) == 1:
        return rows[-1:]
    last = [key for key in dict.fromkeys((row.step, row.variant) for row in rows)
            if {row.sizes for row in rows if (row.step, row.variant) == key} == sizes]
    return sorted((row for row in rows if (row.step, row.variant) in last),
                  key=lambda row: (last.index((row.step, row.variant)), row.sizes[::-1]))


def best(rows):
    """The fastest of these, or a later one that is as fast within what times vary."""
    most = max(row.rate for row in rows)
    return [row for row in rows if row.rate >= 0.99 * most][-1]


def fastest_rival(row, peers):
    """(name, rate) of the fastest of the library and the peers. A peer was measured in another
    process: its rate is the row's, times how it compared with the same kernel there."""
    rivals = [(beside.baseline, row.rate * beside.median_ms / beside.baseline_ms)
              for beside in peers
              if (beside.step, beside.variant, beside.sizes, beside.device) ==
                 (row.step, row.variant, row.sizes, row.device)]
    if row.library_rate:
        rivals.append((row.baseline, row.library_rate))
    return max(rivals, key=lambda rival: rival[1], default=None)


def split_peer(name):
    """("cublasLt", "3") of "cublasLt heuristic 3"; ("CUB", "") of "CUB"."""
    library, _, proposal = name.partition(" heuristic ")
    return library, proposal


def size_text(sizes):
    """2^28, 8192 x 4096."""
    if len(sizes) == 1 and sizes[0].bit_count() == 1:
        return f"2^{sizes[0].bit_length() - 1}"
    if len(sizes) > 1 and len(set(sizes)) == 1:
        return f"{sizes[0]}{'²³'[len(sizes) - 2]}"
    return " × ".join(str(size) for size in sizes)
