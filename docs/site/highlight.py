"""Source text as HTML with classes for what words are, by Pygments."""

import functools
import html

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
    parts, left = [], len(text)
    for kind, part in lexer.get_tokens(text) if lexer else [(None, text)]:
        part, left = part[:left], left - len(part)  # the lexers want a line break at the end
        name = class_of(kind) if kind else None
        if name and len(parts) > 1 and parts[-2][1] == name and parts[-1][0].isspace():
            space, _ = parts.pop()
            parts[-1] = parts[-1][0] + space + part, name
        elif parts and parts[-1][1] == name:
            parts[-1] = parts[-1][0] + part, name
        elif part:
            parts.append((part, name))
    return parts


def colored(text, name):
    """<i>, as it is shorter than <span>: a page has thousands."""
    text = html.escape(text, quote=False)
    return f'<i class="{name}">{text}</i>' if name else text


def line(tokens):
    return templates.safe("".join(colored(*token) for token in tokens))


def to_html(text, language):
    return line(tokens(text, language))


def lines_of(text, language):
    """The tokens of each line."""
    lines = [[]]
    for part, name in tokens(text, language):
        first, *others = part.split("\n")
        if first:
            lines[-1].append((first, name))
        for other in others:
            lines.append([(other, name)] if other else [])
    return lines
