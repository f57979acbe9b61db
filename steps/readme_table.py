#!/usr/bin/env python3
"""The table of the steps in the README.md of all, made from the manifest.

    readme_table.py write     writes it between its marks
    readme_table.py check     only says whether it is out of date; exit code 1 if it is
"""

import os
import sys

import ladder

ROOT = ladder.STEPS.parent
sys.path.insert(0, str(ROOT / "common"))
import generated  # noqa: E402

README = ROOT / "README.md"
BEGIN = "<!-- written by steps/readme_table.py -->\n"
END = "<!-- end of what readme_table.py wrote -->\n"
BEFORE = "They make four chapters"
MOST_LISTED, FIRST_LISTED = 7, 3  # kernels of a step


def shortened(names):
    """The first as it is, the others without what all begin with: `reduce_atomic`, `…_shared`."""
    words = os.path.commonprefix([name.split("_") for name in names])
    common = "_".join(words)
    return [name if i == 0 or not common or name == common else f"…{name.removeprefix(common)}"
            for i, name in enumerate(names)]


def listed(names):
    """All of a few; of many the first ones, the last one, and how many there are."""
    quoted = [f"`{name}`" for name in shortened(names)]
    if len(quoted) <= MOST_LISTED:
        return ", ".join(quoted)
    return f"{', '.join(quoted[:FIRST_LISTED])} … `{names[-1]}`: {len(names)} kernels"


def row(tutorial, step, steps=ladder.STEPS):
    names = [variant.name for variant in tutorial.variants_of(step.name)]
    # A part without a chapter of its own is in that of its step.
    folder = step.name if (steps / step.name / "README.md").exists() else step.name.partition("/")[0]
    return f"| [{step.program}](steps/{folder}/README.md) | {step.idea} | {listed(names)} |\n"


def table(tutorial, steps=ladder.STEPS):
    return "| step | the idea | kernels |\n|---|---|---|\n" + \
        "".join(row(tutorial, step, steps) for step in tutorial.steps)


def main(arguments):
    if arguments not in (["write"], ["check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = generated.with_section(README.read_text(encoding="utf-8"),
                                      BEGIN + table(ladder.read()) + END, BEGIN, END, BEFORE)
    except (ladder.BadManifest, generated.NoPlace, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults = generated.bring_up_to_date({README: text}, arguments == ["write"], "readme_table.py")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
