"""Matrix products as recorded traces have them: what a block reads, and who computes what."""

import figures
import staging


def trace_of(page, variant):
    trace = figures.trace_of(page, variant)
    if trace and "product" not in trace:
        raise staging.Fault(f"{page.source}: the first block of {variant} computes no tile of C by "
                            "itself")
    return trace


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


def shares(trace):
    """[(lane, its patches of C)] of warp 0."""
    return [(lane, patches(cells)) for lane, cells in sorted(elements_of(trace).items())]
