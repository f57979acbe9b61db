"""Parts of files that scripts of the project write, and check afterwards."""

import re
import textwrap

# Words that begin a list, a heading or a quotation when a line starts with them.
BEGINS_SOMETHING = re.compile(r" (?=(?:\d+[.)]|[-+*>#=]+)(?: |$))")

AFTER_RUNGS, RUN_IT = "## Break it", "## Run it"  # headings of a chapter


class NoPlace(Exception):
    """A text has nothing that the section could go before."""


def with_section(text, section, begin, end, before):
    """The text with the section in place of the one from `begin` to `end`, or before `before`."""
    if begin in text:
        head, rest = text.split(begin, 1)
        return head + section + rest.split(end, 1)[1]
    if before not in text:
        raise NoPlace(f"there is no line '{before}' to put the section before")
    head, tail = text.split(before, 1)
    return head + section + "\n" + before + tail


def in_chapter(text, section, begin, end):
    """A chapter's text with the section, which goes to the end of its rungs; in a chapter that has
    no such part, it goes before the commands that run the step."""
    if f"\n{AFTER_RUNGS}\n" not in text:
        return with_section(text, section, begin, end, RUN_IT)
    return with_section(text, re.sub(r"^#", "##", section, flags=re.M), begin, end, AFTER_RUNGS)


def bring_up_to_date(wanted, write, script):
    """Writes the files that are not as wanted, {path: text}, or says which these are."""
    faults = []
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        else:
            faults.append(f"{path}: out of date; {script} write brings it up to date")
    return faults


def wrapped(text, lead=""):
    """A paragraph of Markdown in lines of at most 100 characters; with a lead, as "1. ", an item of
    a list. Code keeps together, and no line begins anything."""
    kept = re.sub("`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(text.split()))
    filled = textwrap.fill(BEGINS_SOMETHING.sub("\0", kept), 100, initial_indent=lead,
                           subsequent_indent=" " * len(lead), break_long_words=False,
                           break_on_hyphens=False)
    return filled.replace("\0", " ") + "\n"
