"""Pictures of the map: how our kernels compare with the best peer over the plane of shapes."""

import collections
import math

import figures
import map_records
from figures import LEFT, RIGHT, WIDTH

AXIS = 44          # left of a plane, for the sizes
SIDE = WIDTH - LEFT - AXIS - RIGHT
HEIGHT = 300       # of a plane
RATIO = "best peer's time / ours"
NUMBERED = 10      # of the worst shapes, as in the table

# How a ratio looks: color, shape and size all say it. The first whose limit is above the ratio.
CLASSES = [(0.5, "worse3", "less than half as fast"), (0.9, "worse2", "0.5 to 0.9 times as fast"),
           (0.98, "worse1", "0.9 to 0.98"), (1.02, "even", "as fast, within 2 %"),
           (1.5, "better1", "1.02 to 1.5"), (math.inf, "better2", "more than 1.5 times as fast")]
SIZES = {"worse3": 8, "worse2": 6, "worse1": 4.5}  # of triangles: half their width
STYLE = """
.figure .worse3 { fill: var(--third); stroke: var(--ink); }
.figure .worse2 { fill: var(--third); }
.figure .worse1 { fill: var(--paper); stroke: var(--third); stroke-width: 1.5; }
.figure .even, .figure .better1, .figure .better2 { fill: none; stroke-linecap: round; }
.figure .even { stroke: var(--soft); stroke-width: 4; }
.figure .better1 { stroke: var(--second); stroke-width: 6; }
.figure .better2 { stroke: var(--first); stroke-width: 10; }
.figure .equal { stroke: var(--ink); }
.figure text.small { font-size: 12px; }
.figure text.rank { font-size: 12px; font-weight: 650; }
.figure text.rank { stroke: var(--paper); stroke-width: 3; paint-order: stroke; }
"""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def class_of(ratio):
    return next(kind for limit, kind, _ in CLASSES if ratio < limit)


def marks(svg, kind, places):
    """All marks of a class as one path: triangles that point down, or dots."""
    if not places:
        return
    if kind in SIZES:
        size = SIZES[kind]
        # The tip is below the place by as much as the base is above it.
        triangle = f"h{2 * size:g}l{-size:g} {1.6 * size:g}z"
        shape = "".join(f"M{x - size:.1f} {y - 0.8 * size:.1f}{triangle}" for x, y in places)
    else:
        shape = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    svg.raw_path(kind, shape)


def power_text(base, exponent):
    if base == 2:
        return f"{2.0**exponent:g}"
    if 0 <= exponent <= 1:
        return str(base**exponent)
    return str(base) + str(exponent).translate(SUPERSCRIPTS)


class Axis:
    """A logarithmic axis in powers of a base around all values, from `start` to `end` in pixels."""

    def __init__(self, values, start, end, base=10):
        self.base, self.start, self.end = base, start, end
        # Roundings aside: log10(1000) is a little less than 3.
        powers = [round(math.log(value, base), 9) for value in (min(values), max(values))]
        self.low = math.floor(powers[0])
        self.high = max(math.ceil(powers[1]), self.low + 1)

    def place(self, value):
        part = (round(math.log(value, self.base), 9) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self):
        """[(place, text)]"""
        return [(self.place(self.base**exponent), power_text(self.base, exponent))
                for exponent in range(self.low, self.high + 1)]


class Plane:
    """Shapes by two sizes, or by a size and the ratio (`is_ratio`)."""

    def __init__(self, svg, top, x_values, y_values, is_ratio):
        self.svg, self.top, self.bottom = svg, top, top + HEIGHT
        self.left, self.right = LEFT + AXIS, LEFT + AXIS + SIDE
        self.x = Axis(x_values, self.left, self.right)
        self.y = Axis(y_values, self.bottom, top, 2 if is_ratio else 10)
        self.is_ratio = is_ratio

    def axes(self, x_name, y_name):
        """Returns where they end."""
        for x, text in self.x.ticks():
            self.svg.line("grid", x, self.top, x, self.bottom)
            self.svg.text(x, self.bottom + 18, text, "middle small")
        for y, text in self.y.ticks():
            kind = "equal" if self.is_ratio and text == "1" else "grid"
            self.svg.line(kind, self.left, y, self.right, y)
            self.svg.text(self.left - 6, y + 4, text, "end small")
        self.svg.text(self.right, self.bottom + 36, x_name, "end")
        self.svg.text(LEFT, self.top - 14, y_name)
        return self.bottom + 46

    def draw(self, placed):
        """`placed`: [(ratio, x, y, rank or None)]. Losses lie on top."""
        for _, kind, _ in reversed(CLASSES):
            marks(self.svg, kind, [(self.x.place(x), self.y.place(y))
                                   for ratio, x, y, _ in placed if class_of(ratio) == kind])
        # A number right of its mark; inside the plane.
        labels = [(min(self.x.place(x), self.right - 26), self.y.place(y), str(rank))
                  for _, x, y, rank in placed if rank]
        for x, y, text in figures.apart(labels, []):
            self.svg.text(x + 10, y + 4, text, "rank")


def product_of(names):
    return " · ".join(names), lambda sizes: math.prod(sizes[name] for name in names)


def axes_of(names):
    """The planes of an operator with these sizes: [(x, y)], each the names of sizes to multiply;
    for a single size, y is None: the ratio."""
    if len(names) == 1:
        return [((names[0],), None)]
    if len(names) == 2:
        return [((names[1],), (names[0],))]
    rows, columns, depth = names
    return [((columns,), (rows,)), ((depth,), (rows, columns))]


def heading(one):
    return f"{one.operator} at {len(one.shapes)} shapes, on an {one.device}"


def summary(one):
    return (f"median {one.percentile(50):.2f}, 5th percentile {one.percentile(5):.2f}, "
            f"worst {one.percentile(0):.2f}")


def draw(name, one):
    """The map of one operator on one device, as a file's text."""
    compared = one.compared
    counts = collections.Counter(class_of(shape.ratio) for shape in compared)
    worst = "; ".join(f"{map_records.sizes_said(shape)}: {shape.ratio:.2f}"
                      for shape in compared[:NUMBERED])
    svg = figures.picture(name, f"{heading(one)}: the time of the best peer divided by ours",
                          f"{summary(one)}. " + "; ".join(
                              f"{counts[kind]} shapes are {said}" for _, kind, said in CLASSES) +
                          f". The worst: {worst}.", STYLE)
    svg.text(LEFT, 24, heading(one))
    svg.text(LEFT, 44, f"{RATIO}, at {len(compared)} of them:")
    svg.text(LEFT, 64, summary(one))
    y = 88
    for _, kind, said in CLASSES:
        marks(svg, kind, [(LEFT + 12, y - 5)])
        svg.text(LEFT + 30, y, f"{said}: {counts[kind]}")
        y += 20
    ranks = {id(shape): rank for rank, shape in enumerate(compared[:NUMBERED], start=1)}
    for x_names, y_names in axes_of(list(compared[0].sizes)):
        x_said, x_of = product_of(x_names)
        y_said, y_of = product_of(y_names) if y_names else (RATIO, None)
        placed = [(shape.ratio, x_of(shape.sizes), y_of(shape.sizes) if y_of else shape.ratio,
                   ranks.get(id(shape))) for shape in compared]
        plane = Plane(svg, y + 26, [x for _, x, _, _ in placed], [y for _, _, y, _ in placed],
                      is_ratio=y_of is None)
        y = plane.axes(x_said, y_said)
        plane.draw(placed)
    return svg.done(y)
