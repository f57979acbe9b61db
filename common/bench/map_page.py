"""The texts about the map: docs/pages/map.md, and what a chapter says of its operator."""

import collections

import map_figures
import map_records
import records
from generated import wrapped
from map_records import PROGRAMS
from tables import milliseconds, table

WORST = map_figures.NUMBERED


def short(device):
    """H100 of NVIDIA H100 80GB HBM3."""
    words = device.split()
    return next((word for word in words if any(map(str.isdigit, word))), words[-1])


def figure_name(one, first_device):
    """map-sgemm; of further devices map-sgemm-h100."""
    device = "" if one.device == first_device else f"-{short(one.device).lower()}"
    return f"map-{one.operator}{device}"


def named(maps):
    """[(name of its picture, map)] of all files, by operator."""
    all_maps = [by_operator[operator] for operator in PROGRAMS for by_operator in maps
                if operator in by_operator]
    comparable = [one for one in all_maps if one.compared]
    first = {}
    for one in comparable:
        first.setdefault(one.operator, one.device)
    return [(figure_name(one, first[one.operator]), one) for one in comparable]


def pictures(maps):
    """{name: SVG}"""
    return {name: map_figures.draw(name, one) for name, one in named(maps)}


def ratio(value):
    return f"{value:.2f} ×"


def anchor(one):
    """The anchor of its heading, as code hosts name it."""
    return f"{one.operator}-{one.device}".lower().replace(" ", "-")


def overview(entries):
    head = ["operator", "device", "shapes", "median", "5th percentile", "worst",
            "slower than the peer"]
    rows = [[f"[{one.operator}](#{anchor(one)})", short(one.device), f"{len(one.compared)}",
             *(ratio(one.percentile(percent)) for percent in (50, 5, 0)),
             f"{sum(shape.ratio < 1 for shape in one.compared)}"] for _, one in entries]
    return table(head, rows)


def worst_table(one):
    rows = [[str(rank), map_records.sizes_said(shape), f"`{shape.kernel}`", milliseconds(shape.ms),
             shape.peer, milliseconds(shape.peer_ms), ratio(shape.ratio)]
            for rank, shape in enumerate(one.compared[:WORST], start=1)]
    sizes = " × ".join(one.compared[0].sizes)
    return table(["rank", sizes, "kernel", "time", "best peer", "its time", "ratio"], rows)


def circumstances(one):
    alone = len(one.shapes) - len(one.compared)
    seeds = ", ".join(map(str, one.seeds))
    said = f"Seed {seeds}, {' to '.join(dict.fromkeys((one.dates[0], one.dates[-1])))}. " \
        if one.dates and one.seeds else ""
    shapes = f"{alone} further shape{'s have' if alone > 1 else ' has'}"
    return (f"{said}The best peer is {peers_said(one)}." +
            (f" {shapes} no peer." if alone else ""))


def peers_said(one):
    """cublasLt (heuristics 1 to 8) at 176 shapes, cuBLAS sgemm at 24"""
    shapes, heuristics = collections.Counter(), collections.defaultdict(set)
    for shape in one.compared:
        library, number = records.split_peer(shape.peer)
        shapes[library] += 1
        if number:
            heuristics[library].add(int(number))

    def named(library):
        tried = sorted(heuristics[library])
        return library + (f" (heuristics {tried[0]} to {tried[-1]})" if len(tried) > 1 else "")
    first, *others = [f"{named(library)} at {count}" for library, count in shapes.most_common()]
    return ", ".join([f"{first} shape{'s' if shapes.total() > 1 else ''}", *others])


def section(entries):
    """The part of docs/pages/map.md that the records make."""
    if not entries:
        return wrapped("Nothing is recorded yet. `bench --map --record FILE` measures a map.")
    parts = [wrapped("Losses lie on top, as triangles that point down, and the largest triangles are "
                     "the largest losses."), overview(entries)]
    for name, one in entries:
        parts += [f"## {one.operator}, {one.device}\n", wrapped(circumstances(one)),
                  f"![{map_figures.heading(one)}: the time of the best peer divided by ours]"
                  f"(../figures/{name}.svg)\n",
                  f"The worst {min(WORST, len(one.compared))}, numbered in the figure:\n",
                  worst_table(one)]
    return "\n".join(parts)


def in_chapter(program, entries, up):
    """A chapter's paragraph about the map of its operator; nothing for programs that have none."""
    operators = [operator for operator, name in PROGRAMS.items() if name == program]
    if not operators:
        return []
    link = f"[The map of shapes]({up}docs/pages/map.md)"
    own = [(name, one) for name, one in entries if one.operator == operators[0]]
    if not own:
        return [wrapped(f"{link} compares this step's last kernel with the best peer at shapes drawn "
                        "at random.")]
    name, one = own[0]
    sizes = one.compared[0].sizes
    worst = (map_records.sizes_said(one.compared[0]) if len(sizes) > 1 else
             "".join(f"{axis} = {size}" for axis, size in sizes.items()))
    return [wrapped(f"At {len(one.compared)} shapes drawn at random, the time of the best peer divided "
                    f"by that of `{one.compared[0].kernel}` (above 1, ours is faster) has a median of "
                    f"{one.percentile(50):.2f}, a 5th percentile of {one.percentile(5):.2f}, and a "
                    f"worst of {one.percentile(0):.2f}, at {worst}. {link} has every operator, and the "
                    "worst ten of each."),
            f"![{map_figures.heading(one)}]({up}docs/figures/{name}.svg)\n"]
