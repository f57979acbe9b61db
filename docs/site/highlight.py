"""Source text as HTML with classes for what words are, by Pygments."""

import functools
import html
import itertools
import operator
import re

import templates

# [(kind of Pygments, class)]: the first that fits counts. Names are short: a page has thousands.
CLASSES = [("Comment.Preproc", "hd"), ("Comment.PreprocFile", "hd"), ("Comment", "hc"),
           ("Keyword.Type", "ht"), ("Keyword.Reserved", "hg"), ("Keyword", "hk"),
           ("Name.Function.Magic", "hf"), ("Literal.String", "hs"),
           ("Literal.Number", "hn"), ("Generic.Prompt", "hk")]


@functools.cache
def lexers():
    """{language: lexer}. Pygments is there where pages are made, not for every test of texts."""
    from pygments.lexer import RegexLexer, inherit
    from pygments.lexers import BashLexer, CppLexer, CudaLexer, PythonLexer, TOMLLexer
    from pygments.token import Generic, Keyword, Name, Number, Text
    words = {**dict.fromkeys(CudaLexer.vector_types, Keyword.Type),
             **dict.fromkeys(CudaLexer.function_qualifiers | CudaLexer.variable_qualifiers |
                             CudaLexer.variables, Keyword.Reserved),
             **dict.fromkeys(("__launch_bounds__", "__grid_constant__"), Keyword.Reserved),
             **dict.fromkeys(("nullptr", "true", "false", "inline"), Keyword), "thread": Name}

    class Cuda(CppLexer):
        """C++ with the names of CUDA; Pygments' own CUDA is C."""
        tokens = {"statements": [(r"<<<|>>>", Keyword.Reserved), inherit]}

        def get_tokens_unprocessed(self, text, stack=("root",)):
            for index, kind, word in super().get_tokens_unprocessed(text, stack):
                if word in words:
                    kind = words[word]
                elif kind in Name or word.startswith("__"):
                    kind = Keyword.Type if word.endswith("_t") else Name.Function.Magic \
                        if word.startswith(("__", "atomic", "cuda", "cucpu")) else Name
                yield index, kind, word

    class Shell(BashLexer):
        """Options stand out."""
        tokens = {"data": [(r"(?<=\s)--?[A-Za-z][\w-]*", Number), inherit]}

    class Console(RegexLexer):
        """Commands that were typed, and output."""
        tokens = {"root": [(r"^\$ .*$", Generic.Prompt), (r".+|\n", Text)]}
    made = {"cpp": Cuda, "cuda": Cuda, "sh": Shell, "bash": Shell, "toml": TOMLLexer,
            "python": PythonLexer, "text": Console}
    return {name: lexer(stripnl=False) for name, lexer in made.items()}


@functools.cache
def class_of(kind):
    """The class of a kind of Pygments' and all below it, or None."""
    from pygments.token import string_to_tokentype
    return next((name for above, name in CLASSES if kind in string_to_tokentype(above)), None)


@functools.cache
def tokens(text, language):
    """[(text, class or None)]; neighbors of one class are one, also with spaces between them."""
    lexer = lexers().get(language)
    # The lexers add a line break at the end.
    names = [class_of(kind) for kind, part in lexer.get_tokens(text)
             for _ in part][:len(text)] if lexer else [None] * len(text)
    for space in re.finditer(r"(?<=\S)\s+(?=\S)", text):
        if names[space.start() - 1] == names[space.end()] is not None:
            names[space.start():space.end()] = [names[space.end()]] * len(space[0])
    return [("".join(letter for letter, _ in run), name)
            for name, run in itertools.groupby(zip(text, names), operator.itemgetter(1))]


def colored(text, name):
    """<i>, as it is shorter than <span>, and no quotes, which HTML does not need: a page has
    thousands."""
    text = html.escape(text, quote=False)
    return f"<i class={name}>{text}</i>" if name and text else text


def lines_of(text, language):
    """The HTML of each line."""
    made = ("\n".join(colored(line, name) for line in part.split("\n"))
            for part, name in tokens(text, language))
    return list(map(templates.safe, "".join(made).split("\n")))


def to_html(text, language):
    return templates.safe("".join(colored(*token) for token in tokens(text, language)))
