"""The cost of counting and checking: kernels' times with tools, as multiples of those without.

usage: tools_benchmark.py BUILD
"""

import json
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent.parent / "steps"))
import ladder  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
# Many arithmetic operations; shared memory and barriers; shuffles.
KERNELS = ("sgemm_threadtile", "reduce_shared", "reduce_shuffle")
CHECKERS = "memcheck,racecheck,initcheck,synccheck"
# The value of CUCPU_TOOLS, and the goal: the largest multiple.
TOOLS = (("counters", 12), (CHECKERS, 25))


def least_ms(step, kernel, repeats, tools):
    """The least time of a launch: other processes only ever make it longer."""
    program = BUILD / "steps" / step.name / step.program
    sizes = step.arguments(step.counted[0])
    environment = {**os.environ, "CUCPU_TOOLS": tools} if tools else dict(os.environ)
    done = subprocess.run(
        [program, "--kernel", kernel, *sizes, "--repeat", str(repeats), "--json"],
        env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["min_ms"]


def main():
    print(f"{'kernel':17} {'tools':10} {'ms':>8} {'multiple':>9} {'goal':>5}")
    tutorial = ladder.read()
    for kernel in KERNELS:
        step = tutorial.step(tutorial.rung(kernel).program_step)
        plain = least_ms(step, kernel, 50, "")
        print(f"{kernel:17} {'none':10} {plain:8.1f}")
        for tools, goal in TOOLS:
            ms = least_ms(step, kernel, 5, tools)
            name = "checkers" if tools == CHECKERS else tools
            print(f"{kernel:17} {name:10} {ms:8.1f} {ms / plain:8.1f}x {goal:4}x")


if __name__ == "__main__":
    main()
