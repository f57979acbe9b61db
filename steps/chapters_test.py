#!/usr/bin/env python3
"""Every chapter has its shape (chapter_shape.py), and faults that are planted in one are found."""

import contextlib
import pathlib
import tempfile
import unittest
import unittest.mock

import chapter_questions
import chapter_shape
import ladder
from ladder_fixture import replaced

LADDER = ladder.read()
# Chapters that are still to be written anew.
OLD_SHAPE = set()

STEP = LADDER.step("04_reduce_shared")
KERNEL = next(chapter_shape.kernels_of([LADDER.rung("reduce_shared")]))
CHAPTER = f"""# 04: Shared memory

How many atomics?

## Predict

<!-- written by steps/questions.py: predict -->
<!-- end of what questions.py wrote -->

## See it

![A tree](../../docs/drawings/04_tree.svg)

## The kernel

```cpp
{KERNEL}```

## Rungs

<!-- written by steps/chapter_tables.py: rungs -->
<!-- end of what chapter_tables.py wrote -->

`reduce_interleaved` is slow, `2_reduce_shared.cuh` less so.

<!-- written by steps/chapter_tables.py: stalls -->
## Stalls of all
<!-- end of what chapter_tables.py wrote -->

## Break it

Read `wrong/find_me.cuh`.

```sh
build/steps/04_reduce_shared/04_reduce_shared_wrong --kernel find_me --sanitize
```

Change it.

<details><summary>Answer</summary>

It is slower.

</details>

## What you can do now

- Add.
- Wait.
- Count.

## Check yourself

<!-- written by steps/questions.py: check -->
<!-- end of what questions.py wrote -->

## In production

Call CUB.

## What limits us now

Atomics.

## Going further

[One](https://a.org/1), [two](https://a.org/2) and [three](https://a.org/3).
"""
QUESTION = """
[[question]]
id = "{section}{number}"
section = "{section}"
ask = "How many?"
value = "1 + 1"
answer = "{{value}}"
"""
QUESTIONS = "".join(QUESTION.format(section=section, number=number)
                    for section in ("predict", "check") for number in range(3))


@contextlib.contextmanager
def planted(files):
    """steps/ with these files of the chapter: name -> text."""
    with tempfile.TemporaryDirectory() as name:
        steps = pathlib.Path(name).resolve() / "steps"
        drawing = steps.parent / "docs" / "drawings" / "04_tree.svg"
        for path, text in [(drawing, "<svg/>"), *((steps / STEP.name / name, text)
                                                  for name, text in files.items())]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        with unittest.mock.patch.object(chapter_questions, "CHAPTERS", steps):
            yield steps


class Real(unittest.TestCase):
    def test_chapters(self):
        for step in LADDER.steps:
            faults = list(chapter_shape.faults(step, LADDER))
            if step.program in OLD_SHAPE:
                self.assertTrue(faults, f"{step.name} has the shape: take it off OLD_SHAPE")
            else:
                self.assertEqual(faults, [], f"steps/{step.name}/README.md")

    def test_every_step_has_a_kernel_to_show(self):
        for step in LADDER.steps:
            rungs = [one for one in LADDER.variants_of(step.name) if one.is_rung]
            self.assertGreaterEqual(len(list(chapter_shape.kernels_of(rungs))), len(rungs))

    def test_list_of_old_chapters(self):
        self.assertLessEqual(OLD_SHAPE, {step.program for step in LADDER.steps})


class Faults(unittest.TestCase):
    FILES = {"README.md": CHAPTER, "questions.toml": QUESTIONS, "wrong/find_me.cuh": "",
             "wrong/find_me.toml": ""}

    def faults(self, change=lambda text: text, file="README.md", without=()):
        files = {name: change(text) if name == file else text for name, text in self.FILES.items()
                 if name not in without}
        with planted(files) as steps:
            return list(chapter_shape.faults(STEP, LADDER, steps))

    def assert_found(self, text, *change, **others):
        [fault] = self.faults(replaced(*change) if change else lambda text: text, **others)
        self.assertIn(text, fault)

    def test_right_chapter(self):
        self.assertEqual(self.faults(), [])

    def test_title(self):
        self.assert_found("title", "# 04: ", "# 4: ")

    def test_headings(self):
        self.assert_found("its headings are", "Call CUB.\n", "Call CUB.\n\n## More\n\nText.\n")
        missing = self.faults(replaced("## See it", "### See it"))
        self.assertIn("its headings are", missing[0])
        self.assertIn("'See it' is empty", missing)

    def test_order_of_headings(self):
        first, second = ("## In production\n\nCall CUB.\n\n",
                         "## What limits us now\n\nAtomics.\n\n")
        self.assert_found("its headings are", first + second, second + first)

    def test_opening(self):
        self.assert_found("no opening", "How many atomics?\n", "")

    def test_empty_section(self):
        self.assert_found("'In production' is empty", "Call CUB.", "")

    def test_questions(self):
        self.assert_found("'Predict' has no place", "questions.py: predict", "questions.py: check")
        self.assertIn("there are 2 questions to predict, not 3 or more", self.faults(
            replaced('section = "predict"', 'section = "check"'), "questions.toml"))
        more = "".join(QUESTION.format(section="check", number=number) for number in range(3, 6))
        self.assert_found("6 questions to check, not 3 to 5", QUESTIONS, QUESTIONS + more,
                          file="questions.toml")
        self.assertEqual(len(self.faults(without=["questions.toml"])), 2)

    def test_drawing(self):
        self.assert_found("no drawing", "![A tree]", "[A tree]")
        self.assert_found("there is no drawing ../../docs/drawings/05_tree.svg", "04_tree",
                          "05_tree")

    def test_kernel(self):
        line = KERNEL.splitlines(keepends=True)[2]
        self.assert_found("shows no kernel of the step whole", line, "")
        self.assert_found("shows no kernel", "```cpp", "```text")

    def test_rungs(self):
        self.assert_found("does not speak of reduce_interleaved", "`reduce_interleaved`", "One")
        self.assert_found("does not speak of reduce_shared", "`2_reduce_shared.cuh`", "two")
        self.assert_found("no table of stalls", "chapter_tables.py: stalls", "chapter_tables.py: x")
        self.assert_found("no table of rungs", "chapter_tables.py: rungs", "chapter_tables.py: x")

    def test_a_rung_may_be_on_the_further_page(self):
        with planted({**self.FILES, "README.md": CHAPTER.replace("`reduce_interleaved`", "One"),
                      "further/README.md": "# More\n\n`reduce_interleaved`\n"}) as steps:
            self.assertEqual(list(chapter_shape.faults(STEP, LADDER, steps)), [])

    def test_find_me(self):
        self.assert_found("does not name", "wrong/find_me.cuh", "wrong/find.cuh")
        self.assert_found("does not say how to run it", "build/steps/04_reduce", "build/04_reduce")
        for name in ("wrong/find_me.cuh", "wrong/find_me.toml"):
            self.assert_found(f"there is no {name}", without=[name])

    def test_changed_constant(self):
        self.assert_found("no folded answer", "<details><summary>", "<details open><summary>")

    def test_can_do(self):
        self.assert_found("has 2 points", "- Add.\n", "")
        self.assert_found("has 6 points", "- Add.\n", "- Add.\n" * 4)

    def test_sources(self):
        self.assert_found("links to 2 sources", "https://a.org/3", "../a.md")
        self.assert_found("links to 2 sources", "https://a.org/3", "https://a.org/2")

    def test_words(self):
        def with_words(count):
            return replaced("Call CUB.", "Call `cub` now. " + "word " * count)
        room = chapter_shape.MOST_WORDS - chapter_shape.words(CHAPTER) - 1
        self.assertEqual(self.faults(with_words(room)), [])
        [fault] = self.faults(with_words(room + 1))
        self.assertIn("has 1301 words", fault)

    def test_what_counts_as_prose(self):
        for text in ("```cpp\na b c\n```\n", "| a | b |\n", "<!-- a b -->\n",
                     "<!-- written by x -->\na b\n<!-- end of what x wrote -->\n",
                     "![a b](c.svg)\n", "- + →\n"):
            self.assertEqual(chapter_shape.words(text), 0, text)
        self.assertEqual(chapter_shape.words("a `b c d` [e f](g/h.md), 2^28 * 4."), 6)


if __name__ == "__main__":
    unittest.main()
