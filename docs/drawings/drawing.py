"""The shapes that the chapters' drawings are made of: cells, arrows, braces, labels."""

from svg import WIDTH, Svg

STYLE = """
.figure .cell { fill: var(--wash); stroke: var(--soft); }
.figure .active { fill: var(--first); stroke: var(--first); }
.figure .other { fill: var(--third); stroke: var(--third); }
.figure .extra { fill: var(--fourth); stroke: var(--fourth); }
.figure .good { fill: var(--fifth); stroke: var(--fifth); }
.figure .idle { fill: none; stroke: var(--faint); }
.figure .frame { fill: none; stroke: var(--soft); }
.figure .region { fill: var(--wash); stroke: none; }
.figure .part { fill: var(--second); stroke: none; }
.figure .arrow { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.figure .tip { fill: var(--soft); }
.figure .barrier { stroke: var(--third); stroke-width: 2; stroke-dasharray: 6 4; }
.figure text.on { fill: var(--paper); }
.figure text.soft { fill: var(--soft); }
.figure text.small { font-size: 12px; }
.figure text.code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.figure text.strong { font-weight: 650; }
.figure text.first { fill: var(--first); }
.figure text.third { fill: var(--third); }
"""
BASELINE = 5  # from the middle of a line of text down to its baseline


class Drawing(Svg):
    """A drawing of a chapter. The file's name is `name`.svg; it is readable at 400 px, too."""

    def __init__(self, name, title, description, width=WIDTH):
        super().__init__(name, title, description, width, STYLE)

    def cell(self, x, y, width, height, label="", kind="cell"):
        """A box with a centered label: of kind cell or idle in ink, of the others on color."""
        self.box(kind, x, y, width, height, 3)
        if label:
            color = {"cell": "", "idle": " soft"}.get(kind, " on")
            self.text(x + width / 2, y + height / 2 + BASELINE, label, "middle" + color)

    def cells(self, x, y, size, labels, kinds=(), gap=0, height=None):
        """A row of cells of `size` pixels each, left to right; `kinds` one per cell, or all cell."""
        for i, label in enumerate(labels):
            self.cell(x + i * (size + gap), y, size, height or size, label,
                      kinds[i] if kinds else "cell")

    def arrow(self, x1, y1, x2, y2):
        """A straight arrow with its tip at (x2, y2)."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        base = x2 - 8 * dx, y2 - 8 * dy
        self.line("arrow", x1, y1, *base)
        self.polygon("tip", [(x2, y2), (base[0] - 4 * dy, base[1] + 4 * dx),
                             (base[0] + 4 * dy, base[1] - 4 * dx)])

    def polygon(self, kind, points):
        corners = " L ".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M {corners} Z"/>')
