"""Recorded results, as chips at the top of a chapter and as the tables of `Measured`."""

import html

import book
import faults
from faults import wrong_twins_report



def _result_page(path):
    text = path.read_text(encoding="utf-8")
    return book.Page(f"results_{path.stem}", book.title_of(text), str(path.relative_to(book.ROOT)),
                     text, "results", parent="measured")


# The recorded results that are written as texts.
PAGES = [_result_page(path) for path in sorted(book.RESULTS.glob("*.md"))
         if path.stem != "wrong_twins"]


def best(step_name):
    """The recorded run of a step's last kernel: what the chapter ends with."""
    lines = book.measured(step_name)
    return max(lines, key=lambda line: book.rate(line)[0]) if lines else None


def chips(page):
    run = best(page.name)
    numbers = [step.number for step in book.steps()]
    said = [f"Step {int(page.number)} of {int(numbers[-1])}"]
    if run is not None:
        value, unit = book.rate(run)
        said.append(f"<b>{book.number(value)}</b> {unit}")
        if "percent_of_roof" in run:
            said.append(f"<b>{book.number(run['percent_of_roof'])} %</b> of the roof")
        if "percent_of_baseline" in run:
            said.append(f"<b>{book.number(run['percent_of_baseline'])} %</b> of "
                        f"{html.escape(run['baseline'])}")
        said.append(html.escape(run["device"]))
    return '<ul class="chips">' + "".join(f"<li>{one}</li>" for one in said) + "</ul>"


def runs_table(step_name, results):
    """Every recorded kernel of a step."""
    lines = [line for line in book.runs(results) if line["step"] == step_name]
    on_gpu = any("percent_of_roof" in line for line in lines)
    head = ["kernel", "size", "median ms", "spread", "rate"]
    head += ["of the roof", "of the library"] if on_gpu else []
    rows = []
    for line in lines:
        value, unit = book.rate(line)
        spread = (line["max_ms"] - line["min_ms"]) / line["median_ms"] * 100
        cells = [f"<code>{line['variant']}</code>", book.shape_text(line["shape"]),
                 f"{line['median_ms']:.4g}", f"{spread:.1f} %", f"{book.number(value)} {unit}"]
        if on_gpu:
            cells.append(f"{book.number(line['percent_of_roof'])} %" if "percent_of_roof" in line
                         else "")
            cells.append(f"{book.number(line['percent_of_baseline'])} % ({line['baseline']})"
                         if "percent_of_baseline" in line else "")
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return ('<div class="table" tabindex="0"><table><thead><tr>' +
            "".join(f'<th scope="col">{one}</th>' for one in head) +
            f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>")


def heading(name):
    """Of what was recorded under a name: a step, or the roofs."""
    if name not in [step.name for step in book.steps()]:
        return name.capitalize()
    return f'<a href="{name}.html">{name}</a>'


def environment(results):
    line = book.runs(results)[0]
    return (f"{html.escape(line['device'])}, driver {line['driver']}, toolkit {line['toolkit']}, "
            f"{line['clock_mhz']} MHz, {line['date']}")


def ladder():
    """The last kernel of each step, with a bar: how much of its roof it reaches."""
    rows = []
    for step in book.steps():
        run = best(step.name)
        title = book.title_of((step.folder / "README.md").read_text(encoding="utf-8"))
        name = (f'<span class="n">{step.number}</span> <a href="{step.name}.html">'
                f"{html.escape(title)}</a>")
        if run is None:
            rows.append(f"<tr><td>{name}</td><td></td><td></td><td></td></tr>")
            continue
        value, unit = book.rate(run)
        percent = run["percent_of_roof"]
        bar = (f'<span class="bar-of" style="--part:{min(percent, 100):.1f}%"></span>'
               f"{book.number(percent)} %")
        library = (f"{book.number(run['percent_of_baseline'])} %"
                   if "percent_of_baseline" in run else "")
        rows.append(f'<tr><td>{name}</td><td class="num">{book.number(value)} {unit}</td>'
                    f'<td class="with-bar">{bar}</td><td class="num">{library}</td></tr>')
    head = "".join(f'<th scope="col">{one}</th>' for one in
                   ("step", "reached", "of the roof", "of the library"))
    return (f'<div class="ladder table" tabindex="0"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
            f'<p class="hint">Recorded: {environment("h200")}. The roof is what a plain copy, a read, '
            "or nothing but multiply-adds reach on this GPU, measured by the same program.</p>")


def probe(space, kind, width, pattern):
    line = next(line for line in book.recorded("probes_h200")[1:]
                if (line["part"], line["space"], line["kind"], line["bytes"], line["pattern"],
                    line["threads"]) == (space, space, kind, int(width), pattern, 32))
    return line["ncu"][f"{space}_{kind}"]["sectors" if space == "global" else "wavefronts"]


def each(step_name, variant, kind):
    """Sectors or wavefronts of a request."""
    figures = book.counted(step_name, variant)[0][kind]
    units = figures["sectors" if kind.startswith("global") else "wavefronts"]
    return f"{units / figures['requests']:.3g}"


def value(words):
    """What {{WORDS}} stands for in a page: a figure of the recorded results."""
    match words:
        case ["rate", step_name, variant]:
            return "{} {}".format(*_rate(book.measured(step_name, variant)))
        case ["best", step_name]:
            return "{} {}".format(*_rate(best(step_name)))
        case ["roof", step_name, variant]:
            return f"{book.number(book.measured(step_name, variant)['percent_of_roof'])} %"
        case ["bestroof", step_name]:
            return f"{book.number(best(step_name)['percent_of_roof'])} %"
        case ["library", step_name, variant]:
            return f"{book.number(book.measured(step_name, variant)['percent_of_baseline'])} %"
        case ["bestlibrary", step_name]:
            return f"{book.number(best(step_name)['percent_of_baseline'])} %"
        case ["each", step_name, variant, kind]:
            return each(step_name, variant, kind)
        case ["probe", space, kind, width, pattern]:
            return str(probe(space, kind, width, pattern))
        case ["device"]:
            return book.recorded("ncu_h200")[0]["device"]
        case ["agree", "launches"]:
            return str(len(book.recorded("agreement")))
        case ["agree", "same"]:
            return str(sum(not line["differ"] for line in book.recorded("agreement")))
        case ["twins"]:
            return str(len(faults.twins()))
        case ["twins", side]:
            return str(sum(wrong_twins_report.is_found(line, side) for line in faults.twins()))
    raise ValueError(f"{{{{{' '.join(words)}}}}}")


def _rate(line):
    figure, unit = book.rate(line)
    return book.number(figure), unit


def make(_page, arguments):
    """<!-- measured ladder -->, <!-- measured runs h200 STEP -->, <!-- measured environment h200 -->"""
    match arguments:
        case ["ladder"]:
            return ladder()
        case ["runs", results]:
            return "".join(f'<h3 id="{results}-{name}">{heading(name)}</h3>' +
                           runs_table(name, results)
                           for name in dict.fromkeys(line["step"] for line in book.runs(results)))
        case ["environment", results]:
            return f"<p>{environment(results)}</p>"
    raise ValueError(f"measured {' '.join(arguments)}")
