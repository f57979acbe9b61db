#!/usr/bin/env python3
"""The faults that are planted in the steps' wrong/ folders, and the tools that find them.

    wrong_twins_report.py collect CUDA_BUILD OUT
        on a machine with a GPU: runs every twin plainly and under compute-sanitizer's four tools,
        those that counters reject under ncu too; writes OUT/wrong.jsonl, and goes on with what is
        in it already
    wrong_twins_report.py table OUT/wrong.jsonl CPU_BUILD
        runs them with --sanitize and --counters on the CPU, and writes both sides to docs/results:
        wrong_twins.jsonl, and as a table wrong_twins.md
    wrong_twins_report.py renew CPU_BUILD
        the same for the twins that are new or say something else of themselves than docs/results
        does; a new one has no run on a GPU yet
    wrong_twins_report.py check
        whether wrong_twins.md is the table of wrong_twins.jsonl, and both have all twins
"""

import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import wrong_twins

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "common" / "calibration"))
import ncu  # noqa: E402

RESULTS = ROOT / "docs" / "results"
LINES, TABLE = RESULTS / "wrong_twins.jsonl", RESULTS / "wrong_twins.md"

SECONDS = 15  # for a run; a deadlock takes them all
AT_ONCE = 14
SANITIZER_FOUND = 99
PLAIN, PROFILE = "result", "counters"  # checks that are no checkers

Run = collections.namedtuple("Run", "code output")  # code None: did not end


def run(command, **environment):
    """Ended after SECONDS, with all that it started."""
    process = subprocess.Popen([str(word) for word in command], text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env={**os.environ, **environment}, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SECONDS)
        return Run(process.returncode, output)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Run(None, output)


def twin_program(build, twin):
    return [build / "steps" / twin.folder / f"{twin.step}_wrong", "--kernel", twin.name, *twin.size]


def right_program(build, twin):
    return [build / "steps" / twin.folder / twin.step, "--kernel", twin.variant, *twin.size]


def all_twins():
    return [twin for step in wrong_twins.all_steps() for twin in wrong_twins.twins_of(step)]


# --- on a GPU -------------------------------------------------------------------------------------

def each_cost(read, kind):
    """Sectors or wavefronts per request, whichever the figure `kind` is about; None: not told."""
    group, figure = kind.split(".")
    costs = "sectors" if figure.startswith("sectors") else "wavefronts"
    requests, all_costs = read(f"{group}.requests"), read(f"{group}.{costs}")
    return round(all_costs / requests, 2) if requests and all_costs is not None else None


def profile(command, kind):
    group = kind.split(".")[0]
    _, launches = ncu.profile([*command, "--repeat", "0"],
                              ncu.metrics_of([group], ncu.COUNTED))
    sums = collections.Counter()
    for launch in launches:
        sums.update(ncu.figures_of(launch["metrics"]).get(group, {}))
    return each_cost(lambda figure: sums.get(figure.split(".")[1]), kind)


# The first line of a report, not those that are indented under it.
REPORT = re.compile(r"^========= (?! |COMPUTE-SANITIZER|\w+ SUMMARY:)(.+)$")
SUMMARY = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: (.+)$", re.M)


def reports_of(output):
    """The sanitizer's reports: (first line, all of it)."""
    reports = []
    for line in output.splitlines():
        title = REPORT.match(line)
        if title:
            reports.append((title[1], [line]))
        elif reports and line.startswith("=========  "):
            reports[-1][1].append(line)
    return [(title, "\n".join(lines)) for title, lines in reports]


def kind_of(title, text):
    """A report's kind in our words."""
    if title.startswith("Program hit"):
        return "api_error"
    if title.startswith("Uninitialized"):
        return "uninitialized"
    if title.startswith("Leaked"):
        return "leak"
    if "Race reported" in title or "hazard" in title:
        return "race"
    if "Barrier error" in title:
        return "invalid_mask" if "mask" in text.lower() else "barrier_divergence"
    if title.startswith("Invalid"):
        if "misaligned" in text:
            return "misaligned"
        return "use_after_free" if "free" in text else "out_of_bounds"
    return "other"


def sanitize_on_gpu(build, twin, tool):
    more = ["--leak-check", "full"] if tool == "memcheck" else []
    done = run(["compute-sanitizer", "--tool", tool, *more, "--error-exitcode", SANITIZER_FOUND,
                *twin_program(build, twin), "--repeat", "0"], TUTORIAL_GUARDS="off")
    reports = reports_of(done.output)
    summary = SUMMARY.search(done.output)
    return {
        "found": sorted({kind_of(*report) for report in reports} - {"api_error"}),
        "reports": sorted({title for title, _ in reports})[:5],
        "summary": summary[1] if summary else None,
        "exit_code": done.code,
    }


def collect_twin(build, twin):
    plain = run([*twin_program(build, twin), "--repeat", "0", "--json"])
    error = [line for line in plain.output.splitlines() if line.startswith("error: ")]
    gpu = {PLAIN: {"exit_code": plain.code, "error": error[0] if error else None}}
    for tool in wrong_twins.CHECKERS:
        gpu[tool] = sanitize_on_gpu(build, twin, tool)
    if twin.check.name == PROFILE:
        gpu[PROFILE] = {"right": profile(right_program(build, twin), twin.check.kind),
                        "twin": profile(twin_program(build, twin), twin.check.kind)}
    return {"step": twin.step, "twin": twin.name, "gpu": gpu}


def first_line(*command, containing=""):
    lines = [line for line in run(command).output.splitlines() if containing in line]
    return lines[0].strip() if lines else None


def collect(build, out):
    out.mkdir(parents=True, exist_ok=True)
    device, driver = first_line("nvidia-smi", "--query-gpu=name,driver_version",
                                "--format=csv,noheader").split(", ")
    head = {"device": device, "driver": driver,
            "sanitizer": first_line("compute-sanitizer", "--version", containing="ersion"),
            "date": datetime.date.today().isoformat()}
    path = out / "wrong.jsonl"
    done = read_lines(path)[1] if path.exists() else []
    known = {(line["step"], line["twin"]) for line in done}
    left = [twin for twin in all_twins() if (twin.step, twin.name) not in known]
    with open(path, "w", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for line in [head, *done]:
            print(json.dumps(line), file=file, flush=True)
        running = [pool.submit(collect_twin, build, twin) for twin in left]
        for one in concurrent.futures.as_completed(running):
            print(json.dumps(one.result()), file=file, flush=True)
    return 0


# --- on the CPU, and both -------------------------------------------------------------------------


def sanitize_on_cpu(build, twin):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "findings.jsonl"
        run([*twin_program(build, twin), "--sanitize"], CUCPU_JSON=str(path))
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    findings = [line for line in map(json.loads, lines) if line["type"] == "finding"]
    return {tool: {"found": sorted({f["kind"] for f in findings if f["tool"] == tool})}
            for tool in wrong_twins.CHECKERS}


def count_on_cpu(command, kind):
    counters = json.loads(run([*command, "--counters", "--json"]).output)["counters"]

    def read(figure):
        group, name = figure.split(".")
        return counters[group][name]
    return each_cost(read, kind)


def on_cpu(build, twin):
    plain = run([*twin_program(build, twin), "--repeat", "0", "--json"])
    error = [line for line in plain.output.splitlines() if line.startswith("error: ")]
    cpu = {PLAIN: {"exit_code": plain.code, "error": error[0] if error else None}}
    cpu.update(sanitize_on_cpu(build, twin))
    if twin.check.name == PROFILE:
        cpu[PROFILE] = {"right": count_on_cpu(right_program(build, twin), twin.check.kind),
                        "twin": count_on_cpu(twin_program(build, twin), twin.check.kind)}
    return cpu


def describe(twin):
    return {"step": twin.step, "twin": twin.name, "of": twin.variant, "fault": twin.fault,
            "rejected_by": str(twin.check), "size": " ".join(twin.size)}


def told_by(line):
    """A recorded line's part that describe() made."""
    return {key: line[key] for key in describe(all_twins()[0])}


def kinds_found(result):
    """A tool's findings on the kernel; not that the program ended with an error, nor, if an error
    ended it, that it freed nothing."""
    kinds = set(result["found"]) - {"other"}
    if any(title.startswith("Host API memory access error") for title in result.get("reports", [])):
        kinds.add("uninitialized")  # the host copies what was never written
    return sorted(kinds - {"leak"}) or sorted(kinds)


def is_found(line, side):
    """Whether a twin is rejected on this side: by any tool, if it is one for the tools."""
    check = line["rejected_by"].split()[0]
    if line[side] is None:
        return False
    if check == PLAIN:
        return line[side][PLAIN]["exit_code"] == 1
    if check == PROFILE:
        cost = line[side][PROFILE]
        return None not in cost.values() and cost["twin"] > cost["right"]
    return any(kinds_found(line[side][tool]) for tool in wrong_twins.CHECKERS)


def finds_cell(results):
    """The findings of the tools, whatever the plain result."""
    parts = [f"{tool}: {', '.join(kinds_found(results[tool]))}"
             for tool in wrong_twins.CHECKERS if kinds_found(results[tool])]
    parts += [f"{tool}: no end" for tool in wrong_twins.CHECKERS
              if results[tool].get("exit_code", 0) is None]
    if PROFILE in results:
        parts.append("{twin} per request instead of {right}".format(**results[PROFILE]))
    return "; ".join(parts).replace("_", " ") or "-"


def plain_cell(results):
    result = results[PLAIN]
    if result["exit_code"] is None:
        return "no end"
    if result["exit_code"] == 0:
        return "right"
    error = result["error"] or ""
    cuda = re.search(r"cudaError\w+", error)
    return cuda[0] if cuda else "outside" if " was written" in error else "wrong"


INTRODUCTION = """# Planted faults, and who finds them

Made by `steps/wrong_twins_report.py table`; not to be edited. A twin is a kernel of a step with one
fault; `steps/NN_name/wrong/TWIN.cuh` says which, and why it is one.

- *plain run*: the result is right or wrong, something outside a buffer was written, or the run ends
  with an error or not at all.
- *found on the CPU*: by `--sanitize`, or, where only the cost is wrong, by `--counters` (sectors or
  wavefronts per request).
- *found on the GPU*: by the four tools of compute-sanitizer, or by ncu.

The GPU is an {device} with driver {driver}; compute-sanitizer {sanitizer}; {date}.

| to be rejected by | planted | found on the CPU | run on the GPU | found on the GPU |
|---|---|---|---|---|
"""


def table(head, lines):
    by_check = collections.defaultdict(list)
    for line in lines:
        check = line["rejected_by"]
        by_check[PROFILE if check.startswith(PROFILE) else check.replace("_", " ")].append(line)
    text = INTRODUCTION.format(**head)
    for check, twins in [*sorted(by_check.items()), ("all", lines)]:
        cpu, gpu = (sum(is_found(line, side) for line in twins) for side in ("cpu", "gpu"))
        run_there = sum(line["gpu"] is not None for line in twins)
        text += f"| {check} | {len(twins)} | {cpu} | {run_there} | {gpu} |\n"
    step = None
    for line in lines:
        if line["step"] != step:
            step = line["step"]
            text += (f"\n## {step}\n\n"
                     "| twin | plain run: CPU | GPU | found on the CPU | found on the GPU |\n"
                     "|---|---|---|---|---|\n")
        cells = [f"`{line['twin']}`",
                 *(cell(line[side]) if line[side] else "not run"
                   for cell in (plain_cell, finds_cell) for side in ("cpu", "gpu"))]
        text += "| " + " | ".join(cells) + " |\n"
    return text


def read_lines(path):
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return head, lines


def write_table(collected, build, known=()):
    """`known`: lines whose twins are not run again."""
    head, lines = read_lines(collected)
    gpu = {(line["step"], line["twin"]): line["gpu"] for line in lines}
    cpu = {json.dumps(told_by(line)): line["cpu"] for line in known}
    merged = []
    for twin in all_twins():
        told = describe(twin)
        merged.append({**told, "cpu": cpu.get(json.dumps(told)) or on_cpu(build, twin),
                       "gpu": gpu.get((twin.step, twin.name))})  # None: not run there
    with open(LINES, "w", encoding="utf-8") as file:
        for line in [head, *merged]:
            print(json.dumps(line), file=file)
    TABLE.write_text(table(head, merged), encoding="utf-8")
    return 0


def check():
    head, lines = read_lines(LINES)
    faults = []
    if [told_by(line) for line in lines] != [describe(twin) for twin in all_twins()]:
        faults.append(f"{LINES}: has not the twins as they are now")
    if TABLE.read_text(encoding="utf-8") != table(head, lines):
        faults.append(f"{TABLE}: is not the table of {LINES.name}")
    faults += [f"{LINES}: {line['step']}/{line['twin']} was not found on the CPU"
               for line in lines if not is_found(line, "cpu")]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def main():
    match sys.argv[1:]:
        case ["collect", build, out]:
            return collect(pathlib.Path(build), pathlib.Path(out))
        case ["table", collected, build]:
            return write_table(pathlib.Path(collected), pathlib.Path(build).resolve())
        case ["renew", build]:
            return write_table(LINES, pathlib.Path(build).resolve(), read_lines(LINES)[1])
        case ["check"]:
            return check()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
