#!/usr/bin/env python3
"""The answers of clangd for the CUDA files, with the build folder's compile_commands.json and
.clangd: each step's main.cu and each rung as an editor opens them, without an error; and what it
knows of a kernel.

    editor_test.py SOURCE BUILD CLANGD [--all]

With --all every .cu and .cuh file is opened, which takes some minutes. Skips without clangd.
"""

import json
import pathlib
import sys
import unittest

import compile_commands
from language_server import LanguageServer, errors

SKIPPED = 77
AT_ONCE = 4

SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
CLANGD, ALL = sys.argv[3], "--all" in sys.argv[4:]

RUNG = SOURCE / "steps" / "09_sgemm_naive" / "1_sgemm_naive.cuh"
# Clang is no nvcc: these have forms of a launch, or of a declaration, that only nvcc takes, or
# libraries of the Toolkit; or they are parts of a rung, which includes what they need.
REFUSED = {
    "steps/12_sgemm_warptile_zorder/main_loop.cuh",
    "steps/12_sgemm_warptile_zorder/spread_main_loop.cuh",
    "common/cpu/tests/programs/launch_forms.cu", "common/cpu/tests/programs/small_functions.cu",
    "common/cpu/tests/programs/struct_arguments.cu", "common/problem/baselines_cuda.cu"}


def is_of_the_ladder(path):
    """main.cu or a rung."""
    return path.parts[len(SOURCE.parts)] == "steps" and "wrong" not in path.parts and (
        path.name == "main.cu" or (path.suffix == ".cuh" and path.name[0].isdigit()))


class Editor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = LanguageServer(CLANGD, BUILD, SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def open(self, path):
        self.addCleanup(self.server.close_file, path)
        return errors(self.server.open(path)[path])

    def place_of(self, path, text, after=0):
        """Line and column of where a text begins, `after` characters on."""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if text in line:
                return path, number, line.index(text) + after
        self.fail(f"{path} has no {text}")

    def planted(self, old, new):
        """The faults found in a copy of the rung, beside it, with one text replaced."""
        copy = RUNG.with_name("planted.cuh")
        text = RUNG.read_text(encoding="utf-8")
        self.assertIn(old, text)
        return errors(self.server.open_text(copy, text.replace(old, new)))

    def test_each_cuda_file_has_an_entry(self):
        entries = {line["file"] for line in json.loads((BUILD / "compile_commands.json").read_text())}
        missing = {str(path) for path in compile_commands.cuda_files(SOURCE)} - entries
        self.assertEqual(missing, set(), "meson setup --reconfigure adds what is new")

    def test_no_error(self):
        paths = [path for path in compile_commands.cuda_files(SOURCE)
                 if (ALL and str(path.relative_to(SOURCE)) not in REFUSED) or is_of_the_ladder(path)]
        self.assertGreater(len(paths), 100)
        for i in range(0, len(paths), AT_ONCE):
            for path, said in self.server.open(*paths[i:i + AT_ONCE]).items():
                with self.subTest(path.relative_to(SOURCE)):
                    self.assertEqual(errors(said), [])
                self.server.close_file(path)

    def test_an_error_in_a_kernel_is_found(self):
        self.assertEqual(self.planted("float sum =", "float sum = "), [])
        for old, new, said in (
                ("threadIdx.x / BN", "threadIdx.w / BN", "No member named 'w' in 'uint3'"),
                ("sum += A", "sum += D", "Use of undeclared identifier 'D'"),
                ("<<<tiles_m * tiles_n, kBlockSize, 0, stream>>>", "<<<tiles_m>>>",
                 "Too few execution configuration arguments"),
                ("(A, B, C, M, N, K);", "(A, B, C, M, N);", "No matching function for call")):
            with self.subTest(new):
                found = self.planted(old, new)
                self.assertTrue(any(said in line for line in found), found)

    def test_a_kernel_can_be_explored(self):
        self.assertEqual(self.open(RUNG), [])
        after_dot = self.place_of(RUNG, "threadIdx.x", len("threadIdx."))
        offered = self.server.ask_at("completion", *after_dot)["items"]
        self.assertTrue({"x", "y", "z"} <= {item["filterText"] for item in offered})
        headers = (SOURCE / "common" / "cpu" / "include").as_uri()
        for text, home in (("threadIdx", headers), ("blockIdx", headers), ("cudaStream_t", headers),
                           ("sgemm_naive_kernel<BM", RUNG.as_uri())):
            with self.subTest(text):
                found = self.server.ask_at("definition", *self.place_of(RUNG, text))
                self.assertTrue(found and found[0]["uri"].startswith(home), found)
        hover = self.server.ask_at("hover", *self.place_of(RUNG, "row >= M"))
        self.assertIn("const int row", hover["contents"]["value"])


if __name__ == "__main__":
    if CLANGD == "none":
        print("skipped: clangd is not installed")
        sys.exit(SKIPPED)
    del sys.argv[1:]
    unittest.main()
