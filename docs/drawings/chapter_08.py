"""Step 08: the way of a tile through shared memory, and its words' banks in three layouts."""

from drawing import Drawing

BANKS = 8  # of the drawing; a GPU has 32
CELL = 21
COLUMN = 2  # that a warp loads
SIDE = 4  # of the matrices that show a tile's way


def grid(drawing, left, top, accessed):
    """A matrix of SIDE x SIDE cells; `accessed` is {(y, x): (lane, kind)}."""
    for y in range(SIDE):
        for x in range(SIDE):
            lane, kind = accessed.get((y, x), ("", "idle"))
            drawing.cell(left + x * 30, top + y * 30, 30, 30, str(lane), kind)


def tile():
    drawing = Drawing(
        "08_tile", "A tile's way through shared memory",
        "A warp loads part of a row of the input, and stores it as a row of the tile. After a "
        "barrier it takes a column of the tile, and stores it as part of a row of the output. "
        "Only the accesses to shared memory are strided.")
    lefts, top = (20, 250, 480), 60
    for left, name in zip(lefts, ("in", "tile (shared)", "out")):
        drawing.text(left + 60, 34, name, "middle strong")
    row = {(1, lane): (lane, "active") for lane in range(SIDE)}
    column = {(lane, 2): (lane, "good") for lane in range(SIDE)}
    grid(drawing, lefts[0], top, row)
    grid(drawing, lefts[1], top, {**row, **column})
    grid(drawing, lefts[2], top, {(2, lane): (lane, "good") for lane in range(SIDE)})
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
        "With eight banks. In transpose_tile each column lies in one bank, so the eight lanes "
        "that load a column take eight wavefronts. In transpose_tile_padded each row is one "
        "word longer, and in transpose_tile_swizzled word x of row y is stored at x xor y: "
        "either way a column has a word in each bank, and takes one wavefront.")
    layouts = (
        ("tile", 16, BANKS, lambda y, x: x % BANKS, lambda y: COLUMN, "other", "8 wavefronts"),
        ("tile_padded", 214, BANKS + 1, lambda y, x: (y * (BANKS + 1) + x) % BANKS,
         lambda y: COLUMN, "good", "1 wavefront"),
        ("tile_swizzled", 438, BANKS, lambda y, x: x, lambda y: COLUMN ^ y, "good",
         "1 wavefront"))
    top = 66
    drawing.text(16, 24, "The bank of each word, with 8 banks. Colored: one column", "strong")
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
