"""Source files with their prose beside the code, and what the chapters quote of them."""

import functools
import html
import re

import book
import diffs
import highlight
import sources
import staging
import templates

COMMENT = re.compile(r"^\s*(?://|#)(?!\w)(.*)$")
# Files of every step that say little a reader wants; they have a page where a text links to them.
UNREAD = ("main.cu", "test.cu", "claims.cu", "code.toml")
SOURCES = (".cu", ".cuh", ".h", ".cpp", ".py", ".toml")


def page_of(path, parent, step_name=""):
    source = str(path.relative_to(book.ROOT))
    return book.Page(sources.page_name(path), path.name, source, "", "code", parent=parent,
                     step=step_name, heading=source.removeprefix("steps/"))


def pages():
    of_steps = {}
    for step in book.steps():
        for path in sources.own_files(step.name):
            if path.name in UNREAD:
                continue
            of_steps.setdefault(path, page_of(path, step.page, step.name))
    return [*of_steps.values(), *(page_of(path, "sources") for path in sources.instruction_files())]


def dedent(text):
    lines = text.rstrip("\n").split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines) + "\n"


def excerpt(page, text):
    """A chapter's block of C++: an excerpt of its step's sources, and where it stands there."""
    found = sources.find_excerpt(page.step, text)
    if found is None:
        raise staging.Fault(f"{page.source}: not in the step's sources:\n{text}")
    path, first = found
    last = first + text.rstrip("\n").count("\n")
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    # On the page of a source, comments stand beside the code, and have no numbers.
    code = next((number for number, line in enumerate(text.splitlines(), first)
                 if line.strip() and not COMMENT.match(line)), None)
    place = f"#L{code}" if code else ""
    caption = (f'<a href="{sources.page_name(path)}.html{place}">{path.name}</a>'
               f'<span>{where}</span>')
    return staging.code_block(dedent(text), "cpp", caption)


def make(page, arguments):
    """<!-- excerpt STEP FILE N -->: what the step's chapter quotes N-th of a file."""
    step_name, name, number = arguments
    step = book.step(step_name)
    readme = step.readme.read_text(encoding="utf-8")
    quoted = []
    for match in staging.FENCE.finditer(readme):
        found = sources.find_excerpt(step_name, match[3]) if match[2] == "cpp" else None
        if found and found[0] == step.folder / name:
            quoted.append(match[3])
    if not 1 <= int(number) <= len(quoted):
        raise staging.Fault(f"{page.source}: the chapter {step_name} quotes {name} {len(quoted)} times, "
                            f"not {number}")
    return excerpt(book.Page(step_name, "", "", "", "step", step=step_name), quoted[int(number) - 1])


# --- a source page ---------------------------------------------------------------------------------


def inline(text):
    """Markdown inside a paragraph, as comments and chapters use it."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


def prose(lines):
    """The lines of a comment as paragraphs."""
    paragraphs, current = [], []
    for line in [*lines, ""]:
        # Indented lines are an example, or go on with an item of a list.
        in_item = bool(current) and re.match(r"\d+\.|- ", current[0])
        if line.strip() and (in_item or not line.startswith("  ")):
            if re.match(r"\d+\. |- ", line) and current:
                paragraphs.append(f"<p>{inline(' '.join(current))}</p>")
                current = []
            current.append(line.strip())
            continue
        if current:
            paragraphs.append(f"<p>{inline(' '.join(current))}</p>")
        current = []
        if line.strip():
            if paragraphs and paragraphs[-1].startswith("<pre"):
                paragraphs[-1] = paragraphs[-1][:-6] + "\n" + html.escape(line) + "</pre>"
            else:
                paragraphs.append(f'<pre tabindex="0">{html.escape(line)}</pre>')
    return "".join(paragraphs)


@functools.cache
def chapters_of(step_name):
    """The texts about a step, as they are written."""
    return [page for page in (*book.chapters_in_order(), *book.further_pages())
            if step_name and page.step == step_name]


def quoted_in(path, step_name):
    """{first line: (page, heading, paragraph)} of what the chapter says of parts of a file."""
    notes = {}
    for page in chapters_of(step_name):
        notes = {**quoted_by(page, path), **notes}
    return notes


def quoted_by(page, path):
    text, notes = page.text, {}
    for match in staging.FENCE.finditer(text):
        if match[2] != "cpp":
            continue
        found = sources.find_excerpt(page.step, match[3])
        if found is None or found[0] != path:
            continue
        heading = re.findall(r"^## (.+)$", text[:match.start()], re.M)
        before = text[:match.start()].rstrip().split("\n\n")[-1]
        after = text[match.end():].lstrip("\n").split("\n\n")[0]
        said = [one for one in (before, after)
                if not re.match(r"[#|<`]", one) and len(one.split()) > 4]
        # Text that leads up to an excerpt ends in a colon; else the text that follows explains it.
        best = said[0] if said and before.endswith(":") and before in said else (said or [""])[-1]
        best = re.sub(r"^- ", "", re.split(r"\n- ", best)[0])
        notes.setdefault(found[1], (page.name, heading[-1], best))
    return notes


def parts_of(path, step_name):
    """[(comment lines, note of the chapter, first line, code lines)]"""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    notes = quoted_in(path, step_name)
    parts, comment, code, first, note = [], [], [], 1, None

    def close(next_line):
        nonlocal comment, code, first, note
        if comment or any(line.strip() for line in code):
            parts.append((comment, note, first, code))
        comment, code, first, note = [], [], next_line, None

    for number, line in enumerate(lines, 1):
        found = COMMENT.match(line)
        is_comment = found is not None and not line.lstrip().startswith(("#include", "#pragma"))
        if is_comment:
            if code:
                close(number)
            comment.append(found[1][1:] if found[1].startswith(" ") else found[1])
            first = number + 1
        else:
            if number in notes and code and any(one.strip() for one in code):
                close(number)
            if number in notes:
                note = notes[number]
            code.append(line)
    close(len(lines) + 1)
    return parts


def code_lines(first, lines, language, costs):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    while lines and not lines[0].strip():
        lines, first = lines[1:], first + 1
    if not lines:
        return ""
    out = []
    for offset, tokens in enumerate(highlight.lines_of("\n".join(lines), language)):
        number = first + offset
        text = "".join(highlight.colored(*token) for token in tokens)
        cost = costs.get(number)
        chip = f'<span class="cost">{cost}</span>' if cost else ""
        out.append(f'<span id="L{number}">{text or " "}{chip}</span>')
    # CSS counts the lines on from here.
    return (f'<pre tabindex="0"><code style="counter-reset:line {first - 1}">{"".join(out)}</code>'
            "</pre>")


def body(page):
    path = book.ROOT / page.source
    language = {".toml": "toml", ".py": "python"}.get(path.suffix, "cpp")
    costs = line_costs(path)
    rows = []
    for comment, note, first, lines in parts_of(path, page.step):
        side = prose(comment)
        if note is not None:
            chapter, heading, paragraph = note
            slug = staging.slug_of(heading)
            side += (f'<div class="quoted"><p>{inline(" ".join(paragraph.split()))}</p>'
                     f'<p><a href="{chapter}.html#{slug}">{inline(heading)}</a></p></div>')
        rows.append(f'<div class="side">{side}</div>'
                    f'<div class="code">{code_lines(first, lines, language, costs)}</div>')
    said = ""
    if costs:
        said = ('<p class="hint">Beside a line: what each request of a warp costs there, counted on '
                'the CPU.</p>')
    owner = "Back"
    if page.step:
        step = book.step(page.step)
        owner = f"step {step.number}" if step.is_whole else step.name
    return (f'<p class="hint"><code>{html.escape(page.source)}</code> · '
            f'<a href="{page.parent}.html">{owner}</a></p>{said}'
            f'<div class="beside">{"".join(rows)}</div>{diffs.below_source(path)}')


def line_costs(path):
    """{line: text} as the recorded traces have it."""
    name = str(path.relative_to(book.ROOT))
    costs = {}
    if not (book.RESULTS / "traces.jsonl").exists():
        return costs
    for trace in book.recorded("traces"):
        for line in trace.get("lines", []):
            if line["file"] == name:
                costs.setdefault(line["line"], []).extend(
                    one for one in line["costs"] if one not in costs.get(line["line"], []))
    return {line: "; ".join(texts) for line, texts in costs.items()}


def index(code_pages):
    """All source pages, step by step."""
    ideas = {sources.path_of(variant): variant.idea for variant in book.manifest().variants}

    def listed(pages):
        return [(page, ideas.get(book.ROOT / page.source, "")) for page in pages]

    parts = [(step.name, f"{step.number if step.is_whole else ''} {step.title}".strip(), "",
              listed(page for page in code_pages if page.step == step.name)) for step in book.steps()]
    parts.append(("instructions", "Instructions", "Functions that are a single instruction each, for the "
                  "kernels of several steps.", listed(page for page in code_pages
                                                      if page.parent == "sources")))
    return templates.part("sources", parts)


# --- what Doxygen made of headers -------------------------------------------------------------------


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
