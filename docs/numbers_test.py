#!/usr/bin/env python3
"""Numbers in the texts: recorded figures are those of the records, and the others come from somewhere."""

import pathlib
import sys
import unittest
import unittest.mock

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
import prose_numbers  # noqa: E402, which lets those of docs/site and of steps be found
import values  # noqa: E402
import book  # noqa: E402
import chapter_questions  # noqa: E402


class Values(unittest.TestCase):
    """Recorded figures in the text of docs/pages."""

    def test_they_are_up_to_date(self):
        for path in (book.DOCS / "pages").glob("*.md"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text, values.filled(text), "docs/values.py write")
            self.assertNotIn("{{", text)

    def test_a_figure_that_is_not_the_recorded_one_is_found(self):
        text = (book.DOCS / "pages" / "elementwise.md").read_text(encoding="utf-8")
        [name, figure] = values.VALUE.search(text).groups()
        wrong = text.replace(f"<!--= {name} -->{figure}", f"<!--= {name} -->1{figure}", 1)
        self.assertNotEqual(wrong, text)
        self.assertEqual(values.filled(wrong), text)
        with self.assertRaisesRegex(ValueError, "no figure 'rat'"):
            values.filled("<!--= rat -->5<!--/-->")

    def test_what_is_not_recorded_yet_is_said_to_be_so(self):
        nothing = book.ladder_records.Records(book.manifest(), "nowhere")
        with unittest.mock.patch.object(book, "recorded", lambda name: []), \
                unittest.mock.patch.object(book, "rows", lambda name: []), \
                unittest.mock.patch.object(book, "of_rungs", lambda: nothing):
            for words in ("rate 01_naive_add add", "best 01_naive_add", "roof 01_naive_add add",
                          "each 01_naive_add add global_load"):
                self.assertEqual(values.value(words.split()), values.UNRECORDED)
        for words in ("rate 01_naive_add subtract", "roof 01_naive_add subtract"):
            with self.assertRaises(ValueError):
                values.value(words.split())


class Numbers(unittest.TestCase):
    def faults(self, name, before="", after="", **numbers):
        page = next(page for page in book.chapters_in_order() if page.name == name)
        self.assertIn(before, page.text)
        page.text = page.text.replace(before, after, 1)
        listed = prose_numbers.listed()
        step = book.step(name)
        allowed = (prose_numbers.in_sources(step) | prose_numbers.in_results(step) |
                   set(listed["constants"]))
        return prose_numbers.faults_of(page, {**listed, **numbers}, allowed)

    def test_every_number_comes_from_somewhere(self):
        readme = book.Page("README", "", "README.md", (book.ROOT / "README.md").read_text(), "guide")
        self.assertEqual(prose_numbers.faults(
            [*book.chapters_in_order(), *book.further_pages(), readme]), [])
        readme.text += "\nIt takes 8765.4 ms.\n"
        [fault] = prose_numbers.faults([readme])
        self.assertIn("8765.4 comes from nowhere", fault)

    def test_numbers_of_questions(self):
        def question(**fields):
            return chapter_questions.Question(**{
                "where": "q", "id": "q", "section": "check", "ask": "Of 2^28 in blocks of 256?",
                "value": "2**28 / 256 / recorded('add', 'median_ms')", "answer": "{value:.2f}, {a}",
                **fields})
        allowed = {"47.5"}
        self.assertEqual(prose_numbers.question_faults(question(), allowed), [])
        for fields, said in (({"ask": "Of 512?"}, "q: 512 comes from nowhere"),
                             ({"answer": "{value} of 1.76 ns"}, "q: 1.76 comes from nowhere"),
                             ({"choices": ["a", "77"]}, "q: 77 comes from nowhere"),
                             ({"values": {"a": "2 * 1.76"}}, "q: 1.76 of an expression")):
            [fault] = prose_numbers.question_faults(question(**fields), allowed)
            self.assertIn(said, fault)
        for fields in ({"answer": "{value} of 47.5"}, {"values": {"a": "2 * 47.5"}},
                       {"value": "counted('add', '--n 77', 'barriers')", "ask": "Of 77?"},
                       {"answer": "`kernel<77>`: {value:8.3f}"}):
            self.assertEqual(prose_numbers.question_faults(question(**fields), allowed), [])

    def test_a_question_uses_numbers_of_the_list(self):
        asked = chapter_questions.Question("q", "q", "check", "How many of 8713?", "1 + 1", "{value}")
        with unittest.mock.patch.object(chapter_questions, "has_questions", lambda step: True), \
                unittest.mock.patch.object(chapter_questions, "read", lambda step: [asked]):
            [fault] = self.faults("08_transpose_shared")
            self.assertIn("q: 8713 comes from nowhere", fault)
            own = {**prose_numbers.listed()["08_transpose_shared"], "8713": "8712 + 1", "8712": "4 * 2178"}
            found = self.faults("08_transpose_shared", **{"08_transpose_shared": own})
            self.assertFalse([fault for fault in found if fault.startswith("q:")])
            self.assertFalse([fault for fault in found if "8713 of numbers.toml" in fault])
            self.assertTrue([fault for fault in found if "8712 of numbers.toml" in fault])

    def test_a_number_that_was_made_up_is_found(self):
        [fault] = self.faults("08_transpose_shared", "16 sectors are no waste", "17.3 sectors are no waste")
        self.assertIn("17.3 comes from nowhere", fault)

    def test_a_number_in_a_list_is_no_step(self):
        [fault] = self.faults("08_transpose_shared", "16 sectors are no waste", "Here, 977 are no waste")
        self.assertIn("977 comes from nowhere", fault)

    def test_a_calculation_that_is_wrong_is_found(self):
        [fault] = self.faults("08_transpose_shared", **{"08_transpose_shared": {"33": "32 + 2"}})
        self.assertIn("32 + 2 is 34, not 33", fault)

    def test_a_calculation_with_made_up_numbers_is_found(self):
        faults = self.faults("08_transpose_shared", **{"08_transpose_shared": {"33": "987 - 954"}})
        self.assertIn("comes from nowhere", faults[0])

    def test_what_nothing_needs_is_found(self):
        numbers = {"33": "32 + 1", "34": "32 + 2"}
        [fault] = self.faults("08_transpose_shared", **{"08_transpose_shared": numbers})
        self.assertIn("34 of numbers.toml is not in it", fault)


if __name__ == "__main__":
    unittest.main()
