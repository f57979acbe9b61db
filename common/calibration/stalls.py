#!/usr/bin/env python3
"""The stalls of each rung of the ladder on a GPU, as Nsight Compute sees them.

    stalls.py collect BUILD FILE [STEP...]   on a machine with a GPU and ncu: runs the rungs of a build
                                             folder of the cuda backend under ncu, each at its step's
                                             first measured size, and records a line per launch
    stalls.py table FILE                     the recorded lines as a table

A line has, beside what was launched:

    us                 duration of the launch, in microseconds, with ncu beside it
    registers          per thread
    warps              per SM, on average over its busy cycles
    issue_percent      of the issue slots in which an instruction was issued
    fma_percent        of the FMA pipe's peak
    shared_percent     of the peak of the pipe that shared memory's wavefronts pass through
    dram_percent       of DRAM's peak bandwidth
    dram_read_bytes, dram_write_bytes
    stalls             reason -> cycles that a warp waits for it per instruction it issues, the two
                       largest first; waiting for another warp's turn is none (`not_selected`)

Ends with exit code 2 if a program fails.
"""

import sys

import agreement
import ladder  # which agreement lets be found
import ncu

# ncu's reasons for which a warp issues nothing, less those that are not the warp's own.
REASONS = ("barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
           "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
           "short_scoreboard", "sleeping", "tex_throttle", "wait")
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
FIGURES = {
    "us": ("gpu__time_duration.sum", 1e-3, 1),
    "registers": ("launch__registers_per_thread", 1, 0),
    "warps": ("sm__warps_active.avg.per_cycle_active", 1, 1),
    "issue_percent": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1, 1),
    "fma_percent": ("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 1, 1),
    "shared_percent":
        ("l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", 1, 1),
    "dram_percent": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1, 1),
    "dram_read_bytes": ("dram__bytes_read.sum", 1, 0),
    "dram_write_bytes": ("dram__bytes_write.sum", 1, 0),
}
METRICS = [metric for metric, _, _ in FIGURES.values()] + [STALL.format(why) for why in REASONS]
LARGEST = 2  # reasons that a line names


def figures_of(metrics):
    """A line's figures, from what ncu.read_csv has of a launch."""
    line = {}
    for name, (metric, factor, digits) in FIGURES.items():
        value = metrics.get(metric.removesuffix(".sum"))
        if value is not None:
            line[name] = round(value * factor, digits or None)
    waits = {why: metrics.get(STALL.format(why), 0) for why in REASONS}
    largest = sorted(REASONS, key=lambda why: -waits[why])[:LARGEST]
    line["stalls"] = {why: round(waits[why], 2) for why in largest}
    return line


def rung_of(kernel, rungs):
    """The rung that launched the kernel: the longest name that the kernel's begins with; or None."""
    fitting = [rung.name for rung in rungs if kernel.startswith(rung.name + "_")]
    return max(fitting, key=len, default=None)


def collect(build, path, wanted):
    manifest = ladder.read()
    with ncu.Recording(path, ncu.environment()) as recording:
        for step in manifest.steps:
            rungs = [one for one in manifest.variants_of(step.name) if one.is_rung]
            if not rungs or (wanted and step.program not in wanted):
                continue
            shape = step.arguments(step.measured[0])
            chosen = [word for rung in rungs for word in ("--kernel", rung.name)]
            command = [agreement.program_of(build, step), *chosen, *shape, "--repeat", "0"]
            kernels = "^(" + "|".join(rung.name for rung in rungs) + ")_"
            _, launches = ncu.profile(command, METRICS, kernels)
            for launch in launches:
                recording.add({"step": step.program, "shape": " ".join(shape),
                               "rung": rung_of(launch["kernel"], rungs), "kernel": launch["kernel"],
                               "grid": launch["grid"], "block": launch["block"],
                               **figures_of(launch["metrics"])})
            print(f"{step.program} {' '.join(shape)}: {len(launches)} launches", flush=True)


def table(path):
    """The lines of the table."""
    environment, lines = ncu.read_lines(path)
    yield f"{environment['device']}, ncu {environment['ncu']}, {environment['date']}"
    yield f"{'kernel':34} {'us':>9} {'regs':>4} {'warps':>5} {'issue':>6} {'FMA':>6} {'shared':>6} " \
          f"{'DRAM':>6}  cycles waited per instruction"
    for line in lines:
        shares = " ".join(f"{line.get(name, 0):5.1f}%" for name in
                          ("issue_percent", "fma_percent", "shared_percent", "dram_percent"))
        stalls = ", ".join(f"{why} {cycles}" for why, cycles in line["stalls"].items())
        yield f"{line['kernel'].removesuffix('_kernel'):34} {line['us']:9.1f} " \
              f"{line['registers']:4} {line['warps']:5.1f} {shares}  {stalls}"


def main(arguments):
    try:
        match arguments:
            case ["collect", build, path, *steps]:
                collect(build, path, steps)
            case ["table", path]:
                print("\n".join(table(path)))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except (ncu.Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return getattr(error, "exit_code", 2)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
