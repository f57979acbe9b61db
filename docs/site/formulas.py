"""TeX that KaTeX makes into HTML, all at once, with the style and the fonts that it takes."""

import pathlib
import re
import shutil

import node

KATEX = node.MODULES / "katex" / "katex.js"
CSS = pathlib.Path("/usr/share/javascript/katex/katex.min.css")
FONTS = pathlib.Path("/usr/share/fonts/truetype/katex")
# The fonts that formulas may use, each with the class that does.
CLASSES = {"Main-Regular": "", "Math-Italic": "mathnormal", "Main-Bold": "mathbf",
           "Main-Italic": "mathit", **{f"Size{i}-Regular": f"size{i}" for i in range(1, 5)}}
FACE = re.compile(r"@font-face\{.*?(KaTeX_([\w-]+))\.woff2.*?\}")


class Formulas:
    def __init__(self, slots):
        self.slots, self.wanted, self.rendered = slots, {}, []

    def add(self, tex, display):
        """The word that stands for a formula: a slot, which is empty until all are made."""
        self.wanted[len(self.slots.texts)] = {"tex": tex, "display": display}
        return self.slots.inline("")

    def render(self):
        self.rendered = node.run("formulas.js", list(self.wanted.values()))
        for place, formula in zip(self.wanted, self.rendered):
            self.slots.texts[place] = formula

    def assets(self, out):
        """The style for these formulas, with the fonts that they use."""
        def face(match):
            wanted = CLASSES.get(match[2])
            if wanted is None or not any(wanted in formula for formula in self.rendered):
                return ""
            shutil.copyfile(FONTS / f"{match[1]}.woff2", out / f"{match[1]}.woff2")
            return re.sub(r"src:[^}]*", f"src:url({match[1]}.woff2) format('woff2')", match[0])
        css = FACE.sub(face, CSS.read_text(encoding="utf-8"))
        (out / "katex.css").write_text(css, encoding="utf-8")
