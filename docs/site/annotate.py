"""Source files with their prose beside the code, and what the chapters quote of them."""

import collections
import dataclasses
import functools
import re
import textwrap

import book
import diffs
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
        "place", path, f"#L{code}" if code else "", first, last))


def quotations(page):
    """[(match, path, first line)] of a chapter's blocks that quote its step's files."""
    for match in staging.FENCE.finditer(page.text):
        found = sources.find_excerpt(page.step, match[3]) if match[2] == "cpp" else None
        if found:
            yield match, *found


def fence(page, language, text):
    """A page's block of code: an excerpt of its step's sources, of a diff of these, or its own."""
    if page.step and language == "cpp":
        return excerpt(page, text)
    if page.step and language == "diff":
        return diffs.excerpt(page, text)
    made = diffs.of_command(page, text) if language == "sh" else ""
    return f"{templates.part('block', text, language)}{made}"


def quotation(page, name, language, number):
    """The N-th block of a language of another page, or of the README."""
    readme = book.page_of(book.ROOT / "README.md", "README", "guide")
    blocks = [(other, match[3]) for other in (readme, *book.chapters_in_order())
              if other.name == name for match in staging.FENCE.finditer(other.text)
              if match[2] == language]
    if not 1 <= int(number) <= len(blocks):
        raise staging.Fault(f"{page.source}: {name} has {len(blocks)} blocks of {language}, no "
                            f"number {number}")
    other, text = blocks[int(number) - 1]
    return fence(other, language, text)


# --- a source page ---------------------------------------------------------------------------------


# A paragraph of a chapter on a part of a file.
Note = collections.namedtuple("Note", "page heading said")


@dataclasses.dataclass
class Part:
    """A comment, and the code below it."""
    comment: list = dataclasses.field(default_factory=list)
    code: list = dataclasses.field(default_factory=list)  # [(number, HTML)]
    note: Note = None


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
            notes.setdefault((path, first), Note(page.name, heading, best))
    return notes


def parts_of(path, step_name):
    notes = notes_on(step_name) if step_name else {}
    text = path.read_text(encoding="utf-8").rstrip("\n")
    parts = [Part()]
    for number, (line, shown) in enumerate(
            zip(text.split("\n"), highlight.lines_of(text, SOURCES[path.suffix])), 1):
        comment = None if re.match(r" *#(?:include|pragma)", line) else COMMENT.match(line)
        note = notes.get((path, number))
        if (comment and parts[-1].code) or (note and any(one for _, one in parts[-1].code)):
            parts.append(Part())
        if comment:
            parts[-1].comment.append(comment[1].removeprefix(" "))
        else:
            parts[-1].note = note or parts[-1].note
            parts[-1].code.append((number, shown))
    for part in parts:  # without empty lines at either end
        full = [i for i, (_, one) in enumerate(part.code) if one]
        part.code = part.code[full[0]:full[-1] + 1] if full else []
    return [part for part in parts if part.comment or part.code]


def line_costs(path):
    """{line: text} as the recorded traces have it."""
    costs = {}
    for trace in book.recorded("traces"):
        for line in trace["lines"]:
            if line["file"] == str(path.relative_to(book.ROOT)):
                costs.setdefault(line["line"], {}).update(dict.fromkeys(line["costs"]))
    return {line: "; ".join(texts) for line, texts in costs.items()}
