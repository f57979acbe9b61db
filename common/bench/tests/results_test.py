"""Pictures and tables of records: what they show, and that nothing recorded can break them."""

import contextlib
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import figures  # noqa: E402
import records  # noqa: E402
import results  # noqa: E402
import generated  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def line(step, variant, shape, median_ms, **more):
    """A line of a record: 4 GB per launch, below a roof of 5000 GB/s."""
    fields = {"step": step, "variant": variant, "device": "GPU", "shape": shape, "status": "pass",
              "median_ms": median_ms, "min_ms": 0.9 * median_ms, "max_ms": 1.2 * median_ms,
              "repeats": 20, "bytes": 4_000_000_000, "flops": 1_000_000_000, "driver": "13.0",
              "toolkit": "13.0", "date": "2026-01-01", "baseline": "CUB", "baseline_ms": 1.0,
              "roof_gb_per_s": 5000, "roof_at_size_gb_per_s": 4900, "gb_per_s": 4000 / median_ms}
    return {**fields, **more}


def product(step, variant, size, median_ms):
    fields = line(step, variant, {"m": size, "n": size, "k": size}, median_ms, flops=40_000_000_000,
                  roof_gflop_per_s=60000, gflop_per_s=40000 / median_ms)
    return {key: value for key, value in fields.items() if "gb_per_s" not in key}


def sums():
    """A chapter of two steps; the last variant is measured at three sizes. The record has another
    order than the manifest."""
    return [line("05_reduce_warp_shuffle", "reduce_shuffle", {"n": 2**28}, 2.0),
            line("03_reduce_atomic", "reduce_atomic", {"n": 2**28}, 400.0),
            line("05_reduce_warp_shuffle", "reduce_shuffle_float4", {"n": 2**20}, 4.0),
            line("05_reduce_warp_shuffle", "reduce_shuffle_float4", {"n": 2**28}, 0.9),
            line("05_reduce_warp_shuffle", "reduce_shuffle_float4", {"n": 1000003}, 8.0)]


def rows_of(*lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "record.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return records.read(path)


def texts_of(svg):
    return [element.text for element in xml.etree.ElementTree.fromstring(svg).iter(SVG + "text")]


class Records(unittest.TestCase):
    def test_the_middle_one_of_several_runs_counts(self):
        [row] = rows_of(*(line("05_reduce_warp_shuffle", "v", {"n": 8}, ms, run=run)
                          for run, ms in enumerate((3.0, 1.0, 2.0), start=1)))
        self.assertEqual((row.median_ms, row.run, row.runs), (2.0, 3, 3))
        [row] = rows_of(*(line("05_reduce_warp_shuffle", "v", {"n": 8}, ms, run=run)
                          for run, ms in enumerate((3.0, 1.0, 4.0, 2.0))))
        self.assertEqual((row.median_ms, row.runs), (3.0, 4), "of two the slower")

    def test_what_is_no_measurement_is_refused(self):
        for more in ({"status": "fail"}, {"measuring_error": "the clock fell"}):
            with self.assertRaises(records.Failure):
                rows_of(line("05_reduce_warp_shuffle", "v", {"n": 8}, 1.0, **more))

    def test_runs_that_were_put_together_by_hand_are_refused(self):
        with self.assertRaises(records.Failure):
            rows_of(*[line("05_reduce_warp_shuffle", "v", {"n": 8}, ms, run=1) for ms in (1.0, 2.0)])

    def test_ladder_and_finals(self):
        rows = records.of_chapter(rows_of(*sums()), "reduction")
        self.assertEqual([row.variant for row in records.ladder(rows)],
                         ["reduce_atomic", "reduce_shuffle", "reduce_shuffle_float4"])
        self.assertEqual([(row.variant, row.sizes) for row in records.finals(rows)],
                         [("reduce_shuffle_float4", size) for size in ((1000003,), (2**20,), (2**28,))])

    def test_a_gain_is_over_the_rung_that_it_grows_from_at_the_same_size(self):
        first, naive, *more = rows_of(*sums())
        wide = {row.sizes: row for row in more}[2**28,]
        rows = [naive, wide, first]
        self.assertIs(records.before(wide, rows), first)
        self.assertIsNone(records.before(wide, [naive, wide]), "it is not recorded")
        self.assertIsNone(records.before(naive, rows), "it grows from none")
        self.assertIsNone(records.before({row.sizes: row for row in more}[2**20,], rows))

    def test_the_later_of_two_that_are_as_fast_is_the_best(self):
        rows = rows_of(line("05_reduce_warp_shuffle", "first", {"n": 8}, 1.0),
                       line("05_reduce_warp_shuffle", "second", {"n": 8}, 1.005),
                       line("05_reduce_warp_shuffle", "third", {"n": 8}, 1.1))
        self.assertEqual(records.best(rows).variant, "second")

    def test_library_rate(self):
        [row] = rows_of(line("05_reduce_warp_shuffle", "v", {"n": 8}, 2.0))
        self.assertEqual((row.rate, row.library_rate), (2000, 4000))

    def test_a_product_has_a_rate_without_a_roof(self):
        fields = product("09_sgemm_naive", "v", 4096, 2.0)
        del fields["roof_gflop_per_s"]
        [row] = rows_of(fields)
        self.assertEqual((row.rate, row.limited_by_arithmetic), (20000, True))

    def test_sizes(self):
        for sizes, text in (((2**28,), "2^28"), ((1000,), "1000"), ((8192, 8192), "8192²"),
                            ((1, 2, 1), "1 × 2 × 1"), ((4096,) * 3, "4096³")):
            self.assertEqual(records.size_text(sizes), text)


class Pictures(unittest.TestCase):
    def drawn(self):
        rows = rows_of(*sums(), product("12_sgemm_warptile_zorder", "tuned", 4096, 1.0),
                       line("08_transpose_shared", "tile", {"rows": 8192, "cols": 8192}, 1.0, flops=0))
        sum_rows = records.of_chapter(rows, "reduction")
        ladders = {chapter: records.ladder(records.of_chapter(rows, chapter))
                   for chapter in ("reduction", "sgemm", "transpose")}
        finals = records.finals(sum_rows)
        peers = rows_of(line("05_reduce_warp_shuffle", "reduce_shuffle_float4", {"n": 2**20}, 9.0, baseline="peer",
                             baseline_ms=2.0))
        return {"ladder": figures.ladder("reduction", ladders["reduction"], finals),
                "product": figures.ladder("sgemm", ladders["sgemm"], ladders["sgemm"]),
                "sizes": figures.sizes("reduction", finals, peers),
                "roofline": figures.roofline(ladders)}

    def test_the_same_records_give_the_same_pictures(self):
        self.assertEqual(self.drawn(), self.drawn())

    def test_all_is_inside_and_large_enough(self):
        for name, svg in self.drawn().items():
            with self.subTest(name):
                root = xml.etree.ElementTree.fromstring(svg)
                width, height = float(root.get("width")), float(root.get("height"))
                self.assertLessEqual(width, 640)
                for size in re.findall(r"font: (\d+)px", svg):
                    self.assertGreaterEqual(int(size), 12)
                for element in root.iter():
                    for attribute, most in (("x", width), ("x1", width), ("x2", width),
                                            ("cx", width), ("y", height), ("y1", height),
                                            ("y2", height), ("cy", height)):
                        if element.get(attribute) is not None:
                            self.assertGreaterEqual(float(element.get(attribute)), 0)
                            self.assertLessEqual(float(element.get(attribute)), most)

    def test_they_can_be_read_aloud_and_in_the_dark(self):
        for svg in self.drawn().values():
            root = xml.etree.ElementTree.fromstring(svg)
            ids = [root.find(SVG + tag).get("id") for tag in ("title", "desc")]
            self.assertEqual(root.get("aria-labelledby").split(), ids)
            self.assertEqual(root.get("role"), "img")
            self.assertIn("prefers-color-scheme: dark", svg)

    def test_a_ladder_shows_every_variant_the_library_and_the_roof(self):
        svg = self.drawn()["ladder"]
        texts = texts_of(svg)
        for text in ("03 reduce_atomic", "05 reduce_shuffle", "05 reduce_shuffle_float4", "2.22 ×", "10 GB/s", "4444 GB/s",
                     "roof (read), 5000 GB/s", "CUB, 4000 GB/s"):
            self.assertIn(text, texts)
        self.assertEqual(svg.count('<rect class="bar"'), 2)
        self.assertEqual(svg.count('<rect class="best"'), 1)

    def test_bars_and_lines_share_a_linear_axis_from_0(self):
        root = xml.etree.ElementTree.fromstring(self.drawn()["ladder"])
        bars = [element for element in root.iter(SVG + "rect") if element.get("class") != "paper"]
        lengths = [float(bar.get("width")) for bar in bars]
        for length, rate in zip(lengths, (10, 2000, 4444.4)):
            self.assertAlmostEqual(length / lengths[1], rate / 2000, delta=0.01)
        roof = [line for line in root.iter(SVG + "line") if line.get("class") == "roof"][-1]
        length = float(roof.get("x1")) - float(bars[0].get("x"))
        self.assertAlmostEqual(length / lengths[1], 5000 / 2000, delta=0.01)

    def test_of_library_and_peers_the_fastest_is_shown(self):
        svg = self.drawn()["sizes"]
        self.assertIn("2^20: reduce_shuffle_float4 1000 GB/s, peer 4500 GB/s", svg)
        self.assertIn("2^28: reduce_shuffle_float4 4444 GB/s, CUB 4000 GB/s", svg)

    def test_a_librarys_proposals_are_one_name_in_the_legend(self):
        names = ("cuBLAS", "cublasLt heuristic 1", "cublasLt heuristic 3")
        rows = rows_of(*({**product("12_sgemm_warptile_zorder", "tuned", size, 1.0), "baseline": name}
                         for size, name in zip((1024, 2048, 4096), names)))
        svg = figures.sizes("sgemm", rows)
        self.assertIn("the fastest of cuBLAS, cublasLt", texts_of(svg))
        self.assertIn("cublasLt heuristic 3", svg, "for readers of the screen")

    def test_labels_do_not_cover_one_another(self):
        labels = [(100, 50, "12"), (100, 52, "11"), (101, 54, "10"), (300, 50, "06")]
        placed = figures.apart(labels, [(112, 50)])
        for i, (x, y, _) in enumerate(placed):
            for other_x, other_y, _ in placed[:i]:
                self.assertTrue(abs(x - other_x) >= 22 or abs(y - other_y) >= figures.TEXT)
        self.assertEqual(placed[0], (100, 50 + figures.TEXT, "12"), "moved off the dot")
        self.assertEqual(placed[-1], labels[-1], "nothing is in its way")

    def test_ticks_are_round(self):
        self.assertEqual(figures.ticks(4700), [0, 1000, 2000, 3000, 4000])
        self.assertEqual(figures.ticks(66000), [0, 20000, 40000, 60000])


class Texts(unittest.TestCase):
    def section(self):
        rows = records.of_chapter(rows_of(*sums()), "reduction")
        said = results.part("05_reduce_warp_shuffle", "reduction", rows, [],
                            ["reduction", "reduction-sizes"])
        return results.section({"05_reduce_warp_shuffle": said})

    def test_a_step_has_its_own_kernels_and_all_sizes_of_the_last(self):
        text = self.section()
        self.assertNotIn("reduce_atomic", text)
        self.assertIn("| `reduce_shuffle` | 2.000 ms | 30.0 % | 2000 GB/s | - | - | 40 % | 50 % |", text)
        self.assertIn("| `reduce_shuffle_float4` | 0.900 ms | 30.0 % | 4444 GB/s | `reduce_shuffle` | "
                      "2.22 × | 89 % | 111 % |", text)
        self.assertIn("| 2^20 | `reduce_shuffle_float4` | 4.000 ms | 1000 GB/s | 20 % | 20 % | 25 % |", text)
        self.assertIn("(../../docs/figures/reduction-sizes.svg)", text)
        self.assertLessEqual(max(len(text) for text in text.splitlines() if text[:1] != "|"), 100)

    def test_circumstances_are_those_of_all_rows(self):
        rows = rows_of(line("a", "v", {"n": 8}, 1.0, sm_clock_mhz=1980),
                       line("b", "v", {"n": 8}, 1.0, sm_clock_mhz=1965, repeats=10))
        self.assertEqual(
            results.circumstances(rows),
            "on an GPU (1965 to 1980 MHz, driver for CUDA 13.0, Toolkit 13.0, 2026-01-01): the "
            "median of 10 to 20 launches, the L2 cache flushed before each")
        for runs, says in (([1], ""), ([2], ", in the slower of 2 runs"),
                           ([3], ", in the middle one of 3 runs"),
                           ([1, 3], ", in the middle one of 1 to 3 runs"),
                           ([3, 4], ", in the middle one of 3 to 4 runs (of two in the middle the "
                                    "slower)")):
            self.assertEqual(results.runs_text(runs), says)

    def test_a_peer_that_is_faster_than_the_library_is_the_one_to_name(self):
        ladder = rows_of(line("06_softmax_warp", "ours", {"n": 8}, 1.0, baseline_ms=2.0))
        self.assertIn("| 200 % (CUB) |", results.summary({"softmax": ladder}, []))
        # Ours was measured beside it, and took longer there than in the bench.
        peers = rows_of(line("06_softmax_warp", "Triton", {"n": 8}, 1.6),
                        line("06_softmax_warp", "ours", {"n": 8}, 2.0, baseline="Triton",
                             baseline_ms=1.6))
        self.assertIn("| 80 % (Triton) |", results.summary({"softmax": ladder}, peers))
        self.assertIn("| 200 % (CUB) |", results.summary({"softmax": ladder}, peers[:1]))

    def test_further_programs_of_a_step_come_after_its_own(self):
        text = results.section({"05_reduce_warp_shuffle": "own\n", "gemv": "further\n"})
        self.assertEqual(text, results.BEGIN + "## Measured\n\nown\n\n### gemv\n\nfurther\n" +
                         results.END)

    def test_programs_belong_to_steps(self):
        for program, step in (("whole_program", "01_naive_add"), ("07_transpose_naive",) * 2):
            self.assertEqual(results.readme_of(program).parent.name, step)
        self.assertIn("05_reduce_warp_shuffle", str(results.readme_of("gemv")))
        with self.assertRaises(records.Failure):
            results.readme_of("no_such_program")

    def test_every_chapter_of_the_manifest_has_its_roof_and_its_picture(self):
        for step in records.tutorial().steps:
            self.assertTrue(figures.roof_name(step.program))
        self.assertEqual(records.chapters(), ["elementwise", "reduction", "gemv", "softmax", "transpose", "sgemm"])

    def test_a_section_takes_its_place_and_no_other(self):
        def placed(text):
            return generated.in_chapter(text, self.section(), results.BEGIN, results.END)

        readme = "# Step\n\ntext\n\n## Run it\n\nmore\n"
        once = placed(readme)
        self.assertEqual(placed(once), once)
        self.assertTrue(once.startswith("# Step\n\ntext\n\n" + results.BEGIN + "## Measured\n"))
        self.assertTrue(once.endswith(results.END + "\n## Run it\n\nmore\n"))
        with self.assertRaises(generated.NoPlace):
            placed("# Step\n")

    def test_a_section_goes_to_the_end_of_the_rungs(self):
        def placed(text):
            return generated.in_chapter(text, self.section(), results.BEGIN, results.END)

        readme = "# Step\n\n## Rungs\n\ntext\n\n## Break it\n\n## Run it\n"
        once = placed(readme)
        self.assertEqual(placed(once), once)
        self.assertTrue(once.startswith("# Step\n\n## Rungs\n\ntext\n\n" + results.BEGIN +
                                        "### Measured\n"))
        self.assertTrue(once.endswith(results.END + "\n## Break it\n\n## Run it\n"))
        # One that stands where chapters had it stays there, a level deeper.
        text = "# Step\n\n## Run it\n"
        deeper = placed(placed(text) + "## Break it\n")
        self.assertEqual(re.findall("^#.*", deeper, re.M),
                         ["# Step", "### Measured", "## Run it", "## Break it"])

    def test_what_is_out_of_date_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "picture.svg"
            [fault] = generated.bring_up_to_date({path: "new"}, False, "x.py")
            self.assertIn("picture.svg: out of date", fault)
            self.assertEqual(generated.bring_up_to_date({path: "new"}, True, "x.py"), [])
            self.assertEqual(generated.bring_up_to_date({path: "new"}, False, "x.py"), [])
            path.write_text("drawn by hand")
            self.assertEqual(len(generated.bring_up_to_date({path: "new"}, False, "x.py")), 1)

    def test_bad_usage(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(results.main([]), 2)
            self.assertEqual(results.main(["draw"]), 2)


class Peers(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("torch"), "PyTorch is there")
    def test_without_pytorch_it_says_so(self):
        script = pathlib.Path(results.__file__).with_name("softmax_peers.py")
        done = subprocess.run([sys.executable, "-B", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertEqual(done.stderr, "skipped: torch is not installed\n")


if __name__ == "__main__":
    unittest.main()
