"""Programs with one race each, and right ones that look like them, under racecheck: what is found
does not depend on the order in which threads and blocks happen to run."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from reports import too_wide, unwrapped  # noqa: E402

CUCPU = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parent / "races.cu"
ENVIRONMENTS = (
    {"CUCPU_ORDER": "ascending", "CUCPU_THREADS": "1"},
    {"CUCPU_ORDER": "ascending", "CUCPU_THREADS": "3"},
    {"CUCPU_ORDER": "descending", "CUCPU_THREADS": "3"},
    {"CUCPU_ORDER": "random:1", "CUCPU_THREADS": "1"},
    {"CUCPU_ORDER": "random:2", "CUCPU_THREADS": "3"},
)

THREADS = 64
BLOCKS = 12
WARP = "a __syncwarp() is missing between the two"
BARRIER = "A __syncthreads() is missing between the two"
IN_LINE = ", or an atomic function"
COPY = "One is an asynchronous copy that its thread has not waited for"
BLOCK_ORDER = "Blocks run in any order, unless a __threadfence() and an atomic tell one of the other"
BLOCKS_IN_LINE = "Blocks run in any order: an atomic function is missing, or a grid.sync()"
VOLATILE = "A volatile access orders nothing: write after a __threadfence(), or atomically"
SAME = "Both write the same value"

NOTICED = "The value read may be out of date; the atomicCAS() that follows notices that"

WRITE_READ = ("Write", "Read")
WRITES = ("Write", "Write")

Race = collections.namedtuple("Race", "accesses hazards says severity", defaults=["error"])

# Case: the races, in any order. A hazard is a word of memory; a word of shared memory counts in
# each block and between each two barriers. The missing order that a report names must reach as far
# as any two threads that race are apart.
RACES = {
    "no_barrier": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "no_second_barrier": [Race(WRITE_READ, 2 * THREADS * BLOCKS, BARRIER)],
    "overwritten_in_next_phase": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "tree_without_barriers": [Race(WRITE_READ, 31 * BLOCKS, WARP + IN_LINE)],
    "tree_of_two_warps": [Race(WRITE_READ, 63 * BLOCKS, BARRIER + IN_LINE)],
    "reset_early": [Race(WRITE_READ, BLOCKS, BARRIER)],
    "one_buffer_for_two": [Race(WRITE_READ, 2 * BLOCKS, BARRIER)],
    "exits_after_write": [Race(WRITE_READ, BLOCKS, BARRIER)],
    "overlapping_bytes": [Race(WRITES, THREADS // 4 * BLOCKS, WARP)],
    "vector_and_scalar": [Race(WRITE_READ, (THREADS - 1) * BLOCKS, BARRIER)],
    "atomic_and_plain": [Race(("Atomic", "Read"), BLOCKS, BARRIER)],
    "reset_late": [Race(("Write", "Atomic"), BLOCKS, WARP)],
    "different_values": [Race(WRITES, BLOCKS, BARRIER)],
    "nearly_same_values": [Race(WRITES, BLOCKS, BARRIER)],
    "three_writes": [Race(WRITES, BLOCKS, BARRIER)] * 3,
    "same_value": [Race(WRITES, BLOCKS, SAME, "warning")],
    "in_global_memory": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "no_syncwarp": [Race(WRITE_READ, THREADS * BLOCKS, WARP)],
    "one_lane_writes": [Race(WRITE_READ, 2 * BLOCKS, WARP)],
    "shuffle_is_no_barrier": [Race(WRITE_READ, THREADS * BLOCKS, WARP)],
    "volatile_is_no_barrier": [Race(WRITE_READ, THREADS * BLOCKS, WARP)],
    "syncwarp_of_half": [Race(WRITE_READ, THREADS * BLOCKS, WARP)],
    "third_reader": [Race(WRITE_READ, BLOCKS, WARP)],
    "tiles_are_apart": [Race(WRITE_READ, THREADS * BLOCKS, WARP)],
    "block_needs_more_than_warps": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "reads_before_wait": [Race(WRITE_READ, THREADS * BLOCKS, COPY)],
    "barrier_but_no_wait": [Race(WRITE_READ, THREADS * BLOCKS, COPY)],
    "wait_but_no_barrier": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "copies_over_what_is_read": [Race(WRITE_READ, THREADS * BLOCKS, BARRIER)],
    "waits_for_too_few": [Race(WRITE_READ, THREADS * BLOCKS, COPY)],
    "copied_twice": [Race(WRITES, BLOCKS, BARRIER)],
    "plain_counter": [Race(WRITE_READ, 1, BLOCKS_IN_LINE), Race(WRITES, 1, BLOCKS_IN_LINE)],
    "plain_sum": [Race(WRITE_READ, 1, BLOCKS_IN_LINE), Race(WRITES, 1, BLOCKS_IN_LINE)],
    "blocks_write_differently": [Race(WRITES, 1, BLOCKS_IN_LINE)],
    "blocks_write_the_same": [Race(WRITES, 1, SAME, "warning")],
    "reads_next_block": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER)],
    "atomic_and_plain_read": [Race(("Atomic", "Read"), 1, BLOCK_ORDER)],
    "in_device_variable": [Race(WRITES, 1, BLOCKS_IN_LINE)],
    "last_block_no_fence": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER)],
    "last_block_late_fence": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER)],
    "last_block_small_fence": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER)],
    "fence_of_one": [Race(WRITE_READ, (THREADS - 1) * (BLOCKS - 1), BLOCK_ORDER)],
    # The later blocks raise their flags after the fence by which they have learned of the one before.
    "flag_without_fence": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER),
                           Race(WRITE_READ, 1, VOLATILE)],
    # Neither the flag nor what it stands for.
    "plain_flag": [Race(WRITE_READ, BLOCKS - 1, BLOCK_ORDER)] * 2,
    "guide_maximum": [Race(("Atomic", "Read"), 1, NOTICED, "warning")],
    "swap_and_plain_read": [Race(("Atomic", "Read"), 1, BLOCK_ORDER)],
    "plain_store_and_failed_swap": [Race(("Write", "Atomic"), 1, BLOCK_ORDER)],
    "no_grid_sync": [Race(WRITE_READ, 2 * THREADS, BLOCK_ORDER)],
}
RIGHT = (
    "tree", "warp_tree", "shuffles", "double_buffer", "padded_transpose", "histogram",
    "flag_before_barrier", "counting_barriers", "tiles", "coalesced", "masked_syncwarp",
    "neighbouring_bytes", "vectors", "exits_early", "scratch_in_global_memory", "in_place",
    "pipelined", "pipeline_of_block", "odd_copy", "atomics_everywhere", "failed_swaps",
    "critical_section", "last_warp", "volatile_words", "last_block", "last_block_met", "all_fence",
    "look_back_volatile", "look_back_atomic", "with_grid_sync", "one_launch_after_the_other",
)

REPORT = re.compile(
    r"========= (Error|Warning): Race reported between (\w+) access at \S+ in (\S+):(\d+)\n"
    r"=========     and (\w+) access at \S+ in (\S+):(\d+) \[(\d+) hazards?\]\n"
    r"=========     on __(shared|global)__ memory, by thread \([\d,]+\)(?: in block \([\d,]+\))? and "
    r"thread \([\d,]+\) in block \([\d,]+\)\n"
    r"=========     (.+)\n")


def lines_of(case):
    """The lines whose comment names the case."""
    comment = re.compile(rf"// .*\b{case}\b")
    lines = SOURCE.read_text().splitlines()
    return [i for i, line in enumerate(lines, 1) if comment.search(line)]


class Races(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([CUCPU, SOURCE, "-o", cls.path / "races"], check=True, timeout=200)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_case(self, case, tools="racecheck", **environment):
        """The exit code, what is said, and the findings."""
        output = self.path / "findings.jsonl"
        ran = subprocess.run(
            [self.path / "races", case], capture_output=True, text=True, timeout=60,
            env={**os.environ, "CUCPU_TOOLS": tools, "CUCPU_JSON": str(output), **environment})
        self.assertEqual(ran.stdout, "cudaSuccess\n", ran.stderr)
        self.assertEqual(too_wide(ran.stderr), [])
        said = unwrapped(ran.stderr)
        return ran.returncode, said, [json.loads(f) for f in output.read_text().splitlines()]

    def check(self, case, races, **environment):
        code, said, findings = self.run_case(case, **environment)
        lines = lines_of(case)
        errors = sum(race.severity == "error" for race in races)
        self.assertEqual(code, errors > 0, said)
        self.assertIn(f"RACECHECK SUMMARY: {len(races)} hazard", said)
        self.assertTrue(said.endswith(f"ERROR SUMMARY: {errors} error{'s' * (errors != 1)}\n"), said)
        for finding in findings:
            self.assertEqual((finding["tool"], finding["kind"]), ("racecheck", "race"))
            self.assertEqual(pathlib.Path(finding["file"]).name, SOURCE.name)
            self.assertIn(finding["line"], lines)
            self.assertIn(finding["other_line"], lines)
        said_of = [Race((first, second), int(hazards), says, severity.lower())
                   for severity, first, _, _, second, _, _, hazards, _, says in REPORT.findall(said)]
        severities = {"finding": "error", "warning": "warning"}
        shown = [(f["line"], f["other_line"], f["count"], severities[f["type"]]) for f in findings]
        self.assertEqual(shown, [(int(line), int(other), int(count), severity.lower())
                                 for severity, _, _, line, _, _, other, count, _, _
                                 in REPORT.findall(said)])
        for race in races:
            self.assertTrue(
                any(s[:2] == race[:2] and s.severity == race.severity and race.says in s.says
                    for s in said_of), f"{race} expected in {said}")
        self.assertEqual(len(said_of), len(races), said)

    def test_races_are_found(self):
        for case, races in RACES.items():
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    self.check(case, races, **environment)

    def test_right_programs(self):
        for case in RIGHT:
            for environment in ENVIRONMENTS:
                with self.subTest(case=case, **environment):
                    code, said, findings = self.run_case(case, **environment)
                    self.assertEqual((code, findings), (0, []), said)

    def test_right_programs_under_all_tools(self):
        for case in RIGHT:
            with self.subTest(case=case):
                code, said, _ = self.run_case(case, tools="all")
                self.assertEqual(code, 0, said)

    def test_other_tools_find_no_races(self):
        for case in RACES:
            with self.subTest(case=case):
                code, said, findings = self.run_case(case, tools="memcheck,synccheck",
                                                     CUCPU_ORDER="descending")
                self.assertEqual((code, findings), (0, []), said)

    def test_launches_after_late_blocks(self):
        """The checker's locks are not lost with a block that ends late."""
        program = self.path / "late_blocks"
        source = SOURCE.with_name("late_blocks.cu")
        subprocess.run([CUCPU, "-O2", source, "-o", program], check=True, timeout=200)
        ran = subprocess.run(
            [program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120,
            env={**os.environ, "CUCPU_TOOLS": "racecheck", "CUCPU_THREADS": "8",
                 "CUCPU_TIMEOUT": "1"})
        self.assertEqual(set(ran.stdout.splitlines()), {"cudaErrorLaunchTimeout cudaSuccess"})

    def test_cases_are_complete(self):
        text = SOURCE.read_text()
        named = re.findall(r'CASE\(\w+, (\w+)\)|^    \{"(\w+)"', text[text.index("kCases"):], re.M)
        self.assertEqual(sorted(a or b for a, b in named), sorted([*RACES, *RIGHT]))
        for case in RACES:
            self.assertTrue(lines_of(case), case)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
