"""A small chapter with questions, and a build folder whose program counts made-up figures."""

import contextlib
import pathlib
import tempfile
import unittest.mock

import chapter_questions
import ladder as manifest
import questions

STEP = "04_reduce_shared"
KERNEL = "reduce_shared"
QUESTIONS = '''
[[question]]
id = "atomics"
section = "predict"
ask = "How many atomics for 512 elements in blocks of 256?"
value = 'counted("reduce_shared", "--n 512", "global_atomic.threads")'
unit = "atomics"
answer = "512 / 256 = {value} atomics, for {part:.1%} of the elements."
[question.values]
part = "value / 512"

[[question]]
id = "which"
section = "check"
ask = "Which are more?"
value = """1 if counted("reduce_shared", "--n 512", "barriers") > 2 else 2"""
choices = ["the barriers", "the atomics"]
answer = "There are {barriers} barriers."
[question.values]
barriers = 'counted("reduce_shared", "--n 512", "barriers")'
'''
README = """# 04: A sum in shared memory, with a title that is a little longer than eighty columns

## Predict

<!-- written by steps/questions.py: predict -->
<!-- end of what questions.py wrote -->

## Check yourself

<!-- written by steps/questions.py: check -->
<!-- end of what questions.py wrote -->

## Further
"""
# Two atomics and {barriers} barriers, whatever the options; and a line of the sources for them.
PROGRAM = """#!/bin/sh
case "$*" in *--n\\ bad*) echo "error: --n 'bad': no number" >&2; exit 2;; esac
cat > "$CUCPU_JSON" <<'END'
{{"type": "launch", "kernel": "reduce_shared_kernel", "grid": [2, 1, 1], "block": [256, 1, 1],
  "counters": {counters}, "lines": [{{"file": "{file}", "line": 1, "counters": {counters}}}]}}
END
"""
COUNTERS = ('{{"global_atomic": {{"requests": 2, "sectors": 2, "sectors_per_request": 1.0, '
            '"efficiency": 0.125, "threads": 2, "bytes": 8}}, "barriers": {barriers}}}')


def program_text(barriers=18):
    counters = COUNTERS.format(barriers=barriers)
    path = manifest.STEPS / STEP / "2_reduce_shared.cuh"
    return PROGRAM.format(counters=counters, file=path).replace(",\n ", ",")


@contextlib.contextmanager
def planted(text=QUESTIONS, readme=README, program=None):
    """(folder of the build, path of the README.md), with this text of questions."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        chapter, build = folder / "steps" / STEP, folder / "build"
        chapter.mkdir(parents=True)
        (build / "steps" / STEP).mkdir(parents=True)
        (chapter / "README.md").write_text(readme, encoding="utf-8")
        if text is not None:
            (chapter / chapter_questions.FILE).write_text(text, encoding="utf-8")
        for suffix in ("", ".traced"):
            path = build / "steps" / STEP / f"{STEP}{suffix}"
            path.write_text(program or program_text(), encoding="utf-8")
            path.chmod(0o755)
        with unittest.mock.patch.object(chapter_questions, "CHAPTERS", folder / "steps"):
            yield build, chapter / "README.md"
