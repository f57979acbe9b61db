#!/usr/bin/env python3
"""The questions of the chapters, with their answers, as the READMEs show them.

    questions.py write BUILD [STEP]   works the answers out and writes them between the marks
    questions.py check BUILD [STEP]   only says what is out of date; exit code 1 if anything is

BUILD is a build folder of the cpu backend, whose programs count what the answers need; STEP is a
number or a name: 04, gemv, 04_reduce_shared. chapter_questions.py says what a questions.toml has.
Exit code 2 if a question is wrong, or a program fails. A README has the places

    <!-- written by steps/questions.py: predict -->
    <!-- end of what questions.py wrote -->

and the same for `check`, one for each section that has questions.
"""

import re
import sys

import chapter_questions
import ladder as manifest
import ladder_show
import step_runs
from chapter_questions import BadQuestion, LETTERS
from ladder_records import records

ROOT = manifest.STEPS.parent
sys.path.append(str(ROOT / "common"))
import generated  # noqa: E402

BEGIN = "<!-- written by steps/questions.py: {} -->\n"
END = "<!-- end of what questions.py wrote -->\n"
MARK = re.compile(r"^<!-- written by steps/questions\.py: (.*?) -->$", re.M)


def numbered(texts):
    return [generated.wrapped(text, f"{number}. ").rstrip("\n")
            for number, text in enumerate(texts, 1)]


def with_choices(question, text):
    choices = "; ".join(f"({letter}) {choice}"
                        for letter, choice in zip(LETTERS, question.choices))
    return f"{text} {choices}." if choices else text


def answer_text(worked):
    choices = worked.question.choices
    if not choices:
        return worked.answer
    right = worked.right_choice
    return f"({LETTERS[right]}) {choices[right]}. {worked.answer}"


def block(questions, sources):
    """The block of a section's questions in a README."""
    all_worked = [chapter_questions.Worked(question, sources) for question in questions]
    asked = [with_choices(worked.question, worked.ask) for worked in all_worked]
    answered = [answer_text(worked) for worked in all_worked]
    commands = list(dict.fromkeys(sources.runs.command(*call[:2]) for question in questions
                                  for call in question.calls_of("counted")))
    lines = ["", *numbered(asked), "", "<details><summary>Answers</summary>", "",
             *numbered(answered), ""]
    if commands:
        lines += ["Counted by", "", "```sh", *commands, "```", ""]
    return "\n".join([*lines, "</details>", "", ""])


def with_questions(text, name, questions, sources):
    """The README's text with its questions up to date."""
    sections = list(dict.fromkeys(question.section for question in questions))
    places = MARK.findall(text)
    for section in sorted({*sections, *places}):
        begin = BEGIN.format(section)
        if section not in sections:
            raise BadQuestion(f"{name}: has a place for '{section}', but no question is in it")
        if places.count(section) != 1 or text.count(begin) != 1:
            raise BadQuestion(f"{name}: has to have one place for its questions, a line "
                              f"'{begin.strip()}' and one '{END.strip()}'")
        those = [question for question in questions if question.section == section]
        head, rest = text.split(begin, 1)
        before, end, tail = rest.partition(END)
        if not end or MARK.search(before):
            raise BadQuestion(f"{name}: '{begin.strip()}' is not ended by '{END.strip()}'")
        text = head + begin + block(those, sources) + END + tail
    return text


def wanted(build, steps):
    """{README.md: its text} of these steps."""
    sources = chapter_questions.Sources(build)
    read = [(step, chapter_questions.read(step)) for step in steps]
    sources.run_all([question for _, questions in read for question in questions])
    result = {}
    for step, questions in read:
        readme = chapter_questions.folder_of(step) / "README.md"
        result[readme] = with_questions(readme.read_text(encoding="utf-8"),
                                        f"steps/{step.name}/README.md", questions, sources)
    return result


def without_a_file(steps):
    """READMEs with a place for questions, but without a file of them."""
    for step in steps:
        readme = chapter_questions.folder_of(step) / "README.md"
        if not chapter_questions.has_questions(step) and readme.is_file() and \
                MARK.search(readme.read_text(encoding="utf-8")):
            yield f"{readme}: has a place for questions, but there is no {chapter_questions.FILE}"


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[0] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    action, build, *step = arguments
    try:
        steps = manifest.read().steps
        if step:
            steps = [steps[ladder_show.find_step(manifest.read(), *step)]]
        faults = list(without_a_file(steps))
        texts = wanted(build, [one for one in steps if chapter_questions.has_questions(one)])
    except (BadQuestion, manifest.BadManifest, ladder_show.BadUsage, records.Failure,
            step_runs.Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults += generated.bring_up_to_date(texts, action == "write", "steps/questions.py")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
