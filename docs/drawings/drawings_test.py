#!/usr/bin/env python3
"""The drawings are what their scripts draw, and can be read."""

import contextlib
import io
import pathlib
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

import draw
import svg

SVG = "{http://www.w3.org/2000/svg}"


def luminance(color):
    """WCAG 2's relative luminance of #rrggbb."""
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Palette(unittest.TestCase):
    def test_text_can_be_read(self):
        for palette in (svg.LIGHT, svg.DARK):
            for name in svg.TEXT_COLORS:
                self.assertGreaterEqual(contrast(palette[name], palette["paper"]), 4.5, name)
            for name in ("ink", "soft"):
                self.assertGreaterEqual(contrast(palette[name], palette["wash"]), 4.5, name)

    def test_contrast_is_that_of_the_standard(self):
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(contrast("#777777", "#ffffff"), 4.48, places=2)

    def test_light_and_dark_have_the_same_colors(self):
        self.assertEqual(list(svg.LIGHT), list(svg.DARK))


class Drawings(unittest.TestCase):
    def test_all_are_up_to_date(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(draw.main(["check"]), 0, said.getvalue())

    def test_what_changed_or_is_left_over_is_found(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(draw, "FOLDER", pathlib.Path(folder)):
            (pathlib.Path(folder) / "left.svg").write_text("<svg/>")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(draw.main(["check"]), 1)
            self.assertIn("no chapter_*.py draws it", said.getvalue())
        changed = {path: text + " " for path, text in draw.wanted().items()}
        with unittest.mock.patch.object(draw, "wanted", lambda: changed), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(draw.main(["check"]), 1)
        self.assertIn("out of date", said.getvalue())

    def test_each_says_what_it_shows(self):
        for path, text in draw.wanted().items():
            root = xml.etree.ElementTree.fromstring(text)
            ids = {root.find(SVG + tag).get("id") for tag in ("title", "desc")}
            self.assertEqual(set(root.get("aria-labelledby").split()), ids, path)
            self.assertTrue(all(root.find(SVG + tag).text.strip() for tag in ("title", "desc")))
            self.assertTrue(all(one.startswith(path.stem) for one in ids), path)

    def test_nothing_is_outside(self):
        for path, text in draw.wanted().items():
            root = xml.etree.ElementTree.fromstring(text)
            width, height = (float(root.get(side)) for side in ("width", "height"))
            for element in root.iter(SVG + "rect"):
                x, y = float(element.get("x", 0)), float(element.get("y", 0))
                self.assertTrue(0 <= x and x + float(element.get("width")) <= width + 0.1, path)
                self.assertTrue(0 <= y and y + float(element.get("height")) <= height + 0.1, path)
            for element in root.iter(SVG + "text"):
                self.assertTrue(0 <= float(element.get("x")) <= width, (path, element.text))
                self.assertTrue(0 <= float(element.get("y")) <= height, (path, element.text))


if __name__ == "__main__":
    unittest.main()
