"""The checkers' output: lines of 80 columns at most."""

MARK = "========="


def unwrapped(said):
    """The reports with the lines whole that were broken to fit a terminal."""
    return said.replace(f"\n{MARK}         ", " ")


def too_wide(said):
    """The lines wider than a terminal that could be broken: at a blank, past what they begin with. A
    place, "at /folder/file.cu:7", cannot."""
    return [line for line in said.splitlines()
            if len(line) > 80 and " " in line[len(MARK):80].strip().removeprefix("at ")]
