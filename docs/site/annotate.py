"""Source files with their prose beside the code, and what the chapters quote of them."""

import dataclasses
import functools
import html
import re
import textwrap

import book
import highlight
import sources
import staging
import templates

COMMENT = re.compile(r"^\s*(?://|#)(?!\w)(.*)$")
SOURCES = {".cu": "cpp", ".cuh": "cpp", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".toml": "toml"}
# A part of a comment: an item of a list, an example, which is indented, or a paragraph.
ITEM = r"(?:\d+\. |- )"
PART = re.compile(rf"^(?:{ITEM}.*(?:\n(?!{ITEM}).+)*|(?P<example>  .*(?:\n  .*)*)|"
                  rf".+(?:\n(?!  |{ITEM}).+)*)", re.M)


def page_of(path, parent, step_name=""):
    source = str(path.relative_to(book.ROOT))
    return book.Page(sources.page_name(path), path.name, source, kind="code", parent=parent,
                     step=step_name, heading=source.removeprefix("steps/"))


def pages():
    of_steps = {}
    for step in book.steps():
        for path in sources.read_files(step.name):
            of_steps.setdefault(path, page_of(path, step.page, step.name))
    return [*of_steps.values(),
            *(page_of(path, "sources") for path in sorted(sources.INSTRUCTIONS.glob("*.cuh")))]


def excerpt(page, text):
    """A chapter's block of C++: an excerpt of its step's sources, and where it stands there."""
    found = sources.find_excerpt(page.step, text)
    if found is None:
        raise staging.Fault(f"{page.source}: not in the step's sources:\n{text}")
    path, first = found
    last = first + text.rstrip("\n").count("\n")
    # On the page of a source, comments stand beside the code, and have no numbers.
    code = next((number for number, line in enumerate(text.splitlines(), first)
                 if line.strip() and not COMMENT.match(line)), None)
    return templates.part("block", textwrap.dedent(text), "cpp", templates.part(
        "place", sources.page_name(path), path.name, f"#L{code}" if code else "",
        f"line {first}" if first == last else f"lines {first} to {last}"))


def quotations(page):
    """[(match, path, first line)] of a chapter's blocks that quote its step's files."""
    for match in staging.FENCE.finditer(page.text):
        found = sources.find_excerpt(page.step, match[3]) if match[2] == "cpp" else None
        if found:
            yield match, *found


def quotation(page, step_name, name, number):
    """The N-th excerpt of a file in the chapter of a step."""
    chapter = next(one for one in book.chapters_in_order() if one.name == step_name)
    quoted = [match[3] for match, path, _ in quotations(chapter) if path.name == name]
    if not 1 <= int(number) <= len(quoted):
        raise staging.Fault(f"{page.source}: the chapter {step_name} quotes {name} {len(quoted)} "
                            f"times, not {number}")
    return excerpt(chapter, quoted[int(number) - 1])


def readme_block(language, number, of):
    """The N-th block of a language of the README, of a chapter, or of a page of docs/pages."""
    if of.endswith(".md"):
        path = book.DOCS / "pages" / of
    else:
        path = (book.step(of).folder if of else book.ROOT) / "README.md"
    blocks = [match[3] for match in staging.FENCE.finditer(path.read_text(encoding="utf-8"))
              if match[2] == language]
    return blocks[int(number) - 1]


# --- a source page ---------------------------------------------------------------------------------


@dataclasses.dataclass
class Note:
    """A paragraph of a chapter on a part of a file."""
    page: str
    heading: str
    said: str
    slug: str


@dataclasses.dataclass
class Part:
    """A comment, and the code below it."""
    first: int  # line of the code
    comment: list = dataclasses.field(default_factory=list)
    code: list = dataclasses.field(default_factory=list)
    note: Note = None

    @property
    def has_code(self):
        return any(line.strip() for line in self.code)

    def lines(self, path):
        """[(number, HTML)], without empty lines at either end."""
        lines = highlight.lines_of("\n".join(self.code), SOURCES[path.suffix])
        full = [i for i, tokens in enumerate(lines) if tokens]
        return [(self.first + i, highlight.line(lines[i])) for i in range(full[0], full[-1] + 1)] \
            if full else []


def inline(text):
    """Markdown inside a paragraph, as comments and chapters use it."""
    text = html.escape(" ".join(text.split()), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
    return templates.safe(re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text))


def paragraphs(lines):
    """[(is it an example, text)] of a comment."""
    return [(bool(part["example"]), part[0]) for part in PART.finditer("\n".join(lines))]


@functools.cache
def notes_on(step_name):
    """{(path, first line): Note} of the files that a step's chapters quote."""
    notes = {}
    for page in (*book.chapters_in_order(), *book.further_pages()):
        for match, path, first in quotations(page) if page.step == step_name else ():
            heading = re.findall(r"^## (.+)$", page.text[:match.start()], re.M)[-1]
            before = page.text[:match.start()].rstrip().split("\n\n")[-1]
            after = page.text[match.end():].lstrip("\n").split("\n\n")[0]
            said = [one for one in (before, after)
                    if not re.match(r"[#|<`]", one) and len(one.split()) > 4]
            # Text that leads up to an excerpt ends in a colon; else the text that follows explains it.
            best = before if before in said and before.endswith(":") else (said or [""])[-1]
            best = re.sub(r"^- ", "", re.split(r"\n- ", best)[0])
            notes.setdefault((path, first), Note(page.name, inline(heading), inline(best),
                                                 staging.slug_of(heading)))
    return notes


def parts_of(path, step_name):
    notes = notes_on(step_name) if step_name else {}
    parts = [Part(1)]
    for number, line in enumerate(path.read_text(encoding="utf-8").rstrip("\n").split("\n"), 1):
        comment = None if re.match(r" *#(?:include|pragma)", line) else COMMENT.match(line)
        note = notes.get((path, number))
        if (comment and parts[-1].code) or (note and parts[-1].has_code):
            parts.append(Part(number))
        if comment:
            parts[-1].comment.append(comment[1].removeprefix(" "))
            parts[-1].first = number + 1
        else:
            parts[-1].note = note or parts[-1].note
            parts[-1].code.append(line)
    return [part for part in parts if part.comment or part.has_code]


def line_costs(path):
    """{line: text} as the recorded traces have it."""
    costs = {}
    for trace in book.recorded("traces"):
        for line in trace["lines"]:
            if line["file"] == str(path.relative_to(book.ROOT)):
                costs.setdefault(line["line"], {}).update(dict.fromkeys(line["costs"]))
    return {line: "; ".join(texts) for line, texts in costs.items()}
