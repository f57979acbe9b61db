#!/usr/bin/env python3
"""Plants faults in a chapter's questions: each is found, and said in one clear line."""

import contextlib
import io
import unittest

import chapter_questions
import expressions
import questions
from ladder_fixture import replaced
from questions_fixture import QUESTIONS, README, STEP, planted, program_text

COUNTED = """'counted("reduce_shared", "--n 512", "global_atomic.threads")'"""  # a value of these


def run(action, build, *step):
    """(exit code, what it printed, errors)"""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = questions.main([action, str(build), *step])
    return code, out.getvalue(), errors.getvalue()


def error_of(change, **others):
    """The complaint about the questions after a change."""
    with planted(change(QUESTIONS), **others) as (build, _):
        code, out, errors = run("check", build)
    once = (errors.count("\n"), errors.count(".toml"))
    assert (code, out, once) == (2, "", (1, 1)), (code, out, errors)
    return errors


class Written(unittest.TestCase):
    def written(self, *others):
        with planted(*others) as (build, readme):
            self.assertEqual(run("write", build), (0, "", ""))
            self.assertEqual(run("check", build), (0, "", ""))
            return readme.read_text(encoding="utf-8")

    def test_questions_and_answers_are_between_the_marks(self):
        text = self.written()
        self.assertIn("""\
<!-- written by steps/questions.py: predict -->

1. How many atomics for 512 elements in blocks of 256?

<details><summary>Answers</summary>

1. 512 / 256 = 2 atomics, for 0.4% of the elements.

Counted by

```sh
build/steps/04_reduce_shared/04_reduce_shared --kernel reduce_shared --n 512 --counters
```

</details>

<!-- end of what questions.py wrote -->
""", text)
        self.assertIn("1. Which are more? (a) the barriers; (b) the atomics.\n", text)
        self.assertIn("1. (a) the barriers. There are 18 barriers.\n", text)
        self.assertTrue(text.endswith("wrote -->\n\n## Further\n"))

    def test_a_kernel_that_asks_for_the_multiprocessors_is_told_them(self):
        with planted() as (build, _):
            runs = chapter_questions.Sources(build).runs
            command = runs.command("reduce_grid_stride", "")
        self.assertTrue(command.startswith("CUCPU_SMS=132 build/"), command)

    def test_no_line_of_an_answer_begins_a_list(self):
        for word in ("256.", "-", "#"):
            for length in range(60, 120):
                lines = questions.numbered([f"{'x' * length} {word} y"])[0].splitlines()
                self.assertFalse([line for line in lines[1:] if line.strip().startswith(word)])

    def test_one_step_alone(self):
        with planted() as (build, _):
            self.assertEqual(run("check", build, "05"), (0, "", ""))
            self.assertEqual(run("check", build, "04")[0], 1)
            code, _, errors = run("check", build, "40")
            self.assertEqual((code, errors.count("\n")), (2, 1))
            self.assertIn("no step '40'", errors)


class OutOfDate(unittest.TestCase):
    def found_after(self, change):
        """The answer of check after a change of the written block."""
        with planted() as (build, readme):
            run("write", build)
            readme.write_text(change(readme.read_text(encoding="utf-8")), encoding="utf-8")
            return run("check", build)

    def test_a_wrong_value_typed(self):
        code, out, _ = self.found_after(replaced("= 2 atomics", "= 3 atomics"))
        self.assertEqual(code, 1)
        self.assertIn("README.md: out of date", out)

    def test_a_question_changed(self):
        self.assertEqual(self.found_after(replaced("Which are more?", "Which are less?"))[0], 1)

    def test_a_kernel_that_counts_otherwise(self):
        with planted() as (build, _):
            run("write", build)
            for program in (build / "steps" / STEP).iterdir():
                program.write_text(program_text(barriers=20), encoding="utf-8")
            self.assertEqual(run("check", build)[0], 1)


class Places(unittest.TestCase):
    def error(self, change, text=QUESTIONS):
        with planted(text, readme=change(README)) as (build, _):
            code, _, errors = run("write", build)
        self.assertEqual((code, errors.count("\n")), (2, 1))
        return errors

    def test_missing(self):
        self.assertIn("one place for its questions", self.error(replaced(": check", ": checks")))

    def test_twice(self):
        self.assertIn("one place", self.error(lambda text: text + text))

    def test_without_an_end(self):
        error = self.error(replaced("<!-- end of what questions.py wrote -->\n", ""))
        self.assertIn("is not ended by", error)

    def test_without_questions(self):
        without = QUESTIONS[:QUESTIONS.index("[[question]]\nid = \"which\"")]
        self.assertIn("no question is in it", self.error(lambda text: text, without))

    def test_without_a_file(self):
        with planted(None) as (build, _):
            code, out, _ = run("check", build)
        self.assertEqual(code, 1)
        self.assertIn("there is no questions.toml", out)


class Faults(unittest.TestCase):
    def assert_said(self, text, *change, **others):
        error = error_of(replaced(*change), **others)
        self.assertIn(text, error)
        self.assertTrue(error.startswith(f"error: steps/{STEP}/questions.toml: "), error)

    def test_bad_toml(self):
        self.assert_said("line 3", 'id = "atomics"', "id = atomics")

    def test_no_question(self):
        self.assertIn("no [[question]]", error_of(lambda text: "# none\n"))
        self.assert_said("has 'title'", "[[question]]", 'title = "A"\n[[question]]')

    def test_duplicate_ids(self):
        self.assert_said("question 'atomics': there are two", 'id = "which"', 'id = "atomics"')

    def test_unknown_key(self):
        self.assert_said("'atomics': unknown key 'answers'", "answer =", "answers =")

    def test_missing_key(self):
        self.assert_said("'atomics': has no 'ask'", "ask =", 'ask = ""\n# ')
        self.assert_said("question '1': has no 'id'", 'id = "atomics"\n', "")

    def test_kinds(self):
        self.assert_said("'unit' is 3, not a str", 'unit = "atomics"', "unit = 3")
        self.assert_said("'choices' is 'a', not a list", "choices = [", 'choices = "a"\n# [')
        self.assert_said("tolerance is 2", 'unit =', "tolerance = 2\nunit =")
        self.assert_said("0.5 is not an expression", '"value / 512"', "0.5")

    def test_section(self):
        self.assert_said("section is 'predicts'; allowed: predict, check", "predict", "predicts")

    def test_typed_value(self):
        self.assert_said("'atomics': value is typed, '2'",
                         COUNTED, '"2"')
        self.assert_said("part is typed, '-0.5'", '"value / 512"', '"-0.5"')

    def test_answer_without_its_value(self):
        self.assert_said("'atomics': its answer never shows {value}", "{value}", "2")

    def test_values_not_shown(self):
        self.assert_said("'part' of its values is neither shown nor used", "{part:.1%}", "some")

    def test_shown_that_is_no_value(self):
        self.assert_said("shows {parts}, which is none", "{part:.1%}", "{parts:.1%}")
        self.assert_said("is not the name of a value", "{part:.1%}", "{part.real:.1%}")
        self.assert_said("'atomics': ", "{part:.1%}", "{part:.1%")
        self.assert_said("'atomics': ", "{part:.1%}", "{part:.1q}")

    def test_html(self):
        self.assert_said("has HTML", "blocks of 256?", "blocks<br>of 256?")
        self.assert_said("has HTML or a link", "blocks of 256?", "[blocks](a.md) of 256?")

    def test_code_is_no_html(self):
        text = QUESTIONS.replace("blocks of 256?", "`f<<<2, 256>>>` if 2 < 256?")
        with planted(text) as (build, _):
            self.assertEqual(run("write", build)[0], 0)

    def test_unknown_field(self):
        self.assert_said("'atomics': there is no field 'global_atomic.thread'; allowed: "
                         "global_atomic.requests", "threads", "thread")
        self.assert_said("there is no field 'barrier'; allowed: global_atomic.FIELD, barriers",
                         '"barriers") >', '"barrier") >')

    def test_unknown_kernel(self):
        self.assert_said("'atomics': there is no kernel 'reduce_share'", "reduce_shared",
                         "reduce_share")

    def test_options_that_the_program_refuses(self):
        self.assert_said("exit code 2: error: --n 'bad': no number", "--n 512", "--n bad")

    def test_arguments(self):
        self.assert_said("missing 1 required positional argument", ', "global_atomic.threads")',
                         ")")
        self.assert_said("have to be texts in quotes", '"--n 512"', "512")

    def test_division_by_zero(self):
        self.assert_said("'atomics': 'value / (512 - 512)' divides by zero",
                         "value / 512", "value / (512 - 512)")
        self.assert_said("divides by zero", "global_atomic.threads", "barriers / 0")

    def test_a_value_that_needs_itself(self):
        self.assert_said("'part' needs itself", "value / 512", "value / part")

    def test_unknown_name(self):
        self.assert_said("there is no 'values'", "value / 512", "values / 512")

    def test_choice_out_of_range(self):
        self.assert_said("'which': value is 3, but there are 2 choices", "> 2 else 2", "< 2 else 3")

    def test_records(self):
        for wrong, said in (('recorded("reduce_shared", "median")', "has no field 'median'"),
                            ('recorded("reduce", "median_ms")', "no record of 'reduce'"),
                            ('recorded("reduce_shared", "median_ms", "--n 3")', "no size '--n 3'"),
                            ('stalls("reduce_two", "us")', "no launch of 'reduce_two'"),
                            ('stalls("reduce_shared", "stalls.wait")', "no field 'stalls.wait'"),
                            ('changed("reduce")', "no rung 'reduce'")):
            self.assert_said(said, COUNTED, f"'{wrong}'")

    def test_programs_that_are_missing(self):
        with planted() as (build, _):
            for program in (build / "steps" / STEP).iterdir():
                program.unlink()
            self.assertIn("04_reduce_shared is missing; meson compile", run("check", build)[2])
        with planted() as (build, _):
            (build / "steps" / STEP / f"{STEP}.traced").unlink()
            self.assertIn("has to be one of the cpu backend", run("check", build)[2])


class Records(unittest.TestCase):
    def test_figures(self):
        with planted() as (build, _):
            sources = chapter_questions.Sources(build)
        rows = [row for row in sources.records.rows.values() if row.variant == "transpose"]
        self.assertGreater(len(rows), 1)
        for row in rows:
            self.assertEqual(sources.recorded("transpose", "median_ms", row.options), row.median_ms)
        self.assertEqual(sources.recorded("transpose", "median_ms"), rows[0].median_ms)
        [launch] = [one for one in sources.launches if one["rung"] == "add"]
        self.assertEqual(sources.stalls("add", "us"), launch["us"])
        for why, cycles in launch["stalls"].items():
            self.assertEqual(sources.stalls("add", f"stalls.{why}"), cycles)
        fixup = [one for one in sources.launches if one["rung"] == "sgemm_fixup"]
        self.assertEqual(len(fixup), 2)
        self.assertEqual(sources.stalls("sgemm_fixup", "us"), max(one["us"] for one in fixup))
        for one in fixup:
            self.assertEqual(sources.stalls("sgemm_fixup", "us", one["kernel"]), one["us"])
        self.assertGreater(sources.changed("reduce_shared"), 0)


class Expressions(unittest.TestCase):
    def test_values(self):
        for text, value in (("2**28 / 256", 1048576), ("7 // 2 % 2", 1), ("-3 + +5", 2),
                            ("log2(8) + ceil(0.2)", 4), ("min(1, 2) + max(3, 4)", 5),
                            ("round(2.6)", 3), ("round(2.64, 1)", 2.6),
                            ("4 if 2 > 1 else 5", 4), ("4 if 2 == 1 else 5", 5)):
            self.assertEqual(expressions.value_of(text), value, text)

    def test_refused(self):
        for text in ("", "1 +", "__import__('os')", "x", "open('a')", "[1]", "(1).real", "1 < 2",
                     "'a'", "True", "log2(0)", "9**9**9", "1e999", "1 / 0", "2 and 3", "min()",
                     "f'{1}'", "lambda: 1", "(-8) ** 0.5", "1_0 if", "log2('a')"):
            with self.assertRaises(expressions.Fault, msg=text):
                expressions.value_of(text)

    def test_numbers_and_names(self):
        self.assertEqual(expressions.numbers_of("2 ** 28 / x + log2(y)"), [2, 28])
        self.assertEqual(expressions.names_of("2 * x + log2(a.b)"), {"x", "a.b"})


if __name__ == "__main__":
    unittest.main()
