"""The map's records, pictures and texts, with none, one and two devices recorded."""

import json
import math
import pathlib
import random
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import map_figures  # noqa: E402
import map_page  # noqa: E402
import map_records  # noqa: E402
import records  # noqa: E402
import results  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {"reduce": ["n"], "gemv": ["rows", "cols"], "softmax": ["rows", "cols"],
         "transpose": ["rows", "cols"], "sgemm": ["m", "n", "k"]}


def line(operator, sizes, ratio, **more):
    """A line of a record, in which the peer takes `ratio` milliseconds and ours takes one."""
    return {"operator": operator, "shape": dict(zip(NAMES[operator], sizes)), "device": "NVIDIA H200",
            "seed": 1, "kernel": operator, "ms": 1.0, "peer": "CUB", "peer_ms": ratio,
            "status": "pass", "date": "2026-01-01", **more}


def synthetic(seed, device="NVIDIA H200", count=200):
    """Lines for all operators, log-uniform shapes and ratios around one; some of both ends."""
    draw = random.Random(seed)

    def size():
        return int(math.exp(draw.uniform(0, 14)))
    return [line(operator, [size() for _ in names], math.exp(draw.gauss(0, 0.5)), device=device)
            for operator, names in NAMES.items() for _ in range(count)]


class Maps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.paths = [pathlib.Path(folder.name) / name for name in ("first.jsonl", "second.jsonl")]

    def recorded(self, *files):
        for path, lines in zip(self.paths, files):
            path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return map_records.read_all(self.paths)

    def one(self, *lines):
        [maps] = self.recorded(lines)
        return maps[lines[0]["operator"]]


class Records(Maps):
    def test_without_files_there_is_no_map(self):
        self.assertEqual(self.recorded(), [])

    def test_the_peer_that_leaves_ours_behind_most_is_the_best(self):
        one = self.one(line("sgemm", [1, 2, 3], 1.2), line("sgemm", [1, 2, 3], 0.7, peer="cublasLt"),
                       line("sgemm", [1, 2, 4], 0.9))
        self.assertEqual([(shape.peer, shape.ratio) for shape in one.compared],
                         [("cublasLt", 0.7), ("CUB", 0.9)])
        self.assertEqual(one.peers, ["CUB", "cublasLt"])

    def test_percentiles_are_those_of_bench(self):
        """map_report.cpp: ratios[count / 2], ratios[count / 20] and ratios[0], ascending."""
        one = self.one(*(line("reduce", [i], i / 100) for i in range(1, 102)))
        self.assertEqual([one.percentile(percent) for percent in (50, 5, 0)], [0.51, 0.06, 0.01])

    def test_shapes_without_a_peer_are_counted_and_not_compared(self):
        alone = line("reduce", [9], 1.0, status="unchecked")
        del alone["peer"], alone["peer_ms"]
        one = self.one(line("reduce", [8], 1.5), alone)
        self.assertEqual((len(one.shapes), len(one.compared)), (2, 1))
        self.assertIn("1 further shape has no peer", map_page.circumstances(one))

    def test_heuristics_of_a_library_are_counted_together(self):
        peers = ["cublasLt heuristic 3", "cuBLAS gemv", "cublasLt heuristic 1"]
        one = self.one(*(line("gemv", [8, size], 1.5, peer=peer)
                         for size, peer in enumerate(peers, start=1)))
        self.assertIn("The best peer is cublasLt (heuristics 1 to 3) at 2 shapes, cuBLAS gemv at 1.",
                      map_page.circumstances(one))

    def test_lines_of_other_records_are_skipped(self):
        one = self.one(line("gemv", [8, 8], 1.5), {"step": "roofs", "median_ms": 1.0})
        self.assertEqual(len(one.shapes), 1)

    def test_what_is_no_map_is_refused(self):
        for more in ({"status": "fail"}, {"ms": 0}, {"ms": "1"}, {"peer_ms": float("nan")},
                     {"operator": "add"}, {"shape": {"n": 0}}, {"shape": {}}, {"kernel": None},
                     {"device": "NVIDIA H100"}):
            with self.subTest(more), self.assertRaises(records.Failure):
                self.recorded([line("reduce", [8], 1.5), {**line("reduce", [9], 1.5), **more}])


class Pictures(Maps):
    def drawn(self, *files):
        return map_page.pictures(self.recorded(*files))

    def test_a_picture_per_operator_and_device(self):
        self.assertEqual(self.drawn(), {})
        first = self.drawn(synthetic(1))
        self.assertEqual(list(first), [f"map-{operator}" for operator in map_records.PROGRAMS])
        both = self.drawn(synthetic(1), synthetic(2, "NVIDIA H100"))
        self.assertEqual(len(both), 2 * len(NAMES))
        self.assertIn("map-sgemm-h100", both)
        self.assertEqual({name: both[name] for name in first}, first)
        self.recorded(synthetic(1))
        self.paths[0].unlink()
        self.assertEqual(set(map_page.pictures(map_records.read_all(self.paths))), set(first),
                         "a second device alone is the first")

    def test_every_compared_shape_is_there_once_per_plane_and_inside(self):
        one = self.recorded(synthetic(3))[0]
        for operator, planes in (("reduce", 1), ("softmax", 1), ("sgemm", 2)):
            svg = map_figures.draw("map", one[operator])
            root = xml.etree.ElementTree.fromstring(svg)
            width, height = (float(root.get(side)) for side in ("width", "height"))
            shown = {}
            for path in root.iter(SVG + "path"):
                places = re.findall(r"M([\d.-]+) ([\d.-]+)", path.get("d"))
                shown[path.get("class")] = shown.get(path.get("class"), 0) + len(places)
                for x, y in places:
                    self.assertTrue(0 < float(x) < width and 0 < float(y) < height, (x, y))
            for _, kind, _ in map_figures.CLASSES:
                count = sum(map_figures.class_of(shape.ratio) == kind for shape in one[operator].compared)
                self.assertEqual(shown[kind], planes * count + 1, "and once in the legend")
            for text in root.iter(SVG + "text"):
                self.assertTrue(0 <= float(text.get("y")) <= height and
                                float(text.get("x")) <= width, text.text)

    def test_losses_lie_on_top_and_look_different_without_color(self):
        svg = map_figures.draw("map", self.one(line("reduce", [8], 0.4), line("reduce", [8000], 4.0)))
        marks = re.findall(r'<path class="(\w+)" d="M[\d. -]+([hl])', svg)
        self.assertEqual([kind for kind, _ in marks][-2:], ["better2", "worse3"])
        sizes = [map_figures.SIZES[f"worse{i}"] for i in (1, 2, 3)]
        self.assertEqual(sizes, sorted(set(sizes)))
        self.assertNotIn("better2", map_figures.SIZES)

    def test_an_axis_has_whole_powers_around_all_values(self):
        axis = map_figures.Axis([1, 1000], 0, 300)
        self.assertEqual(axis.ticks(), [(0, "1"), (100, "10"), (200, "10²"), (300, "10³")])
        self.assertEqual([text for _, text in map_figures.Axis([0.3, 1.1], 0, 9, 2).ticks()],
                         ["0.25", "0.5", "1", "2"])
        self.assertEqual(len(map_figures.Axis([7, 7], 0, 1).ticks()), 2)

    def test_a_reader_hears_the_summary_and_the_worst(self):
        svg = map_figures.draw("map", self.one(*(line("gemv", [i, 8], i / 10) for i in range(1, 21))))
        said = xml.etree.ElementTree.fromstring(svg).find(SVG + "desc").text
        self.assertIn("median 1.10, 5th percentile 0.20, worst 0.10", said)
        self.assertIn("4 shapes are less than half as fast", said)
        self.assertIn("1 × 8: 0.10", said)


class Texts(Maps):
    def section(self, *files):
        return map_page.section(map_page.named(self.recorded(*files)))

    def test_one_sentence_where_nothing_is_recorded(self):
        self.assertEqual(self.section().count("\n"), 1)
        self.assertNotIn("![", self.section())

    def test_overview_and_the_worst_ten_with_the_best_peer(self):
        text = self.section([line("softmax", [i, 3], i / 10, peer=f"peer {i % 2}")
                             for i in range(1, 31)])
        self.assertIn("| [softmax](#softmax-nvidia-h200) | H200 | 30 | 1.60 × | 0.20 × | 0.10 × | 9 |", text)
        self.assertIn("| 1 | 1 × 3 | `softmax` | 1.000 ms | peer 1 | 0.100 ms | 0.10 × |", text)
        self.assertIn("| 10 | 10 × 3 |", text)
        self.assertNotIn("| 11 |", text)
        self.assertIn("](../figures/map-softmax.svg)", text)

    def test_two_devices_have_a_row_and_a_part_each(self):
        text = self.section(synthetic(1), synthetic(2, "NVIDIA H100"))
        headings = re.findall(r"^## (.*)$", text, re.M)
        self.assertEqual(len(set(headings)), 2 * len(NAMES))
        for heading in headings:
            self.assertIn(f"(#{heading.lower().replace(',', '').replace(' ', '-')})", text)

    def test_a_chapter_names_its_worst_shape(self):
        entries = map_page.named(self.recorded([line("sgemm", [1, 2, 3], 0.25), line("sgemm", [4, 4, 4], 1)]))
        text = "".join(map_page.in_chapter("12_sgemm_warptile_zorder", entries, "../../"))
        self.assertIn("a worst of 0.25, at 1 × 2 × 3.", text.replace("\n", " "))
        self.assertIn("](../../docs/figures/map-sgemm.svg)", text)
        [link] = map_page.in_chapter("06_softmax_warp", entries, "../../")
        self.assertNotIn("![", link)
        self.assertEqual(map_page.in_chapter("01_naive_add", entries, "../../"), [])

    def test_every_mapped_program_is_one_of_the_manifest(self):
        for program in map_records.PROGRAMS.values():
            self.assertIsNotNone(records.step_of(program), program)

    def test_all_texts_come_with_any_number_of_devices(self):
        rows = records.read(results.RECORD)
        peers = records.read(results.PEERS)
        for files in ((), (synthetic(1),), (synthetic(1), synthetic(2, "NVIDIA H100"))):
            for path in self.paths:
                path.unlink(missing_ok=True)
            wanted = results.texts(rows, peers, self.recorded(*files))
            self.assertEqual(sum("map-" in path.name for path in wanted), len(files) * len(NAMES))
            self.assertEqual("Nothing is recorded yet" in wanted[results.MAP_PAGE], not files)


if __name__ == "__main__":
    unittest.main()
