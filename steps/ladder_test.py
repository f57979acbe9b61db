#!/usr/bin/env python3
"""ladder.py: a manifest that is wrong ends with one clear line, a sound one makes what programs include."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import ladder
from ladder_fixture import FIRST, MANIFEST, RUNG, STEP, appended, planted, replaced

LADDER = pathlib.Path(__file__).with_name("ladder.py")
GOAL = '[[goal]]\nstep = "{step}"\ntitle = "add"\nagainst = "{against}"\nsize = [1024]\n'


def run(steps, *words):
    return subprocess.run([sys.executable, "-B", LADDER, *words, steps / MANIFEST],
                          capture_output=True, text=True, check=False)


class BadManifests(unittest.TestCase):
    def refuse(self, changed, *says):
        with planted(changed) as steps:
            done = run(steps, "meson")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, done.stderr)

    def change(self, make, *says):
        self.refuse({MANIFEST: make}, *says)

    def test_no_toml(self):
        self.change(appended("[[rung\n"), MANIFEST, "line")

    def test_no_file(self):
        self.refuse({MANIFEST: None}, MANIFEST)

    def test_tables_and_keys(self):
        self.change(appended("[[ring]]\n"), "unknown table 'ring'")
        self.change(replaced('kernel = "first"', 'kernel = "first"\nrepeat = 3'),
                    "rung 'first': unknown key 'repeat'")
        self.change(replaced('problem = "add"\n', ""), "step '01_one': has no 'problem'")
        self.change(replaced('kernel = "first"\n', ""), "rung '?': has no 'kernel'")
        self.change(replaced("tile = [256]", "tile = 256"), "rung 'first': 'tile' is 256, not a list")
        self.change(replaced('idea = "by shape"', "idea = 3"), "dispatcher 'chosen': 'idea' is 3")

    def test_steps(self):
        self.change(replaced('problem = "add"', 'problem = "subtract"'),
                    "step '01_one': unknown problem 'subtract'; allowed: add, sum,")
        self.change(appended(STEP.format(name="03_three")), "step '03_three': there is no such folder")
        self.change(replaced("measured = [[1024]]", "measured = [[32, 32]]"),
                    "step '01_one': measured size [32, 32] is not one of n")
        self.change(replaced("drawn = [64]", "drawn = [6, 4]"), "step '01_one': drawn size [6, 4]")
        self.change(replaced("counted = [[1024]]", "counted = []"), "step '01_one': is neither")

    def test_rungs(self):
        self.change(replaced("1_first.cuh", "1_frist.cuh"),
                    "rung 'first': there is no file 01_one/1_frist.cuh")
        self.refuse({FIRST: None}, "rung 'first': there is no file 01_one/1_first.cuh")
        self.change(replaced('kernel = "second"', 'kernel = "first"'), "rung 'first': is there twice")
        self.change(replaced('name = "chosen"', 'name = "third"'),
                    "dispatcher 'third': is there twice")
        self.change(replaced('from = "first"', 'from = "fist"'),
                    "rung 'second': grows from 'fist', which no rung before it is")
        self.change(replaced('from = "first"', 'from = "third"'), "rung 'second': grows from 'third'")
        self.change(replaced('[[rung]]\nstep = "01_one"', '[[rung]]\nstep = "01_on"'),
                    "there is no step '01_on'")
        self.change(replaced('"further/1_third', '"gemv/1_third'), "there is no step '02_two/gemv'")
        self.change(appended(RUNG.format(step="02_two", file="1_second.cuh", kernel="late") +
                             'from = "chosen"\n'), "rung 'late': grows from 'chosen'")

    def test_goals(self):
        self.change(appended(GOAL.format(step="09_nine", against="library")),
                    "there is no step '09_nine'")
        self.change(appended(GOAL.format(step="01_one", against="me")),
                    "goal 'add': against 'me'; allowed: library,")


class Outputs(unittest.TestCase):
    def test_meson(self):
        with planted() as steps:
            self.assertEqual(run(steps, "meson").stdout,
                             "elementwise|01_one|\nelementwise|02_two|\n")

    def test_files_and_sizes(self):
        with planted() as steps:
            self.assertEqual(run(steps, "files", "02_two").stdout.split(),
                             ["02_two/1_second.cuh", "02_two/further/1_third.cuh",
                              "02_two/chosen.cuh"])
            self.assertEqual(run(steps, "sizes", "02_two").stdout, "--n 77\n")

    def test_unknown_step(self):
        with planted() as steps:
            done = run(steps, "files", "03_three")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "error: there is no step '03_three'\n"))

    def test_rungs_files(self):
        with planted() as steps, tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(steps, "rungs", "02_two", folder).returncode, 0)
            made = {path.name: path.read_text(encoding="utf-8")
                    for path in pathlib.Path(folder).iterdir()}
        self.assertEqual(sorted(made), ["kernels.h", "launchers.h", "rungs.cu", "rungs.h",
                                        "rungs_here.h"])
        self.assertIn('#include "02_two/1_second.cuh"\n#include "02_two/further/1_third.cuh"\n'
                      '#include "02_two/chosen.cuh"\n#include "rungs.h"\n', made["kernels.h"])
        self.assertIn("extern const harness::Step<problem::Add> kStep;\n", made["rungs.h"])
        self.assertEqual(
            re.findall(r'^inline constexpr harness::Launcher<problem::Add> (\w+){kStep, "(\w+)"};$',
                       made["launchers.h"], re.M),
            [(name, name) for name in ("second", "third", "chosen")])
        for part in ('"02_two"', '{"second", second,', '{"third", third,', '{"chosen", chosen,'):
            self.assertIn(part, made["rungs_here.h"])

    def test_the_real_one(self):
        real = ladder.read()
        self.assertEqual(real.rung("add").step, "01_naive_add")
        self.assertEqual(real.step("gemv").name, "05_reduce_warp_shuffle/gemv")


if __name__ == "__main__":
    unittest.main()
