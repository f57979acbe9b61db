"""Kernels side by side: what one changes in the other, what that costs, and what it buys."""

import difflib
import html
import re

import book
import highlight
import sources

CONTEXT = 3
ALIKE = 0.45  # kernels that have less in common are no change of one another


def words(line):
    return re.findall(r"\w+|\s+|[^\w\s]", line)


def marked(line, changed):
    """Highlighted; the characters at `changed` are in <mark>."""
    result, position, open_mark = [], 0, False
    for text, name in highlight.tokens(line, "cpp"):
        for part in re.findall(r"\w+|\s+|[^\w\s]", text):
            is_changed = position in changed
            if is_changed != open_mark:
                result.append("<mark>" if is_changed else "</mark>")
                open_mark = is_changed
            result.append(highlight.span(part, name))
            position += len(part)
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
    return left, right


def is_alike(before, after):
    return difflib.SequenceMatcher(None, words(before.strip()), words(after.strip()),
                                   False).ratio() >= 0.5


def pairs(before, after):
    """Lines of a change put beside each other where they are alike, in order."""
    rows, j = [], 0
    for i, line in enumerate(before):
        mate = next((k for k in range(j, len(after)) if is_alike(line[1], after[k][1])), None)
        if mate is None:
            rows.append((line, None))
            continue
        rows += [(None, one) for one in after[j:mate]]
        rows.append((line, after[mate]))
        j = mate + 1
    return rows + [(None, one) for one in after[j:]]


def rows_of(before, after):
    """[(line before, line after, changed)], a line being (number, text) or None."""
    matcher = difflib.SequenceMatcher(None, [text for _, text in before],
                                      [text for _, text in after], False)
    rows = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            rows += [(a, b, False) for a, b in zip(before[a0:a1], after[b0:b1])]
        else:
            rows += [(a, b, True) for a, b in pairs(before[a0:a1], after[b0:b1])]
    return rows


def cell(line, sign, changed):
    if line is None:
        return '<td class="no"></td><td class="none"></td>'
    number, text = line
    kind = f' class="{"del" if sign == "-" else "ins"}"' if sign else ""
    shown = marked(text, changed) or " "
    label = {"-": "removed: ", "+": "added: "}.get(sign, "")
    hidden = f'<span class="sr">{label}</span>' if label else ""
    return f'<td class="no">{number or ""}</td><td{kind}>{hidden}<code>{shown}</code></td>'


def side_by_side(before, after, name_before, name_after):
    """A table of two columns; on a phone CSS makes one of them."""
    rows = rows_of(before, after)
    near = set()
    for i, (_, _, changed) in enumerate(rows):
        if changed:
            near.update(range(i - CONTEXT, i + CONTEXT + 1))
    removed = sum(changed and a is not None for a, _, changed in rows)
    added = sum(changed and b is not None for _, b, changed in rows)
    out, i = [], 0
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
        if changed:
            left, right = changed_words(a[1], b[1]) if a and b else (set(), set())
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
        return ""
    body = "".join(f'<tr{" class=speed" if what.startswith("measured") else ""}>'
                   f'<th scope="row">{what}</th><td>{a}</td><td>{b}</td><td>{by}</td></tr>'
                   for what, a, b, by in rows)
    shape = book.counted(*after)[1]
    device = book.runs("h200")[0]["device"]
    counts = "Counted" if counted else "Nothing else changes that is counted"
    said = f"{counts} with <code>{html.escape(shape)}</code>; measured on an {device}."
    return (f'<div class="change" tabindex="0"><table><thead><tr><td></td><th scope="col">before</th>'
            f'<th scope="col">after</th><td></td></tr></thead><tbody>{body}</tbody></table>'
            f"<p>{said}</p></div>")


def label(step_name, variant, functions):
    kernel = next((function for function in functions if function.is_kernel), functions[0])
    name = kernel.path.name
    page = f"code_{step_name}_{name.replace('.', '_')}.html#L{kernel.first}"
    return f'<a href="{page}"><code>{step_name[:2]}/{name}</code> {variant}</a>'


def of_kernels(before, after, is_open):
    """The diff of two (step, variant), with what changes in the figures."""
    old, new = (sources.kernel_functions(*one) for one in (before, after))
    # What both need as it is, is no news; nor is a helper that only an earlier kernel of a step calls.
    common = [function.lines for function in old if function.lines in [one.lines for one in new]]
    same_step = before[0] == after[0]
    old = [function for function in old if function.lines not in common and
           (function.is_kernel or not same_step)] or old
    new = [function for function in new if function.lines not in common] or new
    table = side_by_side(sources.text_of(old), sources.text_of(new), label(*before, old),
                         label(*after, new))
    title = f"<code>{before[1]}</code> → <code>{after[1]}</code>"
    return (f'<details class="change-of"{" open" if is_open else ""}><summary>{title}</summary>'
            f'{change_table(before, after)}{table}</details>')


def likeness(before, after):
    a, b = ([text for _, text in sources.kernel_text(*one)] for one in (before, after))
    return difflib.SequenceMatcher(None, "\n".join(a).split(), "\n".join(b).split(), False).ratio()


def of_step(step_name):
    """[(before, after)]: from the step before to this one, then from variant to variant."""
    steps = book.steps()
    position = next(i for i, one in enumerate(steps) if one.name == step_name)
    own = [(step_name, variant) for variant in sources.variants(step_name)
           if sources.kernels_of(step_name, variant)]
    result = []
    if position and steps[position - 1].chapter == steps[position].chapter:
        previous = steps[position - 1].name
        candidates = [(previous, variant) for variant in sources.variants(previous)
                      if sources.kernels_of(previous, variant)]
        # The nearest two, for the chapter says which kernel goes on.
        result.append(max(((a, b) for a in candidates for b in own),
                          key=lambda pair: likeness(*pair)))
    for after in own[1:]:
        earlier = own[:own.index(after)]
        before = max(earlier, key=lambda one: likeness(one, after))
        texts = [[line for _, line in sources.kernel_text(*one)] for one in (before, after)]
        if texts[0] != texts[1] and likeness(before, after) >= ALIKE:
            result.append((before, after))
    return result


def of_command(page, command):
    """Below the first `diff` of a chapter that is about the step before: the diffs of its kernels."""
    if page.kind != "step" or not re.match(r"diff -\w+ steps/\w+", command):
        return ""
    changes = of_step(page.name)
    # Open is the first that shows a change, and not just two kernels.
    shown = next((change for change in changes if likeness(*change) >= ALIKE), changes[0])
    return "".join(of_kernels(*change, is_open=change == shown) for change in changes)


def make(page, arguments):
    """<!-- diff STEP VARIANT STEP VARIANT -->"""
    step_a, variant_a, step_b, variant_b = arguments
    return of_kernels((step_a, variant_a), (step_b, variant_b), is_open=True)
