"""Threads that talk to each other by atomic functions, volatile variables and fences, under
racecheck: those of too small a scope or without a fence are races, and no others."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CUCPU = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parent / "scopes.cu"
ENVIRONMENTS = (
    {"CUCPU_ORDER": "ascending", "CUCPU_THREADS": "1"},
    {"CUCPU_ORDER": "ascending", "CUCPU_THREADS": "3"},
    {"CUCPU_ORDER": "descending", "CUCPU_THREADS": "3"},
    {"CUCPU_ORDER": "random:1", "CUCPU_THREADS": "1"},
    {"CUCPU_ORDER": "random:2", "CUCPU_THREADS": "3"},
)
SCOPE = "An atomic or a fence of block scope orders nothing for threads of other blocks"
VOLATILE = "A volatile access orders nothing: write after a __threadfence(), or atomically"
READER = "A fence is missing after the atomic by which one thread learns of the other"
BLOCKS = "Blocks run in any order"

# Words of one of the case's reports.
SAID = {
    "blocks_count_by_block": SCOPE,
    "volatile_and_atomic": VOLATILE,
    "volatile_unfenced": VOLATILE,
    "reader_unfenced": READER,
    "last_block_reads_plainly": READER,
    "last_block_counts_down": READER,
    "writer_fenced_in_block": BLOCKS,
}


def cases():
    """The names of those that are races, doubts, and right, as the program lists them."""
    text = SOURCE.read_text()
    parts = re.split("    // (?:Doubts|Right).\n", text[text.index("    // Races."):])
    return [re.findall(r'^    (?:CASE\(|\{")(\w+)', part, re.M) for part in parts]


def lines_of(case):
    """The lines whose comment names the case."""
    comment = re.compile(rf"// .*\b{case}\b")
    lines = SOURCE.read_text().splitlines()
    return [i for i, line in enumerate(lines, 1) if comment.search(line)]


class Scopes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([CUCPU, "-O1", SOURCE, "-o", cls.path / "scopes"], check=True, timeout=200)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_case(self, case, **environment):
        """The exit code, what is said, and the findings."""
        output = self.path / "findings.jsonl"
        ran = subprocess.run(
            [self.path / "scopes", case], capture_output=True, text=True, timeout=60,
            env={**os.environ, "CUCPU_TOOLS": "racecheck", "CUCPU_TIMEOUT": "20",
                 "CUCPU_JSON": str(output), **environment})
        self.assertEqual(ran.stdout, "cudaSuccess\n", ran.stderr)
        said = ran.stderr.replace("\n=========         ", " ")
        return ran.returncode, said, [json.loads(f) for f in output.read_text().splitlines()]

    def check_findings(self, case, kind, said, findings):
        self.assertTrue(findings)
        for finding in findings:
            self.assertEqual((finding["type"], finding["kind"]), (kind, "race"))
            self.assertIn(finding["line"], lines_of(case), said)
            self.assertIn(finding["other_line"], lines_of(case), said)
        self.assertIn(SAID.get(case, ""), said)

    def test_races_are_found(self):
        races, _, _ = cases()
        self.assertGreaterEqual(len(races), 38)
        for case in races:
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.run_case(case, **environment)
                    self.assertEqual(code, 1, said)
                    self.check_findings(case, "finding", said, findings)

    def test_doubts_are_warnings(self):
        _, doubts, _ = cases()
        self.assertEqual(len(doubts), 2)
        for case in doubts:
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.run_case(case, **environment)
                    self.assertEqual(code, 0, said)
                    self.check_findings(case, "warning", said, findings)

    def test_right_programs(self):
        _, _, right = cases()
        self.assertGreaterEqual(len(right), 27)
        for case in right:
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.run_case(case, **environment)
                    self.assertEqual((code, findings), (0, []), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
