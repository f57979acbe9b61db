"""Step 12: where the lanes of a warp sit, how copies overlap, and how tiles fill the SMs."""

from drawing import Drawing

CELL = 34


def in_rows(lane):
    return lane // 8, lane % 8


def in_z_order(lane):
    def even_bits(x):
        return (x & 1) + (x // 4 & 1) * 2 + (x // 16 & 1) * 4
    return even_bits(lane // 2), even_bits(lane)


def lanes(drawing, left, top, title, place, notes):
    """A warp's upper left quadrant; the first quarter of the lanes, and what it reads, in color."""
    drawing.text(left, top, title, "code")
    quarter = [place(lane) for lane in range(8)]
    rows, cols = ({at[axis] for at in quarter} for axis in (0, 1))
    grid_left, grid_top = left + 22, top + 40
    for col in range(8):
        drawing.box("other" if col in cols else "idle", grid_left + col * CELL + 1, top + 16,
                    CELL - 2, 12, 2)
    for row in range(4):
        drawing.box("extra" if row in rows else "idle", left, grid_top + row * CELL + 1, 12,
                    CELL - 2, 2)
    for lane in range(32):
        row, col = place(lane)
        drawing.cell(grid_left + col * CELL, grid_top + row * CELL, CELL, CELL, str(lane),
                     "active" if lane < 8 else "cell")
    for i, note in enumerate(notes):
        drawing.text(left, grid_top + 4 * CELL + 26 + i * 20, note)
    return grid_top + 4 * CELL + 26 + len(notes) * 20


def draw_lanes():
    drawing = Drawing(
        "12_lanes", "The 32 lanes of a warp in rows and in Z order",
        "Two arrangements of 4 by 8 lanes. In rows, lanes 0 to 7 are the first row: they read one "
        "float4 of A and eight of B. In Z order, lanes 0 to 7 are a patch of 2 by 4: they read "
        "two float4s of A and four of B. Every lane reads the same float4 as a close neighbor.")
    drawing.text(20, 24, "Which float4s does a quarter of a warp, lanes 0 to 7, read?", "strong")
    drawing.box("extra", 20, 42, 12, 12, 2)
    drawing.text(40, 53, "of A", "soft")
    drawing.box("other", 90, 42, 12, 12, 2)
    drawing.text(110, 53, "of B", "soft")
    lanes(drawing, 20, 88, "in rows: sgemm_warptile", in_rows,
          ["1 float4 of A, 8 of B", "a load of B: 4 wavefronts", "12 wavefronts per k"])
    below = lanes(drawing, 338, 88, "in Z order: sgemm_warptile_zorder", in_z_order,
                  ["2 float4s of A, 4 of B", "a load of B: 2 wavefronts", "8 wavefronts per k"])
    return drawing.done(below + 4)


SLOT = 62


def slots(drawing, left, y, name, labels, kind):
    """One row of a timeline; an empty label is a gap."""
    drawing.text(20, y + 20, name)
    for i, label in enumerate(labels):
        if label:
            drawing.cell(left + i * SLOT, y, SLOT - 3, 30, label, kind)


def draw_stages():
    drawing = Drawing(
        "12_stages", "When slices are copied and multiplied",
        "In step 11 a block copies slice 0, multiplies it, copies slice 1, multiplies it: one "
        "after the other. In sgemm_double_buffer it copies slice 1 while it multiplies slice 0. "
        "In sgemm_pipelined the copies of slices 0, 1 and 2 are started at once, and while slice "
        "0 is multiplied, slice 3 is started.")
    left = 122
    drawing.text(20, 24, "A block's time: when are slices copied, when multiplied?", "strong")
    y = 58
    for title, copies, products in (
            ("step 11: two barriers per slice", ["0", "", "1", "", "2", "", "3", ""],
             ["", "0", "", "1", "", "2", "", "3"]),
            ("sgemm_double_buffer: one slice ahead", ["0", "1", "2", "3", "4", "5", "6", "7"],
             ["", "0", "1", "2", "3", "4", "5", "6"]),
            ("sgemm_pipelined: three slices ahead", ["0 1 2", "3", "4", "5", "6", "7", "8", "9"],
             ["", "0", "1", "2", "3", "4", "5", "6"])):
        drawing.text(20, y, title, "code")
        slots(drawing, left, y + 12, "copy", copies, "active")
        slots(drawing, left, y + 46, "multiply", products, "extra")
        y += 112
    drawing.arrow(left, y - 18, left + 8 * SLOT, y - 18)
    drawing.text(20, y - 13, "time", "soft")
    return drawing.done(y)


def timeline(drawing, top, title, bands):
    """SMs from top to bottom, time to the right; `bands` has (SMs, label, kind, tiles' time)."""
    left, height, wave = 122, 108, 150
    drawing.text(20, top, title, "code")
    drawing.text(20, top + 34, "132 SMs")
    x, y = left, top + 14
    for sms, label, kind, time in bands:
        drawing.cell(x, y, time * wave - 3, sms / 132 * height, label, kind)
        x += time * wave
    drawing.box("frame", left, y, 3 * wave - 3, height)
    return y + height


def draw_stream_k():
    drawing = Drawing(
        "12_stream_k", "288 tiles on 132 SMs, in waves and with Stream-K",
        "In waves, 132 tiles run at once, then 132 more, then the last 24, while 108 of the SMs "
        "are idle: three tiles' time. With Stream-K the first 24 tiles are cut into 132 equal "
        "shares, one for each SM, and then each SM computes two whole tiles: a little over two "
        "tiles' time.")
    drawing.text(20, 24, "3000 × 3000: 288 tiles on 132 SMs, time to the right", "strong")
    wave = (132, "132 tiles", "active", 1)
    below = timeline(drawing, 58, "in waves", [wave, wave, (24, "24 tiles", "active", 1)])
    drawing.text(122 + 2 * 150 + 20, below - 40, "108 SMs are idle", "soft")
    below = timeline(drawing, below + 40, "Stream-K", [(132, "", "extra", 24 / 132), wave, wave])
    drawing.box("extra", 122, below + 18, 14, 14, 2)
    drawing.text(144, below + 30, "the first 24 tiles, in 132 equal shares")
    return drawing.done(below + 48)


DRAWINGS = {"12_lanes": draw_lanes, "12_stages": draw_stages, "12_stream_k": draw_stream_k}
