#!/usr/bin/env python3
"""The gdb session of docs/pages/debugging.md: the page has the commands, gdb gives the answers.

    debugging_page.py check|write CUCPU GDB    (GDB: none, where there is none)
"""

import difflib
import pathlib
import re
import sys
import tempfile

import debugger

PAGE = debugger.HERE.parent.parent / "docs" / "pages" / "debugging.md"
PROMPT = "(gdb) "
BLOCK = re.compile(r"^```text\n(\(gdb\) .*?)^```$", re.M | re.S)
SKIPPED = 77


def commands(text):
    """All commands of the page, in order."""
    return [line.removeprefix(PROMPT) for block in BLOCK.findall(text)
            for line in block.splitlines() if line.startswith(PROMPT)]


def with_answers(text, answers):
    """The page, with these after its commands."""
    answers = iter(answers)

    def filled(block):
        lines = [f"{PROMPT}{command}\n" + (f"{answer}\n" if answer else "")
                 for command, answer in zip(commands(block[0]), answers)]
        return "```text\n" + "".join(lines) + "```"

    return BLOCK.sub(filled, text)


def main():
    what, cucpu, gdb = sys.argv[1:]
    if gdb == "none" or not debugger.can_run_programs(gdb):
        print("skipped: there is no gdb that can run a program")
        return SKIPPED
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        program = debugger.compiled(cucpu, "block_sum", pathlib.Path(folder), "-G")
        wanted = with_answers(text, debugger.session(gdb, program, commands(text)))
    if what == "write":
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        print(f"{PAGE}: gdb says otherwise; debugging_page.py write brings it up to date")
        print("\n".join(difflib.unified_diff(text.splitlines(), wanted.splitlines(), lineterm="")))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
