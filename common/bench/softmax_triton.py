"""Softmax of the rows of a matrix in Triton, as one writes it there."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x, y, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A program has ROWS whole rows in registers."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, COLS)[None, :]
    inside = (row < rows) & (col < cols)
    place = row.to(tl.int64) * cols + col
    value = tl.load(x + place, mask=inside, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=1)[:, None])
    tl.store(y + place, power / tl.sum(power, axis=1)[:, None], mask=inside)


@triton.jit
def long_rows_kernel(x, y, cols, BLOCK: tl.constexpr):
    """A program goes over one row twice, BLOCK <= cols elements at a time."""
    row = tl.program_id(0).to(tl.int64)
    x += row * cols
    y += row * cols
    lane = tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, cols, BLOCK):
        value = tl.load(x + first + lane, mask=first + lane < cols, other=-float("inf"))
        higher = tl.maximum(largest, value)
        total = total * tl.exp(largest - higher) + tl.exp(value - higher)
        largest = higher
    row_largest = tl.max(largest, axis=0)
    scale = 1 / tl.sum(total * tl.exp(largest - row_largest), axis=0)
    for first in range(0, cols, BLOCK):
        inside = first + lane < cols
        value = tl.load(x + first + lane, mask=inside)
        tl.store(y + first + lane, tl.exp(value - row_largest) * scale, mask=inside)


def launches(rows, cols):
    """Functions of a matrix, to choose the fastest of."""
    result = []
    width = triton.next_power_of_2(cols)
    for height in (1, 2, 4, 8, 16, 32):
        for warps in (1, 2, 4, 8, 16, 32):
            a_thread = height * width // (32 * warps)
            if 8 <= a_thread <= 32 and (height == 1 or height * width <= 4096):
                result.append(whole_rows(rows, height, width, warps))
    if cols > 8192:
        result += [long_rows(rows, block, warps) for block in (4096, 8192) for warps in (8, 16, 32)]
    return result


def whole_rows(rows, height, width, warps):
    def launch(x):
        y = torch.empty_like(x)
        rows_kernel[(triton.cdiv(rows, height),)](x, y, rows, x.shape[1], height, width,
                                                  num_warps=warps)
        return y

    return launch


def long_rows(rows, block, warps):
    def launch(x):
        y = torch.empty_like(x)
        long_rows_kernel[(rows,)](x, y, x.shape[1], block, num_warps=warps)
        return y

    return launch
