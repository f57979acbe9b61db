"""The stalls of the rungs on a GPU, in words, from docs/results/stalls_h200.jsonl."""

import json

import ladder as manifest

FILE = manifest.STEPS.parent / "docs" / "results" / "stalls_h200.jsonl"
SCHEDULERS = 4  # of an SM: each issues for a quarter of its warps
LEAST_PART = 0.05  # of a rung's time: what a launch has to take to be shown

# ncu's name of a reason: (what a warp waits for, in a few words; the same in more).
REASONS = {
    "long_scoreboard": ("global memory", "a value from global memory"),
    "short_scoreboard": ("shared memory, shuffles",
                         "a value from shared memory, a shuffle or a special function"),
    "barrier": ("a barrier", "the other warps of the block"),
    "wait": ("a fixed latency", "the cycles from one instruction to the next"),
    "dispatch_stall": ("the dispatcher",
                       "the dispatcher, which holds a ready instruction back over a conflict"),
    "mio_throttle": ("a full MIO queue", "room in the queue to shared memory and shuffles"),
    "lg_throttle": ("a full LG queue", "room in the queue to global memory"),
    "math_pipe_throttle": ("a busy math pipe", "a pipe that other warps keep busy"),
    "no_instruction": ("its next instruction", "the instruction cache"),
    "misc": ("the hardware", "the hardware, for a reason that ncu does not name"),
    "drain": ("its last writes", "memory to take its writes, after its last instruction"),
}


class Failure(Exception):
    """A record has something that there are no words for."""


def percent(field):
    return lambda launch: f"{launch[field]:.0f} %"


def dram_bytes(launch):
    return " +\u00a0".join(unbroken(byte_text(launch[f"dram_{way}_bytes"]))
                              for way in ("read", "write"))


def byte_text(value):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value} B"


# The possible limits of a problem's kernels: column -> its cell.
LIMITS = {
    "sgemm": {"shared": percent("shared_percent"), "FMA": percent("fma_percent")},
    "others": {"DRAM": percent("dram_percent"), "read + written": dram_bytes},
}
MEANINGS = {
    "shared": "of the peak of the pipe that serves shared memory",
    "FMA": "of the FMA pipe's peak",
    "DRAM": "of the peak bandwidth of DRAM",
    "read + written": "bytes to and from DRAM",
}


def share(launch, reason):
    """The part of its time that a warp waits for the reason; None if too little is issued to say.

    Its cycles per instruction are the warps of a scheduler over the part of the slots in use."""
    if launch["issue_percent"] == 0:
        return None
    cycles = launch["warps"] / SCHEDULERS / (launch["issue_percent"] / 100)
    return launch["stalls"][reason] / cycles


def unbroken(text):
    """In one line, wherever it stands."""
    return text.replace(" ", "\u00a0")


def waits(launch):
    """global memory 45 %; a barrier 35 %"""
    texts = []
    for reason in launch["stalls"]:
        if reason not in REASONS:
            raise Failure(f"{FILE.name}: rung_stalls.py has no words for '{reason}'")
        part = share(launch, reason)
        text = REASONS[reason][0] + ("" if part is None else f" {100 * part:.0f} %")
        texts.append(unbroken(text))
    return "; ".join(texts)


def part_text(launch, launches):
    """Which of a rung's launches it is: 2 of 3."""
    return f"{launches.index(launch) + 1} of {len(launches)}"


class Stalls:
    def __init__(self, path=FILE):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        self.environment, self.launches = lines[0], lines[1:]

    def launches_of(self, rung):
        """Those that take a part of the rung's time worth speaking of."""
        launches = [one for one in self.launches if one["rung"] == rung]
        whole = sum(one["us"] for one in launches)
        return [one for one in launches if one["us"] >= LEAST_PART * whole]

    def about(self, shapes, limits, reasons):
        """The meanings of the columns and the words."""
        sizes = " and ".join(f"`{shape}`" for shape in dict.fromkeys(shapes)) or "no size yet"
        limit_texts = "; ".join(f"{column}: {MEANINGS[column]}" for column in limits)
        names = "; ".join(f"`{reason}`, {REASONS[reason][1]}" for reason in dict.fromkeys(reasons))
        return ("As ncu {ncu} saw it on an {device} with ".format(**self.environment) +
                f"{sizes}. Issue: how many of the issue slots are used; waits for: the two "
                "largest reasons, each with its part of a warp's time; regs: registers per thread; "
                f"warps: per SM; {limit_texts}." + (f" ncu's names: {names}." if names else ""))
