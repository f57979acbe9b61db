"""Jinja2's templates of docs/theme: the frame of a page (page.html), its parts (parts.html),
drawings (drawings.html), and what texts ask for (directives.html)."""

import functools
import importlib
import re
import textwrap

import book
import records
import staging
import svg  # of docs/drawings, which book puts on the path

# The modules that templates ask for what they show.
MODULES = ("annotate", "book", "diffs", "exercises", "faults", "figures", "highlight",
           "measured", "sources", "staging", "svg")
DESCRIBED = 160  # characters of a page's description, at most
UNDESCRIBED = r'<(figure|details|table|nav|svg|aside)\b.*?</\1>|<p class="hint">.*?</p>'


@functools.cache
def environment():
    import jinja2  # is there where pages are made, not for every test of texts
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(book.DOCS / "theme"), autoescape=True,
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    made.filters.update(contents=contents, description=description, inline=inline,
                        number=book.number, px=svg.number, rate=book.rate,
                        sizes=records.size_text)
    made.globals.update({name: importlib.import_module(name) for name in MODULES})
    return made


def safe(value):
    """HTML that needs no escapes."""
    import markupsafe  # comes with Jinja2
    return markupsafe.Markup(value)


def plain(fragment):
    """The words of a piece of HTML."""
    return safe(fragment).striptags()


@functools.cache
def markdown():
    """CommonMark without HTML, and of a link only its text."""
    import markdown_it
    made = markdown_it.MarkdownIt("commonmark", {"html": False})
    for tag in ("link_open", "link_close"):
        made.add_render_rule(tag, lambda *_: "")
    return made


def inline(text):
    """Markdown inside a paragraph, for what does not come from Doxygen; without its links."""
    return safe(markdown().renderInline(" ".join(text.split())))


def contents(body):
    """The headings of a page: [(level, anchor, HTML of the text, without links)]"""
    found = re.findall(r'<h([23]) id="([^"]+)">(.*?)</h[23]>', body, re.S)
    return [(level, anchor, safe(re.sub("</?a[^>]*>", "", text))) for level, anchor, text in found]


def description(body):
    """For search engines and link previews: the first paragraph, or as much of it as has room."""
    prose = re.sub(UNDESCRIBED, "", body, flags=re.S)
    paragraphs = map(plain, re.findall(r"<p>(.*?)</p>", prose, re.S))
    text = next((one for one in paragraphs if len(one) > 25), "")
    if len(text) <= DESCRIBED:
        return text
    return textwrap.shorten(text, DESCRIBED - 1, placeholder="").rstrip(",;:") + "…"


def page(page, body, places, about):
    """The whole file. `places`: a navigation.Navigation; `about`: a build.About."""
    return environment().get_template("page.html").render(
        page=page, body=safe(body), places=places, about=about)


def part(name, *values):
    """A macro of parts.html, filled in. Text is escaped; what is HTML already comes as safe()."""
    return getattr(environment().get_template("parts.html").module, name)(*values).strip()


def directive(page, words):
    """The HTML of a line `<!-- WORDS -->`; None: it is a comment like others. Raises staging.Fault.

    `<!-- figure accesses add -->` is the macro figure_accesses of directives.html, which gets the
    page and the other words.
    """
    import jinja2
    made = vars(environment().get_template("directives.html").module)
    for count in (2, 1):
        macro = made.get("_".join(words[:count]))
        if macro:
            try:
                return macro(page, *words[count:]).strip()
            except (TypeError, jinja2.UndefinedError) as error:  # too many words, or too few
                raise staging.Fault(f"{page.source}: {' '.join(words)}: {error}") from error
    if words[0] in {name.partition("_")[0] for name in made}:
        raise staging.Fault(f"{page.source}: nothing makes '{' '.join(words)}'")
    return None
