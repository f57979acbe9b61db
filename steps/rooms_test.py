#!/usr/bin/env python3
"""Plants faults in copies of two steps: rooms.py must refuse each, and name it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

STEPS = pathlib.Path(__file__).parent
CHECK = STEPS / "rooms.py"
ONE, TWO = "07_transpose_naive", "08_transpose_shared"
FENCE = "\n```cpp\n{}\n```\n"


def tables_of_two(text):
    """The manifest's tables of these steps, as they stand."""
    tables = text.split("\n\n")
    named = [next(iter(tomllib.loads(table).items()), None) for table in tables]
    return "\n\n".join(
        table for table, item in zip(tables, named)
        if item and item[0] != "goal" and item[1][0].get("step", item[1][0].get("name")) in (ONE, TWO))


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no '{old}' to plant a fault in"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.steps = pathlib.Path(folder.name)
        for step in (ONE, TWO):
            shutil.copytree(STEPS / step, self.steps / step)
        text = (STEPS / "ladder.toml").read_text(encoding="utf-8")
        (self.steps / "ladder.toml").write_text(tables_of_two(text), encoding="utf-8")
        self.readme = self.steps / TWO / "README.md"

    def check(self):
        return subprocess.run([sys.executable, "-B", CHECK, self.steps], capture_output=True,
                              text=True, check=False)

    def refuse(self, message, lines=1):
        done = self.check()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, lines), done)
        self.assertIn(message, done.stderr)

    def test_as_it_is(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_missing_rooms(self):
        for room in ("test.cu", "claims.cu", "code.toml", "README.md", "meson.build"):
            path = self.steps / TWO / room
            text = path.read_text(encoding="utf-8")
            path.unlink()
            self.refuse(f"{TWO}/{room}: is missing")
            path.write_text(text, encoding="utf-8")

    def test_main_of_its_own(self):
        edit(self.steps / TWO / "main.cu", "  return", "  ++argc;\n  return")
        self.refuse(f"{TWO}/main.cu: is not like that of the other steps")

    def test_wrong_of_its_own(self):
        edit(self.steps / TWO / "wrong" / "wrong.cu", "kTwins", "kStep")
        self.refuse(f"{TWO}/wrong/wrong.cu: is not like that of the other steps")

    def test_build_of_its_own(self):
        append(self.steps / TWO / "meson.build", "# more\n")
        self.refuse(f"{TWO}/meson.build: differs from {ONE}/meson.build")

    def test_step_that_is_not_listed(self):
        (self.steps / "13_next").mkdir()
        self.refuse("13_next: is no step of the manifest")

    def test_rung_that_is_not_listed(self):
        for folder in (self.steps / TWO, self.steps / TWO / "further"):
            folder.mkdir(exist_ok=True)
            path = folder / "99_forgotten.cuh"
            path.write_text("// a kernel\n", encoding="utf-8")
            self.refuse("99_forgotten.cuh: is no rung of the manifest")
            path.unlink()

    def test_manifest(self):
        append(self.steps / "ladder.toml", "\n[[ring]]\n")
        self.refuse("error: ")

    def test_code_in_a_chapter(self):
        source = (self.steps / TWO / "test.cu").read_text(encoding="utf-8").splitlines()
        lines = [line for line in source if line.strip()][:2]
        append(self.readme, FENCE.format(lines[0]))
        self.assertEqual(self.check().returncode, 0)
        append(self.readme, FENCE.format("int not_in_any_file;"))
        self.refuse("no source file of 08_transpose_shared has these lines in a row")

    def test_code_on_a_page_about_rungs_off_the_trunk(self):
        page = self.steps / TWO / "further" / "README.md"
        page.parent.mkdir(exist_ok=True)
        source = (self.steps / TWO / "test.cu").read_text(encoding="utf-8").splitlines()
        line = next(line for line in source if line.strip())
        page.write_text(f"# Further\n{FENCE.format(line)}", encoding="utf-8")
        self.assertEqual(self.check().returncode, 0)
        append(page, FENCE.format("int not_in_any_file;"))
        self.refuse("no source file of 08_transpose_shared has these lines in a row")

    def test_lines_in_the_wrong_order(self):
        source = (self.steps / TWO / "main.cu").read_text(encoding="utf-8").splitlines()
        append(self.readme, FENCE.format("\n".join(reversed(source))))
        self.refuse("no source file of 08_transpose_shared has these lines in a row")

    def test_code_of_a_known_wrong_twin(self):
        (self.steps / TWO / "wrong" / "planted.cu").write_text("int only_here;\n", encoding="utf-8")
        append(self.readme, FENCE.format("int only_here;"))
        self.refuse("no source file of")

    def test_fences(self):
        text = self.readme.read_text(encoding="utf-8")
        for fence, message in (("\n```\nx\n```\n", "a fence without a language"),
                               (FENCE.format(" "), "an empty cpp fence"),
                               ("\n```cuda\nint x;\n```\n", "is fenced as cpp, not as cuda"),
                               ("\n```text\nx\n", "a fence that is never closed")):
            self.readme.write_text(text + fence, encoding="utf-8")
            self.refuse(message)


if __name__ == "__main__":
    unittest.main()
