#!/usr/bin/env python3
"""The chapters' conclusions from ncu's records hold in docs/results/stalls_h200.jsonl, and those about
libraries in h200.jsonl."""

import json
import pathlib
import unittest

STEPS = pathlib.Path(__file__).resolve().parent
RESULTS = STEPS.parent / "docs" / "results"


def read(name):
    lines = (RESULTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


LAUNCHES = {}
for launch in read("stalls_h200")[1:]:
    LAUNCHES.setdefault(launch["rung"], []).append(launch)


def of(rung):
    """The only launch of a rung."""
    [launch] = LAUNCHES[rung]
    return launch


def first_stall(rung):
    stalls = of(rung)["stalls"]
    return max(stalls, key=stalls.get)


class Elementwise(unittest.TestCase):
    SMS = 132

    def in_flight(self, rung, bytes_of_a_warp):
        """If all warps wait for their loads."""
        return of(rung)["warps"] * bytes_of_a_warp * self.SMS

    def test_a_float_per_thread_waits_while_dram_does_not(self):
        self.assertEqual(first_stall("add"), "long_scoreboard")
        self.assertLess(of("add")["dram_percent"], 75)
        self.assertLess(of("add")["issue_percent"], 25)  # three of four slots are empty

    def test_packs_wait_because_dram_is_busy(self):
        for rung in ("add_float4", "add_async", "add_bulk"):
            self.assertEqual(first_stall(rung), "long_scoreboard")
            self.assertGreater(of(rung)["dram_percent"], 91)

    def test_little_s_law(self):
        """Packs ask for more than three times what the latency of step 01 needs."""
        def rate(rung):
            return of(rung)["dram_read_bytes"] / of(rung)["us"]
        latency = self.in_flight("add", 2 * 128) / rate("add")
        self.assertLess(latency, 1)  # µs
        self.assertGreater(self.in_flight("add_float4", 2 * 512), 3 * latency * rate("add_float4"))


class Aliasing(unittest.TestCase):
    def test_the_promise_gains_nothing_where_warps_are_many(self):
        rates = {line["pointers"]: line["gb_per_s"] for line in read("experiments_h200")
                 if line.get("experiment") == "aliasing"}
        text = (STEPS / "02_vectorized_add/further/README.md").read_text(encoding="utf-8")
        self.assertIn(f"{rates['__restrict__']:.0f} GB/s with it and {rates['may overlap']:.0f} without",
                      " ".join(text.split()))
        self.assertLess(abs(rates["__restrict__"] / rates["may overlap"] - 1), 0.02)


class Reduction(unittest.TestCase):
    def test_one_address_leaves_everything_idle(self):
        self.assertEqual(first_stall("reduce_atomic"), "drain")
        self.assertLess(of("reduce_atomic")["dram_percent"], 1)

    def test_neither_the_better_tree_nor_shuffles_gain_anything_by_themselves(self):
        times = [of(rung)["us"]
                 for rung in ("reduce_interleaved", "reduce_shared", "reduce_shuffle")]
        self.assertLess(max(times), 1.01 * min(times))
        self.assertLess(of("reduce_shared")["dram_percent"], 12)

    def test_dram_is_the_limit_from_the_grid_stride_on(self):
        percents = [of(rung)["dram_percent"]
                    for rung in ("reduce_shuffle", "reduce_shuffle_float4", "reduce_grid_stride")]
        self.assertEqual([round(one) for one in percents], [11, 40, 95])
        self.assertGreater(of("reduce_many_blocks")["dram_percent"], 95)

    def test_the_last_block_waits_at_barriers_too(self):
        two_pass = max(LAUNCHES["reduce_two_pass"], key=lambda launch: launch["us"])
        self.assertGreater(of("reduce_last_block")["stalls"]["barrier"],
                           5 * two_pass["stalls"]["barrier"])


class Transpose(unittest.TestCase):
    MATRIX = 4 * 8192 ** 2  # bytes

    def test_strided_accesses_do_not_reach_dram(self):
        """The caches put sectors together: DRAM moves each matrix about once."""
        for rung in ("transpose_read_coalesced", "transpose_write_coalesced"):
            for way in ("dram_read_bytes", "dram_write_bytes"):
                self.assertGreater(of(rung)[way], 0.98 * self.MATRIX, rung)
                self.assertLess(of(rung)[way], 1.05 * self.MATRIX, rung)
            self.assertLess(of(rung)["dram_percent"], 30, rung)

    def test_conflicts_keep_the_shared_pipe_busy(self):
        self.assertGreater(of("transpose_tile")["shared_percent"], 50)
        self.assertLess(of("transpose_tile_padded")["shared_percent"], 10)
        self.assertIn("short_scoreboard", of("transpose_tile")["stalls"])
        self.assertNotIn("short_scoreboard", of("transpose_tile_padded")["stalls"])

    def test_bytes_in_flight_make_dram_busy_and_wide_accesses_do_not(self):
        self.assertLess(of("transpose_tile_swizzled")["dram_percent"], 35)
        self.assertGreater(of("transpose_tile_in_flight")["dram_percent"], 80)
        self.assertLess(of("transpose_tile_vectorized")["issue_percent"],
                        of("transpose_tile_in_flight")["issue_percent"] / 2)
        self.assertAlmostEqual(of("transpose_tile_vectorized")["dram_percent"],
                               of("transpose_tile_in_flight")["dram_percent"], delta=2)

    def test_segments_of_transpose_cut_are_counted_as_ncu_counts_them(self):
        """Its rows that two blocks load are counted at ragged sizes, too."""
        rows = [row for row in read("agreement") if row.get("variant") == "transpose_cut"]
        self.assertEqual({row["shape"] for row in rows if row["sizes"] == "ragged"},
                         {"--rows 131 --cols 77", "--rows 515 --cols 333",
                          "--rows 1000 --cols 776"})
        for row in rows:
            self.assertEqual(row["cpu"], row["ncu"], row["shape"])

    def test_naive_transposes_wait_for_their_strided_side(self):
        self.assertEqual(first_stall("transpose_read_coalesced"), "drain")
        self.assertEqual(first_stall("transpose_write_coalesced"), "long_scoreboard")


class Softmax(unittest.TestCase):
    MATRIX = 4 * 32768 * 1024  # bytes

    def reads(self, rung):
        """How often x came from DRAM."""
        return of(rung)["dram_read_bytes"] / self.MATRIX

    def test_rereads_mostly_hit_a_cache(self):
        self.assertGreater(self.reads("softmax_naive"), 3)
        for rung in ("softmax_warp_shared", "softmax_warp_shuffle"):  # three loads per element
            self.assertAlmostEqual(self.reads(rung), 1.19, delta=0.02)
        for rung in ("softmax_block_reread", "softmax_online_scalar", "softmax_online",
                     "softmax_warp_cached", "softmax_warp_float4"):
            self.assertAlmostEqual(self.reads(rung), 1, delta=0.01)

    def test_the_row_in_registers_saves_instructions_and_leaves_dram_the_limit(self):
        self.assertLess(of("softmax_warp_cached")["issue_percent"],
                        0.6 * of("softmax_warp_shuffle")["issue_percent"])
        self.assertGreater(of("softmax_warp_cached")["dram_percent"], 80)
        self.assertGreater(of("softmax_online_merged")["issue_percent"], 75)
        self.assertLess(of("softmax_online_merged")["dram_percent"], 25)


class Gemv(unittest.TestCase):
    def test_the_unrolled_loop_costs_registers_and_warps(self):
        narrow, wide, ahead = map(of, ("gemv_warp", "gemv_warp_streaming", "gemv_warp_ahead"))
        self.assertEqual(wide["registers"], of("gemv_warp_float4")["registers"])
        self.assertGreater(wide["registers"], 1.5 * narrow["registers"])
        self.assertGreater(wide["registers"], 1.5 * ahead["registers"])
        for other in (narrow, ahead):
            self.assertGreater(other["warps"], 1.5 * wide["warps"])
            self.assertLess(other["us"], wide["us"])

    def test_the_matrix_comes_from_dram_once(self):
        for rung in ("gemv_warp", "gemv_warp_float4", "gemv_warp_ahead", "gemv_block"):
            self.assertAlmostEqual(of(rung)["dram_read_bytes"] / (4 * 16384 ** 2), 1, delta=0.001)


class Peers(unittest.TestCase):
    """Products are compared with the fastest kernel of the library, whoever proposes it."""

    RUNS = [line for line in read("h200") if line["variant"] == "sgemm_tuned"]

    def of_size(self, *size):
        runs = [run for run in self.RUNS if tuple(run["shape"].values()) == size]
        self.assertGreater(len(runs), 1)
        return runs

    def test_the_librarys_own_choice_is_not_always_the_fastest(self):
        for size in ((1024,) * 3, (8192, 256, 8192), (4097, 4095, 4099)):
            for run in self.of_size(*size):
                self.assertRegex(run["baseline"], r"^cublasLt heuristic [2-9]$")

    def test_the_lead_is_over_the_fastest(self):
        # The library's fastest kernel takes at most so many milliseconds, however fast ours is.
        for size, most in (((1024,) * 3, 0.061), ((4096,) * 3, 2.72), ((8192, 256, 8192), 0.681)):
            for run in self.of_size(*size):
                self.assertLess(run["baseline_ms"], most)


if __name__ == "__main__":
    unittest.main()
