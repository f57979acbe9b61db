"""Step 08: the way of a tile through shared memory, and its words' banks in three layouts."""

from drawing import Drawing

BANKS = 8  # of the drawing; a GPU has 32
CELL = 21
COLUMN = 2  # that a warp loads


def grid(drawing, left, top, side, marked, label):
    """A matrix of cells; `marked` has those that one warp accesses."""
    for y in range(side):
        for x in range(side):
            kind = marked(y, x)
            drawing.cell(left + x * 30, top + y * 30, 30, 30, label(y, x) if kind else "",
                         kind or "idle")


def tile():
    drawing = Drawing(
        "08_tile", "A tile's way through shared memory",
        "A warp loads a row of the input, side by side, and stores it as a row of the tile. After a "
        "barrier it loads a column of the tile and stores it as a row of the output, side by side. "
        "Only the accesses to shared memory are strided.")
    lefts, top, side = (20, 250, 480), 60, 4
    for left, name in zip(lefts, ("in", "tile (shared)", "out")):
        drawing.text(left + 60, 34, name, "middle strong")
    first = lambda y, x: "active" if y == 1 else ""      # noqa: E731
    second = lambda y, x: "good" if x == 2 else ""       # noqa: E731
    both = lambda y, x: second(y, x) or first(y, x)      # noqa: E731
    written = lambda y, x: "good" if y == 2 else ""      # noqa: E731
    grid(drawing, lefts[0], top, side, first, lambda y, x: str(x))
    grid(drawing, lefts[1], top, side, both, lambda y, x: str(y if x == 2 else x))
    grid(drawing, lefts[2], top, side, written, lambda y, x: str(x))
    drawing.arrow(152, 105, 238, 105)
    drawing.text(195, 96, "rows in", "middle soft")
    drawing.arrow(382, 135, 468, 135)
    drawing.text(425, 126, "columns out", "middle soft")
    drawing.text(20, 210, "Numbers are lanes. Blue: what a warp does before the barrier.")
    drawing.text(20, 232, "Green: what a warp does after it. Both touch whole sectors.")
    return drawing.done(248)


def banks():
    drawing = Drawing(
        "08_banks", "The bank of each word of a tile, in three layouts",
        "With eight banks. In transpose_tile each column lies in one bank, so the eight lanes that "
        "load a column take eight wavefronts. In transpose_tile_padded each row is one word longer, "
        "and in transpose_tile_swizzled word x of row y is stored at x xor y: either way a column has "
        "a word in each bank, and takes one wavefront.")
    layouts = (
        ("tile", 16, BANKS, lambda y, x: x % BANKS, lambda y: COLUMN, "other", "8 wavefronts"),
        ("tile_padded", 214, BANKS + 1, lambda y, x: (y * (BANKS + 1) + x) % BANKS,
         lambda y: COLUMN, "good", "1 wavefront"),
        ("tile_swizzled", 438, BANKS, lambda y, x: x, lambda y: COLUMN ^ y, "good",
         "1 wavefront"))
    top = 66
    drawing.text(16, 24, "Which bank has it? Colored: the words of one column, with 8 banks", "strong")
    for name, left, pitch, bank, place, kind, cost in layouts:
        drawing.text(left, 54, name, "code")
        for y in range(BANKS):
            for x in range(pitch):
                is_padding = x == BANKS
                drawing.cell(left + x * CELL, top + y * CELL, CELL, CELL,
                             "" if is_padding else str(bank(y, x)),
                             "idle" if is_padding else kind if x == place(y) else "cell")
        drawing.text(left, top + BANKS * CELL + 24, cost)
    return drawing.done(top + BANKS * CELL + 40)


DRAWINGS = {"08_tile": tile, "08_banks": banks}
