"""The lines `<!-- WORDS -->` of texts that ask for something that is made.

Macros of docs/theme/directives.html make it: `<!-- figure accesses add -->` is the macro
figure_accesses, which gets the page and the other words.
"""

import staging
import templates


def make(page, words):
    """The HTML of a line; None: it is a comment like others. Raises staging.Fault."""
    from jinja2 import UndefinedError  # is there where pages are made, not for every test of texts
    macros = templates.macros("directives.html")
    for count in (2, 1):
        macro = macros.get("_".join(words[:count]))
        if macro:
            try:
                return macro(page, *words[count:]).strip()
            except (TypeError, UndefinedError) as error:  # too many words, or too few
                raise staging.Fault(f"{page.source}: {' '.join(words)}: {error}") from error
    if words[0] in {name.partition("_")[0] for name in macros}:
        raise staging.Fault(f"{page.source}: nothing makes '{' '.join(words)}'")
    return None
