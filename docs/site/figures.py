"""The contents of drawings, from records of docs/results: requests of warps and matrix products
(traces.jsonl, probes_h200.jsonl), experiments on a GPU (experiments_h200.jsonl); and of labs and stories.

Requests are drawn as the access lab draws them, and take their colors from the page's style.
"""

import dataclasses
import re
import textwrap

import book
import highlight
import staging
import tools

MOST_ROWS = 8   # that are drawn of a request; the last of them stands for the end


@dataclasses.dataclass
class Request:
    """One access of a warp."""
    space: str
    kind: str
    bytes: int       # a lane
    at: dict         # {lane: offset} of the lanes that take part
    units: int       # sectors or wavefronts
    place: str = ""  # 1_add.cuh:34

    def __post_init__(self):
        self.words = {}  # {word: the lanes that access it}, from the beginning of the memory
        for lane, offset in self.at.items():
            for word in range(offset // 4, (offset + self.bytes + 3) // 4):
                self.words.setdefault(word, []).append(lane)
        self.most_lanes = max(map(len, self.words.values()))  # that access one word
        verb = {"load": "load from", "store": "store to", "atomic": "atomic in"}[self.kind]
        self.name = f"{verb} {self.space} memory"
        unit = "sector" if self.space == "global" else "wavefront"
        self.cost = f"{self.units} {unit}" + ("s" if self.units != 1 else "")
        # Whether words travel with their sector that nobody has asked for.
        self.has_waste = (self.space == "global" and self.kind != "atomic" and
                          len(self.words) < 8 * self.units)


def request_of(recorded):
    name = recorded["file"].rsplit("/", 1)[-1]
    lanes = [lane for lane in range(32) if recorded["lanes"] >> lane & 1]
    offsets = [first + i * stride for first, stride, count in recorded["runs"]
               for i in range(count)]
    return Request(recorded["space"], recorded["kind"], recorded["bytes"],
                   dict(zip(lanes, offsets)), recorded["units"], f"{name}:{recorded['line']}")


def trace_of(page, variant):
    """The launch of a variant that accesses most; None: there is no record of it yet."""
    if book.variant(variant) is None:
        raise staging.Fault(f"{page.source}: there is no variant {variant}")
    launches = [one for one in book.recorded("traces") if one["variant"] == variant]
    return max(launches, key=lambda one: len(one["requests"]), default=None)


def draw(requests):
    """The pictures of requests, as the access lab has them."""
    return tools.node("requests_cli.js", *(
        {"space": one.space, "kind": one.kind, "bytes": one.bytes, "most": MOST_ROWS,
         "label": f"{one.name}: {one.cost}", "at": list(map(one.at.get, range(32)))}
        for one in requests))


def look(request):
    """The key that two requests share if their drawings are the same."""
    first = next(iter(request.at.values()))
    return (request.space, request.kind, request.bytes, request.units, first % 128,
            tuple((lane, offset - first) for lane, offset in request.at.items()))


def distinct(requests):
    """The first request of each access in the source; of accesses whose requests look the same, one for
    all of them."""
    accesses, looks = {}, {}
    for one in requests:
        # Two accesses on one line differ in what they cost, or in how many words they are for.
        accesses.setdefault((one.space, one.kind, one.place, one.units, len(one.words)), one)
    for one in accesses.values():
        looks.setdefault(look(one), []).append(one)
    # 1_add.cuh:34 and 1_add.cuh:35 become 1_add.cuh:34, 35.
    return [dataclasses.replace(first, place=", ".join([first.place, *(
                one.place.removeprefix(f"{first.place.partition(':')[0]}:") for one in others)]))
            for first, *others in looks.values()]


def drawn(trace, kinds):
    """[(request, picture)] of a launch; `kinds` are shared_load, and so on; (): all."""
    requests = [one for one in distinct(map(request_of, trace["requests"]))
                if not kinds or f"{one.space}_{one.kind}" in kinds]
    return list(zip(requests, draw(requests)))


def strides(space):
    """[(stride, request, picture)]: patterns of the probes, with what ncu counted on a GPU."""
    patterns = {"consecutive": 1, **{f"stride_{n}": n for n in (2, 3, 4, 5, 8, 16, 32, 33)}}
    if space == "shared":
        patterns["broadcast"] = 0
    counted = {probe["pattern"]: probe["ncu"][f"{space}_load"]
               for probe in book.recorded("probes_h200")[1:]
               if (probe["part"], probe["space"], probe["kind"], probe["bytes"], probe["threads"]) ==
                  (space, space, "load", 4, 32)}
    units = "sectors" if space == "global" else "wavefronts"
    requests = [Request(space, "load", 4, {lane: 4 * stride * lane for lane in range(32)},
                        counted[name][units]) for name, stride in patterns.items()]
    return list(zip(patterns.values(), requests, draw(requests)))


# --- matrix products: what a block reads, and who computes what -----------------------------------


def product_of(page, variant):
    """The trace of a matrix product; None: there is no record of it yet."""
    trace = trace_of(page, variant)
    if trace and "product" not in trace:
        raise staging.Fault(f"{page.source}: the first block of {variant} computes no tile of C by "
                            "itself")
    return trace


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
    """[(lane, the patches of its elements of C)] of warp 0."""
    elements = {}
    for request in map(request_of, trace["requests"]):
        if (request.space, request.kind) == ("global", "store"):
            for word, lanes in request.words.items():
                for lane in lanes:
                    elements.setdefault(lane, set()).add(divmod(word, trace["product"]["n"]))
    return [(lane, patches(cells)) for lane, cells in sorted(elements.items())]


# --- charts: the lines of experiments, {name: [(x, y)]} -------------------------------------------


def experiment(name):
    return [line for line in book.recorded("experiments_h200") if line.get("experiment") == name]


def strided_copy():
    return {f"{what}s with a stride": [(line["stride"], line[f"{what}_gb_per_s"])
                                       for line in experiment("strided_copy")]
            for what in ("load", "store")}


def bank_stride():
    return {f"{width} bytes per lane": [(line["stride_words"], line["cycles_per_request"])
                                        for line in experiment("bank_stride")
                                        if line["bytes_per_thread"] == width]
            for width in (4, 8, 16)}


def ticks(most):
    """Round numbers from 0 to at least `most`, four to eight of them."""
    step = next(size * 10 ** power for power in range(6) for size in (1, 2, 5)
                if most / (size * 10 ** power) <= 7)
    return range(0, -int(-most // step) * step + 1, step)


def axis(low, high, begin, end):
    """A function that gives a value's place between `begin`, of `low`, and `end`, of `high`."""
    return lambda value: begin + (value - low) / (high - low) * (end - begin)


# --- the access lab, and stories told frame by frame: what they open on, by the same rules ---------


def lab(page, *arguments):
    """(its name, what is seen of it) of a lab; `arguments`: FIELD=VALUE..."""
    fields = dict(argument.split("=", 1) for argument in arguments)
    name = fields.pop("id", "lab")
    [seen] = tools.node("lab_cli.js", "&".join(f"{field}={fields[field]}" for field in fields))
    for field, value in fields.items():
        if str(seen["setting"].get(field)) != value and field != "lanes":
            raise staging.Fault(f"{page.source}: a lab has no setting {field}={value}")
    return name, seen


def lines_of(source):
    """A story's source: its lines, without their common indent, and the number of the first."""
    lines = (book.ROOT / source["file"]).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if source["first"] in line)
    last = next(i for i, line in enumerate(lines) if i >= first and (
        line == "}" if source["last"] == "}" else source["last"] in line))
    # Directives begin in the first column.
    kept = [line for line in lines[first:last + 1] if not line.startswith("#")]
    return textwrap.dedent("\n".join(kept)), first + 1


def story(page, name):
    """The frame that a story opens on, its lines of code as [(is it the frame's, HTML)], and the
    number of the first of these."""
    [frame] = tools.node("stories_cli.js", name)
    if frame is None:
        raise staging.Fault(f"{page.source}: there is no story {name}")
    text, first = lines_of(frame["source"])
    is_now = [bool(re.search(frame["line"], line)) for line in text.split("\n")]
    return frame, list(zip(is_now, highlight.lines_of(text, "cpp"))), first
