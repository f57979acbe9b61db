// The programs that the bench measures, and the table of goals.
#include "bench/goals.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "host/command_line.h"
#include "ladder_table.h"

namespace {

using harness::Result;

Result softmax(const std::string& variant, std::size_t rows, std::size_t cols, double median_ms) {
  Result result;
  result.step = "06_softmax_warp";
  result.variant = variant;
  result.backend = "cuda";
  result.device = "NVIDIA H200";
  result.shape = {{"rows", rows}, {"cols", cols}};
  result.status = "pass";
  result.median_ms = median_ms;
  result.baseline = "cuDNN softmax";
  result.baseline_ms = 1.0;
  result.percent_of_baseline = 100 / median_ms;
  return result;
}

Result sum(const std::string& variant, std::size_t n, double percent_of_baseline) {
  Result result = softmax(variant, 0, 0, 1);
  result.step = "05_reduce_warp_shuffle";
  result.shape = {{"n", n}};
  result.percent_of_baseline = percent_of_baseline;
  return result;
}

// The words of the table's line that starts with `shape`, in the group `title`.
std::vector<std::string> row(const std::string& table, const std::string& title,
                             const std::string& shape) {
  std::istringstream lines(table.substr(table.find("\n" + title) + 1));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (!all.empty() && all[0] == shape) return all;
  }
  return {};
}

// The numbers of {"--rows", "5", "--cols", "7"}.
std::vector<std::size_t> sizes_in(const std::vector<std::string>& options) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 1; i < options.size(); i += 2) sizes.push_back(std::stoull(options[i]));
  return sizes;
}

using Words = std::vector<std::string>;

// A file that is gone at the end.
class File {
 public:
  explicit File(const std::string& text) {
    std::FILE* file = fdopen(mkstemp(path_.data()), "w");
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/goals_test.XXXXXX";
};

}  // namespace

TEST_CASE("each step is measured once, each of its sizes once, and a kernel at all of them") {
  std::set<std::string> names;
  for (const bench::Step& step : bench::kSteps) {
    CAPTURE(step.name);
    CHECK(names.insert(step.name).second);
    CHECK(std::set(step.sizes.begin(), step.sizes.end()).size() == step.sizes.size());
    CHECK(!step.everywhere.empty());
  }
  CHECK(names.count("12_sgemm_warptile_zorder") == 1);
}

TEST_CASE("every goal is about a size that is measured") {
  for (const bench::Goal& goal : bench::kGoals) {
    bool measured = false;
    for (const bench::Step& step : bench::kSteps) {
      if (step.name != goal.step) continue;
      for (const auto& options : step.sizes) measured = measured || sizes_in(options) == goal.size;
    }
    CAPTURE(goal.step);
    CAPTURE(goal.size[0]);
    CHECK(measured);
  }
}

TEST_CASE("what is recorded is what is measured") {
  const std::vector<Result> recorded = bench::read_results("--goals", BENCH_RECORD);
  for (const bench::Step& step : bench::kSteps) {
    std::set<std::vector<std::size_t>> sizes, planned;
    for (const Result& result : recorded) {
      if (result.step == step.name) sizes.insert(bench::shape_of(result));
    }
    for (const auto& options : step.sizes) planned.insert(sizes_in(options));
    CAPTURE(step.name);
    CHECK(sizes == planned);
  }
}

TEST_CASE("results are compared with the goal and the aim") {
  std::string table = bench::goal_table({sum("one", 1 << 28, 101.2)}, {});
  CHECK(row(table, "reduce / CUB", "2^28") == Words{"2^28", "one", "1.012", "1.00", "-", "goal"});
  CHECK(row(table, "reduce / CUB", "2^20") == Words{"2^20", "-", "-", "1.00", "-", "-"});
  table = bench::goal_table({sum("one", 1 << 28, 99.9)}, {});
  CHECK(row(table, "reduce / CUB", "2^28").back() == "missed");

  Result result = sum("one", 1 << 28, 100);
  result.percent_of_roof = 97;
  CHECK(row(bench::goal_table({result}, {}), "reduce / read", "2^28").back() == "below");
  result.percent_of_roof = 98.5;
  CHECK(row(bench::goal_table({result}, {}), "reduce / read", "2^28").back() == "aim");
}

TEST_CASE("of several runs the worst counts, of several variants the best") {
  const std::vector<Result> results = {sum("steady", 1 << 20, 103), sum("lucky", 1 << 20, 120),
                                       sum("steady", 1 << 20, 102), sum("lucky", 1 << 20, 90)};
  const std::string table = bench::goal_table(results, {});
  CHECK(row(table, "reduce / CUB", "2^20") ==
        Words{"2^20", "steady", "1.020", "1.00", "-", "goal"});
  CHECK(table.rfind("goals, the worst of 2 runs on NVIDIA H200", 0) == 0);
}

TEST_CASE("a wrong result counts for nothing") {
  Result wrong = sum("one", 1 << 20, 150);
  wrong.status = "fail";
  const std::string table = bench::goal_table({wrong, sum("one", 1 << 24, 101)}, {});
  CHECK(row(table, "reduce / CUB", "2^20").back() == "-");
}

TEST_CASE("what was not measured at all is named in a line") {
  const std::string table = bench::goal_table({sum("one", 1 << 20, 101)}, {});
  CHECK(table.find("\nnot measured: gemv / cuBLAS\n") != std::string::npos);
  CHECK(table.find("16384x16384") == std::string::npos);
}

TEST_CASE("softmax is compared with cuDNN, and with the fastest peer in the peers' own process") {
  const std::vector<Result> ours = {softmax("softmax", 1024, 65536, 0.5),
                                    softmax("not_beside_them", 1024, 65536, 0.1)};
  const auto against = [&](const std::vector<Result>& peers) {
    return row(bench::goal_table(ours, peers), "softmax / the best", "1024x65536");
  };
  CHECK(against({}) == Words{"1024x65536", "not_beside_them", "/", "cuDNN", "softmax", "10.000",
                             "1.00", "-", "goal"});
  Result peer = softmax("Triton", 1024, 65536, 0.4);
  peer.baseline.reset();
  peer.baseline_ms.reset();
  peer.percent_of_baseline.reset();
  Result beside = softmax("softmax", 1024, 65536, 0.5);
  beside.baseline = "Triton";
  beside.percent_of_baseline = 80;
  Result lucky = beside;
  lucky.percent_of_baseline = 120;
  CHECK(against({peer, beside, lucky}) ==
        Words{"1024x65536", "softmax", "/", "Triton", "0.800", "1.00", "-", "missed"});
  beside.percent_of_baseline = 300;  // cuDNN is the better one then
  CHECK(against({peer, beside}) ==
        Words{"1024x65536", "softmax", "/", "cuDNN", "softmax", "2.000", "1.00", "-", "goal"});
  // A record of another problem counts for nothing.
  CHECK(against({peer}).empty());
  beside.device = "another";
  CHECK(against({beside}).empty());
  beside = softmax("softmax", 65536, 1024, 0.5);
  CHECK(against({beside}).empty());
  beside = softmax("softmax", 1024, 65536, 0.5);
  beside.status = "fail";
  CHECK(against({beside}).empty());
}

TEST_CASE("the runs beside peers are no further runs") {
  const std::vector<Result> runs(3, softmax("softmax", 1024, 65536, 0.5));
  CHECK(bench::goal_table(runs, runs).rfind("goals, the worst of 3 runs on NVIDIA H200", 0) == 0);
}

TEST_CASE("the table keeps to 80 columns") {
  std::istringstream lines(bench::goal_table({softmax("softmax_three_kernels", 1024, 65536, 0.5)},
                                             {softmax("softmax_three_kernels", 1024, 65536, 1)}));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("records are read, without what is no measurement") {
  Result refused = sum("one", 1 << 20, 150);
  refused.measuring_error = "above the roof";
  const File file(harness::to_json(sum("one", 1 << 20, 101)) + "\n" + harness::to_json(refused) +
                  "\n");
  const std::vector<Result> results = bench::read_results("--goals", file.path());
  REQUIRE(results.size() == 1);
  CHECK(results[0].percent_of_baseline == 101);
}

TEST_CASE("what is no record is refused, and says where it is none") {
  CHECK_THROWS_WITH_AS(bench::read_results("--goals", "/nowhere"),
                       "--goals /nowhere: No such file or directory; allowed: a file that --record "
                       "has written",
                       host::UsageError);
  const File nonsense(harness::to_json(sum("one", 1 << 20, 101)) + "\n{}\n");
  std::string said;
  try {
    bench::read_results("--peers", nonsense.path());
  } catch (const host::UsageError& error) {
    said = error.what();
  }
  CHECK(said.find(nonsense.path() + ": line 2 is not a result") != std::string::npos);
}
