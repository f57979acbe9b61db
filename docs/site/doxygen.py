"""Doxygen: its settings, and its HTML as the site has it."""

import pathlib
import re
import subprocess

import staging

SETTINGS = pathlib.Path(__file__).resolve().parent / "Doxyfile"
OWN_LABEL = re.compile(r'<a class="anchor" id="md_[^"]*"></a>')
HEADING = re.compile(r'<h([1-4])><a class="anchor" id="p_\w+--([\w-]+)"></a>\s*(.*?)\s*</h\1>', re.S)
TABLE = re.compile(r'<table class="(?:markdownTable|memberdecls|memname|params)">.*?</table>', re.S)
# The cells of a column of numbers, with their units: 3425, 12 %, 8192 × 4, 4/8, 73.7k → 18.4k, +41 −13.
_ONE = r"[+−]?\d[\d.,^²³]*(?:/\d[\d.,]*)*[kM]?"
_UNIT = r"(?:×|%|ms|µs|[GT]B/s|[GT]FLOP/s|bytes|sectors|wavefronts)"
NUMBER_CELL = re.compile(rf"(?:{_ONE}(?: (?:[×→] )?{_ONE})*(?: ?{_UNIT})?|-|)"
                         r"(?:<br>ncu: [\d, ×.]+\(\d\))?")


def run(folder, names, out):
    """Makes the files `names` of the folder into HTML."""
    paths = {"@INCLUDE": [SETTINGS], "INPUT": names, "OUTPUT_DIRECTORY": [out],
             "STRIP_FROM_PATH": [folder], "STRIP_FROM_INC_PATH": [folder / "common"]}
    settings = "".join(" ".join([name, "=", *(f'"{path}"' for path in all_paths)]) + "\n"
                       for name, all_paths in paths.items())
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True,
                          cwd=folder)
    if done.returncode != 0 or done.stderr.strip():
        raise staging.Fault(done.stderr.replace(f"{folder}/", "").strip())


def body_of(file):
    text = file.read_text(encoding="utf-8")
    return re.search(r'<div class="(?:contents|textblock)">(.*)</div><!-- contents -->', text, re.S)[1]


def text_of(file):
    """The HTML of a page's text."""
    body = tables(body_of(file)).replace('<div class="textblock">', "").replace("<p >", "<p>")
    body = OWN_LABEL.sub("", re.sub(r"</div>\s*$", "", body))
    return HEADING.sub(lambda match: f'<h{int(match[1]) + 1} id="{match[2]}">{match[3]}'
                       f"</h{int(match[1]) + 1}>", body)


def tables(body):
    """Tables scroll by themselves where they are too wide, and have numbers at the right."""
    def table(match):
        text = re.sub(r' class="markdownTable\w*"', "", match[0]).replace("; ncu: ", "<br>ncu: ")
        text = re.sub(r"\s+(?=</t[hd]>)", "", text)
        # A head that says nothing is a cell like others.
        text = re.sub(r"<th>\s*</th>", "<td></td>", text)
        rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.S)
                for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
        columns = [[cell.strip() for cell in column] for column in zip(*rows[1:])]
        # A class of the table, not of each cell: some have a thousand rows.
        numeric = [f"n{i}" for i, column in enumerate(columns, 1)
                   if any(column) and all(map(NUMBER_CELL.fullmatch, column))]
        if numeric:
            text = text.replace("<table", f'<table class="{" ".join(numeric)}"', 1)
        return f'<div class="table" tabindex="0">{text}</div>'
    return TABLE.sub(table, body)
