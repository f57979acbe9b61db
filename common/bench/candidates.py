#!/usr/bin/env python3
"""Which kernel for which shape: all kernels of a step beside the library, at the shapes where the
choice of a dispatcher is in doubt.

    candidates.py BUILD [--only STEP] [--repeat N] [--record FILE]

BUILD is a build folder for a GPU. A line per shape: the library's time, and the fastest kernels as
multiples of its speed, above 1 where they beat it; the dispatcher is marked by a star.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "steps"))
import ladder  # noqa: E402

SHOWN = 5  # kernels a line
# Thin matrices from both sides of each threshold, with rows on 16 bytes and off; small ones; rows too
# few, too short or too long for a block each.
SHAPES = {
    "05_reduce_warp_shuffle": [[2**power] for power in (8, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                                        25, 26, 28, 30)] + [[1000003], [33333333]],
    "gemv": [[1, 2**24], [10, 10**7], [50, 10**6], [132, 500000], [528, 100000], [1024, 65536],
             [3, 10000019], [100, 20001], [400, 33333], [1, 100000], [8, 8192],
             [10**6, 8], [10**6, 16], [10**7, 1], [10**7, 3], [3 * 10**6, 7], [10**6, 17],
             [10**6, 31], [10**6, 33], [10**6, 64], [10**6, 65], [10**6, 127], [10**6, 129]],
    "06_softmax_warp": [[2, 8 * 10**6], [16, 2 * 10**6], [100, 1000003], [50, 400000],
                        [1000, 300001], [1, 10**8], [3000, 10007], [250000, 10], [33333, 333],
                        [10**6, 3], [20000, 1000], [5000, 5003], [1500, 20011], [700, 40009]],
    "08_transpose_shared": [[1000003, 17], [17, 1000003], [3, 10**7], [10**7, 3], [1, 5 * 10**7],
                            [5 * 10**7, 1], [127, 300001], [300001, 127], [300001, 63],
                            [63, 300001], [300001, 65], [65, 300001], [1000001, 33],
                            [33, 1000001], [20000, 130], [20000, 133], [64, 10**6], [10**6, 64],
                            [100, 400000], [400000, 100], [128, 128], [256, 256], [384, 384],
                            [513, 513], [768, 768], [1024, 1024], [1025, 1025], [1537, 1537]],
}


def results(program, step, shape, repeat):
    """The program's lines as objects; a kernel that cannot do a shape says so on its error output."""
    command = [program, *step.arguments(shape), "--repeat", str(repeat), "--json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def line(shape, measured, dispatchers):
    right = [result for result in measured if result["status"] == "pass" and "median_ms" in result]
    right.sort(key=lambda result: result["median_ms"])
    base = right[0].get("baseline_ms") if right else None
    shown = [result for place, result in enumerate(right)
             if place < SHOWN or result["variant"] in dispatchers]
    texts = [f"{'*' if result['variant'] in dispatchers else ''}{result['variant']} "
             + (f"{base / result['median_ms']:.2f}" if base else f"{result['median_ms']:.4f} ms")
             for result in shown]
    wrong = [f"WRONG {result['variant']}" for result in measured if result["status"] != "pass"]
    library = f"{base:9.4f} ms" if base else "no library "
    return f"{'x'.join(map(str, shape)):>18} {library}  {', '.join(texts + wrong)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--only", action="append", choices=SHAPES, metavar="STEP")
    parser.add_argument("--repeat", type=int, default=15, metavar="N")
    parser.add_argument("--record", type=argparse.FileType("w"), metavar="FILE")
    options = parser.parse_args()
    table = ladder.read()
    for name in options.only or SHAPES:
        step = table.step(name)
        dispatchers = {variant.name for variant in table.variants_of(name) if not variant.is_rung}
        program = options.build / "steps" / step.name / step.program
        print(f"\n{name}", flush=True)
        for shape in SHAPES[name]:
            measured = results(program, step, shape, options.repeat)
            print(line(shape, measured, dispatchers), flush=True)
            for result in measured if options.record else []:
                options.record.write(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
