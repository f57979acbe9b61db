"""Random command lines of all programs."""

import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402

NO_DEVICE, TODO, NO_VERDICT = 77, 3, 4
FLAGS = ["--list", "--quick", "--exact", "--times", "--counters", "--sanitize", "--hash", "--json",
         "--help", "--version"]
ODD = ["", "-1", "-0", "+1", "0x10", "1e3", "3.5", "nan", " 7", "7 ", "1_000", "٣", "\x1b[2J",
       "1\n2", "9" * 40, str(2**63), str(2**64), str(2**64 - 1), "--json", "-", "--", "'", "%s%n",
       "a" * 5000, "\udcff"]
# Sizes that a run ends with soon, and those around which kernels choose.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130]


def value(chance):
    return chance.choice(ODD) if chance.random() < 0.15 else str(chance.choice(SIZES))


def of_step(step, build, chance):
    names = [variant.name for variant in ladder.read().variants_of(step.name)]
    words = [build / "steps" / step.name / step.program]
    # Each size, so that none is as large as it is by default.
    for name in step.options:
        words += [f"--{name}", value(chance)]
    for _ in range(chance.randrange(3)):
        wrong_name = chance.random() < 0.05
        words += ["--kernel", chance.choice(["", "bogus"] if wrong_name else names)]
    words += chance.sample(FLAGS, chance.choice([0, 0, 1, 1, 2, 3]))
    if chance.random() < 0.3:
        words += [chance.choice(["--seed", "--repeat", "--warmup", "--device"]),
                  chance.choice(["0", "1", *ODD])]
    return words


def of_tools(build, chance):
    """Programs that run others, of which only the command line is tried."""
    name = chance.choice(["tour", "bench", "roofs", "judge", "ladder", "cucpu"])
    options = {"tour": ["--record", "--device"],
               "bench": ["--only", "--runs", "--peers", "--goals", "--device"],
               "roofs": ["--device"],
               "judge": ["--hint", "--timeout", "--seed", "--record", "--device"],
               "ladder": ["--steps"], "cucpu": ["-o", "-I", "-std", "-arch"]}[name]
    words = [build / name]
    for _ in range(chance.randrange(1, 4)):
        words += [chance.choice([chance.choice(options), "--bogus", *ODD]), chance.choice(ODD)]
    # Nothing is run: that would take long, or write files.
    return words + [chance.choice(["--help", "--version", "--no-such-option"])]


def usable(word):
    return "\0" not in word


def commands(build, chance, count):
    steps = ladder.read().steps
    for number in range(count):
        words = (of_tools(build, chance) if number % 5 == 4 else
                 of_step(chance.choice(steps), build, chance))
        if chance.random() < 0.1:
            words.insert(chance.randrange(1, len(words) + 1), chance.choice(ODD))
        yield [word for word in map(str, words) if usable(word)]


def fault(command, run):
    """The fault in how a program took its command line; None: none."""
    done = run(command, env={**os.environ, "CUCPU_SMS": "2", "CUCPU_TIMEOUT": "60"})
    what = wrong(command, done)
    return what and f"{command}: {what}: exit code {done.returncode}\n{done.stderr[-2000:]}"


def wrong(command, done):
    if done.returncode == 0:
        # A result is checked by the program itself.
        if "--json" in command and done.stdout.startswith("{"):
            statuses = {json.loads(line).get("status", "pass") for line in done.stdout.splitlines()}
            return None if statuses == {"pass"} else f"statuses {statuses}"
        return None
    if done.returncode not in (2, NO_DEVICE):
        if pathlib.Path(command[0]).name == "cucpu" and done.returncode == 1:
            return None  # the host's compiler may say more, in its own way
        return "an exit code that nobody asked for"
    if not re.fullmatch(r"error: [^\n]+\n", done.stderr):
        return "not one line"
    return None
