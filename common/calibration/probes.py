#!/usr/bin/env python3
"""The cost of single memory accesses: on a GPU by Nsight Compute, on the CPU by its counters.

    probes.py collect PROBES FILE      on a machine with a GPU and ncu: runs the program `probes` of
                                       the cuda backend under ncu, and records what it counted
    probes.py check PROBES FILE        on the CPU: runs `probes` of the cpu backend, and holds its
                                       counters against the recorded file

`check` prints a line for each probe that differs without being among EXCEPTIONS, and for each
exception that nothing needs any more; exit code 1 if there is one, 2 if a program fails. Then it
prints how many probes each exception explains.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import ncu

# The program's parts, and what each of them is about.
PARTS = {
    "global": ("global_load", "global_store"),
    "shared": ("shared_load", "shared_store"),
    "random": ("shared_load", "shared_store"),
    "async": ("global_load", "shared_store"),
    "atomic": ("global_atomic", "shared_load", "shared_atomic"),
}


def _adds_up_in_the_compiler(probe):
    return probe["pattern"] == "one_address" and probe["kind"] in ("add_int", "add_one", "max_int")


def _loops_against_other_warps(probe):
    return (probe["space"] == "shared" and probe["kind"].startswith("add_float") and
            probe["pattern"] == "broadcast" and probe["threads"] > 32)


def _waits_for_other_warps(probe):
    return probe["space"] in ("shared", "async") and probe["threads"] > 32


def _goes_past_the_cache(probe):
    return probe["space"] == "async" and probe["bytes"] == 16


def _may_need_no_swap(probe):
    return probe["space"] == "shared" and probe["kind"].startswith("max_long")


# Differences that a count of one warp's addresses cannot know, because the hardware or the compiler
# makes them: why, which probes, and the figures that may differ.
EXCEPTIONS = (
    ("All lanes have one address, and the compiler sees it: it lets the warp add up integers in "
     "registers (REDUX, POPC), and one lane do the rest.",
     _adds_up_in_the_compiler, ("sectors", "wavefronts", "conflicts")),
    ("A maximum of 64 bits in shared memory is a loop that ends without a swap where the word is "
     "large enough already: what it costs depends on the values.",
     _may_need_no_swap, ("requests", "wavefronts", "conflicts")),
    ("Warps that add floats to one word come between one another's load and compare-and-swap, and "
     "have to go round again: how often differs from run to run.",
     _loops_against_other_warps, ("requests", "wavefronts", "conflicts")),
    ("The hardware's counters of shared memory include passes in which a warp waits for another's.",
     _waits_for_other_warps, ("wavefronts", "conflicts")),
    ("Asynchronous copies of 16 bytes go past the L1 cache (LDGSTS.BYPASS). The figures of ncu "
     "follows the addresses on both sides by a rule that is not known here, unless both are "
     "whole cache lines.",
     _goes_past_the_cache, ("sectors", "wavefronts", "conflicts")),
)


def name_of(probe):
    return "{space} {kind} of {bytes} bytes, {pattern}, {threads} threads".format(**probe)


def collect(program, path):
    with ncu.Recording(path, ncu.environment()) as recording:
        for part, kinds in PARTS.items():
            printed, launches = ncu.profile([program, part], ncu.metrics_of(kinds))
            probes = [json.loads(line) for line in printed.splitlines()]
            if len(probes) != len(launches):
                raise ncu.Failure(f"{part}: {len(probes)} probes, {len(launches)} launches")
            for probe, launch in zip(probes, launches):
                recording.add({"part": part, **probe, "ncu": ncu.figures_of(launch["metrics"])})
            print(f"{part}: {len(probes)} probes", flush=True)


def count_on_cpu(program):
    """The probes, and the counters of each in ncu's form."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counters.jsonl"
        environment = {**os.environ, "CUCPU_TOOLS": "counters", "CUCPU_JSON": str(file)}
        printed = subprocess.run([program, *PARTS], env=environment, capture_output=True, text=True,
                                 check=True).stdout
        launches = ncu.launches_in(file)
    return list(zip([json.loads(line) for line in printed.splitlines()],
                    [launch["counters"] for launch in launches], strict=True))


def differences(line, counters):
    """[(kind of access, figure, ncu's, the CPU's)] of one launch."""
    found = []
    for kind in PARTS[line["part"]]:
        measured = dict(line["ncu"].get(kind) or dict.fromkeys(ncu.METRICS[kind], 0))
        # The hardware's wavefronts go before those that ncu works out.
        if "hardware_wavefronts" in measured and line["part"] != "async":
            measured["wavefronts"] = measured["hardware_wavefronts"]
        for figure in ("requests", "sectors", "wavefronts", "conflicts"):
            if figure in measured and measured[figure] != counters[kind][figure]:
                found.append((kind, figure, measured[figure], counters[kind][figure]))
    return found


def worked_out_otherwise(recorded):
    """Probes of one warp of which ncu works out other wavefronts than the hardware counted."""
    return [line for line in recorded if line["threads"] <= 32 and line["part"] != "async" and any(
        figures.get("hardware_wavefronts", figures["wavefronts"]) != figures["wavefronts"]
        for figures in line["ncu"].values() if "wavefronts" in figures)]


def check(recorded, counted):
    """The lines to print about what differs, and how many probes each exception explains."""
    faults = []
    explained = [0] * len(EXCEPTIONS)
    if [name_of(line) for line in recorded] != [name_of(probe) for probe, _ in counted]:
        return ["the probes are not those of the recorded file: collect it anew"], explained
    for line, (probe, counters) in zip(recorded, counted):
        left = differences(line, counters)
        for i, (_, applies, figures) in enumerate(EXCEPTIONS):
            rest = [d for d in left if not (applies(probe) and d[1] in figures)]
            if rest != left:
                explained[i] += 1
            left = rest
        for kind, figure, measured, count in left:
            faults.append(f"{name_of(probe)}: {kind} {figure}: ncu {measured}, CPU {count}")
    for (why, _, _), count in zip(EXCEPTIONS, explained):
        if count == 0:
            faults.append(f"no probe needs the exception any more: {why}")
    return faults, explained


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in ("collect", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    action, program, path = arguments
    try:
        if action == "collect":
            collect(program, path)
            return 0
        environment, recorded = ncu.read_lines(path)
        counted = count_on_cpu(program)
    except (ncu.Failure, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return getattr(error, "exit_code", 2)
    faults, explained = check(recorded, counted)
    for fault in faults:
        print(fault)
    print(f"{len(counted)} probes, measured with ncu {environment['ncu']} on {environment['device']}")
    for (why, _, _), count in zip(EXCEPTIONS, explained):
        print(textwrap.fill(f"{count} differ: {why}", 100, subsequent_indent="  "))
    print(f"ncu works out other wavefronts than the hardware counted: "
          f"{len(worked_out_otherwise(recorded))}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
