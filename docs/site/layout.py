"""The frame of a page's text: head, search, contents, previous and next."""

import html
import re

import book
import lab

ICONS = {
    "menu": '<path d="M3 5h14M3 10h14M3 15h14"/>',
    "theme": '<circle cx="10" cy="10" r="7"/><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/>',
    "search": '<circle cx="9" cy="9" r="5.5"/><path d="m13 13 4 4"/>',
}
CHAPTER_NUMBERS = {"elementwise": "I", "reduction": "II", "transpose": "III", "product": "IV"}


def icon(name):
    return (f'<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" '
            f'stroke="currentColor" stroke-width="1.6" stroke-linecap="round">{ICONS[name]}</svg>')


# Before anything is drawn, so that a page never flashes in the other theme.
THEME_SCRIPT = ("try{const t=localStorage.getItem('theme');"
                "if(t)document.documentElement.dataset.theme=t}catch(e){}")


class Navigation:
    """The list of pages at the left."""

    def __init__(self, chapters, reference):
        self.chapters, self.reference = chapters, reference

    def item(self, page, current, children=()):
        here = ' aria-current="page"' if page.name == current.name else ""
        number = f'<span class="n">{page.number}</span>' if page.kind == "step" else ""
        text = f'<li class="{page.kind}"><a href="{page.name}.html"{here}>{number}' \
               f'<span>{html.escape(page.title)}</span></a>'
        if children and page.name in (current.name, current.parent):
            text += "<ul>" + "".join(self.item(child, current) for child in children) + "</ul>"
        return text + "</li>"

    def render(self, current, code_of):
        groups = [[]]
        for page in self.chapters:
            if page.kind == "chapter" or (page.kind == "background" and
                                          groups[-1][-1].kind != "background"):
                groups.append([])
            groups[-1].append(page)
        groups.append(self.reference)
        return "".join(
            "<ul>" + "".join(self.item(page, current, code_of.get(page.name, ()))
                             for page in group) + "</ul>" for group in groups)


def contents(body):
    """The headings of a page: [(level, anchor, text)]"""
    found = re.findall(r'<h([23]) id="([^"]+)">(.*?)</h[23]>', body, re.S)
    return [(int(level), anchor, re.sub(r'<a class="here".*?</a>', "", text))
            for level, anchor, text in found]


def contents_html(body):
    headings = contents(body)
    if len(headings) < 2:
        return ""
    items = "".join(f'<li class="h{level}"><a href="#{anchor}">{re.sub("</?a[^>]*>", "", text)}</a></li>'
                    for level, anchor, text in headings)
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{items}</ul></nav>'


def neighbors_html(previous, following):
    def link(page, word, relation):
        if page is None:
            return "<span></span>"
        number = f"{page.number} " if page.number else ""
        return (f'<a rel="{relation}" href="{page.name}.html"><small>{word}</small>'
                f'<span>{number}{html.escape(page.title)}</span></a>')
    return ('<nav class="neighbors" aria-label="Previous and next page">'
            + link(previous, "Previous", "prev") + link(following, "Next", "next") + "</nav>")


def render(page, lead, body, navigation, previous, following, has_formulas):
    """The whole file."""
    heading = page.heading or page.title
    tab = heading if page.name == "index" else f"{heading} · {book.TITLE}"
    formulas = '<link rel="stylesheet" href="katex.css">' if has_formulas else ""
    wide = " wide" if page.kind in ("code", "interface") else ""
    number = f'<span class="n">{page.number}</span> ' if page.number else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(tab)}</title>
<link rel="icon" href="icon.svg">
{formulas}<link rel="stylesheet" href="site.css">
<script>{THEME_SCRIPT}</script>
<script src="site.js" defer></script>
{lab.head(body)}</head>
<body class="{page.kind}">
<a class="skip" href="#text">To the text</a>
<header class="top">
<button class="button" id="menu" aria-label="Contents" aria-expanded="false" aria-controls="pages">{icon("menu")}</button>
<a class="brand" href="index.html">{book.TITLE}</a>
<button class="button find" id="find" aria-label="Search" aria-keyshortcuts="/">{icon("search")}<span>Search</span><kbd>/</kbd></button>
<button class="button" id="theme" aria-label="Light or dark">{icon("theme")}</button>
</header>
<nav id="pages" class="pages" aria-label="Pages" tabindex="-1">{navigation}</nav>
<main id="text" class="reading{wide}">
<article>
<h1>{number}{html.escape(heading)}</h1>
{lead}{body}
</article>
{neighbors_html(previous, following)}
</main>
{contents_html(body) if not wide else ""}
<dialog id="search" aria-label="Search">
<form method="dialog"><input type="search" aria-label="Search" placeholder="Search all pages" autocomplete="off" spellcheck="false"><button class="button">Close</button></form>
<p class="state" role="status"></p>
<ol></ol>
</dialog>
</body>
</html>
"""
