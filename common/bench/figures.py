"""Pictures of what was recorded: SVG, readable in light and dark, the same for the same records."""

import math
import pathlib
import sys

import records

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "drawings"))
from svg import Svg  # noqa: E402

WIDTH = 480
LEFT, RIGHT = 16, 16
TEXT = 14      # the size of all text
ROW = 40       # a name and its bar
FIGURES = 100  # the width of the figures right of the bars

MARK = 'class="figure"'  # what all of them have
STYLE = """
.figure .bar { fill: var(--second); }
.figure .best { fill: var(--first); }
.figure .roof { stroke: var(--ink); stroke-width: 2; fill: none; }
.figure .library { stroke: var(--third); stroke-width: 2; stroke-dasharray: 5 3; fill: none; }
"""


def picture(name, title, description, style=STYLE):
    return Svg(name, title, description, WIDTH, style)


def rate_text(rate, arithmetic):
    if arithmetic:
        return f"{rate / 1000:.1f} TFLOP/s" if rate >= 1000 else f"{rate / 1000:.2f} TFLOP/s"
    return f"{rate:.0f} GB/s" if rate >= 10 else f"{rate:.1f} GB/s"


def ticks(most, count=5):
    """Round numbers from 0 to most."""
    step = 10 ** math.floor(math.log10(most / count))
    step = next(step * factor for factor in (1, 2, 5, 10) if most / (step * factor) <= count)
    return [step * i for i in range(int(most / step) + 1)]


class Bars:
    """Bars from left to right over one linear axis, each below its name and its figure."""

    def __init__(self, svg, y, most, arithmetic):
        self.svg, self.y = svg, y
        self.most, self.arithmetic = most, arithmetic

    def x(self, rate):
        return LEFT + rate / self.most * (WIDTH - LEFT - RIGHT - FIGURES)

    def bar(self, name, rate, bright, gain=""):
        """Returns where the bar is, from top to bottom."""
        self.svg.text(LEFT, self.y + TEXT, name)
        if gain:
            self.svg.text(WIDTH - RIGHT, self.y + TEXT, gain, "end")
        self.svg.text(WIDTH - RIGHT, self.y + 31, rate_text(rate, self.arithmetic), "end")
        self.svg.box("best" if bright else "bar", LEFT, self.y + 20, self.x(rate) - LEFT, 12)
        self.y += ROW
        return self.y - ROW + 17, self.y - 5

    def axis(self):
        """Below the bars; returns where it ends."""
        for tick in ticks(self.most):
            shown = tick / 1000 if self.arithmetic else tick
            self.svg.line("grid", self.x(tick), self.y, self.x(tick), self.y + 5)
            self.svg.text(self.x(tick), self.y + 20, f"{shown:g}", "middle" if tick else "")
        self.svg.line("grid", LEFT, self.y, WIDTH - RIGHT - FIGURES, self.y)
        self.svg.text(WIDTH - RIGHT, self.y + 20, "TFLOP/s" if self.arithmetic else "GB/s", "end")
        return self.y + 32


def legend(svg, y, kind, text):
    svg.line(kind, LEFT, y - 5, LEFT + 26, y - 5)
    svg.text(LEFT + 34, y, text)
    return y + 20


# The roof of each problem of the manifest.
ROOF_NAMES = {"add": "two reads and a write", "sum": "read", "gemv": "read", "softmax": "copy",
              "transpose": "copy", "sgemm": "multiply-adds"}


def roof_name(step):
    return ROOF_NAMES[records.step_of(step).problem]


def gain_text(row, rows):
    """How many times as fast as the rung that it grows from; of others nothing."""
    before = records.before(row, rows)
    return f"{row.rate / before.rate:.2f} ×" if before else ""


def ladder(name, rows, finals):
    """Every variant of a chapter at one size, those of `finals` brighter; the library and the roof
    as lines."""
    arithmetic = rows[0].limited_by_arithmetic
    last = rows[-1]
    size = records.size_text(last.sizes)
    title = f"{name}, {size}: the rate of every kernel on an {last.device}"
    gains = [gain_text(row, rows) for row in rows]
    said = [f"{records.label(row.step)} {row.variant} {rate_text(row.rate, arithmetic)}" +
            (f", {gain} the rung that it grows from" if gain else "")
            for row, gain in zip(rows, gains)]
    lines = [("roof", f"roof ({roof_name(last.step)}), {rate_text(last.roof, arithmetic)}",
              last.roof)]
    if last.library_rate:
        lines.append(("library", f"{last.baseline}, {rate_text(last.library_rate, arithmetic)}",
                      last.library_rate))
    svg = picture(name, title, "; ".join(said + [text for _, text, _ in lines]) + ".")
    svg.text(LEFT, 24, f"{name}, {size}, on an {last.device}")
    y = 46
    for kind, text, _ in lines:
        y = legend(svg, y, kind, text)
    if any(gains):
        svg.text(LEFT, y, "×: gain over the rung that it grows from")
        y += 20
    most = max([row.rate for row in rows] + [rate for _, _, rate in lines]) * 1.02
    bars = Bars(svg, y, most, arithmetic)
    for row, gain in zip(rows, gains):
        number_of_step = row.step[:2] + " " if row.step[:2].isdigit() else ""
        bars.bar(number_of_step + row.variant, row.rate,
                 (row.step, row.variant) in {(other.step, other.variant) for other in finals}, gain)
    for kind, _, rate in lines:
        svg.line(kind, bars.x(rate), y + 16, bars.x(rate), bars.y)
    return svg.done(bars.axis())


def sizes(name, rows, peers=()):
    """The best of the last variants at every size, beside the library, the peers and the roof."""
    arithmetic = rows[0].limited_by_arithmetic
    shapes = list(dict.fromkeys(row.sizes for row in rows))
    best = [records.best([row for row in rows if row.sizes == shape]) for shape in shapes]
    rivals = [(row, records.fastest_rival(row, peers)) for row in best]
    said = [f"{records.size_text(row.sizes)}: {row.variant} {rate_text(row.rate, arithmetic)}" +
            (f", {rival[0]} {rate_text(rival[1], arithmetic)}" if rival else "")
            for row, rival in rivals]
    svg = picture(f"{name}-sizes", f"{name}: the last kernels at every size on an {best[0].device}",
              "; ".join(said) + ".")
    svg.text(LEFT, 24, f"{name}, every size, on an {best[0].device}")
    names = list(dict.fromkeys(records.split_peer(rival[0])[0]
                               for _, rival in rivals if rival))
    y = 46
    same_bytes = "" if arithmetic else ", over as many bytes"
    y = legend(svg, y, "roof", f"roof ({roof_name(best[0].step)}{same_bytes})")
    if names:
        y = legend(svg, y, "library", "the fastest of " + ", ".join(names)
                   if len(names) > 1 else names[0])
    roofs = [row.get("roof_at_size_gb_per_s", row.roof) for row in best]
    most = max([*roofs, *(row.rate for row in best),
                *(rival[1] for _, rival in rivals if rival)]) * 1.02
    bars = Bars(svg, y, most, arithmetic)
    for (row, rival), roof in zip(rivals, roofs):
        top, bottom = bars.bar(f"{records.size_text(row.sizes)}, {row.variant}", row.rate, True)
        svg.line("roof", bars.x(roof), top, bars.x(roof), bottom)
        if rival:
            svg.line("library", bars.x(rival[1]), top, bars.x(rival[1]), bottom)
    return svg.done(bars.axis())


class Roofline:
    """Both axes in powers of ten: floating-point operations per byte, and per second."""

    TOP, HEIGHT = 132, 380
    LEFT, RIGHT = 56, 20
    X = (-1.4, 3.4)  # powers of ten
    Y = (-0.4, 5.2)

    def __init__(self, svg):
        self.svg = svg

    def x(self, value):
        low, high = self.X
        return self.LEFT + (math.log10(value) - low) / (high - low) * (
            WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        low, high = self.Y
        return self.TOP + (high - math.log10(value)) / (high - low) * self.HEIGHT

    def axes(self):
        bottom = self.TOP + self.HEIGHT
        for power in range(math.ceil(self.X[0]), math.floor(self.X[1]) + 1):
            x = self.x(10**power)
            self.svg.line("grid", x, self.TOP, x, bottom)
            self.svg.text(x, bottom + 20, f"{10.0**power:g}", "middle")
        for power in range(math.ceil(self.Y[0]), math.floor(self.Y[1]) + 1):
            y = self.y(10**power)
            self.svg.line("grid", self.LEFT, y, WIDTH - self.RIGHT, y)
            self.svg.text(self.LEFT - 6, y + 5, f"{10.0**(power - 3):g}", "end")
        self.svg.text(WIDTH - self.RIGHT, bottom + 42, "operations per byte", "end")
        self.svg.text(10, self.TOP - 12, "TFLOP/s")
        return bottom + 56


def roofline(chapters):
    """Every variant of every chapter, {chapter: its ladder}, below the roofs of memory and
    arithmetic. Kernels without arithmetic stand at the left edge, by their bandwidth."""
    rows = [row for ladder_rows in chapters.values() for row in ladder_rows]
    bandwidth = max(row.roof for row in rows if not row.limited_by_arithmetic)
    arithmetic = max((row.roof for row in rows if row.limited_by_arithmetic), default=None)
    if arithmetic is None:
        raise records.Failure("no matrix product is recorded")
    said = [f"{row.step} {row.variant}: {rate_text(row.rate, row.limited_by_arithmetic)}, "
            f"{100 * row.rate / row.roof:.0f} % of its roof" for row in rows]
    svg = picture("roofline", f"Roofline of all steps on an {rows[0].device}", "; ".join(said) + ".")
    plot = Roofline(svg)
    svg.text(LEFT, 24, f"all kernels on an {rows[0].device}")
    legend(svg, 46, "roof", f"roofs: {rate_text(bandwidth, False)}, {rate_text(arithmetic, True)}")
    svg.dot("best", LEFT + 13, 62)
    svg.text(LEFT + 34, 67, "the best kernel of a step, with its number")
    svg.text(LEFT + 34, 88, "at the left edge: transposes, which have no arithmetic")
    end = plot.axes()
    left, right = 10 ** Roofline.X[0], 10 ** Roofline.X[1]
    ridge = arithmetic / bandwidth
    svg.path("roof", [(plot.x(left), plot.y(bandwidth * left)), (plot.x(ridge), plot.y(arithmetic)),
                      (plot.x(right), plot.y(arithmetic))])
    labels, bright, faint = [], [], []
    for row in rows:
        intensity = row.get("flops", 0) / row.bytes or left
        speed = row.rate if row.limited_by_arithmetic else row.gb_per_s * intensity
        of_step = [other for other in rows if other.step == row.step]
        place = plot.x(intensity), plot.y(speed)
        if row is records.best(of_step):
            bright.append(place)
            labels.append((*place, records.label(row.step)))
        else:
            faint.append(place)
    for kind, places in (("bar", faint), ("best", bright)):
        for place in places:
            svg.dot(kind, *place)
    for x, y, text in apart(labels, faint + bright):
        svg.text(x + 10, y + 5, text)
    return svg.done(end)


def apart(labels, dots):
    """The labels, each right of its own place, moved down so far that none is on another or on one
    of the dots."""
    taken = [(x - 6, x + 6, y) for x, y in dots]
    placed = []
    for x, y, text in sorted(labels):
        left, right = x + 8, x + 12 + 9 * len(text)
        while any(left < other_right and other_left < right and abs(y - other_y) < TEXT
                  for other_left, other_right, other_y in taken):
            y += 1
        taken.append((left, right, y))
        placed.append((x, y, text))
    return placed
