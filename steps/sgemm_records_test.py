#!/usr/bin/env python3
"""The chapters 09 to 12 on what ncu and the bench recorded on an H200: docs/results/*.jsonl.

If these claims stop holding after a new record, it is the chapters' text that has to change.
"""

import json
import pathlib
import statistics
import unittest

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
SIZE = [4096, 4096, 4096]
COUNTED = "--m 512 --n 512 --k 512"
WARP_FMAS_PER_CYCLE = 4
CYCLES_PER_US = 1980
SMS = 132


def lines_of(name):
    text = (RESULTS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def stalls_of(lines):
    """{rung: what ncu says of its main kernel}"""
    return {line["rung"]: line for line in lines
            if "rung" in line and line["kernel"] == f"{line['rung']}_kernel"}


def wavefronts_of(lines, side, kinds=("shared_load", "shared_store")):
    """{variant: wavefronts of shared memory per FMA of a warp}, as `side` counts them."""
    fmas = 512 ** 3 / 32
    found = {}
    for line in lines:
        if line.get("shape") == COUNTED:
            total = sum(line[side].get(kind, {}).get("wavefronts", 0) for kind in kinds)
            found[line["variant"]] = found.get(line["variant"], 0) + total / fmas
    return found


def times_of(lines):
    """{variant: milliseconds at SIZE}, of the middle run, as in the chapters' tables."""
    runs = {}
    for line in lines:
        if [*line.get("shape", {}).values()] == SIZE:
            runs.setdefault(line["variant"], []).append(line["median_ms"])
    return {variant: statistics.median(times) for variant, times in runs.items()}


STALLS = stalls_of(lines_of("stalls_h200"))
AGREEMENT = lines_of("agreement")
SHARED = wavefronts_of(AGREEMENT, "ncu")
LOADS = wavefronts_of(AGREEMENT, "ncu", ["shared_load"])
MS = times_of(lines_of("h200"))


class Naive(unittest.TestCase):
    line = STALLS["sgemm_naive"]

    def test_it_waits_for_l1_and_not_for_dram(self):
        self.assertEqual(list(self.line["stalls"]), ["long_scoreboard", "lg_throttle"])
        self.assertLess(self.line["dram_percent"], 10)

    def test_it_takes_between_six_and_seven_issue_slots_per_fma(self):
        cycles = self.line["us"] * CYCLES_PER_US
        issued = self.line["issue_percent"] / 100 * WARP_FMAS_PER_CYCLE * cycles
        per_fma = issued / (4096 ** 3 / 32 / SMS)
        self.assertTrue(6 < per_fma < 7, per_fma)

    def test_it_stays_below_what_two_requests_per_fma_allow(self):
        least_us = 2 * 4096 ** 3 / 32 / SMS / CYCLES_PER_US
        self.assertLess(least_us, self.line["us"])
        self.assertGreater(least_us / self.line["us"], 0.7)


class SharedPipe(unittest.TestCase):
    """The time of the pipe to shared memory over that of the FMA pipe."""

    def test_wavefronts_as_compiled(self):
        for rung, per_64 in {"sgemm_blocktile": 96, "sgemm_threadtile_column": 40,
                             "sgemm_threadtile": 20, "sgemm_threadtile_wide_b": 20,
                             "sgemm_threadtile_transposed": 20, "sgemm_threadtile_padded": 20,
                             "sgemm_threadtile_split": 12, "sgemm_threadtile_float4": 12,
                             "sgemm_warptile": 12, "sgemm_warptile_zorder": 8}.items():
            self.assertEqual(64 * LOADS[rung], per_64, rung)

    def test_counts_predict_what_ncu_measures(self):
        for rung in ("sgemm_threadtile_transposed", "sgemm_threadtile_padded",
                     "sgemm_threadtile_split", "sgemm_threadtile_float4", "sgemm_warptile",
                     "sgemm_warptile_zorder", "sgemm_double_buffer", "sgemm_large_tile",
                     "sgemm_fragments"):
            line = STALLS[rung]
            measured = line["shared_percent"] / line["fma_percent"]
            self.assertAlmostEqual(SHARED[rung] * WARP_FMAS_PER_CYCLE / measured, 1, delta=0.035,
                                   msg=rung)

    def test_a_block_tile_is_limited_by_it(self):
        line = STALLS["sgemm_blocktile"]
        self.assertEqual(list(line["stalls"]), ["mio_throttle", "barrier"])
        self.assertAlmostEqual(line["shared_percent"], 80, delta=2)
        self.assertAlmostEqual(line["fma_percent"], 100 / 7, delta=1)

    def test_from_the_split_on_the_fma_pipe_is_busier(self):
        for rung, is_shared in {"sgemm_threadtile_padded": True, "sgemm_threadtile_split": False,
                                "sgemm_threadtile_float4": False}.items():
            line = STALLS[rung]
            self.assertEqual(line["shared_percent"] > line["fma_percent"], is_shared, rung)
        for rung in ("sgemm_threadtile_split", "sgemm_threadtile_float4"):
            self.assertEqual(list(STALLS[rung]["stalls"]), ["long_scoreboard", "barrier"])


class Rungs(unittest.TestCase):
    def gain(self, before, after):
        return MS[before] / MS[after]

    def test_what_gains_nothing(self):
        for before, after in (("sgemm_threadtile_float4", "sgemm_warptile"),
                              ("sgemm_spread", "sgemm_pointers"),
                              ("sgemm_shares", "sgemm_fixup"),
                              ("sgemm_wide", "sgemm_persistent")):
            self.assertAlmostEqual(self.gain(before, after), 1, delta=0.012, msg=after)
        self.assertLess(self.gain("sgemm_threadtile", "sgemm_threadtile_wide_b"), 0.98)
        self.assertLess(self.gain("sgemm_fragments", "sgemm_inside"), 0.99)

    def test_what_gains_or_loses_a_little(self):
        for before, after, percent in (("sgemm_remainder", "sgemm_spread", 3),
                                       ("sgemm_pointers", "sgemm_turning", 2.5),
                                       ("sgemm_turning", "sgemm_banks", 2),
                                       ("sgemm_banks", "sgemm_rasterized", 1.5),
                                       ("sgemm_rasterized", "sgemm_split_k", -1.5),
                                       ("sgemm_split_k", "sgemm_shares", 2.5),
                                       ("sgemm_persistent", "sgemm_sum_inside", 1.5),
                                       ("sgemm_sum_inside", "sgemm_no_barrier", 1),
                                       ("sgemm_no_barrier", "sgemm_two_widths", 1),
                                       ("sgemm_double_buffer", "sgemm_pipelined", 1)):
            self.assertAlmostEqual(100 * self.gain(before, after) - 100, percent, delta=0.5, msg=after)

    def test_the_double_buffer_ends_the_waiting_for_memory(self):
        self.assertIn("long_scoreboard", STALLS["sgemm_warptile_zorder"]["stalls"])
        for rung in ("sgemm_double_buffer", "sgemm_pipelined", "sgemm_large_tile"):
            self.assertNotIn("long_scoreboard", STALLS[rung]["stalls"])
            self.assertEqual(next(iter(STALLS[rung]["stalls"])), "dispatch_stall")

    def test_fragments_read_ahead_end_the_waiting_for_shared_memory(self):
        self.assertIn("short_scoreboard", STALLS["sgemm_large_tile"]["stalls"])
        self.assertNotIn("short_scoreboard", STALLS["sgemm_fragments"]["stalls"])

    def test_bench_and_ncu_agree_about_spread_copies_and_kept_addresses(self):
        rungs = "sgemm_remainder", "sgemm_spread", "sgemm_pointers"
        us = [STALLS[rung]["us"] for rung in rungs]
        for before, after, gain in ((0, 1, 1.03), (1, 2, 1)):
            self.assertAlmostEqual(us[before] / us[after], gain, delta=0.006)
            self.assertAlmostEqual(self.gain(rungs[before], rungs[after]), gain, delta=0.006)

    def test_dram_is_nearly_idle(self):
        for rung in ("sgemm_large_tile", "sgemm_banks", "sgemm_rasterized"):
            self.assertLess(STALLS[rung]["dram_percent"], 4)

    def test_sums_in_the_other_bank_halve_the_dispatch_stalls(self):
        stalls = [STALLS[rung]["stalls"]["dispatch_stall"]
                  for rung in ("sgemm_turning", "sgemm_banks")]
        self.assertLess(stalls[1], 0.6 * stalls[0])
        self.assertGreater(self.gain("sgemm_turning", "sgemm_banks"), 1.015)

    def test_more_than_nine_of_ten_instructions_are_fmas_in_the_end(self):
        for rung in ("sgemm_banks", "sgemm_rasterized", "sgemm_stream_k"):
            line = STALLS[rung]
            self.assertGreater(line["fma_percent"] / line["issue_percent"], 0.9, rung)

    def test_an_sm_has_sixteen_warps_and_then_eight(self):
        for rung, line in STALLS.items():
            if rung.startswith("sgemm_threadtile") and not rung.endswith("_column"):
                self.assertAlmostEqual(line["warps"], 16, delta=0.5, msg=rung)
        self.assertEqual(STALLS["sgemm_large_tile"]["warps"], 8)

    def test_shares_read_more_from_dram(self):
        self.assertGreater(STALLS["sgemm_stream_k"]["dram_read_bytes"],
                           2 * STALLS["sgemm_rasterized"]["dram_read_bytes"])


class Ragged(unittest.TestCase):
    def test_copies_from_misaligned_rows_take_up_to_35_percent_more_wavefronts(self):
        rows = [line for line in AGREEMENT if line["step"].startswith("12") and
                line.get("why", {}).get("shared_store") == ["misaligned_copy"]]
        factors = {(line["shape"], line["variant"]):
                   line["ncu"]["shared_store"]["wavefronts"] /
                   line["cpu"]["shared_store"]["wavefronts"] for line in rows}
        self.assertLessEqual(max(factors.values()), 1.35)
        self.assertAlmostEqual(factors["--m 260 --n 392 --k 76", "sgemm_rasterized"], 1.33, delta=0.005)


class Faults(unittest.TestCase):
    """That these tests find records which say otherwise."""

    def test_other_wavefronts_are_found(self):
        lines = [json.loads(json.dumps(line)) for line in AGREEMENT]
        for line in lines:
            if line["variant"] == "sgemm_warptile_zorder":
                line["ncu"]["shared_load"]["wavefronts"] *= 2
        changed = wavefronts_of(lines, "ncu", ["shared_load"])
        self.assertEqual(changed["sgemm_warptile_zorder"], 2 * LOADS["sgemm_warptile_zorder"])

    def test_a_kernel_that_only_adds_up_is_not_taken_for_the_main_one(self):
        lines = lines_of("stalls_h200")
        self.assertGreater(sum(line.get("rung") == "sgemm_stream_k" for line in lines), 1)
        self.assertEqual(STALLS["sgemm_stream_k"]["kernel"], "sgemm_stream_k_kernel")


if __name__ == "__main__":
    unittest.main()
