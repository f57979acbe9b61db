"""Jinja2's templates of docs/theme: the frame of a page (page.html), and its parts (parts.html)."""

import functools

import book


@functools.cache
def environment():
    import jinja2  # is there where pages are made, not for every test of texts
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(book.DOCS / "theme"), autoescape=True,
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def page():
    return environment().get_template("page.html")


def safe(value):
    """HTML that needs no escapes; in lists, too."""
    import markupsafe  # comes with Jinja2
    if isinstance(value, (list, tuple)):
        return [safe(one) for one in value]
    return markupsafe.Markup(value) if isinstance(value, str) else value


def part(name, *values):
    """A macro of parts.html, filled in. Text is escaped; what is HTML already comes as safe()."""
    return str(getattr(environment().get_template("parts.html").module, name)(*values)).strip()
