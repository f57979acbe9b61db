#!/usr/bin/env python3
"""docs/pages/output.md names every field that the programs print as JSON, and no other.

    output_test.py BUILD_FOLDER    (of the CPU backend)
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import book

BUILD = pathlib.Path(sys.argv[1]).resolve()
TEXT = (book.DOCS / "pages" / "output.md").read_text(encoding="utf-8")


def tables(heading):
    """The fields that each table below a heading names."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)[1]
    return [set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", table, re.M))))
            for table in section.split("| field | meaning |")[1:]]


def step(name):
    return BUILD / "steps" / name / name


class Fields(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "out.jsonl"

    def printed(self, *command):
        # Tests must not change what the learner has solved.
        environment = {**os.environ, "JUDGE_PROGRESS": str(self.file.parent)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env=environment)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def recorded(self, tools, *command):
        """The lines that a program writes to CUCPU_JSON."""
        environment = {**os.environ, "CUCPU_TOOLS": tools, "CUCPU_JSON": str(self.file)}
        subprocess.run(command, capture_output=True, timeout=120, env=environment)
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    def check(self, documented, lines, more=()):
        """`lines` have these fields; and there are `more`, which need a GPU or a fault to occur."""
        self.assertTrue(lines)
        self.assertEqual(set().union(*lines) | set(more), documented)

    def test_result(self):
        result, circumstances = tables("A result")
        on_gpu = book.recorded("h200")
        counted = self.printed(step("02_vectorized_add"), "--json", "--hash", "--n", "99")
        self.check(result | circumstances, on_gpu + counted, ["measuring_error"])
        self.assertEqual(result & circumstances, set())
        timed = self.printed(step("01_naive_add"), "--json", "--times", "--n", "99")
        self.assertLessEqual(set().union(*timed, *counted), result)

    def test_table_of_counts(self):
        """Every column of every problem is in the page's table, and no other is."""
        section = TEXT.split("## The table of counts")[1].split("\n## ")[0]
        documented = {}
        for problem, column in re.findall(r"^\|([a-z, ]*)\| (\S.*?) \|", section, re.M)[1:]:
            names = problem.strip().split(", ") if problem.strip() else names
            for name in names:
                documented.setdefault(name, []).append(column)
        self.assertEqual(documented.pop("all"), ["status"])
        shown = {}
        for entry in book.manifest().steps:
            done = subprocess.run([BUILD / "steps" / entry.name / entry.program, "--quick"],
                                  capture_output=True, text=True, timeout=120)
            legend = done.stdout.split("\n\n")[1]
            shown[entry.problem] = re.findall(r"^  (\S.*?)  +\S", legend, re.M)
        self.assertEqual(documented, shown)

    def test_counters(self):
        whole, access = tables("Counters")
        [line] = self.printed(step("01_naive_add"), "--json", "--counters", "--n", "99")
        self.check(whole, [line["counters"]])
        self.check(access, [line["counters"]["global_load"], line["counters"]["shared_load"]])

    def test_launch(self):
        [launch] = tables("A launch")
        self.check(launch, self.recorded("counters", step("01_naive_add"), "--n", "99"))

    def test_finding(self):
        [finding] = tables("A finding")
        wrong = BUILD / "steps" / "08_transpose_shared" / "08_transpose_shared_wrong"
        lines = self.recorded("racecheck,initcheck", wrong, "--kernel", "dropped_barrier",
                              "--quick", "--repeat", "0")
        self.check(finding, [line for line in lines if line["type"] == "finding"])

    def test_verdict(self):
        [verdict] = tables("A verdict")
        exercise = book.step("01_naive_add").folder / "exercises" / "relu"
        self.check(verdict, [
            line for file in ("solutions/1_scalar.cu", "wrong/no_tail.cu", "relu.cu")
            for line in self.printed(BUILD / "judge", "relu", exercise / file, "--json")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
