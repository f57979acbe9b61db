"""Step 02: head, packs and tail of a vector, and what a warp has in flight."""

from drawing import Drawing

CELL, GAP = 32, 2
PITCH = CELL + GAP
HEAD, PACKS, TAIL = 2, 2, 3
SECTOR = 33


def draw_edges():
    drawing = Drawing(
        "02_edges", "Head, packs and tail of a vector that starts anywhere",
        "13 floats, the first of them two floats before a 16-byte boundary: a head of two, two "
        "packs "
        "of four, a tail of three. The threads 0 and 1 add a pack each; the threads 0 to 4 add one "
        "edge each.")
    left, y = 40, 72
    drawing.text(20, 24, "13 floats that start two before a 16-byte boundary", "strong")
    kinds = ["extra"] * HEAD + ["active"] * 4 * PACKS + ["extra"] * TAIL
    first = left + 2 * PITCH
    for boundary in range(5):
        x = left + 4 * boundary * PITCH - GAP / 2
        drawing.line("barrier", x, y - 20, x, y + CELL + 8)
    drawing.text(left + 4, y - 12, "16 bytes", "soft small")
    drawing.cells(first, y, CELL, [str(i) for i in range(len(kinds))], kinds, GAP)
    below = y + CELL + 30

    def label(cells_before, cells, what, who):
        x = first + (cells_before + cells / 2) * PITCH - GAP / 2
        drawing.text(x, below, what, "middle strong")
        for i, line in enumerate(who):
            drawing.text(x, below + 20 + 18 * i, line, "middle")

    label(0, HEAD, "head", ("threads", "0, 1"))
    label(HEAD, 4, "pack 0", ("thread 0",))
    label(HEAD + 4, 4, "pack 1", ("thread 1",))
    label(HEAD + 4 * PACKS, TAIL, "tail", ("threads", "2, 3, 4"))
    return drawing.done(below + 52)


def draw_in_flight():
    drawing = Drawing(
        "02_in_flight", "Bytes that one warp has in flight",
        "A load of step 01 asks for 4 sectors, a load of step 02 for 16. With two loads per "
        "thread a "
        "warp has 256 bytes in flight in step 01, and 1024 in step 02.")
    left, y = 110, 52
    drawing.text(20, 24, "One warp's loads before it waits: sectors of 32 bytes", "strong")
    for name, sectors, total in (("add", 4, "256 bytes"), ("add_float4", 16, "1024 bytes")):
        for row, vector in enumerate("ab"):
            drawing.text(left - 12, y + 16, f"{name if row == 0 else ''}", "code end")
            for i in range(sectors):
                drawing.box("active" if row == 0 else "other", left + i * (SECTOR - 2), y,
                            SECTOR - 5, 20, 2)
            drawing.text(left + sectors * (SECTOR - 2) + 6, y + 15, vector)
            y += 26
        if sectors == 4:
            drawing.text(left + sectors * (SECTOR - 2) + 40, y - 24, total)
        else:
            drawing.text(left, y + 14, total)
        y += 14
    return drawing.done(y + 16)


DRAWINGS = {"02_edges": draw_edges, "02_in_flight": draw_in_flight}
