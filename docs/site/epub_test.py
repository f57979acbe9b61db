#!/usr/bin/env python3
"""The e-book: every chapter is in it, its files are well-formed, its links and pictures are there,
and two builds are the same. Skips without pandoc."""

import pathlib
import posixpath
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml
import zipfile

import book
import epub
import staging


def faults_of(path):
    """[text]; an XML error is raised."""
    faults, anchors, links = [], set(), []
    with zipfile.ZipFile(path) as made:
        names = set(made.namelist())
        for name in sorted(names):
            if not name.endswith((".xhtml", ".opf", ".ncx", ".svg")):
                continue
            for node in xml.fromstring(made.read(name)).iter():
                anchors.add((name, node.get("id")))
                for key in ("href", "src"):
                    if node.tag.endswith(("}a", "}img")) and node.get(key):
                        links.append((name, node.get(key)))
    for name, link in links:
        if re.match("https?:", link):
            continue
        target, _, anchor = link.partition("#")
        folder = posixpath.dirname(name)
        target = posixpath.normpath(posixpath.join(folder, target)) if target else name
        if target not in names:
            faults.append(f"{name}: {link} is not there")
        elif anchor and (target, anchor) not in anchors:
            faults.append(f"{name}: {link} has no such place")
    return faults


class Epub(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, name="one.epub"):
        epub.make(self.folder / name)
        return self.folder / name

    def test_the_book(self):
        one, other = self.made(), self.made("other.epub")
        self.assertEqual(faults_of(one), [])
        self.assertEqual(one.read_bytes(), other.read_bytes())
        with zipfile.ZipFile(one) as made:
            text = "".join(made.read(name).decode() for name in made.namelist()
                           if name.endswith(".xhtml"))
            pictures = [name for name in made.namelist() if name.endswith(".svg")]
        for step in book.steps():
            if step.readme:
                self.assertIn(f'id="{step.name}"', text)
        self.assertGreater(len(pictures), 15)
        self.assertIn("<math ", text)
        self.assertNotIn("&lt;!--", text)
        self.assertNotIn("[!NOTE]", text)

    def planted(self, before, after):
        chosen = epub.pages()
        page = next(page for page in chosen if page.name == "memory")
        self.assertIn(before, page.text)
        page.text = page.text.replace(before, after, 1)
        with unittest.mock.patch.object(epub, "pages", lambda: chosen):
            return self.made()

    def test_a_link_to_nothing_is_found(self):
        made = self.planted("## Registers\n", "## Registers\n\n[There](faults.md#nowhere)\n")
        [fault] = faults_of(made)
        self.assertIn("faults--nowhere has no such place", fault)

    def test_a_picture_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(staging.Fault, "nowhere.svg"):
            self.planted("## Registers\n", "## Registers\n\n![A ladder](nowhere.svg)\n\n")


if __name__ == "__main__":
    if shutil.which("pandoc") is None:
        print("skipped, not installed: pandoc")
        sys.exit(77)
    unittest.main()
