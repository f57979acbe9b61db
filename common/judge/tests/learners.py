"""Programs as learners write them, each with one mistake, and the sentence that it has to get.

`programs()` gives all of them. Those of one kind share a mistake and differ in what it is made in:
the exercise, the index, the launch, the way of writing it down.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Program:
    kind: str      # of the mistake
    name: str
    exercise: str
    wanted: str    # pattern that the first sentence has to begin with
    passes: bool   # a right one, of which the sentence says what would make it faster
    text: str


@dataclasses.dataclass(frozen=True)
class Operator:
    """One output element of each index: `body` in a kernel that has `i` and the size `count`."""
    exercise: str
    parameters: str  # of the kernel and of solve
    arguments: str
    count: str       # elements, of the parameters
    body: str


OPERATORS = {
    "relu": Operator("relu", "float* x, int n", "x, n", "n", "x[i] = fmaxf(x[i], 0.0f);"),
    "leaky": Operator("leaky_relu", "float* x, int n", "x, n", "n",
                      "{ float v = x[i]; x[i] = v > 0 ? v : 0.01f * v; }"),
    "sigmoid": Operator("sigmoid", "const float* x, float* y, int N", "x, y, N", "N",
                        "y[i] = 1.0f / (1.0f + expf(-x[i]));"),
    "add": Operator("vector_addition", "const float* A, const float* B, float* C, int N",
                    "A, B, C, N", "N", "C[i] = A[i] + B[i];"),
    "copy": Operator("matrix_copy", "const float* A, float* B, int N", "A, B, N", "N * N",
                     "B[i] = A[i];"),
    "plus": Operator("matrix_addition", "const float* A, const float* B, float* C, int N",
                     "A, B, C, N", "N * N", "C[i] = A[i] + B[i];"),
    "invert": Operator("color_inversion", "unsigned char* image, int width, int height",
                       "image, width, height", "width * height",
                       "for (int c = 0; c < 3; ++c) image[4 * i + c] = 255 - image[4 * i + c];"),
    "hash": Operator("rainbow_table", "const int* input, unsigned int* output, int N, int R",
                     "input, output, N, R", "N",
                     "{ unsigned h = input[i]; for (int r = 0; r < R; ++r) { unsigned w = h; "
                     "h = 2166136261u; for (int s = 0; s < 32; s += 8) "
                     "h = (h ^ (w >> s & 255)) * 16777619u; } output[i] = h; }"),
}


def elementwise(operator, index, guard="if (i < COUNT) ", launch="(COUNT + 255) / 256, 256",
                before="", body=None):
    """A program whose kernel has this index and guard. COUNT becomes the number of elements."""
    o = OPERATORS[operator]
    text = f"""#include <cuda_runtime.h>
{before}
__global__ void {operator}_kernel({o.parameters}) {{
  {index}
  {guard}{body or o.body}
}}

extern "C" void solve({o.parameters}) {{
  {operator}_kernel<<<{launch}>>>({o.arguments});
}}
"""
    return o.exercise, text.replace("COUNT", f"({o.count})" if " " in o.count else o.count)


BOTH = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


# --- the block's index is missing -----------------------------------------------------------------

BLOCKS = "Several blocks handle the same element"
THREADS = "Several threads of a block handle the same element"  # in the first block, above all


def without_block_index():
    indices = {
        "thread": "int i = threadIdx.x;",
        "unsigned": "unsigned int i = threadIdx.x;",
        "early_return": "const int i = threadIdx.x;\n  if (i >= COUNT) return;",
        "sum": "int i = blockIdx.x + threadIdx.x;",
        "product": "int i = blockIdx.x * threadIdx.x;",
    }
    for operator in ("relu", "leaky", "invert"):
        for name, index in indices.items():
            guard = "" if name == "early_return" else "if (i < COUNT) "
            wanted = THREADS if name == "product" else BLOCKS
            yield f"{operator}_{name}", wanted, *elementwise(operator, index, guard)
        yield f"{operator}_grid_stride", BLOCKS, *elementwise(
            operator, "for (int i = threadIdx.x; i < COUNT; i += blockDim.x)", "")
    for operator in ("sigmoid", "add", "copy", "plus", "hash"):
        for name in ("thread", "unsigned"):
            yield f"{operator}_{name}", BLOCKS, *elementwise(operator, indices[name])
    by_hand = "{ float v = x[i];\n  if (v < 0) v = 0;\n  x[i] = v; }"
    yield "relu_by_hand", BLOCKS, *elementwise("relu", indices["thread"], body=by_hand)
    flag = "int i = threadIdx.x;\n  __shared__ int is_started;\n  is_started = 1;"
    yield "relu_flag", BLOCKS, *elementwise("relu", flag)
    square = """#include <cuda_runtime.h>
__global__ void k(const float* A, float* B, int N) {
  int row = %s;
  int col = %s;
  if (row < N && col < N) B[row * N + col] = A[row * N + col];
}
extern "C" void solve(const float* A, float* B, int N) {
  dim3 threads(16, 16), blocks((N + 15) / 16, (N + 15) / 16);
  k<<<blocks, threads>>>(A, B, N);
}
"""
    x, y = "blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y * blockDim.y + threadIdx.y"
    parts = "Several blocks handle the same element|The grid|.* are not written"
    yield "square_no_blocks", parts, "matrix_copy", square % ("threadIdx.y", "threadIdx.x")
    yield "square_no_block_row", parts, "matrix_copy", square % ("threadIdx.y", x)
    yield "square_no_block_column", parts, "matrix_copy", square % (y, "threadIdx.x")


# --- a guard is missing ---------------------------------------------------------------------------

GUARD = "More threads run than there are elements"


def without_guard():
    for operator in OPERATORS:
        yield f"{operator}_none", GUARD, *elementwise(operator, BOTH, "")
        yield f"{operator}_one_too_many", GUARD, *elementwise(operator, BOTH, "if (i <= COUNT) ")
    for operator in ("relu", "sigmoid", "add"):
        yield f"{operator}_wrong_extent", GUARD, *elementwise(
            operator, BOTH, "if (threadIdx.x < blockDim.x) ")
        yield f"{operator}_one_block_more", GUARD, *elementwise(
            operator, BOTH, "if (i < gridDim.x * blockDim.x) ", "COUNT / 256 + 1, 256")
    flat = """#include <cuda_runtime.h>
__global__ void k(const float* A, float* B, int N) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  %sB[y * N + x] = A[y * N + x];
}
extern "C" void solve(const float* A, float* B, int N) {
  k<<<dim3((N + %d) / %d, (N + %d) / %d), dim3(%d, %d)>>>(A, B, N);
}
"""
    for side in (8, 16, 32):
        yield f"square_none_{side}", GUARD, "matrix_copy", flat % (
            "", *[side - 1, side] * 2, side, side)
    transpose = """#include <cuda_runtime.h>
__global__ void k(const float* input, float* output, int rows, int cols) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  %soutput[x * rows + y] = input[y * cols + x];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  k<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(input, output, rows, cols);
}
"""
    yield "transpose_none", GUARD, "matrix_transpose", transpose % ""
    yield "transpose_no_rows", GUARD, "matrix_transpose", transpose % "if (x < cols) "
    yield "transpose_swapped", GUARD, "matrix_transpose", transpose % "if (x <= cols && y <= rows) "


# --- a barrier is missing -------------------------------------------------------------------------

BARRIER = r"A __syncthreads\(\) is missing|Threads change the same shared memory"

TREES = {
    "halves": ("for (int s = blockDim.x / 2; s > 0; s /= 2)", "t < s", "t + s"),
    "shifted": ("for (unsigned s = 128; s; s >>= 1)", "t < s", "t + s"),
    "interleaved": ("for (int s = 1; s < 256; s *= 2)", "t % (2 * s) == 0", "t + s"),
}


def tree(loop, condition, other, first=True, inside=True, shared="__shared__ float s_[256];",
         launch="(N + 255) / 256, 256", load="s_[t] = i < N ? input[i] : 0.0f;"):
    sync = "__syncthreads();"
    return f"""#include <cuda_runtime.h>
__global__ void sum_kernel(const float* input, float* output, int N) {{
  {shared}
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  {load}
  {sync if first else ""}
  {loop} {{
    if ({condition}) s_[t] += s_[{other}];
    {sync if inside else ""}
  }}
  if (t == 0) atomicAdd(output, s_[0]);
}}
extern "C" void solve(const float* input, float* output, int N) {{
  cudaMemset(output, 0, sizeof(float));
  sum_kernel<<<{launch}>>>(input, output, N);
}}
"""


def without_barrier():
    for name, (loop, condition, other) in TREES.items():
        for shared, launch in (("__shared__ float s_[256];", "(N + 255) / 256, 256"),
                               ("extern __shared__ float s_[];", "(N + 255) / 256, 256, 1024")):
            memory = "dynamic" if "extern" in shared else "static"
            for missing in ("first", "inside", "both"):
                yield f"tree_{name}_{memory}_{missing}", BARRIER, "reduction", tree(
                    loop, condition, other, missing == "inside", missing == "first", shared, launch)
    tile = """#include <cuda_runtime.h>
#define TILE %d
__global__ void k(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[TILE][TILE%s];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = input[y * cols + x];
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < rows && y < cols) output[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  k<<<blocks, dim3(TILE, TILE)>>>(input, output, rows, cols);
}
"""
    for side, pad in ((16, ""), (32, " + 1"), (16, " + 1")):
        yield f"transpose_{side}{'_padded' if pad else ''}", BARRIER, "matrix_transpose", \
            tile % (side, pad)
    product = """#include <cuda_runtime.h>
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[16][16], b[16][16];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += 16) {
    int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && ka < N ? A[row * N + ka] : 0;
    b[threadIdx.y][threadIdx.x] = kb < N && col < K ? B[kb * K + col] : 0;
    %s
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    %s
  }
  if (row < M && col < K) C[row * K + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  k<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
"""
    sync = "__syncthreads();"
    yield "product_first", BARRIER, "matrix_multiplication", product % ("", sync)
    yield "product_second", BARRIER, "matrix_multiplication", product % (sync, "")
    yield "product_both", BARRIER, "matrix_multiplication", product % ("", "")
    rows = """#include <cuda_runtime.h>
#include <math.h>
__global__ void k(const float* input, float* output, int rows, int cols) {
  __shared__ float part[128];
  const float* in = input + (size_t)blockIdx.x * cols;
  float* out = output + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float most = -INFINITY;
  for (int c = t; c < cols; c += 128) most = fmaxf(most, in[c]);
  part[t] = most;
  %s
  for (int s = 64; s > 0; s /= 2) {
    if (t < s) part[t] = fmaxf(part[t], part[t + s]);
    __syncthreads();
  }
  most = part[0];
  %s
  float sum = 0;
  for (int c = t; c < cols; c += 128) sum += expf(in[c] - most);
  part[t] = sum;
  %s
  for (int s = 64; s > 0; s /= 2) { if (t < s) part[t] += part[t + s]; __syncthreads(); }
  sum = part[0];
  for (int c = t; c < cols; c += 128) out[c] = expf(in[c] - most) / sum;
}
extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  k<<<num_rows, 128>>>(input, output, num_rows, num_cols);
}
"""
    for missing in range(3):
        yield f"softmax_{missing}", BARRIER, "softmax_rows", rows % tuple(
            "" if i == missing else sync for i in range(3))


# --- a result that many threads share -------------------------------------------------------------

MANY = "Many threads change one element|Line \\d+ adds to memory that nobody has set"


def summed(statement, memset=True, launch="(N + 255) / 256, 256", index=BOTH, guard="if (i < N) ",
           before=""):
    return f"""#include <cuda_runtime.h>
{before}
__global__ void sum_kernel(const float* input, float* output, int N) {{
  {index}
  {guard}{statement}
}}
extern "C" void solve(const float* input, float* output, int N) {{
  {"cudaMemset(output, 0, sizeof(float));" if memset else ""}
  sum_kernel<<<{launch}>>>(input, output, N);
}}
"""


def without_atomics():
    statements = {
        "plus": "*output += input[i];",
        "indexed": "output[0] += input[i];",
        "spelled_out": "output[0] = output[0] + input[i];",
        "in_a_variable": "{ float old = output[0]; output[0] = old + input[i]; }",
        "reference": "{ float& sum = *output; sum += input[i]; }",
    }
    launches = {"256": "(N + 255) / 256, 256", "64": "(N + 63) / 64, 64",
                "one": "1, 1024"}
    for name, statement in statements.items():
        for threads, launch in launches.items():
            index, guard = (BOTH, "if (i < N) ") if threads != "one" else (
                "for (int i = threadIdx.x; i < N; i += blockDim.x)", "")
            yield f"{name}_{threads}", MANY, "reduction", summed(
                statement, True, launch, index, guard)
    for threads, launch in launches.items():
        index, guard = (BOTH, "if (i < N) ") if threads != "one" else (
            "for (int i = threadIdx.x; i < N; i += blockDim.x)", "")
        yield f"not_zeroed_{threads}", MANY, "reduction", summed(
            "atomicAdd(output, input[i]);", False, launch, index, guard)
    grid_stride = ("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; "
                   "i += gridDim.x * blockDim.x)")
    yield "not_zeroed_grid_stride", MANY, "reduction", summed(
        "atomicAdd(output, input[i]);", False, "8, 128", grid_stride, "")
    yield "not_zeroed_tree", MANY, "reduction", tree(*TREES["halves"]).replace(
        "cudaMemset(output, 0, sizeof(float));", "")
    yield "plus_grid_stride", MANY, "reduction", summed("*output += input[i];", True, "8, 128",
                                                        grid_stride, "")
    yield "tree_plus", MANY, "reduction", tree(*TREES["halves"]).replace(
        "atomicAdd(output, s_[0])", "*output += s_[0]")
    most = """#include <cuda_runtime.h>
#include <float.h>
__global__ void init(float* output) { *output = -FLT_MAX; }
__global__ void k(const float* input, float* output, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N%s) *output = %s;
}
extern "C" void solve(const float* input, float* output, int N) {
  init<<<1, 1>>>(output);
  k<<<(N + 127) / 128, 128>>>(input, output, N);
}
"""
    yield "max_if", MANY, "reduce_max", most % (" && input[i] > *output", "input[i]")
    yield "max_fmaxf", MANY, "reduce_max", most % ("", "fmaxf(*output, input[i])")
    yield "max_conditional", MANY, "reduce_max", most % (
        "", "*output > input[i] ? *output : input[i]")
    matrix = """#include <cuda_runtime.h>
__global__ void zero(float* y, int M) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) y[i] = 0;
}
__global__ void k(const float* A, const float* x, float* y, int M, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < K) %s;
}
extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  %s
  k<<<dim3((K + 127) / 128, M), 128>>>(A, x, y, M, K);
}
"""
    zero = "zero<<<(M + 127) / 128, 128>>>(y, M);"
    yield "rows_plus", MANY, "gemv", matrix % ("y[row] += A[row * K + col] * x[col]", zero)
    yield "rows_spelled_out", MANY, "gemv", matrix % (
        "y[row] = y[row] + A[row * K + col] * x[col]", zero)
    yield "rows_not_zeroed", MANY, "gemv", matrix % (
        "atomicAdd(&y[row], A[row * K + col] * x[col])", "")


# --- too few threads ------------------------------------------------------------------------------

FEW = ("The launch is refused: is the number of blocks rounded down|The grid is too small|"
       "One block of|Not all elements are read")


def with_too_few_threads():
    for operator in OPERATORS:
        yield f"{operator}_rounded_down", FEW, *elementwise(operator, BOTH,
                                                            launch="COUNT / 256, 256")
        yield f"{operator}_one_block", FEW, *elementwise(operator, BOTH, launch="1, 256")
    before = "static int at_least_one(int n) { return n > 0 ? n : 1; }"
    for operator in ("relu", "add", "sigmoid"):
        yield f"{operator}_rounded_down_to_one", FEW, *elementwise(
            operator, BOTH, launch="at_least_one(COUNT / 128), 128", before=before)
        yield f"{operator}_one_off", FEW, *elementwise(
            operator, BOTH, launch="(COUNT + 126) / 128, 128" if operator == "relu" else
            "at_least_one((COUNT - 1) / 128), 128", before=before)
    yield "sum_rounded_down", FEW, "reduction", summed(
        "atomicAdd(output, input[i]);", True, "N / 128 > 0 ? N / 128 : 1, 128")
    yield "sum_one_block", FEW, "reduction", summed("atomicAdd(output, input[i]);", True, "1, 512")
    yield "tree_rounded_down", FEW, "reduction", tree(
        *TREES["halves"], launch="N / 256 > 0 ? N / 256 : 1, 256")
    yield "tree_one_block", FEW, "reduction", tree(*TREES["halves"], launch="1, 256")
    y_is_short = "A grid has at most 65535 blocks in y"
    for side, other in ((16, 16), (32, 32), (32, 8)):
        yield f"rows_on_y_{side}x{other}", y_is_short, "matrix_transpose", f"""
#include <cuda_runtime.h>
__global__ void k(const float* input, float* output, int rows, int cols) {{
  int x = blockIdx.x * {side} + threadIdx.x, y = blockIdx.y * {other} + threadIdx.y;
  if (x < cols && y < rows) output[x * rows + y] = input[y * cols + x];
}}
extern "C" void solve(const float* input, float* output, int rows, int cols) {{
  k<<<dim3((cols + {side - 1}) / {side}, (rows + {other - 1}) / {other}), dim3({side}, {other})>>>(
      input, output, rows, cols);
}}
"""
    square = """#include <cuda_runtime.h>
__global__ void k(const float* A, float* B, int N) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < N && y < N) B[y * N + x] = A[y * N + x];
}
extern "C" void solve(const float* A, float* B, int N) {
  int blocks = %s;
  k<<<dim3(blocks, blocks), dim3(16, 16)>>>(A, B, N);
}
"""
    yield "square_rounded_down", FEW, "matrix_copy", square % "N / 16"
    yield "square_rounded_down_to_one", FEW, "matrix_copy", square % "N < 16 ? 1 : N / 16"


# --- slower than it need be -----------------------------------------------------------------------

def passing():
    coalescing = r".*let neighboring threads access neighboring addresses"
    for operator in ("relu", "leaky", "sigmoid", "add", "copy", "plus", "hash"):
        for each in (16, 32):
            yield f"chunks_{operator}_{each}", coalescing, *elementwise(
                operator, f"int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                f"  for (int i = {each} * t; i < {each} * t + {each} && i < COUNT; ++i)", "",
                f"(COUNT + {128 * each - 1}) / {128 * each}, 128")
    for operator in ("relu", "sigmoid", "add"):
        yield f"strided_{operator}", coalescing, *elementwise(
            operator, "int i = threadIdx.x * gridDim.x + blockIdx.x;")
        yield f"parts_{operator}", coalescing, *elementwise(
            operator, "int part = (COUNT + 1023) / 1024;\n"
            "  int t = blockIdx.x * 64 + threadIdx.x;\n"
            "  for (int i = t * part; i < (t + 1) * part && i < COUNT; ++i)", "", "16, 64")
    matrix = """#include <cuda_runtime.h>
__global__ void k(const float* A, float* B, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) B[row * N + col] = A[row * N + col];
}
extern "C" void solve(const float* A, float* B, int N) {
  k<<<dim3((N + 31) / 32, (N + 7) / 8), dim3(32, 8)>>>(A, B, N);
}
"""
    yield "rows_on_x", coalescing, "matrix_copy", matrix
    yield "rows_on_x_in_a_loop", coalescing, "matrix_copy", matrix.replace(
        "if (row < N && col < N)", "for (; row < N && col < N; col += gridDim.y * blockDim.y)")
    transpose = """#include <cuda_runtime.h>
__global__ void k(const float* input, float* output, int rows, int cols) {
  int across = (%s + 31) / 32;
  int x = blockIdx.x %% across * 32 + threadIdx.x, y = blockIdx.x / across * 8 + threadIdx.y;
  %s
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  k<<<((%s + 31) / 32) * ((%s + 7) / 8), dim3(32, 8)>>>(input, output, rows, cols);
}
"""
    loads = r".*\(the loads are coalesced\)"
    yield "transpose_reads_coalesced", loads, "matrix_transpose", transpose % (
        "cols", "if (x < cols && y < rows) output[x * rows + y] = input[y * cols + x];", "cols",
        "rows")
    stores = r".*\(the stores are coalesced\)"
    yield "transpose_writes_coalesced", stores, "matrix_transpose", transpose % (
        "rows", "if (x < rows && y < cols) output[y * rows + x] = input[x * cols + y];", "rows",
        "cols")
    gemv = """#include <cuda_runtime.h>
__global__ void k(const float* A, const float* x, float* y, int M, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * x[k];
  y[row] = sum;
}
extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  k<<<(M + %d) / %d, %d>>>(A, x, y, M, K);
}
"""
    for threads in (64, 128):
        yield f"gemv_thread_per_row_{threads}", coalescing, "gemv", gemv % (
            threads - 1, threads, threads)
    softmax = """#include <cuda_runtime.h>
#include <math.h>
__global__ void k(const float* input, float* output, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = input + (size_t)row * cols;
  float* out = output + (size_t)row * cols;
  float most = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) most = fmaxf(most, in[c]);
  for (int c = 0; c < cols; ++c) sum += expf(in[c] - most);
  for (int c = 0; c < cols; ++c) out[c] = expf(in[c] - most) / sum;
}
extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  k<<<(num_rows + 127) / 128, 128>>>(input, output, num_rows, num_cols);
}
"""
    yield "softmax_thread_per_row", coalescing, "softmax_rows", softmax

    one_thread = r"\w+ runs in one thread"
    one_block = r"\w+ runs in one block"
    for operator in ("relu", "sigmoid", "add"):
        yield f"one_thread_{operator}", one_thread, *elementwise(
            operator, "for (int i = 0; i < COUNT; ++i)", "", "1, 1")
        yield f"one_block_{operator}", one_block, *elementwise(
            operator, "for (int i = threadIdx.x; i < COUNT; i += blockDim.x)", "", "1, 1024")
        yield f"blocks_of_one_{operator}", r".*of the 32 lanes of a warp, 31 have nothing to do", \
            *elementwise(operator, "int i = blockIdx.x;", launch="COUNT, 1")
        yield f"blocks_of_16_{operator}", r".*of the 32 lanes of a warp, 16 have nothing to do", \
            *elementwise(operator, BOTH, launch="(COUNT + 15) / 16, 16")
        yield f"blocks_of_32_{operator}", r".*an SM holds 32 blocks at most", \
            *elementwise(operator, BOTH, launch="(COUNT + 31) / 32, 32")
        yield f"narrow_{operator}", r".*16 \(float4\)", *elementwise(operator, BOTH)
    yield "every_other_lane", r".*of a warp's 32 lanes are active", *elementwise(
        "relu", "int t = blockIdx.x * blockDim.x + threadIdx.x, i = t;",
        "if (i % 2 == 0) { if (i < n) x[i] = fmaxf(x[i], 0.0f); }\n  else if (i < n) ")
    more_bytes = r".*times as many bytes are written|.*the input is read"
    yield "all_blocks_write_all", more_bytes, *elementwise(
        "sigmoid", "for (int i = threadIdx.x; i < COUNT; i += blockDim.x)", "", "4, 256")

    turns = r".*atomic operations for \d+ elements, which take turns"
    for name, index, guard, launch in (
            ("256", BOTH, "if (i < N) ", "(N + 255) / 256, 256"),
            ("1024", BOTH, "if (i < N) ", "(N + 1023) / 1024, 1024"),
            ("grid_stride", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; "
             "i += gridDim.x * blockDim.x)", "", "32, 256")):
        yield f"atomic_per_element_{name}", turns, "reduction", summed(
            "atomicAdd(output, input[i]);", True, launch, index, guard)
    yield "atomic_per_thread", turns, "reduction", summed(
        "float sum = 0;\n  for (int k = 0; k < 4; ++k)\n"
        "    if (4 * i + k < N) sum += input[4 * i + k];\n"
        "  if (4 * i < N) atomicAdd(output, sum);", True, "(N + 1023) / 1024, 256", BOTH, "")
    yield "atomic_in_shared_memory", r".*atomic operations on shared memory", "reduction", """
#include <cuda_runtime.h>
__global__ void k(const float* input, float* output, int N) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(&sum, input[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(output, sum);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  k<<<(N + 255) / 256, 256>>>(input, output, N);
}
"""
    fewer = r".*start fewer blocks"
    lanes = r".* of a warp's 32 lanes are active"
    yield "tree_interleaved", lanes, "reduction", tree(*TREES["interleaved"])
    yield "tree_interleaved_dynamic", lanes, "reduction", tree(
        *TREES["interleaved"], shared="extern __shared__ float s_[];",
        launch="(N + 255) / 256, 256, 1024")
    yield "tree_interleaved_and", lanes, "reduction", tree(
        TREES["interleaved"][0], "(t & (2 * s - 1)) == 0", "t + s")
    yield "tree_halves", fewer, "reduction", tree(*TREES["halves"])
    yield "tree_shifted", fewer, "reduction", tree(*TREES["shifted"])
    yield "tree_add_during_load", fewer, "reduction", tree(
        *TREES["halves"], launch="(N + 511) / 512, 256",
        load="i += blockIdx.x * blockDim.x;\n  s_[t] = (i < N ? input[i] : 0) + "
        "(i + 256 < N ? input[i + 256] : 0);")
    shuffle = """#include <cuda_runtime.h>
__global__ void k(const float* input, float* output, int N) {
  __shared__ float warps[8];
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x %% 32, warp = threadIdx.x / 32;
  float sum = i < N ? input[i] : 0;
  for (int o = 16; o; o /= 2) sum += %s(0xffffffff, sum, o);
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < 8 ? warps[lane] : 0;
  for (int o = 4; o; o /= 2) sum += %s(0xffffffff, sum, o);
  if (lane == 0) atomicAdd(output, sum);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  k<<<(N + 255) / 256, 256>>>(input, output, N);
}
"""
    for call in ("__shfl_down_sync", "__shfl_xor_sync"):
        yield f"shuffle_{call.split('_')[3]}", fewer, "reduction", shuffle % (call, call)

    again = r".*the input is read [\d.]+ times"
    for name, threads in (("warp", 32), ("block", 256)):
        yield f"softmax_three_reads_{name}", again, "softmax_rows", softmax_by(threads)
    convolution = """#include <cuda_runtime.h>
__global__ void k(const float* input, const float* kernel, float* output, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m) return;
  float sum = 0;
  for (int j = 0; j < m; ++j) sum += input[i + j] * kernel[j];
  output[i] = sum;
}
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  k<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
}
"""
    yield "convolution_from_global_memory", again, "convolution_1d", convolution
    product = """#include <cuda_runtime.h>
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
  int col = blockIdx.x * %d + threadIdx.x, row = blockIdx.y * %d + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  k<<<dim3((K + %d) / %d, (M + %d) / %d), dim3(%d, %d)>>>(A, B, C, M, N, K);
}
"""
    for w, h in ((16, 16), (32, 8)):
        yield f"product_naive_{w}x{h}", again, "matrix_multiplication", product % (
            w, h, w - 1, w, h - 1, h, w, h)
    tile = """#include <cuda_runtime.h>
#define T 32
__global__ void k(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[T][%s];
  int across = (cols + T - 1) / T, left = blockIdx.x %% across * T, top = blockIdx.x / across * T;
  int x = left + threadIdx.x, y0 = top;
  for (int j = threadIdx.y; j < T; j += 8)
    if (x < cols && y0 + j < rows) tile[j][threadIdx.x] = input[(y0 + j) * cols + x];
  __syncthreads();
  x = top + threadIdx.x;
  y0 = left;
  for (int j = threadIdx.y; j < T; j += 8)
    if (x < rows && y0 + j < cols) output[(y0 + j) * rows + x] = tile[threadIdx.x][j];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  k<<<((cols + T - 1) / T) * ((rows + T - 1) / T), dim3(T, 8)>>>(input, output, rows, cols);
}
"""
    yield "tile_conflicts", r".*bank conflicts", "matrix_transpose", tile % "T"
    yield "tile_conflicts_wide", r".*bank conflicts", "matrix_transpose", tile % "2 * T"
    yield "bytes", r".*less than 4 bytes", *elementwise("invert", BOTH)
    yield "many_launches", r"\d+ launches", "relu", """
#include <cuda_runtime.h>
__global__ void k(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.0f);
}
extern "C" void solve(float* x, int n) {
  for (int first = 0; first < n; first += 8192) {
    int part = n - first < 8192 ? n - first : 8192;
    k<<<(part + 255) / 256, 256>>>(x + first, part);
  }
}
"""
    yield "no_kernel", "no kernel is launched", "matrix_copy", """
#include <cuda_runtime.h>
extern "C" void solve(const float* A, float* B, int N) {
  cudaMemcpy(B, A, sizeof(float) * N * N, cudaMemcpyDeviceToDevice);
}
"""


def softmax_by(threads):
    """A warp or a block for each row, which reads it three times."""
    return """#include <cuda_runtime.h>
#include <math.h>
__device__ float all_max(float v, float* part) {
  for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  if (blockDim.y != 1 || blockDim.x == 32) return v;
  __syncthreads();
  if (threadIdx.x %% 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) v = fmaxf(v, part[w]);
  return v;
}
__device__ float all_sum(float v, float* part) {
  for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  if (blockDim.y != 1 || blockDim.x == 32) return v;
  __syncthreads();
  if (threadIdx.x %% 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) v += part[w];
  return v;
}
__global__ void k(const float* input, float* output, int rows, int cols) {
  __shared__ float part[32];
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = input + (size_t)row * cols;
  float* out = output + (size_t)row * cols;
  float most = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) most = fmaxf(most, in[c]);
  most = all_max(most, part);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(in[c] - most);
  sum = all_sum(sum, part);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[c] = expf(in[c] - most) / sum;
}
extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  const int rows_each = %d;
  k<<<(num_rows + rows_each - 1) / rows_each, dim3(%d, rows_each)>>>(input, output, num_rows,
                                                                    num_cols);
}
""" % (8 if threads == 32 else 1, threads)


KINDS = {
    "block_index": (without_block_index, False),
    "guard": (without_guard, False),
    "barrier": (without_barrier, False),
    "shared_result": (without_atomics, False),
    "grid": (with_too_few_threads, False),
    "slow": (passing, True),
}


def programs():
    for kind, (of_kind, passes) in KINDS.items():
        for name, wanted, exercise, text in of_kind():
            yield Program(kind, name, exercise, wanted, passes, text)


def check():
    """Every program is another one, and each kind has at least 25 of them."""
    everything = list(programs())
    texts = [re.sub(r"\s+", " ", program.text) for program in everything]
    assert len(set(texts)) == len(texts), [p.name for p in everything
                                           if texts.count(re.sub(r"\s+", " ", p.text)) > 1]
    for kind in KINDS:
        assert sum(program.kind == kind for program in everything) >= 25, kind
    return everything
