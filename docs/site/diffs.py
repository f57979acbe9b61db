"""Rungs side by side with those that they grow from: what changes, what that costs, what it buys."""

import dataclasses
import difflib
import functools
import html
import itertools
import re

import book
import highlight
import sources
import staging
import templates
import ladder_changes  # of steps/, which book puts on the path

CONTEXT = 2
MOST_INLINE = 80_000  # characters of diffs in a chapter; the others are on their rungs' own pages


@dataclasses.dataclass(frozen=True)
class Line:
    text: str
    number: int = None  # in its file
    file: str = ""      # a header, whose lines are shown in the place of its #include


def lines_of(functions):
    """Functions one after the other, with an empty line between two."""
    return [Line(text, number) for number, text in sources.text_of(functions)]


def words(line):
    return re.findall(r"\w+|\s+|[^\w\s]", line)


def marked(line, changed):
    """Highlighted; the characters at `changed` are in <mark>."""
    result, position, open_mark = [], 0, False
    for text, name in highlight.tokens(line, "cpp"):
        # As few pieces as there are changes of color or mark.
        for is_changed, part in itertools.groupby(
                text, lambda _, at=itertools.count(position): next(at) in changed):
            if is_changed != open_mark:
                result.append("<mark>" if is_changed else "</mark>")
                open_mark = is_changed
            result.append(highlight.colored("".join(part), name))
        position += len(text)
    return "".join(result) + ("</mark>" if open_mark else "")


def changed_words(before, after):
    """The positions of the characters of words that differ, on either side."""
    a, b = words(before), words(after)
    left, right = set(), set()
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, a, b, False).get_opcodes():
        if tag != "equal":
            for found, parts, first, last in ((left, a, a0, a1), (right, b, b0, b1)):
                start = len("".join(parts[:first]))
                changed = "".join(parts[first:last])
                # How far a line is indented is no news.
                indent = len(changed) - len(changed.lstrip()) if first == 0 else 0
                found.update(range(start + indent, start + len(changed)))
    for found, line in ((left, before), (right, after)):
        # Nor are the spaces between words that all changed apart from these.
        found.update(at for space in re.finditer(" +", line) for at in range(*space.span())
                     if space.start() - 1 in found and space.end() in found)
    return left, right


def is_alike(before, after):
    return difflib.SequenceMatcher(None, words(before.strip()), words(after.strip()),
                                   False).ratio() >= 0.5


def pairs(before, after):
    """Lines of a change put beside each other where they are alike, in order."""
    rows, j = [], 0
    for i, line in enumerate(before):
        mate = next((k for k in range(j, len(after)) if is_alike(line.text, after[k].text)), None)
        if mate is None:
            rows.append((line, None))
            continue
        rows += [(None, one) for one in after[j:mate]]
        rows.append((line, after[mate]))
        j = mate + 1
    return rows + [(None, one) for one in after[j:]]


def rows_of(before, after, names=("", "")):
    """[(line before, line after, changed)]; a line is None where the other side has none. The names of
    the two kernels count as one."""
    def keys(lines, name):
        own = re.compile(rf"\b{name}(?=\b|_)")
        return [own.sub("VARIANT", line.text) if name else line.text for line in lines]

    matcher = difflib.SequenceMatcher(None, keys(before, names[0]), keys(after, names[1]), False)
    rows = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            rows += [(a, b, False) for a, b in zip(before[a0:a1], after[b0:b1])]
        else:
            rows += [(a, b, True) for a, b in pairs(before[a0:a1], after[b0:b1])]
    return rows


def changed_lines(rows):
    """(added, removed)"""
    return (sum(changed and after is not None for _, after, changed in rows),
            sum(changed and before is not None for before, _, changed in rows))


def cell(line, sign, changed):
    if line is None:
        return '<td></td><td class="none"></td>'
    kind = f' class="{"del" if sign == "-" else "ins"}"' if sign else ""
    shown = marked(line.text, changed) or " "
    return f'<td>{line.number or ""}</td><td{kind}>{shown}</td>'


def side_by_side(before, after, name_before, name_after, names=("", ""), own=""):
    """A table of two columns; on a phone CSS makes one of them. `own` is the name of the file itself,
    where there are lines of headers between its own."""
    rows = rows_of(before, after, names)
    near = set()
    for i, (_, _, changed) in enumerate(rows):
        if changed:
            near.update(range(i - CONTEXT, i + CONTEXT + 1))
    added, removed = changed_lines(rows)
    out, i, file = [], 0, ""
    while i < len(rows):
        if i not in near:
            end = i
            while end < len(rows) and end not in near:
                end += 1
            if end - i > 1:
                out.append(f'<tr class="gap"><td colspan="4">{end - i} unchanged lines</td></tr>')
                i = end
                continue
        a, b, changed = rows[i]
        if (b or a).file != file:
            file = (b or a).file
            out.append(f'<tr class="gap"><td colspan="4"><code>{file or own}</code></td></tr>')
        if changed:
            left, right = changed_words(a.text, b.text) if a and b else (set(), set())
            kind = "both" if a and b else "gone" if a else "new"
            out.append(f'<tr class="{kind}">{cell(a, "-", left)}{cell(b, "+", right)}</tr>')
        else:
            out.append(f'<tr>{cell(a, "", ())}{cell(b, "", ())}</tr>')
        i += 1
    head = (f'<thead><tr><th colspan="2" scope="col">{name_before}</th>'
            f'<th colspan="2" scope="col">{name_after} <span class="added">+{added}</span> '
            f'<span class="removed">−{removed}</span></th></tr></thead>')
    columns = '<colgroup><col class="n"><col><col class="n"><col></colgroup>'
    return (f'<div class="diff" tabindex="0"><table>{columns}{head}<tbody>{"".join(out)}</tbody>'
            '</table></div>')


# --- what it costs, and buys ----------------------------------------------------------------------

FIGURES = [(kind, figure) for kind in ("global_load", "global_store", "global_atomic")
           for figure in ("requests", "sectors")] + \
          [(kind, figure) for kind in ("shared_load", "shared_store")
           for figure in ("requests", "wavefronts")]


def factor(before, after):
    if not before or not after:
        return ""
    ratio = after / before
    if ratio >= 1:
        return f"× {book.number(ratio)}"
    return f"÷ {book.number(1 / ratio)}"


def gain(before, after):
    ratio = after / before
    return f"× {ratio:.2f}" if ratio < 10 else f"× {ratio:.0f}"


def change_rows(before, after):
    """[(what, before, after, factor)] of two (step, variant), and whether counts are among them."""
    rows = []
    counts = [book.counted(*one) for one in (before, after)]
    if counts[0][1] == counts[1][1]:
        for kind, figure in FIGURES:
            a, b = (one[0].get(kind, {}).get(figure, 0) for one in counts)
            if a != b:
                rows.append((f"{kind.replace('_', ' ')}: {figure}", f"{a:,}", f"{b:,}",
                             factor(a, b)))
    counted = bool(rows)
    runs = [book.measured(*one) for one in (before, after)]
    if all(runs) and runs[0]["shape"] == runs[1]["shape"]:
        (a, unit), (b, _) = (book.rate(run) for run in runs)
        rows.append((f"measured, {unit}", book.number(a), book.number(b), gain(a, b)))
    return rows, counted


def change_table(before, after):
    rows, counted = change_rows(before, after)
    if not rows:
        missing = [name for step, name in (before, after) if not book.measured(step, name)]
        return '<div class="change"><p>No record yet.</p></div>' if missing else ""
    shape = book.counted(*after)[1]
    measured = f"easured on an {book.runs('h200')[0]['device']}"
    if not shape:
        return templates.part("change", rows, f"M{measured}", "", "")
    counts = "Counted" if counted else "Nothing else changes that is counted"
    return templates.part("change", rows, counts, shape, f"; m{measured}")


# --- rungs ----------------------------------------------------------------------------------------


def lines_of_rung(variant):
    """Its file with the headers that it includes, in place, as the ladder counts them."""
    own = sources.path_of(variant)
    return [Line(text, number, path.name if path != own else "")
            for path, number, text in sources.expanded(own)]


def step_name(variant):
    return book.step_of(variant).name


def label(variant):
    path = sources.path_of(variant)
    kernel = next(iter(sources.kernels_of(variant.name)), None)
    page = sources.page_name(path) + (f".html#L{kernel.first}" if kernel else ".html")
    return f'<a href="{page}"><code>{book.step_of(variant).label}/{path.name}</code></a>'


def changed_by(rung):
    """(added, removed) lines, against the rung that it grows from."""
    before = book.variant(rung.origin)
    return changed_lines(rows_of(lines_of_rung(before), lines_of_rung(rung), (before.name, rung.name)))


@functools.cache
def table_of(before, after):
    """The lines of two rungs, given by their names, beside each other."""
    names = before, after
    before, after = map(book.variant, names)
    return side_by_side(lines_of_rung(before), lines_of_rung(after), label(before), label(after), names,
                        sources.path_of(after).name)


def of_rungs(before, after, is_open, elsewhere=""):
    """The diff of two rungs, with what changes in the figures; or where it is."""
    title = f"<code>{before.name}</code> → <code>{after.name}</code>: {html.escape(after.idea)}"
    figures = change_table((step_name(before), before.name), (step_name(after), after.name))
    if elsewhere:
        added, removed = changed_by(after)
        shown = (f'<p class="elsewhere"><a href="{elsewhere}">The diff</a>, '
                 f'<span class="added">+{added}</span> <span class="removed">−{removed}</span></p>')
    else:
        shown = table_of(before.name, after.name)
    return (f'<details class="change-of" id="from-{after.name}"{" open" if is_open else ""}>'
            f"<summary>{title}</summary>{figures}{shown}</details>")


def rungs_of(step, is_further):
    """The rungs that a page speaks of: those of the trunk, or those beside it, if these have a page.
    That page may also speak of files that are not in its folder, by the commands that compare them."""
    rungs = [variant for variant in step.variants if variant.is_rung]
    path = book.further(step)
    if path is None:
        return [] if is_further else rungs
    commands = COMMAND.findall(path.read_text(encoding="utf-8"))
    compared = {re.findall(r"[\w.]+\.cuh", command)[-1] for command in commands}
    return [rung for rung in rungs
            if (book.is_further(rung) or sources.path_of(rung).name in compared) == is_further]


def changes_of(page):
    """[(before, after)]: the rungs of a page, each with the one that it grows from."""
    rungs = rungs_of(book.step(page.step), page.kind == "further")
    return [(book.variant(rung.origin), rung) for rung in rungs if rung.origin]


@functools.cache
def inline():
    """{rung: the page that has its diff}, of those that chapters have; the first ones, as far as these
    have room."""
    found = {}
    for page in (*book.chapters_in_order(), *book.further_pages()):
        room = MOST_INLINE
        for before, after in changes_of(page) if page.step else ():
            room -= len(table_of(before.name, after.name))
            if room < 0:
                break
            found[after.name] = page.name
    return found


def show(page, changes):
    """The diffs of rungs, the first of them open."""
    return "".join(of_rungs(before, after, is_open=i == 0,
                            elsewhere="" if inline().get(after.name) == page.name else page_of(after))
                   for i, (before, after) in enumerate(changes))


def page_of(rung):
    """The place on the page of a rung's file that speaks of its change."""
    return f"{sources.page_name(sources.path_of(rung))}.html#change"


def below_source(path):
    """The section on a rung's change, for the page of its file."""
    parts = []
    for rung in book.manifest().rungs:
        if sources.path_of(rung) != path or not rung.origin:
            continue
        before = book.variant(rung.origin)
        parts.append(f'<h2 id="change">What changed</h2><p><code>{rung.name}</code> grows from '
                     f"{label(before)}: {html.escape(rung.idea)}.")
        if rung.name in inline():
            parts.append(f' <a href="{inline()[rung.name]}.html#from-{rung.name}">The diff</a> is in '
                         "the chapter.</p>")
        else:
            parts.append(f"</p>{table_of(before.name, rung.name)}")
    return "".join(parts)


COMMAND = re.compile(r"^(?:cd \S+ && )?diff -\w+ .*\.cuh.*$", re.M)


def has_command(text):
    """Whether there is a command that compares two files of steps."""
    return COMMAND.search(text) is not None


def named_in(text, changes):
    """The changes whose two files a command of the text compares."""
    commands = [set(re.findall(r"[\w.]+\.cuh", command)) for command in COMMAND.findall(text)]
    return [change for change in changes
            if {sources.path_of(rung).name for rung in change} in commands]


def of_command(page, block):
    """Below a chapter's block of commands: the diffs that they make; below the first, also all that no
    command makes."""
    if not page.step or not has_command(block):
        return ""
    changes = changes_of(page)
    own = named_in(block, changes)
    is_first = COMMAND.search(page.text)[0] == COMMAND.search(block)[0]
    others = named_in(page.text, changes)
    return show(page, [change for change in changes
                       if change in own or (is_first and change not in others)])


def excerpt(page, text):
    """A chapter's block of a diff: lines that a rung of its step changes, with some that it keeps."""
    lines = text.rstrip("\n").split("\n")
    for after in book.step(page.step).variants:
        before = book.variant(after.origin) if after.origin else None
        if before is None:
            continue
        change = ladder_changes.change(book.manifest(), after)
        lines_of = {"-": [], "+": [], " ": []}
        for kind, old_begin, old_end, new_begin, new_end in change.matcher.get_opcodes():
            if kind == "equal":
                lines_of[" "] += change.new[new_begin:new_end]
            else:
                lines_of["-"] += change.old[old_begin:old_end]
                lines_of["+"] += change.new[new_begin:new_end]
        if all(line[1:] in lines_of.get(line[:1] or " ", ()) for line in lines):
            break
    else:
        raise staging.Fault(f"{page.source}: no rung of the step changes these lines:\n{text}")
    shown = "".join(f'<span{kind_of(line)}>{html.escape(line, quote=False)}\n</span>'
                    for line in lines)
    return (f'<div class="block code"><div class="caption">{label(before)} → {label(after)}</div>'
            f'<pre tabindex="0"><code>{shown}</code></pre></div>')


def kind_of(line):
    return {"-": ' class="del"', "+": ' class="ins"'}.get(line[:1], "")


def make(page, arguments):
    """<!-- diff RUNG RUNG -->, <!-- diff rungs -->"""
    if arguments == ["rungs"]:
        return show(page, changes_of(page))
    before, after = map(book.variant, arguments)
    return of_rungs(before, after, is_open=True)
