#!/usr/bin/env python3
"""Whether functions of 16-bit floats and random numbers are on the CPU what they are on a GPU.

    half_functions.py PROGRAM FILE

PROGRAM is `half_functions` of the cpu backend, FILE what the same program wrote on a GPU. Prints a
line for each function that differs without being among INEXACT, and for each of those that do not
differ any more; exit code 1 if there is one, 77 if there is no FILE.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

# Functions that a GPU approximates by an instruction of its own, tanh.approx, with an error of at
# most 2^-10.987 (half) and 2^-8 (bfloat16); the CPU backend rounds the exact result.
INEXACT = {"htanh_approx half", "htanh_approx bfloat16", "h2tanh_approx half",
           "h2tanh_approx bfloat16"}
# Normal numbers: a GPU takes its fast sine and cosine, with an absolute error of 2^-20 or so, times
# a radius of up to 6.7; logarithmic ones are their exponentials.
CLOSE = {"normal": ("f", 2e-5), "normal4": ("f", 8e-5), "log_normal": ("f", 2e-5),
         "normal_double": ("d", 1e-13), "log_normal_double": ("d", 1e-13)}
KEY = ("function", "type", "seed", "sequence", "offset")


def name_of(line):
    return " ".join(f"{line[key]}" if key in KEY[:2] else f"{key} {line[key]}"
                    for key in KEY if key in line)


def numbers(digits, kind):
    size = struct.calcsize(kind)
    return [struct.unpack(">" + kind, bytes.fromhex(digits[i:i + 2 * size]))[0]
            for i in range(0, len(digits), 2 * size)]


def parts_that_differ(recorded, computed):
    """The places at which two lists of hashes, 6 digits each, differ."""
    return [i // 6 for i in range(0, len(recorded), 6) if recorded[i:i + 6] != computed[i:i + 6]]


def difference(recorded, computed):
    """The difference between two lines about one function, in words, or None."""
    if recorded["function"] in CLOSE:
        kind, bound = CLOSE[recorded["function"]]
        for i, (theirs, ours) in enumerate(zip(numbers(recorded["first"], kind),
                                               numbers(computed["first"], kind), strict=True)):
            if not abs(theirs - ours) <= bound * max(1, abs(theirs)):
                return f"number {i} is {ours!r}, on the GPU {theirs!r}"
        return None
    parts = parts_that_differ(recorded["hashes"], computed["hashes"])
    if not parts:
        return None
    return (f"{len(parts)} of {len(recorded['hashes']) // 6} parts differ, the first of them "
            f"{parts[0]}")


def check(recorded, computed):
    """The lines to print."""
    ours = {name_of(line): line for line in computed}
    theirs = {name_of(line): line for line in recorded}
    if ours.keys() != theirs.keys():
        missing = sorted(ours.keys() ^ theirs.keys())
        return [f"{name}: not in both: record the file anew" for name in missing]
    faults = []
    for name, line in theirs.items():
        found = difference(line, ours[name])
        if name in INEXACT and found is None:
            faults.append(f"{name}: does not differ any more")
        elif name not in INEXACT and found is not None:
            faults.append(f"{name}: {found}")
    return faults


def read_lines(path):
    """The line about the device, and the others."""
    with open(path, encoding="utf-8") as file:
        device, *lines = [json.loads(line) for line in file]
    return device, lines


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, path = arguments
    if not os.path.exists(path):
        print(f"skipped: {path} has not been recorded; half_functions of the cuda backend does it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        ours = os.path.join(folder, "half.jsonl")
        subprocess.run([program, ours], check=True)
        _, computed = read_lines(ours)
    device, recorded = read_lines(path)
    faults = check(recorded, computed)
    for fault in faults:
        print(fault)
    print(f"{len(recorded)} lines recorded on {device['device']}, {len(faults)} that differ; "
          f"{len(INEXACT)} are known to")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
