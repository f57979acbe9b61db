"""Writes SVG that is readable in light and dark: one palette and one set of shapes for the pictures
of records (common/bench/figures.py) and those that explain (chapter_*.py in this folder). Those
that are parts of the site's pages take its colors (docs/theme/drawings.html)."""

import xml.sax.saxutils

# Colors that stay apart for color-blind readers, with a contrast of at least 4.5 to the paper where
# text has them (drawings_test.py). Inside a page that has a theme of its own the page sets them.
LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "faint": "#d0d7de",
         "first": "#2f6fbb", "second": "#8ba6c9", "third": "#b35900", "fourth": "#7d4fb3",
         "fifth": "#1a7f37", "wash": "#eef3f9"}
DARK = {"paper": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "faint": "#3d444d",
        "first": "#6cb0ff", "second": "#4b6a94", "third": "#ffa657", "fourth": "#c297ff",
        "fifth": "#56d364", "wash": "#161f2b"}
TEXT_COLORS = ("ink", "soft", "first", "third", "fourth", "fifth")


def colors(values):
    return " ".join(f"--{name}: {value};" for name, value in values.items())


# The style is the picture's own, also where it stands inside a page: all of it hangs on the class.
STYLE = f"""
.figure {{ {colors(LIGHT)} }}
@media (prefers-color-scheme: dark) {{
  .figure {{ {colors(DARK)} }}
}}
.figure text {{ font: 14px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); }}
.figure .paper {{ fill: var(--paper); }}
.figure .grid {{ stroke: var(--faint); }}
.figure .end {{ text-anchor: end; }}
.figure .middle {{ text-anchor: middle; }}
"""


def escaped(text):
    return xml.sax.saxutils.escape(text)


def number(value):
    """A coordinate: no more digits than anybody sees."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


WIDTH = 640  # of a picture in a page


class Svg:
    """A picture: shapes, in the order in which they are drawn; `kind` is the CSS class, or several,
    of a shape. Lengths are in pixels at the picture's natural width; y grows downward.

    name: unique among the pictures of a page; title and description: what a screen reader says.
    """

    def __init__(self, name, title, description, width, style=""):
        self.parts = []
        self.name, self.title, self.description = name, title, description
        self.width, self.style = width, STYLE + style

    def line(self, kind, x1, y1, x2, y2):
        self.parts.append(f'<line class="{kind}" x1="{number(x1)}" y1="{number(y1)}" '
                          f'x2="{number(x2)}" y2="{number(y2)}"/>')

    def path(self, kind, points):
        corners = " L ".join(f"{number(x)} {number(y)}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M {corners}"/>')

    def raw_path(self, kind, commands):
        """A path, or several shapes in one, as SVG's commands."""
        self.parts.append(f'<path class="{kind}" d="{commands}"/>')

    def box(self, kind, x, y, width, height, radius=0):
        more = f' rx="{number(radius)}"' if radius else ""
        self.parts.append(f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" '
                          f'width="{number(width)}" height="{number(height)}"{more}/>')

    def dot(self, kind, x, y, radius=5):
        self.parts.append(f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" '
                          f'r="{number(radius)}"/>')

    def text(self, x, y, text, kind=""):
        attribute = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{attribute} x="{number(x)}" y="{number(y)}">'
                          f'{escaped(str(text))}</text>')

    def done(self, height):
        """The file's text."""
        size = f"{self.width} {number(height)}"
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {size}" '
                f'width="{self.width}" height="{number(height)}" role="img" '
                f'aria-labelledby="{self.name}-title {self.name}-description">\n'
                f'<title id="{self.name}-title">{escaped(self.title)}</title>\n'
                f'<desc id="{self.name}-description">{escaped(self.description)}</desc>\n'
                f'<style>{self.style}</style>\n'
                f'<rect class="paper" width="{self.width}" height="{number(height)}"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"
