#!/usr/bin/env python3
"""What the chapters conclude from ncu's records holds in docs/results/stalls_h200.jsonl."""

import json
import pathlib
import unittest

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"


def read():
    lines = (RESULTS / "stalls_h200.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line) for line in lines]


LAUNCHES = {}
for launch in read():
    LAUNCHES.setdefault(launch["rung"], []).append(launch)


def of(rung):
    """The only launch of a rung."""
    [launch] = LAUNCHES[rung]
    return launch


def first_stall(rung):
    stalls = of(rung)["stalls"]
    return max(stalls, key=stalls.get)


class Transpose(unittest.TestCase):
    MATRIX = 4 * 8192 ** 2  # bytes

    def test_strided_accesses_do_not_reach_dram(self):
        """The caches put sectors together: DRAM moves each matrix about once."""
        for rung in ("transpose_read_coalesced", "transpose_write_coalesced"):
            for way in ("dram_read_bytes", "dram_write_bytes"):
                self.assertGreater(of(rung)[way], 0.98 * self.MATRIX, rung)
                self.assertLess(of(rung)[way], 1.05 * self.MATRIX, rung)
            self.assertLess(of(rung)["dram_percent"], 30, rung)

    def test_naive_transposes_wait_for_their_strided_side(self):
        self.assertEqual(first_stall("transpose_read_coalesced"), "drain")
        self.assertEqual(first_stall("transpose_write_coalesced"), "long_scoreboard")


if __name__ == "__main__":
    unittest.main()
