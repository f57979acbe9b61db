#!/usr/bin/env python3
"""Makes the site.

    build.py OUT      into the folder OUT; OUT/index.html is its first page

If a package is missing, it says which and ends with exit code 77; with --optional, 0.
"""

import dataclasses
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile
import urllib.parse

import annotate
import book
import doxygen
import exercises
import faults
import measured
import navigation
import search
import staging
import templates
import tools

THEME = book.DOCS / "theme"
KATEX = tools.NODE_MODULES / "katex"
# One script and one style for all pages with labs or stories, which share rules.
LABS = {"lab.js": ("lab_rules.js", "lab_drawing.js", "lab.js", "story_shapes.js",
                   "product_stories.js", "stories.js", "story.js"),
        "lab.css": ("lab.css", "story.css")}


def missing_packages():
    needed = {"doxygen": shutil.which("doxygen"), "nodejs": shutil.which("node"),
              "katex": KATEX.exists(), "python3-jinja2": importlib.util.find_spec("jinja2"),
              "python3-markdown-it": importlib.util.find_spec("markdown_it"),
              "python3-pygments": importlib.util.find_spec("pygments"),
              "minisearch (npm ci --prefix docs/site)":
                  search.LIBRARY.exists() and search.STEMMER.exists()}
    return [package for package, is_there in needed.items() if not is_there]


@dataclasses.dataclass
class About:
    """The facts of the project that a build is told, and those that follow from them."""
    repository: str = ""  # where the code is, a URL; "": not said
    # Where the site will be, the URL of a folder; "": anywhere, and nothing that needs a full address is
    # written.
    address: str = ""
    license: str = "MIT"

    def __post_init__(self):
        text = (book.ROOT / "meson.build").read_text(encoding="utf-8")
        self.version = re.search(r"^  version: '([^']+)'", text, re.M)[1]
        self.address = re.sub(r"(?<=[^/])$", "/", self.address)
        # That `git clone` makes.
        self.folder = self.repository.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
        self.base = urllib.parse.urlsplit(self.address).path  # on its host; "": unknown

    def address_of(self, page):
        """The start page is its folder."""
        return self.address + ("" if page.name == "index" else f"{page.name}.html")


def web_address(text):
    """A URL of http or https, or none. Raises ValueError."""
    if not re.fullmatch(r"(?:https?://[^/\s]+\S*)?", text):
        raise ValueError(f"no address of the web: {text}")
    return text


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
    def __init__(self, out, about=About()):
        self.out, self.about = out, about
        self.chapters = book.chapters_in_order()
        self.code, self.wrong = annotate.pages(), faults.pages()
        self.reference = [book.Page("sources", "The sources"), doxygen.REFERENCE]
        # The pages that Doxygen reads.
        self.prose = [*self.chapters, *book.further_pages(), *exercises.pages(), *measured.PAGES]
        self.links = Links([*self.prose, *self.code, *self.wrong])
        self.staged = {}  # {page's name: Staging}
        self.written = []  # [(page, body)], until all of them are known

    # --- before Doxygen ---

    fence = staticmethod(annotate.fence)

    def directive(self, page, words):
        if words == ["site", "code"]:
            return templates.part("code", self.about)
        return templates.directive(page, words)

    def image(self, page, alt, target):
        path = book.ROOT / book.source_of(page, target)
        if path.suffix != ".svg" or not path.is_file():
            raise staging.Fault(f"{page.source}: no drawing {target}")
        return templates.part("figure", templates.safe(path.read_text(encoding="utf-8")), alt)

    def stage(self, folder):
        """Writes what Doxygen reads."""
        for page in self.prose:
            self.staged[page.name] = staging.Staging(page, self)
            (folder / f"{page.name}.md").write_text(self.staged[page.name].text, encoding="utf-8")
        doxygen.stage_headers(folder)

    # --- after it ---

    def frame(self):
        """Writes all pages, now that each one's place among them is known."""
        first = [*self.chapters, *self.reference]
        places = navigation.Navigation(first, [page for page, _ in self.written
                                               if page not in first])
        contents = book.Page("contents", "All pages")
        for page, body in [*self.written, (contents, templates.part("contents", places)),
                           (book.Page("404", "Not found"), templates.part("missing"))]:
            text = templates.page(page, body, places, self.about)
            (self.out / f"{page.name}.html").write_text(text, encoding="utf-8")
        (self.out / "navigation.js").write_text(places.script(), encoding="utf-8")
        if self.about.address:
            listed = templates.part("sitemap", [*places.order, contents], self.about)
            (self.out / "sitemap.xml").write_text(f"{listed}\n", encoding="utf-8")

    def make(self):
        """Makes the site, and says what it has made."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            self.stage(folder)
            doxygen.run(folder)
            self.written = [(page, self.staged[page.name].fill(doxygen.text_of(page, folder)))
                            for page in self.prose]
            reference = doxygen.reference(folder)
        self.written += [
            *((page, templates.part("interface", told, reference)) for page, told in reference.values()),
            *((page, templates.part("source", page)) for page in [*self.code, *self.links.more]),
            *((page, templates.part("twins", book.step(page.step))) for page in self.wrong),
            (self.reference[0], templates.part("sources_of_steps", self.code)),
            (doxygen.REFERENCE, templates.part("interfaces", reference))]
        self.frame()
        self.assets()
        size = sum(path.stat().st_size for path in self.out.iterdir())
        return f"{self.out / 'index.html'}: {len(self.written) + 2} pages, {size / 1e6:.1f} MB"

    def assets(self):
        files = {**{name: [THEME / name] for name in
                    ("site.css", "site.js", "theme.js", "search.js", "icon.svg")},
                 **{name: [tools.HERE / part for part in parts] for name, parts in LABS.items()},
                 "LICENSE.txt": [book.ROOT / "LICENSE"]}
        for name, parts in files.items():
            text = "\n".join(part.read_text(encoding="utf-8") for part in parts)
            (self.out / name).write_text(text, encoding="utf-8")
        colors = templates.part("drawing_colors")
        (self.out / "drawings.css").write_text(f"{colors}\n", encoding="utf-8")
        search.assets(self.out, self.written, self.code)


def main(arguments):
    parser = tools.parser("Makes the site.")
    parser.add_argument("--repository", default="", metavar="URL", type=web_address,
                        help="where the code is: every page links to it")
    parser.add_argument("--address", default="", metavar="URL", type=web_address,
                        help="where the site will be, for canonical addresses and sitemap.xml")
    parser.add_argument("--license", default="MIT", help="the name of the license (default: MIT)")
    chosen = parser.parse_args(arguments)
    about = About(chosen.repository, chosen.address, chosen.license)
    return tools.main(chosen, missing_packages(), lambda: Site(chosen.out.resolve(), about).make())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
