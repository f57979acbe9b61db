"""build/ladder --quiz: asks the chapters' questions, with runs and records beside the answers."""

import pathlib
import re
import sys
import textwrap

import chapter_questions
import expressions
import ladder_diff
import reader_answers
import step_runs

WIDTH = 80
INTRODUCTION = "A number may be written 1048576, 1M, 2^20, 25% or 1/256. ? gives up, q stops."
HEADINGS = {"predict": "Predict", "check": "Check yourself"}
GIVE_UP, STOP = "?", "q"
CLOSE = 0.1  # how far off an answer may be to be called close, relative to the right one
RIGHT, NEAR, NOT, GIVEN_UP = "right", "close", "not right", "given up"
COLORS = {RIGHT: ladder_diff.ADDED, NEAR: "33", NOT: ladder_diff.REMOVED, GIVEN_UP: "33"}
MOST_LINES = 3  # of code that are shown for a figure
LABEL, FIGURE = 36, 16  # columns of a row


class Stopped(Exception):
    """The reader wants no more questions."""


class Quiz:
    def __init__(self, sources, colors=False):
        self.sources, self.colors, self.results = sources, colors, []

    def painted(self, text, color):
        return ladder_diff.painted(text, color, self.colors)

    def chapter(self, step, questions):
        """Asks a chapter's questions, in the order of the chapter."""
        title = re.search("^# (.+)$", (chapter_questions.folder_of(step) / "README.md").read_text(
            encoding="utf-8"), re.M)[1]
        print(self.painted(paragraph(title, "    "), ladder_diff.BOLD))
        in_order = sorted(questions, key=lambda one: chapter_questions.SECTIONS.index(one.section))
        for number, question in enumerate(in_order, 1):
            if number == 1 or question.section != in_order[number - 2].section:
                print(f"\n{HEADINGS[question.section]}")
            self.question(f"{number} of {len(in_order)}", question)

    def question(self, number, question):
        worked = chapter_questions.Worked(question, self.sources)
        print()
        print(paragraph(f"{number}: {worked.ask}", "  "))
        for letter, choice in zip(chapter_questions.LETTERS, question.choices):
            print(paragraph(f"  {letter}  {choice}", "     "))
        answer = self.answer(question)
        verdict = judged(worked, answer)
        self.results.append(verdict)
        print(f"  {self.painted(verdict, COLORS[verdict])}\n")
        right = worked.right_choice if question.choices else worked.value
        for label, said in (("your answer", answer), ("the answer", right)):
            if said is not None:
                print(shown(question, label, said))
        for line in self.figures(question):
            print(line)
        print()
        print(paragraph(f"  {worked.answer}", "  "))

    def answer(self, question):
        """The reader's answer, as a number or the number of a choice; None: gives up."""
        prompt = f"[{question.unit}] > " if question.unit else "> "
        while True:
            text = typed(prompt)
            if text is None or text.strip() == STOP:
                raise Stopped
            text = text.strip()
            if text == GIVE_UP:
                return None
            try:
                if question.choices:
                    return reader_answers.choice(text, question.choices,
                                                 chapter_questions.LETTERS)
                return reader_answers.number(text, question.unit)
            except reader_answers.NotUnderstood as error:
                if text:
                    print(paragraph(f"  {error}", "  "))

    # --- what was counted and recorded ---

    def figures(self, question):
        """Rows with what the answer was worked out from."""
        for kernel, options, fields in dict.fromkeys(question.calls_of("counted")):
            run = self.sources.runs.run(kernel, options)
            yield f"  counted, {kernel} {options}:"
            for name in sorted(expressions.names_of(fields)):
                yield row(f"  {name}", chapter_questions.plain(run.figure(name)))
                yield from lines_of(run, name)
        for function in ("recorded", "stalls"):
            for name, field, *more in dict.fromkeys(question.calls_of(function)):
                value = self.sources.functions[function](name, field, *more)
                yield f"  recorded on an H200, {' '.join((name, *more))}:"
                yield row(f"  {field}", chapter_questions.plain(value))
        for [name] in dict.fromkeys(question.calls_of("changed")):
            yield row(f"changed by {name}:", str(self.sources.changed(name)), "lines")

    def summary(self):
        asked = len(self.results)
        if not asked:
            return "no question answered"
        counts = [f"{self.results.count(verdict)} {verdict}"
                  for verdict in (RIGHT, NEAR, NOT, GIVEN_UP) if verdict in self.results]
        return f"{asked} question{'s' if asked > 1 else ''}: {', '.join(counts)}"


def judged(worked, answer):
    if answer is None:
        return GIVEN_UP
    if worked.question.choices:
        return RIGHT if answer == worked.right_choice else NOT
    if worked.question.is_right(worked.value, answer):
        return RIGHT
    return NEAR if abs(answer - worked.value) <= CLOSE * abs(worked.value) else NOT


def shown(question, label, answer):
    """An answer as a number, or as the choice that it is."""
    if question.choices:
        choice = f"{chapter_questions.LETTERS[answer]}  {question.choices[answer]}"
        return paragraph(f"  {label:11}  {choice}", " " * 18)
    return row(label, chapter_questions.plain(answer), question.unit)


def row(label, figure, note=""):
    return f"  {label:{LABEL}}{figure:>{FIGURE}}  {note}".rstrip()


def lines_of(run, name):
    """The lines of code that count most of a figure, each with how much."""
    counted = [(step_runs.counter(line.counters, name), line) for line in run.lines]
    most = sorted((one for one in counted if one[0]), key=lambda one: -one[0])[:MOST_LINES]
    for value, line in most:
        path = pathlib.Path(line.file)
        yield row(f"    {path.name}:{line.line}", chapter_questions.plain(value))
        if path.is_file():
            code = path.read_text(encoding="utf-8").splitlines()[line.line - 1].strip()
            yield "        " + textwrap.shorten(code, WIDTH - 8, placeholder=" ...")


def paragraph(text, lead):
    """In lines as wide as the tables; the second and further ones begin with the lead."""
    filled = textwrap.fill(text.replace(" %", "\0%"), WIDTH, subsequent_indent=lead,
                           break_long_words=False, break_on_hyphens=False)
    return filled.replace("\0", " ")


def typed(prompt):
    """A line of the standard input; None at its end."""
    if sys.stdin.isatty():
        try:
            return input(prompt)
        except EOFError:
            print()
            return None
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    print(line.rstrip("\n"))
    return line or None


def run(sources, chapters, colors):
    """Asks the questions of these chapters, [(step, questions)], until the reader stops."""
    quiz = Quiz(sources, colors)
    print(f"{INTRODUCTION}\n")
    try:
        for i, (step, questions) in enumerate(chapters):
            if i:
                print()
            quiz.chapter(step, questions)
    except (Stopped, KeyboardInterrupt):
        pass
    print(f"\n{quiz.summary()}")
