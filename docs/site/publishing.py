"""All that serving a site takes: its address, the license, where the code is."""

import dataclasses
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

    def address_of(self, page):
        """The start page is its folder."""
        return self.address + ("" if page.name == "index" else f"{page.name}.html")

    @property
    def folder(self):
        """That `git clone` makes."""
        return self.repository.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")

    @property
    def base(self):
        """The path of the site on its host; "": unknown."""
        return urllib.parse.urlsplit(self.address).path


def web_address(text):
    """A URL of http or https, or none. Raises ValueError."""
    if not re.fullmatch(r"(?:https?://[^/\s]+\S*)?", text):
        raise ValueError(f"no address of the web: {text}")
    return text


def web_folder(text):
    """The same; its path ends with a slash."""
    return re.sub(r"(?<=[^/])$", "/", web_address(text))
