#!/usr/bin/env python3
"""The recorded figures in the text of docs/pages: written by this script, or checked.

    values.py write | check

A figure stands in the Markdown between comments, so that code hosts show it, too:
`<!--= rate 01_naive_add add -->3476 GB/s<!--/-->`. The words are those of measured.value().
"""

import re
import sys

import book
import measured

sys.path.append(str(book.ROOT / "common"))
import generated  # noqa: E402

VALUE = re.compile(r"<!--= (.+?) -->(.*?)<!--/-->", re.S)


def filled(text):
    def value(match):
        return f"<!--= {match[1]} -->{measured.value(match[1].split())}<!--/-->"
    return VALUE.sub(value, text)


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = {path: filled(path.read_text(encoding="utf-8"))
              for path in sorted((book.DOCS / "pages").glob("*.md"))}
    faults = generated.bring_up_to_date(wanted, arguments == ["write"], "docs/site/values.py")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
