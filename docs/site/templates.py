"""Jinja2's templates of docs/theme: the frame of a page (page.html), its parts (parts.html), and what
texts ask for (directives.html)."""

import functools
import html
import importlib
import re

import book
import svg  # of docs/drawings, which book puts on the path

# The modules that templates ask for what they show.
MODULES = ("annotate", "book", "charts", "diffs", "exercises", "faults", "figures", "highlight", "labs",
           "measured", "products", "sources")


@functools.cache
def environment():
    import jinja2  # is there where pages are made, not for every test of texts
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(book.DOCS / "theme"), autoescape=True,
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    made.filters.update(coded=coded, number=book.number, rate=book.rate, px=svg.number)
    made.globals.update({name: importlib.import_module(name) for name in MODULES})
    made.globals["WIDTH"] = svg.WIDTH
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


@functools.cache
def macros(file):
    """{name: macro} of a template."""
    module = environment().get_template(file).module
    return {name: macro for name, macro in vars(module).items() if not name.startswith("_")}


def part(name, *values):
    """A macro of parts.html, filled in. Text is escaped; what is HTML already comes as safe()."""
    return macros("parts.html")[name](*values).strip()
