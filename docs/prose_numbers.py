"""Numbers in prose, and where they come from.

A number in a chapter's prose is allowed if it is at most 4, or stands in the step's sources (its
kernels, tests, claims), or is a figure of the step's recorded results, or is in docs/numbers.toml: as
a constant of CUDA or of the float format, or with the calculation that gives it, whose own numbers are
allowed ones. A page of docs/pages has the sources and results of all steps.

The same holds for a chapter's questions, whose figures are worked out. Whole numbers of a question's
expressions are what is given; they may be in its texts, too.
"""

import ast
import itertools
import operator
import pathlib
import re
import sys
import tomllib

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "site"))
import book  # noqa: E402
import staging  # noqa: E402
import chapter_questions  # noqa: E402, of steps/, which book puts on the path
import expressions  # noqa: E402

SMALL = 4
EXAMPLE = "an example"  # instead of a calculation: a size that was chosen to speak of
GENERATED = re.compile(r"<!-- written by .*?<!-- end of what .*? -->", re.S)
NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)(?!\w)")
STEP_NUMBER = re.compile(r"(?:[Ss]teps?\s|\[|, |and |^\| ?|\b(?:to|from) )(?:0\d|1[0-2])\b"
                         r"(?=[\]|. ,:;)]|$| and| with)", re.M)
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv, ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv,
             ast.Mod: operator.mod}


def listed():
    return tomllib.loads((book.DOCS / "numbers.toml").read_text(encoding="utf-8"))


def prose(text):
    """A page without what is not prose, or written by programs."""
    text = GENERATED.sub("", text)
    for pattern in (staging.FENCE, staging.MATH_BLOCK, staging.CODE_SPAN, staging.MATH,
                    staging.VALUE, re.compile(r"<!--.*?-->", re.S)):
        text = pattern.sub(" ", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"^# .*$", "", text, flags=re.M)
    # Steps, list items and versions are names.
    text = STEP_NUMBER.sub("", text)
    return re.sub(r"^\d+\. |(?:Debian|Ubuntu) [\d.]+", "", text, flags=re.M)


def plain(number):
    return number.replace(",", "").replace("'", "")


def in_text(text):
    return {plain(number) for number in re.findall(r"\d[\d']*(?:\.\d+)?", text)}


def in_sources(step):
    return set().union(*(in_text(path.read_text(encoding="utf-8")) for path in step.folder.rglob("*")
                         if path.suffix in (".cu", ".cuh", ".toml", ".h")))


def in_results(step):
    """Figures of the step, as prose writes them."""
    found = set()

    def add(value):
        found.update({f"{value:g}", f"{value:.0f}", f"{value:.1f}", f"{value:.2f}"})
    for row in book.rows("h200"):
        if row.step == step.name:
            for name in ("gb_per_s", "roof_gb_per_s", "percent_of_roof", "percent_of_roof_at_size",
                         "percent_of_baseline", "median_ms"):
                if name in row.fields:
                    add(row.fields[name])
            if "gflop_per_s" in row.fields:
                add(row.gflop_per_s / 1000)
            found.update(map(str, row.sizes))
    for rung in step.variants:
        origin = book.variant(rung.origin) if rung.is_rung and rung.origin else None
        runs = [book.of_rungs().measured(one) for one in (origin, rung) if one]
        if len(runs) == 2 and all(runs) and runs[0].shape == runs[1].shape:
            add(runs[0].median_ms / runs[1].median_ms)
    for line in book.recorded("stalls_h200"):
        if line.get("step") == step.name:
            megabytes = (line[name] / 1e6 for name in ("dram_read_bytes", "dram_write_bytes"))
            for value in (*line.values(), *line["stalls"].values(), *megabytes):
                if isinstance(value, (int, float)):
                    add(value)
    for line in book.recorded("agreement"):
        if line["step"] == step.name:
            for figures in line["cpu"].values():
                units = figures.get("sectors", figures.get("wavefronts"))
                for value in (*figures.values(), units / figures["requests"]):
                    add(value)
    for line in book.recorded("wrong_twins")[1:]:
        if line["step"] == step.name:
            found.update(in_text(str(line["cpu"]) + line["size"]))
            found.update(in_text(str(line["gpu"])))
    return found


def value_of(expression, allowed):
    """The value of a calculation with allowed numbers."""
    def walk(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.Constant):
            if node.value > SMALL and f"{node.value:g}" not in allowed and \
                    str(node.value) not in allowed:
                raise ValueError(f"{node.value} in '{expression}' comes from nowhere")
            return node.value
        raise ValueError(f"'{expression}' is no calculation")
    return walk(ast.parse(expression, mode="eval").body)


def questions_of(page):
    """The questions of a page's chapter, if it has any."""
    if page.kind != "step" or not chapter_questions.has_questions(book.step(page.step).entry):
        return []
    return chapter_questions.read(book.step(page.step).entry)


def numbers_in(question):
    """Those that a question's texts have, beside the figures that are worked out."""
    text = "\n".join((question.ask, question.answer, *question.choices))
    return {plain(match[1]).rstrip(".")
            for match in NUMBER.finditer(prose(re.sub(r"\{\w*(?::[^}]*)?\}", " ", text)))}


def question_faults(question, allowed):
    """The numbers of a question that come from nowhere."""
    given, faults = set(), []
    for number in itertools.chain.from_iterable(map(expressions.numbers_of, question.expressions)):
        if number == int(number):
            given.add(f"{number:.0f}")
        elif f"{number:g}" not in allowed:
            faults.append(f"{question.where}: {number} of an expression comes from nowhere")
    given |= {number for call in question.calls_of("counted") for number in in_text(call[1])}
    for number in sorted(numbers_in(question) - given - allowed):
        if not number.isdigit() or int(number) > SMALL:
            faults.append(f"{question.where}: {number} comes from nowhere")
    return faults


def faults_of(page, numbers, allowed):
    """The numbers of a page that come from nowhere, and calculations that are wrong or not needed."""
    own = numbers.get(page.name, {})
    faults = []
    for number, expression in own.items():
        if expression == EXAMPLE:
            continue
        try:
            value = value_of(expression, allowed | set(own))
        except ValueError as error:
            faults.append(f"{page.name}: {error}")
            continue
        if abs(value - float(number)) > 1e-9 * abs(value):
            faults.append(f"{page.name}: {expression} is {value}, not {number}")
    text = prose(page.text)
    used = set()
    for question in questions_of(page):
        used |= numbers_in(question)
        faults += question_faults(question, allowed | set(own))
    for match in NUMBER.finditer(text):
        number = plain(match[1]).rstrip(".")
        used.add(number)
        if (number.isdigit() and int(number) <= SMALL) or number in allowed or number in own:
            continue
        where = " ".join(text[max(0, match.start() - 40):match.end() + 30].split())
        faults.append(f"{page.name}: {number} comes from nowhere: '...{where}...'")
    return faults + [f"{page.name}: {number} of numbers.toml is not in it"
                     for number in own if number not in used]


def faults(pages):
    numbers = listed()
    constants = set(numbers["constants"])
    by_step = {step.name: in_sources(step) | in_results(step) | constants for step in book.steps()}
    all_steps = set().union(*by_step.values())
    result = []
    for page in pages:
        if page.kind not in ("exercise", "results"):
            result += faults_of(page, numbers, by_step.get(page.step, all_steps))
    return result
