// Output of compute-sanitizer, read without a GPU.
#include "judge/sanitizer.h"

#include <doctest/doctest.h>

namespace judge {
namespace {

constexpr const char* kOutOfBounds = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at k(const float *, float *, int, int)+0x100 in my.cu:4
=========     by thread (0,1,0) in block (0,0,0)
=========     Access to 0x7f8982800008 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f8982800000 of size 8 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cudaFree [0x19fca] in solution
========= 
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"
=========     Saved host backtrace up to driver entry point at error
========= ERROR SUMMARY: 2 errors
)";

constexpr const char* kRace = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at void mm<(int)16>(const float *, int)+0x3b0 in my.cu:10
=========     and Read access at mm(const float *, int)+0x3d0 in my.cu:12 [128 hazards]
=========     and Read access at mm(const float *, int)+0x3f0 in my.cu:12 [64 hazards]
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

TEST_CASE("an access out of bounds, without what only a debugger needs") {
  const SanitizerOutput output = read_sanitizer("memcheck", kOutOfBounds);
  REQUIRE(output.findings.size() == 1);
  const auto& finding = output.findings.front();
  CHECK(finding.at("tool") == "memcheck");
  CHECK(finding.at("kind") == "out_of_bounds");
  CHECK(finding.at("kernel") == "k");
  CHECK(finding.at("file") == "my.cu");
  CHECK(finding.at("line") == 4);
  CHECK(output.first_report ==
        "========= Invalid __global__ read of size 4 bytes\n"
        "=========     at k in my.cu:4\n"
        "=========     by thread (0,1,0) in block (0,0,0)\n"
        "=========     Access to 0x7f8982800008 is out of bounds\n"
        "=========     and is 1 bytes after the nearest allocation at 0x7f8982800000 of size 8 "
        "bytes\n");
}

TEST_CASE("a race has two lines, however many instructions take part") {
  const SanitizerOutput output = read_sanitizer("racecheck", kRace);
  REQUIRE(output.findings.size() == 1);
  CHECK(output.findings.front().at("kind") == "race");
  CHECK(output.findings.front().at("line") == 10);
  CHECK(output.findings.front().at("other_line") == 12);
  CHECK(output.first_report ==
        "========= Error: Race reported between Write access at mm in my.cu:10\n"
        "=========     and Read access at mm in my.cu:12 [128 hazards]\n");
}

TEST_CASE("nothing is found where nothing is said") {
  const SanitizerOutput output = read_sanitizer(
      "initcheck", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  CHECK(output.findings.empty());
  CHECK(output.first_report.empty());
}

}  // namespace
}  // namespace judge
