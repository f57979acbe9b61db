// gemv: known-wrong twins of its kernels, for the checks to find.
#include "harness/step.h"
#include "twins.h"

int main(int argc, char** argv) { return harness::run_step(argc, argv, kTwins); }
