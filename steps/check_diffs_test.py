#!/usr/bin/env python3
"""Plants faults in copies of the last chapter: check_diffs.py must refuse each, and name it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

STEPS = pathlib.Path(__file__).parent
CHECK = STEPS / "check_diffs.py"
CHAPTER = ("09_sgemm_naive", "10_sgemm_blocktile", "11_sgemm_threadtile",
           "12_sgemm_warptile_zorder")
BEFORE, LAST = CHAPTER[2:]
EXTRA = f"{CHAPTER[0]}/experiment.cu"
DECLARED = ["--extra", EXTRA, f"{LAST}/tune.cuh",
            "--longer", f"{LAST}/main.cu", f"{LAST}/test.cu"]


def edit(path, old, new, count=-1):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no '{old}' to plant a fault in"
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def reorder_fence(steps):
    """Two lines of the source in the wrong order."""
    append(steps / LAST / "README.md",
           "\n```cpp\n  const int lane = threadIdx.x % 32;\n"
           "  const int warp = threadIdx.x / 32;\n```\n")


def grow_variant(steps):
    lines = "".join(f"  // line {i}\n" for i in range(40))
    edit(steps / LAST / "sgemm_warptile_zorder.cuh", "// [sgemm_warptile_zorder]\n",
         "// [sgemm_warptile_zorder]\n" + lines, 1)


def differ_in_further_file(steps):
    (steps / BEFORE / "common.cuh").write_text("// one\n", encoding="utf-8")
    (steps / LAST / "common.cuh").write_text("// two\n", encoding="utf-8")


# What is planted, how, and what the check must say.
FAULTS = [
    ("a file that the neighbour has not",
     lambda s: (s / LAST / "notes.txt").write_text("x", encoding="utf-8"),
     "11_sgemm_threadtile has no such file"),
    ("a missing room", lambda s: (s / LAST / "test.cu").unlink(), "test.cu: is missing"),
    ("another further file", differ_in_further_file, "common.cuh: differs from"),
    ("main.cu with another statement",
     lambda s: edit(s / BEFORE / "main.cu", "  return", "  ++argc;\n  return"),
     "main.cu: differs from 11_sgemm_threadtile/main.cu in more than names"),
    ("main.cu with another include",
     lambda s: edit(s / LAST / "main.cu", '#include "kernel.cuh"\n', ""),
     "main.cu: differs from 11_sgemm_threadtile/main.cu in more than names"),
    ("main.cu that goes by another step's name",
     lambda s: edit(s / LAST / "main.cu", f'"{LAST}"', f'"{BEFORE}"'),
     "main.cu: differs from 11_sgemm_threadtile/main.cu in more than names"),
    ("test.cu with other sizes", lambda s: edit(s / LAST / "test.cu", "kTileK", "1"),
     "test.cu: differs from 11_sgemm_threadtile/test.cu in more than names"),
    ("a variant that is not tested",
     lambda s: edit(s / LAST / "test.cu", '"sgemm_pipelined", sgemm_pipelined',
                    '"sgemm_warptile", sgemm_warptile'),
     "test.cu: does not list the variants"),
    ("a variant that launches another",
     lambda s: edit(s / LAST / "main.cu", '"sgemm_pipelined", sgemm_pipelined',
                    '"sgemm_pipelined", sgemm_warptile'),
     "variant 'sgemm_pipelined' launches 'sgemm_warptile'"),
    ("a variant without markers",
     lambda s: edit(s / LAST / "kernel.cuh", "// [sgemm_warptile]\n", ""),
     "stands between no '// [sgemm_warptile]' lines"),
    ("a marker that is not closed",
     lambda s: edit(s / LAST / "kernel.cuh", "// [sgemm_warptile]\n", "", 1),
     "[sgemm_warptile] has no closing marker"),
    ("a small change that grew", grow_variant, "lines changed, allowed are fewer than 40"),
    ("a small change that was renamed",
     lambda s: [edit(path, "sgemm_warptile_zorder", "sgemm_morton")
                for path in (s / LAST / "sgemm_warptile_zorder.cuh", s / LAST / "test.cu")]
     + [edit(s / LAST / "main.cu", '"sgemm_warptile_zorder", sgemm_warptile_zorder',
             '"sgemm_morton", sgemm_morton')],
     "are not neighbouring variants of any chapter"),
    ("a fence with other code",
     lambda s: append(s / LAST / "README.md", "\n```cpp\n  int x = 1;\n```\n"),
     "no source file of 12_sgemm_warptile_zorder has these lines in a row"),
    ("a fence with lines that are not in a row", reorder_fence,
     "no source file of 12_sgemm_warptile_zorder has these lines in a row"),
    ("source that a fence no longer quotes",
     lambda s: edit(s / LAST / "sgemm_pipelined.cuh", "copy_tiles", "fill_stage"),
     "no source file of 12_sgemm_warptile_zorder has these lines in a row"),
    ("an empty fence", lambda s: append(s / LAST / "README.md", "\n```cpp\n```\n"),
     "an empty cpp fence"),
    ("a fence without a language", lambda s: append(s / LAST / "README.md", "\n```\nx\n```\n"),
     "a fence without a language"),
    ("code under another language",
     lambda s: append(s / LAST / "README.md", "\n```cuda\nint x;\n```\n"),
     "is fenced as cpp, not as cuda"),
    ("an open fence", lambda s: append(s / LAST / "README.md", "\n```text\nx\n"),
     "a fence that is never closed"),
    ("a step of no chapter", lambda s: shutil.copytree(s / LAST, s / "13_next"),
     "13_next: is in no chapter"),
    ("an extra that went away", lambda s: (s / EXTRA).unlink(),
     "is declared as an extra but does not exist"),
    ("a kernel's file that kernel.cuh does not include",
     lambda s: edit(s / LAST / "kernel.cuh", '#include "sgemm_tuned.cuh"', ""),
     "sgemm_tuned.cuh: 11_sgemm_threadtile has no such file"),
    ("a longer main.cu that lacks something",
     lambda s: edit(s / LAST / "main.cu", '#include "harness/step.h"', ""),
     "main.cu: differs from 11_sgemm_threadtile/main.cu in more than names"),
]


def check_copy(plant):
    """Runs the check over a copy of the chapter, with declared extras, after `plant`."""
    with tempfile.TemporaryDirectory() as folder:
        steps = pathlib.Path(folder)
        for step in CHAPTER:
            shutil.copytree(STEPS / step, steps / step)
        (steps / EXTRA).write_text("int main() {}\n", encoding="utf-8")
        plant(steps)
        return subprocess.run(
            [sys.executable, CHECK, "--steps", steps, "--chapter", *CHAPTER, *DECLARED],
            capture_output=True, text=True, check=False)


def failure_to_refuse(plant, message):
    """What the check did wrong with this fault, or None."""
    result = check_copy(plant)
    if result.returncode == 0:
        return "accepted"
    if result.returncode != 1:
        return f"exit code {result.returncode}: {result.stderr}"
    if message not in result.stderr:
        return f"refused without saying '{message}': {result.stderr}"
    return None


def main():
    sound = check_copy(lambda steps: None)
    if sound.returncode != 0:
        print(f"the chapter as it is: refused\n{sound.stderr}", file=sys.stderr)
        return 1
    failures = 0
    for what, plant, message in FAULTS:
        failure = failure_to_refuse(plant, message)
        print(f"{what}: {failure or 'refused'}")
        failures += failure is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
