"""Random inputs for the programs: none may crash, hang, be wrong, or answer bad input with more
than a line.

    fuzz.py PART BUILD [--scale N] [--seed S] [--no-tools]

PART is `lower`, `options`, `records`, `kernels` or `wire`. Each input follows from the seed and its
number, and is printed where it fails. A scale of 100 makes the long run: 20,000 command lines,
100,000 sources, 2,000 kernels, 4,000 records and 10,000 messages to the judge.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess
import sys

import kernels_fuzz
import options_fuzz
import records_fuzz

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# On a busy machine a program gets little of a second. A hang that uses no processor is found later.
PROCESSOR_SECONDS, SECONDS = 120, 1200


def run(command, **more):
    """As subprocess.run, within limits, which hold for the processes that the command starts, too."""
    words = ["prlimit", f"--cpu={PROCESSOR_SECONDS}", *map(str, command)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            printed, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(words[2:], process.returncode, printed, errors)


def in_parallel(check, items):
    """Calls `check` with each item; returns how many there were, and what is wrong."""
    def said_of(item):
        try:
            return check(item)
        except Exception as error:  # of a hang, or of a program that cannot be started
            return f"{item}: {error}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(said_of, items))
    return len(said), [what for what in said if what]


def program(name, seed, count, *words):
    """A fuzzer that is a program of its own. It says itself how many it tried."""
    done = subprocess.run([str(name), str(seed), str(count), *map(str, words)], capture_output=True,
                          text=True, errors="replace", check=False)
    print(done.stdout, end="")
    return count, [] if done.returncode == 0 else [f"{name} {seed} {count}: {done.stderr[-4000:]}"]


def lower(build, scale, seed, _):
    sources = sorted((ROOT / "common/cpu/tests").glob("**/*.cu"))
    return program(build / "common/fuzz/lower_fuzz", seed, 1000 * scale, *sources)


def wire(build, scale, seed, _):
    return program(build / "common/fuzz/wire_fuzz", seed, 100 * scale)


def options(build, scale, seed, _):
    commands = options_fuzz.commands(build, random.Random(seed), 200 * scale)
    return in_parallel(lambda command: options_fuzz.fault(command, run), commands)


def records(build, scale, seed, _):
    chance = random.Random(seed)
    lines = (ROOT / "docs/results/h200.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [records_fuzz.mutated(lines, chance) for _ in range(40 * scale)]
    return in_parallel(lambda text: records_fuzz.fault(build, text, run), texts)


def kernels(build, scale, seed, tools):
    # Else a run of one seed would be that of the next one, less its first program.
    seeds = range(seed * 1_000_000, seed * 1_000_000 + 2 * scale)
    count, faults = in_parallel(
        lambda own: kernels_fuzz.fault(build / "cucpu", own, tools, run), seeds)
    return count * kernels_fuzz.KERNELS, faults


PARTS = {part.__name__: part for part in (lower, options, records, kernels, wire)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--scale", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--no-tools", action="store_true", help="programs have no checkers")
    arguments = parser.parse_args()
    part = PARTS[arguments.part]
    count, faults = part(arguments.build.resolve(), arguments.scale, arguments.seed,
                         not arguments.no_tools)
    for what in faults:
        print(what)
    print(f"{arguments.part}: seed {arguments.seed}, {count} tried, {len(faults)} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
