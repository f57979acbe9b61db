"""Step 07: the sectors that one warp of a naive transpose touches on its two sides."""

from drawing import Drawing

WORDS = 8  # floats per sector
CELL, HIGH = 20, 24
SECTOR = WORDS * CELL


def sector(drawing, x, y, used):
    """A sector of eight words; `used` has the labels of those that a lane asks for."""
    for word in range(WORDS):
        drawing.cell(x + word * CELL, y, CELL, HIGH, used.get(word, ""),
                     "active" if word in used else "idle")
    drawing.box("frame", x, y, SECTOR, HIGH)


def draw():
    drawing = Drawing(
        "07_coalescing", "The sectors of one warp's load and of its store",
        "The 32 lanes of a warp load 32 floats side by side, which fill four sectors of eight "
        "words. Then each lane stores its float to a row of its own of the output, so the store"
        " touches 32 sectors and uses one word of each.")
    left, right = 20, 400
    drawing.text(left, 26, "Load: 32 floats of a row of in", "strong")
    drawing.text(right, 26, "Store: a column of out", "strong")
    tops = [46 + i * 62 for i in range(4)]
    for i, top in enumerate(tops):
        sector(drawing, left, top, {word: str(8 * i + word) for word in range(WORDS)})
    drawing.text(left, tops[-1] + 54, "4 sectors in a row, every byte used")
    lanes = [0, 1, 2, 3, 4, 5]
    rows = [46 + i * 31 for i in range(len(lanes))]
    for lane, y in zip(lanes, rows):
        sector(drawing, right, y, {2: str(lane)})
        drawing.text(right - 12, y + 17, f"lane {lane}", "end")
    drawing.text(right + 2.5 * CELL, rows[-1] + 42, "⋮", "middle")
    last = rows[-1] + 54
    sector(drawing, right, last, {2: "31"})
    drawing.text(right - 12, last + 17, "lane 31", "end")
    drawing.text(right + SECTOR, last + 54, "32 sectors, one word of each used", "end")
    drawing.arrow(left + SECTOR + 12, 139, right - 84, 139)
    drawing.text((left + SECTOR + right - 72) / 2, 130, "transpose", "middle soft")
    return drawing.done(last + 72)


DRAWINGS = {"07_coalescing": draw}
