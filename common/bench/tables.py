"""Tables of Markdown, and how they write figures."""


def table(head, rows):
    lines = [f"| {' | '.join(cells)} |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def percent(part):
    if part is None:
        return "-"
    return f"{100 * part:.2f} %" if part < 0.001 else f"{100 * part:.0f} %"


def milliseconds(ms):
    return f"{ms:.3f} ms" if ms >= 0.1 else f"{1000 * ms:.1f} µs"
