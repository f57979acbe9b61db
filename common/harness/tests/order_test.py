"""Every variant of every step gives the same result in any order of a block's threads, and on any
number of host threads. The results agree to the bit, except sums in which atomics decide who adds
first. Those keep to their error bound, and with exact inputs they agree to the bit as well."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "steps"
sys.path.append(str(SOURCES))
import ladder  # noqa: E402

STEPS = pathlib.Path(sys.argv[1]) / "steps"
ORDERS = ("ascending", "descending", "random:1", "random:2")
# Every order, on one thread or four; the first one on both.
RUNS = [{"CUCPU_ORDER": order, "CUCPU_THREADS": threads}
        for order, threads in zip((*ORDERS, ORDERS[0]), ("1", "4", "1", "4", "4"))]
TUTORIAL = ladder.read()


def sizes_of(step):
    """More than one block, not all of them full, as the manifest has them; and what a lone block or
    warp can do."""
    small = [21 + 4 * i for i in range(len(step.options))]
    return [step.arguments(size) for size in [*step.ragged, small]]


def text_of(path):
    """A source file, and the headers that it includes."""
    text = path.read_text(encoding="utf-8")
    headers = [path.parent / name for name in re.findall('#include "(.+)"', text)]
    return text + "".join(text_of(header) for header in headers if header.exists())


def adds_in_any_order(variant):
    """Blocks or threads that share a sum add to it by atomics; what promises the same bits uses these
    for something else."""
    return not variant.same_bits and "atomicAdd" in text_of(SOURCES / variant.path)


ATOMIC_SUMS = {variant.name for variant in TUTORIAL.variants if adds_in_any_order(variant)}


def run(step, *options, **environment):
    """The variants' results by name."""
    done = subprocess.run(
        [str(STEPS / step.name / step.program), *options, "--repeat", "0", "--hash", "--json"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "CUCPU_SMS": "8", **environment})
    results = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [result["variant"] for result in results if result["status"] != "pass"]
    if done.returncode != 0 or done.stderr or wrong or not results:
        raise AssertionError(f"{step.name} {options} {environment}: {wrong} {done.stderr}")
    return {result["variant"]: result["output_hash"] for result in results}


class Order(unittest.TestCase):
    def compare(self, step, *options, but=()):
        """That all variants, but those, give the same bits in all runs."""
        first, *others = [run(step, *options, **environment) for environment in RUNS]
        for environment, other in zip(RUNS[1:], others):
            for variant in first.keys() - set(but):
                self.assertEqual(other[variant], first[variant],
                                 f"{variant} {options} {environment}")

    def test_every_kernel_is_run(self):
        for step in TUTORIAL.steps:
            listed = [variant.name for variant in TUTORIAL.variants_of(step.name)]
            self.assertEqual(list(run(step, "--quick")), listed)

    def test_few_add_in_any_order(self):
        self.assertIn("reduce_atomic", ATOMIC_SUMS)
        self.assertNotIn("reduce_last_block", ATOMIC_SUMS)
        problems = {TUTORIAL.step(variant.program_step).problem for variant in TUTORIAL.variants
                    if variant.name in ATOMIC_SUMS}
        # Blocks share a sum: of a vector, of a row's products or exponentials, of a tile's slices of K.
        self.assertLessEqual(problems, {"sum", "gemv", "softmax", "sgemm"})
        self.assertLess(len(ATOMIC_SUMS), len(TUTORIAL.variants) / 4)

    def test_random_inputs(self):
        for step in TUTORIAL.steps:
            for size in sizes_of(step):
                with self.subTest(step=step.name, size=size):
                    self.compare(step, *size, but=ATOMIC_SUMS)

    def test_exact_inputs(self):
        for step in TUTORIAL.steps:
            size = sizes_of(step)[0]
            with self.subTest(step=step.name, size=size):
                self.compare(step, *size, "--exact")

    def test_the_order_is_felt(self):
        """Else the others would prove nothing: here it decides which threads add first."""
        step = TUTORIAL.step("03_reduce_atomic")
        hashes = {run(step, *sizes_of(step)[0], CUCPU_ORDER=order, CUCPU_THREADS="1")
                  ["reduce_atomic"] for order in ORDERS}
        self.assertEqual(len(hashes), len(ORDERS))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
