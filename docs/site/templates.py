"""Jinja2's templates of docs/theme: the frame of a page (page.html), and its parts (parts.html)."""

import functools
import html
import re

import book


@functools.cache
def environment():
    import jinja2  # is there where pages are made, not for every test of texts
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(book.DOCS / "theme"), autoescape=True,
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    made.filters.update(coded=coded, number=book.number, rate=book.rate)
    return made


def page():
    return environment().get_template("page.html")


def safe(value):
    """HTML that needs no escapes; in lists, too."""
    import markupsafe  # comes with Jinja2
    if isinstance(value, (list, tuple)):
        return [safe(one) for one in value]
    return markupsafe.Markup(value) if isinstance(value, str) else value


def plain(fragment):
    """The words of a piece of HTML."""
    return safe(fragment).striptags()


def coded(text):
    """A sentence whose code is between backticks."""
    return safe(re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(text, quote=False)))


def part(name, *values):
    """A macro of parts.html, filled in. Text is escaped; what is HTML already comes as safe()."""
    return getattr(environment().get_template("parts.html").module, name)(*values).strip()
