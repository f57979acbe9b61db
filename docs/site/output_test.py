#!/usr/bin/env python3
"""docs/pages/output.md names every field that the programs print as JSON, and no other; and
transcripts in the README and on the pages are what the programs print.

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
        # Only findings about API calls have these two (common/cpu/trace/tests/checkers_test.py).
        self.check(finding, [line for line in lines if line["type"] == "finding"],
                   more=("call", "error"))

    def test_verdict(self):
        [verdict] = tables("A verdict")
        exercise = book.step("01_naive_add").folder / "exercises" / "relu"
        self.check(verdict, [
            line for file in ("solutions/1_scalar.cu", "wrong/no_tail.cu", "relu.cu")
            for line in self.printed(BUILD / "judge", "relu", exercise / file, "--json")])


def normalized(output):
    """Without addresses, and without the processor's name."""
    return re.sub(r"on CPU \(.*\)", "on CPU", re.sub(r"0x[0-9a-f]+", "0x", output))


def blocks(text):
    """(language, words) of the blocks of code of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)


class Transcripts(unittest.TestCase):
    PAGES = [book.ROOT / "README.md", *sorted((book.DOCS / "pages").glob("*.md"))]

    def printed(self, command, folder):
        command = re.sub(r"(?<![\w/-])build/", f"{BUILD}/", command)
        done = subprocess.run(["bash", "-c", f"({command}) 2>&1"], capture_output=True, text=True,
                              timeout=120, cwd=folder)
        return done.stdout

    def shown(self):
        """(page, command, output) of all transcripts that a CPU can repeat."""
        for path in self.PAGES:
            for _, block in blocks(path.read_text(encoding="utf-8")):
                found = re.match(r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*)", block, re.S)
                # A learner's own file is not there.
                if found and found[1].startswith("build/") and "my.cu" not in found[1]:
                    yield path.name, found[1], found[2]

    def test_they_are_what_the_programs_print(self):
        shown = list(self.shown())
        self.assertGreaterEqual(len(shown), 3)
        for page, command, output in shown:
            with self.subTest(page=page, command=command):
                self.assertTrue(output)
                self.assertEqual(normalized(output), normalized(self.printed(command, book.ROOT)))

    def test_the_first_program(self):
        """As the README and the first page show it: source, commands, output."""
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(book.DOCS, pathlib.Path(folder) / "docs")
            for name in ("README.md", "docs/pages/first.md"):
                text = (book.ROOT / name).read_text(encoding="utf-8")
                in_order = blocks(text)
                ran = 0
                for (language, command), (_, output) in zip(in_order, in_order[1:]):
                    if language in ("sh", "bash") and "./first" in command:
                        printed = self.printed(command, folder)
                        self.assertEqual(output, self.first_part(output, printed))
                        ran += 1
                self.assertGreater(ran, 0, name)
                for language, source in in_order:
                    if language == "cpp":
                        self.assertEqual(source, (book.DOCS / "pages" / "first.cu").read_text())

    def first_part(self, wanted, output):
        """The counters' table alone, where the page shows no more."""
        own = "4 blocks of 256 threads; the square of 999 is 998001\n"
        return output if wanted.startswith(own) else output.replace(own, "")

    def test_a_table_that_is_out_of_date_is_found(self):
        page, command, output = next(self.shown())
        self.assertNotEqual(normalized(output.replace("33.00", "34.00")),
                            normalized(self.printed(command, book.ROOT)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
