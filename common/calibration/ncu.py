"""Runs programs under Nsight Compute's command line, ncu, and reads what it counted.

    ncu.py header OUT    writes the metrics that a step's `--counters` names on a GPU as a C++ header
"""

import csv
import datetime
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# The names of the CPU backend's counters, and the metrics of ncu that are the same; if there are
# several, their sum is. All are sums over the launch.
#   - Metrics with `sass` come from the instructions that were executed: ncu works wavefronts out
#     from their addresses. Those without are counters of the hardware: in shared memory they include
#     instructions that all lanes skip (hence no requests from there) and passes in which warps of
#     several blocks wait for one another. For one warp alone they are what really happened; for some
#     wide loads in which lanes share words, that is not what ncu works out.
#   - An asynchronous copy is a load from global memory to both. Its store is an LDGSTS of its own to
#     ncu, and the hardware does not count the wavefronts of that.
#   - An atomic function is an ATOM where its result is used; else a RED, which only global memory
#     has.
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
SHARED_REQUESTS = "smsp__sass_inst_executed_op_"
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
HARDWARE_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"


def _global(*operations):
    return {"requests": [REQUESTS + name for name in operations],
            "sectors": [SECTORS + name for name in operations]}


def _shared(**operations):
    return {"requests": [SHARED_REQUESTS + name for name in operations.values()],
            "wavefronts": [WAVEFRONTS + name for name in operations],
            "hardware_wavefronts": [HARDWARE_WAVEFRONTS + name for name in operations
                                    if name != "ldgsts"],
            "conflicts": [CONFLICTS + name for name in operations]}


METRICS = {
    "global_load": _global("ld"),
    "global_store": _global("st"),
    "global_atomic": _global("red", "atom"),
    "shared_load": _shared(ld="shared_ld"),
    "shared_store": _shared(st="shared_st", ldgsts="ldgsts"),
    "shared_atomic": _shared(atom="shared_atom"),
}
FIGURES = ("requests", "sectors", "wavefronts", "hardware_wavefronts", "conflicts")
MULTIPROCESSORS = "device__attribute_multiprocessor_count"


SKIPPED = 77  # the exit code of what this machine cannot do, as of the steps' programs
NO_PERMISSION = "ERR_NVGPUCTRPERM"


class Failure(Exception):
    """ncu could not do what it was asked to; the text says what it printed."""

    exit_code = 2


class NoPermission(Failure):
    """The driver lets only administrators read the GPU's counters."""

    exit_code = SKIPPED

    def __init__(self):
        super().__init__(f"ncu may not read this GPU's counters ({NO_PERMISSION}): run as root, or have "
                         "the driver loaded with NVreg_RestrictProfilingToAdminUsers=0")


def metrics_of(kinds=tuple(METRICS), figures=FIGURES):
    """The metrics that these figures need, with the suffixes that --metrics wants."""
    names = {name for kind in kinds for figure, names in METRICS[kind].items()
             if figure in figures for name in names}
    return sorted(name + ".sum" for name in names) + [MULTIPROCESSORS]


# The figures that a step's counters and the comparison with the CPU consist of.
COUNTED = ("requests", "sectors", "wavefronts")


def header():
    """The metrics of COUNTED as the argument of `ncu --metrics`, for common/device/counters.cpp."""
    names = [name for name in metrics_of(figures=COUNTED) if name != MULTIPROCESSORS]
    literals = "\n".join(f'    "{name}{"," if name != names[-1] else ""}"' for name in names)
    return ("// Made by common/calibration/ncu.py.\n#pragma once\n\n"
            f"inline constexpr const char* kNcuMetrics =\n{literals};\n")


def _run(command):
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise Failure(f"{words[0]}: not found") from error
    except subprocess.CalledProcessError as error:
        if NO_PERMISSION in error.stdout + error.stderr:
            raise NoPermission from error
        raise Failure(f"{' '.join(words)}: exit code {error.returncode}\n"
                      f"{error.stdout[-2000:]}{error.stderr[-2000:]}") from error


def environment():
    """The GPU, driver and tools that the figures depend on."""
    query = "--query-gpu=name,driver_version"
    name, driver = _run(["nvidia-smi", query, "--format=csv,noheader"]).splitlines()[0].split(", ")
    version = re.search(r"Version (\S+)", _run(["ncu", "--version"])).group(1)
    return {"device": name, "driver": driver, "ncu": version,
            "date": datetime.date.today().isoformat()}


def profile(command, metrics, kernels=None):
    """The program's output, and its launches as read_csv has them; `kernels`, a regular
    expression, says which ones (all). Some versions of ncu say in the log alone that they may not
    count, and end as if they had."""
    chosen = ["--kernel-name", f"regex:{kernels}"] if kernels else []
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.csv"
        # Clocks and caches are left as they are: counts do not depend on them, and what is measured
        # is measured as it runs.
        log.touch()
        try:
            printed = _run(["ncu", "--clock-control", "none", "--cache-control", "none",
                            "--csv", "--page", "raw", "--print-kernel-base", "function",
                            "--print-units", "base", "--log-file", log, *chosen,
                            "--metrics", ",".join(metrics), *command])
        finally:
            if NO_PERMISSION in log.read_text():
                raise NoPermission
        return printed, read_csv(log.read_text(), metrics)


def read_csv(text, metrics):
    """The launches of `ncu --csv --page raw`, in order: kernel, grid, block, and those of the metrics
    that ncu could tell. Sums are whole numbers, and named without their suffix."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = csv.reader(io.StringIO("\n".join(lines)))
    header = next(rows, None)
    if header is None or next(rows, None) is None:  # the second row has the units
        raise Failure(f"no launches: {text[-2000:]}")
    launches = []
    for row in rows:
        cell = dict(zip(header, row))
        told = {name: float(cell[name].replace(",", "")) for name in metrics
                if cell.get(name, "n/a") not in ("n/a", "")}
        launches.append({"kernel": cell["Kernel Name"], "grid": _extent(cell["Grid Size"]),
                         "block": _extent(cell["Block Size"]),
                         "metrics": {name.removesuffix(".sum"):
                                     round(value) if value.is_integer() else value
                                     for name, value in told.items()}})
    return launches


def _extent(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def figures_of(metrics):
    """{"global_load": {"requests": 8, "sectors": 32}, ...} of one launch. Figures that were not
    measured are left out, and so are kinds of access that did not happen."""
    result = {}
    for kind, named in METRICS.items():
        counts = {figure: sum(metrics.get(name, 0) for name in names)
                  for figure, names in named.items() if any(name in metrics for name in names)}
        if any(counts.values()):
            result[kind] = counts
    return result


def read_lines(path):
    """A recorded file: the environment on its first line, and the other lines."""
    with open(path, encoding="utf-8") as file:
        environment, *lines = [json.loads(line) for line in file]
    return environment, lines


def launches_in(path):
    """The launches that CUCPU_JSON lists, in order."""
    with open(path, encoding="utf-8") as file:
        return [entry for entry in map(json.loads, file) if entry["type"] == "launch"]


class Recording:
    """A file that is written line by line, so that what was measured stays if the rest fails. Until
    there is a first line, the file is what it was."""

    def __init__(self, path, environment):
        self.path, self.environment, self.file = path, environment, None

    def add(self, line):
        if self.file is None:
            self.file = open(self.path, "w", encoding="utf-8")
            self.file.write(json.dumps(self.environment) + "\n")
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.file is not None:
            self.file.close()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "header":
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(header(), encoding="utf-8")
