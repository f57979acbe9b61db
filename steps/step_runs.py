"""The counts of the steps' kernels on the CPU backend.

A kernel is run by the program of its step, in a build folder of that backend, with as many
SMs as the GPU has whose records are in docs/results, as some kernels launch blocks by their
number. Results are kept, as long as the object lives.
"""

import concurrent.futures
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import expressions
import ladder as manifest
import ladder_changes

SMS = 132  # of an H200
# In the sources of a kernel whose counts depend on it.
ASKS_THE_DEVICE = re.compile("multiprocessor", re.I)
SECTOR_BYTES = 32


class Failure(Exception):
    """A program is missing, or does not do what it was asked to."""


@dataclasses.dataclass(frozen=True)
class Line:
    """The counts of a line of the sources, over all launches."""
    file: str
    line: int
    counters: dict


def added(counters):
    """The sum of several launches' or lines' counters; parts of a whole are worked out anew."""
    sums = {}
    for one in counters:
        for kind, figures in one.items():
            if isinstance(figures, dict):
                into = sums.setdefault(kind, {})
                for name, value in figures.items():
                    into[name] = into.get(name, 0) + value
            else:
                sums[kind] = sums.get(kind, 0) + figures
    for figures in sums.values():
        if isinstance(figures, dict) and "sectors" in figures:
            sectors, requests = figures["sectors"], figures["requests"]
            figures["sectors_per_request"] = sectors / requests if requests else 0
            figures["efficiency"] = \
                min(1, figures["bytes"] / (SECTOR_BYTES * sectors)) if sectors else 0
    return sums


class Run:
    """The counters of one kernel's launches, added up."""

    def __init__(self, launches):
        self.launches = launches
        self.counters = added(launch["counters"] for launch in launches)
        by_line = {}
        for launch in launches:
            for one in launch["lines"]:
                by_line.setdefault((one["file"], one["line"]), []).append(one["counters"])
        self.lines = [Line(file, line, added(counters))
                      for (file, line), counters in by_line.items()]

    def figure(self, name):
        """A field, such as "global_load.sectors", "barriers" or "launch.blocks"."""
        if name == "launch.blocks":
            return sum(math.prod(launch["grid"]) for launch in self.launches)
        if name == "launch.threads":
            sizes = sorted({math.prod(launch["block"]) for launch in self.launches})
            if len(sizes) > 1:
                raise expressions.Fault(f"{name}: the launches have blocks of "
                                        f"{' and '.join(map(str, sizes))} threads")
            return sizes[0]
        value = counter(self.counters, name)
        if value is None:
            raise expressions.Fault(f"there is no field '{name}'; {self.allowed(name)}")
        return value

    def allowed(self, name):
        kind = name.partition(".")[0]
        if isinstance(self.counters.get(kind), dict):
            return "allowed: " + ", ".join(f"{kind}.{field}" for field in self.counters[kind])
        return "allowed: " + ", ".join(
            [f"{kind}.FIELD" if isinstance(value, dict) else kind
             for kind, value in self.counters.items()] + ["launch.blocks", "launch.threads"])

    def value(self, fields):
        """The value of an expression over fields: "global_load.sectors / global_load.requests"."""
        return expressions.value_of(fields, names=self.figure)


def counter(counters, name):
    """A field of counters; None: there is none of this name."""
    kind, dot, field = name.partition(".")
    value = counters.get(kind)
    if dot:
        value = value.get(field) if isinstance(value, dict) else None
    return value if isinstance(value, (int, float)) else None


class Runs:
    """The runs of a build folder's programs, each done once."""

    def __init__(self, build, ladder):
        self.build, self.ladder, self.done = pathlib.Path(build), ladder, {}

    def variant(self, kernel):
        for variant in self.ladder.variants:
            if variant.name == kernel:
                return variant
        raise expressions.Fault(f"there is no kernel '{kernel}' in the ladder")

    def program(self, kernel):
        """The path of the program that has the kernel."""
        step = self.ladder.step(self.variant(kernel).program_step)
        return self.build / "steps" / step.name / step.program

    def command(self, kernel, options):
        """How a reader gets the same counts, from the project's folder."""
        source = "\n".join(ladder_changes.expanded(manifest.STEPS / self.variant(kernel).path))
        setting = f"CUCPU_SMS={SMS} " if ASKS_THE_DEVICE.search(source) else ""
        program = self.program(kernel).relative_to(self.build)
        return f"{setting}build/{program} --kernel {kernel} {options} --counters"

    def check_built(self, kernels):
        """Raises Failure where a program of these kernels is missing, or cannot count."""
        for program in dict.fromkeys(map(self.program, kernels)):
            if not program.is_file():
                raise Failure(f"{program} is missing; meson compile -C {self.build} builds it")
            if not program.with_name(program.name + ".traced").is_file():
                raise Failure(f"{program} counts nothing: the build folder has to be one of the "
                              "cpu backend, built with g++")

    def run(self, kernel, options):
        key = (kernel, " ".join(options.split()))
        if key not in self.done:
            self.done[key] = self.counted(*key)
        return self.done[key]

    def run_all(self, wanted):
        """Several, side by side: [(kernel, options)]. A run that fails does so again when asked for."""
        def run(pair):
            with contextlib.suppress(Failure, expressions.Fault):
                self.run(*pair)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, dict.fromkeys(wanted)))

    def counted(self, kernel, options):
        program = self.program(kernel)
        self.check_built([kernel])
        words = [str(program), "--kernel", kernel, *options.split(), "--repeat", "0", "--json"]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "counters.jsonl"
            done = subprocess.run(words, capture_output=True, text=True, check=False, env={
                **os.environ, "CUCPU_TOOLS": "counters", "CUCPU_JSON": str(file),
                "CUCPU_SMS": str(SMS)})
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
                raise Failure(f"{program.name} --kernel {kernel} {options}: exit code "
                              f"{done.returncode}: {last}")
            entries = map(json.loads, file.read_text(encoding="utf-8").splitlines())
            launches = [entry for entry in entries if entry["type"] == "launch"]
        if not launches:
            raise Failure(f"{program.name} --kernel {kernel} {options}: launches nothing")
        return Run(launches)
