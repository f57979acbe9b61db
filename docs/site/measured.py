"""Recorded results, as chips at the top of a chapter and as the tables of `Measured`."""

import html

import book
import records
import templates


def _result_page(path):
    text = path.read_text(encoding="utf-8")
    return book.Page(f"results_{path.stem}", book.title_of(text), str(path.relative_to(book.ROOT)),
                     text, "results", parent="measured")


# The recorded results that have a page of their own; some are written as texts.
PAGES = [_result_page(path) for path in [*sorted(book.RESULTS.glob("*.md")),
                                         book.DOCS / "pages" / "probes.md"]
         if path.stem != "wrong_twins"]


def _best_row(step_name):
    size = tuple(book.step(step_name).entry.measured[0])
    rows = [row for row in book.rows("h200") if (row.step, row.sizes) == (step_name, size)]
    return records.best(rows) if rows else None


def best(step_name):
    """The recorded run of a step's best kernel: what the chapter ends with."""
    row = _best_row(step_name)
    return row.fields if row else None


def rival(step_name):
    """(name, in percent of its rate that of a step's best kernel) of the fastest library."""
    row = _best_row(step_name)
    fastest = records.fastest_rival(row, book.rows("softmax_peers")) if row else None
    return (fastest[0], 100 * row.rate / fastest[1]) if fastest else None


def chips(page):
    step = book.step(page.step)
    run = best(step.name)
    whole = [one for one in book.steps() if one.is_whole]
    said = [f"Step {int(step.number)} of {int(whole[-1].number)}" if step.is_whole else
            f"Beside step {step.number}"]
    if run is not None:
        value, unit = book.rate(run)
        said.append(f"<b>{book.number(value)}</b> {unit} on an "
                    f"{html.escape(run['device'].removeprefix('NVIDIA '))}")
        before = whole[whole.index(step) - 1] if step in whole[1:] else None
        earlier = best(before.name) if before else None
        if earlier is not None and before.entry.problem == step.entry.problem:
            gain = book.number(earlier["median_ms"] / run["median_ms"])  # at the same size
            said.append(f"<b>{gain} ×</b> step {before.number}")
        if "percent_of_roof" in run:
            said.append(f"<b>{book.number(run['percent_of_roof'])} %</b> of the roof")
        if (against := rival(step.name)) is not None:
            said.append(f"<b>{book.number(against[1])} %</b> of {html.escape(against[0])}")
    return '<ul class="chips">' + "".join(f"<li>{one}</li>" for one in said) + "</ul>"


def runs_table(step_name, results):
    """Every recorded kernel of a step."""
    lines = [line for line in book.runs(results) if line["step"] == step_name]
    on_gpu = any("percent_of_roof" in line for line in lines)
    library = next((line["baseline"] for line in lines if "baseline" in line), None)
    head = ["kernel", "size", "median ms", "spread", "rate"]
    head += ["of the roof", f"of {library}"] if on_gpu else []
    rows = []
    for line in lines:
        value, unit = book.rate(line)
        spread = (line["max_ms"] - line["min_ms"]) / line["median_ms"] * 100
        cells = [f"<code>{line['variant']}</code>", records.size_text(tuple(line["shape"].values())),
                 f"{line['median_ms']:.4g}", f"{spread:.1f} %", f"{book.number(value)} {unit}"]
        if on_gpu:
            cells += [f"{book.number(line[part])} %" if part in line else ""
                      for part in ("percent_of_roof", "percent_of_baseline")]
        rows.append(cells)
    return table(head, rows)


def programs_of(results):
    """The records in the order of the steps: the roofs first, other programs behind their step."""
    names = list(dict.fromkeys(line["step"] for line in book.runs(results)))
    order = [program for step in book.steps() for program in (step.name, *step.programs)]
    return sorted(names, key=lambda name: order.index(name) if name in order else -1)


def peers():
    """Our softmax beside others, in their process; cuDNN's as it compares with ours in the bench."""
    lines = book.runs("softmax_peers")
    in_bench = {str(line["shape"]): line for line in book.runs("h200")
                if (line["step"], line["variant"]) == (lines[0]["step"], "softmax")}
    names = list(dict.fromkeys(line["variant"] for line in lines))
    sizes = {str(line["shape"]): line["shape"] for line in lines}
    rows = []
    for key, shape in sizes.items():
        if key not in in_bench:
            continue
        rates = {line["variant"]: line["gb_per_s"] for line in lines if str(line["shape"]) == key}
        own = in_bench[key]
        rates[own["baseline"]] = rates["softmax"] * own["median_ms"] / own["baseline_ms"]
        columns = ["softmax", own["baseline"], *(name for name in names if name != "softmax")]
        rows.append([records.size_text(tuple(shape.values())),
                     *(f"{rates[name]:.0f} GB/s" if name in rates else "" for name in columns)])
    versions = ", ".join(f"{name} {lines[0][name]}" for name in ("torch", "triton"))
    head = ["size", "<code>softmax</code>", *columns[1:]]
    return (table(head, rows) + f'<p class="hint">{html.escape(versions)}; '
            f"{environment('softmax_peers')}.</p>")


def probe_tables(part):
    """The cost of single requests of a warp, as ncu counted it: a row for each pattern of addresses."""
    lines = [line for line in book.recorded("probes_h200")[1:] if line["part"] == part]
    spaces = list(dict.fromkeys(line["space"] for line in lines))
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


def table(head, rows):
    """The first column says what a row is about; the others are numbers."""
    classes = " ".join(f"n{i}" for i in range(2, len(head) + 1))
    return templates.part("table", classes, templates.safe(head), templates.safe(rows))


def heading(name):
    """The heading for the records of a name: a step, or the roofs."""
    step = next((step for step in book.steps() if step.name == name), None)
    return f'<a href="{step.page}.html">{name}</a>' if step else name.capitalize()


def environment(results):
    """The machine of the measurements; a CPU has no driver and no Toolkit."""
    line = book.runs(results)[0]
    parts = [html.escape(line["device"])]
    if line.get("backend") != "cpu":
        parts += [f"driver {line['driver']}", f"toolkit {line['toolkit']}",
                  f"{line.get('clock_mhz', line.get('sm_clock_mhz'))} MHz"]
    return ", ".join([*parts, line["date"]])


def ladder():
    """The last kernel of each step, with a bar: how much of its roof it reaches."""
    rows = []
    for step in book.steps():
        row = [step.number if step.is_whole else "", step.page, step.title]
        if (run := best(step.name)) is None:
            rows.append([*row, "", "", "", ""])
            continue
        value, unit = book.rate(run)
        percent, against = run["percent_of_roof"], rival(step.name)
        rows.append([*row, f"{book.number(value)} {unit}", f"{min(percent, 100):.1f}",
                     f"{book.number(percent)} %", f"{book.number(against[1])} %" if against else ""])
    return templates.part("ladder", rows, templates.safe(environment("h200")))


def make(_page, arguments):
    """<!-- measured ladder -->, runs RESULTS, peers, probes PART, environment RESULTS,
    environment_of COUNTS"""
    match arguments:
        case ["ladder"]:
            return ladder()
        case ["runs", results]:
            return "".join(f'<h3 id="{results}-{name}">{heading(name)}</h3>' +
                           runs_table(name, results)
                           for name in programs_of(results))
        case ["peers"]:
            return peers()
        case ["probes", part]:
            return probe_tables(part)
        case ["environment_of", recorded]:
            return "<p>{device}, driver {driver}, ncu {ncu}, {date}</p>".format(
                **book.recorded(recorded)[0])
        case ["environment", results]:
            return f"<p>{environment(results)}</p>"
    raise ValueError(f"measured {' '.join(arguments)}")
