"""Small expressions, as the chapters' questions and their readers write them.

Numbers, names (also with dots), + - * / // % **, comparisons, `A if C else B`, and calls of the
functions that the caller provides, whose arguments may be texts in quotes. Nothing else of Python.
"""

import ast
import math
import operator

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
          ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
          ast.Pow: operator.pow}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos}
COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
               ast.Eq: operator.eq, ast.NotEq: operator.ne}
FUNCTIONS = {"log2": math.log2, "min": min, "max": max, "round": round, "ceil": math.ceil}
LARGEST_POWER_BITS = 4096  # larger ones would only take time


class Fault(ValueError):
    """The expression cannot be read, or has no value; the text says why."""


def parsed(text):
    """The tree of an expression; Fault where it is none."""
    if not isinstance(text, str):
        raise Fault(f"{text!r} is not an expression in quotes")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Fault(f"'{text}' is not an expression") from error


def calls_of(text, function):
    """The arguments of each call of a function in an expression; these have to be texts."""
    found = []
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and \
                node.func.id == function:
            arguments = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
            if node.keywords or not all(isinstance(one, str) for one in arguments):
                raise Fault(f"the arguments of {function}() have to be texts in quotes")
            found.append(tuple(arguments))
    return found


def numbers_of(text):
    """The numbers that are written in an expression."""
    return [node.value for node in ast.walk(parsed(text)) if is_number(node)]


def names_of(text):
    """The names in an expression that are no functions'; with their dots."""
    found, tree = set(), parsed(text)

    def walk(node):
        match node:
            case ast.Name() | ast.Attribute():
                found.add(ast.unparse(node))
            case ast.Call(args=arguments):
                for one in arguments:
                    walk(one)
            case _:
                for one in ast.iter_child_nodes(node):
                    walk(one)
    walk(tree)
    return found


def is_number(node):
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def is_only_a_number(text):
    """Whether the expression calculates nothing."""
    node = parsed(text)
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    return is_number(node)


def value_of(text, functions=None, names=None):
    """The value of an expression, a number. It may call `functions`, beside FUNCTIONS; names(name)
    is the value of a name, or None where there is none."""
    tree = parsed(text)
    known = {**FUNCTIONS, **(functions or {})}

    def walk(node):
        match node:
            case ast.Constant(value=value) if is_number(node):
                return value
            case ast.Name() | ast.Attribute():
                name = ast.unparse(node)
                value = names(name) if names else None
                if value is None:
                    raise Fault(f"'{text}': there is no '{name}'")
                return value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                left, right = walk(left), walk(right)
                if isinstance(op, ast.Pow):
                    check_power(left, right)
                return BINARY[type(op)](left, right)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
                return UNARY[type(op)](walk(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return COMPARISONS[type(op)](walk(left), walk(right))
            case ast.IfExp(test=test, body=body, orelse=other):
                return walk(body) if walk(test) else walk(other)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name not in known:
                    raise Fault(f"'{text}': there is no function '{name}'; allowed: "
                                f"{', '.join(sorted(known))}")
                return known[name](*map(argument, arguments))
        raise Fault(f"'{text}': '{ast.unparse(node)}' is not allowed in an expression")

    def argument(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return walk(node)

    def check_power(base, exponent):
        if abs(exponent) * math.log2(abs(base) + 1) > LARGEST_POWER_BITS:
            raise Fault(f"'{text}': the power is too large")

    try:
        value = walk(tree)
    except Fault:
        raise
    except ZeroDivisionError as error:
        raise Fault(f"'{text}' divides by zero") from error
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise Fault(f"'{text}': {error}") from error
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Fault(f"'{text}' is {value}, not a number")
    return value
