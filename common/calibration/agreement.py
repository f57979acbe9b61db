#!/usr/bin/env python3
"""Every kernel of every step, counted on the CPU and by Nsight Compute, side by side.

    agreement.py collect BUILD FILE [STEP...]
                                    on a machine with a GPU and ncu: runs the steps of a build folder of
                                    the cuda backend under ncu, and records the counts
    agreement.py write BUILD FILE   on the CPU: counts the same in a build folder of the cpu backend, and
                                    writes agreement.jsonl and agreement.md beside FILE and the section
                                    `Counted` of each step's README.md
    agreement.py check BUILD FILE   the same, but only says what would be written otherwise

Both end with exit code 1 where figures differ without a reason (`reasons`), where a reason is given
that nothing needs any more, and (check) where a file is out of date; with 2 if a program fails.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import agreement_text  # which lets `generated` be found
import generated
import ncu

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "steps"))
import ladder  # noqa: E402

# Reasons by the names that agreement.jsonl has for them.
WHY = {
    "vectorized":
        "nvcc joins a thread's accesses to neighboring words into one of 64 or 128 bits, so ncu "
        "counts fewer requests. Each may take more wavefronts.",
    "sunk":
        "nvcc puts a load off until its value is needed. Warps that do not need it, such as those "
        "beyond the matrix's edge, never come to it; on the CPU they load too.",
    "unrolled":
        "ptxas unrolls the loop into pieces of four rounds, two and one. Lanes that have two "
        "rounds left and lanes that have one are in different pieces, so that what is one "
        "request on the CPU is two.",
    "tma":
        "TMA, the unit for bulk copies, brings the tiles to shared memory, and no warp asks for "
        "them. On the CPU the threads copy them asynchronously, as they do before sm_90.",
    "tma_and_waiting":
        "TMA again; and a block that waits for a part of another block's loads a counter until all "
        "warps have stored theirs. On the CPU the other block has ended long before.",
    "misaligned_copy":
        "Asynchronous copies of 4 bytes per lane (`cp.async`, LDGSTS) from rows of global memory "
        "that do not begin with a sector of 32 bytes. On the GPU they take up to 35 % more "
        "wavefronts than the lines of the L1 cache and the banks of shared memory explain, by "
        "which the CPU counts them.",
    "misaligned_pack":
        "Asynchronous copies of 16 bytes per lane from rows that do not begin with a line of 128 bytes. "
        "On the GPU they take up to half as many wavefronts again.",
    "copied_by_eights":
        "Asynchronous copies of 4 bytes per lane, eight lanes per row. On the GPU they take up to 1 % "
        "fewer wavefronts than the CPU counts, or as many more.",
    "two_stores":
        "The host's compiler makes two stores of one, for what was loaded and for zero. A warp with "
        "lanes of both kinds makes two requests on the CPU, and one on the GPU.",
    "zero_filled":
        "Asynchronous copies that put zeros where there is nothing to read (`cp.async` with the size "
        "of the source). On the GPU they take more wavefronts than the lines of the L1 cache and the "
        "banks of shared memory explain, up to 2.8 times as many.",
    "long":
        "A single row per lane, and hundreds of thousands of rounds: longer than the log in which the "
        "CPU puts accesses of lanes together, which run one after the other there. It counts each "
        "lane's accesses as requests of their own.",
    "divergent":
        "Lanes of a warp diverge and go different ways through a loop. The CPU, which runs one "
        "lane after the other, puts the n-th access of a lane by an instruction with the n-th "
        "of the others, even if these come from different rounds.",
}


class Reason:
    """Why launches of these kernels differ in these kinds of access, at sizes of this sort."""

    def __init__(self, why, kernels, kinds, sizes=("round", "ragged")):
        self.why, self.kernels, self.kinds, self.sizes = why, kernels, kinds, sizes
        self.needed = False

    def covers(self, row, kind):
        return (row["kernel"].removesuffix("_kernel") in self.kernels and
                row["sizes"] in self.sizes and kind in self.kinds)


def reasons():
    zero_filled = ["sgemm_pipelined", "sgemm_large_tile", "sgemm_fragments", "sgemm_inside"]
    thin = ["sgemm_thin", "sgemm_sliced"]
    copied = ["sgemm_remainder", "sgemm_spread", "sgemm_pointers", "sgemm_turning", "sgemm_banks",
              "sgemm_rasterized", "sgemm_split_k", "sgemm_shares", "sgemm_fixup", "sgemm_stream_k",
              "sgemm_edges", "sgemm_overhang", "sgemm_two_groups"]
    last_slice = ["sgemm_last_slice", "sgemm_sum_float4"]
    waiting = ["sgemm_sum_inside", "sgemm_no_barrier", "sgemm_two_widths"]
    merged = ["softmax_block_merged", "softmax_block_shifts", "softmax_block_approx",
              "softmax_block_prefetch", "softmax_cluster_barrier", "softmax_cluster_halves",
              "softmax_cluster"]
    return [
        Reason("tma", ["add_bulk"], ["global_load", "shared_store"]),
        Reason("tma", ["sgemm_bulk", "sgemm_wide", "sgemm_persistent"],
               ["global_load", "shared_store"]),
        Reason("tma", waiting, ["shared_store"]),
        Reason("tma_and_waiting", waiting, ["global_load"]),
        Reason("sunk", ["sgemm_two_groups"], ["shared_load"]),
        Reason("vectorized", ["gemv_block", "gemv_split", "gemv_split_rows"], ["shared_load"]),
        Reason("divergent", ["gemv_warp_float4", "gemv_warp_streaming"], ["global_load"],
               ["ragged"]),
        Reason("long", ["softmax_naive"], ["global_load", "global_store"], ["round"]),
        Reason("sunk", ["softmax_three_kernels"], ["global_load"], ["ragged"]),
        Reason("unrolled", ["softmax_warp_shared", "softmax_warp_shuffle"], ["global_load"],
               ["ragged"]),
        Reason("vectorized", ["softmax_online_merged", "softmax_online", *merged],
               ["shared_load", "shared_store"]),
        Reason("vectorized", ["softmax_two_kernels"], ["shared_load", "shared_store", "global_load"]),
        Reason("divergent", merged, ["global_load", "global_store"], ["ragged"]),
        Reason("sunk", ["transpose_tile_vectorized", "transpose_thin", "transpose_thin_inside",
                        "transpose_thin_streaming", "transpose_flat", "transpose_flat_streaming"],
               ["shared_load"]),
        Reason("vectorized", ["transpose_flat", "transpose_flat_streaming"], ["shared_load"],
               ["round"]),
        Reason("vectorized", ["sgemm_blocktile", "sgemm_threadtile_column", "sgemm_threadtile",
                              "sgemm_threadtile_wide_b", "sgemm_few_rows"], ["shared_load"]),
        Reason("divergent", ["sgemm_threadtile_float4", "sgemm_warptile", "sgemm_warptile_zorder",
                             "sgemm_double_buffer", *zero_filled, *copied, *thin],
               ["global_store", "global_atomic"], ["ragged"]),
        Reason("zero_filled", zero_filled, ["shared_store"]),
        Reason("zero_filled", thin, ["shared_store"], ["ragged"]),
        Reason("copied_by_eights", [*thin, *last_slice], ["shared_store"], ["round"]),
        Reason("misaligned_copy", [*copied, *last_slice], ["shared_store"], ["ragged"]),
        Reason("sunk", last_slice, ["shared_load"], ["ragged"]),
        Reason("misaligned_pack", ["sgemm_pack"], ["shared_store"], ["ragged"]),
        Reason("two_stores", ["sgemm_few_columns"], ["shared_store"], ["ragged"]),
    ]


class Failure(Exception):
    """A program did not do what it was asked to."""


def steps():
    return ladder.read().steps


def shapes_of(step):
    """[(arguments, "round" or "ragged")]"""
    return [(" ".join(step.arguments(size)), kind)
            for kind, sizes in (("round", step.counted), ("ragged", step.ragged)) for size in sizes]


def program_of(build, step):
    return pathlib.Path(build) / "steps" / step.name / step.program


# --- on the GPU ----------------------------------------------------------------------------------

def collect(build, path, wanted):
    with ncu.Recording(path, ncu.environment()) as recording:
        for step in steps():
            if wanted and step.program not in wanted:
                continue
            for shape, _ in shapes_of(step):
                command = [program_of(build, step), *shape.split(), "--repeat", "0"]
                _, launches = ncu.profile(command, ncu.metrics_of(figures=ncu.COUNTED))
                for launch in launches:
                    recording.add({"step": step.program, "shape": shape, "kernel": launch["kernel"],
                                   "grid": launch["grid"], "block": launch["block"],
                                   "multiprocessors": launch["metrics"][ncu.MULTIPROCESSORS],
                                   "ncu": ncu.figures_of(launch["metrics"])})
                print(f"{step.program} {shape}: {len(launches)} launches", flush=True)


# --- on the CPU ----------------------------------------------------------------------------------

def run(command, **environment):
    words = [str(word) for word in command]
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def count(build, step, variant, shape, multiprocessors):
    """The counts of one variant's launches on the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counters.jsonl"
        run([program_of(build, step), "--kernel", variant, *shape.split(), "--repeat", "0"],
            CUCPU_TOOLS="counters", CUCPU_JSON=str(file), CUCPU_SMS=str(multiprocessors),
            CUCPU_THREADS="1")  # else the loads of a waiting block vary from run to run
        return ncu.launches_in(file)


def cpu_figures(counters):
    """In ncu's form (ncu.figures_of)."""
    result = {}
    for kind, named in ncu.METRICS.items():
        if counters[kind]["requests"] != 0:
            result[kind] = {figure: counters[kind][figure] for figure in named
                            if figure in ncu.COUNTED}
    return result


def starts_with(recorded, step, shape, launches):
    """Whether the recorded launches begin with these kernels."""
    found = [(line["step"], line["shape"], line["kernel"]) for line in recorded[:len(launches)]]
    return found == [(step.program, shape, launch["kernel"]) for launch in launches]


def compare(build, recorded):
    """A row for each launch: what it is, both counts, and in which kinds of access they differ."""
    jobs = [(step, shape, sizes, variant) for step in steps() for shape, sizes in shapes_of(step)
            for variant in run([program_of(build, step), "--list"]).split()]
    dispatchers = {variant.name for variant in ladder.read().variants if not variant.is_rung}
    counted_on_gpu = {(line["step"], line["kernel"]) for line in recorded}
    multiprocessors = recorded[0]["multiprocessors"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(lambda job: count(build, job[0], job[3], job[1], multiprocessors), jobs)
    rows = []
    left = list(recorded)
    for (step, shape, sizes, variant), launches in zip(jobs, counted):
        if variant in dispatchers and not starts_with(left, step, shape, launches):
            print(f"{step.program} {shape}: {variant} chooses another kernel than it did when the "
                  "counts were recorded: not compared")
            continue
        if not counted_on_gpu.issuperset((step.program, launch["kernel"]) for launch in launches):
            print(f"{step.program} {shape}: {variant} is newer than the recorded counts: not compared")
            continue
        for launch in launches:
            if not starts_with(left, step, shape, [launch]):
                raise Failure(f"{step.program} {shape}: {variant} launches {launch['kernel']}, the "
                              "recorded file has another kernel there: collect it anew")
            rows.append(row_of(step.program, shape, sizes, variant, launch, left.pop(0)))
    if left:
        raise Failure(f"{left[0]['step']}: the recorded file has more launches: collect it anew")
    return rows


def row_of(step, shape, sizes, variant, launch, measured):
    cpu = cpu_figures(launch["counters"])
    differ = [kind for kind in ncu.METRICS if cpu.get(kind) != measured["ncu"].get(kind)]
    if (launch["grid"], launch["block"]) != (measured["grid"], measured["block"]):
        differ.append("grid")
    return {"step": step, "shape": shape, "sizes": sizes, "variant": variant,
            "kernel": launch["kernel"], "grid": launch["grid"], "block": launch["block"],
            "cpu": cpu, "ncu": measured["ncu"], "differ": differ}


def explain(rows, known):
    """Gives each kind of access in which a row differs its reasons; returns what is left unexplained,
    and reasons that explain nothing."""
    faults = []
    for row in rows:
        row["why"] = {}
        for kind in row["differ"]:
            covering = [reason for reason in known if reason.covers(row, kind)]
            row["why"][kind] = [reason.why for reason in covering]
            for reason in covering:
                reason.needed = True
            if not covering:
                faults.append("{step} {shape}: {kernel} of {variant} differs in {kind}: CPU {cpu}, "
                              "ncu {ncu}, grid {grid}, block {block}".format(kind=kind, **row))
    faults += [f"nothing differs any more for the reason '{reason.why}' in "
               f"{', '.join(reason.kernels)}" for reason in known if not reason.needed]
    return faults


# --- the command line ----------------------------------------------------------------------------

def main(arguments):
    if arguments[:1] not in (["collect"], ["write"], ["check"]) or len(arguments) < 3 or \
            (len(arguments) > 3 and arguments[0] != "collect"):
        print(__doc__, file=sys.stderr)
        return 2
    action, build, path, *wanted = arguments
    try:
        if action == "collect":
            collect(build, path, wanted)
            return 0
        environment, recorded = ncu.read_lines(path)
        rows = compare(build, recorded)
    except (ncu.Failure, Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return getattr(error, "exit_code", 2)
    faults = explain(rows, reasons())
    if not faults:
        faults = generated.bring_up_to_date(texts(rows, environment, pathlib.Path(path).parent),
                                            action == "write", "agreement.py")
    for fault in faults:
        print(fault)
    differing = sum(bool(row["differ"]) for row in rows)
    print(f"{len(rows)} launches, {differing} of which differ; "
          f"recorded on {environment['device']} with ncu {environment['ncu']}")
    return 1 if faults else 0


def texts(rows, environment, folder):
    """{file: what is to be in it}"""
    result = {
        folder / "agreement.jsonl": agreement_text.lines(rows),
        folder / "agreement.md": agreement_text.page(rows, environment, WHY),
    }
    for step in steps():
        shape = shapes_of(step)[0][0]
        readme = ROOT / "steps" / step.name / "README.md"
        docs = os.path.relpath(ROOT / "docs", readme.parent)
        section = agreement_text.section(
            [row for row in rows if (row["step"], row["shape"]) == (step.program, shape)],
            shape, environment, WHY, docs)
        result[readme] = agreement_text.with_section(readme.read_text(encoding="utf-8"), section)
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
