#!/usr/bin/env python3
"""The chapters' claims about the code that nvcc makes of their kernels.

    code_claims.py compile REPORT.JSON RUNG.CUH... --nvcc NVCC --depfile FILE
    code_claims.py check CODE.TOML [REPORT.JSON]

`compile` has nvcc compile the files of a step, together, for each of ARCHITECTURES. It records how
often each instruction occurs in a kernel's PTX, and the registers and memory that ptxas reports. It
records a failure of nvcc, too: the test reports that, and the build goes on.

`check` compares this with a step's code.toml, which has a table for each kernel: for all instances
of a template, or for one, ["kernel<4, 1>"]. A key is
  - the beginning of an instruction, "ld.global.v4": how many there are, whatever they go on with;
  - fma_of_a_block: the most FMAs between two labels or branches, as a loop without branches has them;
  - registers (per thread), shared_bytes (of static arrays, per block).
A value is a number, or a text: "<= 128", ">= 1", "2 * fma" (twice as many as of these), "fma".
No kernel may spill registers or use local memory; code.toml does not say so.

Exit code 1 and a line for each claim that does not hold, 77 if there is no report.
"""

import argparse
import collections
import json
import operator
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SKIPPED = 77
ARCHITECTURES = (80, 90)
# The keys of a claim; a slip of the pen must not claim that there are none of something.
KEY = re.compile(r"registers|shared_bytes|stack_bytes|spill_bytes|fma|fma_of_a_block|"
                 r"bar\.(sync|warp)|shfl\.sync|cp\.async|(ld|st|atom|red)\.(global|shared|local)"
                 r"(\.(nc|wb|cg|cs|v4|add|L2|128B|256B))*")
# The limits of every kernel.
ALWAYS = {"stack_bytes": 0, "spill_bytes": 0, "ld.local": 0, "st.local": 0}

ENTRY = re.compile(r"^\.(?:visible|weak) \.entry (\w+)\(.*?^\{\n(.*?)^\}", re.M | re.S)
INSTRUCTION = re.compile(r"^\s*(?:\{\s*)?(?:@!?%\w+\s+)?([a-z]\w*(?:[.:]+\w+)*)[^;\n]*;", re.M)
BLOCK_END = re.compile(r"^\s*(?:\$\w+:|(?:@!?%\w+\s+)?bra\b[^\n]*)$", re.M)
FMA = re.compile(r"^\s*fma\.", re.M)
PROPERTIES = re.compile(
    r"Compiling entry function '(\w+)' for '(\w+)'.*?"
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?"
    r"Used (\d+) registers([^\n]*)", re.S)
SHARED = re.compile(r"(\d+) bytes smem")
CLAIM = re.compile(r"(?:(<=|>=) )?(?:(\d+)|(?:(\d+) \* )?([a-z][\w.:]*))")
COMPARE = {None: operator.eq, "<=": operator.le, ">=": operator.ge}


def demangled(name):
    """`void kernel<4, (Mode)1>(float const*)` as "kernel<4, (Mode)1>": enumerators are numbers."""
    text = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout
    if template := re.match(r"\S+ (\S+<.*>)\(", text):
        return template[1]
    return text.split("(")[0].strip()


def read_ptx(text):
    """Kernel -> how often it has each instruction, and the most FMAs of a basic block."""
    found = {}
    for name, body in ENTRY.findall(text):
        counts = collections.Counter(INSTRUCTION.findall(body))
        counts["fma_of_a_block"] = max(len(FMA.findall(block)) for block in BLOCK_END.split(body))
        found[demangled(name)] = counts
    return found


def read_ptxas(text):
    """(Architecture, kernel) -> what ptxas says of it."""
    found = {}
    for name, arch, stack, stores, loads, registers, rest in PROPERTIES.findall(text):
        shared = SHARED.search(rest)
        found[arch, demangled(name)] = {
            "stack_bytes": int(stack), "spill_bytes": int(stores) + int(loads),
            "registers": int(registers), "shared_bytes": int(shared[1]) if shared else 0}
    return found


def compile_kernels(arguments):
    """Architecture -> kernel -> instructions and figures; or what nvcc complains of."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.cu"
        paths = [path.resolve() for path in arguments.rungs]
        source.write_text("".join(f'#include "{path}"\n' for path in paths), encoding="utf-8")
        command = [arguments.nvcc, "-std=c++20", "-O3", "-fatbin",
                   "-Xptxas=-v", "-keep", "-keep-dir", folder, source,
                   "-o", f"{folder}/kernels.fatbin",
                   "-MD", "-MF", arguments.depfile, "-MT", arguments.report]
        command += [f"-gencode=arch=compute_{arch},code=[sm_{arch},compute_{arch}]"
                    for arch in ARCHITECTURES]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            # The line to change is probably in one of these.
            sources = " ".join(sorted({str(header) for path in paths
                                       for header in path.parent.glob("*.cuh")}))
            pathlib.Path(arguments.depfile).write_text(f"{arguments.report}: {sources}\n",
                                                       encoding="utf-8")
            return {"failed": run.stdout + run.stderr}
        ptxas = read_ptxas(run.stdout + run.stderr)
        report = {}
        for arch in ARCHITECTURES:
            [ptx] = pathlib.Path(folder).glob(f"*.compute_{arch}.ptx")
            report[f"sm_{arch}"] = {
                kernel: {"ptx": instructions, **ptxas[f"sm_{arch}", kernel]}
                for kernel, instructions in read_ptx(ptx.read_text(encoding="utf-8")).items()}
        return report


def figure(kernel, key):
    """A figure of ptxas, or the number of instructions that begin so."""
    if key in kernel:
        return kernel[key]
    return sum(count for instruction, count in kernel["ptx"].items()
               if re.split(r"[.:]+", instruction)[:key.count(".") + 1] == key.split("."))


def failure(kernel, key, claim):
    """How the claim does not hold; None if it does."""
    match = CLAIM.fullmatch(str(claim))
    if not match:
        return f"'{claim}' is not a number, a bound or a multiple of an instruction"
    comparison, number, factor, other = match.groups()
    for name in (key, other):
        if name and not KEY.fullmatch(name):
            return f"'{name}' is neither a figure nor an instruction that claims are about"
    right = int(number) if number else int(factor or 1) * figure(kernel, other)
    found = figure(kernel, key)
    if COMPARE[comparison](found, right):
        return None
    return f"{key} is {found}, not {claim}" + ("" if number else f", which is {right}")


def failures(claims, report):
    """A line for each claim that does not hold."""
    found = []
    for arch, kernels in report.items():
        for name in claims:
            if not any(name in (kernel, kernel.split("<")[0]) for kernel in kernels):
                found.append(f"{name}: there is no such kernel for {arch}")
        for name, kernel in kernels.items():
            wanted = [*ALWAYS.items(), *claims.get(name.split("<")[0], {}).items()]
            if "<" in name:
                wanted += claims.get(name, {}).items()
            said = (failure(kernel, key, claim) for key, claim in wanted)
            found += [f"{name} for {arch}: {text}" for text in said if text]
    return found


def check(claims_path, report_path):
    if not report_path:
        print("skipped: nvcc was not found, or -Dcode_claims=false")
        return SKIPPED
    claims = tomllib.loads(claims_path.read_text(encoding="utf-8"))
    report = json.loads(report_path.read_text(encoding="utf-8"))
    if "failed" in report:
        print(report["failed"], file=sys.stderr)
        return 1
    found = failures(claims, report)
    for line in found:
        print(f"{claims_path}: {line}", file=sys.stderr)
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile")
    compiling.add_argument("report")
    compiling.add_argument("rungs", type=pathlib.Path, nargs="+")
    for option in ("--nvcc", "--depfile"):
        compiling.add_argument(option, required=True)
    checking = commands.add_parser("check")
    checking.add_argument("claims", type=pathlib.Path)
    checking.add_argument("report", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    if arguments.command == "check":
        return check(arguments.claims, arguments.report)
    report = json.dumps(compile_kernels(arguments), indent=1)
    pathlib.Path(arguments.report).write_text(report, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
