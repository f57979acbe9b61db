"""gemv: which warp reads which part of the matrix."""

from drawing import Drawing

WARPS = ("active", "other", "extra", "good")
ROWS, PARTS = 4, 4
WIDTH, HIGH = 40, 30


def draw():
    drawing = Drawing(
        "gemv_rows", "Which warp reads which part of a matrix",
        "Four rows of a matrix. In gemv_warp each row is read by a warp of its own. In "
        "gemv_warp_rows one warp reads all four. In gemv_block the four warps of a block share "
        "one row, and another block has the next.")
    layouts = (("gemv_warp", "a warp per row", lambda row, part: row),
               ("gemv_warp_rows", "four rows per warp", lambda row, part: 0),
               ("gemv_block", "a block per row", lambda row, part: part))
    drawing.text(20, 24, "Four rows of A; the numbers are warps", "strong")
    for i, (name, idea, warp_of) in enumerate(layouts):
        left, top = 20 + i * 210, 82
        drawing.text(left, 52, name, "code")
        drawing.text(left, 72, idea, "soft")
        for row in range(ROWS):
            for part in range(PARTS):
                warp = warp_of(row, part)
                drawing.cell(left + part * WIDTH, top + row * (HIGH + 4), WIDTH, HIGH, str(warp),
                             WARPS[warp])
    drawing.text(440, 82 + ROWS * (HIGH + 4) + 16, "one row per block", "small soft")
    drawing.text(20, 254, "gemv_warp_rows: a pack of x is loaded once and serves four rows.")
    return drawing.done(270)


DRAWINGS = {"gemv_rows": draw}
