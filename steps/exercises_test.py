"""One exercise: its solutions pass, its wrong ones are rejected for the reason that they name, and
its skeleton is still to do.

    exercises_test.py STEP/exercises/NAME JUDGE BACKEND WATCHES

On a GPU what only a checker rejects is left to compute-sanitizer, where that is installed, and to what
comes of the fault there.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import exercises
import fault_header

FOLDER = exercises.STEPS / sys.argv[1]
JUDGE = sys.argv[2]
ON_CPU = sys.argv[3] == "cpu"
WATCHES = sys.argv[4] == "yes"  # the checkers are there

SANITIZER = not ON_CPU and shutil.which("compute-sanitizer") is not None



def is_unseen(wrong):
    """Whether it has a fault that compute-sanitizer does not find and a GPU may forgive. Its initcheck
    knows global memory only."""
    if wrong.check.kind == "uninitialized":
        return "__shared__" in wrong.path.read_text(encoding="utf-8")
    return wrong.check.kind == "invalid_mask"


NAME = FOLDER.name
SKELETON = FOLDER / f"{NAME}.cu"
SOLUTIONS = exercises.solutions_of(FOLDER)
WRONG = exercises.wrong_of(FOLDER)

PASS, FAIL, TODO, NO_DEVICE = 0, 1, 3, 77
# A solution that hangs is stopped after it; the others need far less.
SECONDS = 4


def judge(*words):
    with tempfile.TemporaryDirectory() as progress:  # the learner's is not for tests to change
        return subprocess.run([JUDGE, NAME, *map(str, words)], capture_output=True, text=True,
                              timeout=300, env={**os.environ, "JUDGE_PROGRESS": progress})


def verdict(file, *words):
    """The exit code and what --json says."""
    done = judge(file, "--json", "--timeout", SECONDS, "--seed", 1, *words)
    if done.returncode == NO_DEVICE:
        raise unittest.SkipTest("no device")
    if done.returncode not in (PASS, FAIL, TODO):
        raise AssertionError(done)
    return done.returncode, json.loads(done.stdout)


def committed(path):
    """The file as it was committed, whatever a learner has made of it since."""
    git = shutil.which("git")
    if git:
        done = subprocess.run([git, "show", f"HEAD:./{path.name}"], cwd=path.parent,
                              capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout
    return path.read_text(encoding="utf-8")


class Exercise(unittest.TestCase):
    def test_skeleton_is_todo(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / SKELETON.name
            file.write_text(committed(SKELETON), encoding="utf-8")
            code, said = verdict(file)
        self.assertEqual((code, said["status"]), (TODO, "todo"), said)
        self.assertEqual(said["notes"], [])  # of the compiler, too

    def test_solutions_pass(self):
        self.assertTrue(SOLUTIONS)
        for file in SOLUTIONS:
            with self.subTest(solution=file.stem):
                code, said = verdict(file)
                self.assertEqual((code, said["status"]), (PASS, "pass"), said)
                self.assertEqual(said["notes"], [])
                self.assertGreaterEqual(len(fault_header.leading_comment(file)), 2, "why it is so")
                if WATCHES:
                    self.check_goals(said["goals"], file is SOLUTIONS[-1])

    def check_goals(self, goals, is_last):
        """Each exercise has some; its last solution reaches all of them."""
        self.assertTrue(goals)
        for goal in goals:
            self.assertEqual(goal["met"], goal["counted"] <= goal["most"])
            if is_last:
                self.assertTrue(goal["met"], goal)

    def test_wrong_ones_are_rejected(self):
        self.assertGreaterEqual(len(WRONG), 2)
        for wrong in WRONG:
            with self.subTest(wrong=wrong.path.stem):
                self.check_wrong(wrong)

    def check_wrong(self, wrong):
        check = wrong.check
        is_checkers = check.name in fault_header.CHECKERS
        code, said = verdict(wrong.path, *(["--sanitize"] if is_checkers and SANITIZER else []))
        may_pass = is_checkers and not WATCHES and (not SANITIZER or is_unseen(wrong))
        if may_pass or check.kind == "undefined" and not ON_CPU:
            # It may have been lucky. The outcome goes to the log.
            print(f"{NAME}/{wrong.path.stem}: {check}: {said['status']} {said.get('reasons', '')}")
            return
        self.assertEqual((code, said["status"]), (FAIL, "fail"), said)
        if is_checkers and not WATCHES:
            return  # by one of compute-sanitizer's tools, or because the result is wrong
        name = check.name if check.kind == "undefined" else str(check)
        self.assertIn(name, said["reasons"], said)
        found = {f"{finding['tool']} ({finding['kind']})" for finding in said["findings"]}
        self.assertLessEqual(found, {str(check), *map(str, wrong.also)}, said)


class Texts(unittest.TestCase):
    def test_statement_and_skeleton_have_the_signature(self):
        done = subprocess.run([JUDGE, "--list", "--json"], capture_output=True, text=True,
                              timeout=60, check=True)
        signature = next(line["signature"] for line in map(json.loads, done.stdout.splitlines())
                         if line["exercise"] == NAME)
        for path in (FOLDER / "README.md", SKELETON):
            text = re.sub(r"\s+", " ", committed(path))
            self.assertIn(signature, text, path)
        self.assertIn("TODO", committed(SKELETON))

    def test_three_hints(self):
        titles = re.findall(r"^## (.*)$", (FOLDER / "hints.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(titles, ["Hint 1", "Hint 2", "Hint 3"])
        hints = [judge("--hint", number).stdout for number in (1, 2, 3)]
        for hint in hints:
            self.assertGreater(len(hint), 40, "a hint says something")
        self.assertEqual(len(set(hints)), 3)

    def test_hints_are_well_formed(self):
        hints = (FOLDER / "hints.md").read_text(encoding="utf-8")
        statement = (FOLDER / "README.md").read_text(encoding="utf-8")
        self.assertEqual(statement.splitlines()[0], hints.splitlines()[0].replace("# ", "# Exercise: "))
        for text in (statement, hints):
            marks = [line for line in text.splitlines() if "```" in line]
            self.assertTrue(all(line.startswith("```") for line in marks), marks)
            self.assertEqual(marks[1::2], ["```"] * (len(marks) // 2), "each block ends")
            self.assertEqual(len(marks) % 2, 0, "each block ends")
        # Hints are read on a terminal.
        self.assertEqual([line for line in hints.splitlines() if len(line) > 80], [])

    def test_only_cuda_is_included(self):
        """So that a solution can be taken to another place as it is."""
        for path in [SKELETON, *SOLUTIONS, *(wrong.path for wrong in WRONG)]:
            for header in re.findall(r'#include\s+[<"](.*)[>"]', path.read_text(encoding="utf-8")):
                self.assertIn(header, ("cuda_runtime.h", "math.h", "float.h", "algorithm", "cfloat",
                                       "cmath", "cstddef"), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
