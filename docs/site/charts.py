"""The outcome of experiments on a GPU (docs/results/experiments_h200.jsonl), as the lines of
charts: {name: [(x, y)]}."""

import book


def recorded():
    return book.recorded("experiments_h200")


def strided_copy():
    lines = [line for line in recorded() if line.get("experiment") == "strided_copy"]
    return {f"{what}s with a stride": [(line["stride"], line[f"{what}_gb_per_s"]) for line in lines]
            for what in ("load", "store")}


def bank_stride():
    lines = [line for line in recorded() if line.get("experiment") == "bank_stride"]
    return {f"{width} bytes per lane": [(line["stride_words"], line["cycles_per_request"])
                                        for line in lines if line["bytes_per_thread"] == width]
            for width in (4, 8, 16)}


def ticks(most):
    """Round numbers from 0 to at least `most`, four to eight of them."""
    step = next(size * 10 ** power for power in range(6) for size in (1, 2, 5)
                if most / (size * 10 ** power) <= 7)
    return range(0, -int(-most // step) * step + 1, step)


def axis(low, high, begin, end):
    """A function that gives a value's place between `begin`, of `low`, and `end`, of `high`."""
    return lambda value: begin + (value - low) / (high - low) * (end - begin)
