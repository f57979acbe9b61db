"""Every variant of every step gives the same result in whichever order the threads of a block run,
and on however many of the host's threads its blocks do: to the bit, but for sums in which atomics
decide who adds first. Those keep to their error bound, and with exact inputs to the bit as well."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

STEPS = pathlib.Path(sys.argv[1]) / "steps"
ORDERS = ("ascending", "descending", "random:1", "random:2")
RUNS = [{"CUCPU_ORDER": order, "CUCPU_THREADS": threads}
        for threads in ("1", "4") for order in ORDERS]

# In these, blocks or threads that share a sum add to it by atomics, in whichever order.
ATOMIC_SUMS = {"reduce_atomic", "reduce_shared", "reduce_shuffle", "reduce_shuffle_float4",
               "reduce_grid_stride", "reduce_many_blocks", "softmax_three_kernels"}

# More than one block, not all of them full; and what a lone block or warp can do.
SIZES = {
    ("01", "02", "03", "04", "05"): [("--n", "10007"), ("--n", "77")],
    ("06",): [("--rows", "37", "--cols", "1000"), ("--rows", "3", "--cols", "5001"),
              ("--rows", "65", "--cols", "21")],
    ("07", "08"): [("--rows", "130", "--cols", "75"), ("--rows", "64", "--cols", "128")],
    ("09", "10", "11", "12"): [("--m", "150", "--n", "133", "--k", "41")],
}


def run(step, *options, **environment):
    """The variants' results by name."""
    done = subprocess.run(
        [str(STEPS / step / step), *options, "--repeat", "0", "--hash", "--json"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "CUCPU_SMS": "8", **environment})
    results = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [result["variant"] for result in results if result["status"] != "pass"]
    if done.returncode != 0 or done.stderr or wrong or not results:
        raise AssertionError(f"{step} {options} {environment}: {wrong} {done.stderr}")
    return {result["variant"]: result["output_hash"] for result in results}


def steps():
    return sorted(path.name for path in STEPS.iterdir() if (path / path.name).is_file())


def sizes_of(step):
    return next(sizes for numbers, sizes in SIZES.items() if step[:2] in numbers)


class Order(unittest.TestCase):
    def compare(self, step, variants, *options):
        """That these variants give the same bits in all runs."""
        first, *others = [run(step, *options, **environment) for environment in RUNS]
        for environment, other in zip(RUNS[1:], others):
            for variant in variants:
                self.assertEqual(other[variant], first[variant],
                                 f"{variant} {options} {environment}")

    def test_there_are_twelve_steps_and_these_atomics(self):
        self.assertEqual(len(steps()), 12)
        listed = {variant for step in steps() for variant in run(step, "--quick")}
        self.assertLessEqual(ATOMIC_SUMS, listed)

    def test_random_inputs(self):
        for step in steps():
            for size in sizes_of(step):
                with self.subTest(step=step, size=size):
                    variants = run(step, *size).keys() - ATOMIC_SUMS
                    self.compare(step, variants, *size)

    def test_exact_inputs(self):
        for step in steps():
            size = sizes_of(step)[0]
            with self.subTest(step=step, size=size):
                self.compare(step, run(step, *size, "--exact").keys(), *size, "--exact")

    def test_the_order_is_felt(self):
        """Else the others would prove nothing: here it decides which threads add first."""
        hashes = {run("03_reduce_atomic", "--n", "10007", CUCPU_ORDER=order, CUCPU_THREADS="1")
                  ["reduce_atomic"] for order in ORDERS}
        self.assertEqual(len(hashes), len(ORDERS))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
