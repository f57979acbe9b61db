"""Parts of files that scripts of the project write, and check afterwards."""


class NoPlace(Exception):
    """A text has nothing that the section could go before."""


def with_section(text, section, begin, end, before):
    """The text with the section in place of the one from `begin` to `end`, or before `before`."""
    if begin in text:
        head, rest = text.split(begin, 1)
        return head + section + rest.split(end, 1)[1]
    if before not in text:
        raise NoPlace(f"there is no line '{before}' to put the section before")
    head, tail = text.split(before, 1)
    return head + section + "\n" + before + tail


def bring_up_to_date(wanted, write, script):
    """Writes the files that are not as wanted, {path: text}, or says which these are."""
    faults = []
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        else:
            faults.append(f"{path}: out of date; {script} write brings it up to date")
    return faults
