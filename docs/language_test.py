#!/usr/bin/env python3
"""The language of READMEs, pages, comments, help texts and messages: banned openers and terms.

    language_test.py [PATH...]    default: every text of the repository

A sentence that opens with "Of", "What" or "Where" hides its subject behind a clause: turn it
round. A question may open so. Rates take "per", and things have the names of the field: TERMS says which.
"""

import dataclasses
import io
import pathlib
import re
import sys
import tokenize
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "common"))
from source_files import in_folder, of_git, source_files  # noqa: E402


# Folders that are still to be gone through, as regular expressions.
PATHS = []  # from the command line: only these
NOT_YET = ()
# Made by programs out of texts that are checked themselves; and this file, which names all faults.
NOT_OURS = ("docs/results/*", "docs/language_test.py")

# Phrases that are right as they are: headings that every chapter has, and a term's full name.
ALLOWED = ("What you can do now", "What stalls now", "What limits us now", "streaming multiprocessor")

OPENER = re.compile(r"(?:Of|What|Where)\b")
UNITS = ("atomics|barriers|blocks|bytes|columns|cycles|elements|floats|FMAs|instructions|lines?|MB|"
         "GB|messages|objects?|operations|outputs|packs|rows|sectors|sentences?|table|threads|"
         "tiles|values|warps|wavefronts|words")
# Words that are verbs, too: "loads a row" is no rate.
VERBS = "loads|stores|sums|shuffles|launches|requests|accesses|turns"
RATE = re.compile(
    rf"\b(?:(?:{UNITS}) (?:a|an) (?:block|byte|copy|cycle|element|file|FMA|k|kernel|lane|launch|"
    r"line|load|pack|request|round|row|second|sector|slice|step|store|stride|thread|tile|turn|warp|"
    r"wavefront|word)|"
    rf"(?:\d|one|two|three|four|eight) (?:{VERBS}) an? "
    r"(?:thread|lane|warp|FMA|request|k|element)|"
    r"(?<![Ss]tep )(?:\d+|two|three|four|eight) an? "
    r"(?:block|element|kernel|lane|row|thread|warp))\b")
# A term that is not the field's, or not American spelling: what to write instead.
TERMS = {
    r"copy engines?": "TMA (a copy engine is CUDA's name for a DMA engine)",
    r"multiprocessors?": "SM (once: \"streaming multiprocessor\")",
    r"neighbour\w*": "neighbor",
    r"colour\w*": "color",
    r"behaviour\w*": "behavior",
    r"(?:un)?initialis\w+": "initialize",
    r"optimis(?!t)\w+": "optimize",
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
    r"but for": "except",
    r"data sheets?": "datasheet",
    r"shall": "must, or will",
    r"(?:held|holds?)(?: \w+)? against": "compare with",
    r"less than (?:\d+|two|three|four|eight) (?:blocks|elements|lanes|rows|threads|warps)":
        "fewer than",
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
    text = re.sub(r"\{[^{}]*\}", " ", text)  # values in a message
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


# A string literal or a comment, whichever comes first. Raw strings are programs, not messages; only
# constants with the names in HELP are texts.
CPP = re.compile(r'R"(\w*)\(((?:.|\n)*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|'
                 r"'(?:[^'\\\n]|\\.)'|//[/!]?<? ?([^\n]*)|/\*((?:.|\n)*?)\*/")
HELP = re.compile(r"\bk(?:Help|Explanation)\b[^;=]*=\s*$")


def cpp(text):
    comments, strings = [], []
    for token in CPP.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if token[2] is not None:
            if HELP.search(text, 0, token.start()):
                yield from joined((line + i, part.strip()) for i, part in
                                  enumerate(token[2].split("\n")))
        elif token[4] is not None:
            comments.append((line, token[4].strip()))
        elif token[5] is not None:
            comments += [(line + i, part.strip(" *")) for i, part in
                         enumerate(token[5].split("\n"))]
        elif token[3]:
            between = text[strings[-1][2]:token.start()] if strings else "x"
            if not between.strip() and strings:  # literals that the compiler joins
                first, words, _ = strings.pop()
                strings.append((first, words + token[3], token.end()))
            else:
                strings.append((line, token[3], token.end()))
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


# The keys of ladder.toml and questions.toml that readers see.
PROSE = re.compile(r'^(?:idea|title|ask|answer) = ("""(?:.|\n)*?"""|".*")$', re.M)


def toml(text):
    yield from build(text)
    for match in PROSE.finditer(text):
        yield Passage(text.count("\n", 0, match.start()) + 1,
                      match[1].replace("\\\n", " ").strip('"'))


READERS = {".md": markdown, ".dox": cpp, ".cu": cpp, ".cuh": cpp, ".h": cpp, ".cpp": cpp,
           ".py": python, ".build": build, ".toml": toml, ".txt": build}


def sentences(text):
    """Those of a passage, each with the sign that ends it."""
    for part in re.findall(r"(?:[^.!?;:]|[.!?;:](?![\s*\"')]|$))+(?:[.!?;:]+|$)", text):
        if part.strip():
            yield part.strip()


def faults_in(text):
    """The faults of a passage."""
    for phrase in ALLOWED:
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
    return any(pathlib.PurePath(path).match(pattern) for pattern in patterns)


def is_waiting(path):
    return any(re.match(pattern, path) for pattern in NOT_YET)


def files():
    return [path for path in source_files(ROOT)
            if pathlib.PurePath(path).suffix in READERS and not is_under(path, NOT_OURS) and
            not is_waiting(path)]


def faults(path, text):
    return [f"{path}:{passage.line}: {fault}"
            for passage in READERS[pathlib.PurePath(path).suffix](text)
            for fault in faults_in(passage.text)]


class Language(unittest.TestCase):
    def test_texts(self):
        found = [fault for path in PATHS or files()
                 for fault in faults(path, (ROOT / path).read_text(encoding="utf-8"))]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_it_finds_the_same_files_without_git(self):
        found = set(in_folder(ROOT))
        self.assertLessEqual(set(of_git(ROOT) or ()) & set(source_files(ROOT)), found)
        self.assertFalse([name for name in found if name.endswith(("build.ninja", ".pyc"))])

    def test_it_reads_all_kinds_of_files(self):
        read = files()
        for path in ("README.md", "docs/pages/glossary.md", "common/harness/step.cpp",
                     "common/harness/step.h", "common/device/roof.cu", "steps/ladder.py",
                     "meson.build", "steps/instructions/cluster.cuh", "steps/ladder.toml"):
            self.assertIn(path, read)
        self.assertGreater(len(read), 200)

    def found(self, path, text):
        return [fault.split(": ", 1)[1] for fault in faults(path, text)]

    def test_openers_are_found(self):
        text = "What it gains is control. It is so.\n"
        for path, planted in {
                "a.md": f"# Title\n\nThis is right.\n{text}", "b.md": f"- {text}",
                "c.md": f"| name | {text.strip()} |\n", "a.cu": f"// {text}int i;\n",
                "b.h": f"int i;  ///< {text}", "c.cpp": f"/* Right.\n * {text} */\n",
                "d.cpp": f'print("{text.strip()}\\n");\n', "a.py": f"# {text}",
                "b.py": f'"""{text}"""\n', "meson.build": f"x = 1  # {text}",
                "e.h": f'constexpr const char* kHelp = R"(usage: x\n\n{text})";\n',
                "a.toml": f'ask = """It is so. {text.strip()} \\\nIt is."""\n',
                "b.toml": f'[[rung]]\nidea = "{text.strip()}"\n'}.items():
            with self.subTest(path=path):
                [fault] = self.found(path, planted)
                self.assertIn("opens with 'What'", fault)
        both = "Of all kernels it is first. Where it is, is open.\n"
        self.assertEqual(len(self.found("a.md", both)), 2)

    def test_questions_and_code_are_no_fault(self):
        for text in ("What is a warp?\n", "Where, then, does it go?\n", "```\nWhat it is.\n```\n",
                     "## What limits us now\n", "Know `What` it is.\n", "Office hours.\n",
                     "<!-- written by x.py -->\nOf old.\n<!-- end of what x.py wrote -->\n"):
            self.assertEqual(self.found("a.md", text), [], text)
        self.assertEqual(self.found("a.py", "WHAT = re.compile('What')\n"), [])
        self.assertEqual(self.found("a.cpp", 'const auto kProgram = R"(What it is.)";\n'), [])
        self.assertEqual(self.found("a.toml", 'value = "What it is."\n'), [])

    def test_rates_and_terms_are_found(self):
        for words, says in (("4 sectors a request", "per"), ("8 bytes a lane", "per"),
                            ("two loads a thread", "per"),
                            ("each multiprocessor", "SM"), ("The copy engine waits", "TMA"),
                            ("a neighbouring word", "neighbor"), ("its colour", "color"),
                            ("elements a copy", "per"), ("one object a stride", "per"),
                            ("barriers, two a row", "per"), ("8x8 elements, 64 a thread", "per"),
                            ("all but for one", "except"), ("the data sheet says so", "datasheet"),
                            ("it shall be full", "must"), ("hold it against the roof", "compare"),
                            ("counts held against those", "compare"),
                            ("blocks of less than 64 threads", "fewer")):
            [fault] = self.found("a.md", f"Here: {words}.\n")
            self.assertIn(says, fault)
        for words in ("a streaming multiprocessor (SM)", "4 sectors per request",
                      "It waits a second", "A warp loads a row", "In step 04 a block is large",
                      "less than 64 KiB", "a hold, and against that"):
            self.assertEqual(self.found("a.md", f"{words}.\n"), [], words)

    def test_waiting_files_are_there(self):
        """An entry of NOT_YET without a file can go."""
        for pattern in NOT_YET:
            self.assertTrue(any(re.match(pattern, path) for path in source_files(ROOT)), pattern)


if __name__ == "__main__":
    PATHS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
