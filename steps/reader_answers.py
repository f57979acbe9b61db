"""Answers to the chapters' questions, as readers type them.

A number may be 1048576, 1,048,576, 1M, 2^20, 1e6, 25 %, or calculated: 1/256, 2^28 / 256. A unit
may follow, also another multiple of the question's: 1.8 ms, 1800 us.
"""

import re

import expressions

TOKEN = re.compile(r"""\s*(?:
    (?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
        (?:\s?(?P<multiple>[kKMGT]i?)(?![A-Za-z/]))? |
    (?P<operator>\*\*|[-+*/^()]|[x×](?=\s*[\d(.]))
    )""", re.VERBOSE)
MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
             "Ki": 2**10, "ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
OPERATORS = {"^": "**", "x": "*", "×": "*"}
WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
# Units that can be told from each other, by what they measure.
DIMENSIONS = [
    {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "seconds": 1},
    {"B": 1, "byte": 1, "bytes": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
     "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
    {"MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12},
    {"GFLOP/s": 1e9, "TFLOP/s": 1e12, "GFLOPS": 1e9, "TFLOPS": 1e12},
    {"%": 0.01, "percent": 0.01},
]


class NotUnderstood(ValueError):
    """The answer is no number, or of something else; the text says so."""


def dimension_of(unit):
    return next((dimension for dimension in DIMENSIONS if unit in dimension), {})


def split(text):
    """(the calculation as an expression, what follows it)"""
    parts, at = [], 0
    while match := TOKEN.match(text, at):
        if match["operator"]:
            parts.append(OPERATORS.get(match["operator"], match["operator"]))
        else:
            number = match["number"].replace(",", "").lstrip("0") or "0"
            number = "0" + number if number[0] in ".eE" else number
            factor = MULTIPLES.get(match["multiple"])
            parts.append(f"({number} * {factor!r})" if factor else number)
        at = match.end()
    return " ".join(parts), text[at:].strip().rstrip(".")


def number(text, unit=""):
    """The reader's answer in the question's unit; raises NotUnderstood."""
    calculation, rest = split(text)
    try:
        value = expressions.value_of(calculation)
    except expressions.Fault as error:
        raise NotUnderstood(f"'{text}' is not a number") from error
    word, _, more = rest.partition(" ")
    if word in WORDS:
        value *= WORDS[word]
        word = more.partition(" ")[0]
    asked = unit.partition(" ")[0]
    given = dimension_of(word)
    if not given or word == asked:
        if rest[:1].isdigit() or rest[:1] == ",":
            raise NotUnderstood(f"'{text}' is not a number")
        return value
    if asked in given:
        return value * given[word] / given[asked]
    if "%" in given and not dimension_of(asked):
        return value * given[word]
    raise NotUnderstood(f"the question asks for {unit or 'a number'}, not for {word}")


def choice(text, choices, letters):
    """The number of the choice that the reader means, from 0: by letter, number or first words."""
    word = text.strip().strip("().").casefold()
    for i, (letter, words) in enumerate(zip(letters, choices)):
        if word in (letter, str(i + 1), words.casefold()):
            return i
    beginning = [i for i, words in enumerate(choices) if words.casefold().startswith(word)]
    if len(beginning) != 1 or not word:
        raise NotUnderstood(f"one of {', '.join(letters[:len(choices)])}, please")
    return beginning[0]
