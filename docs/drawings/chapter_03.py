"""Step 03: the vector comes from all parts of the L2 cache, the sum lies in one of them."""

from drawing import Drawing


def draw():
    drawing = Drawing(
        "03_queue", "Atomics to one address queue up in one part of the L2 cache",
        "Loads of three SMs go to all four parts of the L2 cache that are drawn, and are served "
        "side by "
        "side. The atomic additions of all SMs go to the one part that holds the sum, and wait "
        "there in "
        "a queue: one after another.")
    drawing.text(20, 24, "Loads spread over the L2 cache; atomics to one float queue up", "strong")
    sm_left, sm_width, l2_left, l2_width = 20, 90, 500, 120
    rows = [64 + 74 * i for i in range(4)]
    sms = [64 + 37 + 74 * i for i in range(3)]
    for i, y in enumerate(sms):
        drawing.cell(sm_left, y, sm_width, 44, f"SM {i}")
    for i, y in enumerate(rows):
        drawing.box("cell", l2_left, y, l2_width, 50, 3)
        for j in range(4):
            drawing.box("active", l2_left + 10 + j * 26, y + 12, 22, 26, 2)
    drawing.box("other", l2_left + 10 + 26, rows[1] + 12, 22, 26, 2)
    drawing.text(l2_left + l2_width / 2, rows[0] - 10, "parts of the L2 cache", "middle")
    for y in sms:
        for row in rows:
            drawing.line("frame", sm_left + sm_width + 4, y + 12, 300, row + 20)
    for row in rows:
        drawing.arrow(300, row + 20, l2_left - 6, row + 20)
    queue = rows[1] + 36
    for y in sms:
        drawing.line("barrier", sm_left + sm_width + 4, y + 32, 330, queue)
    for i in range(9):
        drawing.box("other", 338 + i * 17, queue - 7, 13, 14, 2)
    below = rows[3] + 84
    drawing.box("active", 20, below - 12, 16, 16, 2)
    drawing.text(44, below + 1, "x: each float once, side by side")
    drawing.box("other", 330, below - 12, 16, 16, 2)
    drawing.text(354, below + 1, "sum: one addition after another")
    return drawing.done(below + 18)


DRAWINGS = {"03_queue": draw}
