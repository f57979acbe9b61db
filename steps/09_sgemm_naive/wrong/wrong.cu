// 09_sgemm_naive: known-wrong twins of its kernels, for the checks to find.
#include "accumulates_in_c.cuh"
#include "harness/step.h"
#include "no_guard.cuh"
#include "one_k_too_many.cuh"
#include "problem/sgemm.h"
#include "swapped_grid.cuh"
#include "transposed_b.cuh"
#include "uncoalesced.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(argc, argv, "09_sgemm_naive",
                                           {
                                               {"swapped_grid", swapped_grid::sgemm_naive},
                                               {"no_guard", no_guard::sgemm_naive},
                                               {"one_k_too_many", one_k_too_many::sgemm_naive},
                                               {"transposed_b", transposed_b::sgemm_naive},
                                               {"accumulates_in_c", accumulates_in_c::sgemm_naive},
                                               {"uncoalesced", uncoalesced::sgemm_naive},
                                           });
}
