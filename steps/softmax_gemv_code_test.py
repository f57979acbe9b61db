#!/usr/bin/env python3
"""The claims of the chapters on softmax and gemv about the machine code that nvcc makes for sm_90.

usage: softmax_gemv_code_test.py [NVCC]; exit code 77 without one
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import machine_code

STEPS = pathlib.Path(__file__).resolve().parent
SOFTMAX = STEPS / "06_softmax_warp"
GEMV = STEPS / "05_reduce_warp_shuffle" / "gemv"
SKIPPED = 77
FLOATS = {0x220: "FMUL", 0x221: "FADD", 0x223: "FFMA"}
OTHERS = {0x947: "BRA"}
POINTERS = "const float* x, float* y"
PROMISED = "const float* __restrict__ x, float* __restrict__ y"


def with_promise(folder, rung):
    """The rung's file with __restrict__ for both of its pointers, in another folder."""
    text = rung.read_text(encoding="utf-8")
    assert POINTERS in text
    path = pathlib.Path(folder) / rung.name
    path.write_text(re.sub('#include "', f'#include "{rung.parent}/',
                           text.replace(POINTERS, PROMISED)), encoding="utf-8")
    return path


def operations(cubin, kernel):
    """The kernel's loads, stores, float operations and branches, in order."""
    known = {**machine_code.ACCESSES, **FLOATS, **OTHERS}
    [code] = [code for name, code in machine_code.sections(cubin)
              if name.startswith(".text.") and kernel in name]
    words = [struct.unpack_from("<Q", code, at)[0] & machine_code.OPERATION
             for at in range(0, len(code), machine_code.INSTRUCTION_BYTES)]
    return [known[word] for word in words if word in known]


def loads_before_use(found):
    """How many loads stand before the first float operation of each stretch between branches that
    begins with loads."""
    counts = []
    for stretch in " ".join(found).split("BRA"):
        loads = re.match(r"(?:LDG )*", stretch.lstrip())[0]
        counts.append(loads.count("LDG"))
    return [count for count in counts if count]


class Aliasing(unittest.TestCase):
    IN_TURN = "LDG STG LDG STG LDG STG LDG STG"
    LOADS_FIRST = "LDG LDG LDG LDG STG STG STG STG"

    def accesses(self, rung, kernel, promise):
        with tempfile.TemporaryDirectory() as folder:
            source = with_promise(folder, SOFTMAX / rung) if promise else SOFTMAX / rung
            cubin = machine_code.cubin_of(NVCC, source)
            return " ".join(machine_code.accesses(cubin, kernel))

    def test_loads_do_not_pass_stores_unless_promised(self):
        without, promised = (self.accesses("1_softmax_naive.cuh", "softmax_naive_kernel", promise)
                             for promise in (False, True))
        self.assertIn(self.IN_TURN, without)
        self.assertNotIn("STG STG", without)
        self.assertIn(self.LOADS_FIRST, promised)
        self.assertNotIn(self.IN_TURN, promised)

    def test_the_chapter_shows_these(self):
        text = (SOFTMAX / "further" / "README.md").read_text(encoding="utf-8")
        for listing in (self.IN_TURN, self.LOADS_FIRST):
            self.assertIn(f"```text\n{listing}\n```\n", text)

    def test_a_loop_that_is_not_unrolled_stays_as_it_is(self):
        without, promised = (self.accesses("3_softmax_warp_shuffle.cuh",
                                           "softmax_warp_shuffle_kernel", promise)
                             for promise in (False, True))
        self.assertEqual(without, promised)
        self.assertEqual(without.count("STG"), 1)

    def test_promised_loads_take_the_read_only_path(self):
        rung = SOFTMAX / "1_softmax_naive.cuh"
        with tempfile.TemporaryDirectory() as folder:
            paths = rung, with_promise(folder, rung)
            without, promised = (
                subprocess.run([NVCC, "-std=c++20", f"-arch={machine_code.ARCHITECTURE}", "-ptx",
                                "-x", "cu", path, "-o", "-"], check=True, capture_output=True,
                               text=True).stdout for path in paths)
        self.assertNotIn("ld.global.nc", without)
        self.assertIn("ld.global.nc.f32", promised)
        self.assertEqual(len(re.findall(r"ld\.global\.f32", promised)), 0)


class LoadsInFlight(unittest.TestCase):
    def in_loops(self, rung, kernel):
        return loads_before_use(operations(machine_code.cubin_of(NVCC, rung), kernel))

    def test_the_unrolled_gemv_asks_for_6_to_8_packs_before_it_needs_one(self):
        """Packs of A and of x; the last loop, of one turn at a time, for two."""
        loads = self.in_loops(GEMV / "2_gemv_warp_float4.cuh", "gemv_warp_float4_kernelI6float4E")
        self.assertEqual(loads, [2, 6, 6, 6, 8])

    def test_gemv_warp_ahead_asks_for_4(self):
        loads = self.in_loops(GEMV / "4_gemv_warp_ahead.cuh", "gemv_warp_ahead_kernelI6float4E")
        self.assertEqual(loads, [4])

    def test_softmax_online_asks_for_one_pack_at_a_time(self):
        loads = self.in_loops(SOFTMAX / "17_softmax_online.cuh", "softmax_online_kernelILi4E")
        self.assertEqual(loads, [1])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(SKIPPED)
    NVCC = sys.argv.pop()
    unittest.main()
