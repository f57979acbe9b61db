"""Step 09: a product of matrices, and what a warp asks for at one k."""

from drawing import Drawing

WORD = 8  # pixels


def draw_product():
    drawing = Drawing(
        "09_product", "A product of matrices, one thread per element of C",
        "A, of M rows and K columns, is left of C; B, of K rows and N columns, is above it. The "
        "thread of one element of C reads the row of A beside it and the column of B above it. "
        "Its block computes a tile of C of 8 rows and 32 columns, one warp per row of the tile.")
    left, c_left, top, c_top = 60, 270, 58, 218
    width, height, depth = 290, 150, 150
    drawing.text(20, 24, "C = A · B: one thread per element of C", "strong")
    drawing.box("frame", c_left, top, width, depth)
    drawing.text(c_left + 8, top + 20, "B (K, N)", "code")
    drawing.box("frame", left, c_top, depth, height)
    drawing.text(left + 8, c_top + 20, "A (M, K)", "code")
    drawing.box("region", c_left, c_top, width, height)
    drawing.box("frame", c_left, c_top, width, height)
    drawing.text(c_left + 8, c_top + 20, "C (M, N)", "code")

    # The block's tile, a row of it, and one element.
    tile_x, tile_y, tile_w, tile_h = c_left + 96, c_top + 40, 128, 64
    drawing.box("part", tile_x, tile_y, tile_w, tile_h)
    x, y = tile_x + 60, tile_y + 24
    drawing.box("frame", tile_x, y, tile_w, WORD)
    drawing.box("active", left, y, depth, WORD)
    drawing.box("other", x, top, WORD, depth)
    drawing.box("extra", x, y, WORD, WORD)
    drawing.arrow(left + depth + 6, y + WORD / 2, tile_x - 6, y + WORD / 2)
    drawing.arrow(x + WORD / 2, top + depth + 3, x + WORD / 2, tile_y - 2)
    drawing.text(left + 8, y + 26, "a row of A", "first")
    drawing.text(x + 14, top + 92, "a column of B", "third")
    drawing.text(tile_x, tile_y + tile_h + 20, "a block: a tile of 8 × 32")
    drawing.text(20, c_top + height + 32,
                 "The outlined row of the tile is a warp: 32 neighbors in a row of C.", "soft")
    return drawing.done(c_top + height + 48)


def bar(drawing, x, y, words, kind):
    """Neighboring words of memory, with the sectors that they fill."""
    drawing.box(kind, x, y, words * WORD, 20, 2)


def draw_warp():
    drawing = Drawing(
        "09_warp", "The sectors that a warp asks for at one k",
        "Left, the lanes lie along a row of C: all want one float of A, in one sector, and 32 "
        "neighboring floats of B, in four sectors. Right, they lie down a column of C: they want "
        "32 floats of A from 32 rows, in 32 sectors, and one float of B, in one sector.")
    sector = 8 * WORD
    drawing.text(20, 24, "The sectors (32 bytes) that a warp touches at one k", "strong")
    for left, title in ((20, "lanes along a row of C"), (344, "lanes down a column of C")):
        drawing.text(left, 56, title)

    # Along a row: a broadcast, and four sectors side by side.
    drawing.text(20, 88, "A", "code")
    drawing.box("cell", 44, 74, sector, 20)
    drawing.box("active", 44 + 3 * WORD, 74, WORD, 20)
    drawing.text(44 + sector + 12, 88, "1 sector: a broadcast")
    drawing.text(20, 128, "B", "code")
    for i in range(4):
        drawing.box("other", 44 + i * (sector + 3), 114, sector, 20)
    drawing.text(44, 154, "4 sectors: 32 neighbors")
    drawing.text(44, 204, "5 sectors per k", "strong")

    # Down a column: a sector per row, of which one word is used.
    drawing.text(344, 88, "A", "code")
    for i in range(5):
        y = 74 + i * 20
        drawing.box("cell", 368, y, sector, 16)
        drawing.box("active", 368 + 3 * WORD, y, WORD, 16)
    for i in range(3):
        drawing.dot("tip", 368 + sector / 2, 180 + i * 8, 1.5)
    drawing.text(368 + sector + 12, 88, "32 sectors,")
    drawing.text(368 + sector + 12, 108, "one per row of A")
    drawing.text(368 + sector + 12, 146, "B", "code")
    drawing.box("cell", 368 + sector + 30, 132, sector, 20)
    drawing.box("other", 368 + sector + 30 + 3 * WORD, 132, WORD, 20)
    drawing.text(368 + sector + 30, 172, "1 sector")
    drawing.text(368 + sector + 12, 204, "33 sectors per k", "strong")
    return drawing.done(224)


DRAWINGS = {"09_product": draw_product, "09_warp": draw_warp}
