"""Doxygen makes HTML of the pages' prose, and the reference of the headers in common."""

import re
import shutil
import xml.etree.ElementTree as xml

import book
import tools

# Headers that a rung or a program of its own may use; the reference describes these.
HEADERS = ["common/device/*.h", "common/harness/*.h", "common/problem/*.h",
           "common/cpu/include/cucpu/trace.h"]
REFERENCE = book.Page("interfaces", "Interfaces of common")
HEADING = re.compile(r'<h([1-4])><a class="anchor" id="p_\w+--([\w-]+)"></a>\s*(.*?)\s*</h\1>', re.S)
TABLE = re.compile(r'<table class="markdownTable">.*?</table>', re.S)
# The cells of a column of numbers, with their units: 3425, 12 %, 8192 × 4, 4/8, 73.7k → 18.4k, +41 −13.
_ONE = r"[+−]?\d[\d.,^²³]*(?:/\d[\d.,]*)*[kM]?"
_UNIT = r"(?:×|%|ms|µs|[GT]B/s|[GT]FLOP/s|bytes|sectors|wavefronts)"
NUMBER_CELL = re.compile(rf"(?:{_ONE}(?: (?:[×→] )?{_ONE})*(?: ?{_UNIT})?|-|)"
                         r"(?:<br>ncu: [\d, ×.]+\(\d\))?")


def run(folder):
    """Has Doxygen read the folder, and write into it: html and xml."""
    tools.run("doxygen", tools.HERE / "Doxyfile", folder=folder, may_warn=False)


def text_of(page, folder):
    """The HTML of a page's text."""
    made = (folder / "html" / f"p_{page.name}.html").read_text(encoding="utf-8")
    body = re.search(r'<div class="textblock">(.*)</div>\s*</div><!-- contents -->', made, re.S)[1]
    body = re.sub(r'<p ?>(?:<a class="anchor" id="md_[^"]*"></a> )?', "<p>", TABLE.sub(table, body))
    return HEADING.sub(lambda match: f'<h{int(match[1]) + 1} id="{match[2]}">{match[3]}'
                       f"</h{int(match[1]) + 1}>", body)


def table(match):
    """A table scrolls by itself where it is too wide, and has numbers at the right."""
    text = re.sub(r' class="markdownTable\w*"', "", match[0]).replace("; ncu: ", "<br>ncu: ")
    text = re.sub(r"\s+(?=</t[hd]>)", "", text)
    # A head that says nothing is a cell like others.
    text = re.sub(r"<th>\s*</th>", "<td></td>", text)
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.S)
            for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
    # A class of the table, not of each cell: some have a thousand rows.
    numeric = [f"n{i}" for i, column in enumerate(zip(*rows[1:]), 1)
               if any(column) and all(map(NUMBER_CELL.fullmatch, column))]
    if numeric:
        text = text.replace("<table", f'<table class="{" ".join(numeric)}"', 1)
    return f'<div class="table" tabindex="0">{text}</div>'


# --- the reference --------------------------------------------------------------------------------


def stage_headers(folder):
    """Copies the headers there; all comments are for Doxygen, plain ones before and behind
    declarations, too."""
    for header in [path for pattern in HEADERS for path in sorted(book.ROOT.glob(pattern))]:
        text = header.read_text(encoding="utf-8")
        if "///" not in text:
            text = text[text.index("#pragma once"):]
            text = re.sub(r"^( *)// (.*)$", r"\1/// \2", text, flags=re.M)
            text = re.sub(r"(?<=[;,])  // (.*)$", r"  ///< \1", text, flags=re.M)
        copy = folder / header.relative_to(book.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    shutil.copy(book.DOCS / "pages" / "interfaces.dox", folder)


def reference(folder):
    """{name: (page, XML)} of the namespaces and classes that have a description."""
    found = [one for path in sorted((folder / "xml").glob("*.xml"))
             for one in xml.parse(path).iter("compounddef")]
    return {one.get("id"): (book.Page(one.get("id"), one.findtext("compoundname"), kind="interface",
                                      parent=REFERENCE.name), one)
            for one in found if one.get("kind") in ("namespace", "class", "struct") and
            "".join(one.find("briefdescription").itertext()).strip()}
