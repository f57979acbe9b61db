"""Grading a folder of learners' files: verdicts, reports, and going on after an interruption.

    grade_test.py JUDGE BACKEND WATCHES [TEST...]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import judge_test
from judge_test import FAIL, JUDGE, NEEDS_DEVICE, PASS, RELU, USAGE, InFolder, run

CANNOT_JUDGE = 4

WRONG = RELU.replace("fmaxf(x[i], 0.0f)", "fminf(x[i], 0.0f)")
TODO = """#include <cuda_runtime.h>
// TODO
extern "C" void solve(float* x, int n) {}
"""
ENDLESS = RELU.replace("relu_kernel<<<", "while (true);\n  relu_kernel<<<")


@NEEDS_DEVICE
class Grade(InFolder):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "grades.jsonl"

    def hand_in(self, learner, text, exercise=""):
        folder = self.folder / exercise
        folder.mkdir(exist_ok=True)
        (folder / f"{learner}.cu").write_text(text, encoding="utf-8")

    def grade(self, *words, exercise=("relu",), **environment):
        return run(*exercise, "--grade", self.folder, *words, **environment)

    def grades(self, *words, exercise=("relu",), **environment):
        """The exit code, and {learner: grade}."""
        done = self.grade("--json", *words, exercise=exercise, **environment)
        self.assertEqual(done.stderr, "")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode, {line["learner"]: line for line in lines}

    def test_all_on_the_chosen_device(self):
        self.hand_in("ada", judge_test.Right.ON_ITS_DEVICE.replace("WANTED", "0"))
        code, grades = self.grades("--device", 0, CUDA_VISIBLE_DEVICES="0,99")
        self.assertEqual(code, PASS, grades)

    def remembered(self):
        return [json.loads(line) for line in self.results.read_text(encoding="utf-8").splitlines()]

    def test_a_verdict_for_each(self):
        self.hand_in("ada", RELU)
        self.hand_in("bob", WRONG)
        self.hand_in("cyd", TODO)
        self.hand_in("dan", "no C++ at all")
        (self.folder / "notes.txt").write_text("not to be graded", encoding="utf-8")
        code, grades = self.grades("--jobs", 2)
        self.assertEqual(code, FAIL)
        self.assertEqual({learner: grade["status"] for learner, grade in grades.items()},
                         {"ada": "pass", "bob": "fail", "cyd": "todo", "dan": "fail"})
        self.assertEqual(grades["bob"]["reason"], "result")
        self.assertEqual(grades["dan"]["reason"], "compile")
        self.assertEqual(len({grade["seed"] for grade in grades.values()}), 1)
        self.assertEqual({grade["learner"]: grade for grade in self.remembered()}, grades)

    def test_folders_of_exercises(self):
        self.hand_in("ada", RELU, "relu")
        self.hand_in("ada", RELU.replace("fmaxf(x[i], 0.0f)", "x[i] > 0 ? x[i] : 0.01f * x[i]"),
                     "leaky_relu")
        done = self.grade("--jobs", 1, exercise=())
        self.assertEqual(done.returncode, PASS, done)
        self.assertRegex(done.stdout, r"(?m)^leaky_relu +ada +pass +$")
        self.assertRegex(done.stdout, r"(?m)^relu +ada +pass +$")
        self.assertIn("2 of 2 are right, 0 wrong, 0 still to do, 0 without a verdict", done.stdout)

    def test_junit(self):
        self.hand_in("ada & <bob>", RELU)
        self.hand_in("cyd", WRONG)
        self.hand_in("eve", TODO)
        report = self.folder / "report.xml"
        self.assertEqual(self.grade("--junit", report).returncode, FAIL)
        root = xml.etree.ElementTree.parse(report).getroot()
        suite, = root
        self.assertEqual((root.tag, suite.tag, suite.get("name")),
                         ("testsuites", "testsuite", "relu"))
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "errors", "skipped")],
                         ["3", "1", "0", "1"])
        cases = {case.get("name"): case for case in suite}
        self.assertEqual(list(cases), ["ada & <bob>", "cyd", "eve"])
        self.assertEqual(len(cases["ada & <bob>"]), 0)
        failure = cases["cyd"].find("failure")
        self.assertEqual(failure.get("type"), "result")
        self.assertIn("expected", failure.text)
        self.assertIsNotNone(cases["eve"].find("skipped"))
        for case in suite:
            self.assertGreater(float(case.get("time")), 0)

    def test_nothing_is_judged_twice(self):
        self.hand_in("ada", RELU)
        self.hand_in("bob", RELU)
        self.grades()
        # The remembered grade counts.
        kept = self.remembered()
        for grade in kept:
            grade["seconds"] = 1234
        self.results.write_text("".join(json.dumps(grade) + "\n" for grade in kept),
                                encoding="utf-8")
        self.hand_in("bob", WRONG)
        self.hand_in("cyd", RELU)
        _, grades = self.grades()
        self.assertEqual(grades["ada"]["seconds"], 1234)
        self.assertEqual((grades["bob"]["status"], grades["cyd"]["status"]), ("fail", "pass"))
        self.assertEqual({grade["seed"] for grade in grades.values()}, {kept[0]["seed"]})
        # Other inputs are another judgment.
        _, grades = self.grades("--seed", 7)
        self.assertNotEqual(grades["ada"]["seconds"], 1234)
        self.assertEqual({grade["seed"] for grade in grades.values()}, {7})

    def test_it_goes_on_where_it_was_killed(self):
        for number in range(6):
            self.hand_in(f"learner{number}", RELU)
        grading = subprocess.Popen([JUDGE, "relu", "--grade", str(self.folder), "--jobs", "1"],
                                   stdout=subprocess.PIPE, text=True)
        grading.stdout.readline()
        grading.send_signal(signal.SIGINT)
        self.assertEqual(grading.wait(60), -signal.SIGINT)
        grading.stdout.close()
        before = self.remembered()
        self.assertIn(len(before), range(1, 6))
        with self.results.open("a", encoding="utf-8") as file:
            file.write('{"learner": "half a li')
        code, grades = self.grades()
        self.assertEqual((code, len(grades)), (PASS, 6))
        for grade in before:
            self.assertEqual(grades[grade["learner"]], grade)

    def test_a_fault_of_the_machine_is_no_grade(self):
        self.hand_in("ada", RELU)
        code, grades = self.grades(PATH=str(self.folder))
        self.assertEqual((code, grades["ada"]["status"]), (CANNOT_JUDGE, "error"), grades)
        self.assertIn("cannot be run", grades["ada"]["message"])
        self.assertEqual(self.remembered(), [])
        code, grades = self.grades()
        self.assertEqual((code, grades["ada"]["status"]), (PASS, "pass"))

    def test_one_that_does_not_end_takes_no_time_from_others(self):
        self.hand_in("ada", ENDLESS)
        self.hand_in("bob", RELU)
        code, grades = self.grades("--timeout", 1, "--jobs", 2)
        self.assertEqual((code, grades["ada"]["reason"], grades["bob"]["status"]),
                         (FAIL, "timeout", "pass"))

    def test_names_that_are_no_text(self):
        path = os.path.join(os.fsencode(self.folder), b"\xff\xfe'\n.cu")
        with open(path, "wb") as file:
            file.write(RELU.encode())
        for _ in range(2):  # judged, and remembered
            code, grades = self.grades("--junit", self.folder / "report.xml")
            self.assertEqual((code, len(grades)), (PASS, 1), grades)
        self.assertEqual(len(self.remembered()), 1)
        xml.etree.ElementTree.parse(self.folder / "report.xml")

    def test_learners_progress_is_left_alone(self):
        self.hand_in("ada", RELU)
        before = sorted(pathlib.Path(os.environ["JUDGE_PROGRESS"]).iterdir())
        self.grades()
        self.assertEqual(sorted(pathlib.Path(os.environ["JUDGE_PROGRESS"]).iterdir()), before)


@NEEDS_DEVICE
class Usage(InFolder):
    def refused(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done)
        self.assertRegex(done.stderr, r"\Aerror: .*allowed: .*\n\Z")
        return done.stderr

    def test_bad_usage(self):
        self.assertIn("there is no .cu file", self.refused("relu", "--grade", self.folder))
        self.assertIn("no such folder", self.refused("relu", "--grade", self.folder / "none"))
        (self.folder / "homework").mkdir()
        self.assertIn("'homework' is no exercise", self.refused("--grade", self.folder))
        self.write(RELU)
        self.assertIn("one file too many",
                      self.refused("relu", self.folder / "my.cu", "--grade", self.folder))
        self.assertIn("--jobs 0", self.refused("relu", "--grade", self.folder, "--jobs", "0"))
        for option in ("--junit", "--results", "--jobs"):
            self.assertIn("nothing is graded", self.refused("relu", option, "1"))


if __name__ == "__main__":
    judge_test.main(sys.modules[__name__])
