// What `cucpu --help` prints.
#pragma once

namespace cucpu {

inline constexpr const char* kHelp = R"(usage: cucpu FILE.cu... [-o PROGRAM] [options]

Compiles CUDA programs for the CPU: no GPU and no CUDA Toolkit are needed.

  cucpu saxpy.cu && ./a.out
  cucpu -O2 -g saxpy.cu -o saxpy
  cucpu -c kernels.cu && cucpu main.cu kernels.o -o program

Options that are cucpu's or nvcc's:
  -o FILE               the program (default: a.out), or the object with -c
  -c, -dc               compile only: FILE.o for each FILE.cu
  -rdc=true             files may share __device__ variables by `extern`
  -x cu                 the next files are CUDA, whatever their names end in
  -ccbin COMPILER       the host's compiler (default: CXX, else what built this)
  -Xcompiler A,B        options for the host's compiler; -Xlinker A,B: for its
                        linker
  -G                    code for gdb: -g -O0 (docs/pages/debugging.md says how
                        to step through a kernel and list CUDA threads)
  --cuda                preprocess and lower to C++ only, into -o (default:
                        FILE.cu.cpp)
  --traced              with -c or --cuda: what the traced twin is made of
  --run                 run the program, too
  --dry-run, --verbose  show the commands, and run none or all of them
  --help, --version

Options that are about GPUs (-arch, -gencode, -Xptxas, -lineinfo,
--use_fast_math, ...) and -lcudart have no effect. All others, as -O2 -g -Wall
-I -D -L -l, go to the host's compiler. The default is -O3; language standards
older than C++20 count as C++20. Other sources, objects and libraries are
compiled and linked as usual.

There are no floats of 8 bits and less, tensor cores, clusters, launches from
kernels, textures, graphs, PTX, nor libraries as cuFFT or Thrust: a program
that needs them is refused with a line that says where. -lcublas links the
host's BLAS, on which cublas_v2.h has the common calls of fp32 and fp64.

A program reads from its environment:
  CUCPU_THREADS=N           host threads that run blocks
  CUCPU_SMS=N               multiprocessors the device says it has
  CUCPU_ORDER=ORDER         order of the threads of a block: ascending,
                            descending or random:SEED
  CUCPU_TIMEOUT=SECONDS     longest time without a block's end
  CUCPU_TOOLS=TOOL,...      what else to do while it runs:
    counters                print what each launch did, at exit
    memcheck, racecheck,
    initcheck, synccheck    print what it did wrong
    all                     all of these
    leakcheck               memcheck; memory that is not freed is an error, too
    accesses                write what the first block accesses to CUCPU_JSON
  CUCPU_JSON=FILE           write it all there, too, one JSON object a line
With CUCPU_TOOLS it hands over to its traced twin, which g++ puts beside it as
PROGRAM.traced, and for which objects that -c makes bring along what it takes.

Exit codes: 0 all right; 1 the program cannot be compiled; 2 bad usage. A
program in which a checker found an error ends with 1.
)";

}  // namespace cucpu
