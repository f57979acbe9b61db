"""The cost of counting and checking: kernels' times with tools, as multiples of those without.

usage: tools_benchmark.py BUILD [OTHER_BUILD]

Without tools, the threads of a block may run as one loop; with tools each thread runs by itself. So
multiples grow when kernels become faster, and the tools do not. OTHER_BUILD, of another commit, shows
whether the tools themselves became slower: its times follow, and BUILD's as multiples of those.
"""

import json
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent.parent / "steps"))
import ladder  # noqa: E402

# Many arithmetic operations; shared memory and barriers; shuffles.
KERNELS = ("sgemm_threadtile", "reduce_shared", "reduce_shuffle")
TOOLS = {"none": "", "counters": "counters", "checkers": "memcheck,racecheck,initcheck,synccheck"}
GOALS = {"counters": 12, "checkers": 25}  # the largest multiples


def least_ms(build, step, kernel, tools):
    """The least time of a launch: other processes only ever make it longer."""
    program = build / "steps" / step.name / step.program
    sizes = step.arguments(step.counted[0])
    environment = {**os.environ, "CUCPU_TOOLS": tools} if tools else dict(os.environ)
    done = subprocess.run(
        [program, "--kernel", kernel, *sizes, "--repeat", "10" if tools else "50", "--json"],
        env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["min_ms"]


def main():
    builds = [pathlib.Path(name) for name in sys.argv[1:]]
    head = f"{'kernel':17} {'tools':10} {'ms':>8} {'multiple':>9} {'goal':>5}"
    print(head + (f" {'other ms':>9} {'ratio':>6}" if builds[1:] else ""))
    tutorial = ladder.read()
    for kernel in KERNELS:
        step = tutorial.step(tutorial.rung(kernel).program_step)
        plain = None
        for name, tools in TOOLS.items():
            ms, *others = (least_ms(build, step, kernel, tools) for build in builds)
            plain = plain or ms
            goal = f"{GOALS[name]}x" if name in GOALS else ""
            line = f"{kernel:17} {name:10} {ms:8.1f} {ms / plain:8.1f}x {goal:>5}"
            print(line + "".join(f" {other:9.1f} {ms / other:6.2f}" for other in others))


if __name__ == "__main__":
    main()
