"""Numbers in prose, and where they come from.

A number in a chapter's prose is allowed if it is at most 4, or stands in the step's sources (its
kernels, tests, claims), or is a figure of the step's recorded results, or is in docs/numbers.toml: as
a constant of CUDA or of the float format, or with the calculation that gives it, whose own numbers are
allowed ones. A page of docs/pages has the sources and results of all steps.
"""

import ast
import operator
import re
import tomllib

import book
import staging
import values

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
                    values.VALUE, re.compile(r"<!--.*?-->", re.S)):
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
    for line in book.runs("h200"):
        if line["step"] == step.name:
            for name in ("gb_per_s", "percent_of_roof", "percent_of_baseline", "median_ms"):
                if name in line:
                    add(line[name])
            if "gflop_per_s" in line:
                add(line["gflop_per_s"] / 1000)
            found.update(map(str, line["shape"].values()))
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
