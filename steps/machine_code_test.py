"""The chapters' claims about the machine code and the Toolkit's headers.

usage: machine_code_test.py [NVCC]; exit code 77 without one
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import machine_code

STEPS = pathlib.Path(__file__).resolve().parent
ALIASING = STEPS / "02_vectorized_add" / "further" / "aliasing.cuh"
SKIPPED = 77


def preprocessed(text):
    """The text with all that it includes."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source.cu"
        source.write_text(text, encoding="utf-8")
        return subprocess.run([NVCC, "-std=c++20", "-arch=sm_90", "-E", str(source)], check=True,
                              capture_output=True, text=True).stdout


class Aliasing(unittest.TestCase):
    def order(self, kernel, change=None):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "aliasing.cu"
            text = ALIASING.read_text(encoding="utf-8")
            source.write_text(text.replace(*change) if change else text, encoding="utf-8")
            return machine_code.accesses(machine_code.cubin_of(NVCC, source), kernel)

    def test_a_store_holds_up_the_loads_behind_it(self):
        self.assertEqual(self.order("add_two_packs_kernel"),
                         ["LDG", "LDG", "STG", "LDG", "LDG", "STG"])

    def test_with_restrict_all_loads_come_first(self):
        self.assertEqual(self.order("add_two_packs_restrict_kernel"),
                         ["LDG", "LDG", "LDG", "LDG", "STG", "STG"])

    def test_the_promise_about_the_inputs_is_enough(self):
        self.assertEqual(self.order("add_two_packs_restrict_kernel",
                                    ("float4* __restrict__ c", "float4* c")),
                         ["LDG", "LDG", "LDG", "LDG", "STG", "STG"])
        self.assertEqual(self.order("add_two_packs_restrict_kernel", ("__restrict__", "")),
                         ["LDG", "LDG", "STG", "LDG", "LDG", "STG"])


class Headers(unittest.TestCase):
    def test_the_primitives_wait_at_barriers_but_expect_no_bytes(self):
        text = preprocessed("#include <cuda_awbarrier_primitives.h>\n")
        for name in ("__mbarrier_init(", "__mbarrier_arrive(", "__mbarrier_try_wait("):
            self.assertIn(name, text)
        self.assertNotIn("expect_tx", text)

    def test_libcuxx_of_the_toolkit_expects_bytes(self):
        text = preprocessed("#include <cuda/barrier>\n")
        for name in ("barrier_expect_tx(", "memcpy_async_tx("):
            self.assertIn(name, text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(SKIPPED)
    NVCC = sys.argv.pop()
    unittest.main()
