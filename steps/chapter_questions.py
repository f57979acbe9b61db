"""A chapter's questions, read from its questions.toml, and their answers.

    [[question]]
    id          unique in the file
    section     "predict" or "check": under which heading of the chapter it stands
    ask         the question
    value       the right answer, an expression (expressions.py)
    unit        of the answer; may be left out
    tolerance   how far off an answer may be, relative to the right one; unless given 0, and 0.005
                where that is no whole number
    choices     a list: the answer is the number of one of them, from 1
    answer      what the reader is told
    [question.values]
    NAME        a further figure: an expression

`ask` and `answer` show {value} and {NAME}, with a format as in Python, such as {ms:.2f}; without
one, whole numbers get thousands separators. Beside what expressions.py has, expressions may use the
names of the other values and

    counted(KERNEL, OPTIONS, FIELDS)   what the kernel counts on the CPU; FIELDS is an expression
                                       over the counters' fields as docs/pages/output.md lists
                                       them, with launch.blocks (of the grid) and launch.threads
                                       (per block)
    recorded(KERNEL, FIELD[, OPTIONS]) of docs/results/h200.jsonl, at the step's first measured size
                                       or at another, given as options: "--n 65536"
    stalls(RUNG, FIELD[, KERNEL])      of docs/results/stalls_h200.jsonl; of a rung's launches, or
                                       KERNEL's, the longest; "stalls.REASON" is in cycles per
                                       instruction
    changed(RUNG)                      lines added and removed against the rung it grows from
"""

import dataclasses
import json
import re
import string
import tomllib

import expressions
import ladder as manifest
import ladder_changes
import ladder_records
import step_runs

FRACTION_TOLERANCE = 0.005  # of a value that is no whole number, unless the question has one
ROUNDING = 1e-9
CHAPTERS = manifest.STEPS
FILE = "questions.toml"
SECTIONS = ("predict", "check")
STALLS = ladder_records.ROOT / "docs" / "results" / "stalls_h200.jsonl"
LETTERS = string.ascii_lowercase
HTML_OR_LINK = re.compile(r"<[a-zA-Z/!]|\]\(")


class BadQuestion(Exception):
    """A questions.toml does not say what it has to; the text names the file and the question."""


@dataclasses.dataclass(frozen=True)
class Question:
    where: str  # file and id, for messages
    id: str
    section: str
    ask: str
    value: str
    answer: str
    unit: str = ""
    tolerance: float = 0
    choices: list = dataclasses.field(default_factory=list)
    values: dict = dataclasses.field(default_factory=dict)

    def is_right(self, value, answer):
        """Whether an answer is close enough to the value."""
        tolerance = self.tolerance or (0 if value == round(value) else FRACTION_TOLERANCE)
        return abs(answer - value) <= max(tolerance, ROUNDING) * abs(value)

    @property
    def expressions(self):
        return [self.value, *self.values.values()]

    def calls_of(self, function):
        return [call for text in self.expressions
                for call in expressions.calls_of(text, function)]


# --- reading --------------------------------------------------------------------------------------


def folder_of(step):
    return CHAPTERS / step.name


def has_questions(step):
    return (folder_of(step) / FILE).is_file()


def read(step):
    """The questions of a step's chapter; raises BadQuestion."""
    path = folder_of(step) / FILE
    name = f"steps/{step.name}/{FILE}"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadQuestion(f"{name}: {error}") from error
    listed = tables.pop("question", [])
    if tables or not isinstance(listed, list) or not listed:
        what = f"'{next(iter(tables))}'" if tables else "no [[question]]"
        raise BadQuestion(f"{name}: has {what}; it is to have [[question]] tables alone")
    questions = [made(name, i, table) for i, table in enumerate(listed, 1)]
    seen = set()
    for question in questions:
        if question.id in seen:
            raise BadQuestion(f"{question.where}: there are two questions with this id")
        seen.add(question.id)
    return questions


def made(name, number, table):
    where = f"{name}: question '{table.get('id', number)}'"
    fields = {field.name: field for field in dataclasses.fields(Question) if field.name != "where"}
    for key, value in table.items():
        if key not in fields:
            raise BadQuestion(f"{where}: unknown key '{key}'")
        kind = fields[key].type
        if not isinstance(value, (int, float) if kind is float else kind):
            raise BadQuestion(f"{where}: '{key}' is {value!r}, not a {kind.__name__}")
    for key, field in fields.items():
        if field.default is field.default_factory is dataclasses.MISSING and not table.get(key):
            raise BadQuestion(f"{where}: has no '{key}'")
    question = Question(where, **table)
    check(question)
    return question


def check(question):
    """Checks what a single table cannot tell."""
    def wrong(text):
        raise BadQuestion(f"{question.where}: {text}")

    if question.section not in SECTIONS:
        wrong(f"section is '{question.section}'; allowed: {', '.join(SECTIONS)}")
    if not 0 <= question.tolerance < 1:
        wrong(f"tolerance is {question.tolerance}; it is a part of the value, from 0 to below 1")
    for name in question.values:
        if not name.isidentifier() or name == "value" or name in expressions.FUNCTIONS:
            wrong(f"'{name}' cannot be the name of a value")
    if question.choices and (len(question.choices) < 2 or
                             not all(isinstance(one, str) for one in question.choices)):
        wrong("choices has to list two texts or more")
    for text in (question.ask, question.answer, *question.choices):
        if HTML_OR_LINK.search(re.sub("`[^`]*`", "", text)):
            wrong(f"'{text}' has HTML or a link; questions are plain text and code in backquotes")
    try:
        for name, text in (("value", question.value), *question.values.items()):
            if expressions.is_only_a_number(text):
                wrong(f"{name} is typed, '{text}'; it has to be worked out")
        shown = {name for text in (question.ask, question.answer) for name in shown_in(text)}
        used = {name for text in question.expressions for name in expressions.names_of(text)}
        for function in ("counted", "recorded", "stalls", "changed"):
            question.calls_of(function)
    except (expressions.Fault, ValueError) as error:
        wrong(error)
    if not question.choices and "value" not in set(shown_in(question.answer)):
        wrong("its answer never shows {value}")
    for name in shown - {"value", *question.values}:
        wrong(f"shows {{{name}}}, which is none of its values")
    for name in question.values:
        if name not in shown | used:
            wrong(f"'{name}' of its values is neither shown nor used")


def shown_in(text):
    """The names in braces of a text."""
    for _, name, _, conversion in string.Formatter().parse(text):
        if name is not None:
            if not name.isidentifier() or conversion:
                raise ValueError(f"'{{{name}}}' in '{text}' is not the name of a value")
            yield name


# --- figures --------------------------------------------------------------------------------------


class Sources:
    """The sources of the figures in expressions: runs of a build folder, and records."""

    def __init__(self, build):
        self.ladder = manifest.read()
        self.runs = step_runs.Runs(build, self.ladder)
        self.records = ladder_records.Records(self.ladder)
        lines = STALLS.read_text(encoding="utf-8").splitlines()
        self.launches = [json.loads(line) for line in lines[1:]]

    @property
    def functions(self):
        return {"counted": self.counted, "recorded": self.recorded, "stalls": self.stalls,
                "changed": self.changed}

    def counted(self, kernel, options, fields):
        return self.runs.run(kernel, options).value(fields)

    def recorded(self, kernel, field, options=""):
        rows = [row for (name, _), row in self.records.rows.items() if name == kernel]
        variant = next((one for one in self.ladder.variants if one.name == kernel), None)
        if not rows or variant is None:
            raise expressions.Fault(f"no record of '{kernel}' in docs/results/h200.jsonl")
        if not options:
            step = self.ladder.step(variant.program_step)
            options = " ".join(step.arguments(step.measured[0]))
        row = next((row for row in rows if row.options == " ".join(options.split())), None)
        if row is None:
            raise expressions.Fault(f"'{kernel}' is recorded at no size '{options}', but at "
                                    f"{', '.join(one.options for one in rows)}")
        return number_of(row.fields, field, f"the record of '{kernel}'")

    def stalls(self, rung, field, kernel=""):
        lines = [line for line in self.launches if line["rung"] == rung and
                 kernel in ("", line["kernel"])]
        if not lines:
            raise expressions.Fault(f"no launch of '{kernel or rung}' in stalls_h200.jsonl")
        longest = max(lines, key=lambda line: line["us"])
        stalls = {f"stalls.{why}": cycles for why, cycles in longest["stalls"].items()}
        return number_of({**longest, **stalls}, field, f"stalls_h200.jsonl of '{rung}'")

    def changed(self, name):
        rung = self.ladder.rung(name)
        if rung is None:
            raise expressions.Fault(f"there is no rung '{name}'")
        return ladder_changes.change(self.ladder, rung).lines

    def run_all(self, questions):
        """Runs what these questions count, side by side."""
        self.runs.run_all([call[:2] for question in questions
                           for call in question.calls_of("counted") if len(call) == 3])

    def check_built(self, questions):
        """Raises step_runs.Failure where a program is missing that these questions run."""
        self.runs.check_built([call[0] for question in questions
                               for call in question.calls_of("counted")])


def number_of(fields, name, where):
    if not isinstance(fields.get(name), (int, float)):
        numbers = [key for key, value in fields.items() if isinstance(value, (int, float))]
        raise expressions.Fault(f"{where} has no field '{name}'; allowed: {', '.join(numbers)}")
    return fields[name]


class Worked:
    """A question whose figures are worked out, each when it is first needed; its members raise
    BadQuestion."""

    def __init__(self, question, sources):
        self.question, self.sources = question, sources
        self.known, self.pending = {}, []

    def named(self, name):
        """The value of one of the question's names, which may need others; None: it has none."""
        text = self.question.value if name == "value" else self.question.values.get(name)
        if text is None or name in self.known:
            return self.known.get(name)
        if name in self.pending:
            raise expressions.Fault(f"'{name}' needs itself")
        self.pending.append(name)
        value = expressions.value_of(text, self.sources.functions, self.named)
        if name == "value" and self.question.choices and \
                value not in range(1, len(self.question.choices) + 1):
            raise expressions.Fault(f"value is {value}, but there are "
                                    f"{len(self.question.choices)} choices")
        self.pending.pop()
        self.known[name] = value
        return value

    def checked(self, make):
        """The value of make(), with its errors as BadQuestion."""
        try:
            return make()
        except (expressions.Fault, step_runs.Failure, ValueError) as error:
            raise BadQuestion(f"{self.question.where}: {error}") from error

    @property
    def value(self):
        return self.checked(lambda: self.named("value"))

    @property
    def right_choice(self):
        """The number of the right one of the choices, from 0."""
        return int(self.value) - 1

    @property
    def ask(self):
        return self.checked(lambda: self.filled(self.question.ask))

    @property
    def answer(self):
        return self.checked(lambda: self.filled(self.question.answer))

    def filled(self, text):
        shown = {name: self.named(name) for name in shown_in(text)}
        if self.question.choices and "value" in shown:
            shown["value"] = self.question.choices[self.right_choice]
        return Figures().vformat(text, (), shown)


class Figures(string.Formatter):
    """Formats whole numbers with thousands separators, unless told otherwise."""

    def format_field(self, value, format_spec):
        if format_spec:
            return super().format_field(value, format_spec)
        return value if isinstance(value, str) else plain(value)


def plain(value):
    """1,048,576, or 0.391."""
    return f"{round(value):,}" if value == round(value) else f"{value:.4g}"
