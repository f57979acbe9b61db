"""Rungs side by side with those that they grow from: what changes, what that costs, what it buys."""

import functools
import itertools
import re

import book
import highlight
import sources
import staging
import templates
import ladder_changes  # of steps/, which book puts on the path
import ladder_diff
from ladder_records import GLOBAL, SHARED

CONTEXT = 2
MOST_INLINE = 80_000  # characters of diffs in a chapter; the others are on their rungs' own pages
COMMAND = re.compile(r"^(?:cd \S+ && )?diff -\w+ .*\.cuh.*$", re.M)


def marked(line, changed=()):
    """Highlighted; the characters at `changed` are in <mark>. As few pieces as possible."""
    names = [name for text, name in highlight.tokens(line, "cpp") for _ in text]
    made = ""
    for (is_changed, name), run in itertools.groupby(
            range(len(line)), lambda at: (at in changed, names[at])):
        text = highlight.colored("".join(line[at] for at in run), name)
        made += f"<mark>{text}</mark>" if is_changed else text
    return templates.safe(made.replace("</mark><mark>", ""))


def positions(pieces):
    """Those of the characters that changed, of [(text, has it changed)]."""
    line = "".join(text for text, _ in pieces)
    flags = [changed for text, changed in pieces for _ in text]
    # How far a line is indented is no news.
    found = {at for at in range(len(line) - len(line.lstrip()), len(line)) if flags[at]}
    for space in re.finditer(" +", line):
        # Nor are the spaces between words that all changed apart from these.
        if space.start() - 1 in found and space.end() in found:
            found.update(range(*space.span()))
    return found


def pairs(before, after):
    """Lines of a change put beside each other where they are alike, in order."""
    for line in before:
        mate = next((i for i, one in enumerate(after) if ladder_diff.is_alike(line, one)), None)
        yield from ((None, one) for one in after[:mate or 0])
        yield line, None if mate is None else after[mate]
        after = after[0 if mate is None else mate + 1:]
    yield from ((None, one) for one in after)


def rows_of(change):
    """[(line before, line after, changed)]; a line is None where the other side has none."""
    for tag, a0, a1, b0, b1 in change.matcher.get_opcodes():
        beside = zip if tag == "equal" else pairs
        yield from ((a, b, tag != "equal") for a, b in beside(change.old[a0:a1], change.new[b0:b1]))


def row_of(before, after, changed):
    """(class, cells) of a row. The class says what became of the line: "" (kept), "both" (changed),
    "gone" or "new". A cell is (number, HTML), or None on the side that has no line."""
    both = before is not None and after is not None
    kind = "" if not changed else "both" if both else "new" if before is None else "gone"
    found = map(positions, ladder_diff.words(before, after)) if kind == "both" else [(), ()]
    return kind, [None if line is None else (line.number, marked(line, where))
                  for line, where in zip((before, after), found)]


def shown(rows, own):
    """The rows near changes as the template wants them, with headings where others are left out, and
    where lines of headers begin and end, if the files of the two sides, `own`, have any."""
    rows, file = list(rows), own and own[1]
    near = {at + i for at, (_, _, changed) in enumerate(rows) if changed
            for i in range(-CONTEXT, CONTEXT + 1)}
    for is_near, group in itertools.groupby(enumerate(rows), lambda one: one[0] in near):
        group = [row for _, row in group]
        if not is_near and len(group) > 1:
            yield f"{len(group)} unchanged lines"
            continue
        for before, after, changed in group:
            path = before.path if after is None else after.path
            path = own[1] if own and path == own[after is not None] else path
            if own and path != file:
                file = path
                yield templates.safe(f"<code>{path.name}</code>")
            yield row_of(before, after, changed)


def lines_of(functions):
    """Functions one after the other, with an empty line between two."""
    apart = [[ladder_changes.Line("", one.lines[0].path, ""), *one.lines] for one in functions]
    return list(itertools.chain(*apart))[1:]


def side_by_side(change, name_before, name_after, own=None):
    """A table of two columns; on a phone CSS makes one of them."""
    return templates.part("diff", name_before, name_after, change, shown(rows_of(change), own))


# --- rungs ----------------------------------------------------------------------------------------


def counted_changes(before, after):
    """[(kind, figure, count before, count after)] of the figures that differ between two rungs."""
    counts = [book.counted(one) for one in (before, after)]
    if not all(counts) or counts[0].shape != counts[1].shape:
        return []
    found = [(kind, figure, *(one.of(figure, kind) for one in counts))
             for kind in (*GLOBAL, "global_atomic", *SHARED)
             for figure in ("requests", "wavefronts" if kind in SHARED else "sectors")]
    return [one for one in found if one[2] != one[3]]


@functools.cache
def change_of(rung):
    """Against the rung that it grows from."""
    return ladder_changes.change(book.manifest(), book.variant(rung))


@functools.cache
def table_of(name):
    """A rung, given by its name, beside the one that it grows from."""
    after = book.variant(name)
    before = book.variant(after.origin)
    return side_by_side(change_of(name), *(templates.part("rung", one) for one in (before, after)),
                        own=[sources.path_of(one) for one in (before, after)])


def rungs_of(step, is_further):
    """The rungs that a page speaks of: those of the trunk, or those beside it, if these have a page.
    That page may also speak of files that are not in its folder, by the commands that compare them."""
    rungs = [variant for variant in step.variants if variant.is_rung]
    path = book.further(step)
    compared = compared_in(path.read_text(encoding="utf-8")) if path else []
    apart = [rung for rung in rungs if path and (
        book.is_further(rung) or sources.path_of(rung).name in [files[-1] for files in compared])]
    return [rung for rung in rungs if (rung in apart) == is_further]


def changed_on(page):
    """The rungs of a page that grow from others."""
    return [rung for rung in rungs_of(book.step(page.step), page.kind == "further") if rung.origin] \
        if page.step else []


@functools.cache
def inline():
    """{rung: the page that has its diff}, of those that chapters have; the first ones, as far as these
    have room."""
    found = {}
    for page in (*book.chapters_in_order(), *book.further_pages()):
        rungs = [rung.name for rung in changed_on(page)]
        used = itertools.accumulate(len(table_of(name)) for name in rungs)
        found |= {name: page.name for name, size in zip(rungs, used) if size <= MOST_INLINE}
    return found


def compared_in(text):
    """The names of the files that each command of a text compares."""
    return [re.findall(r"[\w.]+\.cuh", command) for command in COMMAND.findall(text)]


def of_command(page, block):
    """Below a chapter's block of commands: the diffs that they make; below the first, also all that no
    command makes."""
    own, all_files = compared_in(block), compared_in(page.text)
    if not page.step or not own:
        return ""
    pairs_of_files = [(rung, [sources.path_of(one).name for one in (book.variant(rung.origin), rung)])
                      for rung in changed_on(page)]
    return templates.part("changes", page, [
        rung for rung, files in pairs_of_files
        if files in own or (own[0] == all_files[0] and files not in all_files)])


def excerpt(page, text):
    """A chapter's block of a diff: lines that a rung of its step changes, with some that it keeps."""
    lines = text.rstrip("\n").split("\n")
    for rung in book.step(page.step).variants:
        if rung.origin and all((line or " ") in set(ladder_diff.unified(change_of(rung.name)))
                               for line in lines):
            return templates.part("diff_excerpt", rung, lines)
    raise staging.Fault(f"{page.source}: no rung of the step changes these lines:\n{text}")
