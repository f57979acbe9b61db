"""The records of `bench --map --record`: kernels at random shapes, beside the best peer."""

import dataclasses
import math
import pathlib

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECORDS = [ROOT / "docs" / "results" / f"map_{device}.jsonl" for device in ("h200", "h100")]
# The operators and the programs of their steps, in the order of the chapters.
PROGRAMS = {"reduce": "05_reduce_warp_shuffle", "gemv": "gemv", "softmax": "06_softmax_warp",
            "transpose": "08_transpose_shared", "sgemm": "12_sgemm_warptile_zorder"}


@dataclasses.dataclass(frozen=True)
class Shape:
    """One shape: our time and the best peer's; `peer` is None where none was measured."""
    sizes: dict  # {name: size}, as the operator orders them
    kernel: str
    ms: float
    peer: str = None
    peer_ms: float = None

    @property
    def ratio(self):
        """The peer's time by ours: above 1, ours is faster."""
        return self.peer_ms / self.ms


@dataclasses.dataclass(frozen=True)
class Map:
    """The shapes of one operator on one device."""
    operator: str
    device: str
    shapes: list
    seeds: list
    dates: list

    @property
    def compared(self):
        """Shapes with a peer, the worst first."""
        return sorted((shape for shape in self.shapes if shape.peer is not None),
                      key=lambda shape: (shape.ratio, tuple(shape.sizes.values())))

    def percentile(self, percent):
        """A percentile of the ratios, as bench has it: 0 is the worst."""
        compared = self.compared
        return compared[len(compared) * percent // 100].ratio

    @property
    def peers(self):
        """Names, those that are the best at most shapes first."""
        names = [shape.peer for shape in self.compared]
        return sorted(dict.fromkeys(names), key=lambda name: (-names.count(name), name))


def fault_of(line):
    """Why a line of a map is none; None: it is one."""
    if not isinstance(line, dict):
        return "no object"
    if line.get("operator") not in PROGRAMS:
        return "'operator' is none that is mapped"
    for name in ("kernel", "device", "status"):
        if not isinstance(line.get(name), str):
            return f"'{name}' is no text"
    shape = line.get("shape")
    if not isinstance(shape, dict) or not 1 <= len(shape) <= 3 or \
            not all(type(size) is int and size > 0 for size in shape.values()):
        return "'shape' has no sizes"
    if line["status"] not in ("pass", "unchecked"):
        return "its result is wrong"
    if not records.is_number(line.get("ms"), positive=True):
        return "'ms' is no time"
    if "peer" in line and not (isinstance(line["peer"], str) and
                               records.is_number(line.get("peer_ms"), positive=True)):
        return "'peer_ms' is no time"
    return None


def best_of(lines):
    """A shape from its lines, one per process and peer: beside the peer that leaves ours behind
    most, or least ahead."""
    rated = [line for line in lines if "peer" in line]
    line = min(rated, key=lambda one: one["peer_ms"] / one["ms"]) if rated else lines[0]
    return Shape(line["shape"], line["kernel"], line["ms"], line.get("peer"), line.get("peer_ms"))


def read(path):
    """The maps of a file, {operator: Map}; none where there is no file. Lines of other records are
    skipped."""
    if not path.exists():
        return {}
    lines = [line for line in records.json_lines(path) if "operator" in line]
    for line in lines:
        if fault := fault_of(line):
            raise records.Failure(f"{path}: {fault}: {line}")
    maps = {}
    for operator in PROGRAMS:
        own = [line for line in lines if line["operator"] == operator]
        if not own:
            continue
        devices = {line["device"] for line in own}
        if len(devices) > 1:
            raise records.Failure(f"{path}: {operator} is measured on " +
                                  " and ".join(sorted(devices)))
        shapes = {}
        for line in own:
            shapes.setdefault(tuple(line["shape"].items()), []).append(line)
        maps[operator] = Map(operator, devices.pop(), [best_of(same) for same in shapes.values()],
                             sorted({line["seed"] for line in own if "seed" in line}),
                             sorted({line["date"] for line in own if "date" in line}))
    return maps


def read_all(paths=None):
    """[{operator: Map}], one per file that is there."""
    return list(filter(None, (read(path) for path in paths or RECORDS)))


def sizes_said(shape):
    return " × ".join(f"{size}" for size in shape.sizes.values())

