"""The exercises: a page each, with its statement, folded hints and folded solutions."""

import re

import book
import fades
import staging
import templates
from directives import directive


def folders(step):
    return sorted(path.parent for path in step.folder.glob("exercises/*/README.md"))


def page_of(folder, step):
    page = book.page_of(folder / "README.md", f"exercise_{folder.name}", "exercise", parent=step.page)
    page.title = page.title.removeprefix("Exercise: ")
    page.text = re.sub(r"^# .*$", f"# {page.title}", page.text, count=1, flags=re.M)
    page.text += "\n## The skeleton\n\n<!-- exercise skeleton -->\n"
    hints = folder / "hints.md"
    if hints.exists():
        page.text += "\n## Hints\n" + folded(hints.read_text(encoding="utf-8"))
    if (folder / "solutions").exists():
        page.text += "\n## Solutions\n\nHave it judged first.\n\n<!-- exercise solutions -->\n"
    return page


def folded(text):
    """The sections of a Markdown file, each folded under its heading."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    return "".join(f"\n<details><summary>{heading}</summary>\n{body}\n</details>\n"
                   for heading, body in zip(parts[1::2], parts[2::2]))


def pages():
    return [page_of(folder, step) for step in book.steps() for folder in folders(step)]


def first_sentence(page):
    """The first sentence of a statement, on one line."""
    paragraph = next(part for part in page.text.split("\n\n") if not part.startswith("#"))
    words = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(paragraph.split()))
    words = re.sub(r"`|\*(?=\S)|(?<=\S)\*", "", words)  # and not a product's sign
    return re.match(r".+?[.:](?= [(A-Z]|$)|.+", words)[0].rstrip(":.") + "."


@directive("exercise list")
def listed(_page):
    """All exercises, step by step."""
    own = [(step, [page_of(folder, step) for folder in folders(step)]) for step in book.steps()]
    return templates.part("exercises", [(step, [(page, first_sentence(page)) for page in pages])
                                        for step, pages in own if pages])


@directive("exercise skeleton")
def skeleton(page):
    return "".join(staging.code_block(path.read_text(encoding="utf-8"), "cpp", path.name)
                   for path in sorted((book.ROOT / page.source).parent.glob("*.cu")))


@directive("exercise solutions")
def solutions(page):
    runs = {(line["exercise"], line["solution"]): line for line in book.recorded("exercises_h200")}
    folder = (book.ROOT / page.source).parent
    return templates.part("solutions", [
        (path.stem[2:].replace("_", " "), runs.get((folder.name, path.stem)),
         staging.code_block(fades.without_marks(path), "cpp", path.name))
        for path in sorted((folder / "solutions").glob("*.cu"))])
