"""Step 06: the xor shuffle, and the online softmax of four elements."""

import math

from drawing import Drawing

VALUES = (3, 1, 4, 1, 5, 9, 2, 6)
ROW = (1, 3, 2, 0)  # the chapter's example


def xor():
    drawing = Drawing(
        "06_xor", "The maximum of eight lanes by xor shuffles",
        "Three rounds with distances 4, 2 and 1. In each round a lane takes the larger of its "
        "own value and that of the lane whose number differs in one bit. After the last one all"
        " eight lanes have the maximum, 9.")
    left, pitch, cell, step = 150, 60, 36, 74
    lanes = range(len(VALUES))
    for lane in lanes:
        drawing.text(left + lane * pitch + cell / 2, 22, f"lane {lane}", "middle small")
    values, y = list(VALUES), 34
    for half in (0, 4, 2, 1):
        if half:
            for lane in lanes:
                for source in (lane, lane ^ half):
                    drawing.line("arrow", left + source * pitch + cell / 2, y + cell,
                                 left + lane * pitch + cell / 2, y + step)
            values = [max(values[lane], values[lane ^ half]) for lane in lanes]
            y += step
        drawing.text(14, y + 23, f"distance {half}" if half else "each has a value")
        for lane in lanes:
            kind = "active" if values[lane] == max(VALUES) else "cell"
            drawing.cell(left + lane * pitch, y, cell, cell, str(values[lane]), kind)
    return drawing.done(y + cell + 16)


def online():
    drawing = Drawing(
        "06_online", "Maximum and sum of 1, 3, 2, 0 in one pass",
        "After 1 the maximum is 1 and the sum 1. Then 3 is larger: the sum is multiplied by "
        "exp(1 - 3) before 1 is added for the 3. For 2 and 0 the maximum stays, and exp(2 - 3) "
        "and exp(0 - 3) are added.")
    width, gap, left, top = 138, 12, 16, 46
    drawing.text(left, 24, "x comes one by one; sum is that of exp(x - max), whatever max is now",
                 "strong")
    largest, total = -math.inf, 0.0
    for i, x in enumerate(ROW):
        at = left + i * (width + gap)
        before, largest = largest, max(largest, x)
        factor = math.exp(before - largest)
        term = math.exp(x - largest)
        old, total = total, total * factor + term
        drawing.cell(at, top, width, 32, f"x = {x}", "other" if largest != before else "active")
        drawing.box("frame", at, top + 44, width, 112, 3)
        drawing.text(at + 10, top + 68, f"max = {largest}")
        if i and largest != before:
            drawing.text(at + 10, top + 94, f"{old:.4f} × {factor:.4f}")
        elif i:
            drawing.text(at + 10, top + 94, f"{old:.4f} × 1")
        drawing.text(at + 10, top + 116, f"+ {term:.4f}")
        drawing.text(at + 10, top + 144, f"sum = {total:.4f}", "strong")
    drawing.text(left, top + 186,
                 "Orange: a new maximum. The sum so far was too large, and is scaled.")
    return drawing.done(top + 204)


DRAWINGS = {"06_xor": xor, "06_online": online}
