// The text that `cucpu --help` prints.
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
  --traced              with -c or --cuda: make the parts of the traced twin
  --run                 run the program, too
  --dry-run, --verbose  show the commands, and run none or all of them
  --help, --version

Options about GPUs (-arch, -gencode, -Xptxas, -lineinfo, --use_fast_math, ...)
and -lcudart have no effect. All others, such as -O2 -g -Wall -I -D -L -l, go
to the host's compiler. The default is -O3; language standards older than C++20
count as C++20. Other sources, objects and libraries are compiled and linked as
usual.

Not supported: floats of 8 bits or fewer, tensor cores, clusters, launches from
kernels, textures, graphs, PTX, and libraries such as cuFFT or Thrust. A program
that needs one of these is refused, with a message that names the line.
-lcublas links the host's BLAS; cublas_v2.h offers the common fp32 and fp64
calls on top of it.

The compiled program reads these environment variables:
  CUCPU_THREADS=N           host threads that run blocks (default: all cores)
  CUCPU_SMS=N               number of SMs that the device reports
  CUCPU_ORDER=ORDER         order of the threads of a block: ascending,
                            descending or random:SEED
  CUCPU_TIMEOUT=SECONDS     longest time without a block's end (default: 30)
  CUCPU_TOOLS=TOOL,...      tools that watch the program:
    counters                print each launch's counts at exit
    memcheck, racecheck,
    initcheck, synccheck    print the errors that the checker finds
    all                     all of these
    leakcheck               memcheck; memory that is not freed is an error, too
    accesses                write the first block's accesses to CUCPU_JSON
  CUCPU_JSON=FILE           write all results there, one JSON object per line
  CUCPU_DRAW=FILE           draw the requests of its warps: a page of HTML
With CUCPU_TOOLS or CUCPU_DRAW set, the program starts its traced twin instead:
the file PROGRAM.traced beside it, which g++ builds along with the program.
Objects made by -c contain their part of the twin.

Exit codes: 0 success; 1 the program does not compile; 2 bad usage. A program
in which a checker finds an error ends with 1.
)";

}  // namespace cucpu
