"""The lines `<!-- WORDS -->` of texts that ask for something that is made, and who makes it."""

import inspect

import staging

MAKERS = {}  # the first words -> the function


def directive(words):
    """For the function that makes the HTML of lines that begin with these words: it gets the page and
    the other words."""
    def register(maker):
        MAKERS[words] = maker
        return maker
    return register


def make(page, words):
    """The HTML of a line; None: it is a comment like others. Raises staging.Fault."""
    for count in (2, 1):
        maker = MAKERS.get(" ".join(words[:count]))
        if maker:
            try:
                inspect.signature(maker).bind(page, *words[count:])
            except TypeError as error:
                raise staging.Fault(f"{page.source}: {' '.join(words)}: {error}") from error
            return maker(page, *words[count:])
    if words[0] in {known.split()[0] for known in MAKERS}:
        raise staging.Fault(f"{page.source}: nothing makes '{' '.join(words)}'")
    return None
