#!/usr/bin/env python3
"""Adds a rung to a copy of the tree: a file and its entry in the manifest, and nothing else.

It has to be built, listed, tested, benched, in the tour's table and in the ladder's.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import ladder

ROOT = ladder.STEPS.parent
sys.path.append(str(ROOT / "common"))
from source_files import source_files  # noqa: E402

STEP = "03_reduce_atomic"  # the one that is built fastest
ADDED = "reduce_added"
SKIPPED = 77
ENTRY = f"""
[[rung]]
step = "{STEP}"
file = "9_{ADDED}.cuh"
kernel = "{ADDED}"
from = "reduce_atomic"
idea = "the same once more"
tile = [128]
all_sizes = true
"""
RUNG = """// Sum of a vector: one atomic per element, in smaller blocks.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

__global__ void reduce_added_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

inline void reduce_added(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 128;
  cudaMemsetAsync(sum, 0, sizeof(float), stream);
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_added_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
"""


def run(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env=os.environ | {"CCACHE_NOHASHDIR": "1"})
    if check and done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def copy_tree(to):
    for name in source_files(ROOT):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, to / name)
    return to


def add_rung(steps):
    """Its path."""
    path = steps / STEP / f"9_{ADDED}.cuh"
    path.write_text(RUNG, encoding="utf-8")
    with (steps / "ladder.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(ENTRY)
    return path


class AddedRung(unittest.TestCase):
    """One copy for all tests, as building it takes most of the time."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        source = copy_tree(pathlib.Path(cls.folder.name) / "copy")
        cls.rung = add_rung(source / "steps")
        cls.build = source / "build"
        run("meson", "setup", cls.build, source, "-Drun_on=cpu", "-Doptimization=0")
        cls.make(STEP, f"{STEP}_test", "run_tour", "run_bench")

    @classmethod
    def make(cls, *targets):
        run("meson", "compile", "-C", cls.build, *targets)

    def variants(self, *command):
        """The kernels of the step that a program reports as right, of JSON lines."""
        lines = map(json.loads, run(*command, check=False).stdout.splitlines())
        return [one["variant"] for one in lines if one["step"] == STEP and one["status"] == "pass"]

    def test_program_lists_and_runs_it(self):
        program = self.build / "steps" / STEP / STEP
        self.assertIn(ADDED, run(program, "--list").stdout.split())
        self.assertIn(ADDED, self.variants(program, "--n", 1000, "--json"))

    def test_tour_and_bench_have_it(self):
        # Both say that the other steps are missing, and go on.
        self.assertIn(ADDED, self.variants(self.build / "run_tour", "--quick", "--json"))
        self.assertIn(ADDED, self.variants(self.build / "run_bench", "--quick", "--json",
                                           "--only", STEP))

    def test_ladder_shows_it(self):
        show = self.build / "ladder"
        self.assertRegex(run(show).stdout, rf"\n \d {ADDED} +1 +\+\d+ -\d+ .*\n     the same once more\n")
        [line] = run(show, "--json", ADDED).stdout.splitlines()
        fields = json.loads(line)
        self.assertEqual((fields["file"], fields["from"]), (self.rung.name, "reduce_atomic"))

    def test_step_tests_it(self):
        program = self.build / "steps" / f"{STEP}_test"
        run(program)
        self.rung.write_text(RUNG.replace("i < n", "i + 1 < n"), encoding="utf-8")
        try:
            self.make(f"{STEP}_test")
            done = run(program, check=False)
        finally:
            self.rung.write_text(RUNG, encoding="utf-8")
        self.assertNotEqual(done.returncode, 0, "the test passes a wrong kernel")
        self.assertIn(ADDED, done.stdout)


if __name__ == "__main__":
    if not shutil.which("meson"):
        print("skipped: meson was not found")
        sys.exit(SKIPPED)
    unittest.main()
