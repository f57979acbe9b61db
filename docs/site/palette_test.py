#!/usr/bin/env python3
"""The colors of docs/theme/site.css: text has enough contrast with its background, light and dark."""

import re
import unittest

import book
import highlight

TEXT = (book.DOCS / "theme" / "site.css").read_text(encoding="utf-8")
ENOUGH = 4.5  # WCAG 2.2 AA
BACKS = ["back", "raised", "inset"]
# Each text and the ground that it stands on.
PAIRS = [*((ink, back) for ink in ("ink", "soft", "link", "accent") for back in BACKS),
         *((f"code-{kind}", back) for kind in ("comment", "keyword", "type", "cuda", "string", "number",
                                               "call")
           for back in ("raised", "inset", "good-back", "bad-back")),
         ("accent", "accent-back"), ("ink", "accent-back"), ("ink", "good-mark"),
         ("ink", "bad-mark"),
         ("good-ink", "good-back"), ("bad-ink", "bad-back"), ("good-ink", "back"),
         ("bad-ink", "back"),
         ("back", "accent")]


def palettes(text):
    """{name: color} of the light theme, and of the dark one."""
    found = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", text)
    return [{name: colors[i] for name, *colors in found} for i in range(2)]


def luminance(color):
    """As WCAG defines it: 0 of black to 1 of white."""
    parts = (int(color[i:i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else
              ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faults_of(text):
    return [f"{theme}: {ink} on {back} has a contrast of {contrast(colors[ink], colors[back]):.2f}"
            for theme, colors in zip(("light", "dark"), palettes(text)) for ink, back in PAIRS
            if contrast(colors[ink], colors[back]) < ENOUGH]


class Palette(unittest.TestCase):
    def test_text_can_be_read(self):
        self.assertEqual(faults_of(TEXT), [])

    def test_words_that_changed_are_in_the_color_of_text(self):
        tag = re.match(r"<(\w+)", highlight.colored("x", "hc"))[1]
        self.assertRegex(TEXT, rf"\.diff mark {tag} {{ color: var\(--ink\)")

    def test_contrast(self):
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(contrast("#777777", "#ffffff"), 4.48, places=2)

    def test_text_that_is_too_pale_is_found(self):
        pale = TEXT.replace("--soft: light-dark(#526070,", "--soft: light-dark(#8a97a5,")
        self.assertNotEqual(pale, TEXT)
        found = faults_of(pale)
        self.assertEqual(len(found), len(BACKS))
        self.assertIn("light: soft on back", found[0])


if __name__ == "__main__":
    unittest.main()
