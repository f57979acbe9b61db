"""Solutions that fade, Parsons problems, and faults to find.

    practice_test.py JUDGE BACKEND WATCHES [TEST...]
"""

import json
import pathlib
import re
import sys
import tomllib
import unittest

import judge_test
from judge_test import FAIL, NEEDS_DEVICE, PASS, TODO, USAGE, InFolder, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS = sorted(path for path in (ROOT / "steps").glob("[0-9][0-9]_*") if path.is_dir())
MARK = re.compile(r"\s*// fade ([12])$")
GAP = "// TODO here: "
GAPS = {1: 3, 2: 10}
FIND_ME = sorted((ROOT / "steps").glob("[0-9][0-9]_*/**/wrong/find_me.toml"))


def marked():
    """{exercise: the lines of its marked solution}"""
    return {path.parents[1].name: path.read_text(encoding="utf-8").splitlines()
            for path in sorted((ROOT / "steps").glob("*/exercises/*/solutions/*.cu"))
            if "// fade" in path.read_text(encoding="utf-8")}


def level(line):
    match = MARK.search(line)
    return int(match[1]) if match else 0


def printed(*words):
    done = run(*words)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(done)
    return done.stdout


def right_order(exercise, lines):
    """For each gap, the number of a line that has its text."""
    shown = dict(re.findall(r"^ ?(\d+): (.*)$", printed(exercise, "--parsons"), re.M))
    left = {int(number): text for number, text in shown.items()}
    order = []
    for line in lines:
        if level(line):
            text = MARK.sub("", line).strip()
            number = next(number for number, other in left.items() if other == text)
            del left[number]
            order.append(number)
    return order


class Marks(unittest.TestCase):
    def test_one_exercise_of_each_step(self):
        paths = [path for path in (ROOT / "steps").glob("*/exercises/*/solutions/*.cu")
                 if "// fade" in path.read_text(encoding="utf-8")]
        self.assertEqual(sorted(path.parents[3] for path in paths), STEPS)

    def test_three_lines_and_ten(self):
        for exercise, lines in marked().items():
            with self.subTest(exercise=exercise):
                levels = [level(line) for line in lines]
                self.assertEqual((levels.count(1), levels.count(2)), (3, 7))
                self.assertEqual(sum("fade" in line for line in lines), 10)


    def test_the_docs_name_them(self):
        page = (ROOT / "docs" / "pages" / "judge.md").read_text(encoding="utf-8")
        table = re.findall(r"^\| (\d\d) \| `(\w+)` \|$", page, re.M)
        wanted = [(path.parents[3].name[:2], path.parents[1].name)
                  for path in sorted((ROOT / "steps").glob("*/exercises/*/solutions/*.cu"))
                  if "// fade" in path.read_text(encoding="utf-8")]
        self.assertEqual(table, wanted)


class Faded(InFolder):
    def test_gaps(self):
        for exercise, lines in marked().items():
            for fade, count in GAPS.items():
                with self.subTest(exercise=exercise, fade=fade):
                    text = printed(exercise, "--fade", fade)
                    self.assertEqual(text.count(GAP), count)
                    self.assertNotIn("// fade", text)
                    # With its lines it is the solution again.
                    missing = (MARK.sub("", line) for line in lines if 0 < level(line) <= fade)
                    whole = re.sub(rf"^ *{GAP}.*$", lambda _: next(missing), text, flags=re.M)
                    expected = [MARK.sub("", line) for line in lines]
                    while expected[0].startswith("//"):
                        del expected[0]
                    self.assertEqual(whole.splitlines()[1:], expected)

    def test_all_of_it(self):
        for exercise, lines in marked().items():
            with self.subTest(exercise=exercise):
                text = printed(exercise, "--fade", 3)
                for line in lines:
                    if level(line):
                        self.assertNotIn(MARK.sub("", line), text.splitlines())
                self.assertRegex(
                    text, rf'(?m)^extern "C" void solve\([^)]*\) {{\n  {GAP}the body\n}}$')

    @NEEDS_DEVICE
    def test_a_gap_is_still_to_do(self):
        for fade in (1, 2, 3):
            with self.subTest(fade=fade):
                text = printed("reduction", "--fade", fade)
                code, said = self.verdict(text, exercise="reduction")
                self.assertEqual((code, said["status"], said["reason"]), (TODO, "todo", "todo"))
                numbers = [number for number, line in enumerate(text.splitlines(), 1)
                           if GAP in line]
                self.assertEqual([int(number) for number in re.findall(r"\d+", said["message"])],
                                 numbers)

    @NEEDS_DEVICE
    def test_a_completed_one_is_judged(self):
        text = printed("reduction", "--fade", 1)
        missing = ["  sums[t] = i < N ? input[i] : 0.0f;", "    __syncthreads();",
                   "  if (t == 0) atomicAdd(output, sums[0]);"]
        for last, status in ((missing[2], "pass"), ("  if (t == 0) output[0] = sums[0];", "fail")):
            lines = iter([*missing[:2], last])
            _, said = self.verdict(re.sub(rf"^ *{GAP}.*$", lambda _: next(lines), text, flags=re.M),
                                   exercise="reduction")
            self.assertEqual(said["status"], status, said)


@NEEDS_DEVICE
class Parsons(unittest.TestCase):
    def order(self, exercise, order, *words):
        done = run(exercise, "--order", ",".join(map(str, order)), "--json", *words)
        return done.returncode, json.loads(done.stdout)

    def test_the_solutions_order_passes(self):
        for exercise, lines in marked().items():
            with self.subTest(exercise=exercise):
                order = right_order(exercise, lines)
                self.assertEqual(sorted(order), list(range(1, 11)))
                self.assertNotEqual(order, sorted(order))
                code, said = self.order(exercise, order)
                self.assertEqual((code, said["status"], said["file"]), (PASS, "pass", "your order"))

    def test_another_order_that_does_the_same_passes(self):
        order = right_order("reduction", marked()["reduction"])
        order[1], order[2] = order[2], order[1]  # t is needed for i
        self.assertEqual(self.order("reduction", order)[0], FAIL)
        order = right_order("batched_matmul", marked()["batched_matmul"])
        text = printed("batched_matmul", "--parsons")
        a, b = (int(re.search(rf"^ ?(\d+): {name}\[i\] =", text, re.M)[1]) for name in "ab")
        i, j = order.index(a), order.index(b)
        order[i], order[j] = order[j], order[i]
        self.assertEqual(self.order("batched_matmul", order)[0], PASS)

    def test_a_wrong_order_is_told_why(self):
        order = right_order("dot_product", marked()["dot_product"])
        text = printed("dot_product", "--parsons")
        zero = int(re.search(r"^ ?(\d+): cudaMemset", text, re.M)[1])
        launch = int(re.search(r"^ ?(\d+): dot_product_kernel<<<", text, re.M)[1])
        i, j = order.index(zero), order.index(launch)
        order[i], order[j] = order[j], order[i]
        code, said = self.order("dot_product", order)
        self.assertEqual((code, said["status"]), (FAIL, "fail"))


class Find(unittest.TestCase):
    def find(self, *words):
        done = run("--find", *words, "--json")
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def test_every_fault(self):
        self.assertGreaterEqual(len(FIND_ME), len(STEPS))
        for path in FIND_ME:
            told = tomllib.loads(path.read_text(encoding="utf-8"))
            step, line, kind = path.parents[1].name, told["line"], told["kind"]
            other = "deadlock" if kind != "deadlock" else "race"
            file = path.with_suffix(".cuh")
            with self.subTest(step=step):
                code, said = self.find(step, f"find_me.cuh:{line}", kind)
                self.assertEqual((code, said["status"], said["step"]), (PASS, "pass", step))
                self.assertEqual(said["message"], told["why"])
                self.assertEqual(self.find(f"{file}:{line}", kind), (code, said))
                code, said = self.find(step, line + 2, kind)
                self.assertEqual((code, said["line"], said["kind"]), (FAIL, False, True))
                self.assertIn("further up", said["message"])
                code, said = self.find(step, line, other)
                self.assertEqual((code, said["line"], said["kind"]), (FAIL, True, False))
                code, said = self.find(step, line + 5, other)
                self.assertEqual((code, said["line"], said["kind"]), (FAIL, False, False))
                self.assertNotIn(told["why"], said["message"])

    def test_hints(self):
        for path in FIND_ME:
            told = tomllib.loads(path.read_text(encoding="utf-8"))
            step = path.parents[1].name
            with self.subTest(step=step):
                self.assertIn(told["with"], printed("--find", step, "--hint", 1))
                second = printed("--find", step, "--hint", 2)
                first, last = map(int, re.search(r"(\d+) to (\d+)", second).groups())
                self.assertIn(told["line"], range(first, last + 1))
                self.assertLessEqual(last - first, 10)
                third = " ".join(printed("--find", step, "--hint", 3).split())
                self.assertIn(" ".join(told["why"].split()), third)

    def test_the_task(self):
        text = printed("--find", "04")
        self.assertIn("04_reduce_shared/wrong/find_me.cuh", text)
        self.assertIn("barrier_divergence", text)

    def test_bad_usage(self):
        for words, named in ((["99"], "no such step"), (["04", "7"], "the line is missing"),
                             (["04", "x", "race"], "x"), (["04", "7", "ugly"], "no such kind"),
                             (["nowhere.cuh:3", "race"], "no such step")):
            with self.subTest(words=words):
                done = run("--find", *words)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                self.assertRegex(done.stderr, rf"\Aerror: .*{named}.*allowed: .*\n\Z")


@NEEDS_DEVICE
class Usage(unittest.TestCase):
    def test_bad_usage(self):
        for words, named in ((["sigmoid", "--fade", "1"], "no faded solution"),
                             (["sigmoid", "--parsons"], "no faded solution"),
                             (["reduction", "--fade", "4"], "--fade 4"),
                             (["reduction", "--order", "1,2"], "1 to 10"),
                             (["reduction", "--order", "1,1,2,3,4,5,6,7,8,9"], "1 to 10"),
                             (["reduction", "--order", "a"], "--order")):
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                self.assertRegex(done.stderr, rf"\Aerror: .*{named}.*\n\Z")


if __name__ == "__main__":
    judge_test.main(sys.modules[__name__])
