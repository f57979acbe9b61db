#!/usr/bin/env python3
"""The site that is made: links, ways to every page, heads and feet of pages, sizes, that nothing is
asked of other hosts, and that two builds are the same. Each fault that it looks for is planted once, to
be found. Skips if the site cannot be made."""

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
import staging

MOST_BYTES = 8_000_000
MOST_PAGE_BYTES = 250_000
MOST_SECONDS = 60


class Reader(html.parser.HTMLParser):
    """The links of a page, the places in it that can be linked to, its title, what its head says, and
    scripts that are not in a file of their own."""

    ADDRESSES = {"href", "src", "srcset", "data", "poster", "action"}

    def __init__(self):
        super().__init__()
        self.links, self.anchors, self.twice = [], set(), []
        self.title, self.said, self.inline, self.base = "", {}, [], ""
        self.above, self.neighbors, self.text, self.foot = [], {}, [], []
        self.headings, self.inside = 0, []

    def handle_data(self, data):
        if self.inside[-1:] == ["title"]:
            self.title += data
        if "code" not in self.inside and "style" not in self.inside:
            self.text.append(data)

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def note(self, tag, values):
        """Notes all but links and anchors."""
        if tag == "script" and "src" not in values:
            self.inline.append("<script>")
        self.inline += [name for name in values if name.startswith("on")]
        if tag == "meta":
            # One that has a name and a property says both.
            for key in {"name", "property", "http-equiv"} & values.keys():
                self.said[values[key]] = values.get("content")
        if tag == "link" and values["rel"] == "canonical":
            self.said["canonical"] = values["href"]
        if tag == "base":
            self.base = values["href"]
        if tag == "nav":
            self.said[f"nav {values['aria-label']}"] = ""
        if tag == "a" and "rel" in values:
            self.neighbors[values["rel"]] = values["href"]
        if tag == "a" and "footer" in self.inside:
            self.foot.append(values["href"])
        self.headings += tag in ("h2", "h3") and "id" in values

    def handle_starttag(self, tag, attributes):
        self.note(tag, dict(attributes))
        if tag not in ("meta", "link", "base", "img", "br", "input", "col", "hr"):
            self.inside.append(tag)
        for name, value in attributes:
            # A link that a reader may follow asks nothing of another host by itself.
            is_source = tag == "a" and name == "href" and re.match("https?://", value or "")
            if name in self.ADDRESSES and value is not None and not is_source:
                self.links.append(value)
            if name == "id":
                if value in self.anchors:
                    self.twice.append(value)
                self.anchors.add(value)


def read(site):
    """{file: what its reader found} of all pages in a folder."""
    pages = {}
    for path in sorted(site.glob("*.html")):
        pages[path.name] = Reader()
        pages[path.name].feed(path.read_text(encoding="utf-8"))
    return pages


def unreachable(pages):
    """The pages that no way leads to from the first one; the list of all pages is none."""
    reached, left = {"index.html", "404.html", "contents.html"}, ["index.html"]
    while left:
        for link in pages[left.pop()].links:
            target = link.partition("#")[0]
            if target in pages and target not in reached:
                reached.add(target)
                left.append(target)
    return [f"{name}: no way leads there" for name in sorted(pages.keys() - reached)]


def faults_of_frames(pages):
    """Things that the heads and the feet of pages lack."""
    faults, titles = [], {}
    for name, page in pages.items():
        said = page.said
        titles.setdefault(page.title, []).append(name)
        faults += [f"{name}: no {wanted}" for wanted in
                   ("description", "og:title", "og:description", "og:type", "Content-Security-Policy")
                   if not said.get(wanted)]
        faults += [f"{name}: {one} in the page" for one in page.inline]
        if "nav Breadcrumb" not in said and name != "index.html":
            faults.append(f"{name}: no breadcrumbs")
        if "nav On this page" not in said and page.headings > 1:
            faults.append(f"{name}: no contents")
        if "LICENSE.txt" not in page.foot:
            faults.append(f"{name}: no license")
        if re.search(r"(?<![\w*])(\*\*?)\w[\w -]*\w\1(?!\w)", "".join(page.text)):
            faults.append(f"{name}: Markdown is left over")
    faults += [f"{', '.join(names)}: one title" for names in titles.values() if len(names) > 1]
    return faults + faults_of_order(pages)


def faults_of_order(pages):
    """Previous and next of all pages: one chain, from the first page to the last."""
    chain, name = [], "index.html"
    while name and name not in chain:
        chain.append(name)
        following = pages[name].neighbors.get("next")
        if following and pages[following].neighbors.get("prev") != name:
            return [f"{following}: its previous page is not {name}"]
        name = following
    return [f"{name}: not in order" for name in
            sorted(pages.keys() - set(chain) - {"404.html", "contents.html"})]


def faults_of(site):
    """The faults of the pages in a folder: [text]"""
    pages = read(site)
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

    def planted(self, name, before, after, look=faults_of):
        """The faults of the site with one page changed."""
        path = self.site / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        try:
            return look(self.site)
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

    def test_every_page_can_be_reached(self):
        self.assertEqual(unreachable(read(self.site)), [])

    def test_a_page_without_a_way_is_found(self):
        page = self.site / "alone.html"
        page.write_text("<p>nobody links here</p>", encoding="utf-8")
        try:
            self.assertEqual(unreachable(read(self.site)), ["alone.html: no way leads there"])
        finally:
            page.unlink()

    def test_frames(self):
        self.assertEqual(faults_of_frames(read(self.site)), [])

    def test_faults_of_frames_are_found(self):
        def look(site):
            return faults_of_frames(read(site))
        for before, after, wanted in (
                ('name="description"', 'name="tale"', "memory.html: no description"),
                ("og:title", "og:name", "memory.html: no og:title"),
                ("og:description", "og:tale", "memory.html: no og:description"),
                ("Content-Security-Policy", "Refresh", "memory.html: no Content-Security-Policy"),
                ("</article>", "<script>1</script></article>", "memory.html: <script> in the page"),
                ("<article>", '<article onclick="1">', "memory.html: onclick in the page"),
                ('aria-label="Breadcrumb"', 'aria-label="Crumbs"', "memory.html: no breadcrumbs"),
                ('aria-label="On this page"', 'aria-label="Here"', "memory.html: no contents"),
                ('href="LICENSE.txt"', 'href="index.html"', "memory.html: no license"),
                ("</article>", "<p>**bold**</p></article>", "memory.html: Markdown is left over"),
                ("</article>", "<p>a *word*</p></article>", "memory.html: Markdown is left over"),
                ("<title>The memory system", "<title>Glossary",
                 "glossary.html, memory.html: one title"),
                ('rel="prev"', 'rel="up"', "memory.html: its previous page is not")):
            found = self.planted("memory.html", before, after, look)
            self.assertEqual(len(found), 1, found)
            self.assertIn(wanted, found[0])

    def test_what_a_build_is_told(self):
        """The address and the repository are on every page, and nowhere without being told."""
        self.assertFalse((self.site / "sitemap.xml").exists())
        about = build.About("https://example.org/code/tutorial.git", "https://example.org/a/b/",
                                 "MIT-0")
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder) / "site"
            build.Site(site, about).make()
            pages = read(site)
            for name, page in pages.items():
                self.assertIn(about.repository, page.foot, name)
                wanted = about.address + ("" if name == "index.html" else name)
                self.assertEqual(page.said.get("canonical"), None if name == "404.html" else wanted)
                self.assertEqual(page.base, "/a/b/" if name == "404.html" else "")
            listed = re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text())
            self.assertEqual(sorted(listed), sorted(
                page.said["canonical"] for name, page in pages.items() if name != "404.html"))
            start = (site / "index.html").read_text()
            self.assertIn("git clone https://example.org/code/tutorial.git\ncd tutorial</code>", start)
            self.assertIn("MIT-0 license", start)
        for page in read(self.site).values():
            self.assertNotIn("canonical", page.said)
            self.assertEqual([link for link in page.foot if "://" in link], [])

    def test_every_text_is_a_page(self):
        written = {path.stem for path in (book.DOCS / "pages").glob("*.md")} - {"probes"}
        self.assertEqual(written - {path.stem for path in self.site.glob("*.html")}, set())

    def test_an_address_that_is_none_is_refused(self):
        self.assertEqual(build.About(address="https://example.org/a").address, "https://example.org/a/")
        self.assertEqual(build.About().address, "")
        for address in ("example.org", "javascript:alert(1)", "file:///tmp"):
            with self.assertRaises(ValueError):
                build.web_address(address)

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
            (again / "search-entries.js").write_text("", encoding="utf-8")
            (again / "more.html").write_text("", encoding="utf-8")
            self.assertEqual(differing(self.site, again), ["more.html", "search-entries.js"])

    def test_every_step_has_its_diffs_and_figures(self):
        traced = {trace["variant"] for trace in book.recorded("traces")}
        for step in book.steps():
            text = (self.site / f"{step.page}.html").read_text(encoding="utf-8")
            last = step.variants[-1].name
            if last in traced and step.readme:
                self.assertRegex(text, f"The accesses of warp 0 of <code>{last}</code>")
            for rung in diffs.rungs_of(step, is_further=False) if step.readme else ():
                if rung.origin:
                    self.assertIn(f'id="from-{rung.name}"', text)

    def test_what_goes_further_is_linked_from_its_chapter(self):
        for page in book.further_pages():
            text = (self.site / f"{page.parent}.html").read_text(encoding="utf-8")
            article = re.search(r"<article>.*</article>", text, re.S)[0]
            self.assertIn(f'href="{page.name}.html"', article)

    def test_the_reference_tells_of_members(self):
        text = (self.site / "classdevice_1_1Buffer.html").read_text(encoding="utf-8")
        self.assertIn("<b>upload</b>(std::span&lt; const T &gt; values, std::size_t first=0)", text)
        self.assertIn("<p>Copies from the host to elements [first, first + values.size()). </p>", text)
        self.assertNotIn("memory_", text)  # is private
        named = (self.site / "namespacedevice.html").read_text(encoding="utf-8")
        self.assertIn('<a href="classdevice_1_1Buffer.html">', named)
        self.assertIn("<b>modified</b>", named)

    def test_doxygens_warnings_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            site = build.Site(pathlib.Path(folder) / "site")
            stage = site.stage

            def with_fault(into):
                stage(into)
                path = into / "memory.md"
                path.write_text(path.read_text(encoding="utf-8") + "\n\\ref nowhere\n",
                                encoding="utf-8")
            site.stage = with_fault
            with self.assertRaisesRegex(staging.Fault, "nowhere"):
                site.make()


if __name__ == "__main__":
    missing = build.missing_packages()
    if missing:
        print(f"skipped, not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main()
