"""Markdown as code hosts read it, made into Markdown that Doxygen 1.9.4 reads.

Prose, headings, lists and tables go through Doxygen. Text that it would misread, or does less well, is
kept back: code, links, formulas, figures and raw HTML leave a word of their own in the text, a slot,
and come back when Doxygen has made HTML of the rest.
"""

import collections
import html
import re

import tools
from tools import Fault


def slug_of(heading):
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"[`*]", "", heading).lower()).strip("-")


SLOT = re.compile(r"zq(\d+)qz")
FENCE = re.compile(r"^( *)```([\w.-]*)[^\n]*\n(.*?)^ *```[ ]*$", re.M | re.S)
DIRECTIVE = re.compile(r"^<!-- (\w[^\n]*?) -->$", re.M)
COMMENT = re.compile(r"<!--.*?-->\n?", re.S)
# A recorded figure, which docs/values.py keeps up to date.
VALUE = re.compile(r"<!--= (.+?) -->(.*?)<!--/-->", re.S)
# A number that begins a line and ends a sentence would begin a list.
FIRST_VALUE = re.compile(rf"^{VALUE.pattern}(?=\.)", re.M)
UNBROKEN = 16  # letters of code that stay on a line
CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.S)
CODE_OR_COMMENT = re.compile(f"{CODE_SPAN.pattern}|{COMMENT.pattern}", re.S)
MATH_BLOCK = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.M | re.S)
MATH = re.compile(r"(?<![\w$\\])\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\w)")
IMAGE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+)\)$", re.M)
LINK = re.compile(r"\[(\**)([^\[\]]+?)\1\]\(([^()\s]+)\)", re.S)
NOTE = re.compile(r"^> \[!(\w+)\]\n((?:^>.*\n?)+)", re.M)
RAW = re.compile(r"^(</?(?:details|summary|figure|div)\b[^\n]*)$", re.M)
ANCHOR = re.compile(r'<a id="[a-z0-9-]+"></a>')
COMMAND = re.compile(r"[@\\%]")  # characters that begin one of Doxygen's
HEADING = re.compile(r"^(#{1,4}) (.+)$", re.M)


def formula(tex, is_block):
    [made] = tools.node("formulas.js", {"tex": tex, "display": is_block})
    return made


class Staging:
    """Stages one page. The site has the methods directive(page, words), which makes the HTML of
    `<!-- words -->` on a line of its own, or None for a comment; links(page, target); image(page, alt,
    target); and fence(page, language, text)."""

    def __init__(self, page, site):
        self.page, self.site = page, site
        self.kept = []  # the parts that were kept back
        self.taken = collections.Counter()  # names of headings
        self.text = self.stage()

    def slot(self, text):
        """Keeps a text back. Doxygen takes a slot for a word."""
        self.kept.append(text)
        return f"zq{len(self.kept) - 1}qz"

    def block(self, text):
        return f"\n\n{self.slot(text)}\n\n"

    def fill(self, made):
        """Puts everything back into the HTML; a paragraph that is one slot has become what is in it."""
        made = re.sub(rf"<p\s*>\s*({SLOT.pattern})\s*</p>", r"\1", made)
        while SLOT.search(made):
            made = SLOT.sub(lambda match: self.kept[int(match[1])], made)
        return made

    def stage(self):
        text = self.page.text
        for pattern, keep in (
                (FIRST_VALUE, lambda match: self.slot(match[2])),
                (VALUE, lambda match: match[2]),
                (FENCE, self.keep_fence),
                (DIRECTIVE, self.keep_directive),
                (CODE_OR_COMMENT, lambda match: self.keep_code(match[2]) if match[1] else ""),
                (NOTE, self.keep_note),
                (RAW, lambda match: self.block(match[0])),
                (MATH_BLOCK, lambda match: self.block(
                    f'<div class="formula" tabindex="0">{formula(match[1], True)}</div>')),
                (MATH, lambda match: self.slot(formula(match[1], False))),
                (IMAGE, lambda match: self.block(self.site.image(self.page, match[1], match[2]))),
                # A word of its own: Doxygen sees no ** that begins inside a word.
                (ANCHOR, lambda match: f"{self.slot(match[0])} "),
                (LINK, self.keep_link),
                (COMMAND, r"\\\g<0>"),
                ("<", "&lt;"),
                (HEADING, self.label)):
            text = re.sub(pattern, keep, text)
        return text

    def keep_fence(self, match):
        indent, language, text = match.groups()
        if indent:
            raise Fault(f"{self.page.source}: a block of code inside a list")
        return self.block(self.site.fence(self.page, language, text))

    def keep_directive(self, match):
        made = self.site.directive(self.page, match[1].split())
        return match[0] if made is None else self.block(made)

    def keep_note(self, match):
        body = re.sub(r"^> ?", "", match[2], flags=re.M)
        opening = self.block(f'<aside class="note"><p class="label">{match[1].title()}</p>')
        return opening + body + self.block("</aside>")

    def keep_code(self, text):
        text = re.sub(r"\s*\n\s*", " ", text).strip()
        short = ' class="short"' if len(text) <= UNBROKEN and re.search("[- ]", text) else ""
        return self.slot(f"<code{short}>{html.escape(text, quote=False)}</code>")

    def keep_link(self, match):
        stars, text, target = match.groups()
        target = html.escape(self.site.links(self.page, target))
        opening, closing = self.slot(f'<a href="{target}">'), self.slot("</a>")
        # Doxygen sees no stars that begin inside a word, and a slot is one.
        return f"{stars}{opening}{text}{closing}{stars}"

    def label(self, match):
        """A heading with a label of Doxygen's, which is one for the whole site and begins with a letter."""
        if match[1] == "#":
            return f"# {self.page.title} {{#p_{self.page.name}}}"
        words = SLOT.sub(lambda slot: re.sub(r"<[^>]+>", "", self.kept[int(slot[1])]), match[2])
        slug = slug_of(html.unescape(words))
        self.taken[slug] += 1
        if self.taken[slug] > 1:
            slug += f"-{self.taken[slug]}"
        return f"{match[1]} {match[2]} {{#p_{self.page.name}--{slug}}}"
