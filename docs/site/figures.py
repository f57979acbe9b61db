"""Drawings of recorded traces (docs/results/traces.jsonl) and probes, as SVG in the page.

They take their colors from the page's style, and so follow light and dark. A drawing is 640 units
wide, and its text is 12 units high.
"""

import dataclasses
import html
import math

import book
import sources
import staging
import traces

WIDTH = 640
CELL = 17       # a word of 4 bytes
GAP = 4         # between sectors
LEFT = 70       # for what stands before a row
PRICE = 108     # for a request's cost, before its title
MOST_ROWS = 8   # that are drawn of a request; the last of them stands for the end


def text(x, y, said, kind="", anchor="start"):
    anchors = f' text-anchor="{anchor}"' if anchor != "start" else ""
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{anchors}{classes}>{html.escape(str(said))}</text>'


def rect(x, y, width, height, kind, style=""):
    style = f' style="{style}"' if style else ""
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'class="{kind}"{style}/>')


def svg(height, body, label, kind="drawing"):
    return (f'<svg class="{kind}" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" role="img" aria-label="{html.escape(label)}">{body}</svg>')


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
                   traces.expand(recorded["runs"]), lanes, recorded["units"],
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


def lane_cell(x, y, lanes, label=True):
    """A word, in the color of the first of its lanes. Its size and the like are in the style."""
    said = ""
    if label:
        name = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
        said = text(x + CELL / 2, y + CELL / 2 + 4, name, "several" if len(lanes) > 1 else "")
    return f'<rect x="{x:g}" y="{y:g}" style="--l:{lanes[0]}"/>{said}'


def cells(drawn):
    return f'<g class="cells">{"".join(drawn)}</g>'


def squares(columns, y, kind):
    """Words at these places of a row, in one."""
    side = CELL - 1
    cells = "".join(f"M{x:g} {y:g}h{side}v{side}h-{side}z" for x in columns)
    return f'<path class="{kind}" d="{cells}"/>' if cells else ""


def rows_shown(rows):
    """The rows to draw, and None where some are left out."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    return [*rows[:MOST_ROWS - 2], None, rows[-1]]


def global_rows(request, top):
    """A row for each line of 128 bytes: 4 sectors of 8 words."""
    words = request.words
    lines = sorted({word // 32 for word in words})
    sectors = {word // 8 for word in words}
    body, drawn, y = [], [], top
    for line in rows_shown(lines):
        if line is None:
            left_out = len(lines) - MOST_ROWS + 1
            body.append(text(LEFT + 4, y + 13, f"⋮  {left_out} more lines like these", "soft"))
            y += CELL + 3
            continue
        body.append(text(LEFT - 8, y + 13, f"{line * 128:,}", "soft", "end"))
        unused = {"waste": [], "idle": []}
        for i in range(32):
            word = line * 32 + i
            x = LEFT + i * CELL + i // 8 * GAP
            if word in words:
                # A wide access has its number on the first of its words.
                first = word - 1 not in words or words[word - 1] != words[word] or i % 32 == 0
                drawn.append(lane_cell(x, y, words[word], label=first or request.bytes <= 4))
            else:
                unused["waste" if word // 8 in sectors else "idle"].append(x)
        body += [squares(unused[kind], y, kind) for kind in unused]
        y += CELL + 3
    return "".join(body) + cells(drawn), y


def shared_rows(request, top):
    """A column for each bank, a row for each 32 words."""
    words = request.words
    lines = sorted({word // 32 for word in words})
    body = [text(LEFT - 8, top + 11, "bank", "soft", "end")]
    for bank in range(32):
        if bank % 4 == 0 or bank == 31:
            body.append(text(LEFT + bank * CELL + CELL / 2, top + 11, bank, "soft", "middle"))
    drawn, y = [], top + 18
    for line in rows_shown(lines):
        if line is None:
            left_out = len(lines) - MOST_ROWS + 1
            body.append(text(LEFT + 4, y + 13, f"⋮  {left_out} more rows like these", "soft"))
            y += CELL
            continue
        body.append(text(LEFT - 8, y + 13, f"{line * 128:,}", "soft", "end"))
        unused = []
        for bank in range(32):
            word = line * 32 + bank
            x = LEFT + bank * CELL
            if word in words:
                first = words.get(word - 1) != words[word] or bank == 0
                drawn.append(lane_cell(x, y, words[word], label=first or request.bytes <= 4))
            else:
                unused.append(x)
        body.append(squares(unused, y, "idle"))
        y += CELL
    return "".join(body) + cells(drawn), y + 3


def panel(request, top, title=None):
    """A request under its title; where it ends."""
    title = title or f"{request.place}  {request.name}"
    # The cost comes first: on a phone the end of the line is out of view.
    body = (f'<text y="{top + 12:g}" class="title"><tspan class="price">{request.cost}</tspan>'
            f'<tspan x="{PRICE}">{html.escape(title)}</tspan></text>')
    rows, bottom = (global_rows if request.space == "global" else shared_rows)(request, top + 22)
    return body + rows, bottom


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
    body, y = [], 0
    for request in requests:
        drawn, y = panel(request, y)
        body.append(drawn)
        y += 14
    said = "; ".join(f"{one.name}: {one.cost}" for one in requests)
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
    return figure(svg(y, "".join(body), f"{variant}, warp 0: {said}"),
                  f"The accesses of warp 0 of <code>{variant}</code>, from a run with "
                  f"<code>{trace['shape']}</code>. {legend}")


# --- several, one after the other -----------------------------------------------------------------


def player(frames, captions, height, label, caption, pace=900, kind="drawing"):
    """Frames that the reader plays, or goes through one by one; without scripts, the first."""
    body = "".join(f'<g class="frame"{" hidden" if i else ""}>{frame}</g>'
                   for i, frame in enumerate(frames))
    said = "".join(f'<p{" hidden" if i else ""}>{one}</p>' for i, one in enumerate(captions))
    return (f'<figure class="player" data-pace="{pace}">'
            f'<div class="scroll" tabindex="0">{svg(height, body, label, kind)}</div>'
            '<div class="controls">'
            '<button class="back" aria-label="Back"><svg viewBox="0 0 20 20" aria-hidden="true">'
            '<path d="M16 3v14L7 10zM4 3h2v14H4z"/></svg></button>'
            '<button class="play" aria-label="Play"><svg viewBox="0 0 20 20" aria-hidden="true">'
            '<path class="go" d="M5 3v14l11-7z"/><path class="halt" d="M5 3h4v14H5zM11 3h4v14h-4z"/>'
            '</svg></button>'
            '<button class="forward" aria-label="Forward"><svg viewBox="0 0 20 20" '
            'aria-hidden="true"><path d="M4 3v14l9-7zM14 3h2v14h-2z"/></svg></button>'
            f'<input type="range" min="0" max="{len(frames) - 1}" value="0" aria-label="Which one">'
            f'</div><div class="captions" aria-live="polite">{said}</div>'
            f"<figcaption>{caption}</figcaption></figure>")


def strides(space):
    """The patterns of the probes, with what ncu counted on a GPU."""
    named = [("consecutive", 1)] + [(f"stride_{n}", n) for n in (2, 3, 4, 5, 8, 16, 32, 33)]
    if space == "shared":
        named.append(("broadcast", 0))
    figure_name = "sectors" if space == "global" else "wavefronts"
    frames, captions, bottoms = [], [], []
    for name, stride in named:
        probe = next(one for one in book.recorded("probes_h200")[1:]
                     if (one["part"], one["space"], one["kind"], one["bytes"], one["pattern"],
                         one["threads"]) == (space, space, "load", 4, name, 32))
        request = Request(space, "load", 4, [4 * stride * lane for lane in range(32)],
                          list(range(32)), probe["ncu"][f"{space}_load"][figure_name])
        body, bottom = panel(request, 0, f"stride {stride}: lane i accesses word {stride}·i")
        frames.append(body)
        bottoms.append(bottom)
        captions.append(f"Stride {stride}: <b>{request.cost}</b>, as ncu counted on a GPU")
    device = book.recorded("probes_h200")[0]["device"]
    return player(frames, captions, max(bottoms), f"A warp that loads with strides, {figure_name}",
                  f"One load of a warp, 4 bytes per lane. The counts are recorded on an {device}.",
                  pace=1400)


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
    body = [text(left, top - 8, up, "soft")]
    for mark in marks:
        _, y = place(xs[0], mark)
        body.append(f'<path class="grid" d="M{left} {y:.1f}H{WIDTH - right}"/>' +
                    text(left - 8, y + 4, f"{mark:,}", "soft", "end"))
    for i, (name, points) in enumerate(series.items()):
        y = 12 + 18 * i
        body.append(f'<path class="{"bars" if bars else "line"} series-{i}" d="M{left} {y - 4}h24"/>' + text(left + 32, y, name))
        places = [place(*point) for point in sorted(points)]
        if bars:
            path = "".join(f"M{x - margin + (i + 0.5) * thick:.1f} {top + height}V{y:.1f}" for x, y in places)
        else:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        body.append(f'<path class="{"bars" if bars else "line"} series-{i}" d="{path}"/>')
    for x in [x for x in xs if x in (0, 1) or x % 4 == 0]:
        body.append(text(place(x, 0)[0], top + height + 18, x, "soft", "middle"))
    body.append(text(WIDTH - right, top + height + 36, across, "soft", "end"))
    return svg(top + height + 42, "".join(body), label)


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

    def outline(x, y, columns, rows, name, shape):
        return (rect(x, y, columns * scale, rows * scale, "matrix") +
                text(x + 4, y - 6, f"{name} {shape}", "title"))

    def part(x, y, box, kind):
        r0, r1, c0, c1 = box
        return rect(x + c0 * scale, y + r0 * scale, (c1 - c0) * scale, (r1 - r0) * scale, kind)

    base = (outline(left, c_top, k, m, "A", f"({m}, {k})") +
            outline(c_left, top, n, k, "B", f"({k}, {n})") +
            outline(c_left, c_top, n, m, "C", f"({m}, {n})"))
    tile = [min(w[0] for w in product["warps"]), max(w[1] for w in product["warps"]),
            min(w[2] for w in product["warps"]), max(w[3] for w in product["warps"])]
    frames, captions = [], []
    slices = product["slices"]
    for i, one in enumerate(slices):
        before = "".join(part(left, c_top, s["A"], "done") + part(c_left, top, s["B"], "done")
                         for s in slices[:i])
        frames.append(base + before + part(left, c_top, one["A"], "now-a") +
                      part(c_left, top, one["B"], "now-b") + part(c_left, c_top, tile, "tile"))
        a, b = one["A"], one["B"]
        captions.append(f"Slice {i + 1} of {len(slices)}: {a[1] - a[0]} × {a[3] - a[2]} of A, "
                        f"{b[1] - b[0]} × {b[3] - b[2]} of B")
    return player(frames, captions, height, f"The slices that a block of {variant} reads",
                  f"Block 0 of <code>{variant}</code> walks along K: what it reads for its tile of C, "
                  f"from a run with <code>{trace['shape']}</code>.", pace=500, kind="drawing small")


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
        body = [text(0, 12, f"{variant}: {len(warps)} warps", "title")]
        for number, (r0, r1, c0, c1) in enumerate(warps):
            apart = (r1 - r0) * (c1 - c0) * len(warps) <= rows * cols
            body.append(rect(c0 * scale, 24 + r0 * scale, (c1 - c0) * scale, (r1 - r0) * scale,
                             "first-warp" if number == 0 else "warp"))
            if apart and (r1 - r0) * scale > 14:
                body.append(text((c0 + c1) / 2 * scale, 28 + (r0 + r1) / 2 * scale, number, "soft",
                                 "middle"))
        zoom = min(360 / warp_cols, 250 / warp_rows)
        left = WIDTH - warp_cols * zoom
        body.append(text(left, 12, f"warp 0: {warp_rows} × {warp_cols} elements", "title"))
        centres, numbers = {}, []
        for lane, cells in sorted(elements.items()):
            for r, h, c, w in sorted(patches(cells)):
                x, y = left + c * zoom, 24 + r * zoom
                size_w, size_h = w * zoom, h * zoom
                body.append(rect(x, y, size_w - 1, size_h - 1, "lane", f"--l:{lane}"))
                if size_w > 14 and size_h > 11:
                    numbers.append(text(x + size_w / 2, y + size_h / 2 + 4, lane, "on", "middle"))
                centres.setdefault(lane, (x + size_w / 2, y + size_h / 2))
        path = " ".join(f"{x:.1f},{y:.1f}" for _, (x, y) in sorted(centres.items()))
        body.append(f'<polyline class="order" points="{path}"/>')
        body += numbers
        height = 24 + max(rows * scale, warp_rows * zoom) + 4
        drawings.append(f'<div class="scroll" tabindex="0">'
                        f'{svg(height, "".join(body), f"Who computes what in {variant}")}</div>')
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
