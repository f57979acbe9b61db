"""Before step 01: the parts of a launch on the parts of a GPU, and the memories of an H200."""

from drawing import Drawing

COLUMN, GAP = 188, 18
LEFT = 20


def panel(drawing, column, top, height, title, note):
    """A box with a title above and a note below; returns its left edge."""
    x = LEFT + column * (COLUMN + GAP)
    drawing.text(x, top - 8, title, "strong")
    drawing.box("frame", x, top, COLUMN, height, 6)
    drawing.text(x, top + height + 18, note, "soft small")
    return x


def lattice(drawing, x, y, columns, rows, width, height, marked):
    """Cells without labels, of which one is marked."""
    for i in range(columns * rows):
        drawing.cell(x + i % columns * (width + 2), y + i // columns * (height + 2), width, height,
                     "", "active" if i == marked else "cell")


def machine():
    drawing = Drawing(
        "00_machine", "A launch, and the parts of the GPU that run it",
        "A grid consists of blocks, a block of warps, a warp of 32 lanes. The grid runs on the "
        "whole GPU, of 132 SMs on an H200; a block runs on one SM; a warp runs on one of the four "
        "sub-partitions of that SM, which has a scheduler, registers and execution units.")
    top, height, low = 32, 118, 242
    x = panel(drawing, 0, top, height, "grid", "all blocks of the launch")
    lattice(drawing, x + 15, top + 10, 5, 4, 30, 23, 7)
    x = panel(drawing, 1, top, height, "block", "256 threads: 8 warps")
    for warp in range(8):
        drawing.cell(x + 15, top + 7 + warp * 13.3, 158, 11, "", "active" if warp == 2 else "cell")
    x = panel(drawing, 2, top, height, "warp", "32 lanes: 32 threads")
    lattice(drawing, x + 15, top + 10, 8, 4, 18, 23, -1)
    for column in (0, 1):
        x = LEFT + column * (COLUMN + GAP) + COLUMN
        drawing.arrow(x + 1, top + height / 2, x + GAP - 2, top + height / 2)
    for column in range(3):
        x = LEFT + column * (COLUMN + GAP) + COLUMN / 2
        drawing.arrow(x, top + height + 28, x, low - 28)
        drawing.text(x + 8, top + height + 44, "runs on", "small")
    x = panel(drawing, 0, low, height, "GPU", "132 SMs on an H200")
    lattice(drawing, x + 15, low + 10, 12, 8, 11.3, 10.3, 40)
    x = panel(drawing, 1, low, height, "SM", "4 sub-partitions")
    for i in range(4):
        drawing.cell(x + 15 + i % 2 * 81, low + 8 + i // 2 * 37, 77, 33, "",
                     "active" if i == 1 else "cell")
    drawing.cell(x + 15, low + 84, 158, 26, "shared memory, L1")
    x = panel(drawing, 2, low, height, "sub-partition", "one instruction per cycle")
    drawing.cell(x + 15, low + 8, 158, 24, "scheduler")
    drawing.cell(x + 15, low + 36, 158, 24, "registers, 64 KiB")
    lattice(drawing, x + 15, low + 66, 16, 2, 7.9, 20, -1)
    return drawing.done(low + height + 34)


ROWS = (
    ("registers", "one thread", "256 KiB per SM", "none", ""),
    ("shared memory", "a block", "up to 228 KiB per SM", "tens", "33 TB/s, all SMs"),
    ("L1 cache", "an SM", "256 KiB with shared", "tens", "as shared"),
    ("L2 cache", "all SMs", "60 MB", "a few hundred", ""),
    ("DRAM (HBM3e)", "all SMs", "141 GB", "several hundred", "4.8 TB/s"),
    ("host memory", "the CPU", "the machine's", "microseconds", "PCIe or NVLink"),
)


def memory():
    drawing = Drawing(
        "00_memory", "The memories of an H200, from near to far",
        " ".join(f"{name}: for {who}, {size}, latency {latency}{', ' + rate if rate else ''}."
                 for name, who, size, latency, rate in ROWS))
    columns = (LEFT + 8, 142, 220, 378, 504)
    for x, heading in zip(columns, ("memory", "seen by", "size", "cycles away", "bandwidth")):
        drawing.text(x, 28, heading, "strong")
    for i, row in enumerate(ROWS):
        y = 42 + i * 44
        drawing.box("region" if i % 2 else "frame", LEFT, y, 600, 36, 4)
        for x, words in zip(columns, row):
            drawing.text(x, y + 23, words, "small")
    return drawing.done(42 + len(ROWS) * 44 + 8)


DRAWINGS = {"00_machine": machine, "00_memory": memory}
