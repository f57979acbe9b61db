"""The records of the rungs: rates measured on a GPU, and accesses counted on the CPU.

Reads docs/results/h200.jsonl (through common/bench/records.py) and docs/results/agreement.jsonl. A
rung that was not yet measured or counted has None.
"""

import dataclasses
import json
import math
import pathlib
import sys

import ladder as manifest

ROOT = manifest.STEPS.parent
sys.path.append(str(ROOT / "common" / "bench"))

import records  # noqa: E402

WARP = 32
SECTOR_FLOATS = 8  # floats of 4 bytes in a sector


@dataclasses.dataclass(frozen=True)
class Rate:
    value: float
    unit: str  # GB/s, or TFLOP/s where arithmetic is the limit
    gain: float | None  # how many times as fast as the rung it grows from, at the same size
    size: str
    device: str


class Counts:
    """A variant's accesses at a size, summed over its launches."""

    def __init__(self, shape, launches):
        self.shape = shape
        self.kinds = {}
        for launch in launches:
            for kind, figures in launch.items():
                sums = self.kinds.setdefault(kind, {})
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0) + value

    def of(self, name, *kinds):
        return sum(self.kinds.get(kind, {}).get(name, 0) for kind in kinds)

    def per_request(self, name, kind):
        requests = self.of("requests", kind)
        return self.of(name, kind) / requests if requests else None


GLOBAL = ("global_load", "global_store")
SHARED = ("shared_load", "shared_store")


def load_sectors_per_request(counts, size):
    return counts.per_request("sectors", "global_load")


def requests(counts, size):
    return counts.of("requests", *GLOBAL)


def atomics(counts, size):
    return counts.of("sectors", "global_atomic")  # lanes that add to one address have one each


def shared_wavefronts(counts, size):
    return counts.of("wavefronts", *SHARED)


def loads_per_element(counts, size):
    return counts.of("sectors", "global_load") * SECTOR_FLOATS / math.prod(size)


def sectors_per_warp(counts, size):
    return [counts.of("sectors", kind) * WARP / math.prod(size) for kind in GLOBAL]


def wavefronts_per_warp(counts, size):
    return [counts.of("wavefronts", kind) * WARP / math.prod(size) for kind in SHARED]


def sectors_per_fma(counts, size):
    return counts.of("sectors", "global_load") * WARP / math.prod(size)


def wavefronts_per_fma(counts, size):
    return counts.of("wavefronts", "shared_load") * WARP / math.prod(size)


# Two figures per problem that tell its rungs apart: (heading of a column, function).
FIGURES = {
    "add": (("sect/req", load_sectors_per_request), ("requests", requests)),
    "gemv": (("sect/req", load_sectors_per_request), ("requests", requests)),
    "sum": (("atomics", atomics), ("shared", shared_wavefronts)),
    "softmax": (("loads/el", loads_per_element), ("shared", shared_wavefronts)),
    "transpose": (("sectors", sectors_per_warp), ("wavefr.", wavefronts_per_warp)),
    "sgemm": (("sect/FMA", sectors_per_fma), ("wave/FMA", wavefronts_per_fma)),
}
MEANINGS = {
    "sect/req": "sectors per request of the loads from global memory",
    "requests": "requests to global memory, loads and stores",
    "atomics": "atomic additions to global memory",
    "shared": "wavefronts of shared memory, loads and stores",
    "loads/el": "floats in the sectors loaded from global memory, per element",
    "sectors": "sectors of global memory per 32 elements, loads/stores",
    "wavefr.": "wavefronts of shared memory per 32 elements, loads/stores",
    "sect/FMA": "sectors loaded from global memory per FMA of a warp",
    "wave/FMA": "wavefronts loaded from shared memory per FMA of a warp",
}


class Records:
    def __init__(self, ladder, results=ROOT / "docs" / "results"):
        self.ladder = ladder
        results = pathlib.Path(results)
        self.rows = {(row.variant, row.sizes): row for row in records.read(results / "h200.jsonl")}
        self.launches = {}
        path = results / "agreement.jsonl"
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.launches.setdefault((row["variant"], row["shape"]), []).append(row["cpu"])

    def measured(self, variant):
        """Its row at the first size that is measured, or None."""
        size = self.ladder.step(variant.program_step).measured[0]
        return self.rows.get((variant.name, tuple(size)))

    def rate(self, variant):
        """At the first size that is measured."""
        row = self.measured(variant)
        if row is None:
            return None
        before = self.rows.get((variant.origin, row.sizes))
        factor, unit = (1e-3, "TFLOP/s") if row.limited_by_arithmetic else (1, "GB/s")
        return Rate(row.rate * factor, unit, before.median_ms / row.median_ms if before else None,
                    row.options, row.device)

    def counts(self, name, step):
        """At the first size that is counted."""
        shape = " ".join(step.arguments(step.counted[0]))
        launches = self.launches.get((name, shape))
        return Counts(shape, launches) if launches else None

    def figures(self, variant):
        """Heading -> figure: a number, a pair, or None where nothing of the kind is counted."""
        step = self.ladder.step(variant.program_step)
        counts = self.counts(variant.name, step)
        return {heading: figure(counts, step.counted[0]) if counts else None
                for heading, figure in FIGURES[step.problem]}
