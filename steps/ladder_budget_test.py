#!/usr/bin/env python3
"""Plants faults in a small ladder: ladder_budget.py must refuse each, and name it."""

import pathlib
import subprocess
import sys
import unittest

import ladder
import ladder_budget
import ladder_changes
from ladder_fixture import (DISPATCHER, FIRST, MANIFEST, RUNG, SECOND, THIRD, appended, files, kernel,
                            planted, replaced)

CHECK = pathlib.Path(__file__).with_name("ladder_budget.py")
HINTS, CHOSEN = "instructions/hints.cuh", "02_two/chosen.cuh"


def function(head, lines):
    """A function of so many lines, from its own on."""
    return f"{head} {{\n" + "  // ...\n" * (lines - 2) + "}\n"


def starts(count):
    """More rungs that grow from none, in the first step."""
    files = {f"01_one/{i}_start{i}.cuh": kernel(f"start{i}") for i in range(2, count + 2)}
    rungs = "".join(RUNG.format(step="01_one", file=f"{i}_start{i}.cuh", kernel=f"start{i}")
                    for i in range(2, count + 2))
    return {MANIFEST: appended(rungs), **files}


class Budget(unittest.TestCase):
    def run_check(self, changed):
        with planted(changed) as steps:
            return subprocess.run([sys.executable, "-B", CHECK, steps], capture_output=True,
                                  text=True, check=False)

    def accept(self, changed):
        done = self.run_check(changed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuse(self, changed, path, message):
        """It says this of the file, and nothing else."""
        done = self.run_check(changed)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, rf"\A\S*/steps/{path}: [^\n]*\n\Z")
        self.assertIn(message, done.stderr)

    def test_as_it_is(self):
        table = [line.split() for line in self.accept({}).splitlines()]
        self.assertEqual([line[0] for line in table], ["first", "second", "third"])
        self.assertEqual(table[1], ["second", "+0", "-0", "first"])

    def test_changed_lines(self):
        self.accept({SECOND: appended("// more\n" * 60), THIRD: appended("// more\n" * 60)})
        self.refuse({SECOND: appended("// more\n" * 61), THIRD: appended("// more\n" * 61)},
                    SECOND, "changes 61 lines of first, +61 -0; allowed: 60")

    def test_lines_moved_into_a_header(self):
        self.refuse({"02_two/guard.cuh": appended("// more\n" * 61)}, SECOND, "changes 61 lines")
        # Not those of instructions/, but the #include itself counts.
        more = {SECOND: replaced('#include "guard', '#include "../instructions/more.cuh"\n#include "guard'),
                "instructions/more.cuh": '// CUDA Math API, "expf".\n' + "// more\n" * 70}
        self.assertIn("+1   -0", self.accept(more))

    def test_starts(self):
        self.accept(starts(9))
        self.refuse(starts(10), MANIFEST, "11 rungs grow from none, first, start2, ")

    def test_lengths_of_files(self):
        def filled(path, lines):
            have = len(files()[path].splitlines())
            return appended("// more\n" * (lines - have))

        self.accept({path: filled(path, lines) for path, lines in
                     ((FIRST, 110), (SECOND, 110), (THIRD, 150), (CHOSEN, 150))})
        trunk = {path: filled(path, 110) for path in (FIRST, SECOND, THIRD)}
        self.refuse({**trunk, SECOND: filled(SECOND, 111)}, SECOND, "has 111 lines; allowed: 110")
        self.refuse({**trunk, THIRD: filled(THIRD, 151)}, THIRD, "has 151 lines; allowed: 150")
        self.refuse({CHOSEN: filled(CHOSEN, 151)}, CHOSEN, "has 151 lines; allowed: 150")
        self.refuse({HINTS: filled(HINTS, 151)}, HINTS, "has 151 lines; allowed: 150")
        long_header = {path: appended("// more\n" * 109)
                       for path in ("01_one/guard.cuh", "02_two/guard.cuh")}
        done = self.run_check(long_header)
        self.assertEqual(done.stderr.count("guard.cuh: has 111 lines; allowed: 110"), 2, done)

    def test_names(self):
        wrong = {SECOND: None, "02_two/2_second.cuh": kernel("second"),
                 MANIFEST: replaced("1_second", "2_second"),
                 CHOSEN: replaced("1_second", "2_second")}
        self.refuse(wrong, "02_two/2_second.cuh", "is, by its place in the manifest and its kernel, "
                    "1_second.cuh")

    def test_kernel_and_launch_function(self):
        self.refuse({FIRST: lambda text: text.replace("first_kernel", "kernel_of_first")}, FIRST,
                    "has no first_kernel")
        self.refuse({FIRST: replaced("inline void first(", "inline void launch(")}, FIRST,
                    "has no first(")

    def test_dispatcher(self):
        self.refuse({CHOSEN: appended("__global__ void hidden() {}\n")},
                    CHOSEN, "has a kernel in it")
        self.accept({CHOSEN: appended("// no __global__ here\n")})
        self.refuse({CHOSEN: None, "02_two/other.cuh": DISPATCHER,
                     MANIFEST: replaced("chosen.cuh", "other.cuh")}, "02_two/other.cuh",
                    "is the dispatcher chosen's, chosen.cuh")

    def test_one_file_for_two(self):
        with planted({FIRST: appended(kernel("again").replace("#pragma once", "")),
                      MANIFEST: appended(RUNG.format(step="01_one", file="1_first.cuh",
                                                     kernel="again"))}) as steps:
            faults = ladder_budget.Faults()
            ladder_budget.check_names(ladder.read(steps / MANIFEST), steps, faults)
            self.assertIn("is the file of both first and again", faults[0])

    def test_functions(self):
        for head in ("__global__ void long_kernel(float* out)", "__device__ inline float f(int i)",
                     "template <int k>\n__global__ void __launch_bounds__(k) long_kernel(float* out)",
                     "__device__ float operator()(int i) const"):
            name = "long_kernel" if "long" in head else "f" if " f(" in head else "operator"
            rungs = (FIRST, SECOND, THIRD)  # in all, so that none changes anything
            self.accept({path: appended(function(head, 60)) for path in rungs})
            done = self.run_check({path: appended(function(head, 61)) for path in rungs})
            self.assertEqual(done.stderr.count(f": {name} has 61 lines; allowed: 60"), 3, done)

    def test_includes(self):
        self.refuse({FIRST: replaced('"guard', '"gaurd')}, FIRST, 'there is no "gaurd.cuh" beside it')
        self.refuse({FIRST: replaced('"guard', '"../02_two/guard')}, FIRST,
                    'is neither of its own step nor of instructions/')
        self.refuse({"02_two/guard.cuh": appended('#include "further/1_third.cuh"\n'),
                     THIRD: replaced('#include "../guard.cuh"\n', "")}, "02_two/guard.cuh",
                    '"further/1_third.cuh" is off the trunk')

    def test_trunk_that_grows_from_further(self):
        fourth = RUNG.format(step="02_two", file="2_fourth.cuh", kernel="fourth") + 'from = "third"\n'
        self.refuse({MANIFEST: appended(fourth), "02_two/2_fourth.cuh": kernel("fourth")},
                    "02_two/2_fourth.cuh", "grows from third, which is off the trunk")

    def test_instructions(self):
        def refuse(more, message):
            self.refuse({HINTS: appended(more)}, HINTS, message)
        refuse("inline int f(int n) { for (;;) {} }\n", "has a loop, 'for'")
        refuse("inline int f(int n) { do {} while (n); }\n", "has a loop, 'do'")
        refuse("inline int f(int n) {\n  while (n > 0) --n;\n}\n", "has a loop, 'while'")
        refuse("__device__ inline int f() { return threadIdx.x; }\n", "an index, 'threadIdx'")
        refuse("inline int f(int* a, int i) { return a[2 * i]; }\n", "an index, '[2 * i]'")
        self.accept({HINTS: appended("// for all, while a[i + 1] is kept\n"
                                     'inline int f(bool* p) { config.gridDim = 3; asm("ld.f32 %0, [%1+16];" : ); '
                                     "while (!done(p, 0)) {\n  }\n while (done(*p)); return p[0]; }\n")})

    def test_documentation_of_instructions(self):
        message = "names no section of NVIDIA's documentation"
        self.refuse({HINTS: replaced("PTX ISA", "The manual")}, HINTS, message)
        self.refuse({HINTS: lambda text: text.replace('"', "")}, HINTS, message)

    def test_bad_manifest(self):
        done = self.run_check({MANIFEST: appended("[[rungs]]\n")})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aerror: [^\n]*unknown table 'rungs'\n\Z")


class Expansion(unittest.TestCase):
    def lines(self, changed, path=FIRST):
        with planted(changed) as steps:
            return ladder_changes.expanded(steps / path, steps)

    def test_a_header_once_in_its_place(self):
        lines = self.lines({FIRST: '// a\n#include "guard.cuh"\n// b\n#include "guard.cuh"\n',
                            "01_one/guard.cuh": '// c\n#include "more.cuh"\n',
                            "01_one/more.cuh": '#include "guard.cuh"\n// d\n'})
        self.assertEqual(lines, ["// a", "// c", "// d", "// b"])

    def test_what_stays_a_line(self):
        lines = ["#include <cmath>", '#include "../instructions/hints.cuh"', '#include "device/x.h"']
        self.assertEqual(self.lines({FIRST: "\n".join(lines)}), lines)

    def test_names(self):
        self.assertEqual(
            ladder_changes.equalised(["sum_kernel<<<1>>>(sum, sums, warp_sum);", "sum(x)"], "sum"),
            ["VARIANT_kernel<<<1>>>(VARIANT, sums, warp_sum);", "VARIANT(x)"])


if __name__ == "__main__":
    unittest.main()
