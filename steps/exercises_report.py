#!/usr/bin/env python3
"""How fast the solutions of the exercises are: docs/results/exercises.md, from the record alone.

    exercises_report.py write    writes it
    exercises_report.py check    says whether it would be written otherwise, whether the record has a
                                 solution that is not there, or whether the last solution of an
                                 exercise that memory limits, which is to be its fastest, is slow;
                                 exit code 1 if so

The record is docs/results/exercises_h200.jsonl, made by `judge --bench --record` on a GPU. Solutions
that it lacks stand in the table without figures.
"""

import json
import pathlib
import sys

import exercises

sys.path.insert(0, str(exercises.STEPS.parent / "common"))
import generated  # noqa: E402

RESULTS = exercises.STEPS.parent / "docs" / "results"
RECORD = RESULTS / "exercises_h200.jsonl"
TABLE = RESULTS / "exercises.md"
GOAL = 90  # percent of the roof that a fastest solution reaches where memory is the limit
# Their ideas are others than bandwidth, and they leave room below the roof for the reader.
ROOM_LEFT = ("argmax", "batched_matmul", "batched_transpose", "compaction", "exclusive_scan",
             "histogram", "stencil_2d", "stencil_3d", "top_k", "transpose_in_place")
# Recorded at 86 to 88 % of the roof; the cause is not known yet.
SHORT_OF_GOAL = ("deinterleave", "dot_product", "gemv", "layer_norm", "reduce_max", "rms_norm")
# Not the fastest of their exercise, as they should be: they save accesses, and gain no time by it.
SLOWER_AT_LAST = ("deinterleave", "stencil_3d")
SCRIPT = "steps/exercises_report.py"

INTRODUCTION = """# How fast the exercises' solutions are

Made by `{script} write`; not to be edited. The times are those of
`judge EXERCISE --bench`: the median of up to {repeats} launches, the L2 cache flushed before each. The
roof is what a plain kernel reaches that reads and writes in the same proportion, or only calculates.

The last solution of an exercise is the fastest, except in {slower}. If the
exercise is about bandwidth, it is meant to reach {goal} % of the roof; {short}
fall short of that.

On an {device} with driver {driver} and Toolkit {toolkit}, {date}.

| exercise | sizes | solution | time | rate | of the roof |
|---|---|---|---|---|---|
"""


def read_record():
    """The record's lines of each exercise, in its order."""
    lines = {}
    for line in map(json.loads, RECORD.read_text(encoding="utf-8").splitlines()):
        lines.setdefault(line["exercise"], []).append(line)
    return lines


def rate_of(line):
    if "gflop_per_s" in line:
        return f"{line['gflop_per_s'] / 1000:.1f} TFLOP/s"
    return f"{line['gb_per_s']:.0f} GB/s" if line["gb_per_s"] >= 10 else f"{line['gb_per_s']:.1f} GB/s"


def percent_of(line):
    if "percent_of_roof" not in line:
        return "-"
    return f"{line['percent_of_roof']:.{0 if line['percent_of_roof'] >= 1 else 2}f} %"


def table(lines):
    most = max(line["repeats"] for times in lines.values() for line in times)
    first = next(iter(lines.values()))[0]
    slower = " and ".join(f"`{name}`" for name in SLOWER_AT_LAST)
    short = ", ".join(f"`{name}`" for name in SHORT_OF_GOAL)
    text = INTRODUCTION.format(script=SCRIPT, slower=slower, short=short, goal=GOAL, **{**first, "repeats": most})
    folders = {folder.name: folder.relative_to(exercises.STEPS.parent).as_posix()
               for folder in exercises.all_exercises()}
    for folder in exercises.all_exercises():
        times = {line["solution"]: line for line in lines.get(folder.name, [])}
        head = f"[{folder.name}](../../{folders[folder.name]}/README.md)"
        for solution in (path.stem for path in exercises.solutions_of(folder)):
            line = times.get(solution)
            sizes = line["sizes"].replace(" ", ", ").replace("=", " = ") if line and head else ""
            measured = (f"{line['median_ms']:.3f} ms | {rate_of(line)} | {percent_of(line)}"
                        if line else "not measured yet | - | -")
            text += f"| {head} | {sizes} | `{solution}` | {measured} |\n"
            head = ""
    return text


def faults_of(lines):
    """The solutions that the record has and the folder lacks, or that are slow."""
    for folder in exercises.all_exercises():
        times = lines.get(folder.name, [])
        there = [path.stem for path in exercises.solutions_of(folder)]
        for line in times:
            if line["solution"] not in there:
                yield f"{RECORD}: {folder.name} has no solution {line['solution']}"
        if not times or times[-1]["solution"] != there[-1]:
            continue  # the fastest one is not measured yet
        last = times[-1]
        is_slow = "gb_per_s" in last and last.get("percent_of_roof", 100) < GOAL
        if is_slow != (folder.name in ROOM_LEFT + SHORT_OF_GOAL):
            yield (f"{folder.name}: {last['solution']} reaches {'less' if is_slow else 'more'} than "
                   f"{GOAL} % of the roof")
        is_fastest = last["median_ms"] <= min(line["median_ms"] for line in times)
        if is_fastest == (folder.name in SLOWER_AT_LAST):
            yield (f"{folder.name}: {last['solution']} is the last, and {'' if is_fastest else 'not '}"
                   "the fastest")


def main():
    if sys.argv[1:] not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    lines = read_record()
    faults = [*faults_of(lines),
              *generated.bring_up_to_date({TABLE: table(lines)}, sys.argv[1] == "write", SCRIPT)]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
