#!/usr/bin/env python3
"""The chapters and pages agree with the sources and the results: excerpts, links, drawings.

Needs neither Doxygen nor a browser: the pages are staged, as for the site, and no more. Tests that need
Node.js are skipped without it.
"""

import difflib
import html
import importlib.util
import itertools
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

import annotate
import book
import build
import diffs
import doxygen
import exercises
import faults
import figures
import highlight
import sources
import staging
import templates
import ladder_changes  # of steps/, which book puts on the path


def staged(change=None):
    """All pages as Doxygen would get them, after change(site)."""
    if not shutil.which("node"):
        raise unittest.SkipTest("the lab's pictures are drawn by Node.js, which is not installed")
    if not build.KATEX.exists():
        raise unittest.SkipTest("formulas are made by KaTeX, which is not installed")
    with tempfile.TemporaryDirectory() as folder:
        site = build.Site(pathlib.Path(folder) / "site")
        if change:
            change(site)
        site.stage(pathlib.Path(folder))
        return {path.stem: path.read_text(encoding="utf-8")
                for path in pathlib.Path(folder).glob("*.md")}, site


def edit(name, before, after):
    """A change of a page's text."""
    def change(site):
        page = next(page for page in site.prose if page.name == name)
        assert before in page.text
        page.text = page.text.replace(before, after, 1)
    return change


class Texts(unittest.TestCase):
    def test_all_pages_can_be_staged(self):
        texts, site = staged()
        self.assertEqual(len(texts), len(site.prose))
        for step in book.steps():
            self.assertIn(step.page, texts)
            if book.further(step):
                self.assertIn(f"further_{step.name}", texts)

    def test_an_excerpt_that_is_not_in_its_source_is_refused(self):
        fault = edit("08_transpose_shared", "tile[threadIdx.y][threadIdx.x] = in[row * cols + col];",
                     "tile[threadIdx.y][threadIdx.x] = in[col * rows + row];")
        with self.assertRaisesRegex(staging.Fault, "not in the step's sources"):
            staged(fault)

    def test_a_link_to_nothing_is_refused(self):
        with self.assertRaisesRegex(staging.Fault, "no page for the link"):
            staged(edit("memory", "../results/agreement.md", "../results/agreements.md"))

    def test_a_drawing_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(staging.Fault, "no drawing"):
            staged(edit("memory", "## Registers\n", "## Registers\n\n![A ladder](ladder.svg)\n\n"))

    def test_a_figure_of_no_kernel_is_refused(self):
        with self.assertRaisesRegex(staging.Fault, "no variant subtract"):
            staged(edit("01_naive_add", "<!-- figure accesses add -->",
                        "<!-- figure accesses subtract -->"))

    def test_what_is_not_recorded_yet_is_said_to_be_so(self):
        page = next(page for page in book.chapters_in_order() if page.name == "01_naive_add")
        with unittest.mock.patch.object(book, "recorded", lambda name: []), \
                unittest.mock.patch.object(book, "rows", lambda name: []):
            self.assertIn("no record of <code>add</code> yet",
                          templates.directive(page, ["figure", "accesses", "add"]))
            self.assertIn("no record yet",
                          templates.directive(page, ["faults", "show", "01_naive_add", "no_guard"]))

    def test_what_nothing_makes_is_refused(self):
        page = book.Page("a", "", "a.md", "", "guide")
        self.assertIsNone(templates.directive(page, ["end", "of", "what"]))
        for words in ("figure", "figure strides", "site proof", "measured runs cpu h200"):
            with self.assertRaisesRegex(staging.Fault, f"a.md: .*{words}"):
                templates.directive(page, words.split())

    def numbers_that_begin_lists(self, change=None):
        """Lines that Doxygen takes for items of a list, and that go on with a sentence."""
        texts, _ = staged(change)
        return [line for text in texts.values()
                for before, line in itertools.pairwise(text.splitlines())
                if re.match(r"\d+[.)] ", line) and before.strip() and
                not re.match(r"\d+[.)] |\s", before)]

    def test_no_number_begins_a_list(self):
        self.assertEqual(self.numbers_that_begin_lists(), [])
        link = "[When it goes wrong](faults.md)"
        fault = edit("cpu", f"{link} shows them", f"\n57. {link}")
        self.assertEqual(len(self.numbers_that_begin_lists(fault)), 1)

    def test_a_comment_in_code_is_shown(self):
        _, site = staged(edit("site", "## Publishing\n", "## Publishing\n\nWrite `<!-- so -->`, or\n"
                              "<!-- not `so` --> nothing.\n"))
        self.assertIn('<code class="short">&lt;!-- so --&gt;</code>', site.staged["site"].kept)
        self.assertNotIn("<code>so</code>", site.staged["site"].kept)

    def test_no_directive_is_left_over(self):
        texts, _ = staged()
        for name, text in texts.items():
            self.assertIsNone(re.search(r"<!--|\{\{", text), name)


class Tables(unittest.TestCase):
    def test_cells_of_numbers(self):
        for text in ("3425", "12 %", "1.07 GB/s", "8,192 × 4", "4/8", "73.7k → 18.4k", "0 → 1.23M",
                     "4/4 → 4/8", "+41 −13", "+41", "67.0 µs", "0.98 ×", "-", "",
                     "16 × 4<br>ncu: 16 × 8 (1)"):
            self.assertTrue(doxygen.NUMBER_CELL.fullmatch(text), text)
        for text in ("1.07 GB + 2 MB", "a barrier 35 %", "reduce", "04/2 of", "→", "k"):
            self.assertFalse(doxygen.NUMBER_CELL.fullmatch(text), text)


needs_node = unittest.skipUnless(shutil.which("node"), "requests are drawn by Node.js")


@needs_node
class DrawnAccesses(unittest.TestCase):
    """Drawings of accesses, against the recorded traces."""

    def drawings(self):
        """(space, the distances of the rows of a drawing, the addresses of its request), of all traces."""
        requests = [request for trace in book.recorded("traces")
                    for request in figures.distinct(map(figures.request_of, trace["requests"]))]
        for request, drawn in zip(requests, figures.draw(requests), strict=True):
            labels = re.findall(r'class="soft end">([\d,]+)<', drawn)
            yield (request.space, {int(label.replace(",", "")) for label in labels},
                   {word * 4 for word in request.words})

    def test_rows_say_their_distance_in_bytes(self):
        spaces = set()
        for space, labels, addresses in self.drawings():
            rows = {address // 128 * 128 for address in addresses}
            self.assertTrue(labels)
            self.assertLessEqual(labels, rows)
            self.assertEqual({min(labels), max(labels)}, {min(rows), max(rows)})
            spaces.add(space)
        self.assertEqual(spaces, {"global", "shared"})

    def test_the_caption_says_what_its_rows_are(self):
        for spaces in ({"global"}, {"shared"}, {"global", "shared"}):
            requests = [figures.Request(space, "load", 4, {0: 0}, 1) for space in spaces]
            said = templates.part("row_legend", requests)
            self.assertIn("128 bytes", said)
            self.assertIn("distance in bytes", said)
            for space in ("global", "shared"):
                self.assertEqual(f"{space} memory" in said, space in spaces)

    def test_a_cost_comes_before_its_title(self):
        request = figures.request_of(book.recorded("traces")[0]["requests"][0])
        drawn = templates.part("request", request, "", "")
        self.assertTrue(drawn.startswith(f'<p class="request"><b>{request.cost}</b> '))


class Exercises(unittest.TestCase):
    def test_all_are_listed_with_a_sentence(self):
        made = templates.directive(None, ["exercise", "list"])
        pages = exercises.pages()
        for page in pages:
            self.assertIn(f'<a href="{page.name}.html">', made)
            said = exercises.first_sentence(page)
            self.assertRegex(said, r"^[A-Z].{10,200}\.$", page.name)
            self.assertIn(said, html.unescape(made))
        self.assertEqual(made.count("<tr><td>"), len(pages))


class Diffs(unittest.TestCase):
    def test_every_rung_is_beside_the_one_that_it_grows_from(self):
        """On the page of its step, or that of what goes further, whichever speaks of it."""
        shown = [rung.name for page in (*book.chapters_in_order(), *book.further_pages())
                 for rung in diffs.changed_on(page)]
        spoken_of = {step.name for step in book.steps() if step.readme}
        wanted = [rung.name for rung in book.manifest().rungs
                  if rung.origin and book.step(rung.program_step).name in spoken_of]
        self.assertCountEqual(shown, wanted)

    def test_a_command_has_its_own_diff_below_it_and_the_first_those_of_none(self):
        one = "diff -u steps/08/1_transpose_tile.cuh steps/08/2_transpose_tile_padded.cuh\n"
        two = "cd steps/08 && diff -u 3_transpose_tile_swizzled.cuh 4_transpose_tile_in_flight.cuh\n"
        page = book.Page("08_transpose_shared", "", "", f"```sh\n{one}```\n\n```sh\n{two}```\n",
                         "step", step="08_transpose_shared")
        rungs = [rung.name for rung in diffs.changed_on(page)]
        shown = [re.findall(r'id="from-(\w+)"', diffs.of_command(page, block)) for block in (one, two)]
        self.assertEqual(shown[1], ["transpose_tile_in_flight"])
        self.assertEqual(shown[0], [name for name in rungs if name not in shown[1]])
        self.assertEqual(diffs.of_command(page, "ls steps/08\n"), "")

    def test_a_rung_is_on_the_further_page_that_has_its_command(self):
        step = book.step("02_vectorized_add")
        trunk = {rung.name for rung in step.variants if rung.is_rung and not book.is_further(rung)}
        command = "diff -u steps/01_naive_add/1_add.cuh steps/02_vectorized_add/1_add_float4.cuh\n"
        self.assertEqual(trunk, {"add_float4"})
        with tempfile.TemporaryDirectory() as folder:
            further = pathlib.Path(folder) / "README.md"
            for text, on_trunk in (("", trunk), (command, set())):
                further.write_text(text)
                with unittest.mock.patch.object(book, "further", lambda _: further):
                    found = {rung.name for rung in diffs.rungs_of(step, is_further=False)}
                self.assertEqual(found, on_trunk)

    def test_an_excerpt_of_a_diff_is_one(self):
        page = book.Page("04_reduce_shared", "", "s.md", "", "step", step="04_reduce_shared")
        text = ("-  for (unsigned stride = 1; stride < kBlockSize; stride *= 2) {\n"
                "+  for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {\n"
                "     __syncthreads();  // outside the if: every thread must reach it\n")
        made = diffs.excerpt(page, text)
        self.assertIn('<span class="del">-  for (unsigned stride', made)
        self.assertIn('<span class="ins">+  for (unsigned half', made)
        self.assertIn('<span>     __sync', made)
        self.assertIn("1_reduce_interleaved.cuh", made)
        for wrong in (text.replace("half /= 2", "half /= 4"), text.replace("-  for", "+  for"),
                      text.replace("     __sync", "+    __sync"), "@@ -1 +1 @@\n" + text):
            with self.assertRaisesRegex(staging.Fault, "no rung of the step changes these lines"):
                diffs.excerpt(page, wrong)

    def test_a_diff_is_in_the_chapter_or_on_the_rungs_page(self):
        for rung in book.manifest().rungs:
            if rung.origin:
                shown = templates.part("grown", sources.path_of(rung))
                self.assertEqual('<div class="diff"' in shown, rung.name not in diffs.inline())
        self.assertEqual(templates.part("grown", sources.path_of(book.variant("add"))), "")

    def test_every_rung_has_its_kernel(self):
        for variant in book.manifest().variants:
            self.assertEqual(bool(sources.kernels_of(variant)), variant.is_rung, variant.name)

    def test_lines_of_headers_are_in_their_place(self):
        rung = book.variant("reduce_shuffle")
        lines = diffs.change_of(rung.name).new
        [line] = [line for line in lines if "__shfl_down_sync" in line]
        self.assertEqual(line.path.name, "warp_sum.cuh")
        self.assertIn(line, line.path.read_text(encoding="utf-8").splitlines()[line.number - 1])
        self.assertNotIn('#include "warp_sum.cuh"', lines)
        self.assertEqual(lines[-1].path, sources.path_of(rung))
        self.assertIn('<td colspan="4"><code>warp_sum.cuh</code></td>', diffs.table_of(rung.name))

    def test_as_many_lines_change_as_the_ladder_says(self):
        for rung in book.manifest().rungs:
            if rung.origin:
                change = diffs.change_of(rung.name)
                rows = [row[:2] for row in diffs.rows_of(change) if row[2]]
                for side, count in enumerate((change.removed, change.added)):
                    self.assertEqual(sum(row[side] is not None for row in rows), count, rung.name)

    def beside(self, before, after):
        sides = [[ladder_changes.Line(text, "a", number) for number, text in enumerate(lines, 1)]
                 for lines in (before, after)]
        change = ladder_changes.Change(*sides, difflib.SequenceMatcher(None, *sides, False))
        return diffs.side_by_side(change, "old", "new")

    def test_words_that_changed_are_marked(self):
        table = self.beside(["a = b[x];", "same();"], ["a = b[y];", "same();"])
        self.assertIn("b[<mark>x</mark>]", table)
        self.assertIn("b[<mark>y</mark>]", table)
        self.assertEqual(table.count("<mark>"), 2)
        self.assertIn("+1", table)

    def test_lines_far_from_changes_are_left_out(self):
        many = [f"line_{i}();" for i in range(20)]
        self.assertIn("18 unchanged lines", self.beside(many, [*many, "one_more();"]))


class Figures(unittest.TestCase):
    def request(self, space, offsets, units, width=4):
        return figures.Request(space, "load", width, dict(enumerate(offsets)), units)

    def test_a_drawing_touches_the_sectors_that_were_counted(self):
        for trace in book.recorded("traces"):
            for recorded in trace["requests"]:
                request = figures.request_of(recorded)
                touched = {word // 8 for word in request.words}
                if request.space == "global" and request.kind != "atomic":
                    self.assertEqual(len(touched), request.units, (trace["variant"], recorded))

    def test_a_drawing_has_the_conflicts_that_were_counted(self):
        for trace in book.recorded("traces"):
            for recorded in trace["requests"]:
                request = figures.request_of(recorded)
                if request.space != "shared" or request.bytes != 4 or recorded.get("copy"):
                    continue
                banks = {}
                for word in request.words:
                    banks.setdefault(word % 32, set()).add(word)
                self.assertEqual(max(map(len, banks.values())), request.units,
                                 (trace["variant"], recorded))

    @needs_node
    def test_a_long_request_is_cut_short(self):
        [drawn] = figures.draw([self.request("global", [128 * i for i in range(32)], 32)])
        self.assertIn("25 more rows", drawn)

    def test_patches_cover_their_cells(self):
        cells = {(r, c) for r in range(4) for c in range(8)} | {(9, 9)}
        parts = figures.patches(cells)
        self.assertEqual(parts, [(0, 4, 0, 8), (9, 1, 9, 1)])


class Experiments(unittest.TestCase):
    """The statements of the page on the memory system about them."""
    lines = book.recorded("experiments_h200")[1:]

    def test_a_wavefront_is_a_cycle(self):
        lines = [line for line in self.lines if line["experiment"] == "bank_stride"]
        for line in lines:
            wavefronts = line["predicted_wavefronts_per_request"]
            if line["stride_words"] == 0 and line["bytes_per_thread"] > 4:
                self.assertLess(line["cycles_per_request"], 0.7 * wavefronts, line)
            else:
                self.assertAlmostEqual(line["cycles_per_request"] / wavefronts, 1, delta=0.03, msg=line)
        self.assertGreater(len(lines), 50)

    def test_strides_cost_up_to_64_bytes_and_stores_more(self):
        lines = {line["stride"]: line for line in self.lines if line["experiment"] == "strided_copy"}
        self.assertEqual(list(lines), list(range(1, 33)))
        loads = {stride: line["load_gb_per_s"] for stride, line in lines.items()}
        self.assertGreater(loads[1], 2 * loads[8])
        self.assertGreater(loads[8], 1.8 * loads[16])
        self.assertLess(loads[16], 1.2 * loads[32])
        for stride in range(2, 33):
            self.assertLess(lines[stride]["store_gb_per_s"], loads[stride])


class Annotations(unittest.TestCase):
    def test_every_line_of_code_is_on_its_page(self):
        path = sources.path_of(book.variant("transpose_tile"))
        page = annotate.page_of(path, "08_transpose_shared", "08_transpose_shared")
        shown = re.findall(r"id=L(\d+)>", templates.part("source", page))
        lines = path.read_text(encoding="utf-8").splitlines()
        code = [number for number, line in enumerate(lines, 1)
                if line.strip() and not line.lstrip().startswith("//")]
        self.assertEqual([int(one) for one in shown if lines[int(one) - 1].strip()], code)


class Highlighting(unittest.TestCase):
    def test_words_have_the_classes_of_what_they_are(self):
        text = ("__global__ void f(const float4* a, std::size_t n) {  // 2 of them\n"
                "  if (threadIdx.x < n) g<<<1, 2>>>(\"b\"), __syncthreads();\n#pragma unroll\n}")
        found = dict(highlight.tokens(text, "cpp"))
        for word, name in {"__global__": "hg", "void": "ht", "const": "hk", "float4": "ht",
                           "size_t": "ht", "threadIdx": "hg", "<<<": "hg", '"b"': "hs", "1": "hn",
                           "__syncthreads": "hf", "// 2 of them\n": "hc",
                           "#pragma unroll\n": "hd"}.items():
            self.assertEqual(found.get(word), name, word)
        shell = dict(highlight.tokens("a --m 'x y'  # why", "sh"))
        self.assertEqual([shell[word] for word in ("--m", "'x y'", "# why")], ["hn", "hs", "hc"])
        self.assertEqual(highlight.tokens("$ a\nb 1", "text"), [("$ a", "hk"), ("\nb 1", None)])

    def test_no_text_is_lost(self):
        for path in [*book.ROOT.glob("steps/*/*.cu*"), *book.ROOT.glob("steps/*/*.toml")]:
            text = path.read_text(encoding="utf-8")
            language = "toml" if path.suffix == ".toml" else "cpp"
            self.assertEqual("".join(part for part, _ in highlight.tokens(text, language)), text, path)
        for text in ("\n\n// a", "a", ""):
            self.assertEqual("".join(part for part, _ in highlight.tokens(text, "cpp")), text)


class Inline(unittest.TestCase):
    """Markdown in comments and records, which Doxygen does not read."""

    def test_a_line(self):
        for text, shown in (
            ("`a[i] < 2 * n`", "<code>a[i] &lt; 2 * n</code>"),
            ("**all of it**, or *some*", "<strong>all of it</strong>, or <em>some</em>"),
            ("2 * M * N bytes", "2 * M * N bytes"),
            ("*[A. Author](https://a.example)*", "<em>A. Author</em>"),
            ("<script>x</script> & <b>", "&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;"),
            ("two\n  lines", "two lines"),
        ):
            self.assertEqual(templates.inline(text), shown)


if __name__ == "__main__":
    if not all(map(importlib.util.find_spec, ("jinja2", "markdown_it", "pygments"))):
        print("skipped, not installed: python3-jinja2, python3-markdown-it or python3-pygments")
        sys.exit(77)
    unittest.main()
