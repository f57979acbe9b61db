#!/usr/bin/env python3
"""Whether the kernels of one build are as fast as those of another, on this GPU.

    compare.py OLD_BUILD NEW_BUILD [--only STEP]... [--turns N] [--least RATIO] [--record FILE]

Every step of the manifest that both builds have is run at each of its sizes, all kernels at the first,
the ones that are measured everywhere at the others; the two builds take turns, N of each (1). Prints a
line per kernel and size: both medians (the smallest of the turns) and old / new. Exit code 1 if one of
these ratios is below RATIO (0.99) or a run fails.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402


def program_of(build, step):
    """The step's program; in builds without a folder for it, beside the step's that it belongs to."""
    path = build / "steps" / step.name / step.program
    return path if path.is_file() else path.parent


def kernels_of(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    return listed.stdout.split()


def medians(program, words, kernels):
    """Kernel -> milliseconds."""
    chosen = [word for kernel in kernels for word in ("--kernel", kernel)]
    done = subprocess.run([program, *words, *chosen, "--json"], capture_output=True, text=True,
                          check=False)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0:
        print(f"{program} {' '.join(words)}: {done.stderr.strip()}", file=sys.stderr)
    return {result["variant"]: result["median_ms"] for result in results
            if "median_ms" in result and result["status"] == "pass"}


def compare_step(step, builds, ladder_of_new, options):
    """Yields (what, old ms, new ms)."""
    programs = [program_of(build, step) for build in builds]
    if not all(program.is_file() for program in programs):
        return
    shared = [kernel for kernel in kernels_of(programs[0]) if kernel in kernels_of(programs[1])]
    everywhere = {one.name for one in ladder_of_new.variants_of(step.name) if one.all_sizes}
    for index, size in enumerate(step.measured):
        kernels = [kernel for kernel in shared if index == 0 or kernel in everywhere]
        if not kernels:
            continue
        words = step.arguments(size)
        if step.repeats:
            words += ["--repeat", str(step.repeats)]
        best = [{}, {}]
        for _ in range(options.turns):
            for into, program in zip(best, programs):
                for kernel, ms in medians(program, words, kernels).items():
                    into[kernel] = min(ms, into.get(kernel, ms))
        for kernel in kernels:
            yield f"{'x'.join(map(str, size))} {kernel}", *(into.get(kernel) for into in best)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs=2, type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--only", action="append", default=[], metavar="STEP",
                        help="steps whose names start so")
    parser.add_argument("--turns", type=int, default=1, metavar="N")
    parser.add_argument("--least", type=float, default=0.99, metavar="RATIO")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    manifest = ladder.read()
    lines, slower = [], 0
    for step in manifest.steps:
        if options.only and not step.program.startswith(tuple(options.only)):
            continue
        for what, old, new in compare_step(step, options.builds, manifest, options):
            bad = old is None or new is None or old / new < options.least
            slower += bad
            ratio = "-" if old is None or new is None else f"{old / new:.3f}"
            lines.append(f"{what:<48} {old or 0:9.4f} {new or 0:9.4f} {ratio:>7}"
                         f"{'  <' if bad else ''}")
            print(lines[-1], flush=True)
    print(f"{len(lines)} compared, {slower} below {options.least}")
    if options.record:
        options.record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
