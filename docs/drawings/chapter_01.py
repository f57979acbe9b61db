"""Step 01: which thread has which element, and what a warp reads."""

from drawing import Drawing

BLOCKS, WARPS = 3, 8
WARP = 23  # pixels
LANE = 18


def draw():
    drawing = Drawing(
        "01_grid", "600 elements, one per thread, in three blocks of 256",
        "Each block has 8 warps of 32 threads. Blocks 0 and 1 have the elements 0 to 511. Block "
        "2 has "
        "the elements 512 to 599: its first 88 threads; the guard keeps out the other 168. "
        "Below, one "
        "warp: its 32 lanes read 32 neighboring floats, which fill four sectors of 32 bytes.")
    left, top, gap = 20, 62, 26
    drawing.text(left, 24, "A grid of three blocks for 600 elements", "strong")
    for block in range(BLOCKS):
        x = left + block * (WARPS * WARP + gap)
        drawing.text(x, top - 8, f"block {block}")
        for warp in range(WARPS):
            first = 256 * block + 32 * warp
            part = max(0, min(1, (600 - first) / 32))
            drawing.box("idle", x + warp * WARP, top, WARP - 2, 34, 2)
            if part:
                drawing.box("active", x + warp * WARP, top, part * (WARP - 2), 34, 2)
        drawing.text(x, top + 54, ("i = 0 … 255", "256 … 511", "512 … 599")[block])
    drawing.text(x + WARPS * WARP, top + 54, "no element", "soft end")

    y = top + 128
    source = left + WARP * 1.5
    drawing.text(left, y - 14, "A warp: 32 lanes, a float each", "strong")
    drawing.path("frame", [(source - WARP / 2, top + 62), (left, y - 34)])
    drawing.path("frame", [(source + WARP / 2 - 2, top + 62), (left + 32 * LANE, y - 34)])
    for lane in range(32):
        drawing.box("active", left + lane * LANE, y, LANE - 2, 22, 2)
    for sector in range(4):
        x = left + sector * 8 * LANE
        for lane in range(8):
            middle = x + lane * LANE + LANE / 2 - 1
            drawing.line("frame", middle, y + 24, middle, y + 42)
        drawing.cell(x, y + 42, 8 * LANE - 2, 30, "32 bytes")
    drawing.text(left, y + 96, "Global memory moves in sectors of 32 bytes: this request takes 4.",
                 "soft")
    return drawing.done(y + 112)


DRAWINGS = {"01_grid": draw}
