#!/usr/bin/env python3
"""The accesses of every kernel's first block, recorded for the site's drawings.

    traces.py write BUILD     runs the steps of a build folder of the cpu backend, and writes
                              docs/results/traces.jsonl
    traces.py check BUILD     the same, but only says whether the file is up to date (exit code 1: it
                              is not)
    traces.py check BUILD --any-line
                              the same for another compiler than g++ 12, with which the file is
                              written: it may load a struct's members in another order, or attribute
                              them to another line

A line is a launch: the requests of warp 0 (the first ones, and all that store), with the addresses of
its lanes as runs [first, stride, count] of bytes from the beginning of the memory; of a matrix product
also which parts of A and B the block reads slice by slice, and which part of C each warp computes.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402

PATH = ROOT / "docs" / "results" / "traces.jsonl"
FIRST = 40  # requests of warp 0 that are kept, besides stores to global memory
STORES = 70
KINDS = ("global_load", "global_store", "global_atomic", "shared_load", "shared_store",
         "shared_atomic")


def run(build, step, variant):
    """The lines that one variant writes to CUCPU_JSON, at the size of the drawings."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "accesses.jsonl"
        command = [build / "steps" / step.name / step.program, "--kernel", variant,
                   *step.arguments(step.drawn), "--repeat", "0"]
        environment = {"CUCPU_TOOLS": "accesses", "CUCPU_JSON": str(file), "CUCPU_THREADS": "1",
                       "CUCPU_SMS": "132", "TUTORIAL_GUARDS": "off"}
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **environment})
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def runs(offsets):
    """[first, stride, count] of numbers that are evenly apart."""
    result = []
    for offset in offsets:
        if result and result[-1][2] == 1:
            result[-1][1:] = [offset - result[-1][0], 2]
        elif result and offset == result[-1][0] + result[-1][1] * result[-1][2]:
            result[-1][2] += 1
        else:
            result.append([offset, 0, 1])
    return result


def source_of(file):
    """A path in the repository: the build may have been given another."""
    return "steps/" + file.rpartition("steps/")[2]


def request_of(access, memories, shared_begin):
    kept = {"space": access["space"], "kind": access["kind"], "bytes": access["bytes"],
            "lanes": access["lanes"]}
    if access.get("copy"):
        kept["copy"] = True
    begin = shared_begin
    if access["space"] == "global":
        kept["units"] = access["sectors"]
        kept["memory"] = memories.setdefault(access["memory"], len(memories))
        begin = 0
    else:
        kept["units"] = access["wavefronts"]
    kept["runs"] = runs([offset - begin for offset in access["offsets"]])
    kept["file"], kept["line"] = access["file"], access["line"]
    return kept


def costs_of(launch):
    """The cost of each line, per request."""
    result = []
    for line in launch["lines"]:
        file = source_of(line["file"])
        costs = []
        for kind in KINDS:
            counts = line["counters"][kind]
            if counts["requests"]:
                units = "sectors" if kind.startswith("global") else "wavefronts"
                each = round(counts[units] / counts["requests"], 2)
                costs.append(f"{kind.replace('_', ' ')}: {each:g} {units if each != 1 else units[:-1]}")
        if line["counters"]["barriers"]:
            costs.append("barrier")
        if line["counters"]["shuffles"]:
            costs.append("shuffle")
        if costs and (ROOT / file).exists():
            result.append({"file": file, "line": line["line"], "costs": costs})
    return sorted(result, key=lambda one: (one["file"], one["line"]))


def box(cells):
    """[first row, behind the last, first column, behind the last]"""
    rows, cols = [r for r, _ in cells], [c for _, c in cells]
    return [min(rows), max(rows) + 1, min(cols), max(cols) + 1]


def cells_of(access, ld):
    return [divmod(offset // 4 + i, ld) for offset in access["offsets"]
            for i in range(access["bytes"] // 4)]


def product_of(step, accesses):
    """For a matrix product: the parts of A and B that the block reads, slice by slice, and the part of
    C that each warp writes. None for a launch whose first block does no such thing: it has no share of
    the work, leaves a part of a sum, or adds up what others left."""
    m, n, k = step.drawn
    loads = [one for one in accesses if (one["space"], one["kind"]) == ("global", "load")]
    if not loads:
        return None
    # The first load of a warp is of A, and A, B and C have memory of their own.
    a = loads[0]["memory"]
    starts = sorted({min(c for _, c in cells_of(one, k)) for one in loads if one["memory"] == a})
    seen, slices = {}, [{"A": [], "B": []} for _ in starts]
    total = {}
    for one in loads:
        key = (one["warp"], one["memory"])
        total[key] = total.get(key, 0) + 1
    for one in loads:
        key = (one["warp"], one["memory"])
        place = seen.get(key, 0) * len(starts) // total[key]
        seen[key] = seen.get(key, 0) + 1
        name, ld = ("A", k) if one["memory"] == a else ("B", n)
        slices[place][name] += cells_of(one, ld)
    stores = {}
    for one in accesses:
        if (one["space"], one["kind"]) == ("global", "store"):
            stores.setdefault(one["warp"], []).extend(cells_of(one, n))
    if not stores or not all(one["A"] and one["B"] for one in slices) or \
            box([cell for one in slices for cell in one["A"]])[2:] != [0, k]:
        return None
    return {"m": m, "n": n, "k": k,
            "slices": [{name: box(cells) for name, cells in one.items()} for one in slices],
            "warps": [box(stores[warp]) for warp in sorted(stores)]}


def launches_of(build, step, variant):
    lines = run(build, step, variant)
    launches = [line for line in lines if line["type"] == "launch"]
    for number, launch in enumerate(launches):
        accesses = [line for line in lines
                    if line["type"] == "access" and line["launch"] == number]
        for access in accesses:
            access["file"] = source_of(access["file"])
        shared = [min(one["offsets"]) for one in accesses if one["space"] == "shared"]
        requests, memories = [], {}
        for access in accesses:
            if access["warp"] != 0:
                continue
            is_store = (access["space"], access["kind"]) == ("global", "store")
            if len(requests) < (STORES if is_store else FIRST):
                requests.append(request_of(access, memories, min(shared, default=0)))
        trace = {"step": step.program, "shape": " ".join(step.arguments(step.drawn)),
                 "variant": variant,
                 "kernel": launch["kernel"], "grid": launch["grid"], "block": launch["block"],
                 "requests": requests, "lines": costs_of(launch)}
        product = product_of(step, accesses) if step.problem == "sgemm" else None
        if product:
            trace["product"] = product
        yield trace


def collect(build):
    manifest = ladder.read()
    jobs = [(step, variant.name) for step in manifest.steps
            for variant in manifest.variants_of(step.name)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda job: list(launches_of(build, *job)), jobs)
        return "".join(json.dumps(trace, separators=(",", ":")) + "\n"
                       for traces in made for trace in traces)


def without_lines(trace):
    """The same, whatever lines and whatever order a compiler gives to the accesses."""
    requests = [{key: value for key, value in request.items() if key not in ("file", "line")}
                for request in trace["requests"]]
    costs = [cost for line in trace["lines"] for cost in line["costs"]]
    return {**trace, "requests": sorted(map(json.dumps, requests)), "lines": sorted(costs)}


def differences(made, recorded, any_line):
    """The launches of one list that the other does not have."""
    keys = [[json.dumps(without_lines(trace) if any_line else trace) for trace in traces]
            for traces in (made, recorded)]
    return [trace for key, trace in zip(keys[0], made) if key not in keys[1]] + \
        [trace for key, trace in zip(keys[1], recorded) if key not in keys[0]]


def main(arguments):
    any_line = arguments[2:] == ["--any-line"] and arguments[0] == "check"
    if len(arguments) != (3 if any_line else 2) or arguments[0] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    text = collect(pathlib.Path(arguments[1]).resolve())
    if arguments[0] == "write":
        PATH.write_text(text, encoding="utf-8")
        return 0
    made, recorded = [list(map(json.loads, lines.splitlines()))
                      for lines in (text, PATH.read_text(encoding="utf-8"))]
    different = differences(made, recorded, any_line)
    if not different and (any_line or made == recorded):
        return 0
    print(f"{PATH}: out of date; traces.py write brings it up to date", file=sys.stderr)
    for one in different:
        print(f"  {one['step']} {one['variant']} {one['kernel']} differs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
