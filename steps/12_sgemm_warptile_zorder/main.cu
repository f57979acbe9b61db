// 12_sgemm_warptile_zorder: a matrix product with every warp and lane in its place.
#include "harness/step.h"
#include "rungs.h"

void tune();  // tune.cuh

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep,
                           {{"--tune", "measure which tiles suit this GPU", tune}});
}
