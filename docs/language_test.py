#!/usr/bin/env python3
"""The language of READMEs, pages, comments, help texts and messages: banned openers and terms.

    language_test.py [PATH...]    default: every text of the repository

A sentence that opens with "Of", "What" or "Where" hides its subject behind a clause: turn it round. A
question may open so. Rates take "per", and things have the names of the field: TERMS says which.
"""

import dataclasses
import io
import pathlib
import re
import subprocess
import sys
import tokenize
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folders and files that are still to be gone through; each entry is a pattern of pathlib.
NOT_YET = (
    "steps/[01][0-9]_*/**/*",
    "common/cpu/**/*",
    "common/editor/**/*",
)
# Made by programs out of texts that are checked themselves, or copies of what others have written.
NOT_OURS = ("docs/results/*", "docs/drawings/*.svg", "docs/figures/*")

# Phrases that are right as they are.
ALLOWED = (
    "What you can do now",
    "What limits us now",
    "a second time",
    "a second ",      # "a second launch": see RATE, which wants a unit before it
)

OPENER = re.compile(r"(?:Of|What|Where)\b")
UNITS = ("accesses|atomics|barriers|blocks|bytes|columns|cycles|elements|floats|FMAs|instructions|"
         "launches|lines?|loads|MB|GB|messages|objects?|operations|outputs|requests|rows|sectors|"
         "sentences?|shuffles|stores|sums|table|threads|tiles|turns|values|warps|wavefronts|words")
RATE = re.compile(rf"\b(?:{UNITS}) (?:a|an) (?:block|byte|cycle|element|file|FMA|k|lane|launch|line|"
                  r"load|pack|request|round|row|second|sector|slice|step|store|thread|tile|turn|warp|"
                  r"wavefront|word)\b")
# A term that is not the field's, or not American spelling: what to write instead.
TERMS = {
    r"copy engines?": "TMA (a copy engine is CUDA's name for a DMA engine)",
    r"multiprocessors?": "SM (once: \"streaming multiprocessor\")",
    r"neighbour\w*": "neighbor",
    r"colour\w*": "color",
    r"behaviour\w*": "behavior",
    r"(?:un)?initialis\w+": "initialize",
    r"optimis\w+": "optimize",
    r"synchronis\w+": "synchronize",
    r"organis\w+": "organize",
    r"vectoris\w+": "vectorize",
    r"normalis\w+": "normalize",
    r"serialis\w+": "serialize",
    r"centre[ds]?": "center",
    r"grey": "gray",
    r"labelled": "labeled",
    r"cancelled": "canceled",
    r"modelled": "modeled",
    r"favour\w*": "favor",
    r"honour\w*": "honor",
    r"catalogue\w*": "catalog",
    r"practise[ds]?": "practice",
    r"licence\w*": "license",
    r"metres?": "meter",
    r"learnt": "learned",
    r"whilst": "while",
    r"prologues": "prologue",
}
TERM = re.compile(r"\b(?:" + "|".join(f"({pattern})" for pattern in TERMS) + r")\b", re.I)


@dataclasses.dataclass(frozen=True)
class Passage:
    """A run of words without code: a paragraph, a comment, a help text."""
    line: int
    text: str


def without_code(text):
    """Markdown's or Doxygen's inline code, links' targets and HTML comments, blanked."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"(`+).*?\1", "`", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"https?://\S+", " ", text)


def markdown(text):
    text = re.sub(r"<!-- written by .*?<!-- end of what .*?-->",
                  lambda made: "\n" * made[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", lambda made: "\n" * made[0].count("\n"), text, flags=re.S)
    start, lines = 1, []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        begins = re.match(r"\s*(?:[-*+]|\d+\.|#+|>|\|) ?|\s*$", line)
        if begins and lines:
            yield Passage(start, " ".join(lines))
            lines = []
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield Passage(number, cell.strip())
            continue
        line = re.sub(r"^\s*(?:[-*+]|\d+\.|#+|>) +", "", line).strip()
        if line:
            start = start if lines else number
            lines.append(line)


def joined(comments):
    """Passages of comments: (line, text) of each line; those that follow each other are one."""
    start, lines, last = 0, [], None
    for number, line in comments:
        if lines and (number != last + 1 or not line):
            yield Passage(start, " ".join(lines))
            lines = []
        if line:
            start = start if lines else number
            lines.append(line)
        last = number
    if lines:
        yield Passage(start, " ".join(lines))


# A string literal or a comment, whichever comes first; raw strings are programs, not messages.
CPP = re.compile(r'R"(\w*)\(.*?\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'|//[/!]?<? ?(.*)|'
                 r"/\*(.*?)\*/", re.S)


def cpp(text):
    comments, strings = [], []
    for token in re.finditer(r'R"(\w*)\((?:.|\n)*?\)\1"|"((?:[^"\\\n]|\\.)*)"|'
                             r"'(?:[^'\\\n]|\\.)'|//[/!]?<? ?([^\n]*)|/\*((?:.|\n)*?)\*/", text):
        line = text.count("\n", 0, token.start()) + 1
        if token[3] is not None:
            comments.append((line, token[3].strip()))
        elif token[4] is not None:
            comments += [(line + i, part.strip(" *")) for i, part in
                         enumerate(token[4].split("\n"))]
        elif token[2]:
            between = text[strings[-1][2]:token.start()] if strings else "x"
            if not between.strip() and strings:  # literals that the compiler joins
                first, words, _ = strings.pop()
                strings.append((first, words + token[2], token.end()))
            else:
                strings.append((line, token[2], token.end()))
    yield from joined(comments)
    for line, words, _ in strings:
        if " " in words:
            yield Passage(line, words)


def python(text):
    comments, strings = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string.lstrip("#! ").strip()))
        elif token.type == tokenize.STRING and re.match(r"f?[\"']", token.string):
            strings.append((token.start[0], token.string))
    yield from joined(comments)
    for line, literal in strings:
        words = literal.lstrip("f").strip("\"'")
        if " " in words and "\\b" not in words:
            yield from joined((line + i, part.strip()) for i, part in
                              enumerate(words.replace("\\n", "\n").split("\n")))


def build(text):
    yield from joined((number, match[1].strip()) for number, match in
                      ((number, re.search(r"(?:^|\s)#(?!\{)!? ?(.*)", line))
                       for number, line in enumerate(text.splitlines(), start=1)) if match)


READERS = {".md": markdown, ".dox": cpp, ".cu": cpp, ".cuh": cpp, ".h": cpp, ".cpp": cpp,
           ".py": python, ".build": build, ".toml": build, ".txt": build}


def sentences(text):
    """Those of a passage, each with the sign that ends it."""
    yield from (part.strip() for part in
                re.findall(r"(?:[^.!?;:]|[.!?;:](?![\s*\"')]|$))+(?:[.!?;:]+|$)", text) if part.strip())


def faults_in(text):
    """What a passage's words have wrong, in words."""
    for phrase in ALLOWED[:3]:
        text = text.replace(phrase, "")
    text = without_code(text)
    found = []
    for sentence in sentences(text):
        if OPENER.match(sentence.lstrip("*_\"'([")) and not sentence.rstrip("*_\"')").endswith("?"):
            found.append(f"opens with '{sentence.split()[0]}': {sentence[:60]}")
    for match in RATE.finditer(text):
        found.append(f"'{match[0]}': rates take 'per'")
    for match in TERM.finditer(text):
        better = list(TERMS.values())[next(i for i, group in enumerate(match.groups()) if group)]
        found.append(f"'{match[0]}': write {better}")
    return found


def is_under(path, patterns):
    return any(pathlib.PurePath(path).match(pattern.replace("/**/*", "/*")) or
               re.match(pattern.replace("**/*", ".*").replace("_*/", "_[^/]*/").replace("*", ".*")
                        if "**" in pattern else re.escape(pattern).replace(r"\*", "[^/]*"), path)
               for pattern in patterns)


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, text=True)
    return [path for path in listed.stdout.splitlines()
            if pathlib.PurePath(path).suffix in READERS and not is_under(path, NOT_OURS + NOT_YET)]


def faults(path, text):
    return [f"{path}:{passage.line}: {fault}"
            for passage in READERS[pathlib.PurePath(path).suffix](text)
            for fault in faults_in(passage.text)]


if __name__ == "__main__":
    paths = sys.argv[1:] or files()
    allf = [f for p in paths for f in faults(p, (ROOT / p).read_text(encoding="utf-8"))]
    print("\n".join(allf)); print(len(allf))
