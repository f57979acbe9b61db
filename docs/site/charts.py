"""The outcome of experiments on a GPU (docs/results/experiments_h200.jsonl), as charts."""

import sys

import book
import templates
from directives import directive

sys.path.append(str(book.DOCS / "drawings"))
from svg import Shapes, WIDTH  # noqa: E402


def ticks(most):
    """Round numbers from 0 to at least `most`, four to eight of them."""
    step = next(size * 10 ** power for power in range(6) for size in (1, 2, 5)
                if most / (size * 10 ** power) <= 7)
    return range(0, -int(-most // step) * step + 1, step)


def chart(series, across, up, label, bars=False):
    """{name: [(x, y)]} as lines, or as bars beside each other."""
    left, right, top, height = 56, WIDTH - 12, 24 + 18 * len(series), 200
    xs = sorted({x for points in series.values() for x, _ in points})
    marks = ticks(max(y for points in series.values() for _, y in points))
    thick = 4 if bars else 0
    margin = thick * len(series) / 2

    def place(x, y):
        return (left + margin + (x - xs[0]) / (xs[-1] - xs[0]) * (right - left - 2 * margin),
                top + height - y / marks[-1] * height)
    shapes = Shapes()
    shapes.text(left, top - 8, up, "soft")
    for mark in marks:
        _, y = place(xs[0], mark)
        shapes.line("grid", left, y, right, y)
        shapes.text(left - 8, y + 4, f"{mark:,}", "soft end")
    kind = "bars" if bars else "line"
    for i, (name, points) in enumerate(series.items()):
        y = 12 + 18 * i
        shapes.line(f"{kind} series-{i}", left, y - 4, left + 24, y - 4)
        shapes.text(left + 32, y, name)
        places = [place(*point) for point in sorted(points)]
        if bars:
            shapes.raw_path(f"{kind} series-{i}", "".join(
                f"M{x - margin + (i + 0.5) * thick:.1f} {top + height}V{y:.1f}" for x, y in places))
        else:
            shapes.path(f"{kind} series-{i}", places)
    for x in [x for x in xs if x in (0, 1) or x % 4 == 0]:
        shapes.text(place(x, 0)[0], top + height + 18, x, "soft middle")
    shapes.text(right, top + height + 36, across, "soft end")
    return templates.safe(shapes.inline("drawing", WIDTH, top + height + 42, label))


@directive("figure experiment")
def experiment(_page, name):
    environment, *lines = book.recorded("experiments_h200")
    lines = [line for line in lines if line["experiment"] == name]
    if name == "strided_copy":
        drawing = chart({f"{what}s with a stride": [(line["stride"], line[f"{what}_gb_per_s"])
                                                    for line in lines] for what in ("load", "store")},
                        "stride, in floats", "GB/s, of bytes that were wanted",
                        "Bandwidth of strided copies")
        said = "A copy that has a stride on one side: the wanted bytes of both sides, by the time."
    else:
        drawing = chart({f"{width} bytes per lane": [
            (line["stride_words"], line["cycles_per_request"]) for line in lines
            if line["bytes_per_thread"] == width] for width in (4, 8, 16)},
            "stride, in words of 4 bytes", "cycles per request",
            "Cycles of strided loads from shared memory", bars=True)
        said = "Loads from shared memory, one after the other, by 32 warps at once."
    return templates.part("figure", [drawing], f"{said} Recorded on an {environment['device']}.")
