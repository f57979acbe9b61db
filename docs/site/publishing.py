"""All that serving a site takes: its address, the license, where the code is."""

import dataclasses
import re
import urllib.parse

import book


@dataclasses.dataclass
class About:
    """The facts of the project that a build is told, and those that follow from them."""
    repository: str = ""  # where the code is, a URL; "": not said
    # Where the site will be, a URL that ends with a slash; "": anywhere, and nothing that needs a full
    # address is written.
    address: str = ""
    license: str = "MIT"

    def __post_init__(self):
        text = (book.ROOT / "meson.build").read_text(encoding="utf-8")
        self.version = re.search(r"^  version: '([^']+)'", text, re.M)[1]
        # That `git clone` makes.
        self.folder = self.repository.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
        self.base = urllib.parse.urlsplit(self.address).path  # on its host; "": unknown

    def address_of(self, page):
        """The start page is its folder."""
        return self.address + ("" if page.name == "index" else f"{page.name}.html")


def web_address(text):
    """A URL of http or https, or none. Raises ValueError."""
    if not re.fullmatch(r"(?:https?://[^/\s]+\S*)?", text):
        raise ValueError(f"no address of the web: {text}")
    return text


def web_folder(text):
    """The same; its path ends with a slash."""
    return re.sub(r"(?<=[^/])$", "/", web_address(text))
