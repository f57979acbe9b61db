"""The exercises: a page each, with its statement, folded hints and folded solutions."""

import re

import book
import fades
import records
import templates


def page_of(folder, step):
    page = book.page_of(folder / "README.md", f"exercise_{folder.name}", "exercise", parent=step.page)
    page.text += "\n## The skeleton\n\n<!-- exercise skeleton -->\n"
    hints = folder / "hints.md"
    if hints.exists():
        parts = re.split(r"^## (.+)$", hints.read_text(encoding="utf-8"), flags=re.M)
        page.text += "\n## Hints\n" + "".join(
            f"\n<details><summary>{heading}</summary>\n{body}\n</details>\n"
            for heading, body in zip(parts[1::2], parts[2::2]))
    if (folder / "solutions").exists():
        page.text += "\n## Solutions\n\nHave it judged first.\n\n<!-- exercise solutions -->\n"
    return page


def of_step(step):
    return [page_of(path.parent, step) for path in sorted(step.folder.glob("exercises/*/README.md"))]


def pages():
    return [page for step in book.steps() for page in of_step(step)]


def first_sentence(page):
    """The first sentence of a statement, on one line."""
    paragraph = next(part for part in page.text.split("\n\n") if not part.startswith("#"))
    words = templates.plain(templates.inline(paragraph))
    return re.match(r".+?[.:](?= [(A-Z]|$)|.+", words)[0].rstrip(":.") + "."


def sources(page, pattern):
    """[(path, text)] of an exercise's sources; solutions come as readers see them."""
    return [(path, fades.without_marks(path))
            for path in sorted((book.ROOT / page.source).parent.glob(pattern))]


def run_of(solution):
    """The recorded run of a solution, given by its path; None: there is none."""
    wanted = solution.parent.parent.name, solution.stem
    return next((records.Row([line]) for line in book.recorded("exercises_h200")
                 if (line["exercise"], line["solution"]) == wanted), None)
