#include "bench/plan.h"

namespace bench {

std::string Program::name() const { return std::string(path.substr(path.rfind('/') + 1)); }

// A naive matrix product of 8192 x 8192 takes a second, a sum with one atomic an element of 2^30
// elements two: what no chapter ends with is measured at one size. The last sizes of a program are
// odd ones, of which no kernel's tile is a divisor.
//
// A softmax of 67 us takes 65.5 or 67.3 us, at random, and a transpose of 10 us 9.9 to 11.5: only
// of many launches is the median steady.
const std::vector<Program>& plan() {
  static const std::vector<Program> programs = {
      {"roofs", {""}},
      {"steps/01_naive_add/01_naive_add", {"--n 268435456"}},
      {"steps/02_vectorized_add/02_vectorized_add", {"--n 268435456", "--n 268435399"}},
      {"steps/03_reduce_atomic/03_reduce_atomic", {"--n 268435456"}},
      {"steps/04_reduce_shared/04_reduce_shared", {"--n 268435456"}},
      {.path = "steps/05_reduce_warp_shuffle/05_reduce_warp_shuffle",
       .sizes = {"--n 268435456", "--n 1048576", "--n 16777216", "--n 1073741824", "--n 268435399"},
       .finals = 2},
      {"steps/05_reduce_warp_shuffle/gemv/gemv",
       {"--m 16384 --k 16384", "--m 1024 --k 65536", "--m 65536 --k 1024", "--m 16381 --k 16383"}},
      {.path = "steps/06_softmax_warp/06_softmax_warp",
       .sizes = {"--rows 32768 --cols 1024", "--rows 65536 --cols 32", "--rows 65536 --cols 128",
                 "--rows 8192 --cols 4096", "--rows 4096 --cols 16384", "--rows 1024 --cols 65536",
                 "--rows 32749 --cols 1031", "--rows 255 --cols 262139"},
       .repeats = 100},
      {"steps/07_transpose_naive/07_transpose_naive", {"--rows 8192 --cols 8192"}},
      {.path = "steps/08_transpose_shared/08_transpose_shared",
       .sizes = {"--rows 8192 --cols 8192", "--rows 8191 --cols 8190", "--rows 100000 --cols 32",
                 "--rows 32 --cols 100000", "--rows 8191 --cols 8191"},
       .repeats = 100},
      {"steps/09_sgemm_naive/09_sgemm_naive", {"--m 4096 --n 4096 --k 4096"}},
      {"steps/10_sgemm_blocktile/10_sgemm_blocktile", {"--m 4096 --n 4096 --k 4096"}},
      {"steps/11_sgemm_threadtile/11_sgemm_threadtile", {"--m 4096 --n 4096 --k 4096"}},
      {"steps/12_sgemm_warptile_zorder/12_sgemm_warptile_zorder",
       {"--m 4096 --n 4096 --k 4096", "--m 1024 --n 1024 --k 1024", "--m 2048 --n 2048 --k 2048",
        "--m 8192 --n 8192 --k 8192", "--m 8192 --n 256 --k 8192", "--m 256 --n 256 --k 65536",
        "--m 4097 --n 4095 --k 4099"}},
  };
  return programs;
}

}  // namespace bench
