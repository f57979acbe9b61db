"""Recorded results, as chips at the top of a chapter and as the tables of `Measured`."""

import book
import records
import templates
from directives import directive


# The recorded results that have a page of their own; some are written as texts.
PAGES = [book.page_of(path, f"results_{path.stem}", "results", parent="measured")
         for path in [*sorted(book.RESULTS.glob("*.md")), book.DOCS / "pages" / "probes.md"]
         if path.stem != "wrong_twins"]


def _best_row(step_name):
    size = tuple(book.step(step_name).entry.measured[0])
    rows = [row for row in book.rows("h200") if (row.step, row.sizes) == (step_name, size)]
    return records.best(rows) if rows else None


def best(step_name):
    """The recorded run of a step's best kernel: what the chapter ends with."""
    row = _best_row(step_name)
    return row and row.fields


def rival(step_name):
    """(name, in percent of its rate that of a step's best kernel) of the fastest library."""
    row = _best_row(step_name)
    fastest = records.fastest_rival(row, book.rows("softmax_peers")) if row else None
    return fastest and (fastest[0], 100 * row.rate / fastest[1])


def chips(page):
    step = book.step(page.step)
    whole = [one for one in book.steps() if one.is_whole]
    before = whole[whole.index(step) - 1] if step in whole[1:] else None
    earlier = best(before.name) if before and before.entry.problem == step.entry.problem else None
    return templates.part("chips", step, whole[-1], best(step.name), before, earlier,
                          rival(step.name))


def table(head, rows):
    """The first column says what a row is about; the others are numbers."""
    classes = " ".join(f"n{i}" for i in range(2, len(head) + 1))
    return templates.part("table", classes, templates.safe(head), templates.safe(rows))


def runs_table(name, results):
    """Every recorded kernel of a program."""
    lines = [line for line in book.runs(results) if line["step"] == name]
    on_gpu = any("percent_of_roof" in line for line in lines)
    library = next((line["baseline"] for line in lines if "baseline" in line), None)

    def cells(line):
        spread = (line["max_ms"] - line["min_ms"]) / line["median_ms"]
        yield from (f"<code>{line['variant']}</code>", size_of(line), f"{line['median_ms']:.4g}",
                    f"{spread:.1%}".replace("%", " %"), " ".join(book.rate(line)))
        if on_gpu:
            yield from (f"{book.number(line[part])} %" if part in line else ""
                        for part in ("percent_of_roof", "percent_of_baseline"))
    return table(["kernel", "size", "median ms", "spread", "rate",
                  *(["of the roof", f"of {library}"] if on_gpu else [])],
                 [list(cells(line)) for line in lines])


def size_of(line):
    return records.size_text(tuple(line["shape"].values()))


@directive("measured runs")
def runs(_page, results):
    """In the order of the steps: the roofs first, other programs behind their step."""
    order = {program: (i, step) for i, step in enumerate(book.steps())
             for program in (step.name, *step.entry.programs)}
    names = dict.fromkeys(line["step"] for line in book.runs(results))
    return "".join(
        templates.part("runs_of", results, name, order[name][1].page if name in order and
                       order[name][1].name == name else "", runs_table(name, results))
        for name in sorted(names, key=lambda name: order[name][0] if name in order else -1))


@directive("measured peers")
def peers(_page):
    """Our softmax beside others, in their process; cuDNN's as it compares with ours in the bench."""
    lines = book.runs("softmax_peers")
    in_bench = {size_of(line): line for line in book.runs("h200")
                if (line["step"], line["variant"]) == (lines[0]["step"], "softmax")}
    names = list(dict.fromkeys(line["variant"] for line in lines if line["variant"] != "softmax"))
    rows = []
    for size in dict.fromkeys(map(size_of, lines)):
        if (own := in_bench.get(size)) is None:
            continue
        rates = {line["variant"]: line["gb_per_s"] for line in lines if size_of(line) == size}
        rates[own["baseline"]] = rates["softmax"] * own["median_ms"] / own["baseline_ms"]
        columns = ["softmax", own["baseline"], *names]
        rows.append([size, *(f"{rates[name]:.0f} GB/s" if name in rates else ""
                             for name in columns)])
    return templates.part("peers", table(["size", "<code>softmax</code>", *columns[1:]], rows),
                          lines[0], environment("softmax_peers"))


@directive("measured probes")
def probe_tables(_page, part):
    """The cost of single requests of a warp, as ncu counted it: a row for each pattern of addresses."""
    lines = [line for line in book.recorded("probes_h200")[1:] if line["part"] == part]
    spaces = dict.fromkeys(line["space"] for line in lines)
    return "".join(probe_table([line for line in lines if line["space"] == space])
                   for space in spaces)


def probe_table(lines):
    def column(line):
        return line["kind"].replace("_result", ", result used").replace("_", " "), line["bytes"]

    def row(line):
        name = line["pattern"].replace("_", " ")
        return name if line["threads"] == 32 else f"{name}, {line['threads']} threads"

    def cost(line):
        units = [figures.get("sectors", figures.get("wavefronts")) for figures in line["ncu"].values()]
        return " + ".join(map(str, units))
    names = list(dict.fromkeys(map(row, lines)))
    columns = {}
    for line in lines:
        columns.setdefault(column(line), dict.fromkeys(names, ""))[row(line)] = cost(line)
    alike = {}  # columns that are the same need not be there twice
    for name, cells in columns.items():
        alike.setdefault((*cells.values(), name[1]), []).append(name)

    def heading(columns):
        kinds = dict.fromkeys(kind for kind, _ in columns)
        if lines[0]["part"] == "atomic":
            return "<br>".join(kinds)
        return f"{', '.join(kinds)}<br>{columns[0][1]} byte{'s' if columns[0][1] > 1 else ''}"
    return table(["lanes' addresses", *map(heading, alike.values())],
                 [[name, *cells] for name, *cells in zip(names, *alike)])


def environment(results):
    """The machine of the measurements; a CPU has no driver and no Toolkit."""
    line = book.runs(results)[0]
    parts = [line["device"], line["date"]]
    if line.get("backend") != "cpu":
        parts[1:1] = [f"driver {line['driver']}", f"toolkit {line['toolkit']}",
                      f"{line.get('clock_mhz', line.get('sm_clock_mhz'))} MHz"]
    return ", ".join(parts)


@directive("measured environment")
def environment_of_runs(_page, results):
    return templates.part("paragraph", environment(results))


@directive("measured environment_of")
def environment_of_counts(_page, results):
    return templates.part("paragraph", "{device}, driver {driver}, ncu {ncu}, {date}".format(
        **book.recorded(results)[0]))


@directive("measured ladder")
def ladder(_page):
    """The last kernel of each step, with a bar: how much of its roof it reaches."""
    return templates.part("ladder", [(step, best(step.name), rival(step.name))
                                     for step in book.steps()], environment("h200"))
