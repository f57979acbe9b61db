"""Step 10: a block walks along K, slice by slice."""

from drawing import Drawing

SLICES = 4
DEPTH = 38  # of a slice, and the side of the tile


def draw():
    drawing = Drawing(
        "10_slices", "A block walks along K in slices",
        "A is left of C, B above it. The block's tile of C is 32 by 32. Beside it lie 32 rows of "
        "A, above it 32 columns of B, both cut into slices of depth 32. The block copies the "
        "first slice of A and the first slice of B to shared memory, multiplies them, and goes on "
        "with the second ones: to the right in A, and down in B.")
    a_left, c_left, top, c_top = 40, 240, 62, 240
    depth = SLICES * DEPTH
    tile_x, tile_y = c_left + 90, c_top + 36
    drawing.text(20, 24, "One block, slice by slice along K", "strong")
    for x, y, width, height, name in ((c_left, top, 250, depth, "B (K, N)"),
                                      (a_left, c_top, depth, 120, "A (M, K)"),
                                      (c_left, c_top, 250, 120, "C (M, N)")):
        drawing.box("frame", x, y, width, height)
        drawing.text(x + 8, y + 20, name, "code")
    for i in range(SLICES):
        kind = ("active", "part")[i] if i < 2 else "cell"
        drawing.cell(a_left + i * DEPTH, tile_y, DEPTH, DEPTH, str(i) if i != 1 else "", kind)
        drawing.cell(tile_x, top + i * DEPTH, DEPTH, DEPTH, str(i) if i != 1 else "", kind)
    drawing.text(a_left + 1.5 * DEPTH, tile_y + DEPTH / 2 + 5, "1", "middle")
    drawing.text(tile_x + DEPTH / 2, top + 1.5 * DEPTH + 5, "1", "middle")
    drawing.cell(tile_x, tile_y, DEPTH, DEPTH, "", "extra")
    drawing.text(tile_x + DEPTH + 8, tile_y + 24, "the block's tile")
    drawing.arrow(a_left + 4, tile_y + DEPTH + 12, a_left + depth - 4, tile_y + DEPTH + 12)
    drawing.arrow(tile_x - 12, top + 4, tile_x - 12, top + depth - 4)

    # The block's work on one slice.
    steps = ("copy As, Bs", "barrier", "multiply", "barrier")
    y, x = c_top + 158, 20
    drawing.text(x, y + 19, "slice 0")
    x += 62
    for step in steps:
        if step == "barrier":
            drawing.line("barrier", x + 8, y - 4, x + 8, y + 34)
            x += 16
        else:
            kind = "active" if step.startswith("copy") else "extra"
            drawing.cell(x, y, 100, 30, step, kind)
            x += 100
    drawing.text(x + 10, y + 19, "slice 1, and so on")
    drawing.text(20, y + 60, "Dashed: __syncthreads(). The tiles are complete; the tiles are free.",
                 "soft")
    return drawing.done(y + 76)


DRAWINGS = {"10_slices": draw}
