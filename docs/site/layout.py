"""The frame of a page's text, filled in by Jinja2: docs/theme/page.html."""

import re
import textwrap

import book
import templates

DESCRIBED = 160  # letters of a page's description, at most
UNDESCRIBED = r'<(figure|details|table|nav|svg|aside)\b.*?</\1>|<p class="hint">.*?</p>'


def contents(body):
    """The headings of a page: [(level, anchor, HTML of the text, without links)]"""
    found = re.findall(r'<h([23])(?: class="[\w ]+")? id="([^"]+)">(.*?)</h[23]>', body, re.S)
    return [(int(level), anchor, templates.safe(re.sub("</?a[^>]*>", "", text)))
            for level, anchor, text in found]


def description(body):
    """For search engines and link previews: the first paragraph, or as much of it as has room."""
    prose = re.sub(UNDESCRIBED, "", body, flags=re.S)
    paragraphs = map(templates.plain, re.findall(r"<p>(.*?)</p>", prose, re.S))
    text = next((one for one in paragraphs if len(one) > 25), "")
    if len(text) <= DESCRIBED:
        return text
    return textwrap.shorten(text, DESCRIBED - 1, placeholder="").rstrip(",;:") + "…"


def render(page, lead, body, place, about):
    """The whole file. `place`: a navigation.Place; `about`: a publishing.About."""
    heading = page.heading or page.title
    return templates.page().render(
        page=page, heading=heading, site=book.TITLE, lead=templates.safe(lead),
        body=templates.safe(body), contents=contents(body), place=place, about=about,
        description=description(f"{lead}{body}") or f"{heading}: a page of {book.TITLE}.")
