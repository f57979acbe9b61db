"""Drawings of kernels of many kinds: what the page says is what their sources promise, and Chromium
shows it without an error.

    drawing_test.py CUCPU [TEST...]

A line of kernels/*.cu that accesses memory says so, or the line before it does:

    out[i] = in[i];  // draws: global load 32:125, global store 32:125

which are 32 requests of 125 sectors together; of shared memory it is wavefronts. `any` is any
number.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = sorted((HERE / "kernels").glob("*.cu"))
NODE_MODULES = HERE.parents[3] / "docs" / "test" / "node_modules"
CUCPU = str(pathlib.Path(sys.argv[1]).resolve())

NO_PROGRAM = 77
MOST_BYTES = 4 << 20  # of a page
SHOWN = 8  # blocks of a launch, at most

PROMISE = re.compile(r"// draws: (.*)$")
TEMPLATE = re.compile(r'<template id="picture-(\d+)">(.*?)</template>', re.S)
FIGURE = re.compile(r"<figure>(.*?)</figure>", re.S)


def promises_of(source):
    """{(line, space, verb): (requests, units or None)}"""
    promised = {}
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        match = PROMISE.search(line)
        if not match:
            continue
        at = number + 1 if line.strip().startswith("//") else number
        for one in match[1].split(", "):
            space, verb, requests, units = re.fullmatch(
                r"(\w+) (\w+) (\d+):(\d+|any)", one).groups()
            promised[at, space, verb] = (int(requests), None if units == "any" else int(units))
    return promised


class Page:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.data = json.loads(re.search(r'id="data">(.*?)</script>', self.text, re.S)[1])
        self.pictures = {int(number): svg for number, svg in TEMPLATE.findall(self.text)}

    def accesses(self):
        """(launch, line, access) of all."""
        for launch in self.data["launches"]:
            for line in launch["lines"]:
                for access in line["accesses"]:
                    yield launch, line, access


def verb_of(access):
    return re.match(r"(?:copy: )?(load|store|atomic)", access["name"])[1]


def for_each_kernel(test):
    def run(self):
        for source in KERNELS:
            with self.subTest(kernel=source.stem):
                test(self, source, self.pages[source.stem])
    return run


class Drawings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.pages = {}
        for source in KERNELS:
            program, page = cls.folder / source.stem, cls.folder / f"{source.stem}.html"
            subprocess.run([CUCPU, str(source), "-o", str(program)], check=True, timeout=120)
            done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "CUCPU_DRAW": str(page)})
            if (done.returncode, done.stdout, done.stderr) != (0, "", ""):
                raise AssertionError(f"{source.stem}: {done}")
            cls.pages[source.stem] = Page(page)

    def test_there_are_twenty(self):
        self.assertGreaterEqual(len(KERNELS), 20)

    @for_each_kernel
    def test_counts_by_line(self, source, page):
        counted = {}
        for _, line, access in page.accesses():
            key = line["line"], access["space"], verb_of(access)
            self.assertNotIn(key, counted)
            counted[key] = access["requests"], access["units"]
        promised = promises_of(source)
        self.assertEqual(counted.keys(), promised.keys())
        for key, (requests, units) in promised.items():
            self.assertEqual(counted[key][0], requests, key)
            if units is not None:
                self.assertEqual(counted[key][1], units, key)

    @for_each_kernel
    def test_files(self, source, page):
        for _, line, access in page.accesses():
            file = page.data["files"][line["file"]]
            self.assertEqual(pathlib.Path(file["name"]).name, source.name)
            known = dict(map(tuple, file["lines"]))
            written = source.read_text(encoding="utf-8").splitlines()
            self.assertEqual(known[line["line"]], written[line["line"] - 1])

    @for_each_kernel
    def test_patterns_add_up(self, _, page):
        for _, line, access in page.accesses():
            counts = sum(count for _, count, *_ in access["patterns"])
            self.assertEqual(counts + access["left_out"], access["requests"], line)
            if access["left_out"] == 0:
                units = sum(count * each for _, count, *_, each in access["patterns"])
                self.assertEqual(units, access["units"], line)

    @for_each_kernel
    def test_turns_are_what_is_counted(self, _, page):
        for _, line, access in page.accesses():
            for picture, *_, units in access["patterns"]:
                if picture < 0:
                    continue
                svg = page.pictures[picture]
                turns = [int(turn) for turns in re.findall(r'data-t="([\d ]+)"', svg)
                         for turn in turns.split()]
                self.assertEqual(int(re.search(r'data-turns="(\d+)"', svg)[1]), units, line)
                # A turn that takes two wavefronts has the number of its first.
                is_twice = page.path.stem == "shared_loops" and verb_of(access) == "atomic"
                length = 2 if is_twice else 1
                self.assertEqual(sorted(set(turns)), list(range(0, units, length)), line)

    def test_pictures_have_the_lanes(self):
        """A guarded copy's last warp has eight; each lane of a float4 has four words."""
        def words(page, number):
            return re.findall(r'<g class="word" data-l="([\d ]+)"', page.pictures[number])
        copies = {len(words(self.pages["copy"], number)) for number in self.pages["copy"].pictures}
        self.assertEqual(copies, {8, 32})
        lanes = collections.Counter(words(self.pages["float4s"], 0))
        self.assertEqual(lanes, {str(lane): 4 for lane in range(32)})
        self.assertEqual(words(self.pages["chars"], 0)[0], "0 1 2 3")

    @for_each_kernel
    def test_shown_blocks_are_whole(self, _, page):
        for launch in page.data["launches"]:
            blocks = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
            shown = launch["blocks"]
            self.assertLessEqual(len(shown), SHOWN)
            self.assertEqual(shown[0]["block"], 0)
            self.assertEqual(shown[-1]["block"], blocks - 1)
            requests = collections.Counter()
            for warp in (warp for block in shown for warp in block["warps"]):
                self.assertEqual(len(warp) % 5, 1)
                requests.update(zip(warp[1::5], warp[2::5]))
            if len(shown) < blocks:
                continue
            all_of_them = {(i, j): access["requests"] for i, line in enumerate(launch["lines"])
                           for j, access in enumerate(line["accesses"])}
            self.assertEqual(requests, all_of_them)

    def test_launches(self):
        several = self.pages["several"].data["launches"]
        self.assertEqual([(one["kernel"], one["times"]) for one in several],
                         [("first", 1), ("second", 3)])
        self.assertEqual(self.pages["several"].data["costliest"], 1)
        empty = self.pages["empty"].data["launches"]
        self.assertEqual([(one["kernel"], one["grid"], one["lines"]) for one in empty],
                         [("nothing", [8, 1, 1], [])])

    def test_shared_memory_begins_at_bank_0(self):
        """Wherever the host has put it."""
        for name in ("tile_conflicts", "dynamic_shared"):
            page = self.pages[name]
            access = next(access for _, _, access in page.accesses()
                          if access["space"] == "shared" and verb_of(access) == "load")
            picture, _, block, warp, memory, offset, _ = access["patterns"][0]
            self.assertEqual((block, warp, offset), (0, 0, 0))
            self.assertEqual(memory, -2 if name == "tile_conflicts" else -3)
            first = re.search(r'<g class="word" data-l="0" data-t="\d+"><rect x="(\d+)"',
                              page.pictures[picture])
            self.assertEqual(int(first[1]), 76)

    @for_each_kernel
    def test_it_needs_no_other_host(self, _, page):
        self.assertNotRegex(page.text, r'(?:src|href)="(?!#)|url\(|@import|https?://')
        self.assertIn("default-src 'none'", page.text)

    @for_each_kernel
    def test_bounds(self, _, page):
        self.assertLess(page.path.stat().st_size, MOST_BYTES)

    @for_each_kernel
    def test_pictures_without_scripts(self, source, page):
        figures = FIGURE.findall(page.text)
        lines = len(promises_of(source))
        self.assertEqual(len(figures), min(lines, 12))
        costs = [access["units"] for _, _, access in page.accesses()]
        if figures and source.stem != "several":
            costliest = max(page.accesses(), key=lambda one: one[2]["units"])
            self.assertIn(f":{costliest[1]['line']}</b>", figures[0])
            self.assertIn("<svg", figures[0])
            self.assertEqual(costliest[2]["units"], max(costs))

    def test_in_chromium(self):
        if shutil.which("node") is None or not NODE_MODULES.exists():
            self.skipTest("needs node, and `npm ci --prefix docs/test`")
        done = subprocess.run(["node", str(HERE / "in_chromium.mjs"), str(self.folder)],
                              capture_output=True, text=True, timeout=600)
        if done.returncode == NO_PROGRAM:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Requests(unittest.TestCase):
    """How a drawing is asked for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "program"
        subprocess.run([CUCPU, str(HERE / "kernels" / "several.cu"), "-o", str(self.program)],
                       check=True, timeout=120)

    def run_it(self, **environment):
        return subprocess.run([str(self.program)], capture_output=True, text=True, timeout=60,
                              cwd=self.folder, env={**os.environ, **environment})

    def test_with_other_tools(self):
        done = self.run_it(CUCPU_DRAW="out.html", CUCPU_TOOLS="counters,memcheck,racecheck")
        self.assertEqual(done.returncode, 0)
        self.assertIn("second", done.stderr)
        self.assertEqual(len(Page(self.folder / "out.html").data["launches"]), 2)

    def test_where_nothing_can_be_written(self):
        done = self.run_it(CUCPU_DRAW="missing/out.html")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "error: CUCPU_DRAW=missing/out.html: cannot be written\n")

    def test_an_empty_name_draws_nothing(self):
        done = self.run_it(CUCPU_DRAW="")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
