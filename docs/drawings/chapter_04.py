"""Step 04: the tree of neighbors beside the tree of halves."""

from drawing import Drawing

THREADS = 8
CELL, GAP = 32, 2
ROUND = 76  # from a round's cells down to the next round's


def tree(drawing, left, top, title, rounds):
    """A row of values, then one per round; `rounds` has the threads that add and their distance."""
    pitch = CELL + GAP
    drawing.text(left, top, title, "code")
    y = top + 14
    drawing.cells(left, y, CELL, [f"x{i}" for i in range(THREADS)], gap=GAP)
    for adding, distance in rounds:
        drawing.line("barrier", left - 4, y + CELL + 6, left + THREADS * pitch, y + CELL + 6)
        below = y + ROUND
        for thread in adding:
            for source in (thread, thread + distance):
                drawing.arrow(left + source * pitch + CELL / 2, y + CELL + 8,
                              left + thread * pitch + CELL / 2, below - 2)
        kinds = ["active" if i in adding else "idle" for i in range(THREADS)]
        drawing.cells(left, below, CELL, ["+" if i in adding else "" for i in range(THREADS)],
                      kinds, GAP)
        y = below
    drawing.arrow(left + CELL / 2, y + CELL + 4, left + CELL / 2, y + CELL + 34)
    drawing.text(left + CELL + 6, y + CELL + 30, "one atomicAdd per block")


def draw():
    drawing = Drawing(
        "04_tree", "Two trees in shared memory that add up eight values",
        "Each tree takes three rounds, with a barrier before each. In reduce_interleaved the "
        "threads "
        "0, 2, 4 and 6 add their right neighbors' values, then 0 and 4, then 0: the threads that "
        "work "
        "lie further and further apart. In reduce_shared the threads 0 to 3 add the values of 4 to "
        "7, then 0 and 1, then 0: they stay side by side. Then thread 0 does one atomicAdd.")
    top, left, right = 66, 20, 344
    drawing.text(left, 24, "Which of 8 threads add in each round, and what", "strong")
    drawing.line("barrier", left, 41, left + 30, 41)
    drawing.text(left + 38, 46, "barrier", "soft")
    tree(drawing, left, top, "reduce_interleaved",
         [((0, 2, 4, 6), 1), ((0, 4), 2), ((0,), 4)])
    tree(drawing, right, top, "reduce_shared",
         [((0, 1, 2, 3), 4), ((0, 1), 2), ((0,), 1)])
    return drawing.done(top + 14 + 3 * ROUND + CELL + 46)


DRAWINGS = {"04_tree": draw}
