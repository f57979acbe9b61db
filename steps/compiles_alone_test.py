#!/usr/bin/env python3
"""Each rung and dispatcher, and each header of steps/instructions, compiles by itself.

    compiles_alone_test.py [--cucpu CUCPU --cxx COMPILER] [--nvcc NVCC]

Without any -I: a file of the ladder works where it is put into another project. The code that nvcc
makes for new GPUs is code_claims.py's part; here they are compiled for an older one, and
nvcc need not optimize.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import ladder
from ladder_fixture import MANIFEST, SECOND, THIRD, planted, replaced

SKIPPED = 77
HINTS = "instructions/hints.cuh"
INCLUDE = ladder.STEPS.parent / "common" / "cpu" / "include"  # of lowered code
ARCHITECTURE = "sm_80"


def parse_arguments():
    """The compilers; the rest is unittest's."""
    parser = argparse.ArgumentParser()
    for name in ("--cucpu", "--nvcc"):
        parser.add_argument(name, type=os.path.realpath)
    parser.add_argument("--cxx", default="c++")
    arguments, sys.argv[1:] = parser.parse_known_args()
    return arguments


compilers = parse_arguments()


def with_cucpu(folder):
    """Commands that lower alone.cu and check the code, without making any."""
    return [[compilers.cucpu, "--cuda", "-ccbin", compilers.cxx, f"{folder}/alone.cu",
             "-o", f"{folder}/alone.cpp"],
            [compilers.cxx, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, f"{folder}/alone.cpp"]]


def with_nvcc(folder):
    return [[compilers.nvcc, "-std=c++20", "-ptx", "-Xcicc", "-O0", f"-arch={ARCHITECTURE}",
             f"{folder}/alone.cu", "-o", f"{folder}/alone.ptx"]]


def complaint(commands, path):
    """The messages on a file that a compiler refuses; None where it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "alone.cu"
        source.write_text(f'#include "{path}"\n' * 2, encoding="utf-8")  # it guards itself
        for command in commands(folder):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"{path}:\n{done.stdout}{done.stderr}"
    return None


def jobs_of(steps):
    """(commands, file) for all that has to compile."""
    wrappers = sorted((steps / "instructions").glob("*.cuh"))
    files = list(dict.fromkeys(steps / one.path for one in ladder.read(steps / MANIFEST).variants))
    ways = [way for way, compiler in ((with_cucpu, compilers.cucpu), (with_nvcc, compilers.nvcc))
            if compiler]
    return [(way, path) for way in ways for path in files + wrappers]


def complaints(jobs):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for text in pool.map(lambda job: complaint(*job), jobs) if text]


class CompilesAlone(unittest.TestCase):
    def test_every_file(self):
        if found := complaints(jobs_of(ladder.STEPS)):
            self.fail("\n".join(found))


class PlantedFaults(unittest.TestCase):
    def refuse(self, changed, path, message):
        """Each compiler refuses this file, with this message."""
        with planted(changed) as steps:
            jobs = [job for job in jobs_of(steps) if job[1] == steps / path]
            found = complaints(jobs)
        self.assertTrue(jobs)
        self.assertEqual([f"/{path}:\n" in text and message in text for text in found],
                         [True] * len(jobs), found)

    def test_as_it_is(self):
        with planted() as steps:
            self.assertEqual(complaints(jobs_of(steps)), [])

    def test_header_that_lacks_an_include(self):
        more = "inline std::optional<int> more();\n__device__ inline float load_hinted"
        self.refuse({HINTS: replaced("__device__ inline float load_hinted", more)},
                    HINTS, "optional")

    def test_rung_that_lacks_an_include(self):
        # The rung before it, in the same translation unit in a step's programs, has it.
        self.refuse({SECOND: replaced('#include "guard.cuh"\n', "")}, SECOND, "inside")

    def test_header_found_only_by_an_option(self):
        self.refuse({THIRD: replaced('"../../instructions', '"instructions')}, THIRD, "hints.cuh")

    def test_no_guard(self):
        self.refuse({HINTS: replaced("#pragma once\n", "")}, HINTS, "load_hinted")


if __name__ == "__main__":
    if not compilers.cucpu and not compilers.nvcc:
        print("skipped: neither cucpu nor nvcc")
        sys.exit(SKIPPED)
    unittest.main()
