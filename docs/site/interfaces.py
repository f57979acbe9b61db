"""The reference of the headers in common, as Doxygen makes it."""

import html
import re

import book
import doxygen
import staging
import templates

PAGE = book.Page("interfaces", "Interfaces of common")
# Headers whose interface is described: those that a rung or a program of its own may use.
HEADERS = ["common/device/*.h", "common/harness/*.h", "common/problem/*.h",
           "common/cpu/include/cucpu/trace.h"]
FILE = re.compile(r"(?:class|struct|namespace)(?!es\.|s\.|members)[a-z].*(?<!-members)\.html")
TITLE = re.compile(r"<title>.*?: (.*?)(?: (?:(?:Class|Struct)(?: Template)?|Namespace) Reference)?"
                   "</title>")
# Parts of Doxygen's HTML that only its own style needs, and what stands in their place here.
CHANGES = [(re.compile(pattern, re.S), text) for pattern, text in (
    (r' (?:align|valign)="\w+"', ""),
    (r'(?<=<tr) class="mem(?:item|desc|TemplParams):[^"]*"', ""),
    (r'<a (?:name|id)="([^"]+)"(?: (?:id|name)="[^"]+")?></a>', r'<span id="\1"></span>'),
    (r'<a (?:class="el" )?href="[^"]*">More\.\.\.</a>', ""),
    (r'<h2 class="memtitle"><span class="permalink"><a href="#(\w+)">.*?</a></span>(.*?)</h2>',
     r'<h3 class="member" id="of-\1">\2</h3>'),
    (r'<tr class="separator:.*?</tr>', ""),
    (r'<h2 class="groupheader">Detailed Description</h2>', ""),
    (r'(<tr class="heading">)\s*<td colspan="2"><h2[^>]*>(?:<span[^>]*></span>)?\s*(.*?)</h2></td>'
     r"\s*</tr>", r'\1<th colspan="2">\2</th></tr>'),
    (r'<h2 class="groupheader">(?:<span[^>]*></span>)?\s*(.*?)\s*</h2>',
     lambda match: f'<h2 id="{staging.slug_of(match[1])}">{match[1]}</h2>'))]


def stage(folder):
    """Copies the headers there; all comments are for Doxygen, plain ones before and behind
    declarations, too."""
    names = []
    for header in [path for pattern in HEADERS for path in sorted(book.ROOT.glob(pattern))]:
        text = header.read_text(encoding="utf-8")
        if "///" not in text:
            text = text[text.index("#pragma once"):]
            text = re.sub(r"^( *)// (.*)$", r"\1/// \2", text, flags=re.M)
            text = re.sub(r"(?<=[;,])  // (.*)$", r"  ///< \1", text, flags=re.M)
        names.append(folder / header.relative_to(book.ROOT))
        names[-1].parent.mkdir(parents=True, exist_ok=True)
        names[-1].write_text(text, encoding="utf-8")
    return names


def pages(raw):
    """[(page, body)]"""
    made, files = [], [file for file in sorted(raw.glob("*.html")) if FILE.fullmatch(file.name)]
    kept = {file.stem for file in files}
    for file in files:
        title = TITLE.search(file.read_text(encoding="utf-8"))[1]
        body = doxygen.body_of(file)
        for pattern, text in CHANGES:
            body = pattern.sub(text, body)
        body = re.sub(r'<a class="el" href="([\w-]+)\.html(?:#\w*)?">(.*?)</a>',
                      lambda match: match[0] if match[1] in kept else match[2], body)
        made.append((book.Page(file.stem, html.unescape(title), kind="interface", parent=PAGE.name),
                     doxygen.tables(body)))
    return made


def brief_of(body):
    """Doxygen's first sentence on a class or namespace."""
    found = re.match(r"\s*<p>(.*?)</p>", body, re.S) or \
        re.search(r'<div class="textblock">\s*<p>(.*?)</p>', body, re.S)
    said = re.sub(r"<a .*?</a>", "", found[1]) if found else ""
    said = re.sub(r"<(?!/?code>)[^>]+>", "", said).strip()
    return templates.safe("" if said.startswith("#include") or said == "<code></code>" else said)
