#!/usr/bin/env python3
"""The glossary: its terms are in order, each has its anchor, and every link to it hits a term.

The anchor of a term is its name in lower case with hyphens for spaces: glossary.md#bank-conflict.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "common"))
from source_files import source_files  # noqa: E402

GLOSSARY = ROOT / "docs" / "pages" / "glossary.md"
# The field's terms that the tutorial uses, in its words.
MANDATED = """bytes in flight, epilogue, fix-up, fragment, grid-stride loop, independent thread
scheduling, main loop, occupancy, partial tile, prologue, register double buffering, SM, stage,
stall, Stream-K, tile rasterization, TMA, warp aggregated, XOR swizzle"""


def anchor_of(term):
    return term.lower().replace(" ", "-")


def entries(text):
    """[(anchor, term)] of the paragraphs."""
    return re.findall(r'^(?:<a id="([^"]*)"></a>)?\*\*(.+?)\*\*', text, re.M)


def faults_of(text):
    faults = []
    terms = [term for _, term in entries(text)]
    for anchor, term in entries(text):
        if anchor != anchor_of(term):
            faults.append(f"'{term}' has the anchor '{anchor}', not '{anchor_of(term)}'")
    ordered = sorted(terms, key=lambda term: term.casefold())
    faults += [f"'{term}' is not in its place" for term, wanted in zip(terms, ordered)
               if term != wanted][:1]
    faults += [f"'{term}' is there twice" for term in set(terms) if terms.count(term) > 1]
    faults += [f"'{term}' is missing" for term in " ".join(MANDATED.split()).split(", ")
               if term not in terms]
    return faults


def broken_links(path, text, anchors):
    """Links to the glossary that hit no term."""
    own = r"\]\((#[^)\s]+)\)" if path == GLOSSARY.name else r"(?!)"
    return [f"{path}: glossary.md{match[1] or match[2]}" for match in
            re.finditer(rf"glossary\.(?:md|html)(#[\w.-]*)|{own}", text)
            if (match[1] or match[2])[1:] not in anchors]


class Glossary(unittest.TestCase):
    text = GLOSSARY.read_text(encoding="utf-8")
    anchors = {anchor for anchor, _ in entries(text)}

    def test_it_has_the_terms_in_order_with_their_anchors(self):
        self.assertEqual(faults_of(self.text), [])
        self.assertGreater(len(self.anchors), 60)

    def test_every_link_hits_a_term(self):
        names = [name for name in source_files(ROOT)
                 if name.endswith(".md") or name.startswith(("docs/site/", "docs/theme/"))]
        broken = [fault for name in names for fault in
                  broken_links(name, (ROOT / name).read_text(encoding="utf-8"), self.anchors)]
        self.assertEqual(broken, [])

    def test_planted_faults_are_found(self):
        for before, after, says in (
                ('id="bank-conflict"', 'id="conflict"', "not 'bank-conflict'"),
                ('<a id="grid"></a>', "", "has the anchor ''"),
                ("**SM**", "**multiprocessor**", "'SM' is missing"),
                ("**grid**", "**mesh**", "not in its place"),
                ("**guard**", "**grid**", "there twice")):
            self.assertIn(before, self.text)
            self.assertIn(says, "; ".join(faults_of(self.text.replace(before, after, 1))))
        self.assertEqual(broken_links("a.md", "[w](../pages/glossary.md#wrap)", self.anchors),
                         ["a.md: glossary.md#wrap"])
        self.assertEqual(broken_links("a.md", "[w](../pages/glossary.md#warp) [x](#x)",
                                      self.anchors), [])
        self.assertEqual(len(broken_links("glossary.md", "[w](#wrap)", self.anchors)), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
