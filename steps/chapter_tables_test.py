#!/usr/bin/env python3
"""The chapters' tables: their figures are those of the records, and planted faults are found."""

import contextlib
import io
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import chapter_tables
import ladder
import rung_stalls
from ladder_fixture import replaced

LADDER = ladder.read()
TABLES = chapter_tables.Tables(LADDER)
README = ladder.STEPS / "04_reduce_shared" / "README.md"
BEGIN = "<!-- written by steps/chapter_tables.py: {} -->\n"


def made(what, readme=README):
    """The text of a README with this table alone."""
    return chapter_tables.with_tables(BEGIN.format(what) + chapter_tables.END, readme, TABLES)


def rows(text):
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines[1:]]


class Rungs(unittest.TestCase):
    def test_those_of_the_folder(self):
        for step in LADDER.steps:
            for folder in ("", ladder.FURTHER):
                readme = ladder.STEPS / step.name / folder / "README.md"
                wanted = [f"[`{rung.name}`]({pathlib.Path(rung.path).name})"
                          for rung in LADDER.rungs
                          if (ladder.STEPS / rung.path).parent == readme.parent]
                for kind in ("rungs", "stalls") if wanted else ():
                    self.assertEqual(list(dict.fromkeys(
                        re.sub(r"^f?\d+\. | \d of \d$", "", row[0])
                        for row in rows(made(kind, readme)))), wanted)

    def test_those_that_are_named(self):
        [one, two] = rows(made("rungs reduce_shared reduce_shuffle"))
        self.assertEqual(one[:2], ["2. [`reduce_shared`](2_reduce_shared.cuh)", "1"])
        self.assertEqual(two[:2], [
            "1. [`reduce_shuffle`](../05_reduce_warp_shuffle/1_reduce_shuffle.cuh)", "04/2"])

    def test_rungs_elsewhere_are_named(self):
        self.assertIn("grows from (03/1 is `reduce_atomic`); lines", made("rungs"))
        self.assertIn("grows from (1 is `reduce_interleaved`); lines", made("rungs reduce_shared"))

    def test_figures_of_a_rung(self):
        [row] = rows(made("rungs reduce_shared"))
        step = LADDER.step("04_reduce_shared")
        before, after = (TABLES.records.counts(name, step)
                         for name in ("reduce_interleaved", "reduce_shared"))
        atomics = [one.of("sectors", "global_atomic") for one in (before, after)]
        self.assertEqual([row[3]] * 2, list(map(str, atomics)))
        wavefronts = [one.of("wavefronts", "shared_load", "shared_store")
                      for one in (before, after)]
        self.assertEqual(row[4], f"{wavefronts[0] / 1e6:.3g}M → {wavefronts[1] / 1e3:.3g}k")
        times = [TABLES.records.measured(LADDER.rung(name)).median_ms
                 for name in ("reduce_interleaved", "reduce_shared")]
        self.assertEqual(row[5:], [f"{times[1]:.2f} ms", f"{times[0] / times[1]:.2f} ×"])

    def test_what_is_not_recorded_is_a_dash(self):
        tables = chapter_tables.Tables(LADDER)
        tables.records.rows, tables.records.launches, tables.stalls.launches = {}, {}, []
        for kind, cells in (("rungs", 4), ("stalls", 6)):
            text = chapter_tables.with_tables(BEGIN.format(f"{kind} reduce_shared") +
                                              chapter_tables.END, README, tables)
            self.assertEqual(rows(text)[0][-cells:], ["-"] * cells)

    def test_times(self):
        for ms, text in ((471.7, "472 ms"), (2.0234, "2.02 ms"), (3.0, "3.00 ms"),
                         (0.0671, "67.1 µs")):
            self.assertEqual(chapter_tables.milliseconds(ms), text)


class Stalls(unittest.TestCase):
    LAUNCH = {"warps": 40.0, "issue_percent": 25.0, "stalls": {"barrier": 10.0, "drain": 4.0}}

    def test_part_of_a_warps_time(self):
        # Ten warps per scheduler, of which one issues in every fourth cycle: 40 cycles for each.
        self.assertEqual(rung_stalls.share(self.LAUNCH, "barrier"), 0.25)
        self.assertEqual(rung_stalls.waits(self.LAUNCH).replace("\xa0", " "),
                         "a barrier 25 %; its last writes 10 %")
        self.assertEqual(rung_stalls.waits({**self.LAUNCH, "issue_percent": 0}),
                         "a\xa0barrier; its\xa0last\xa0writes")

    def test_parts_are_no_more_than_the_whole(self):
        launches = rung_stalls.Stalls().launches
        self.assertGreater(len(launches), 90)
        for launch in launches:
            parts = [rung_stalls.share(launch, reason) for reason in launch["stalls"]]
            if None not in parts:
                self.assertLess(sum(parts), 1, launch)

    def test_a_reason_without_words(self):
        with self.assertRaisesRegex(rung_stalls.Failure, "no words for 'sleeping'"):
            rung_stalls.waits({**self.LAUNCH, "stalls": {"sleeping": 1}})

    def test_what_limits_the_problem(self):
        head, = {line for line in made("stalls").splitlines() if line.startswith("| rung")}
        self.assertEqual(head.split(" | ")[-2:], ["DRAM", "read + written |"])
        sgemm = made("stalls", ladder.STEPS / "10_sgemm_blocktile" / "README.md")
        launch, = TABLES.stalls.launches_of("sgemm_blocktile")
        self.assertEqual(rows(sgemm)[0][-2:], [f"{launch['shared_percent']:.0f} %",
                                               f"{launch['fma_percent']:.0f} %"])

    def test_launches_that_take_no_time_are_left_out(self):
        every = [one for one in TABLES.stalls.launches if one["rung"] == "reduce_two_pass"]
        self.assertEqual(len(every), 2)
        self.assertEqual(TABLES.stalls.launches_of("reduce_two_pass"), every[:1])
        softmax = made("stalls softmax_three_kernels")
        self.assertEqual([row[0].rpartition(") ")[2] for row in rows(softmax)],
                         ["1 of 3", "2 of 3", "3 of 3"])

    def test_bytes(self):
        for value, text in ((2147582720, "2.15 GB"), (768, "768 B"), (0, "0 B"), (1500, "1.5 kB")):
            self.assertEqual(rung_stalls.byte_text(value), text)


class Places(unittest.TestCase):
    def fault(self, what, change=lambda text: text):
        with self.assertRaises(chapter_tables.BadPlace) as caught:
            chapter_tables.with_tables(change(BEGIN.format(what) + chapter_tables.END), README,
                                       TABLES)
        return str(caught.exception)

    def test_wrong_ones(self):
        self.assertIn("no table 'rung'; allowed: rungs, stalls", self.fault("rung"))
        self.assertIn("no rung 'reduce'", self.fault("rungs reduce"))
        self.assertIn("is not ended by", self.fault("rungs", replaced("<!-- end", "<!-- the end")))
        self.assertIn("is not ended by",
                      self.fault("rungs", lambda text: BEGIN.format("stalls") + text))

    def test_out_of_date(self):
        with tempfile.TemporaryDirectory() as folder:
            steps = pathlib.Path(folder).resolve()
            readme = steps / "04_reduce_shared" / "README.md"
            readme.parent.mkdir()
            readme.write_text("# 04\n\n" + BEGIN.format("rungs reduce_shared") + chapter_tables.END)
            out, errors = io.StringIO(), io.StringIO()
            with unittest.mock.patch.object(chapter_tables, "readmes", lambda _: [readme]), \
                    contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                self.assertEqual(chapter_tables.main(["check"]), 1)
                self.assertEqual(chapter_tables.main(["write"]), 0)
                self.assertEqual(chapter_tables.main(["check"]), 0)
                readme.write_text(readme.read_text().replace("8192", "8193", 1))
                self.assertEqual(chapter_tables.main(["check"]), 1)
                readme.write_text(readme.read_text().replace("rungs reduce_shared", "rungs x"))
                self.assertEqual(chapter_tables.main(["check"]), 2)
            self.assertEqual(out.getvalue().count("out of date"), 2)
            self.assertIn("there is no rung 'x'", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
