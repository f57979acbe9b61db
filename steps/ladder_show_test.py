#!/usr/bin/env python3
"""Runs build/ladder as a user does, in pipes and on terminals.

    ladder_show_test.py BUILD
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
import unittest

import ladder
import ladder_changes
import ladder_diff
import ladder_records
import ladder_show
from ladder_fixture import FIRST, MANIFEST, SECOND, appended, planted, replaced

LADDER = pathlib.Path(sys.argv.pop(1)).resolve() / "ladder"
REAL = ladder.read()
RUNGS = REAL.rungs
CHANGED = next(rung for rung in RUNGS if rung.origin)
COLOUR = re.compile(r"\033\[[0-9;]*m")
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("COLUMNS", "LINES", "NO_COLOR")}


def run(*words, cwd=None):
    return subprocess.run([LADDER, *words], capture_output=True, text=True, check=False, cwd=cwd,
                          env=ENVIRONMENT)


def printed(*words):
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def on_terminal(columns, *words, **environment):
    """Its output on a terminal of so many columns."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # a container or chroot without /dev/pts
        raise unittest.SkipTest(f"no pseudo-terminal to be had: {error}") from error
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([LADDER, *words], stdin=theirs, stdout=theirs, stderr=theirs,
                          env=ENVIRONMENT | environment):
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end was closed
            while piece := os.read(ours, 65536):
                written += piece
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


class Table(unittest.TestCase):
    def setUp(self):
        self.lines = printed().splitlines()

    def test_width(self):
        self.assertEqual([line for line in self.lines if len(line) > 80], [])

    def test_every_rung_in_order(self):
        named = [line.split()[1] for line in self.lines if re.match(r" ?f?\d+ \w", line)]
        self.assertEqual([rung.name for rung in REAL.rungs], named)
        for variant in REAL.variants:
            self.assertIn("     " + textwrap.shorten(variant.idea, 75, placeholder=" ..."), self.lines)
            self.assertTrue(any(f" {variant.name} " in line for line in self.lines), variant.name)
        for step in REAL.steps:
            self.assertTrue(any(line.startswith(f"{step.name}: ") for line in self.lines), step.name)

    def test_changes_and_gains(self):
        rows = {line.split()[1]: line for line in self.lines if re.match(r" ?f?\d+ \w", line)}
        for fields in map(json.loads, printed("--json").splitlines()):
            row = rows[fields["kernel"]]
            self.assertIn(f" +{fields['added']} ", row)
            if "from" in fields:
                self.assertIn(f" -{fields['removed']} ", row)
            if fields.get("gain", 100) < 100:
                self.assertTrue(row.endswith(f" {fields['gain']:.2f}x"), row)


class Json(unittest.TestCase):
    def setUp(self):
        self.objects = [json.loads(line) for line in printed("--json").splitlines()]

    def test_fields(self):
        self.assertEqual([one["kernel"] for one in self.objects], [rung.name for rung in RUNGS])
        for one, rung in zip(self.objects, RUNGS):
            change = ladder_changes.change(REAL, rung)
            self.assertEqual((one["step"], one["file"], one.get("from", ""), one["idea"]),
                             (rung.step, rung.file, rung.origin, rung.idea))
            self.assertEqual((one["added"], one["removed"]), (change.added, change.removed))
            self.assertLessEqual(set(one), {"step", "file", "kernel", "from", "idea", "added", "removed",
                                            "counted", "rate", "unit", "shape", "device", "gain"})

    def test_gain_is_over_the_rung_it_grows_from(self):
        rates = {one["kernel"]: one.get("rate") for one in self.objects}
        gains = [one for one in self.objects if "gain" in one]
        self.assertTrue(gains)
        for one in gains:
            self.assertAlmostEqual(one["gain"], one["rate"] / rates[one["from"]], 6, one)

    def test_one_rung(self):
        lines = printed("--json", CHANGED.name).splitlines()
        self.assertEqual([json.loads(line)["kernel"] for line in lines], [CHANGED.name])


class OneRung(unittest.TestCase):
    def test_page(self):
        text = printed(CHANGED.name)
        change = ladder_changes.change(REAL, CHANGED)
        before = REAL.rung(CHANGED.origin)
        for part in (f"{CHANGED.name}: {CHANGED.idea}\n",
                     f"grows from {before.name}: +{change.added} -{change.removed}\n",
                     f"--- steps/{before.path}\n+++ steps/{CHANGED.path}\n@@ -"):
            self.assertIn(part, text)
        body = text[text.index("@@ -"):].splitlines()
        for sign, count in (("+", change.added), ("-", change.removed)):
            self.assertEqual(sum(line.startswith(sign) for line in body), count)

    def test_every_page(self):
        records = ladder_records.Records(REAL)
        for rung in RUNGS:
            for width in (None, 200):
                lines = list(ladder_show.page(REAL, records, rung, width, False))
                grows = next(i for i, line in enumerate(lines) if line.startswith("grows from"))
                self.assertEqual(" ".join(map(str.strip, lines[:grows])), f"{rung.name}: {rung.idea}")
                said = lines[:next(i for i, line in enumerate(lines) if line.startswith("---"))]
                self.assertEqual([line for line in said if len(line) > 80], [])
                self.assertLessEqual(max(map(len, lines)), width or 101)  # sources have up to 100
                colored = ladder_show.page(REAL, records, rung, width, True)
                self.assertEqual([COLOUR.sub("", line).rstrip() for line in colored],
                                 [line.rstrip() for line in lines])

    def test_start(self):
        start = next(rung for rung in RUNGS if not rung.origin)
        text = printed(start.name)
        lines = ladder_changes.expanded(ladder.STEPS / start.path)
        self.assertIn(f"grows from no other rung: {len(lines)} lines", text)
        self.assertIn("--- /dev/null\n", text)
        self.assertTrue(text.endswith("".join(f"+{line}\n" for line in lines)))

    def test_steps(self):
        def shown(first, last):
            return re.findall(r"^(\w+): .*\n(?:  .*\n)?grows from ", printed("--steps", first, last), re.M)

        def rungs_of(*steps):
            return [rung.name for rung in RUNGS if rung.program_step in steps]

        eleven = rungs_of("11_sgemm_threadtile")
        self.assertEqual(shown("10", "11"), eleven)
        self.assertEqual(shown("11", "11"), eleven)
        self.assertEqual(shown("10_sgemm_blocktile", "11_sgemm_threadtile"), eleven)
        self.assertEqual(shown("4", "gemv"),
                         rungs_of("05_reduce_warp_shuffle", "05_reduce_warp_shuffle/gemv"))


class Lines(unittest.TestCase):
    """Diffs of fixtures."""

    def change(self, changed):
        with planted(changed) as steps:
            real = ladder.read(steps / MANIFEST)
            return ladder_changes.change(real, real.rung("second"), steps)

    def test_as_diff_has_it(self):
        change = self.change({SECOND: lambda text: replaced("Copies a", "Moves a")(text).replace(
            "256", "128") + "// the end\n"})
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in (("a", ladder_changes.equalised(change.old, "first")),
                                ("b", ladder_changes.equalised(change.new, "second"))):
                (pathlib.Path(folder) / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
            theirs = subprocess.run(["diff", "-u", "a", "b"], cwd=folder, capture_output=True, text=True,
                                    check=False).stdout.splitlines()[2:]
        ours = ladder_changes.equalised(ladder_diff.unified(change), "second")
        self.assertEqual(ladder_changes.equalised(ours, "first"), theirs)
        self.assertGreater(len(ours), 10)

    def test_names_are_no_change(self):
        change = self.change({})
        self.assertEqual((change.lines, list(ladder_diff.unified(change))), (0, []))

    def test_headers_are_in_it(self):
        change = self.change({"02_two/guard.cuh": appended("// moved here\n")})
        self.assertIn("+// moved here", list(ladder_diff.unified(change)))

    def test_side_by_side(self):
        change = self.change({SECOND: lambda text: replaced("out[i] =", "out[i] +=")(text) +
                              "// " + "long" * 30 + "\n"})
        rows = list(ladder_diff.side_by_side(change, 160))
        self.assertEqual([row for row in rows if len(row) > 160], [])
        [changed] = [row for row in rows if " | " in row]
        self.assertEqual(changed.index("|"), 79)
        self.assertIn("out[i] = load", changed[:79])
        self.assertIn("out[i] += load", changed[79:])
        self.assertEqual([row[81:] for row in rows[-2:]],
                         ["// " + "long" * 18 + "lon", "g" + "long" * 11])

    def test_words(self):
        left, right = ladder_diff.words("sum += a[k];", "sum += b[k];")
        self.assertEqual([text for text, changed in left + right if changed], ["a", "b"])


class Terminals(unittest.TestCase):
    def test_wide(self):
        text = on_terminal(200, CHANGED.name)
        self.assertIn("\033[3", text)
        lines = COLOUR.sub("", text).splitlines()
        self.assertLessEqual(max(map(len, lines)), 200)
        body = lines[next(i for i, line in enumerate(lines) if line.startswith("@@ ")):]
        self.assertTrue(any(line[98:101] in (" | ", " < ", " > ") or line[98:100] == " <"
                            for line in body), "two columns")
        self.assertFalse(any(line.startswith(("+", "-")) for line in body))

    def test_narrow(self):
        text = on_terminal(100, CHANGED.name)
        self.assertIn("\033[3", text)
        self.assertEqual(COLOUR.sub("", text), printed(CHANGED.name))

    def test_no_color(self):
        self.assertEqual(on_terminal(100, CHANGED.name, NO_COLOR="1"), printed(CHANGED.name))
        text = on_terminal(200, CHANGED.name, NO_COLOR="1")
        self.assertNotIn("\033", text)
        self.assertNotEqual(text, printed(CHANGED.name))

    def test_table(self):
        self.assertEqual(COLOUR.sub("", on_terminal(80)), printed())

    def test_pipe(self):
        self.assertNotIn("\033", printed() + printed(CHANGED.name))

    def test_closed_pipe(self):
        with subprocess.Popen([LADDER], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")


class Usage(unittest.TestCase):
    def refuse(self, *words, says):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertRegex(done.stderr, r"\Aerror: [^\n]+\n\Z")
        for part in says:
            self.assertIn(part, done.stderr)

    def test_unknown(self):
        name = CHANGED.name
        self.refuse(name[:-1] + "x", says=[f"'{name[:-1]}x'", f"the nearest is '{name}'"])
        self.refuse("", says=["''"])
        self.refuse("a\nb", says=["nearest"])
        self.refuse("--steps", "10", "11_sgemm_thread", says=["'11_sgemm_thread'", "11_sgemm_threadtile"])
        self.refuse("--steps", "0", "1", says=["'0'", "there are 01 to 12"])
        self.refuse("--steps", "12", "11", says=["12", "11", "comes after"])
        self.refuse("--steps", "12", says=["--steps"])
        self.refuse("--step", "1", "2", says=["--help"])
        self.refuse("add", "reduce_atomic", says=["reduce_atomic"])
        self.refuse("add", "--steps", "1", "2", says=["'add'"])
        dispatcher = next(one for one in REAL.variants if not one.is_rung)
        self.refuse(dispatcher.name, says=[f"'{dispatcher.name}' is no rung"])

    def test_help_and_version(self):
        text = printed("--help")
        for option in ("NAME", "--steps", "--json", "--version", "NO_COLOR"):
            self.assertIn(option, text)
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertRegex(printed("--version"), r"\Aladder \d+\.\d+\.\d+\n\Z")

    def test_any_folder(self):
        before = time.time()
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("--json", cwd=folder).stdout, printed("--json"))
            self.assertEqual(os.listdir(folder), [])
        written = [path for path in ladder.STEPS.rglob("ladder_*.pyc") if path.stat().st_mtime > before]
        self.assertEqual(written, [], "the source tree may be read-only")


class Unrecorded(unittest.TestCase):
    def test_rungs_without_records(self):
        with planted() as steps, tempfile.TemporaryDirectory() as empty:
            real = ladder.read(steps / MANIFEST)
            records = ladder_records.Records(real, empty)
            for rung in real.rungs:
                self.assertIsNone(records.rate(rung))
                self.assertEqual(set(records.figures(rung).values()), {None})

    def test_sums_over_launches(self):
        counts = ladder_records.Counts("", [{"global_load": {"requests": 2, "sectors": 8}},
                                            {"global_load": {"requests": 2, "sectors": 4}}])
        self.assertEqual(counts.per_request("sectors", "global_load"), 3)
        self.assertIsNone(counts.per_request("sectors", "global_store"))


if __name__ == "__main__":
    unittest.main()
