#!/usr/bin/env python3
"""The quiz as a reader has it, in pipes and on a terminal; and what readers type as answers.

    quiz_test.py BUILD
"""

import contextlib
import os
import pathlib
import pty
import re
import subprocess
import sys
import unittest

import chapter_questions
import ladder
import reader_answers
from questions_fixture import QUESTIONS, STEP, planted

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
LADDER = BUILD / "ladder"
COLOR = re.compile(r"\033\[[0-9;]*m")
# build/ladder with the fixture's chapters.
DRIVER = f"""
import pathlib, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(ladder.STEPS)!r})
import chapter_questions, ladder_show
build = pathlib.Path(sys.argv[1])
chapter_questions.CHAPTERS = build.parent / "steps"
sys.exit(ladder_show.main("0", build, sys.argv[2:]))
"""


def command(build, *words):
    return [sys.executable, "-c", DRIVER, str(build), *words]


def quiz(answers, *words, text=QUESTIONS):
    """The output of the quiz of the fixture's chapter for these answers."""
    with planted(text) as (build, _):
        done = subprocess.run(command(build, "--quiz", *words), input=answers, text=True,
                              capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def verdicts(said):
    return re.findall(r"^  (right|close|not right|given up)$", said, re.M)


class Asked(unittest.TestCase):
    def test_right_answers(self):
        said = quiz("2 atomics\na\n", "04")
        self.assertEqual(verdicts(said), ["right", "right"])
        self.assertTrue(said.endswith("\n\n2 questions: 2 right\n"), said)

    def test_counters_are_beside_the_answer(self):
        said = quiz("3\nb\n", "04")
        self.assertEqual(verdicts(said), ["not right", "not right"])
        lines = [" ".join(line.split()) for line in said.splitlines()]
        for line in ("1 of 2: How many atomics for 512 elements in blocks of 256?", "[atomics] > 3",
                     "your answer 3 atomics", "the answer 2 atomics",
                     "counted, reduce_shared --n 512:", "global_atomic.threads 2",
                     "2_reduce_shared.cuh:1 2", "512 / 256 = 2 atomics, for 0.4% of the elements.",
                     "a the barriers", "your answer b the atomics", "the answer a the barriers",
                     "There are 18 barriers."):
            self.assertIn(line, lines)
        source = (ladder.STEPS / STEP / "2_reduce_shared.cuh").read_text().splitlines()[0]
        self.assertIn(source[:40], said)
        self.assertEqual([line for line in said.splitlines() if len(line) > 80], [])

    def test_parts_of_a_hundred_are_in_one_line(self):
        for length in range(66, 72):
            longer = f"{'x' * length} 80 %, how many"
            said = quiz("?\n", "04", text=QUESTIONS.replace("How many", longer))
            self.assertIn("80 %,", said)

    def test_records_are_beside_the_answer(self):
        field = 'recorded("transpose", "median_ms", "--rows 8192 --cols 8192")'
        said = quiz("?\n", "04", text=QUESTIONS.replace('"value / 512"', f"'0 * {field}'"))
        self.assertIn("  recorded on an H200, transpose --rows 8192 --cols 8192:\n    median_ms   ", said)

    def test_close(self):
        self.assertEqual(verdicts(quiz("2.1\na\n", "04")), ["close", "right"])
        self.assertEqual(verdicts(quiz("2.3\na\n", "04")), ["not right", "right"])

    def test_tolerance(self):
        with_tolerance = QUESTIONS.replace('unit =', "tolerance = 0.2\nunit =")
        self.assertEqual(verdicts(quiz("2.3\n", "04", text=with_tolerance)), ["right"])
        fraction = QUESTIONS.replace('"global_atomic.threads")', '"global_atomic.threads / 3")')
        self.assertEqual(verdicts(quiz("0.667\n", "04", text=fraction)), ["right"])
        self.assertEqual(verdicts(quiz("0.68\n", "04", text=fraction)), ["close"])

    def test_giving_up_and_stopping(self):
        said = quiz("?\nq\n", "04")
        self.assertEqual(verdicts(said), ["given up"])
        self.assertNotIn("your answer", said)
        self.assertIn("the answer", said)
        self.assertTrue(said.endswith("\n1 question: 1 given up\n"))
        for answers in ("", "q\n"):
            self.assertTrue(quiz(answers, "04").endswith("\nno question answered\n"))

    def test_what_is_no_answer_is_asked_again(self):
        said = quiz("many\n\n2 ms\n2\nz\na\n", "04")
        self.assertEqual(verdicts(said), ["right", "right"])
        self.assertIn("'many' is not a number", said)
        self.assertIn("asks for atomics, not for ms", said)
        self.assertIn("one of a, b, please", said)
        self.assertEqual(said.count("[atomics] > "), 4)

    def test_all_chapters(self):
        self.assertIn("2 questions: 2 right", quiz("2\na\n"))


class Errors(unittest.TestCase):
    def error(self, code, *words, text=QUESTIONS, change=lambda build: None):
        with planted(text) as (build, _):
            change(build)
            done = subprocess.run(command(build, *words), input="2\na\n", text=True,
                                  capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done)
        self.assertTrue(done.stderr.startswith("error: "), done)
        return done.stderr

    def test_bad_usage(self):
        self.assertIn("no step '40'", self.error(2, "--quiz", "40"))
        self.assertIn("in the chapters of 05_reduce_warp_shuffle",
                      self.error(2, "--quiz", "05"))
        self.assertIn("nothing beside it", self.error(2, "--quiz", "04", "--json"))
        self.assertIn("nothing beside it", self.error(2, "reduce_shared", "--quiz"))

    def test_bad_questions(self):
        self.assertIn("'atomics': unknown key 'asks'",
                      self.error(1, "--quiz", text=QUESTIONS.replace("ask =", "asks =", 1)))
        self.assertIn("no field 'global_atomic.thread'", self.error(
            1, "--quiz", text=QUESTIONS.replace("threads", "thread", 1)))

    def test_programs(self):
        folder = pathlib.Path("steps") / STEP
        self.assertIn("is missing; meson compile -C", self.error(
            1, "--quiz", "04", change=lambda build: (build / folder / STEP).unlink()))
        self.assertIn("has to be one of the cpu backend", self.error(
            1, "--quiz", "04", change=lambda build: (build / folder / f"{STEP}.traced").unlink()))


class Terminal(unittest.TestCase):
    def said(self, answers, **environment):
        """On a terminal, where the reader types these answers."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a container or chroot without /dev/pts
            raise unittest.SkipTest(f"no pseudo-terminal to be had: {error}") from error
        with planted() as (build, _):
            inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
            with subprocess.Popen(command(build, "--quiz", "04"), stdin=theirs, stdout=theirs,
                                  stderr=theirs, env=inherited | environment) as child:
                os.close(theirs)
                os.write(ours, answers)
                written = b""
                with contextlib.suppress(OSError):  # how Linux says that the other end was closed
                    while piece := os.read(ours, 65536):
                        written += piece
            os.close(ours)
        self.assertEqual(child.returncode, 0)
        return written.decode().replace("\r\n", "\n")

    def test_colors(self):
        said = self.said(b"2\nb\n")
        self.assertIn("\033[32mright\033[0m", said)
        self.assertIn("\033[31mnot right\033[0m", said)
        self.assertIsNone(COLOR.search(self.said(b"2\nb\n", NO_COLOR="1")))

    def test_end_of_file(self):
        self.assertIn("1 question: 1 right", self.said(b"2\n\x04"))


class Typed(unittest.TestCase):
    def test_numbers(self):
        for text, unit, value in (
                ("1048576", "atomics", 1048576), ("1,048,576", "", 1048576), ("1M", "", 1e6),
                ("1 M atomics", "atomics", 1e6), ("64 Ki", "", 65536), ("2^20", "", 1048576),
                ("2**20", "", 1048576), ("1e6", "", 1e6), (".5", "", 0.5), ("007", "", 7),
                ("25%", "", 0.25), ("25 %", "%", 25), ("25", "%", 25), ("1/256", "", 1 / 256),
                ("2^28 / 256 atomics", "atomics", 1048576), ("-3", "", -3), ("2 x 4", "", 8),
                ("4x", "", 4), ("4 times", "", 4), ("3 million", "", 3e6), ("(1 + 2) * 3", "", 9),
                ("1.8 ms", "ms", 1.8), ("1800 us", "ms", 1.8), ("0.0018 s", "ms", 1.8),
                ("1 GB", "bytes", 1e9), ("1GiB", "MiB", 1024), ("4.7 TB/s", "GB/s", 4700),
                ("8 lines", "sectors per request", 8)):
            self.assertAlmostEqual(reader_answers.number(text, unit), value,
                                   delta=1e-9 * abs(value), msg=(text, unit))

    def test_no_numbers(self):
        for text, unit in (("", ""), ("abc", ""), ("2,5", ""), ("1,04,8", ""), ("(1 + 2", ""),
                           ("1 / 0", ""), ("9^9^9", ""), ("1 2", ""), ("3 ms", "atomics"),
                           ("3 ms", "GB"), ("__import__('os')", "")):
            with self.assertRaises(reader_answers.NotUnderstood, msg=(text, unit)):
                reader_answers.number(text, unit)

    def test_choices(self):
        choices = ["the atomics", "the loads", "none"]
        for text, number in (("a", 0), ("B", 1), ("(c)", 2), ("2", 1), ("the l", 1), ("NONE", 2)):
            self.assertEqual(reader_answers.choice(text, choices, "abc"), number, text)
        for text in ("d", "0", "4", "the", "", "?!"):
            with self.assertRaises(reader_answers.NotUnderstood, msg=text):
                reader_answers.choice(text, choices, "abc")


class Real(unittest.TestCase):
    """Every question of every chapter, as build/ladder asks it."""

    def test_chapters(self):
        steps = [step for step in ladder.read().steps if chapter_questions.has_questions(step)]
        self.assertTrue(steps)
        for step in steps:
            count = len(chapter_questions.read(step))
            done = subprocess.run([LADDER, "--quiz", step.program], input="?\n" * count, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), step.name)
            self.assertEqual(verdicts(done.stdout), ["given up"] * count)
            long = [line for line in done.stdout.splitlines() if len(line) > 80]
            self.assertEqual(long, [], step.name)


if __name__ == "__main__":
    unittest.main()
