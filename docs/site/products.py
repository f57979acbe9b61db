"""Drawings of matrix products: what a block reads, and who computes what, from recorded traces."""

import sys

import book
import figures
import staging
import templates

sys.path.append(str(book.DOCS / "drawings"))
from svg import Shapes, WIDTH  # noqa: E402


def trace_of(page, variant):
    trace = figures.trace_of(page, variant)
    if "product" not in trace:
        raise staging.Fault(f"{page.source}: the first block of {variant} computes no tile of C by "
                            "itself")
    return trace


@figures.of_trace("figure walk")
def walk(page, variant):
    """<!-- figure walk VARIANT -->: which parts of A and B a block reads, slice by slice"""
    trace = trace_of(page, variant)
    product = trace["product"]
    m, n, k, slices = (product[name] for name in ("m", "n", "k", "slices"))
    scale = (WIDTH - 130) / (n + k + 20)
    left, top = 60, 24
    c_left, c_top = left + (k + 20) * scale, top + (k + 20) * scale
    tile = [end(edges) for end, edges in zip((min, max, min, max), zip(*product["warps"]))]

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
        return shapes.inline("drawing small", WIDTH, c_top + m * scale + 20,
                             f"The slices that a block of {variant} reads: {number + 1}")

    def said(number):
        a, b = slices[number]["A"], slices[number]["B"]
        return (f"Slice {number + 1} of {len(slices)}: {a[1] - a[0]} × {a[3] - a[2]} of A, "
                f"{b[1] - b[0]} × {b[3] - b[2]} of B")
    numbers = range(len(slices))
    return figures.player(
        list(map(frame, numbers)), list(map(said, numbers)),
        f"Block 0 of <code>{variant}</code> walks along K: what it reads for its tile of C, from a run "
        f"with <code>{trace['shape']}</code>.", pace=500)


def elements_of(trace):
    """{lane: its elements of C} of warp 0."""
    result = {}
    for request in map(figures.request_of, trace["requests"]):
        if (request.space, request.kind) == ("global", "store"):
            for word, lanes in request.words.items():
                for lane in lanes:
                    result.setdefault(lane, set()).add(divmod(word, trace["product"]["n"]))
    return result


def patches(cells):
    """Cells as rectangles: (row, rows, column, columns)."""
    left, result = set(cells), []
    while left:
        row, col = min(left)
        columns = rows = 1
        while (row, col + columns) in left:
            columns += 1
        while all((row + rows, col + i) in left for i in range(columns)):
            rows += 1
        left -= {(row + i, col + j) for i in range(rows) for j in range(columns)}
        result.append((row, rows, col, columns))
    return sorted(result)


def tile_of(variant, trace):
    warps = trace["product"]["warps"]
    rows, cols = max(w[1] for w in warps), max(w[3] for w in warps)
    _, warp_rows, _, warp_cols = warps[0]
    scale = 250 / cols
    shapes = Shapes()
    shapes.text(0, 12, f"{variant}: {len(warps)} warps", "title")
    for number, (r0, r1, c0, c1) in enumerate(warps):
        shapes.box("warp" if number else "first-warp", c0 * scale, 24 + r0 * scale,
                   (c1 - c0) * scale, (r1 - r0) * scale)
        are_apart = (r1 - r0) * (c1 - c0) * len(warps) <= rows * cols
        if are_apart and (r1 - r0) * scale > 14:
            shapes.text((c0 + c1) / 2 * scale, 28 + (r0 + r1) / 2 * scale, number, "soft middle")
    zoom = min(360 / warp_cols, 250 / warp_rows)
    left = WIDTH - warp_cols * zoom
    shapes.text(left, 12, f"warp 0: {warp_rows} × {warp_cols} elements", "title")
    centers, numbers = [], Shapes()
    for lane, cells in sorted(elements_of(trace).items()):
        for i, (row, height, col, width) in enumerate(patches(cells)):
            x, y, width, height = left + col * zoom, 24 + row * zoom, width * zoom, height * zoom
            shapes.box("lane", x, y, width - 1, height - 1, style=f"--l:{lane}")
            if width > 14 and height > 11:
                numbers.text(x + width / 2, y + height / 2 + 4, lane, "on")
            if i == 0:
                centers.append((x + width / 2, y + height / 2))
    shapes.path("order", centers)
    shapes.parts += numbers.parts
    height = 24 + max(rows * scale, warp_rows * zoom) + 4
    return shapes.inline("drawing", WIDTH, height, f"Who computes what in {variant}")


@figures.of_trace("figure tile")
def tile(page, *variants):
    """<!-- figure tile VARIANT... -->: who computes which element of a block's tile"""
    return templates.part("tiles", variants, [templates.safe(tile_of(one, trace_of(page, one)))
                                              for one in variants])
