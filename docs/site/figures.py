"""Drawings of recorded requests (docs/results/traces.jsonl, probes_h200.jsonl), as SVG in the page.

Requests are drawn as the access lab draws them, and take their colors from the page's style.
"""

import dataclasses

import book
import node
import staging

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

    @property
    def words(self):
        """{word: the lanes that access it}, words counted from the beginning of the memory."""
        result = {}
        for lane, offset in self.at.items():
            for word in range(offset // 4, (offset + self.bytes + 3) // 4):
                result.setdefault(word, []).append(lane)
        return result

    @property
    def most_lanes(self):
        """That access one word."""
        return max(map(len, self.words.values()))

    def also(self, place):
        """1_add.cuh:34 becomes 1_add.cuh:34, 35."""
        file, _, line = place.partition(":")
        same_file = self.place.startswith(f"{file}:")
        self.place += f", {line}" if same_file else f", {place}"

    @property
    def cost(self):
        unit = "sector" if self.space == "global" else "wavefront"
        return f"{self.units} {unit}" + ("s" if self.units != 1 else "")

    @property
    def name(self):
        verb = {"load": "load from", "store": "store to", "atomic": "atomic in"}[self.kind]
        return f"{verb} {self.space} memory"

    @property
    def has_waste(self):
        """Whether words travel with their sector that nobody has asked for."""
        return (self.space == "global" and self.kind != "atomic" and
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
    return node.run("requests_cli.js", [
        {"space": one.space, "kind": one.kind, "bytes": one.bytes, "most": MOST_ROWS,
         "label": f"{one.name}: {one.cost}",
         "at": list(map(one.at.get, range(32)))}
        for one in requests])


def look(request):
    """The key that two requests share if their drawings are the same."""
    first = next(iter(request.at.values()))
    return (request.space, request.kind, request.bytes, request.units, first % 128,
            tuple((lane, offset - first) for lane, offset in request.at.items()))


def distinct(requests):
    """The first request of each access in the source; of accesses whose requests look the same, one for
    all of them."""
    accesses, looks = set(), {}
    for request in requests:
        # Two accesses on one line differ in what they cost, or in how many words they are for.
        access = (request.space, request.kind, request.place, request.units, len(request.words))
        if access in accesses:
            continue
        accesses.add(access)
        if look(request) in looks:
            looks[look(request)].also(request.place)
        else:
            looks[look(request)] = dataclasses.replace(request)
    return list(looks.values())


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
