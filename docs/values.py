#!/usr/bin/env python3
"""The recorded figures in the text of docs/pages: written by this script, or checked.

    values.py write | check

A figure stands in the Markdown between comments, so that code hosts show it, too:
`<!--= rate 01_naive_add add -->3476 GB/s<!--/-->`. The words are those of value().
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE / "site"), str(HERE.parent / "common")]
import book  # noqa: E402
import faults  # noqa: E402
import generated  # noqa: E402
import map_records  # noqa: E402
import measured  # noqa: E402
from faults import wrong_twins_report  # noqa: E402
from staging import VALUE  # noqa: E402


def probe(space, kind, width, pattern):
    line = next(line for line in book.recorded("probes_h200")[1:]
                if (line["part"], line["space"], line["kind"], line["bytes"], line["pattern"],
                    line["threads"]) == (space, space, kind, int(width), pattern, 32))
    return line["ncu"][f"{space}_{kind}"]["sectors" if space == "global" else "wavefronts"]


UNRECORDED = "(no record yet)"


def each(step_name, variant, kind):
    """Sectors or wavefronts of a request."""
    counts = book.counted(variant_of(step_name, variant))
    units = "sectors" if kind.startswith("global") else "wavefronts"
    return f"{counts.per_request(units, kind):.3g}" if counts else UNRECORDED


def slower(operator):
    """At how many of the map's shapes the best peer is faster than our kernel."""
    path = book.RESULTS / "map_h200.jsonl"
    found = map_records.read(path).get(operator)
    if found is None:
        return UNRECORDED
    return f"{sum(shape.ratio < 1 for shape in found.compared)} of {len(found.compared)}"


def value(words):
    """The value of `<!--= WORDS -->` in a page: a figure of the recorded results."""
    match words:
        case ["rate", step_name, variant]:
            return said_of(run_of(step_name, variant), rate_text)
        case ["best", step_name]:
            return said_of(measured.best(step_name), rate_text)
        case ["roof", step_name, variant]:
            return said_of(run_of(step_name, variant), percent_text("percent_of_roof"))
        case ["bestroof", step_name]:
            return said_of(measured.best(step_name), percent_text("percent_of_roof"))
        case ["library", step_name, variant]:
            return said_of(run_of(step_name, variant), percent_text("percent_of_baseline"))
        case ["bestlibrary", step_name]:
            return said_of(measured.best(step_name), percent_text("percent_of_baseline"))
        case ["roofs", probe_name]:
            return said_of(roof_of(probe_name), rate_text)
        case ["each", step_name, variant, kind]:
            return each(step_name, variant, kind)
        case ["probe", space, kind, width, pattern]:
            return str(probe(space, kind, width, pattern))
        case ["probes"]:
            return f"{len(book.recorded('probes_h200')) - 1:,}"
        case ["device"]:
            return book.recorded("ncu_h200")[0]["device"]
        case ["slower", operator]:
            return slower(operator)
        case ["agree", "launches"]:
            return str(len(book.recorded("agreement")))
        case ["agree", "same"]:
            return str(sum(not line["differ"] for line in book.recorded("agreement")))
        case ["twins"]:
            return str(len(faults.twins()))
        case ["twins", side]:
            return str(sum(wrong_twins_report.is_found(line, side) for line in faults.twins()))
    raise ValueError(f"no figure '{' '.join(words)}'")


def roof_of(probe_name):
    """The record of a probe of the roofs, or None."""
    return next((row for row in book.rows("h200")
                 if (row.step, row.variant) == ("roofs", probe_name)), None)


def variant_of(step_name, name):
    found = book.variant(name)
    if found is None or book.step(found.program_step).name != step_name:
        raise ValueError(f"{step_name} has no variant {name}")
    return found


def run_of(step_name, variant):
    """The record of a variant at its step's standard size, or None."""
    return book.of_rungs().measured(variant_of(step_name, variant))


def said_of(run, said):
    """The words of said(run) on a record, if there is one."""
    return said(run) if run else UNRECORDED


def rate_text(run):
    return " ".join(book.rate(run))


def percent_text(field):
    return lambda run: f"{book.number(run.get(field))} %" if field in run.fields else UNRECORDED


def filled(text):
    def with_value(match):
        return f"<!--= {match[1]} -->{value(match[1].split())}<!--/-->"
    return VALUE.sub(with_value, text)


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = {path: filled(path.read_text(encoding="utf-8"))
              for path in sorted((book.DOCS / "pages").glob("*.md"))}
    stale = generated.bring_up_to_date(wanted, arguments == ["write"], "docs/values.py")
    for fault in stale:
        print(fault)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
