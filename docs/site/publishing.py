"""All that serving a site takes: its address, the license, a page for unknown addresses."""

import dataclasses
import html
import re
import urllib.parse

import book


@dataclasses.dataclass(frozen=True)
class About:
    """The facts of the project that a build is told.

    repository: where the code is, a URL; "": not said.  address: where the site will be, a URL that
    ends with a slash; "": anywhere, and nothing that needs a full address is written.
    """
    repository: str = ""
    address: str = ""
    license: str = "MIT"

    @property
    def version(self):
        text = (book.ROOT / "meson.build").read_text(encoding="utf-8")
        return re.search(r"^  version: '([^']+)'", text, re.M)[1]

    @property
    def base(self):
        """The path of the site on its host; "": unknown."""
        return urllib.parse.urlsplit(self.address).path


def web_address(text):
    """A URL of http or https, or none. Raises ValueError."""
    parts = urllib.parse.urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise ValueError(f"no address of the web: {text}")
    return text


def web_folder(text):
    """The same; its path ends with a slash."""
    return text if not web_address(text) or text.endswith("/") else f"{text}/"


def sitemap(pages, about):
    """The addresses of all pages, for search engines."""
    entries = "".join(f"<url><loc>{html.escape(about.address + page_file(page))}</loc></url>\n"
                      for page in pages)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n')


def page_file(page):
    """As canonical addresses have it: the start page is its folder."""
    return "" if page.name == "index" else f"{page.name}.html"


MISSING = ('<p>There is no such page here. The address may be mistyped, or of another version.</p>'
           '<ul><li><a href="index.html">The start page</a></li>'
           '<li><a href="contents.html">All pages</a></li></ul>')


def code_section(about):
    """The start page's lines on where the code is."""
    if not about.repository:
        return ("<p>The code is the folder that this site was built from. "
                "Its <code>README.md</code> has the two commands that build and test everything.</p>")
    url = html.escape(about.repository)
    folder = about.repository.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
    return (f'<div class="block console"><pre tabindex="0"><code>git clone {url}\n'
            f"cd {html.escape(folder)}</code></pre></div>")
