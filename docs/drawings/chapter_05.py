"""Step 05: a sum and a scan from register to register, and a block's sum in two levels."""

from drawing import Drawing

LANES = 8
CELL, GAP = 32, 2
PITCH = CELL + GAP
ROUND = 70  # from a round's registers down to the next round's


def lanes(drawing, left, top, rounds):
    ""
    """A row of registers, then one per shuffle; a round is (lanes that get a value, how far)."""
    drawing.cells(left, top, CELL, [f"x{i}" for i in range(LANES)], gap=GAP)
    y = top
    for receivers, distance in rounds:
        below = y + ROUND
        for lane in receivers:
            drawing.arrow(left + (lane + distance) * PITCH + CELL / 2, y + CELL + 4,
                          left + lane * PITCH + CELL / 2, below - 3)
        kinds = ["active" if i in receivers else "idle" for i in range(LANES)]
        drawing.cells(left, below, CELL, ["+" if i in receivers else "" for i in range(LANES)],
                      kinds, GAP)
        y = below
    return y


def draw_sum():
    drawing = Drawing(
        "05_shuffle", "A warp adds up its registers, a block in two levels",
        "Left, a warp of eight lanes: each lane adds the register of the lane four to its right, "
        "then "
        "two, then one; lane 0 has the sum. Right, a block of eight warps: each warp's sum goes "
        "to a "
        "word of shared memory, and after one barrier the first warp adds up the eight words.")
    left, right = 20, 370
    drawing.text(left, 24, "A warp (here of 8): three shuffles", "strong")
    drawing.text(left, 46, "each lane's register", "soft")
    bottom = lanes(drawing, left, 56, [(range(4), 4), (range(2), 2), (range(1), 1)])
    drawing.text(left, bottom + CELL + 20, "Lane 0 has the sum.", "soft")

    drawing.text(right, 24, "A block: 8 warps, then one", "strong")
    for warp in range(8):
        x = right + warp * 31
        drawing.cell(x, 56, 29, CELL, f"w{warp}", "active")
        drawing.arrow(x + 14, 56 + CELL + 4, x + 14, 132)
        drawing.cell(x, 135, 29, CELL, "", "cell")
    drawing.text(right, 187, "8 words of shared memory")
    drawing.line("barrier", right, 201, right + 246, 201)
    drawing.text(right, 221, "one barrier", "third")
    for word in range(8):
        drawing.line("frame", right + word * 31 + 14, 228, right + 14, bottom - 4)
    drawing.cell(right, bottom, 29, CELL, "w0", "active")
    drawing.text(right + 40, bottom + CELL / 2 + 5, "adds up the 8 words")
    return drawing.done(bottom + CELL + 34)


def draw_scan():
    drawing = Drawing(
        "05_scan", "A scan: every lane gets the sum up to itself",
        "Each lane adds the register of the lane one to its left, then two, then four. Lanes "
        "that have "
        "no such neighbor keep their value. After three shuffles each lane has the sum of all "
        "lanes up "
        "to itself.")
    left = 20
    drawing.text(left, 24, "A scan of 8 lanes: three shuffles", "strong")
    bottom = lanes(drawing, left, 44, [(range(1, 8), -1), (range(2, 8), -2), (range(4, 8), -4)])
    drawing.text(left, bottom + CELL + 22, "Each lane now has the sum up to itself.", "soft")
    for row, distance in enumerate((1, 2, 4)):
        drawing.text(left + LANES * PITCH + 20, 44 + (row + 1) * ROUND + CELL / 2 + 5,
                     f"from {distance} to the left; the first {distance} keep their value"
                     if distance > 1 else "from 1 to the left; the first keeps its value")
    return drawing.done(bottom + CELL + 36)


DRAWINGS = {"05_shuffle": draw_sum, "05_scan": draw_scan}
