"""Malformed records, for all that read them."""

import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "common/bench"))
import records  # noqa: E402

VALUES = [None, True, -1, 0, 5, 1e308, 2**70, "", "x", "\x1b[2J", [], [1], {}, {"n": -1},
          {"n": "x"}, {"": {}}, {"n": 1e30}, "\u0000"]
FEW_BYTES = list('{}[]",:0\n\\ \0') + ["\u00ff"]


def changed(value, chance):
    if not isinstance(value, dict) or not value or chance.random() < 0.1:
        return chance.choice(VALUES)
    result = dict(value)
    name = chance.choice(list(result))
    match chance.randrange(3):
        case 0:
            del result[name]
        case 1:
            names = [*result, "run", "counters", "figures"]
            result[chance.choice(names)] = chance.choice(VALUES)
        case _:
            result[name] = changed(result[name], chance)
    return result


def mutated(lines, chance):
    """A record of some lines, changed in a few places."""
    chosen = chance.sample(lines, 3)
    at = chance.randrange(3)
    fields = json.loads(chosen[at])
    for _ in range(chance.randrange(3)):
        fields = changed(fields, chance)
    chosen[at] = json.dumps(fields)
    text = "\n".join(chosen) + "\n"
    for _ in range(chance.choice([0, 0, 0, 1, 3])):
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(FEW_BYTES) + text[place + chance.randrange(3):]
    return text if chance.random() < 0.9 else text[:chance.randrange(len(text))]


def fault(build, text, run):
    """The fault in how this text is read; None: none."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.jsonl"
        record.write_text(text, encoding="utf-8", newline="")
        for words in (["--goals", record], ["--goals", ROOT / "docs/results/h200.jsonl", "--peers",
                                            record]):
            done = run([build / "bench", *words])
            if done.returncode == 2 and re.fullmatch(r"error: [^\n]+\n", done.stderr):
                continue
            if done.returncode != 0 or done.stderr:
                return f"bench {words[-2]}: {done.returncode}: {done.stderr[-1000:]}\n{text}"
        try:
            for row in records.read(record):
                assert row.step == "roofs" or row.rate > 0
                assert row.spread is not None and row.library_rate is not row.options
        except records.Failure as failure:
            if "\n" in str(failure):
                return f"not one line: {failure}"
        except Exception as error:
            return f"records.read: {error!r}\n{text}"
    return None
