#!/usr/bin/env python3
"""Makes an e-book of the chapters, from the same texts as the site, with pandoc.

    epub.py [--optional] OUT.epub

If pandoc is missing, it says so and ends with exit code 77; with --optional, 0.
"""

import datetime
import pathlib
import shutil
import sys
import tempfile
import zipfile

import book
import staging
import tools

AFTER = ["memory", "faults", "glossary"]  # the pages that belong to the chapters


def pages():
    """Before step 01, the chapters, what goes further than each, and the pages on the machine."""
    chapters = book.chapters_in_order()
    further = {page.parent: [page] for page in book.further_pages()}
    read = [page for page in chapters if page.kind in ("chapter", "step") or page.name == "first"]
    return [one for page in read for one in (page, *further.get(page.name, []))] + \
        [page for page in chapters if page.name in AFTER]


def markdown(page):
    """A page's text in a div that says where it comes from, for epub.lua."""
    text = staging.CODE_OR_COMMENT.sub(lambda match: match[0] if match[1] else "", page.text)
    title = f"{page.number} {page.title}".strip()
    place = f'#{page.name} .page source="{page.source}" title="{title}"'
    return f":::::: {{{place}}}\n{text}\n::::::\n\n"


def dated(archive, date):
    """Gives all files of a zip file this time; pandoc gives them that of the build."""
    with zipfile.ZipFile(archive) as made:
        files = [(entry, made.read(entry)) for entry in made.infolist()]
    with zipfile.ZipFile(archive, "w") as made:
        for entry, contents in files:
            same = zipfile.ZipInfo(entry.filename, date.timetuple()[:6])
            same.compress_type = entry.compress_type
            made.writestr(same, contents)


def make(out):
    """Writes the book, and says what it has made. Raises staging.Fault with pandoc's words."""
    date = max(row.date for row in book.rows("h200"))  # that of the records, not of the build
    epoch = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "book.md"
        source.write_text("".join(map(markdown, pages())), encoding="utf-8")
        tools.run(
            "pandoc", "--from=commonmark_x-smart", "--to=epub3", "--mathml", "--toc-depth=2",
            "--fail-if-warnings", f"--lua-filter={tools.HERE / 'epub.lua'}",
            f"--resource-path={book.ROOT}", f"--metadata=title:{book.TITLE}", "--metadata=lang:en",
            f"--metadata=date:{date}", "--metadata=identifier:urn:cuda-in-twelve-steps",
            f"--output={out}", source,
            SOURCE_DATE_EPOCH=str(int(epoch.timestamp())))
    dated(out, epoch)
    return f"{out}: {out.stat().st_size / 1e6:.1f} MB"


def main(arguments):
    chosen = tools.parser("Makes an e-book of the chapters.").parse_args(arguments)
    missing = [] if shutil.which("pandoc") else ["pandoc"]
    return tools.main(chosen, missing, lambda: make(chosen.out.resolve()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
