"""Source text as HTML with classes for what words are."""

import html
import re

KEYWORDS = set("""alignas alignof asm auto break case catch class co_await co_return co_yield
    concept const consteval constexpr constinit const_cast continue decltype default delete do
    dynamic_cast else enum explicit export extern false final for friend goto if inline mutable
    namespace new noexcept nullptr operator override private protected public register
    reinterpret_cast requires return sizeof static static_assert static_cast struct switch template
    this throw true try typedef typename union using virtual volatile while""".split())
TYPES = re.compile(r"(?:bool|char|double|float|int|long|short|signed|unsigned|void|size_t|ptrdiff_t|"
                   r"u?int(?:ptr|\d+)_t|(?:float|u?int|double|u?char)[1-4]|dim3|cuda[A-Z]\w*_t)\Z")
CUDA = re.compile(r"(?:__(?:global|device|host|shared|constant|managed|restrict|launch_bounds|"
                  r"grid_constant|cluster_dims|forceinline|noinline)__|"
                  r"(?:thread|block)Idx|(?:block|grid)Dim|warpSize)\Z")
CALLS = re.compile(r"(?:__\w+|atomic\w+|cuda[A-Z]\w+|cucpu\w*)\Z")

CPP = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/) |
    (?P<directive>^[ ]*\#[ ]*\w+(?:[ ]+[<"][^>"\n]*[>"])?) |
    (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*') |
    (?P<launch><<<|>>>) |
    (?P<number>\b\d[\w.']*\b(?:\.)?|\.\d\w*) |
    (?P<word>[A-Za-z_]\w*)
    """, re.X | re.S | re.M)
SHELL = re.compile(r"""
    (?P<comment>(?:^|(?<=\s))\#[^\n]*) |
    (?P<string>"[^"\n]*"|'[^'\n]*') |
    (?P<number>(?:^|(?<=\s))--?[A-Za-z][\w-]*)
    """, re.X | re.M)
TOML = re.compile(r"""
    (?P<comment>\#[^\n]*) | (?P<keyword>^\[[^\n]*\]) | (?P<string>"[^"\n]*") |
    (?P<number>\b\d+\b)
    """, re.X | re.M)
CONSOLE = re.compile(r"(?P<keyword>^\$ [^\n]*)", re.M)
LANGUAGES = {"cpp": CPP, "cuda": CPP, "sh": SHELL, "bash": SHELL, "toml": TOML, "text": CONSOLE}


def class_of(kind, word):
    if kind != "word":
        return kind
    if word in KEYWORDS:
        return "keyword"
    for name, pattern in (("type", TYPES), ("cuda", CUDA), ("call", CALLS)):
        if pattern.match(word):
            return name
    return None


def tokens(text, language):
    """[(text, class or None)]"""
    pattern = LANGUAGES.get(language)
    if pattern is None:
        return [(text, None)]
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts.append((text[end:match.start()], None))
        parts.append((match[0], class_of(match.lastgroup, match[0])))
        end = match.end()
    parts.append((text[end:], None))
    return [part for part in parts if part[0]]


def span(text, name):
    text = html.escape(text, quote=False)
    return f'<span class="{SHORT[name]}">{text}</span>' if name else text


# Class names are short: a page has thousands.
SHORT = {"comment": "hc", "directive": "hd", "string": "hs", "launch": "hg", "number": "hn",
         "keyword": "hk", "type": "ht", "cuda": "hg", "call": "hf"}


def to_html(text, language):
    return "".join(span(*part) for part in tokens(text, language))


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
