"""The reference of the headers in common, as Doxygen has made it."""

import re

import staging
import templates


def group_heading(text):
    return f'<h2 id="{staging.slug_of(text)}">{text}</h2>'


def interface(body):
    """Doxygen's reference of a class, file or namespace, without what only its own style needs."""
    body = re.sub(r'<div class="summary">.*?</div>', "", body, flags=re.S)
    body = re.sub(r' (?:align|valign)="\w+"', "", body)
    body = re.sub(r'(?<=<tr) class="mem(?:item|desc|TemplParams):[^"]*"', "", body)
    body = re.sub(r"<p>The documentation for this (?:class|struct) was generated.*", "", body,
                  flags=re.S)
    body = re.sub(r'<a name="([^"]+)"(?: id="[^"]+")?></a>', r'<span id="\1"></span>', body)
    body = re.sub(r'<a id="([^"]+)"(?: name="[^"]+")?></a>', r'<span id="\1"></span>', body)
    body = re.sub(r'<a href="[^"]*">More\.\.\.</a>', "", body)
    body = re.sub(r'<a class="el" href="[^"]*">More\.\.\.</a>', "", body)
    body = re.sub(r'<h2 class="memtitle"><span class="permalink"><a href="#(\w+)">.*?</a></span>'
                  r"(.*?)</h2>", r'<h3 class="member" id="of-\1">\2</h3>', body, flags=re.S)
    body = re.sub(r"<hr ?/?>", "", body)
    body = re.sub(r'<h2 class="groupheader">(.*?)</h2>', lambda m:
                  group_heading(re.sub("<[^>]+>", "", m[1]).strip()), body, flags=re.S)
    body = re.sub(r'<tr class="heading">\s*<td colspan="2">(.*?)</td>\s*</tr>', lambda m:
                  f'<tr class="heading"><th colspan="2">{re.sub("<[^>]+>", "", m[1])}</th></tr>',
                  body, flags=re.S)
    body = re.sub(r'<tr class="separator:.*?</tr>', "", body, flags=re.S)
    return re.sub(r'<h2 id="detailed-description">.*?</h2>', "", body)


def brief_of(body):
    """Doxygen's first sentence on a class or namespace."""
    found = re.match(r"\s*<p>(.*?)</p>", body, re.S) or \
        re.search(r'<div class="textblock">\s*<p>(.*?)</p>', body, re.S)
    said = re.sub(r"<a .*?</a>", "", found[1]) if found else ""
    said = re.sub(r"<(?!/?code>)[^>]+>", "", said).strip()
    return "" if said.startswith("#include") or said == "<code></code>" else said


def interfaces_index(listed, briefs):
    """Classes under their namespaces."""
    spaces = {page.title: page for page, _ in listed if page.name.startswith("namespace")}
    return templates.part("interfaces", [
        (space, staging.slug_of(title), templates.safe(briefs[space.name]),
         [(page, templates.safe(briefs[page.name])) for page, _ in listed
          if page.name.startswith(("class", "struct")) and page.title.rpartition("::")[0] == title])
        for title, space in spaces.items()])
