"""The texts that agreement.py writes: tables of what was counted on the CPU, and by ncu."""

import json
import pathlib
import sys
import textwrap

import ncu

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import generated  # noqa: E402

BEGIN = "<!-- written by common/calibration/agreement.py -->"
END = "<!-- end of what agreement.py wrote -->"


def lines(rows):
    """All rows, a line of JSON each."""
    return "".join(json.dumps(row) + "\n" for row in rows)


class Notes:
    """Reasons, numbered as they are first referred to."""

    def __init__(self, why):
        self.why, self.numbers = why, {}

    def refer(self, names):
        return " ".join(f"({self.numbers.setdefault(name, len(self.numbers) + 1)})"
                        for name in names)

    def text(self, with_names=False):
        return "".join("\n" + wrapped(f"({number}) " + (f"`{name}`: " if with_names else "") +
                                      self.why[name])
                       for name, number in self.numbers.items())


def wrapped(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def units_of(kind):
    return "sectors" if kind.startswith("global") else "wavefronts"


def sums(rows):
    """[(variant, kind of access, the CPU's figures, ncu's, reasons)], summed over the launches of a
    variant. The figures are a pair: requests, and sectors or wavefronts."""
    result = []
    for variant in dict.fromkeys(row["variant"] for row in rows):
        launches = [row for row in rows if row["variant"] == variant]
        for kind in ncu.METRICS:
            both = [tuple(sum(row[source].get(kind, {}).get(figure, 0) for row in launches)
                          for figure in ("requests", units_of(kind))) for source in ("cpu", "ncu")]
            why = dict.fromkeys(name for row in launches for name in row["why"].get(kind, []))
            if both != [(0, 0), (0, 0)]:
                result.append((variant, kind, *both, list(why)))
    return result


def table(rows, notes):
    out = ["| kernel | access | requests | sectors or wavefronts | per request | ncu |",
           "|---|---|---|---|---|---|"]
    above = None
    for variant, kind, cpu, measured, why in sums(rows):
        kernel, above = "" if variant == above else f"`{variant}`", variant
        said = "the same"
        if why:
            said = f"{measured[0]} requests, {measured[1]} {units_of(kind)} {notes.refer(why)}"
        out.append(f"| {kernel} | {kind.replace('_', ' ')} | {cpu[0]} | "
                   f"{cpu[1]} {units_of(kind)} | {a_request(cpu)} | {said} |")
    return "\n".join(out) + "\n"


def a_request(figures):
    requests, units = figures
    return f"{units / requests:.2f}" if requests else "-"


def brief(figures):
    """1024 × 4: requests, and what each of them costs."""
    requests, units = figures
    each = f" × {units / requests:.2f}".rstrip("0").rstrip(".") if requests else ""
    return f"{requests:,}{each}"


def brief_table(rows, notes):
    """A line for each variant, a column for each kind of access that any of them has."""
    cells = {}
    for variant, kind, cpu, measured, why in sums(rows):
        said = brief(cpu)
        if why:
            said += f"; ncu: {brief(measured)} {notes.refer(why)}"
        cells.setdefault(variant, {})[kind] = said
    kinds = [kind for kind in ncu.METRICS if any(kind in line for line in cells.values())]
    head = ["kernel", *(f"{kind.replace('_', ' ')}s" for kind in kinds)]
    lines = [[f"`{variant}`", *(line.get(kind, "") for kind in kinds)]
             for variant, line in cells.items()]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|",
                      *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def on_what(environment):
    return "an {device} (ncu {ncu}, driver {driver}, {date})".format(**environment)


def page(rows, environment, why):
    notes = Notes(why)
    out = ["# Counted on the CPU, and by Nsight Compute\n",
           wrapped("Every variant of every step, at the same sizes: on the CPU with `--counters`, "
                   f"and by `ncu` on {on_what(environment)}. All launches of a variant are added "
                   "up. This page and `agreement.jsonl`, which has every launch, are written by "
                   "`common/calibration/agreement.py`."),
           wrapped("Wavefronts are those that ncu works out instruction by instruction "
                   "(`smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared`): the hardware's "
                   "counters include the waiting of several blocks for one another. How the rules "
                   "of the CPU's counters compare with the hardware's counters, access by access, is "
                   "in `probes_h200.jsonl`."), summary(rows)]
    for sizes, title in (("round", "Round sizes"), ("ragged", "Ragged sizes")):
        out.append(f"## {title}\n")
        those = [row for row in rows if row["sizes"] == sizes]
        for step, shape in dict.fromkeys((row["step"], row["shape"]) for row in those):
            out.append(f"### {step} `{shape}`\n")
            out.append(table([row for row in those if (row["step"], row["shape"]) == (step, shape)],
                             notes))
    out.append("## Where they differ\n")
    out.append(wrapped("The numbers in the tables; `agreement.jsonl` has the names.") +
               notes.text(with_names=True))
    return "\n".join(out)


def summary(rows):
    out = ["| sizes | launches | global memory equal | shared memory equal | both |",
           "|---|---|---|---|---|"]
    for sizes in ("round", "ragged"):
        those = [row for row in rows if row["sizes"] == sizes]
        equal = [sum(not any(kind.startswith(space) for kind in row["differ"]) for row in those)
                 for space in ("global", "shared")]
        both = sum(not row["differ"] for row in those)
        out.append(f"| {sizes} | {len(those)} | {equal[0]} | {equal[1]} | {both} |")
    return "\n".join(out) + "\n"


def section(rows, shape, environment, why, docs="../../docs"):
    """The section of a step's README.md on its kernels' counts; `docs` is the way from it to the folder docs."""
    notes = Notes(why)
    body = brief_table(rows, notes)
    agrees = "counted the same"
    if notes.numbers:
        agrees += ", except where the table says otherwise"
    about = wrapped(f"The counts of `--counters` on the CPU with `{shape}`: requests × what each of them "
                    "costs, in sectors of global memory or wavefronts of shared memory. Nsight "
                    f"Compute, on {on_what(environment)}, {agrees}. All sizes are in "
                    f"[docs/results/agreement.md]({docs}/results/agreement.md).")
    return f"{BEGIN}\n## Counted\n\n{about}\n{body}{notes.text()}\n{END}\n"


def with_section(readme, text):
    """The README.md with the section in place of the one it has, or where it belongs."""
    return generated.in_chapter(readme, text, BEGIN, END + "\n")
