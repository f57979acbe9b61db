"""Compiles CUDA programs with cucpu and runs them; and holds what cucpu's command line promises.

usage: programs_test.py CUCPU programs|command_line|blas [NAME...]
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CUCPU = pathlib.Path(sys.argv[1]).resolve()
# Optimization is not what is tested here; -O1 is the fastest to compile and run.
FAST = '-O1'
# No warnings, except those that common idioms of CUDA cause: indices are compared with blockDim,
# and a value that only one lane has is shuffled to the others.
STRICT = ['-Wall', '-Wextra', '-Werror', '-Wno-sign-compare', '-Wno-maybe-uninitialized']
# Environments that must not change a program's result.
RUNS = [{}, {'CUCPU_ORDER': 'random:1'}, {'CUCPU_TOOLS': 'counters'},
        {'CUCPU_TOOLS': 'all', 'CUCPU_JSON': 'all.jsonl'}]
# Correct programs about which a checker has something to say all the same.
WARNINGS = {
    'graph_bfs': ['race'],  # blocks that all set the same flag
    'hash_table': ['race'],  # a plain read before the loop of atomicCAS()
}
# Findings of programs that make errors on purpose; the checkers then end them with exit code 1.
FINDINGS = {
    'assert_in_kernel': ['api_error'],
    'carved_shared': ['api_error'],  # more shared memory than the kernel was allowed
    'error_handling': ['api_error'] * 7,
    'large_memory': ['uninitialized'] * 2,  # copies of memory that was never written
    'sparse_product': ['api_error'],  # more memory than there is
    'vector_add': ['api_error'],  # more threads than a block can have
}

# Programs with launches that wait for each other; of those that are watched one runs at a time.
UNWATCHED = ['launches_that_meet']

# The output of programs whose output is checked.
EXPECTED_OUTPUT = {
    'left_at_exit': 'all done\n',
    'printf_in_kernel': 'hello from thread (0, 0), 0.50\n'
                        'hello from thread (0, 2), 0.50\n'
                        'done\n',
}


def run(command, folder, **environment):
    """Runs a command, which may not take long; returns what it wrote and its exit code."""
    return subprocess.run([str(word) for word in command], cwd=folder, text=True,
                          capture_output=True, timeout=100,
                          env={**os.environ, 'CUCPU_TIMEOUT': '20', **environment})


class Failure(Exception):
    pass


def expect(condition, what, result=None):
    if condition:
        return
    if result is not None:
        what += f'\n  {" ".join(result.args)}\n  exit code {result.returncode}'
        what += f'\n  stdout: {result.stdout}\n  stderr: {result.stderr}'
    raise Failure(what)


def cucpu(folder, *arguments, code=0, **environment):
    """Runs cucpu in the folder and expects the exit code."""
    result = run([CUCPU, *arguments], folder, **environment)
    expect(result.returncode == code, f'exit code {code} expected', result)
    return result


def expect_program(folder, program='a.out', output=None):
    result = run([pathlib.Path(folder) / program], folder)
    expect(result.returncode == 0, f'{program} failed', result)
    expect(output is None or result.stdout == output, f'{program} printed something else', result)


def expect_refused(folder, *arguments, says):
    """Bad usage: one line that names the culprit, and exit code 2."""
    result = cucpu(folder, *arguments, code=2)
    lines = result.stderr.splitlines()
    expect(len(lines) == 1 and lines[0].startswith('error: ') and says in lines[0],
           f'one line expected: error: ... {says} ...', result)


# --- programs -------------------------------------------------------------------------------------

def check_program(source):
    """A program is a .cu file, or a folder of sources and headers."""
    files = [source]
    if source.is_dir():
        files = sorted(f for f in source.iterdir() if f.suffix in ('.cu', '.cpp', '.c'))
        files += ['-rdc=true', '-I', source / 'include']
    with tempfile.TemporaryDirectory() as folder:
        cucpu(folder, *files, FAST, *STRICT, '-o', 'p')
        runs = RUNS[:2] if source.stem in UNWATCHED else RUNS
        for environment in runs:
            result = run([pathlib.Path(folder) / 'p'], folder, **environment)
            found = environment.get('CUCPU_TOOLS') == 'all' and source.stem in FINDINGS
            expect(result.returncode == int(found), f'failed with {environment}', result)
            output = EXPECTED_OUTPUT.get(source.stem)
            if output is not None and 'CUCPU_ORDER' not in environment:
                expect(result.stdout == output, f'printed something else with {environment}', result)
        if runs is not RUNS:
            return
        lines = (pathlib.Path(folder) / 'all.jsonl').read_text().splitlines()
        records = [record for record in map(json.loads, lines) if record['type'] != 'launch']
        expected = [('finding', kind) for kind in FINDINGS.get(source.stem, [])]
        expected += [('warning', kind) for kind in WARNINGS.get(source.stem, [])]
        expect([(record['type'], record['kind']) for record in records] == expected,
               f'findings: {records}')


# --- a library that need not be there -------------------------------------------------------------

SKIPPED = 77


def check_blas():
    source = HERE.parent / 'blas' / 'blas.cu'
    with tempfile.TemporaryDirectory() as folder:
        result = run([CUCPU, source, FAST, *STRICT, '-lcublas', '-o', 'p'], folder)
        if 'needs a BLAS' in result.stderr:
            print(result.stderr)
            sys.exit(SKIPPED)
        expect(result.returncode == 0, 'blas.cu: to be built', result)
        for environment in RUNS:
            result = run([pathlib.Path(folder) / 'p'], folder, **environment)
            expect(result.returncode == 0, f'failed with {environment}', result)


# --- the command line -----------------------------------------------------------------------------

HELLO = '''#include <cstdio>
__global__ void set(int* p, int value) { *p = value; }
int main() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  set<<<1, 1>>>(p, VALUE);
  cudaDeviceSynchronize();
  printf("%d\\n", *p);
}
'''


def write(folder, name, text):
    path = pathlib.Path(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def hello(folder, name='hello.cu', value=7):
    return write(folder, name, HELLO.replace('VALUE', str(value)))


def output_is_a_out(folder):
    cucpu(folder, hello(folder), FAST)
    expect_program(folder, 'a.out', '7\n')


def output_is_named(folder):
    cucpu(folder, '-o', 'one', hello(folder), FAST)
    expect_program(folder, 'one', '7\n')
    cucpu(folder, '-otwo', 'hello.cu', FAST)
    expect_program(folder, 'two', '7\n')
    cucpu(folder, '--output-file=three', 'hello.cu', FAST)
    expect_program(folder, 'three', '7\n')


def names_with_spaces(folder):
    cucpu(folder, hello(folder, 'a folder/it\'s "one" $x.cu'), FAST, '-o', 'a program')
    expect_program(folder, 'a program', '7\n')


def two_files_and_a_header(folder):
    """Each file has its own variables; those of a header are one, as are its inline functions."""
    write(folder, 'include/shared.cuh', '''#pragma once
__constant__ int offset;
inline __device__ int shifted(int x) { return x + offset; }
template <class T> __global__ void shift(T* p) { *p = shifted(*p); }
__global__ void first(int* p);
int second(int* p);
''')
    write(folder, 'first.cu', '''#include "shared.cuh"
__device__ int step = 1;
__global__ void first(int* p) { *p += step; }
''')
    write(folder, 'second.cu', '''#include "shared.cuh"
__device__ int step = 10;
__global__ static void add(int* p) { *p += step; }
int second(int* p) {
  add<<<1, 1>>>(p);
  shift<<<1, 1>>>(p);
  return cudaDeviceSynchronize();
}
''')
    write(folder, 'main.cu', '''#include "shared.cuh"
__global__ static void add(int* p) { *p += 100; }
int main() {
  int *p, hundreds = 1000;
  cudaMallocManaged(&p, sizeof(int));
  *p = 0;
  cudaMemcpyToSymbol(offset, &hundreds, sizeof(int));
  add<<<1, 1>>>(p);
  first<<<1, 1>>>(p);
  shift<<<1, 1>>>(p);
  return second(p) != 0 || *p != 2111;
}
''')
    cucpu(folder, '-c', 'first.cu', 'second.cu', '-Iinclude', FAST)
    cucpu(folder, '-Iinclude', 'main.cu', 'first.o', 'second.o', FAST)
    expect_program(folder)


def variables_of_all_files(folder):
    write(folder, 'a.cu', '__device__ int shared_by_files = 5;')
    write(folder, 'b.cu', '''extern __device__ int shared_by_files;
__global__ void read(int* p) { *p = shared_by_files; }
int main() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  read<<<1, 1>>>(p);
  return cudaDeviceSynchronize() != 0 || *p != 5;
}
''')
    cucpu(folder, '-dc', 'a.cu', FAST)
    cucpu(folder, '-rdc=true', 'b.cu', 'a.o', FAST)
    expect_program(folder)


def kernels_of_other_files(folder):
    """With default arguments, overloads, and instances of a template that one file alone makes."""
    write(folder, 'kernels.cu', '''__global__ void add(int* p, int n) { *p += n; }
__global__ void twice(int* p) { *p *= 2; }
__global__ void twice(float* p) { *p *= 2; }
template <class T> __global__ void assign(T* p, T value) { *p = value; }
template __global__ void assign<int>(int*, int);
''')
    write(folder, 'main.cu', '''__global__ void add(int* p, int n = 7);
__global__ void add(int*, int);
__global__ void twice(int* p);
__global__ void twice(float* p);
template <class T> __global__ void assign(T* p, T value);
extern template __global__ void assign<int>(int*, int);
int main() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  assign<<<1, 1>>>(p, 10);
  add<<<1, 1>>>(p);
  twice<<<1, 1>>>(p);
  return cudaDeviceSynchronize() != 0 || *p != 34;
}
''')
    cucpu(folder, 'main.cu', 'kernels.cu', FAST, '-Wall', '-Werror')
    expect_program(folder)


def host_sources_and_libraries(folder):
    write(folder, 'host.cpp', '#include <cuda_runtime.h>\nint host() { return cudaGetLastError(); }')
    write(folder, 'plain.c', 'int plain(void) { int class = 3; return class; }')
    write(folder, 'main.cu', 'int host(); extern "C" int plain(); int main() '
                             '{ return host() + plain() - 3 + (int)cosf(1.57f); }')
    cucpu(folder, '-c', 'host.cpp', 'plain.c', FAST, '-Werror', '-std=c++20')
    subprocess.run(['ar', 'rcs', 'libhost.a', 'host.o', 'plain.o'], cwd=folder, check=True)
    cucpu(folder, 'main.cu', '-L.', '-lhost', '-lm', '-lcudart', FAST)
    expect_program(folder)
    cucpu(folder, 'main.cu', 'host.cpp', 'plain.c', FAST)
    expect_program(folder)


def definitions_and_relative_includes(folder):
    write(folder, 'src/value.h', '#define VALUE (FROM_COMMAND_LINE + x)\n#define x 1')
    write(folder, 'src/hello.cu', '#include "value.h"\n' + HELLO)
    cucpu(folder, 'src/hello.cu', '-DFROM_COMMAND_LINE=41', '-D', 'UNUSED="a b"', FAST)
    expect_program(folder, 'a.out', '42\n')


def options_of_nvcc_alone(folder):
    cucpu(folder, hello(folder), FAST, '-arch=sm_80', '-arch', 'sm_90', '--gpu-architecture=native',
          '-gencode', 'arch=compute_80,code=sm_80', '-gencode=arch=compute_90,code=sm_90',
          '-Xptxas', '-v', '-Xptxas=-O3', '-Xcudafe', '--diag_suppress=20012', '-lineinfo',
          '--use_fast_math', '--extended-lambda',
          '--expt-relaxed-constexpr', '-maxrregcount=32', '-diag-suppress', '177', '-cudart',
          'static', '-lcudart', '-rdc', 'false', '-Wno-deprecated-gpu-targets', '-t', '4',
          '-Werror', 'all-warnings', '-Xcompiler', '-Wall,-Wextra', '-Xcompiler=-fPIC',
          '-Xcompiler', '-fno-builtin -Wshadow', '-Xlinker', '-O1', '-std=c++17', '--std', 'c++14',
          '-m64')
    expect_program(folder, 'a.out', '7\n')


def other_compilers(folder):
    hello(folder)
    for compiler in ('g++', 'clang++'):
        if shutil.which(compiler) is None:
            continue
        cucpu(folder, 'hello.cu', FAST, '-o', 'environment', CXX=compiler)
        expect_program(folder, 'environment', '7\n')
        cucpu(folder, 'hello.cu', FAST, '-ccbin', compiler, '-o', 'option', CXX='no-such-compiler')
        expect_program(folder, 'option', '7\n')
    expect_refused(folder, 'hello.cu', '-ccbin', 'no-such-compiler', says='no-such-compiler')


def lowering_only(folder):
    cucpu(folder, '--cuda', hello(folder, 'src/hello.cu'))
    text = (pathlib.Path(folder) / 'hello.cu.cpp').read_text()
    expect('cucpu::kernel_call' in text and '<<<' not in text, 'C++ expected in hello.cu.cpp')
    cucpu(folder, '--cuda', 'src/hello.cu', '-o', 'out.cpp', '-MF', 'out.d')
    rule = (pathlib.Path(folder) / 'out.d').read_text()
    expect(rule.startswith('out.cpp:') and 'src/hello.cu' in rule and 'cuda_runtime.h' in rule,
           'a rule for out.cpp expected in out.d: ' + rule)


def dependencies(folder):
    write(folder, 'value.h', '#define VALUE 7')
    write(folder, 'hello.cu', '#include "value.h"\n' + HELLO)
    cucpu(folder, '-c', '-MMD', 'hello.cu', FAST)
    rule = (pathlib.Path(folder) / 'hello.d').read_text()
    expect(rule.startswith('hello.o:') and 'value.h' in rule and 'cuda_runtime.h' not in rule, rule)


def commands_are_shown(folder):
    result = cucpu(folder, '--dry-run', hello(folder, 'a file.cu'), '-g')
    expect("'a file.cu'" in result.stdout and '-lboost_context' in result.stdout,
           'quoted commands expected', result)
    expect(os.listdir(folder) == ['a file.cu'], 'a dry run writes nothing', result)
    expect('-isystem' in cucpu(folder, '-v', 'a file.cu', FAST).stdout, 'commands expected')
    expect_program(folder, 'a.out', '7\n')


def program_is_run(folder):
    expect(cucpu(folder, '--run', hello(folder), FAST).stdout == '7\n', '7 expected')
    write(folder, 'three.cu', 'int main() { return 3; }')
    cucpu(folder, '--run', 'three.cu', FAST, code=3)


def help_and_version(folder):
    text = cucpu(folder, '--help').stdout
    expect('usage: cucpu' in text, 'a help text expected')
    expect(max(map(len, text.splitlines())) <= 80, 'a help text of 80 columns expected')
    expect(cucpu(folder, '--version').stdout.startswith('cucpu '), 'a version expected')


def language_is_given(folder):
    cucpu(folder, '-x', 'cu', hello(folder, 'hello.cpp'), FAST)
    expect_program(folder, 'a.out', '7\n')


def errors_name_the_users_line(folder):
    """The host compiler's errors, the lowering's, and those of a launch, at the user's lines."""
    faults = {
        'int x = undeclared;': 4,
        'set<<<1, 1>>>(p, p);': 4,
        'set<<<1, 1>>>(p);': 4,
        'set<<<1>>>(p, 1);': 4,
        'set<<<1, 1>>>;': 4,
        'set<<<1, 1(p, 1);': 4,
        'set<<<1,\n1>>>;': 5,
        '__shared__ int a = 3;': 4,
        'missing<<<1, 1>>>(p);': 4,
        'if (p) {': 4,
    }
    for fault, line in faults.items():
        write(folder, 'dir/bad.cu', '__global__ void set(int* p, int value) {\n  __shared__ float\n  '
              f's[4]; *p = value; }} int main() {{ int* p;\n{fault} }}\n')
        result = cucpu(folder, 'dir/bad.cu', FAST, code=1)
        expect(any(text.startswith(f'dir/bad.cu:{line}:') and 'error: ' in text
                   for text in result.stderr.splitlines()), f'line {line}: {fault}', result)
        expect(not (pathlib.Path(folder) / 'a.out').exists(), 'no program expected', result)


# A fault in `// here`'s line: in kernels, device functions, templates, headers and launches.
FAULTS = {
    'kernel': '''__global__ void set(float* p) {
  int i = threadIdx.x;
  __shared__ float tile[32];
  tiles[i] = p[i];  // here
}
int main() { set<<<1, 1>>>(nullptr); }
''',
    'kernel template': '''template <class T>
__global__ void set(T* p) {
  int i = threadIdx.x;
  p[i].y = 2;  // here
}
int main() {
  float* p = 0;
  set<<<1, 1>>>(p);
}
''',
    'device function in a header': '''#include "fault.cuh"
int main() { use<<<1, 1>>>(3); }
''',
    'types of arguments': '''__global__ void set(float* p, int n) {}
int main() {
  double* p = 0;
  int n = 3;
  set<<<(n + 255) / 256,
        256>>>(p, n);  // here
}
''',
    'number of arguments of a template': '''template <int N, class T>
__global__ void set(T* p, int n) {}
int main() {
  float* p = 0;
  set<4><<<1, 1>>>(p);  // here
}
''',
    'argument of a template': '''template <class T>
__global__ void set(T* p, T* q) {}
int main() {
  float* p = 0;
  set<<<1,
        1>>>(
      p,
      undeclared);  // here
}
''',
    'template argument': '''template <int N>
__global__ void set(float* p) {}
int main() {
  int n = 4;
  set<n><<<1, 1>>>(0);  // here
}
''',
    'configuration': '''__global__ void set(float* p) {}
int main() {
  set<<<"1", 1>>>(0);  // here
}
''',
    'dynamic shared memory': '''__global__ void set(float* p) {
  extern __shared__ Missing s[];  // here
}
int main() { set<<<1, 1>>>(0); }
''',
    'semicolon': '''__global__ void set(float* p) {
  __shared__ float s[3];
  s[0] = 1  // here
  p[0] = s[0];
}
int main() { set<<<1, 1>>>(0); }
''',
    'what a kernel returns': '''
__global__ int set(float* p) { return 1; }  // here
int main() { set<<<1, 1>>>(0); }
''',
    'lambda': '''template <class F> __global__ void run(F f) { f(threadIdx.x); }
int main() {
  float* p = 0;
  run<<<1, 1>>>([=] __device__(int i) {
    p[i] = missing;  // here
  });
}
''',
}
FAULTY_HEADER = '''#pragma once
__device__ int helper(int x) {
  return x.y;  // here
}
__global__ void use(int n) { n = helper(n); }
'''


def errors_name_the_line_of_the_fault(folder):
    """The first error is at that line, and no other line of the user's is blamed."""
    for name, text in FAULTS.items():
        write(folder, 'fault.cuh', FAULTY_HEADER)
        write(folder, 'fault.cu', text)
        file, source = ('fault.cu', text) if '// here' in text else ('fault.cuh', FAULTY_HEADER)
        line = 1 + [('// here' in line) for line in source.splitlines()].index(True)
        result = cucpu(folder, 'fault.cu', FAST, code=1)
        errors = [text for text in result.stderr.splitlines() if 'error: ' in text]
        expect(errors and all(text.startswith(f'{file}:{line}:') for text in errors),
               f'{name}: errors at {file}:{line} expected', result)


# Features that a GPU has and the CPU backend lacks, by the word that the error names; the last line
# is the culprit.
MISSING = {
    'tex2D': '__global__ void k(int t, float* p) {\n  *p = tex2D<float>(t, 0, 0);',
    'cudaTextureObject_t': '\n__global__ void k(cudaTextureObject_t t, float* p) {',
    'texture': '\ntexture<float, 2> reference;',
    'cudaArray_t': 'int main() {\n  cudaArray_t a;',
    'asm': '__device__ int lane() {\n  int r;\n  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));',
    'nvcuda': 'using namespace nvcuda;',
    '<<<>>>': '__global__ void child() {}\n__global__ void parent() {\n  child<<<1, 1>>>();',
    'cudaGraph_t': 'int main() {\n  cudaGraph_t graph;',
    '__cluster_dims__': '__global__ void __cluster_dims__(2) k() {',
    'this_cluster': '#include <cooperative_groups.h>\n__global__ void k() {\n'
                    '  auto c = cooperative_groups::this_cluster();',
    '__shfl_down': '__global__ void k(int* p) {\n  *p = __shfl_down(*p, 1);',
    '__ballot': '__global__ void k(int* p) {\n  *p = __ballot(*p);',
    '__nv_sqrtf': '__global__ void k(float* p) {\n  *p = __nv_sqrtf(*p);',
    'cuMemAlloc': '#include <cuda.h>\nint main() {\n  CUdeviceptr p;\n  cuMemAlloc(&p, 4);',
    'CUresult': '#include <cuda.h>\nint main() {\n  CUresult result;',
    'cuDeviceGet': 'int main() {\n  cuDeviceGet(0, 0);',
    'cudaStreamBeginCapture': 'int main() {\n  cudaStreamBeginCapture(0, 0);',
    'cudaGraphicsResource': 'cudaGraphicsResource* resource;',
    'cudaMipmappedArray_t': 'cudaMipmappedArray_t a;',
    'cudaExternalMemory_t': 'cudaExternalMemory_t a;',
    'cudaIpcMemHandle_t': 'cudaIpcMemHandle_t a;',
    'cudaUserObject_t': 'cudaUserObject_t a;',
    'cudaLibrary_t': 'cudaLibrary_t a;',
    'cudaGetDriverEntryPoint': 'int main() {\n  cudaGetDriverEntryPoint("x", 0, 0);',
    'cudaMemcpyBatchAsync': 'int main() {\n  cudaMemcpyBatchAsync(0, 0);',
    '__nv_fp8_e4m3': '__nv_fp8_e4m3 x;',
    'cudnnHandle_t': 'cudnnHandle_t handle;',
    'cufftHandle': 'int main() {\n  cufftHandle plan;',
    'curandGenerator_t': 'curandGenerator_t generator;',
    'cublasGemmEx': '#include <cublas_v2.h>\nint main() {\n  cublasGemmEx(0, CUBLAS_OP_N);',
    'CUDA_R_16F': '#include <cublas_v2.h>\nint type = CUDA_R_16F;',
    'cublasComputeType_t': '#include <cublas_v2.h>\ncublasComputeType_t type;',
    'curand_poisson': '#include <curand_kernel.h>\n__global__ void k(curandState* s) {\n'
                      '  curand_poisson(s, 4.0);',
    'curandStateMRG32k3a': '#include <curand_kernel.h>\n'
                           '__global__ void k(curandStateMRG32k3a* s) {',
    'cusolverDnHandle_t': 'cusolverDnHandle_t handle;',
    'cusparseHandle_t': 'cusparseHandle_t handle;',
    'ncclComm_t': 'ncclComm_t communicator;',
    'nvrtcProgram': 'nvrtcProgram program;',
    'nvtxRangePushA': 'int main() {\n  nvtxRangePushA("x");',
    'thrust': 'int main() {\n  thrust::device_vector<int> v;',
    'cub': '__global__ void k() {\n  using Reduce = cub::BlockReduce<int, 128>;',
    'surface': '\nsurface<void, 2> s;',
}
MISSING |= {header: f'#include <{header}>' for header in (
    'cublas.h', 'cublasLt.h', 'cublasXt.h', 'nvblas.h', 'curand.h', 'curand_mtgp32_host.h', 'cufft.h',
    'cufftXt.h', 'cusparse.h', 'cusparse_v2.h', 'cusolverDn.h', 'cusolverSp.h', 'cusolverMg.h',
    'cudnn.h', 'cudnn_cnn.h', 'cutensor.h', 'nccl.h', 'nvshmem.h', 'npp.h', 'nppi_filtering_functions.h',
    'nvjpeg.h', 'nvrtc.h', 'nvJitLink.h', 'nvvm.h', 'nvml.h', 'nvToolsExt.h', 'nvtx3/nvToolsExt.h',
    'cupti.h', 'cupti_activity.h', 'nvperf_host.h', 'thrust/device_vector.h', 'thrust/sort.h',
    'cub/cub.cuh', 'cub/block/block_reduce.cuh', 'cutlass/gemm/device/gemm.h', 'cute/tensor.hpp',
    'cuda/std/complex', 'cuda/latch', 'cuda/semaphore', 'cuda/ptx', 'cuda/annotated_ptr',
    'cuda_awbarrier_primitives.h', 'cuda_fp8.h', 'cuda_fp6.h', 'cuda_fp4.h', 'mma.h',
    'texture_fetch_functions.h', 'surface_functions.h', 'cuda_gl_interop.h', 'cuda_egl_interop.h',
    'cuda_vdpau_interop.h', 'cuda_d3d11_interop.h', 'cudaGL.h', 'cudaEGL.h', 'cudaProfiler.h',
    'cudaTypedefs.h', 'cuda_device_runtime_api.h')}

# Names that exist, but in a header that the program does not include.
UNDECLARED = {
    '__nv_bfloat16': ('cuda_bf16.h', '__global__ void k(__nv_bfloat16* p) {'),
    'nv_bfloat16': ('cuda_bf16.h', 'nv_bfloat16 x;'),
    'half': ('cuda_fp16.h', '__global__ void k(const half* p) {'),
    'half2': ('cuda_fp16.h', '__global__ void k() {\n  __shared__ half2 s[4];'),
    '__float2half': ('cuda_fp16.h', 'int main() {\n  auto x = __float2half(1);'),
    'curandState': ('curand_kernel.h', '__global__ void k(curandState* s) {'),
    'cublasHandle_t': ('cublas_v2.h', 'int main() {\n  cublasHandle_t handle;'),
    'cuComplex': ('cuComplex.h', 'cuComplex x;'),
    'cooperative_groups': ('cooperative_groups.h', 'namespace cg = cooperative_groups;'),
}


def headers_to_include_are_named(folder):
    for name, (header, text) in UNDECLARED.items():
        unclosed = text.count('{') - text.count('}')
        write(folder, 'a.cu', text + '\n' + '}' * unclosed + '\n')
        result = cucpu(folder, 'a.cu', FAST, code=1)
        expect(result.stderr == f"a.cu:{text.count(chr(10)) + 1}: error: '{name}' is declared in "
               f"<{header}>, which is not included\n", f'one line about {name} expected', result)


def what_is_missing_is_named(folder):
    """One line for it: no template's, and none that the compiler adds."""
    for name, text in MISSING.items():
        for file, main in (('dir/a.cu', None), ('dir/a.cuh', '#include "a.cuh"\nint main() {}\n')):
            unclosed = text.count('{') - text.count('}')
            write(folder, file, text + '\n' + '}' * unclosed + '\n')
            if main is not None:
                write(folder, 'dir/a.cu', main)
            line = text.count('\n') + 1
            result = cucpu(folder, 'dir/a.cu', FAST, code=1)
            expect(result.stderr.startswith(f"{file}:{line}: error: '{name}': cucpu has no ")
                   and result.stderr.count('\n') == 1, f'one line about {name} expected', result)
            expect(not (pathlib.Path(folder) / 'a.out').exists(), 'no program expected', result)


def a_missing_blas_is_named(folder):
    write(folder, 'compiler', '''#!/bin/sh
case "$*" in *-lblas*) echo "ld: cannot find -lblas" >&2; exit 1;; esac
exec g++ "$@"
''')
    (pathlib.Path(folder) / 'compiler').chmod(0o755)
    result = cucpu(folder, hello(folder), FAST, '-lcublas', '-ccbin', './compiler', code=1)
    expect(result.stderr == 'error: -lcublas: needs a BLAS of the host\'s, which is not installed '
           '(Debian: libopenblas-dev or libblas-dev)\n', 'one line expected', result)


def names_of_its_own(folder):
    """A program may use names of missing features for other things, and the host's assembler."""
    write(folder, 'own.cu', '''#include <cstdio>
template <class T> class texture { public: T value; };
struct cudaGraphNodeParams { int x; };
__host__ __device__ float tex2D(int x, int y) { return x + y; }
__device__ int __shfl(int x, int lane) { return __shfl_sync(~0u, x, lane); }
static float* cudaFloats(int n) { return new float[n]; }
static auto cudaLambda = [](int half) { return half + 1; };
static int host() { int r; asm volatile("" : "=r"(r) : "0"(7)); return r; }
__global__ void k(float* p) { *p = tex2D(1, __shfl(2, 0)); asm volatile("" ::: "memory"); }
int main() {
  float* p;
  cudaMallocManaged(&p, sizeof(float));
  k<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  int half = 7, cub = 2, half2[2] = {half * 2, half};
  struct { int cudaMine(int x) { return x; } } of_own;
  for (int thrust = 0; thrust < cub; ++thrust) half2[0] += half * thrust;
  delete[] cudaFloats(3);
  if (cudaLambda(half) != 8 || half2[0] != 21 || of_own.cudaMine(3) != 3) return 1;
  return !(host() == 7 && *p == 3 && texture<float>{2}.value == 2 && cudaGraphNodeParams{4}.x == 4);
}
''')
    cucpu(folder, 'own.cu', FAST)
    expect_program(folder)


def any_text_is_survived(folder):
    for text in ('<<<', '}', '__shared__', 'template <', '__global__ void k(',
                 'int main() { k<<<', '__device__ (', 'R"x(', '"', '<<<>>>'):
        write(folder, 'bad.cu', text)
        result = cucpu(folder, '-c', 'bad.cu', code=1)
        expect('bad.cu:1:' in result.stderr and 'error: ' in result.stderr, repr(text), result)
    for text in ('', '// nothing\n', '\n\n', '#'):
        cucpu(folder, '-c', write(folder, 'empty.cu', text))
    (pathlib.Path(folder) / 'latin.cu').write_bytes(b'// caf\xe9\nconst char* s = "\xff\xfe";\n')
    cucpu(folder, '-c', 'latin.cu')


def bad_usage_is_refused(folder):
    hello(folder)
    expect_refused(folder, says='no input file')
    expect_refused(folder, '-O2', says='no input file')
    expect_refused(folder, 'missing.cu', says='missing.cu: no such file')
    expect_refused(folder, 'two\nlines.cu', says='two?lines.cu: no such file')
    expect_refused(folder, 'hello.cu', '-o', says='-o: needs a value')
    expect_refused(folder, 'hello.cu', '-arch', says='-arch: needs a value')
    expect_refused(folder, 'hello.cu', '-ptx', says='-ptx')
    expect_refused(folder, 'hello.cu', '-o', 'hello.cu', says='overwrite')
    hello(folder, 'other.cu')
    expect_refused(folder, '-c', 'hello.cu', 'other.cu', '-o', 'both.o', says='-o both.o')


def nothing_is_left_behind(folder):
    write(folder, 'bad.cu', 'int main() { k<<<1, 1; }')
    write(folder, 'worse.cu', 'int main() { undeclared; }')
    temporary = pathlib.Path(folder) / 'tmp'
    temporary.mkdir()
    for source, code in ((hello(folder), 0), ('bad.cu', 1), ('worse.cu', 1)):
        cucpu(folder, source, FAST, code=code, TMPDIR=str(temporary))
        expect(not list(temporary.iterdir()), f'{source}: files left in TMPDIR')
    result = cucpu(folder, 'bad.cu', code=1, TMPDIR='/proc')  # where nobody can make a folder
    expect(re.fullmatch(r'error: /proc/cucpu\.\w{6}: cannot be made: .+\n', result.stderr),
           'the name of the folder that cannot be made expected', result)


def killed_in_the_midst(folder, signal_sent):
    """The exit code of cucpu, which gets the signal while a compiler runs, and its folder's content."""
    temporary = pathlib.Path(folder) / 'tmp'
    temporary.mkdir(exist_ok=True)
    compiler = pathlib.Path(folder) / 'slow'
    compiler.write_text('#!/bin/sh\ntouch "$TMPDIR/started"\nexec sleep 60\n')
    compiler.chmod(0o755)
    started = temporary / 'started'
    process = subprocess.Popen([CUCPU, hello(folder), '-ccbin', compiler], cwd=folder,
                               env={**os.environ, 'TMPDIR': str(temporary)})
    while not started.exists():
        time.sleep(0.01)
    started.unlink()
    process.send_signal(signal_sent)
    return process.wait(timeout=30), list(temporary.iterdir())


def killed_leaves_nothing(folder):
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        code, left = killed_in_the_midst(folder, ending)
        expect((code, left) == (128 + ending, []), f'{ending.name}: exit code {code}, left: {left}')
    # Only the next run can clean up after that, once it is clear that nobody uses the folder.
    _, left = killed_in_the_midst(folder, signal.SIGKILL)
    expect(len(left) == 1, f'SIGKILL: left: {left}')
    os.utime(left[0], (0, 0))
    cucpu(folder, 'hello.cu', FAST, TMPDIR=str(left[0].parent))
    expect(not left[0].exists(), 'files of a killed run: their removal by the next one expected')


def long_lines_and_deep_nests(folder):
    kernel = '__global__ void k(int* y) {{ {} }}\nint main() {{ k<<<1, 1>>>(nullptr); }}\n'
    write(folder, 'long.cu', kernel.format('int a = 0; ' + 'a += 1; ' * 125_000 + 'y[0] = a;'))
    cucpu(folder, '--cuda', 'long.cu')
    for opening, closing in ('()', '{}'):
        many = 100_000
        nest = opening * many + '0' + ';' * (opening == '{') + closing * many + ';'
        write(folder, 'deep.cu', kernel.format(nest))
        result = cucpu(folder, '-c', 'deep.cu', code=1)
        expect(result.stderr == 'deep.cu:1: error: brackets are nested more than 10,000 deep\n',
               'an error for deep nests expected', result)
    write(folder, 'message.cu', '#error ' + 'x ' * 500_000)
    expect('#error x x' in cucpu(folder, 'message.cu', code=1).stderr, 'the long message expected')


COMMAND_LINE = [
    output_is_a_out, output_is_named, names_with_spaces, two_files_and_a_header,
    variables_of_all_files, kernels_of_other_files, host_sources_and_libraries, definitions_and_relative_includes,
    options_of_nvcc_alone, other_compilers, lowering_only, dependencies, commands_are_shown,
    program_is_run, help_and_version, language_is_given, errors_name_the_users_line,
    errors_name_the_line_of_the_fault, what_is_missing_is_named,
    headers_to_include_are_named, a_missing_blas_is_named, names_of_its_own,
    any_text_is_survived, bad_usage_is_refused, nothing_is_left_behind,
    killed_leaves_nothing, long_lines_and_deep_nests,
]


def in_a_folder_of_its_own(check):
    with tempfile.TemporaryDirectory() as folder:
        check(folder)


def main():
    if sys.argv[2] == 'programs':
        sources = sorted([*HERE.glob('*.cu'), *HERE.glob('*/')])
        checks = {source.stem: (check_program, source) for source in sources}
    elif sys.argv[2] == 'blas':
        checks = {'blas': (check_blas,)}
    else:
        checks = {check.__name__: (in_a_folder_of_its_own, check) for check in COMMAND_LINE}
    wanted = sys.argv[3:] or list(checks)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = {name: pool.submit(*checks[name]) for name in wanted}
        for name, future in runs.items():
            try:
                future.result()
                print(f'ok    {name}', flush=True)
            except (Failure, subprocess.SubprocessError, OSError) as failure:
                failures += 1
                print(f'FAIL  {name}: {failure}', flush=True)
    return 1 if failures or not checks else 0


if __name__ == '__main__':
    sys.exit(main())
