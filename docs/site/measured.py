"""Recorded results, for the top of a chapter and for the tables of `Measured`."""

import book
import records

# The recorded results that have a page of their own; some are written as texts.
PAGES = [book.page_of(path, f"results_{path.stem}", "results", parent="measured")
         for path in [*sorted(book.RESULTS.glob("*.md")), book.DOCS / "pages" / "probes.md"]
         if path.stem != "wrong_twins"]
# The steps whose best kernels the start page compares with the vendor's.
COMPARED = ["05_reduce_warp_shuffle", "08_transpose_shared", "12_sgemm_warptile_zorder"]


def best(step_name):
    """The recorded run of a step's best kernel: what the chapter ends with."""
    size = tuple(book.step(step_name).entry.measured[0])
    rows = [row for row in book.rows("h200") if (row.step, row.sizes) == (step_name, size)]
    return records.best(rows) if rows else None


def rival(step_name):
    """(name, in percent of its rate that of a step's best kernel) of the fastest library."""
    row = best(step_name)
    fastest = records.fastest_rival(row, book.rows("softmax_peers")) if row else None
    return fastest and (records.split_peer(fastest[0])[0], 100 * row.rate / fastest[1])


def rivals():
    """[(step, name, percent)] of the steps whose best kernels are compared with the vendor's."""
    return [(book.step(name), *rival(name)) for name in COMPARED]


def step_before(step):
    """The one whose problem a step makes faster; None: there is none."""
    whole = [one for one in book.steps() if one.is_whole]
    before = whole[whole.index(step) - 1] if step in whole[1:] else None
    return before if before and before.entry.problem == step.entry.problem else None


def programs(results):
    """{program: its runs}, in the order of the steps: the roofs first, other programs behind their
    step."""
    order = {program: i for i, step in enumerate(book.steps())
             for program in (step.name, *step.entry.programs)}
    found = {}
    for row in sorted(book.rows(results), key=lambda row: order.get(row.step, -1)):
        found.setdefault(row.step, []).append(row)
    return found


def peers():
    """{sizes: {kernel: GB/s}}: our softmax beside others, in their process; cuDNN's as it compares
    with ours in the bench."""
    rows, rates = book.rows("softmax_peers"), {}
    ours = {row.sizes: row for row in book.rows("h200")
            if (row.step, row.variant) == (rows[0].step, "softmax")}
    for sizes in filter(ours.get, dict.fromkeys(row.sizes for row in rows)):
        own, theirs = ours[sizes], {row.variant: row.rate for row in rows if row.sizes == sizes}
        rate = theirs.pop("softmax")
        vendors = rate * own.median_ms / own.baseline_ms
        rates[sizes] = {"softmax": rate, own.baseline: vendors, **theirs}
    return rates


def probe_table(lines):
    """The cost of single requests: the lines of the columns' headings, and rows of cells. Columns
    that are the same are one."""
    columns, alike = {}, {}
    for line in lines:
        kind = line["kind"].replace("_result", ", result used").replace("_", " ")
        units = [figures.get("sectors", figures.get("wavefronts"))
                 for figures in line["ncu"].values()]
        columns.setdefault((kind, line["bytes"]), {})[pattern_of(line)] = " + ".join(map(str, units))
    patterns = list(dict.fromkeys(map(pattern_of, lines)))
    for (kind, size), costs in columns.items():
        cells = tuple(costs.get(pattern, "") for pattern in patterns)
        alike.setdefault((cells, size), []).append(kind)
    headings = [kinds if lines[0]["part"] == "atomic" else
                [", ".join(kinds), f"{size} byte" + ("s" if size > 1 else "")]
                for (_, size), kinds in alike.items()]
    return headings, zip(patterns, *(cells for cells, _ in alike))


def pattern_of(line):
    name = line["pattern"].replace("_", " ")
    return name if line["threads"] == 32 else f"{name}, {line['threads']} threads"
