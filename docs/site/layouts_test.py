#!/usr/bin/env python3
"""The two stories of product_stories.js, held to the kernels' sources: Stream-K's shares to the C++
that deals them out, compiled here, and the floats of each lane to a run on the CPU.

    layouts_test.py BUILD     a build folder of the cpu backend

Skips (exit code 77) where node is not installed.
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import lab_test

HERE = pathlib.Path(__file__).resolve().parent
STEP = HERE.parent.parent / "steps" / "12_sgemm_warptile_zorder"
NAME = "product_stories.js"
SETTINGS = 300


def source_of():
    return (HERE / NAME).read_text(encoding="utf-8")


def in_node(program, given, stories=None):
    """Applies a function of `stories` and `rules`, given as its source, to a value. `stories`: the
    source of other stories."""
    parts = [(HERE / "story_shapes.js").read_text(encoding="utf-8"), stories or source_of(),
             (HERE / "lab_rules.js").read_text(encoding="utf-8")]
    return lab_test.in_node(program, given, "\n".join(parts))


# --- Stream-K ------------------------------------------------------------------------------------

def launch_lines():
    """The lines of sgemm_stream_k_launch that say what is shared, on as many SMs as `sms` says."""
    text = (STEP / "17_sgemm_stream_k.cuh").read_text(encoding="utf-8")
    lines = re.search(r"  const int tiles = .*?  Partition partition\{.*?\n", text, re.S)[0]
    return re.sub(r"(at_once = )\w+\(\)", r"\1sms", lines)


PROGRAM = """
#include <algorithm>
#include <cstdint>
#include <cstdio>
#define __host__
#define __device__
using std::max;
using std::min;
#include "partition.cuh"
#include "tile_place.cuh"
#include "tiling.cuh"
using Tile = %s;
constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
int main() {
  int M, N, K, sms;
  while (std::scanf("%%d %%d %%d %%d", &M, &N, &K, &sms) == 4) {
%s
    std::printf("[[%%d,%%d,%%d,%%d],[", tiles, slices, partition.shared, partition.sharers);
    const int blocks = tiles - shared + sharers;
    for (int block = 0; block <= blocks; ++block) {
      std::printf("%%s%%lld", block ? "," : "", static_cast<long long>(partition.begin(block)));
    }
    std::printf("],[");
    for (int slice = 0; slice < shared * slices; ++slice) {
      std::printf("%%s%%d", slice ? "," : "", partition.sharer_of(slice));
    }
    std::printf("],[");
    for (int tile = 0; tile < tiles; ++tile) {
      const TilePlace place = tile_place<Tile>(tile, M, N);
      std::printf("%%s[%%d,%%d]", tile ? "," : "", place.own_row, place.own_col);
    }
    std::printf("]]\\n");
  }
}
"""
TOLD = """settings => settings.map(([m, n, k, sms]) => {
  const p = productStories.partitionOf({m, n, k, sms});
  const count = length => [...Array(length).keys()];
  return [[p.tiles, p.slices, p.shared, p.sharers],
    count(p.tiles - p.shared + p.sharers + 1).map(block => productStories.begin(p, block)),
    count(p.shared * p.slices).map(slice => productStories.sharerOf(p, slice)),
    count(p.tiles).map(tile => {
      const {row, col} = productStories.tilePlace(tile, {m, n});
      return [row, col];
    })];
})"""


def tile_of(name):
    return re.search(r"using Tile = (Tiling<.*?>);", (STEP / name).read_text(encoding="utf-8"))[1]


def dealt(settings):
    """Shares as the sources deal them out, for each setting."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "shares.cpp", pathlib.Path(folder) / "shares"
        source.write_text(PROGRAM % (tile_of("17_sgemm_stream_k.cuh"), launch_lines()),
                          encoding="utf-8")
        compiler = os.environ.get("CXX", "c++").split()
        subprocess.run([*compiler, "-std=c++20", "-I", STEP, source, "-o", program], check=True)
        given = "\n".join(" ".join(map(str, setting)) for setting in settings)
        done = subprocess.run([program], input=given, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Shares(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        draw = random.Random(12)
        cls.settings = [(3008, 3008, 3008, 132), (256, 256, 1, 132), (1024, 1024, 64, 8)]
        cls.settings += [(draw.randint(128, 2500), draw.randint(256, 2500), draw.randint(1, 2500),
                          draw.randint(2, 132)) for _ in range(SETTINGS)]
        cls.dealt = dealt(cls.settings)

    def test_the_sources_deal_them_out(self):
        self.assertEqual(in_node(TOLD, self.settings), self.dealt)

    def test_planted_faults_are_found(self):
        for before, after in (
                ("Math.floor(block * shared * slices / sharers)",
                 "block * Math.floor(shared * slices / sharers)"),
                ("(slice + 1) * sharers - 1", "slice * sharers"),
                ("tile % inGroup % rows) * BM", "tile % rows) * BM"),
                ("const [BM, BN, BK] = [128, 256, 16]", "const [BM, BN, BK] = [128, 128, 16]")):
            with self.subTest(after):
                text = source_of()
                self.assertEqual(text.count(before), 1)
                self.assertNotEqual(in_node(TOLD, self.settings, text.replace(before, after)),
                                    self.dealt)

    def test_every_slice_is_computed_once_on_a_free_sm(self):
        work = in_node("""settings => settings.map(([m, n, k, sms]) =>
            productStories.schedule(productStories.partitionOf({m, n, k, sms}), sms))""",
                       self.settings[:40])
        for (m, n, k, sms), (sizes, *_), parts in zip(self.settings, self.dealt, work):
            tiles, slices = sizes[:2]
            self.assertEqual(sum(part["to"] - part["from"] for part in parts), tiles * slices)
            for sm in range(sms):
                ends = [(part["from"], part["to"]) for part in parts if part["sm"] == sm]
                self.assertTrue(all(ends[i][1] == ends[i + 1][0] for i in range(len(ends) - 1)))


# --- fragments -----------------------------------------------------------------------------------

READ = """() => productStories.loads().map(load => ({...load, turns: productStories.turnsOf(load,
    labRules).length}))"""


def first_loads(build):
    """The loads of warp 0's first step of k: [{at, units}], `at` in words."""
    program = build / "steps" / STEP.name / STEP.name
    lines, _ = lab_test.run_with("accesses", [program, "--kernel", "sgemm_fragments", "--m", "128",
                                              "--n", "256", "--k", "16"])
    loads = [line for line in lines if line["type"] == "access" and line["space"] == "shared" and
             line["kind"] == "load" and line["bytes"] == 16 and line["warp"] == 0]
    return [[at // 4 for at in load["offsets"]] for load in loads]


class Fragments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.loads = first_loads(lab_test.BUILD)

    def faults(self, stories=None):
        told = in_node(READ, None, stories)
        a = [load["at"] for load in told if load["of"] == "a"]
        b = [load["at"] for load in told if load["of"] == "b"]
        # A lies first in a stage: 16 rows of 128 floats and 4 of padding; then B.
        start = 16 * (128 + 4)
        wanted = a + [[start + at for at in load] for load in b]
        base = min(self.loads[0])
        return [(one, other) for one, other in zip(self.loads[:len(wanted)], wanted)
                if [at - base for at in one] != other]

    def test_each_lane_reads_what_the_kernel_reads(self):
        self.assertGreater(len(self.loads), 6)
        self.assertEqual(self.faults(), [])

    def test_each_load_takes_two_wavefronts(self):
        """As many as step 12's claims count for the kernels in Z order."""
        self.assertEqual({load["turns"] for load in in_node(READ, None)}, {2})

    def test_planted_faults_are_found(self):
        text = source_of()
        for before, after in (("row: evenBits(lane) * 4, col: evenBits(lane >> 1) * 4",
                               "row: evenBits(lane >> 1) * 4, col: evenBits(lane) * 4"),
                              ("row + m * STEP_M", "row + m * 16")):
            self.assertEqual(text.count(before), 1)
            self.assertTrue(self.faults(text.replace(before, after)))


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("skipped, not installed: nodejs")
        sys.exit(77)
    lab_test.BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
