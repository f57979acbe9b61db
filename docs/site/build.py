#!/usr/bin/env python3
"""Makes the site.

    build.py OUT      into the folder OUT; OUT/index.html is its first page

If a package is missing, it says which and ends with exit code 77; with --optional, 0.
"""

import argparse
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile

import annotate
import book
import doxygen
import exercises
import faults
import interfaces
import labs
import measured
import navigation
import node
import publishing
import search
import staging
import svg  # of docs/drawings, which book puts on the path
import templates

THEME = book.DOCS / "theme"
TOOLS = {"doxygen": "doxygen", "node": "nodejs"}
KATEX = node.MODULES / "katex"


def missing_packages():
    names = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if not KATEX.exists():
        names.append("katex")
    names += [f"python3-{name}" for name in ("jinja2", "pygments")
              if importlib.util.find_spec(name) is None]
    if not search.is_installed():
        names.append("minisearch (npm ci --prefix docs/site)")
    return names


class Links:
    """The target on the site of a link from a file of the repository. Source files without a page get
    one when something links to them."""

    def __init__(self, pages):
        self.by_source = {page.source: f"{page.name}.html" for page in pages}
        for page in pages:
            if page.kind == "exercise":
                folder = page.source.removesuffix("/README.md")
                self.by_source[f"{folder}/solutions"] = f"{page.name}.html#solutions"
                self.by_source[f"{folder}/{page.name[9:]}.cu"] = f"{page.name}.html#the-skeleton"
        self.by_source |= {"docs/pages/sources.md": "sources.html", "README.md": "index.html",
                           "docs/results/wrong_twins.md": "faults.html"}
        self.more = []

    def __call__(self, page, target):
        if re.match(r"https?:|#", target):
            return target
        path, _, anchor = target.partition("#")
        source = book.source_of(page, path)
        if source not in self.by_source:
            file = book.ROOT / source
            if file.suffix not in annotate.SOURCES or not file.is_file():
                raise staging.Fault(f"{page.source}: no page for the link to {target}")
            self.more.append(annotate.page_of(file, page.name))
            self.by_source[source] = f"{self.more[-1].name}.html"
        found = self.by_source[source]
        return f"{found}#{anchor}" if anchor and "#" not in found else found


class Site:
    def __init__(self, out, about=publishing.About()):
        self.out, self.about = out, about
        self.slots = staging.Slots()
        self.chapters = book.chapters_in_order()
        self.code, self.wrong = annotate.pages(), faults.pages()
        self.reference = [book.Page("sources", "The sources"), interfaces.PAGE]
        # The pages that Doxygen reads.
        self.prose = [*self.chapters, *book.further_pages(), *exercises.pages(), *measured.PAGES]
        self.links = Links([*self.prose, *self.code, *self.wrong])
        self.written = []  # [(page, body)], until all of them are known

    # --- before Doxygen ---

    fence = staticmethod(annotate.fence)

    def directive(self, page, words):
        if words == ["site", "code"]:
            return templates.part("code", self.about)
        return templates.directive(page, words)

    def formula(self, tex, display):
        [made] = node.run("formulas.js", [{"tex": tex, "display": display}])
        return made

    def image(self, page, alt, target):
        path = book.ROOT / book.source_of(page, target)
        if path.suffix != ".svg" or not path.is_file():
            raise staging.Fault(f"{page.source}: no drawing {target}")
        drawing = templates.safe(path.read_text(encoding="utf-8"))
        return templates.part("figure", drawing, alt)

    def stage(self, folder):
        """Writes what Doxygen reads; the files, in the order of the pages."""
        names = [folder / f"{page.name}.md" for page in self.prose]
        for page, path in zip(self.prose, names):
            path.write_text(staging.Staging(page, self).stage(), encoding="utf-8")
        return [*names, *interfaces.stage(folder), book.DOCS / "pages" / "interfaces.dox"]

    # --- after it ---

    def frame(self):
        """Writes all pages, now that each one's place among them is known."""
        first = [*self.chapters, *self.reference]
        places = navigation.Navigation(first, [page for page, _ in self.written
                                               if page not in first])
        contents = book.Page("contents", "All pages")
        missing = book.Page("404", "Not found")
        for page, body in [*self.written, (contents, templates.part("contents", places)),
                           (missing, templates.part("missing"))]:
            text = templates.page(page, body, places, self.about)
            (self.out / f"{page.name}.html").write_text(text, encoding="utf-8")
        (self.out / "navigation.js").write_text(places.script(), encoding="utf-8")
        if self.about.address:
            listed = templates.part("sitemap", [*places.order, contents], self.about)
            (self.out / "sitemap.xml").write_text(f"{listed}\n", encoding="utf-8")

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            raw = folder / "html"
            doxygen.run(folder, self.stage(folder), raw)
            self.written = [
                (page, self.slots.fill(doxygen.text_of(raw / f"p_{page.name}.html")))
                for page in self.prose]
            made = interfaces.pages(raw)
        briefs = [(page, interfaces.brief_of(body)) for page, body in made]
        self.written += [
            *made,
            *((page, templates.part("source", page)) for page in [*self.code, *self.links.more]),
            *((page, templates.part("twins", book.step(page.step))) for page in self.wrong),
            (self.reference[0], templates.part("sources_of_steps", self.code)),
            (interfaces.PAGE, templates.part("interfaces", briefs))]
        self.frame()
        self.assets()

    def assets(self):
        for name in ("site.css", "site.js", "theme.js", "search.js", "icon.svg"):
            shutil.copyfile(THEME / name, self.out / name)
        shutil.copyfile(book.ROOT / "LICENSE", self.out / "LICENSE.txt")
        # Drawings follow the system's theme; in a page, the page's.
        colors = "".join(f" --{name}: light-dark({color}, {svg.DARK[name]});"
                         for name, color in svg.LIGHT.items())
        (self.out / "drawings.css").write_text(f"svg.figure {{{colors} }}\n", encoding="utf-8")
        labs.assets(self.out)
        search.assets(self.out, self.written, self.code)


def options(arguments):
    parser = argparse.ArgumentParser(description="Makes the site.")
    parser.add_argument("out", type=pathlib.Path, help="the folder; what is in it is removed")
    parser.add_argument("--optional", action="store_true",
                        help="end with 0 where a package is missing")
    parser.add_argument("--repository", default="", metavar="URL", type=publishing.web_address,
                        help="where the code is: every page links to it")
    parser.add_argument("--address", default="", metavar="URL", type=publishing.web_folder,
                        help="where the site will be, for canonical addresses and sitemap.xml")
    parser.add_argument("--license", default="MIT", help="the name of the license (default: MIT)")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = options(arguments)
    missing = missing_packages()
    if missing:
        print(f"site: skipped, not installed: {', '.join(missing)} "
              "(docs/pages/project.md names the packages)", file=sys.stderr)
        return 0 if chosen.optional else 77
    out = chosen.out.resolve()
    try:
        Site(out, publishing.About(chosen.repository, chosen.address, chosen.license)).make()
    except staging.Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in out.iterdir())
    print(f"{out / 'index.html'}: {len(list(out.glob('*.html')))} pages, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
