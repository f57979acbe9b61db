"""A small ladder in a temporary folder, for tests to plant faults in."""

import contextlib
import pathlib
import tempfile

STEP = """
[[step]]
name = "{name}"
chapter = "elementwise"
idea = "an idea"
problem = "add"
measured = [[1024]]
counted = [[1024]]
ragged = [[77]]
drawn = [64]
"""
RUNG = """
[[rung]]
step = "{step}"
file = "{file}"
kernel = "{kernel}"
idea = "another idea"
tile = [256]
"""
KERNEL = """// Copies a vector.
#pragma once

#include <cuda_runtime.h>

#include "../instructions/hints.cuh"
#include "guard.cuh"

__global__ void {name}_kernel(const float* in, float* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (inside(i, n)) out[i] = load_hinted(in + i);
}}

inline void {name}(const float* in, float* out, int n, cudaStream_t stream) {{
  {name}_kernel<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}}
"""
GUARD = """#pragma once
__device__ inline bool inside(int i, int n) { return i < n; }
"""
HINTS = """// Loads with hints: PTX ISA, "Data Movement and Conversion Instructions: ld".
#pragma once
__device__ inline float load_hinted(const float* from) { return *from; }
"""
DISPATCHER = """// Chooses by shape.
#pragma once
#include "1_second.cuh"
#include "further/1_third.cuh"
inline void chosen(const float* in, float* out, int n, cudaStream_t stream) {
  n > 9 ? third(in, out, n, stream) : second(in, out, n, stream);
}
"""
FIRST, SECOND, THIRD = "01_one/1_first.cuh", "02_two/1_second.cuh", "02_two/further/1_third.cuh"
MANIFEST = "ladder.toml"


def kernel(name):
    text = KERNEL.format(name=name)
    return text.replace('"../', '"../../').replace('"guard', '"../guard') if name == "third" else text


def files():
    """Path below steps/ -> text."""
    return {
        MANIFEST: "".join([
            STEP.format(name="01_one"), RUNG.format(step="01_one", file="1_first.cuh", kernel="first"),
            STEP.format(name="02_two"),
            RUNG.format(step="02_two", file="1_second.cuh", kernel="second") + 'from = "first"\n',
            RUNG.format(step="02_two", file="further/1_third.cuh", kernel="third") +
            'from = "second"\n',
            '[[dispatcher]]\nstep = "02_two"\nfile = "chosen.cuh"\nname = "chosen"\n'
            'idea = "by shape"\ntile = [256]\n']),
        FIRST: kernel("first"), SECOND: kernel("second"), THIRD: kernel("third"),
        "01_one/guard.cuh": GUARD, "02_two/guard.cuh": GUARD, "02_two/chosen.cuh": DISPATCHER,
        "instructions/hints.cuh": HINTS}


@contextlib.contextmanager
def planted(changed=None):
    """The folder of these steps, with some files changed: path -> text, or what makes it of the text;
    None: without the file."""
    all_files = files()
    for path, text in (changed or {}).items():
        all_files[path] = text(all_files[path]) if callable(text) else text
    with tempfile.TemporaryDirectory() as folder:
        steps = pathlib.Path(folder).resolve() / "steps"
        for path, text in all_files.items():
            if text is not None:
                (steps / path).parent.mkdir(parents=True, exist_ok=True)
                (steps / path).write_text(text, encoding="utf-8")
        yield steps


def replaced(old, new):
    """Makes of a text the same with `old` replaced once, which has to be in it."""
    def make(text):
        assert old in text, f"there is no '{old}' to plant a fault in"
        return text.replace(old, new, 1)
    return make


def appended(more):
    return lambda text: text + more
