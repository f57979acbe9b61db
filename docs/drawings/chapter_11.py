"""Step 11: the outer product of a thread, and why its tile is split."""

from drawing import Drawing

TM = TN = 8
CELL = 26


def draw_outer_product():
    drawing = Drawing(
        "11_outer_product", "The outer product of 8 floats of A and 8 floats of B",
        "Above, 8 floats of row k of Bs; left, 8 floats of column k of As. Each float of A is "
        "multiplied with each float of B and added to its own sum: 8 by 8 sums in registers, 64 "
        "FMAs for 16 floats that are read. One float of A is used by a whole row of sums.")
    left, top = 150, 96
    drawing.text(20, 24, "One thread, one k: 64 FMAs for 16 floats", "strong")
    drawing.text(left, 56, "b[0] ... b[7]: from row k of Bs", "code")
    drawing.cells(left, 66, CELL, [""] * TN, ["other"] * TN)
    for m in range(TM):
        drawing.cell(left - CELL - 10, top + m * CELL + 6, CELL, CELL, "", "active")
        for n in range(TN):
            kind = "extra" if (m, n) == (2, 5) else "part" if m == 2 or n == 5 else "cell"
            drawing.cell(left + n * CELL, top + m * CELL + 6, CELL, CELL, "", kind)
    drawing.text(20, top + 40, "a[0]", "code")
    drawing.text(20, top + 58, " ...", "code")
    drawing.text(20, top + 76, "a[7]:", "code")
    drawing.text(20, top + 104, "from", "code")
    drawing.text(20, top + 122, "column k", "code")
    drawing.text(20, top + 140, "of As", "code")
    x, y = left + TN * CELL + 24, top + 2.5 * CELL + 6
    drawing.arrow(x + 16, y, left + 6 * CELL + 4, y)
    drawing.text(x + 20, y + 5, "sum[2][5] += a[2] * b[5]", "code")
    drawing.text(x + 20, y + 40, "Each float is used 8 times:")
    drawing.text(x + 20, y + 60, "a[2] by its row of sums,")
    drawing.text(x + 20, y + 80, "b[5] by its column.")
    return drawing.done(top + TM * CELL + 30)


def quarter(drawing, top, title, words_of, note):
    """The banks that the 8 lanes of a quarter of a warp read with one 128-bit load."""
    drawing.text(20, top, title)
    size = 18
    for bank in range(0, 32, 4):
        drawing.text(20 + bank * size + 2 * size, top + 24, f"{bank}-{bank + 3}", "middle small")
    rows = {}
    for lane in range(8):
        bank = words_of(lane) % 32
        row = rows[bank] = rows.get(bank, -1) + 1
        y = top + 32 + row * 28
        drawing.cell(20 + bank * size + 1, y, 4 * size - 2, 24, f"lane {lane}",
                     "active" if row == 0 else "other")
    deep = max(rows.values()) + 1
    drawing.text(20, top + 32 + deep * 28 + 18, note, "soft")
    return top + 32 + deep * 28 + 58


def draw_split():
    drawing = Drawing(
        "11_split", "The banks that a quarter of a warp reads, before and after the split",
        "A 128-bit load is served 8 lanes at a time. With eight neighboring columns per thread "
        "lanes 0 and 4 read the same four banks, so do 1 and 5, 2 and 6, 3 and 7: two wavefronts, "
        "while half of the banks are idle. With the columns split into groups of four each lane "
        "has four banks of its own: one wavefront.")
    drawing.text(20, 24, "A quarter of a warp reads b[0..3]: which banks?", "strong")
    below = quarter(drawing, 58, "8 neighboring columns per thread: lane i starts at word 8 i",
                    lambda lane: 8 * lane, "2 wavefronts; half of the banks are idle in each")
    below = quarter(drawing, below, "Split, 4 neighboring columns: lane i starts at word 4 i",
                    lambda lane: 4 * lane, "1 wavefront; every bank delivers a word")
    return drawing.done(below - 26)


DRAWINGS = {"11_outer_product": draw_outer_product, "11_split": draw_split}
