#!/usr/bin/env python3
"""bench --map, run as a user runs it.

    map_test.py BUILD BACKEND
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv[1]).resolve() / "bench"
OPERATORS = ["sgemm", "reduce", "transpose", "gemv", "softmax"]
NO_DEVICE = 77


def run(*words):
    return subprocess.run([BENCH, "--map", "--quick", *words], capture_output=True, text=True,
                          timeout=300, check=False)


class Map(unittest.TestCase):
    def lines(self, *words):
        done = run("--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_every_operator_is_measured_and_right(self):
        lines = self.lines()
        self.assertEqual([line["operator"] for line in lines],
                         [operator for operator in OPERATORS for _ in range(3)])
        for line in lines:
            self.assertEqual(line["status"], "pass", line)
            self.assertGreater(line["ms"], 0, line)

    def test_a_seed_gives_its_shapes(self):
        shapes = [[line["shape"] for line in self.lines("--only", "08", "--seed", str(seed))]
                  for seed in (5, 5, 6)]
        self.assertEqual(shapes[0], shapes[1])
        self.assertNotEqual(shapes[0], shapes[2])

    def test_what_is_asked_for(self):
        done = run("--only", "gemv", "--shapes", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^map_gemv: 2 of 2 shapes measured, 0 of them wrong$")
        self.assertEqual(len(re.findall("shapes measured", done.stdout)), 1)

    def test_the_device_is_handed_on(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copy(BENCH, folder / "bench")
            child = folder / "map_gemv"
            child.write_text('#!/bin/sh\necho "$4" > "$0.device"\n', encoding="utf-8")
            child.chmod(0o755)
            # Spelled so that it cannot be the default.
            words = ["--map", "--quick", "--only", "gemv", "--device", "00"]
            subprocess.run([folder / "bench", *words], stdout=subprocess.DEVNULL, timeout=60,
                           check=False)
            self.assertEqual((folder / "map_gemv.device").read_text(encoding="utf-8"), "00\n")

    def test_it_goes_on_behind_a_shape_at_which_the_device_failed(self):
        line = '{"operator":"gemv","shape":{"m":%s},"ms":1.0,"status":"pass"}'
        script = (f"#!/bin/sh\ncase $6 in\n"
                  f"'') echo '{line % 1}'; echo '{line % 2}'; exit 3;;\n"
                  f"2) echo '{line % 3}'; exit 3;;\n"
                  f"3) %s;;\nesac\n")
        for end, measured, code in ((f"echo '{line % 4}'", 4, 0), ("exit 3", 3, 1)):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                shutil.copy(BENCH, folder / "bench")
                child = folder / "map_gemv"
                child.write_text(script % end, encoding="utf-8")
                child.chmod(0o755)
                done = subprocess.run([folder / "bench", "--map", "--quick", "--only", "gemv"],
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertIn(f"map_gemv: {measured} of 3 shapes measured", done.stdout)
                self.assertEqual(done.returncode, code)

    def test_a_shape_can_be_measured_without_its_peers(self):
        shapes = [[json.loads(line)["shape"] for line in
                   subprocess.run([BENCH.parent / "map_gemv", "1", "4", "60", "0", "gemv", *start],
                                  capture_output=True, text=True, timeout=60,
                                  check=True).stdout.splitlines()]
                  for start in ([], ["2"])]
        self.assertEqual(shapes[0][2:], shapes[1])

    def test_the_device_is_the_one_that_is_measured(self):
        done = subprocess.run([BENCH.parent / "map_gemv", "1", "1", "1", "99999", "gemv"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aerror: .*InvalidDevice.*\n\Z")


if __name__ == "__main__":
    if run("--only", "gemv").returncode == NO_DEVICE:
        sys.exit(NO_DEVICE)
    unittest.main(argv=sys.argv[:1])
