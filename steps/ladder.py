#!/usr/bin/env python3
"""The manifest of the tutorial, steps/ladder.toml: the only list of steps, kernels and sizes.

    ladder.py meson [FILE]            a line per step for Meson: chapter|name|program,program
    ladder.py rungs STEP OUT [FILE]   what a step's programs have of its kernels, in the folder OUT:
                                      rungs.h, the list of them; launchers.h, what stands for
                                      each by its name; kernels.h, themselves;
                                      rungs_here.h, both, for a program that compiles them
                                      itself; and rungs.cu, which does so for the others, with
                                      the tune.cuh of the step's folder, if it has one
    ladder.py twins STEP OUT          the same, all in OUT/twins.h, of the known-wrong twins in the
                                      step's folder wrong/
    ladder.py table OUT [FILE]        the steps and their sizes for the programs that run all of them
    ladder.py files STEP [FILE]       its rungs' and dispatchers' files, a line each
    ladder.py sizes STEP [FILE]       its small ragged sizes, a line of options each

FILE is another manifest than the one beside this script. The manifest has four kinds of tables, each
in the order in which it is read:

    [[step]]        name, chapter, idea, problem (of common/problem), libraries (it is measured
                    against), programs (further ones of its folder), sizes in the order of the
                    problem's options: measured (on a GPU; all kernels at the first), counted
                    (compared with ncu; the first is the chapter's), ragged (the same; also run
                    under compute-sanitizer), checked (further ones for the sanitizer), and drawn
                    (one, of the site's drawings); repeats
                    (launches per measurement; default: the program's)
    [[rung]]        step, file (in the step's folder), kernel, from (the rung it grows from; absent
                    where a new problem starts), idea, tile (of a block; the sizes of the tests come
                    from it), threads (per block, for the report), same_bits (in every run),
                    all_sizes (measured at every size, not only the first)
    [[dispatcher]]  step, file, name, idea, tile, same_bits: chooses among rungs by shape;
                    workspace: NAME_within takes one from its caller, of NAME_workspace_bytes
    [[goal]]        step, title, against, size, goal, aim: what the bench holds the step to

A rung in a subfolder other than further/, such as gemv/1_gemv_warp.cuh, belongs to the step of that
subfolder's name, "05_reduce_warp_shuffle/gemv". Errors end with exit code 1 and a line each.
"""

import argparse
import dataclasses
import pathlib
import sys
import tomllib

STEPS = pathlib.Path(__file__).resolve().parent
MANIFEST = STEPS / "ladder.toml"
FURTHER = "further"
AGAINST = ("library", "peers", "roof", "roof_at_size", "nothing")
# How the sizes of a problem are called on the command line, in order.
OPTIONS = {"add": ("n",), "sum": ("n",), "softmax": ("rows", "cols"), "transpose": ("rows", "cols"),
           "gemv": ("m", "k"), "sgemm": ("m", "n", "k")}


class BadManifest(ValueError):
    """The manifest does not say what it has to; the text names the table and the key."""


@dataclasses.dataclass(frozen=True)
class Step:
    name: str  # also the folder: "08_transpose_shared", "05_reduce_warp_shuffle/gemv"
    chapter: str
    idea: str
    problem: str
    measured: list
    counted: list
    ragged: list
    drawn: list
    libraries: list = dataclasses.field(default_factory=list)
    programs: list = dataclasses.field(default_factory=list)
    checked: list = dataclasses.field(default_factory=list)
    repeats: int = 0

    @property
    def program(self):
        """The name of its executable, and of the step in results."""
        return self.name.rpartition("/")[2]

    @property
    def options(self):
        return OPTIONS[self.problem]

    def arguments(self, size):
        """A size as options: ["--rows", "8192", "--cols", "8192"]."""
        return [word for option, value in zip(self.options, size)
                for word in (f"--{option}", str(value))]


@dataclasses.dataclass(frozen=True)
class Variant:
    """An entry of a step's program: a rung or a dispatcher."""
    step: str  # of the table: "05_reduce_warp_shuffle", also for gemv
    file: str  # in the folder of `step`
    name: str  # the launch function
    idea: str
    tile: list
    is_rung: bool
    origin: str = ""  # the rung it grows from; of a dispatcher none
    threads: int = 0
    same_bits: bool = False
    all_sizes: bool = False
    workspace: bool = False  # NAME_within takes one from its caller, of NAME_workspace_bytes

    @property
    def program_step(self):
        """The name of the step whose program has it."""
        folder = self.file.rpartition("/")[0]
        return self.step if folder in ("", FURTHER) else f"{self.step}/{folder}"

    @property
    def path(self):
        return f"{self.step}/{self.file}"


@dataclasses.dataclass(frozen=True)
class Goal:
    step: str
    title: str
    against: str
    size: list
    goal: float = 0
    aim: float = 0


@dataclasses.dataclass(frozen=True)
class Ladder:
    steps: list
    variants: list
    goals: list

    def step(self, name):
        for step in self.steps:
            if name in (step.name, step.program):
                return step
        raise BadManifest(f"there is no step '{name}'")

    def variants_of(self, name):
        """Those that a step's program lists, in order."""
        return [variant for variant in self.variants
                if variant.program_step == self.step(name).name]

    @property
    def rungs(self):
        return [variant for variant in self.variants if variant.is_rung]

    def rung(self, name):
        return next((rung for rung in self.rungs if rung.name == name), None)


def make(kind, where, table, renamed=()):
    """A dataclass from a table, or BadManifest."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    values = {dict(renamed).get(key, key): value for key, value in table.items()}
    for key in values:
        if key not in fields:
            raise BadManifest(f"{where}: unknown key '{key}'")
    for name, field in fields.items():
        required = field.default is field.default_factory is dataclasses.MISSING
        if required and name not in values:
            key = {new: old for old, new in renamed}.get(name, name)
            raise BadManifest(f"{where}: has no '{key}'")
        if name in values and field.type in (str, bool, list) and \
                not isinstance(values[name], field.type):
            raise BadManifest(f"{where}: '{name}' is {values[name]!r}, not a {field.type.__name__}")
    return kind(**values)


def read(path=MANIFEST):
    """The manifest; raises BadManifest."""
    path = pathlib.Path(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadManifest(f"{path}: {error}") from error
    for kind in tables:
        if kind not in ("step", "rung", "dispatcher", "goal"):
            raise BadManifest(f"{path}: unknown table '{kind}'")
    steps = [make(Step, f"step '{table.get('name', '?')}'", table)
             for table in tables.get("step", [])]
    variants = [make(Variant, f"rung '{table.get('kernel', '?')}'", {"is_rung": True, **table},
                     [("kernel", "name"), ("from", "origin")])
                for table in tables.get("rung", [])]
    # Dispatchers follow the rungs of their step.
    variants += [make(Variant, f"dispatcher '{table.get('name', '?')}'",
                      {"is_rung": False, "all_sizes": True, **table})
                 for table in tables.get("dispatcher", [])]
    goals = [make(Goal, f"goal '{table.get('title', '?')}'", table)
             for table in tables.get("goal", [])]
    ladder = Ladder(steps, variants, goals)
    check(ladder, path.parent)
    return ladder


def check(ladder, folder):
    """Checks what a single table cannot tell."""
    for step in ladder.steps:
        if step.problem not in OPTIONS:
            raise BadManifest(f"step '{step.name}': unknown problem '{step.problem}'; allowed: "
                              f"{', '.join(OPTIONS)}")
        if not (folder / step.name).is_dir():
            raise BadManifest(f"step '{step.name}': there is no such folder")
        for key in ("measured", "counted", "ragged", "checked", "drawn"):
            for size in [step.drawn] if key == "drawn" else getattr(step, key):
                if not isinstance(size, list) or len(size) != len(step.options):
                    raise BadManifest(f"step '{step.name}': {key} size {size} is not one of "
                                      f"{', '.join(step.options)}")
        if not step.measured or not step.counted:
            raise BadManifest(f"step '{step.name}': is neither measured nor counted at any size")
    seen = {}
    for variant in ladder.variants:
        where = f"{'rung' if variant.is_rung else 'dispatcher'} '{variant.name}'"
        if variant.name in seen:
            raise BadManifest(f"{where}: is there twice")
        ladder.step(variant.program_step)  # is there
        if not (folder / variant.path).is_file():
            raise BadManifest(f"{where}: there is no file {variant.path}")
        if variant.origin and variant.origin not in seen:
            raise BadManifest(f"{where}: grows from '{variant.origin}', which no rung before it is")
        seen[variant.name] = variant
    for goal in ladder.goals:
        ladder.step(goal.step)
        if goal.against not in AGAINST:
            raise BadManifest(f"goal '{goal.title}': against '{goal.against}'; allowed: "
                              f"{', '.join(AGAINST)}")


# --- what the build is told -----------------------------------------------------------------------

MADE = "// Made from steps/ladder.toml by steps/ladder.py"


def cpp_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cpp_list(values):
    return "{" + ", ".join(map(str, values)) + "}"


def including(paths):
    """Lines that include each file once, in the order in which they are listed."""
    return [f'#include "{path}"' for path in dict.fromkeys(paths)]


def header(of_what, includes, *lines):
    return "\n".join([f"{MADE}: {of_what}.", "#pragma once", "", *including(includes), *lines, ""])


def step_type(step):
    return f"harness::Step<problem::{step.problem.capitalize()}>"


def step_includes(step):
    return ["harness/variant.h", f"problem/{step.problem}.h"]


def step_value(step, entries):
    """The initializer of a harness::Step."""
    return ["{", f"    {cpp_string(step.program)},", "    {",
            *(f"        {{{entry}}}," for entry in entries), "    }}"]


def with_workspace(step, variant):
    name = variant.name
    return f"harness::{step.problem}_with_workspace<{name}_workspace_bytes, {name}_within>"


def rungs_files(ladder, name):
    """Name -> text of the files through which a step's programs have its kernels."""
    step = ladder.step(name)
    variants = ladder.variants_of(name)
    entries = [f"{cpp_string(variant.name)}, {variant.name}, "
               f"harness::Promise::{'same_bits' if variant.same_bits else 'none'}, "
               f"{variant.threads}, {cpp_list(variant.tile)}, {cpp_string(variant.origin)}"
               + (f", {with_workspace(step, variant)}" if variant.workspace else "")
               for variant in variants]
    value = "\n".join(step_value(step, entries))
    of_step = f"the kernels of {step.name}"
    problem = f"problem::{step.problem.capitalize()}"
    launchers = [f"inline constexpr harness::Launcher<{problem}> {variant.name}"
                 f"{{kStep, {cpp_string(variant.name)}}};" for variant in variants]
    tune = [f"{name}/tune.cuh"] if (STEPS / name / "tune.cuh").exists() else []
    return {
        "rungs.h": header(f"the list of {of_step}", step_includes(step), "",
                          f"extern const {step_type(step)} kStep;"),
        "launchers.h": header(f"what stands for {of_step}", ["harness/launcher.h", "rungs.h"], "",
                              *launchers),
        "kernels.h": header(of_step, [*(variant.path for variant in variants), "rungs.h"]),
        "rungs_here.h": header(f"{of_step}, and the list of them",
                               ["harness/workspace.h", "kernels.h"], "",
                               f"const {step_type(step)} kStep = {value};"),
        "rungs.cu": "\n".join(including(["rungs_here.h", *tune])) + "\n",
    }


def twins_files(ladder, name):
    import wrong_twins  # only this command needs it
    step = ladder.step(name)
    twins = wrong_twins.twins_of(STEPS / step.name)
    entries = [f"{cpp_string(twin.name)}, {twin.name}::{twin.variant}" for twin in twins]
    value = "\n".join(step_value(step, entries))
    files = [f"{step.name}/wrong/{twin.path.name}" for twin in twins]
    return {"twins.h": header(f"the wrong twins of {step.name}", [*files, *step_includes(step)], "",
                              f"inline const {step_type(step)} kTwins = {value};")}


def table_header(ladder):
    """Initializers of bench::Step and bench::Goal; see common/bench/ladder.h."""
    def sizes(step, values):
        return cpp_list(cpp_list(map(cpp_string, step.arguments(size))) for size in values)

    lines = [f"{MADE}.", "#pragma once", "", '#include "bench/ladder.h"', "", "namespace bench {",
             "inline const std::vector<Step> kSteps = {"]
    for step in ladder.steps:
        everywhere = [variant.name for variant in ladder.variants_of(step.name)
                      if variant.all_sizes]
        lines += [f"    {{{cpp_string(step.program)},",
                  f"     {cpp_string(f'steps/{step.name}/{step.program}')},",
                  f"     {sizes(step, step.measured)},",
                  f"     {cpp_list(map(cpp_string, everywhere))},",
                  f"     {step.repeats}, {str('/' not in step.name).lower()}}},"]
    lines += ["};", "", "inline const std::vector<Goal> kGoals = {"]
    for goal in ladder.goals:
        lines.append(f"    {{{cpp_string(goal.title)}, {cpp_string(goal.step)}, "
                     f"Against::{goal.against}, {cpp_list(goal.size)}, {goal.goal}, {goal.aim}}},")
    return "\n".join([*lines, "};", "", "}  // namespace bench", ""])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in {"meson": (), "rungs": ("step", "out"), "twins": ("step", "out"),
                        "table": ("out",), "files": ("step",), "sizes": ("step",)}.items():
        command = commands.add_parser(name)
        for word in words:
            command.add_argument(word)
        command.add_argument("manifest", nargs="?", type=pathlib.Path, default=MANIFEST)
    arguments = parser.parse_args()
    try:
        ladder = read(arguments.manifest)
        if arguments.command == "meson":
            for step in ladder.steps:
                print(f"{step.chapter}|{step.name}|{','.join(step.programs)}")
        elif arguments.command == "files":
            print("\n".join(dict.fromkeys(one.path for one in ladder.variants_of(arguments.step))))
        elif arguments.command == "sizes":
            step = ladder.step(arguments.step)
            for size in step.ragged + step.checked:
                print(" ".join(step.arguments(size)))
        elif arguments.command == "table":
            pathlib.Path(arguments.out).write_text(table_header(ladder), encoding="utf-8")
        else:
            files_of = {"rungs": rungs_files, "twins": twins_files}[arguments.command]
            for name, text in files_of(ladder, arguments.step).items():
                (pathlib.Path(arguments.out) / name).write_text(text, encoding="utf-8")
    except (BadManifest, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
