"""What `bench --record` and softmax_peers.py have written: a result a line."""

import json
import pathlib

# Chapters as the pictures have them, and what is in the names of their steps.
CHAPTERS = {"elementwise": "_add", "reduction": "_reduce_", "gemv": "gemv", "softmax": "_softmax_",
            "transpose": "_transpose_", "sgemm": "_sgemm_"}


class Failure(Exception):
    """The records lack something, or have something that cannot be."""


class Row:
    """A variant at one size. Of several runs it is the middle one, and the slower of two that are,
    whose figures were all measured by one process."""

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
        return "roof_gflop_per_s" in self.fields

    @property
    def rate(self):
        """GB/s, or GFLOP/s where arithmetic is the limit."""
        return self.fields["gflop_per_s" if self.limited_by_arithmetic else "gb_per_s"]

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


def read(*paths):
    """The rows of these files, in order. What is wrong, or no measurement, is not in it."""
    lines = []
    for path in map(pathlib.Path, paths):
        if path.exists():
            lines += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
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
    return [row for row in rows if CHAPTERS[chapter] in row.step]


def ladder(rows):
    """Of the rows of a chapter those at its standard size, which is the first one in the record."""
    return [row for row in rows if row.sizes == rows[0].sizes] if rows else []


def finals(rows):
    """Of the rows of a chapter those of its last variants, which are measured at all sizes; from
    small to large."""
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


def size_text(sizes):
    """2^28, 8192 x 4096."""
    if len(sizes) == 1 and sizes[0].bit_count() == 1:
        return f"2^{sizes[0].bit_length() - 1}"
    if len(sizes) > 1 and len(set(sizes)) == 1:
        return f"{sizes[0]}{'²³'[len(sizes) - 2]}"
    return " × ".join(str(size) for size in sizes)
