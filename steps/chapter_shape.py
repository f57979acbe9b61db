#!/usr/bin/env python3
"""The shape that every chapter has, steps/NN/README.md and that of gemv; see `faults`.

    chapter_shape.py STEP     says what a chapter lacks of it, a line each; exit code 1 if anything
"""

import re
import sys

import chapter_questions
import ladder as manifest
import ladder_show

HEADINGS = ["Predict", "See it", "The kernel", "Rungs", "Break it", "What you can do now",
            "Check yourself", "In production", "What limits us now", "Going further"]
MOST_WORDS = 1300
LEAST_PREDICTIONS = 3
CHECKS = range(3, 6)  # questions to check oneself,
CAN_DO = range(3, 6)  # and points of what the reader can do
LEAST_SOURCES = 3
GENERATED = re.compile(r"^<!-- written by .*?<!-- end of what .*? wrote -->\n?", re.M | re.S)
FENCE = re.compile(r"^```([\w.-]*)[^\n]*\n(.*?)^```[ ]*$", re.M | re.S)
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]+)\)")
KERNEL = re.compile(r"^(?:template [^\n]*\n)?__global__.*?^}\n", re.M | re.S)


def without_generated(text):
    return GENERATED.sub("", text)


def without_code(text):
    return FENCE.sub("", text)


def headings(text):
    """Those of the second level, except generated ones."""
    return re.findall(r"^## (.+)$", without_code(without_generated(text)), re.M)


def sections(text):
    """Heading -> text; "" -> the text before the first."""
    found, heading, code = {"": []}, "", False
    for line in text.splitlines(keepends=True):
        code ^= line.startswith("```")
        if line.startswith("## ") and not code:
            heading = line[3:].strip()
        found.setdefault(heading, []).append(line)
    return {heading: "".join(lines) for heading, lines in found.items()}


def prose(text):
    """A chapter without code, tables, comments, addresses and what programs wrote."""
    text = without_code(without_generated(text))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^\|.*$", "", text, flags=re.M)
    text = IMAGE.sub("", text)
    text = LINK.sub(r"\1", text)
    return re.sub("`[^`]*`", "code", text)


def words(text):
    return len(re.findall(r"\S*\w\S*", prose(text)))


def kernels_of(rungs):
    """The kernels of the rungs' files, each from __global__ to its last brace."""
    for path in dict.fromkeys(manifest.STEPS / rung.path for rung in rungs):
        yield from (match[0] for match in KERNEL.finditer(path.read_text(encoding="utf-8")))


def faults(step, ladder, steps=manifest.STEPS):
    """The parts of the shape that a step's chapter lacks, one line each."""
    folder = steps / step.name
    text = (folder / "README.md").read_text(encoding="utf-8")
    rungs = [one for one in ladder.variants_of(step.name) if one.is_rung]
    label = step.program.partition("_")[0]
    parts = sections(text)

    def part(heading):
        return parts.get(heading, "")

    if not re.match(rf"# {label}: \S", text):
        yield f"its title does not begin with '# {label}: '"
    if headings(text) != HEADINGS:
        yield f"its headings are {headings(text)}, not {HEADINGS}"
    if not without_code(parts[""]).partition("\n")[2].strip():
        yield "there is no opening before the first heading"
    for heading in HEADINGS:
        if not part(heading).partition("\n")[2].strip():
            yield f"'{heading}' is empty"
    yield from question_faults(step, part)
    yield from drawing_faults(folder, part("See it"))
    blocks = [code for language, code in FENCE.findall(part("The kernel")) if language == "cpp"]
    if not any(kernel in block for kernel in kernels_of(rungs) for block in blocks):
        yield "'The kernel' shows no kernel of the step whole"
    yield from rung_faults(folder, text, part("Rungs"), rungs)
    for name in ("find_me.cuh", "find_me.toml"):
        if not (folder / "wrong" / name).is_file():
            yield f"there is no wrong/{name}"
    if "wrong/find_me.cuh" not in part("Break it"):
        yield "'Break it' does not name wrong/find_me.cuh"
    command = f"build/steps/{step.name}/{step.program}_wrong --kernel find_me"
    if command not in part("Break it"):
        yield f"'Break it' does not say how to run it: {command}"
    if "\n<details><summary>" not in part("Break it"):
        yield "'Break it' has no folded answer of what comes of changing a constant"
    points = len(re.findall(r"^[-*] ", part("What you can do now"), re.M))
    if points not in CAN_DO:
        yield f"'What you can do now' has {points} points, not {CAN_DO[0]} to {CAN_DO[-1]}"
    sources = {target for _, target in LINK.findall(part("Going further"))
               if re.match("https?://", target)}
    if len(sources) < LEAST_SOURCES:
        yield f"'Going further' links to {len(sources)} sources, not {LEAST_SOURCES} or more"
    if words(text) > MOST_WORDS:
        yield f"it has {words(text)} words of prose, more than {MOST_WORDS}"


def question_faults(step, part):
    questions = chapter_questions.read(step) if chapter_questions.has_questions(step) else []
    for section, heading in (("predict", "Predict"), ("check", "Check yourself")):
        if f"<!-- written by steps/questions.py: {section} -->" not in part(heading):
            yield f"'{heading}' has no place for questions"
        count = sum(question.section == section for question in questions)
        if section == "predict" and count < LEAST_PREDICTIONS:
            yield f"there are {count} questions to predict, not {LEAST_PREDICTIONS} or more"
        if section == "check" and count not in CHECKS:
            yield f"there are {count} questions to check, not {CHECKS[0]} to {CHECKS[-1]}"


def drawing_faults(folder, see_it):
    drawings = [target for target in IMAGE.findall(see_it) if target.endswith(".svg")]
    if not drawings:
        yield "'See it' has no drawing"
    for target in drawings:
        if not (folder / target).is_file():
            yield f"there is no drawing {target}"


def rung_faults(folder, text, section, rungs):
    for table in ("rungs", "stalls"):
        if not re.search(rf"^<!-- written by steps/chapter_tables\.py: {table}\b", section, re.M):
            yield f"'Rungs' has no table of {table}"
    further = folder / manifest.FURTHER / "README.md"
    texts = [text, further.read_text(encoding="utf-8")] if further.is_file() else [text]
    said = "\n".join(map(without_generated, texts))
    for rung in rungs:
        name = rung.path.rpartition("/")[2]
        if not re.search(rf"\b{rung.name}\b|{re.escape(name)}", said):
            yield f"it does not speak of {rung.name}"


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        ladder = manifest.read()
        step = ladder.steps[ladder_show.find_step(ladder, *arguments)]
        found = list(faults(step, ladder))
    except (manifest.BadManifest, ladder_show.BadUsage, chapter_questions.BadQuestion,
            OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for fault in found:
        print(f"steps/{step.name}/README.md: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
