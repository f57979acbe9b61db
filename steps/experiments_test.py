#!/usr/bin/env python3
"""The experiments predict from addresses what the counters count.

    experiments_test.py FOLDER   (build/steps)
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPS = pathlib.Path(sys.argv[1])


def run(program, *options):
    """Its predictions, and the counted launches, in order."""
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder) / "found.jsonl"
        done = subprocess.run(
            [f"{STEPS / program}.traced", "--json", *options], capture_output=True, text=True,
            timeout=120, check=True,
            env={**os.environ, "CUCPU_TOOLS": "counters", "CUCPU_JSON": str(found)})
        predictions = [json.loads(line) for line in done.stdout.splitlines()]
        return predictions, [json.loads(line) for line in found.read_text().splitlines()]


class StridedCopy(unittest.TestCase):
    def test_sectors(self):
        rows, launches = run("07_transpose_naive/strided_copy", "--n", "2048")
        loads = [launch["counters"] for launch in launches
                 if launch["kernel"] == "strided_load_kernel"]
        stores = [launch["counters"] for launch in launches
                  if launch["kernel"] == "strided_store_kernel"]
        self.assertEqual([row["stride"] for row in rows], list(range(1, 33)))
        self.assertEqual((len(loads), len(stores)), (32, 32))
        for row, load, store in zip(rows, loads, stores):
            sectors = min(4 * row["stride"], 32)
            self.assertEqual(row["predicted_sectors_per_request"], sectors, row)
            self.assertEqual(load["global_load"]["sectors_per_request"], sectors, row)
            self.assertEqual(load["global_store"]["sectors_per_request"], 4, row)
            self.assertEqual(store["global_store"]["sectors_per_request"], sectors, row)
            self.assertEqual(store["global_load"]["sectors_per_request"], 4, row)


class BankStride(unittest.TestCase):
    def test_wavefronts(self):
        rows, launches = run("08_transpose_shared/bank_stride")
        self.assertEqual(len(rows), 33 + 17 + 9)
        self.assertEqual(len(launches), len(rows))
        for row, launch in zip(rows, launches):
            loads = launch["counters"]["shared_load"]
            predicted = row["predicted_wavefronts_per_request"]
            # A broadcast: two groups of lanes at once, which the prediction leaves out.
            if row["stride_words"] == 0 and row["bytes_per_thread"] > 4:
                predicted /= 2
            self.assertEqual(loads["bytes"], row["bytes_per_thread"] * loads["threads"], row)
            self.assertEqual(loads["wavefronts"], predicted * loads["requests"], row)

    def test_rule_for_words(self):
        rows, _ = run("08_transpose_shared/bank_stride")
        words = {row["stride_words"]: row["predicted_wavefronts_per_request"]
                 for row in rows if row["bytes_per_thread"] == 4}
        self.assertEqual(words.pop(0), 1)
        self.assertEqual(words, {stride: math.gcd(stride, 32) for stride in range(1, 33)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
