"""Drawings of recorded traces (docs/results/traces.jsonl) and probes, as SVG in the page.

They take their colors from the page's style, and so follow light and dark. A drawing is 640 units
wide, and its text is 12 units high. Requests are drawn as the access lab draws them.
"""

import dataclasses
import functools
import html
import json
import math
import pathlib
import subprocess
import sys

import book
import sources
import staging
import templates

sys.path.append(str(book.DOCS / "drawings"))
from svg import Shapes  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 640
MOST_ROWS = 8   # that are drawn of a request; the last of them stands for the end


def figure(drawing, caption):
    return (f'<figure><div class="scroll" tabindex="0">{drawing}</div>'
            f"<figcaption>{caption}</figcaption></figure>")


@dataclasses.dataclass
class Request:
    """One access of a warp."""
    space: str
    kind: str
    bytes: int       # a lane
    offsets: list    # of the lanes that take part
    lanes: list      # their numbers
    units: int       # sectors or wavefronts
    place: str = ""  # 1_add.cuh:34

    @property
    def words(self):
        """{word: the lanes that access it}, words counted from the beginning of the memory."""
        result = {}
        for lane, offset in zip(self.lanes, self.offsets):
            for word in range(offset // 4, (offset + self.bytes + 3) // 4):
                result.setdefault(word, []).append(lane)
        return result

    def also(self, place):
        """1_add.cuh:34 becomes 1_add.cuh:34, 35."""
        file, _, line = place.partition(":")
        same_file = self.place.startswith(f"{file}:")
        self.place += f", {line}" if same_file else f", {place}"

    @property
    def cost(self):
        unit = "sector" if self.space == "global" else "wavefront"
        return f"{self.units} {unit}" + ("s" if self.units != 1 else "")

    @property
    def name(self):
        memory = "global memory" if self.space == "global" else "shared memory"
        verb = {"load": "load from", "store": "store to", "atomic": "atomic in"}[self.kind]
        return f"{verb} {memory}"


def request_of(recorded):
    lanes = [lane for lane in range(32) if recorded["lanes"] >> lane & 1]
    name = recorded["file"].rsplit("/", 1)[-1]
    return Request(recorded["space"], recorded["kind"], recorded["bytes"],
                   [first + i * stride for first, stride, count in recorded["runs"]
                    for i in range(count)], lanes, recorded["units"],
                   f"{name}:{recorded['line']}")


class NotRecorded(Exception):
    """There is such a variant, and no trace of it yet."""


def trace_of(step_name, variant):
    """The launch of a variant that accesses most."""
    launches = [one for one in book.recorded("traces")
                if (one["step"], one["variant"]) == (step_name, variant)]
    if not launches:
        if variant in sources.variants(step_name):
            raise NotRecorded(variant)
        raise ValueError(f"{step_name} has no variant {variant}")
    return max(launches, key=lambda one: len(one["requests"]))


# --- one request ----------------------------------------------------------------------------------


def draw(requests):
    """The pictures of requests, as the access lab has them."""
    given = [{"space": one.space, "kind": one.kind, "bytes": one.bytes, "most": MOST_ROWS,
              "label": f"{one.name}: {one.cost}",
              "at": [dict(zip(one.lanes, one.offsets)).get(lane) for lane in range(32)]}
             for one in requests]
    return drawn_by_lab(json.dumps(given))


@functools.cache
def drawn_by_lab(given):
    done = subprocess.run(["node", HERE / "requests_cli.js"], input=given, capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise staging.Fault(done.stderr)
    return json.loads(done.stdout)


def panel(request, picture, title=""):
    """A request under its cost and title. The cost comes first: on a phone the end of the line is out
    of view."""
    title = title or f"{request.place} {request.name}"
    return f'<p class="request"><b>{request.cost}</b> {html.escape(title)}</p>{picture}'


def look(request):
    """The key that two requests share if their drawings are the same."""
    first = request.offsets[0]
    return (request.space, request.kind, request.bytes, request.units, first % 128,
            tuple(offset - first for offset in request.offsets), tuple(request.lanes))


def distinct(requests):
    """The first request of each access in the source; of accesses whose requests look the same, one for
    all of them."""
    accesses, looks = set(), {}
    for request in requests:
        # Two accesses on one line differ in what they cost, or in how many words they are for.
        access = (request.space, request.kind, request.place, request.units, len(request.words))
        if access in accesses:
            continue
        accesses.add(access)
        if look(request) in looks:
            looks[look(request)].also(request.place)
        else:
            looks[look(request)] = dataclasses.replace(request)
    return list(looks.values())


def row_legend(spaces):
    """The meaning of a row in memories of these kinds."""
    parts = {"global": "in sectors of 32", "shared": "a word of each bank"}
    said = {space: f"of {space} memory {part}" for space, part in parts.items() if space in spaces}
    return f"A row is 128 bytes, {', '.join(said.values())}; at the left, its distance in bytes. "


def accesses(page, variant, wanted, step_name):
    trace = trace_of(step_name, variant)
    requests = distinct([request_of(one) for one in trace["requests"]])
    if wanted:
        requests = [one for one in requests if f"{one.space}_{one.kind}" in wanted]
    panels = map(panel, requests, draw(requests))
    legend = ("Each cell is a word of 4 bytes, with the number of the lane that accesses it. "
              if any(one.bytes == 4 for one in requests) else
              "Each cell is a word of 4 bytes; each color is a lane, with its number on its first word. ")
    legend += row_legend({one.space for one in requests})
    most = max((len(lanes) for one in requests for lanes in one.words.values()), default=1)
    if most > 1:
        legend += f"×{most} is a word for {most} lanes. "
    waste = any(len(one.words) < 8 * one.units for one in requests
                if one.space == "global" and one.kind != "atomic")
    if waste:
        legend += "Red words travel with their sector, and nobody has asked for them. "
    return figure("".join(panels),
                  f"The accesses of warp 0 of <code>{variant}</code>, from a run with "
                  f"<code>{trace['shape']}</code>. {legend}")


# --- several, one after the other -----------------------------------------------------------------


def player(frames, captions, caption, pace=900):
    """Pictures that the reader plays, or goes through one by one; without scripts, the first."""
    return templates.part("player", *map(templates.safe, (frames, captions, caption)), pace)


def strides(space):
    """The patterns of the probes, with what ncu counted on a GPU."""
    named = [("consecutive", 1)] + [(f"stride_{n}", n) for n in (2, 3, 4, 5, 8, 16, 32, 33)]
    if space == "shared":
        named.append(("broadcast", 0))
    figure_name = "sectors" if space == "global" else "wavefronts"
    requests = []
    for name, stride in named:
        probe = next(one for one in book.recorded("probes_h200")[1:]
                     if (one["part"], one["space"], one["kind"], one["bytes"], one["pattern"],
                         one["threads"]) == (space, space, "load", 4, name, 32))
        requests.append(Request(space, "load", 4, [4 * stride * lane for lane in range(32)],
                                list(range(32)), probe["ncu"][f"{space}_load"][figure_name]))
    frames = [panel(request, picture, f"stride {stride}: lane i accesses word {stride}·i")
              for request, picture, (_, stride) in zip(requests, draw(requests), named)]
    captions = [f"Stride {stride}: <b>{request.cost}</b>, as ncu counted on a GPU"
                for request, (_, stride) in zip(requests, named)]
    device = book.recorded("probes_h200")[0]["device"]
    return player(frames, captions, f"One load of a warp, 4 bytes per lane. The counts are recorded on "
                  f"an {device}.", pace=1400)


# --- experiments -----------------------------------------------------------------------------------


def ticks(most):
    """Round numbers from 0 to at least `most`, four to eight of them."""
    step = next(size * 10 ** power for power in range(6) for size in (1, 2, 5)
                if most / (size * 10 ** power) <= 7)
    return [i * step for i in range(math.ceil(most / step) + 1)]


def chart(series, across, up, label, bars=False):
    """{name: [(x, y)]} as lines, or as bars beside each other."""
    left, right, top, height = 56, 12, 24 + 18 * len(series), 200
    xs = sorted({x for points in series.values() for x, _ in points})
    marks = ticks(max(y for points in series.values() for _, y in points))

    def place(x, y):
        return (left + margin + (x - xs[0]) / (xs[-1] - xs[0]) * (WIDTH - left - right - 2 * margin),
                top + height - y / marks[-1] * height)
    thick = 4 if bars else 0
    margin = thick * len(series) / 2
    shapes = Shapes()
    shapes.text(left, top - 8, up, "soft")
    for mark in marks:
        _, y = place(xs[0], mark)
        shapes.line("grid", left, y, WIDTH - right, y)
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
    shapes.text(WIDTH - right, top + height + 36, across, "soft end")
    return shapes.inline("drawing", WIDTH, top + height + 42, label)


def experiment(name):
    """The outcome of an experiment on a GPU."""
    environment, *lines = book.recorded("experiments_h200")
    lines = [line for line in lines if line["experiment"] == name]
    device = f"Recorded on an {environment['device']}."
    if name == "strided_copy":
        series = {f"{what} with a stride": [(line["stride"], line[f"{kind}_gb_per_s"]) for line in lines]
                  for what, kind in (("loads", "load"), ("stores", "store"))}
        return figure(chart(series, "stride, in floats", "GB/s, of bytes that were wanted",
                            "Bandwidth of strided copies"),
                      f"A copy that has a stride on one side: the wanted bytes of both sides, by the time. "
                      f"{device}")
    series = {f"{width} bytes per lane": [(line["stride_words"], line["cycles_per_request"])
                                        for line in lines if line["bytes_per_thread"] == width]
              for width in (4, 8, 16)}
    return figure(chart(series, "stride, in words of 4 bytes", "cycles per request",
                        "Cycles of strided loads from shared memory", bars=True),
                  f"Loads from shared memory, one after the other, by 32 warps at once. {device}")


# --- matrix products -------------------------------------------------------------------------------


def product_trace(step_name, variant):
    trace = trace_of(step_name, variant)
    if "product" not in trace:
        raise ValueError(f"the first block of {variant} computes no tile of C by itself")
    return trace


def walk(step_name, variant):
    """Which parts of A and B a block reads, slice by slice."""
    trace = product_trace(step_name, variant)
    product = trace["product"]
    m, n, k = product["m"], product["n"], product["k"]
    scale = (WIDTH - 130) / (n + k + 20)
    left, top = 60, 24
    c_left, c_top = left + (k + 20) * scale, top + (k + 20) * scale
    height = c_top + m * scale + 20

    def part(shapes, x, y, box, kind):
        r0, r1, c0, c1 = box
        shapes.box(kind, x + c0 * scale, y + r0 * scale, (c1 - c0) * scale, (r1 - r0) * scale)

    def frame(number):
        """A and B with the slices up to this one, and the tile of C."""
        shapes = Shapes()
        for name, x, y, rows, columns in (("A", left, c_top, m, k), ("B", c_left, top, k, n),
                                          ("C", c_left, c_top, m, n)):
            part(shapes, x, y, (0, rows, 0, columns), "matrix")
            shapes.text(x + 4, y - 6, f"{name} ({rows}, {columns})", "title")
        for i, one in enumerate(slices[:number + 1]):
            part(shapes, left, c_top, one["A"], "now-a" if i == number else "done")
            part(shapes, c_left, top, one["B"], "now-b" if i == number else "done")
        part(shapes, c_left, c_top, tile, "tile")
        return shapes.inline("drawing small", WIDTH, height,
                             f"The slices that a block of {variant} reads: {number + 1}")

    def said(number):
        a, b = slices[number]["A"], slices[number]["B"]
        return (f"Slice {number + 1} of {len(slices)}: {a[1] - a[0]} × {a[3] - a[2]} of A, "
                f"{b[1] - b[0]} × {b[3] - b[2]} of B")

    slices, warps = product["slices"], product["warps"]
    tile = [end(warp[i] for warp in warps) for i, end in enumerate((min, max, min, max))]
    numbers = range(len(slices))
    return player([frame(i) for i in numbers], [said(i) for i in numbers],
                  f"Block 0 of <code>{variant}</code> walks along K: what it reads for its tile of C, "
                  f"from a run with <code>{trace['shape']}</code>.", pace=500)


def elements_of(trace):
    """{lane: its elements of C} of warp 0."""
    ld = trace["product"]["n"]
    result = {}
    for recorded in trace["requests"]:
        if (recorded["space"], recorded["kind"]) == ("global", "store"):
            request = request_of(recorded)
            for lane, offset in zip(request.lanes, request.offsets):
                result.setdefault(lane, set()).update(
                    divmod(offset // 4 + i, ld) for i in range(request.bytes // 4))
    return result


def patches(cells):
    """Cells as rectangles: (row, rows, column, columns)."""
    left, result = set(cells), []
    while left:
        row, col = min(left)
        columns = 1
        while (row, col + columns) in left:
            columns += 1
        rows = 1
        while all((row + rows, col + i) in left for i in range(columns)):
            rows += 1
        left -= {(row + i, col + j) for i in range(rows) for j in range(columns)}
        result.append((row, rows, col, columns))
    return result


def tile(step_name, variants):
    """Who computes which element of a block's tile: all warps, and the lanes of warp 0."""
    drawings, captions = [], []
    for variant in variants:
        trace = product_trace(step_name, variant)
        elements = elements_of(trace)
        warps = trace["product"]["warps"]
        rows, cols = max(w[1] for w in warps), max(w[3] for w in warps)
        warp_rows, warp_cols = warps[0][1], warps[0][3]
        scale = 250 / cols
        shapes = Shapes()
        shapes.text(0, 12, f"{variant}: {len(warps)} warps", "title")
        for number, (r0, r1, c0, c1) in enumerate(warps):
            apart = (r1 - r0) * (c1 - c0) * len(warps) <= rows * cols
            shapes.box("first-warp" if number == 0 else "warp", c0 * scale, 24 + r0 * scale,
                       (c1 - c0) * scale, (r1 - r0) * scale)
            if apart and (r1 - r0) * scale > 14:
                shapes.text((c0 + c1) / 2 * scale, 28 + (r0 + r1) / 2 * scale, number, "soft middle")
        zoom = min(360 / warp_cols, 250 / warp_rows)
        left = WIDTH - warp_cols * zoom
        shapes.text(left, 12, f"warp 0: {warp_rows} × {warp_cols} elements", "title")
        centers, numbers = {}, Shapes()
        for lane, cells in sorted(elements.items()):
            for r, h, c, w in sorted(patches(cells)):
                x, y = left + c * zoom, 24 + r * zoom
                size_w, size_h = w * zoom, h * zoom
                shapes.box("lane", x, y, size_w - 1, size_h - 1, style=f"--l:{lane}")
                if size_w > 14 and size_h > 11:
                    numbers.text(x + size_w / 2, y + size_h / 2 + 4, lane, "on")
                centers.setdefault(lane, (x + size_w / 2, y + size_h / 2))
        shapes.path("order", [place for _, place in sorted(centers.items())])
        shapes.parts += numbers.parts
        height = 24 + max(rows * scale, warp_rows * zoom) + 4
        drawings.append('<div class="scroll" tabindex="0">' + shapes.inline(
            "drawing", WIDTH, height, f"Who computes what in {variant}") + "</div>")
        captions.append(f"<code>{variant}</code>")
    return (f'<figure>{"".join(drawings)}<figcaption>The tile of a block, its warps, and the lanes of '
            "warp 0 in it; the line joins the first part of each lane, in order. From what the "
            f"threads store: {', '.join(captions)}.</figcaption></figure>")


def with_last(page):
    """A chapter with a drawing of what its last kernel accesses: beside the counts, unless it has one
    already."""
    last = sources.variants(page.step)[-1]
    if f"<!-- figure accesses {last} -->" in page.text:
        return page.text
    drawing = f"<!-- figure accesses {last} -->\n\n"
    before, end, after = page.text.partition("<!-- end of what agreement.py wrote -->\n")
    if end:
        return f"{before}{drawing}{end}{after}"
    before, after = staging.split_at_results(page.text)
    return f"{before}{drawing}{after}"


def make(page, arguments):
    """<!-- figure accesses VARIANT [KIND...] -->, walk VARIANT, tile VARIANT..., strides
    SPACE, experiment NAME. KIND is shared_load, and so on."""
    step_name, arguments = page.step, list(arguments)
    if not step_name and arguments[1:] and arguments[1] in [step.name for step in book.steps()]:
        step_name = arguments.pop(1)
    try:
        return drawn(page, step_name, arguments)
    except NotRecorded as variant:
        return f'<p class="hint">There is no record of <code>{variant}</code> yet.</p>'


def drawn(page, step_name, arguments):
    match arguments:
        case ["accesses", variant, *wanted]:
            return accesses(page, variant, wanted, step_name)
        case ["walk", variant]:
            return walk(step_name, variant)
        case ["tile", *variants]:
            return tile(step_name, variants)
        case ["experiment", name]:
            return experiment(name)
        case ["strides", space]:
            return strides(space)
    raise ValueError(f"figure {' '.join(arguments)}")
