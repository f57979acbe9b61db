// 12_sgemm_warptile_zorder: a matrix product with every warp and lane in its place.
#include "harness/step.h"
#include "rungs.h"
#include "tune.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep,
                           {{"--tune", "measure which tiles suit this GPU", tune}});
}
