"""The entries of the search: terms of the glossary, sections of pages, kernels, functions, faults. Each
is [kind, page, number and title of that page, anchor, name, text]; the script has them in groups, so that
what they share is there once: [kind, page, number, title, [[anchor, name, text], ...]].

docs/theme/search.js ranks the entries with MiniSearch, which npm installs in docs/site.
"""

import itertools
import operator
import re

import book
import faults
import sources
import templates
import tools

PACKAGES = tools.HERE / "node_modules"
LIBRARY = PACKAGES / "minisearch" / "dist" / "umd" / "index.js"
STEMMER = PACKAGES / "stemmer" / "index.js"
LICENSES = {"MiniSearch": PACKAGES / "minisearch" / "LICENSE.txt",
            "stemmer": PACKAGES / "stemmer" / "license"}
# An exercise is found by its statement, not by what its author made of it.
UNTOLD = {"the-skeleton", "hints", "solutions"}


def plain(fragment):
    """The words of a piece of a page; not those of diffs, recorded tables and drawings."""
    fragment = re.sub(r'<div class="(?:diff|change|table figures)".*?</table>.*?</div>', " ",
                      fragment, flags=re.S)
    fragment = re.sub(r"<(svg|button|annotation)\b.*?</\1>", " ", fragment, flags=re.S)
    return templates.plain(re.sub(r"</(?:td|th|p|li|div|h\d|tr|dt|dd)>|<br ?/?>|&#160;", " ", fragment))


def sections(body):
    """[(anchor, heading, text)]; the text before the first heading has neither."""
    parts = re.split(r'<h[23] id="([^"]+)">(.*?)</h[23]>', body, flags=re.S)
    return zip(["", *parts[1::3]], map(plain, ["", *parts[2::3]]), map(plain, parts[0::3]))


def terms(body):
    """[(anchor, term, definition)] of the glossary."""
    found = re.findall(r'<a id="([^"]+)"></a>\s*<b>(.*?)</b>(.*?)</p>', body, re.S)
    return [(anchor, plain(term), plain(text).lstrip(": ")) for anchor, term, text in found]


def of_page(page, body):
    if page.name == "glossary":
        return [["term", page.name, "", "", *one] for one in terms(body)]
    found = list(sections(body))
    if page.kind == "interface":
        found = found[:1]  # "Functions", and the like, are on every one of them
    # Tables of exercises, which are found themselves.
    untold = [step.name for step in book.steps()] if page.name == "exercises" else \
        UNTOLD if page.kind == "exercise" else []
    # Tables, and names of the code, are found by their headings alone.
    length = 120 if page.kind in ("results", "interface") else None
    return [[page.kind, page.name, page.number, page.title if heading else "", anchor,
             heading or page.title, text[:length]]
            for anchor, heading, text in found if anchor not in untold]


def of_code(code_pages):
    """Kernels and functions, each where its code is."""
    for page in code_pages:
        path = book.ROOT / page.source
        # The first of several of one name.
        own = {one.name: one for one in reversed(sources.functions(path)) if path.suffix == ".cuh"}
        for one in reversed(own.values()):
            yield ["kernel" if one.is_kernel else "function", page.name, "",
                   page.heading.partition("/")[0], f"L{one.first}", one.name,
                   f"{sources.ideas().get(path, '')} {one.comment}".strip()]


def of_faults():
    """The kernels that are wrong on purpose, except those that the reader is to find."""
    return [["fault", f"wrong_{line['step']}", "", "Wrong on purpose", line["twin"], line["twin"],
             line["fault"].replace("`", "")]
            for line in faults.twins() if line["twin"] != faults.wrong_twins.FIND_ME]


def assets(out, written, code_pages):
    entries = [one for page, body in written if page.kind != "code" for one in of_page(page, body)]
    groups = itertools.groupby([*entries, *of_code(code_pages), *of_faults()],
                               operator.itemgetter(slice(4)))
    script = tools.script("searchEntries", [[*shared, [one[4:] for one in group]]
                                            for shared, group in groups])
    (out / "search-entries.js").write_text(script, encoding="utf-8")
    (out / "search-library.js").write_text(library(), encoding="utf-8")


def library():
    """MiniSearch and the stemmer as one script; the stemmer comes as a module, which a page on the
    disk cannot load."""
    told = "".join(f"{name}\n{path.read_text(encoding='utf-8').strip()}\n\n"
                   for name, path in LICENSES.items())
    minisearch = re.sub(r"^(?://# sourceMappingURL=.*$| */\*\*(?s:.*?)\*/\n)", "",
                        LIBRARY.read_text(encoding="utf-8"), flags=re.M)
    stemmer = STEMMER.read_text(encoding="utf-8").replace(
        "export function stemmer", "globalThis.stemmer = function stemmer")
    return f"/*\n{told}*/\n{minisearch}\n(() => {{\n{stemmer}\n}})();\n"
