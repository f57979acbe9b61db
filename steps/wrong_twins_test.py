"""Holds a step's known-wrong twins against the checks that have to reject them.

usage: wrong_twins_test.py STEP_FOLDER BUILD_FOLDER cpu|cuda yes|no [all_pairs]

yes|no says whether the programs can count and check. With all_pairs, the right kernels alone are
checked, in every order at every size.
"""

import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import ladder
import wrong_twins

STEP = pathlib.Path(sys.argv[1])
BUILD = pathlib.Path(sys.argv[2])
ON_CPU = sys.argv[3] == "cpu"
TRACED = sys.argv[4] == "yes"
ALL_PAIRS = sys.argv[5:] == ["all_pairs"]

RIGHT = BUILD / STEP.name
WRONG = BUILD / f"{STEP.name}_wrong"
NO_DEVICE = 77
FEWEST_TWINS = 3
MOST_NEW_LINES = 12  # of a twin, for its fault
# The CPU backend runs threads in any order; a GPU picks its own.
ORDERS = ("ascending", "descending", "random:1") if ON_CPU else ("",)

TWINS = wrong_twins.twins_of(STEP)
# Those that the checkers reject, or that would get past them.
CHECKED = [twin for twin in TWINS if twin.check.name in ("counters", *wrong_twins.CHECKERS)]
LINES_OF_STEP = {line for path in [*STEP.glob("*.cuh"), *STEP.glob("further/*.cuh")]
                 for line in path.read_text(encoding="utf-8").splitlines()}


def lines_of_fault(twin):
    """The numbers of a twin's lines that the step does not have, and of those between which it
    lacks lines of the right kernel."""
    first, code = wrong_twins.first_code_line(twin.path), wrong_twins.code_of(twin.path)
    found = {first + i for i, line in enumerate(code) if line not in LINES_OF_STEP}
    right = next(one for one in ladder.read().variants if one.name == twin.variant)
    before = (ladder.STEPS / right.path).read_text(encoding="utf-8").splitlines()
    for tag, _, _, begin, end in difflib.SequenceMatcher(None, before, code, False).get_opcodes():
        if tag == "delete" and 0 < begin < len(code):
            found |= {first + begin - 1, first + begin}
        elif tag == "insert":  # a line that stands elsewhere in the right kernel
            found |= set(range(first + begin, first + end))
    return found


def run(program, *options, **environment):
    command = [program, *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=100)


NEEDS_DEVICE = unittest.skipIf(run(RIGHT, *TWINS[0].size, "--repeat", 0).returncode == NO_DEVICE,
                               "no device")
NEEDS_TRACE = unittest.skipUnless(TRACED, "this build neither counts nor checks")


def dealt(sizes, orders):
    """Pairs in which each size comes up, and each order."""
    pairs = max(len(sizes), len(orders)) if sizes else 0
    return [(sizes[i % len(sizes)], orders[i % len(orders)]) for i in range(pairs)]


def sanitize(program, order, *options):
    """The run, and what was found: (check, finding) pairs."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "findings.jsonl"
        done = run(program, *options, "--sanitize", CUCPU_JSON=str(path), CUCPU_ORDER=order)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    findings = [line for line in map(json.loads, lines) if line["type"] == "finding"]
    return done, [(wrong_twins.Check(f["tool"], f["kind"]), f) for f in findings]


class Files(unittest.TestCase):
    def test_each_is_in_the_program(self):
        files = sorted(path.stem for path in (STEP / "wrong").glob("*.cuh"))
        self.assertEqual(sorted(twin.name for twin in TWINS), files)
        self.assertEqual(run(WRONG, "--list").stdout.split(), [twin.name for twin in TWINS])
        self.assertGreaterEqual(len(files), FEWEST_TWINS)

    def test_each_is_a_twin_of_a_variant(self):
        variants = run(RIGHT, "--list").stdout.split()
        for twin in TWINS:
            self.assertIn(twin.variant, variants, twin.path)

    def test_lines_are_those_of_the_step_but_for_the_fault(self):
        for twin in TWINS:
            new = [line for line in wrong_twins.code_of(twin.path) if line not in LINES_OF_STEP]
            self.assertLessEqual(len(new), MOST_NEW_LINES, f"{twin.path}: {new}")

    def test_the_fault_to_find_is_where_its_file_says(self):
        for twin in TWINS:
            if twin.line:
                self.assertIn(twin.line, lines_of_fault(twin), twin.path)

    def test_the_fault_to_find_is_not_told(self):
        for twin in TWINS:
            if twin.line:
                text = twin.path.read_text(encoding="utf-8")
                self.assertNotRegex(text, "Rejected by|May also show|(?i:fault|wrong|bug)")


class Rejected(unittest.TestCase):
    """Every twin is rejected, by the check that it names."""

    def each(self, names, check):
        """check(twin, order) for the twins that these checks reject, in every order of threads."""
        for twin in TWINS:
            for order in ORDERS if twin.check.name in names else ():
                with self.subTest(twin.name, check=str(twin.check), order=order):
                    check(twin, order)

    @NEEDS_DEVICE
    def test_by_result(self):
        self.each(["result"], self.check_result)

    def check_result(self, twin, order):
        if twin.check.kind == "undefined" and not ON_CPU:
            self.skipTest("a GPU may be lucky")
        done = run(WRONG, "--kernel", twin.name, *twin.size, "--repeat", 0, "--json",
                   CUCPU_ORDER=order)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["status"], "fail")
        self.assertRegex(done.stderr, rf"\Aerror: {twin.name}: "
                                      r"(element \d+ is .*wrong|.*cudaErrorInvalid\w+ .*)\n\Z")

    @NEEDS_TRACE
    def test_by_counters(self):
        self.each(["counters"], self.check_counters)

    def check_counters(self, twin, order):
        self.assertGreater(self.figure(WRONG, twin.name, twin, order),
                           self.figure(RIGHT, twin.variant, twin, order))

    def figure(self, program, kernel, twin, order):
        done = run(program, "--kernel", kernel, *twin.size, "--counters", "--json",
                   CUCPU_ORDER=order)
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # also the twin's result is right
        group, name = twin.check.kind.split(".")
        return json.loads(done.stdout)["counters"][group][name]

    @NEEDS_TRACE
    def test_by_checkers(self):
        self.each(wrong_twins.CHECKERS, self.check_findings)

    def check_findings(self, twin, order):
        done, findings = sanitize(WRONG, order, "--kernel", twin.name, *twin.size)
        self.assertEqual(done.returncode, 1, done.stderr)
        here = {check for check, finding in findings if self.is_in(twin, finding)}
        self.assertIn(twin.check, here, done.stderr)
        self.assertLessEqual({check for check, _ in findings}, {twin.check, *twin.also},
                             done.stderr)

    @staticmethod
    def is_in(twin, finding):
        """Whether the finding is at a line of the twin, or of a helper that has no kernels itself;
        memory that was not freed is nowhere."""
        if finding["kind"] == "leak":
            return True
        file = pathlib.Path(os.path.abspath(finding["file"]))
        lines = file.read_text(encoding="utf-8").splitlines()
        return 0 < finding["line"] <= len(lines) and (
            file == twin.path or "__global__" not in "".join(lines))


@NEEDS_TRACE
class Right(unittest.TestCase):
    """The right kernels pass the same checks at the same sizes; by the checkers, all of them at
    every size and in every order, but not in all pairs of these."""

    def each_size(self, names, check):
        """check(size, order) for the sizes of the twins that these checks reject."""
        for size in sorted({twin.size for twin in TWINS if twin.check.name in names}):
            for order in ORDERS:
                with self.subTest(size=size, order=order):
                    check(size, order)

    def test_by_result(self):
        self.each_size(["result"], self.check_result)

    def check_result(self, size, order):
        done = run(RIGHT, *size, "--repeat", 0, CUCPU_ORDER=order)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_by_checkers(self):
        sizes = sorted({twin.size for twin in CHECKED})
        for size, order in dealt(sizes, ORDERS):
            with self.subTest(size=size, order=order):
                self.check_findings(order, *size)

    def test_the_right_one_of_each_twin_by_checkers(self):
        """In every order at the twin's own size: there it differs from the twin by the fault."""
        for variant, size in sorted({(twin.variant, twin.size) for twin in CHECKED}):
            for order in ORDERS:
                with self.subTest(variant, size=size, order=order):
                    self.check_findings(order, "--kernel", variant, *size)

    def check_findings(self, order, *options):
        done, findings = sanitize(RIGHT, order, *options)
        self.assertEqual((done.returncode, findings), (0, []), done.stderr)


@NEEDS_TRACE
class AllPairs(Right):
    """The same of all kernels in every order at every size."""

    def test_by_checkers(self):
        self.each_size(["counters", *wrong_twins.CHECKERS],
                       lambda size, order: self.check_findings(order, *size))

    # Among those above.
    test_by_result = None
    test_the_right_one_of_each_twin_by_checkers = None


if __name__ == "__main__":
    classes = ["AllPairs"] if ALL_PAIRS else ["Files", "Rejected", "Right"]
    unittest.main(argv=[sys.argv[0], *classes])
