#!/usr/bin/env python3
"""Makes the site.

    build.py OUT      into the folder OUT; OUT/index.html is its first page

If a package is missing, it says which and ends with exit code 77; with --optional, 0.
"""

import argparse
import html
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import annotate
import book
import charts  # noqa: F401, has directives
import diffs
import exercises
import faults
import figures
import front  # noqa: F401, has directives
import lab
import directives
import interfaces
import layout
import measured
import node
import navigation
import products  # noqa: F401
import publishing
import search
import staging
import stories  # noqa: F401
import templates

THEME = book.DOCS / "theme"
TOOLS = {"doxygen": "doxygen", "node": "nodejs"}
KATEX = node.MODULES / "katex" / "katex.js"
KATEX_CSS = pathlib.Path("/usr/share/javascript/katex/katex.min.css")
# The classes that use a font of KaTeX's.
FONTS = {"Main-Regular": "", "Math-Italic": "mathnormal", "Main-Bold": "mathbf", "Main-Italic": "mathit",
         **{f"Size{i}-Regular": f"size{i}" for i in range(1, 5)}}
KATEX_FONTS = pathlib.Path("/usr/share/fonts/truetype/katex")
# Headers whose interface is described: those that a rung or a program of its own may use.
INTERFACES = ["common/device/*.h", "common/harness/*.h", "common/problem/*.h",
              "common/cpu/include/cucpu/trace.h"]


def missing_packages():
    names = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if not KATEX.exists():
        names.append("katex")
    names += [f"python3-{name}" for name in ("jinja2", "pygments")
              if importlib.util.find_spec(name) is None]
    if not search.is_installed():
        names.append("minisearch (npm ci --prefix docs/site)")
    return names


class Formulas:
    """TeX that is made into HTML, all at once."""

    def __init__(self, slots):
        self.slots, self.wanted = slots, []

    def add(self, tex, display):
        self.wanted.append({"tex": tex, "display": display})
        return f"zf{len(self.wanted) - 1}fz"

    def render(self):
        return node.run("formulas.js", self.wanted)

    @staticmethod
    def fill(text, rendered):
        return re.sub(r"zf(\d+)fz", lambda match: rendered[int(match[1])], text)


class Links:
    """The target on the site of a link from a file of the repository. Source files without a page get
    one when something links to them."""

    def __init__(self, pages):
        self.by_source = {page.source: page.name for page in pages}
        self.more = {}

    def __call__(self, page, target):
        if re.match(r"https?:", target) or target.startswith("#"):
            return target
        path, _, anchor = target.partition("#")
        base = pathlib.PurePosixPath(page.source).parent
        parts = []
        for part in [*base.parts, *path.split("/")]:
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        source = "/".join(parts)
        name = self.by_source.get(source)
        if name is None and (book.ROOT / source).suffix in annotate.SOURCES and \
                (book.ROOT / source).is_file():
            self.more[source] = annotate.page_of(book.ROOT / source, page.name)
            name = self.by_source[source] = self.more[source].name
        if name is None:
            raise staging.Fault(f"{page.source}: no page for the link to {target}")
        if ".html#" in name:
            return name
        return f"{name}.html" + (f"#{anchor}" if anchor else "")


class Site:
    def __init__(self, out, about=publishing.About()):
        self.out, self.about = out, about
        self.slots = staging.Slots()
        self.formulas = Formulas(self.slots)
        self.chapters = book.chapters_in_order()
        self.code = annotate.pages()
        self.wrong = faults.pages()
        self.reference = [
            book.Page("sources", "The sources", "", "", "reference"),
            book.Page("interfaces", "Interfaces of common", "", "", "reference")]
        self.exercises = exercises.pages()
        self.further = book.further_pages()
        # The pages that Doxygen reads.
        self.prose = [*self.chapters, *self.further, *self.exercises, *measured.PAGES]
        for page in [*self.chapters, *self.further]:
            if page.kind == "step":
                page.text = figures.with_last(page) + further_section(page) + exercises.section(page)
            if page.step:
                page.text = with_diffs(page)
        self.links = Links([*self.prose, *self.code, *self.wrong])
        for page in self.exercises:
            folder = page.source.removesuffix("/README.md")
            self.links.by_source[f"{folder}/solutions"] = f"{page.name}.html#solutions"
            self.links.by_source[f"{folder}/{page.name[9:]}.cu"] = f"{page.name}.html#the-skeleton"
        self.links.by_source["docs/pages/sources.md"] = "sources"
        self.links.by_source["README.md"] = "index"
        self.links.by_source["docs/results/wrong_twins.md"] = "faults"
        self.written = {}  # name -> (page, body), until all of them are known

    # --- before Doxygen ---

    def directive(self, page):
        def make(words):
            if words == ["site", "code"]:
                return publishing.code_section(self.about)
            return directives.make(page, words)
        return make

    def fence(self, page):
        def make(language, text):
            if page.step and language == "cpp":
                return annotate.excerpt(page, text)
            if page.step and language == "diff":
                return diffs.excerpt(page, text)
            made = diffs.of_command(page, text) if language == "sh" else ""
            return f"{staging.code_block(text, language)}{made}"
        return make

    def image(self, page):
        def make(alt, target):
            path = (book.ROOT / page.source).parent / target
            if path.suffix != ".svg" or not path.is_file():
                raise staging.Fault(f"{page.source}: no drawing {target}")
            svg = themed(path.read_text(encoding="utf-8"))
            return (f'<figure><div class="scroll" tabindex="0">{svg}</div>'
                    f"<figcaption>{html.escape(alt)}</figcaption></figure>")
        return make

    def stage(self, folder):
        names = []
        for page in self.prose:
            # A number that begins a line and ends a sentence would begin a list.
            page.text = re.sub(rf"^{staging.VALUE.pattern}(?=\.)", lambda m: self.slots.inline(m[2]),
                               page.text, flags=re.M)
            page.text = staging.VALUE.sub(r"\2", page.text)
            text = staging.Staging(
                page, self.slots, self.formulas, self.directive(page),
                lambda target, page=page: self.links(page, target), self.image(page),
                self.fence(page)).stage()
            path = folder / f"{page.name}.md"
            path.write_text(text, encoding="utf-8")
            names.append(path)
        for pattern in INTERFACES:
            for header in sorted(book.ROOT.glob(pattern)):
                path = folder / header.relative_to(book.ROOT)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(documented(header.read_text(encoding="utf-8")), encoding="utf-8")
                names.append(path)
        return [*names, book.DOCS / "pages" / "interfaces.dox"]

    def doxygen(self, folder, names, raw):
        (folder / "header.html").write_text("<title>$title</title>\n<div>\n")
        (folder / "footer.html").write_text("<!-- end of the page -->\n")
        settings = (pathlib.Path(__file__).parent / "Doxyfile.in").read_text(encoding="utf-8")
        values = {"TITLE": book.TITLE, "OUTPUT": raw, "STAGED": folder,
                  "INPUT": " ".join(f'"{name}"' for name in names),
                  "HEADER": folder / "header.html", "FOOTER": folder / "footer.html"}
        for name, value in values.items():
            settings = settings.replace(f"@{name}@", str(value))
        (folder / "Doxyfile").write_text(settings, encoding="utf-8")
        done = subprocess.run(["doxygen", folder / "Doxyfile"], capture_output=True, text=True,
                              cwd=folder)
        if done.returncode != 0 or done.stderr.strip():
            raise staging.Fault(done.stderr.replace(f"{folder}/", "").strip())

    # --- after it ---

    def body_of(self, raw, file):
        text = (raw / file).read_text(encoding="utf-8")
        body = re.search(r'<div class="(?:contents|textblock)">(.*)</div><!-- contents -->', text,
                         re.S)[1]
        return body

    def finish(self, page, body):
        """Doxygen's HTML of a page's text as the site has it."""
        body = self.slots.fill(tables(body)).replace("<p >", "<p>")
        body = re.sub(r'^\s*<p><a class="anchor" id="md_[^"]*"></a>\s*(?:</p>)?', "", body)
        body = re.sub(r"</div>\s*$", "", body.replace('<div class="textblock">', ""))
        body = re.sub(r'<a class="anchor" id="md_[^"]*"></a>', "", body)

        def heading(match):
            level = int(match[1]) + 1
            return f'<h{level} id="{match[2]}">{match[3].strip()}</h{level}>'
        body = re.sub(r'<h([1-4])><a class="anchor" id="p_[\w]+--([\w-]+)"></a>\s*(.*?)</h\1>',
                      heading, body, flags=re.S)
        return body

    def write(self, page, body, lead=""):
        self.written[page.name] = (page, Formulas.fill(body, self.rendered), lead)

    def frame(self):
        """Writes all pages, now that each one's place among them is known."""
        places = navigation.Navigation([*self.chapters, *self.reference], [
            page for page, _, _ in self.written.values()
            if page not in self.chapters and page not in self.reference])
        contents = book.Page("contents", "All pages", "", "", "reference")
        missing = book.Page("404", "Not found", "", "", "reference")
        for page, body, lead in [*self.written.values(), (contents, places.all_pages(), ""),
                                 (missing, templates.part("missing"), "")]:
            text = layout.render(page, lead, body, places.place(page), self.about)
            (self.out / f"{page.name}.html").write_text(text, encoding="utf-8")
        (self.out / "navigation.js").write_text(places.script(), encoding="utf-8")
        if self.about.address:
            listed = publishing.sitemap([*places.order, contents], self.about)
            (self.out / "sitemap.xml").write_text(listed, encoding="utf-8")

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            raw = folder / "html"
            names = self.stage(folder)
            self.doxygen(folder, names, raw)
            self.rendered = self.formulas.render()
            for page in self.prose:
                lead = measured.chips(page) if page.kind == "step" else ""
                body = self.finish(page, self.body_of(raw, f"p_{page.name}.html"))
                self.write(page, body, lead)
            self.interfaces(raw)
        for page in [*self.code, *self.links.more.values()]:
            self.write(page, annotate.body(page))
        for page in self.wrong:
            self.write(page, faults.body(page))
        self.write(self.reference[0], annotate.index(self.code))
        self.frame()
        self.assets()
        self.search()

    def interfaces(self, raw):
        """The pages that Doxygen made of headers."""
        listed = []
        for file in sorted(raw.glob("*.html")):
            if not re.match(r"(?:class|struct|namespace)[a-z]", file.name) or \
                    re.match(r"(?:classes|namespaces|namespacemembers\w*)\.html|.*-members\.html", file.name):
                continue
            text = file.read_text(encoding="utf-8")
            title = html.unescape(re.search(r"<title>(.*?)</title>", text)[1])
            title = re.sub(r" (?:(?:Class|Struct)(?: Template)?|Namespace) Reference$", "",
                           title.split(": ", 1)[-1])
            found = re.search(r'<div class="contents">(.*)</div><!-- contents -->', text, re.S)
            body = interfaces.interface(found[1])
            page = book.Page(file.stem, title, "", "", "interface", parent="interfaces")
            listed.append((page, body))
        kept = {page.name for page, _ in listed}
        briefs = {page.name: interfaces.brief_of(body) for page, body in listed}
        for page, body in listed:
            body = re.sub(r'<a class="el" href="([\w-]+)\.html(#[\w]*)?">(.*?)</a>',
                          lambda m: m[0] if m[1] in kept else m[3], body)
            self.write(page, tables(body))
        self.write(self.reference[1], interfaces.interfaces_index(listed, briefs))

    def assets(self):
        for name in ("site.css", "site.js", "theme.js", "search.js", "icon.svg"):
            shutil.copyfile(THEME / name, self.out / name)
        shutil.copyfile(book.ROOT / "LICENSE", self.out / "LICENSE.txt")
        lab.assets(self.out)
        if self.rendered:
            self.formula_fonts()

    def formula_fonts(self):
        """KaTeX's style and the fonts that the formulas use."""
        css = KATEX_CSS.read_text(encoding="utf-8")
        kept = []
        for face in re.findall(r"@font-face\{.*?\}", css):
            font = re.search(r"KaTeX_[\w-]+(?=\.woff2)", face)[0]
            wanted = FONTS.get(font.removeprefix("KaTeX_"))
            if wanted is not None and any(wanted in formula for formula in self.rendered):
                kept.append(re.sub(r"src:[^}]*", f"src:url({font}.woff2) format('woff2')", face))
                shutil.copyfile(KATEX_FONTS / f"{font}.woff2", self.out / f"{font}.woff2")
        rest = re.sub(r"@font-face\{.*?\}", "", css)
        (self.out / "katex.css").write_text("".join(kept) + rest, encoding="utf-8")

    def search(self):
        written = [(page, body) for page, body, _ in self.written.values()]
        (self.out / "search-entries.js").write_text(search.script(written, self.code),
                                                    encoding="utf-8")
        (self.out / "search-library.js").write_text(search.library(), encoding="utf-8")


def themed(svg):
    """A drawing that follows the system's theme, as one that follows the page's: variables that it
    sets anew for dark systems become light-dark()."""
    svg = re.sub(r"<\?xml.*?\?>\s*", "", svg)
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{\s*[^{]+\{([^}]*)\}\s*\}", svg)
    if dark is None:
        return svg
    for name, value in re.findall(r"(--[\w-]+):\s*([^;]+);", dark[1]):
        svg = re.sub(rf"({name}):\s*([^;]+);", rf"\1: light-dark(\2, {value});", svg, count=1)
    return svg.replace(re.search(r"@media \(prefers-color-scheme: dark\) \{\s*[^{]+\{[^}]*\}\s*\}",
                                 svg)[0], "")


def documented(header):
    """A header whose comments are all for Doxygen: plain ones before and behind declarations, too."""
    if "///" in header:
        return header
    start = header.index("#pragma once")
    text = re.sub(r"^( *)// (.*)$", r"\1/// \2", header[start:], flags=re.M)
    return re.sub(r"(?<=[;,])  // (.*)$", r"  ///< \1", text, flags=re.M)


# The cells of a column of numbers, with their units: 3425, 12 %, 8192 × 4, 4/8, 73.7k → 18.4k, +41 −13.
_ONE = r"[+−]?\d[\d.,^²³]*(?:/\d[\d.,]*)*[kM]?"
_UNIT = r"(?:×|%|ms|µs|[GT]B/s|[GT]FLOP/s|bytes|sectors|wavefronts)"
NUMBER_CELL = re.compile(rf"(?:{_ONE}(?: (?:[×→] )?{_ONE})*(?: ?{_UNIT})?|-|)"
                         r"(?:<br>ncu: [\d, ×.]+\(\d\))?")


def tables(body):
    """Doxygen's tables, which scroll by themselves where they are too wide."""
    def table(match):
        text = re.sub(r' class="markdownTable\w*"', "", match[0])
        text = re.sub(r"\s+(?=</t[hd]>)", "", text)
        # A head that says nothing is a cell like others.
        text = re.sub(r"<th>\s*</th>", "<td></td>", text)
        return f'<div class="table" tabindex="0">{numbers_right(text)}</div>'
    return re.sub(r'<table class="(?:markdownTable|memberdecls|memname|params)">.*?</table>', table,
                  body, flags=re.S)


def numbers_right(table):
    """Columns of numbers are set to the right."""
    table = table.replace("; ncu: ", "<br>ncu: ")
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.S)
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
    columns = [[cell.strip() for cell in column] for column in zip(*rows[1:])]
    numeric = {i for i, column in enumerate(columns)
               if any(column) and all(NUMBER_CELL.fullmatch(cell) for cell in column)}

    # A class of the table, not of each cell: some have a thousand rows.
    classes = " ".join(f"n{i + 1}" for i in sorted(numeric))
    return table.replace("<table", f'<table class="{classes}"', 1) if numeric else table


def further_section(page):
    """The further parts of a step, unless its chapter names them itself."""
    found = book.further(book.step(page.step))
    if found is None or "](further/" in page.text:
        return ""
    title = book.title_of(found.read_text(encoding="utf-8"))
    return f"\n## Going further\n\n- [{title}](further/README.md)\n"


def with_diffs(page):
    """The text of a chapter with the diffs of its rungs: below its own `diff`, or before what is
    recorded."""
    if not diffs.changed_on(page) or diffs.COMMAND.search(page.text):
        return page.text
    section = "## What changed\n\n<!-- diff rungs -->\n\n"
    before, after = staging.split_at_results(page.text)
    return f"{before}{section}{after}"


@directives.directive("readme")
def readme_block(_page, language, number, of=""):
    """<!-- readme LANGUAGE N [STEP | PAGE.md] -->: the N-th block of a language of the README, of a
    chapter, or of a page of docs/pages."""
    if of.endswith(".md"):
        path = book.DOCS / "pages" / of
    else:
        path = (book.step(of).folder if of else book.ROOT) / "README.md"
    text = path.read_text(encoding="utf-8")
    blocks = [match[3] for match in staging.FENCE.finditer(text) if match[2] == language]
    return staging.code_block(blocks[int(number) - 1], language)


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
