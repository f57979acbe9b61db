#!/usr/bin/env python3
"""The site that is made: links, sizes, that nothing is asked of other hosts, and that two builds are
the same. Each fault that it looks for is planted once, to be found. Skips if the site cannot be made."""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import book
import build
import diffs
import sources
import staging

MOST_BYTES = 12_000_000
MOST_PAGE_BYTES = 300_000
MOST_SECONDS = 60


class Reader(html.parser.HTMLParser):
    """The links of a page, and the places in it that can be linked to."""

    ADDRESSES = {"href", "src", "srcset", "data", "poster", "action"}

    def __init__(self):
        super().__init__()
        self.links, self.anchors, self.twice = [], set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            # A link that a reader may follow asks nothing of another host by itself.
            is_source = tag == "a" and name == "href" and re.match("https?://", value or "")
            if name in self.ADDRESSES and value is not None and not is_source:
                self.links.append(value)
            if name == "id":
                if value in self.anchors:
                    self.twice.append(value)
                self.anchors.add(value)


def faults_of(site):
    """The faults of the pages in a folder: [text]"""
    pages = {}
    for path in sorted(site.glob("*.html")):
        pages[path.name] = Reader()
        pages[path.name].feed(path.read_text(encoding="utf-8"))
    faults = []
    for name, page in pages.items():
        faults += [f"{name}: #{anchor} twice" for anchor in page.twice]
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            target = urllib.parse.unquote(address.path) or name
            if address.scheme or address.netloc:
                faults.append(f"{name}: {link} is of another host")
            elif not (site / target).is_file():
                faults.append(f"{name}: {link} is not there")
            elif address.fragment and target in pages and \
                    urllib.parse.unquote(address.fragment) not in pages[target].anchors:
                faults.append(f"{name}: {link} has no such place")
    for path in sorted(site.glob("*.css")):
        if "url(http" in path.read_text(encoding="utf-8"):
            faults.append(f"{path.name} refers to another host")
    return faults


def oversized(site):
    faults = [f"{path.name}: {path.stat().st_size} bytes" for path in sorted(site.glob("*.html"))
              if path.stat().st_size > MOST_PAGE_BYTES]
    total = sum(path.stat().st_size for path in site.iterdir())
    return faults + ([f"{total} bytes in all"] if total > MOST_BYTES else [])


def differing(one, other):
    """The files that only one of two folders has, or that are not the same in both."""
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other)]
    return sorted(name for name in files[0].keys() | files[1].keys()
                  if files[0].get(name) != files[1].get(name))


class Made(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.folder.name) / "site"
        start = time.monotonic()
        build.Site(cls.site).make()
        cls.seconds = time.monotonic() - start

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def planted(self, name, before, after):
        """The faults of the site with one page changed."""
        path = self.site / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        try:
            return faults_of(self.site)
        finally:
            path.write_text(text, encoding="utf-8")

    def test_links(self):
        self.assertEqual(faults_of(self.site), [])

    def test_a_broken_link_is_found(self):
        found = self.planted("memory.html", 'href="results_agreement.html"', 'href="agreed.html"')
        self.assertEqual(found, ["memory.html: agreed.html is not there"])

    def test_a_broken_anchor_is_found(self):
        found = self.planted("index.html", 'href="#start"', 'href="#begin"')
        self.assertEqual(found, ["index.html: #begin has no such place"])

    def test_a_missing_image_is_found(self):
        found = self.planted("index.html", "</article>", '<img src="ladder.png"></article>')
        self.assertEqual(found, ["index.html: ladder.png is not there"])

    def test_another_host_is_found(self):
        found = self.planted("index.html", "</head>", '<script src="//example.org/a.js"></script></head>')
        self.assertEqual(found, ["index.html: //example.org/a.js is of another host"])
        image = 'https://example.org/a.png'
        found = self.planted("index.html", "</article>", f'<img src="{image}"></article>')
        self.assertEqual(found, [f"index.html: {image} is of another host"])

    def test_a_link_to_a_source_may_go_to_another_host(self):
        link = '<a href="https://example.org/paper.pdf">a paper</a></article>'
        self.assertEqual(self.planted("index.html", "</article>", link), [])

    def test_sizes(self):
        self.assertEqual(oversized(self.site), [])

    def test_too_large_a_page_is_found(self):
        page = self.site / "large.html"
        page.write_text("x" * (MOST_PAGE_BYTES + 1), encoding="utf-8")
        try:
            self.assertIn(f"large.html: {MOST_PAGE_BYTES + 1} bytes", oversized(self.site))
        finally:
            page.unlink()

    def test_time(self):
        self.assertLess(self.seconds, MOST_SECONDS)

    def test_two_builds_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder) / "elsewhere"
            # Another process, in which sets are in another order.
            subprocess.run([sys.executable, build.__file__, again], check=True, capture_output=True,
                           env={**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LANG": "C"})
            self.assertEqual(differing(self.site, again), [])
            (again / "search.js").write_text("", encoding="utf-8")
            (again / "more.html").write_text("", encoding="utf-8")
            self.assertEqual(differing(self.site, again), ["more.html", "search.js"])

    def test_every_step_has_its_diffs_and_figures(self):
        traced = {trace["variant"] for trace in book.recorded("traces")}
        for step in book.steps():
            text = (self.site / f"{step.page}.html").read_text(encoding="utf-8")
            last = sources.variants(step.name)[-1]
            if last in traced and step.readme:
                self.assertRegex(text, f'<svg class="drawing"[^>]* aria-label="[^"]*{last}')
            for rung in diffs.rungs_of(step, is_further=False) if step.readme else ():
                if rung.origin:
                    self.assertIn(f'id="from-{rung.name}"', text)

    def test_what_goes_further_is_linked_from_its_chapter(self):
        for page in book.further_pages():
            text = (self.site / f"{page.parent}.html").read_text(encoding="utf-8")
            article = re.search(r"<article>.*</article>", text, re.S)[0]
            self.assertIn(f'href="{page.name}.html"', article)

    def test_doxygens_warnings_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            site = build.Site(pathlib.Path(folder) / "site")
            stage = site.stage

            def with_fault(into):
                names = stage(into)
                path = into / "memory.md"
                path.write_text(path.read_text(encoding="utf-8") + "\n\\ref nowhere\n",
                                encoding="utf-8")
                return names
            site.stage = with_fault
            with self.assertRaisesRegex(staging.Fault, "nowhere"):
                site.make()


if __name__ == "__main__":
    missing = build.missing_packages()
    if missing:
        print(f"skipped, not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main()
