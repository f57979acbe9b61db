"""Files as strings of C++.

    embed.py OUT NAME=FILE...     writes a header with a `constexpr const char* NAME` for each file
"""

import pathlib
import sys


def main(out, *named):
    lines = ["#pragma once", "", "namespace cucpu::drawing {", ""]
    for name, _, file in (one.partition("=") for one in named):
        text = pathlib.Path(file).read_text(encoding="utf-8")
        lines += [f'constexpr const char* {name} = R"~~~({text})~~~";', ""]
    lines += ["}  // namespace cucpu::drawing", ""]
    pathlib.Path(out).write_text("\n".join(lines), encoding="utf-8")


main(*sys.argv[1:])
