// Command lines of steps, and numbers in reports.
#include "harness/options.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/stopwatch.h"
#include "harness/count_table.h"
#include "harness/figures.h"
#include "harness/launch.h"
#include "harness/memory.h"
#include "harness/report.h"
#include "host/command_line.h"
#include "problem/add.h"
#include "problem/sgemm.h"
#include "problem/transpose.h"

namespace {

using harness::Options;

const std::vector<harness::AnyVariant> kVariants = {
    {"first", nullptr}, {"second", nullptr}, {"third", nullptr}};

Options parse(const problem::Problem& problem, std::vector<const char*> words) {
  words.insert(words.begin(), "step");
  return harness::parse_options(static_cast<int>(words.size()), words.data(), "00_step", problem,
                                kVariants);
}

Options parse_add(const std::vector<const char*>& words) {
  return parse(problem::Add::problem(), words);
}

Options parse_sgemm(const std::vector<const char*>& words) {
  return parse(problem::Sgemm::problem(), words);
}

// The complaint about a command line; empty if there is none.
std::string complaint(const problem::Problem& problem, const std::vector<const char*>& words) {
  try {
    parse(problem, words);
  } catch (const host::UsageError& error) {
    return error.what();
  }
  return {};
}

std::string complaint(const std::vector<const char*>& words) {
  return complaint(problem::Add::problem(), words);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without options everything has its default") {
  const Options options = parse_add({});
  const problem::Size& n = problem::Add::problem().sizes()[0];
  CHECK(options.shape == problem::Shape{n.standard(false)});
  CHECK(options.variants == std::vector<std::size_t>{0, 1, 2});
  CHECK(options.inputs.seed == 1);
  CHECK(options.inputs.values == problem::Values::random);
  CHECK_FALSE(options.json);
  CHECK(options.device == 0);
  CHECK(options.repeat > 0);
  CHECK(options.answer.empty());
}

TEST_CASE("options are read") {
  const Options options = parse_add({"--n", "17", "--seed=5", "--exact", "--repeat", "0",
                                     "--warmup", "4", "--json", "--device", "3"});
  CHECK(options.shape == problem::Shape{17});
  CHECK(options.sizes == std::vector<std::string>{"--n 17"});
  CHECK(options.inputs.seed == 5);
  CHECK(options.inputs.values == problem::Values::exact);
  CHECK(options.repeat == 0);
  CHECK(options.warmup == 4);
  CHECK(options.json);
  CHECK(options.device == 3);
}

TEST_CASE("0 is a legal size") {
  CHECK(parse_add({"--n", "0"}).shape == problem::Shape{0});
  CHECK(parse_sgemm({"--m", "0", "--n", "2", "--k", "0"}).shape == problem::Shape{0, 2, 0});
}

TEST_CASE("--quick makes everything small, and explicit values win") {
  const problem::Size& n = problem::Add::problem().sizes()[0];
  CHECK(n.standard(true) < n.standard(false));
  const Options quick = parse_add({"--quick"});
  CHECK(quick.shape == problem::Shape{n.standard(true)});
  CHECK(quick.repeat == 1);
  const Options chosen = parse_add({"--quick", "--n", "9", "--repeat", "2"});
  CHECK(chosen.shape == problem::Shape{9});
  CHECK(chosen.repeat == 2);
}

TEST_CASE("kernels are chosen by name, in the step's order") {
  CHECK(parse_add({"--kernel", "third", "--kernel", "first"}).variants ==
        std::vector<std::size_t>{0, 2});
  CHECK(parse_add({"--kernel", "second", "--kernel", "second"}).variants ==
        std::vector<std::size_t>{1});
}

TEST_CASE("matrix products take the sizes of the classic sample") {
  const Options options = parse_sgemm({"--wA", "5", "--hA", "3", "--wB", "7", "--hB", "5"});
  CHECK(options.shape == problem::Shape{3, 7, 5});
  CHECK(options.by_alias);
  CHECK(parse_sgemm({"--wA", "5"}).shape[2] == 5);
  CHECK_FALSE(parse_sgemm({"--k", "5"}).by_alias);
  CHECK(parse_sgemm({"--k", "5", "--wA", "5"}).shape[2] == 5);

  const problem::Problem& sgemm = problem::Sgemm::problem();
  CHECK(complaint(sgemm, {"--wA", "64", "--hB", "32"}) ==
        "--hB 32: differs from --wA 64; allowed: the same value for both");
  CHECK(complaint(sgemm, {"--k", "64", "--wA", "32"}) ==
        "--wA 32: differs from --k 64; allowed: the same value for both");
}

TEST_CASE("questions are answered without a run") {
  CHECK(parse_add({"--list"}).answer == "first\nsecond\nthird\n");
  CHECK(contains(parse_add({"--version"}).answer, "00_step "));
  const std::string help = parse_add({"--help"}).answer;
  for (const char* option : {"--list", "--kernel", "--n", "--seed", "--exact", "--repeat",
                             "--warmup", "--json", "--device", "--help", "--version"}) {
    CHECK(contains(help, option));
  }
}

TEST_CASE("a bad value is named with its option and what is allowed") {
  struct Case {
    std::vector<const char*> words;
    const char* says;
  };
  const std::vector<Case> cases = {
      {{"--n", "-5"}, "--n '-5': negative; allowed: a whole number from 0 to 1099511627776"},
      {{"--n", "x"},
       "--n 'x': not a whole number; allowed: a whole number from 0 to 1099511627776"},
      {{"--n", "1.5"}, "--n '1.5': not a whole number"},
      {{"--n", "1e6"}, "--n '1e6': not a whole number"},
      {{"--n", "5x"}, "--n '5x': not a whole number"},
      {{"--n", "+5"}, "--n '+5': not a whole number"},
      {{"--n", " 5"}, "--n ' 5': not a whole number"},
      {{"--n", "-"}, "--n '-': not a whole number"},
      {{"--n", ""}, "--n '': not a whole number"},
      {{"--n", "1099511627777"}, "--n 1099511627777: too large; allowed: a whole number from 0 to"},
      {{"--n", "99999999999999999999999"}, "--n 99999999999999999999999: too large"},
      {{"--n"}, "--n: the value is missing; allowed: a whole number from 0 to 1099511627776"},
      {{"--n="}, "--n: the value is missing"},
      {{"--seed", "-1"},
       "--seed '-1': negative; allowed: a whole number from 0 to 1844674407370955"},
      {{"--repeat", "-1"}, "--repeat '-1': negative; allowed: a whole number from 0 to 1000000"},
      {{"--repeat", "1000001"}, "--repeat 1000001: too large"},
      {{"--warmup", "many"}, "--warmup 'many': not a whole number"},
      {{"--device", "one"}, "--device 'one': not a whole number"},
      {{"--kernel"}, "--kernel: the value is missing; allowed: one of first, second, third"},
      {{"--kernel", "fourth"}, "--kernel 'fourth': no such kernel; allowed: one of first, second"},
      {{"--kernel", ""}, "--kernel '': no such kernel"},
      {{"--size", "3"}, "'--size': no such option; allowed: --list --kernel --n"},
      {{"-x"}, "'-x': no such option"},
      {{"word"}, "'word': no such option"},
      {{""}, "'': no such option"},
      {{"--"}, "'--': no such option"},
      {{"--kernel", "first", "second"}, "'second': no such option"},
      {{"--json=yes"}, "--json=yes: takes no value; allowed: --json"},
      {{"--list=false"}, "--list=false: takes no value"},
  };
  for (const Case& c : cases) {
    const std::string said = complaint(c.words);
    CAPTURE(said);
    CAPTURE(c.says);
    CHECK(said.rfind(c.says, 0) == 0);
    CHECK_FALSE(contains(said, "\n"));
  }
  CHECK(contains(complaint(problem::Sgemm::problem(), {"--m", "2147483648"}),
                 "--m 2147483648: too large; allowed: a whole number from 0 to 2147483647"));
  CHECK(contains(complaint(problem::Transpose::problem(), {"--n", "3"}), "no such option"));
}

TEST_CASE("times are summarized by their median") {
  const device::Timing odd = device::summarize({3, 1, 2});
  CHECK(odd.median_ms == 2);
  CHECK(odd.min_ms == 1);
  CHECK(odd.max_ms == 3);
  CHECK(odd.repeats == 3);
  CHECK(device::summarize({4, 1, 2, 3}).median_ms == 2.5);
  CHECK(device::summarize({7}).median_ms == 7);
}

TEST_CASE("clocks that fall are a measuring error") {
  CHECK(harness::clock_fault({.lowest = 1980, .highest = 1980}) == "");
  CHECK(harness::clock_fault({.lowest = 1950, .highest = 1980}) == "");
  CHECK(contains(harness::clock_fault({.lowest = 1500, .highest = 1980}), "from 1980 to 1500 MHz"));
  const device::Clocks merged = device::Clocks{1500, 1600}.merged({1700, 1900});
  CHECK(merged.lowest == 1500);
  CHECK(merged.highest == 1900);
}

TEST_CASE("a rate above the roof is a measuring error") {
  CHECK(harness::roof_fault(99, 100) == "");
  CHECK(harness::roof_fault(101, 100) == "");
  CHECK(contains(harness::roof_fault(103, 100), "103 G/s is above the roof of 100 G/s"));
  CHECK(harness::roof_fault(std::numeric_limits<double>::infinity(), 100) != "");
  CHECK(harness::roof_fault(std::numeric_limits<double>::quiet_NaN(), 100) != "");
}

TEST_CASE("host memory that is available is some") {
  CHECK(harness::available_host_memory() > 1e6);
  CHECK(harness::available_host_memory() < 1e16);
}

TEST_CASE("a result goes to JSON and back, and leaves out what does not apply") {
  harness::Result result;
  result.step = "02_vectorized_add";
  result.variant = "add_float4";
  result.backend = "cuda";
  result.device = "a GPU";
  result.shape = {{"rows", 3}, {"cols", 5}};
  result.status = "pass";
  CHECK(harness::to_json(result) ==
        R"({"step":"02_vectorized_add","variant":"add_float4","backend":"cuda","device":"a GPU",)"
        R"("shape":{"rows":3,"cols":5},"status":"pass","repeats":0,"bytes":0})");

  result.median_ms = 1.5;
  result.min_ms = 1.25;
  result.max_ms = 1.75;
  result.repeats = 20;
  result.bytes = 3e9;
  result.flops = 1e9;
  result.gb_per_s = 2000;
  result.gflop_per_s = 666;
  result.roof_gb_per_s = 4000;
  result.percent_of_roof = 50;
  result.baseline = "a library";
  result.baseline_ms = 1;
  result.percent_of_baseline = 66;
  result.max_error = 1e-8;
  result.error_bound = 1e-7;
  result.output_hash = "00f0";
  const std::string json = harness::to_json(result);
  CHECK(harness::to_json(harness::from_json(json)) == json);
  CHECK(contains(json, R"("bytes":3000000000,"flops":1000000000,)"));
  CHECK(contains(json, R"("percent_of_baseline":66.0)"));
  CHECK_FALSE(contains(json, "roof_gflop_per_s"));
  CHECK_FALSE(contains(json, "\n"));
  CHECK_THROWS_AS(harness::from_json("not json"), std::runtime_error);
  CHECK_THROWS_AS(harness::from_json("{}"), std::runtime_error);
}

TEST_CASE("a table keeps to 80 columns") {
  harness::Result result;
  result.status = "fail";
  result.median_ms = 12345.678;
  result.min_ms = 1;
  result.max_ms = 99999;
  result.gflop_per_s = 99999.4;
  result.percent_of_roof = 99.9;
  result.percent_of_baseline = 101;
  for (const bool gpu : {false, true}) {
    const std::string row = harness::table_row("  transpose_write_coalesced", result, gpu);
    CAPTURE(row);
    CHECK(row.size() <= 81);  // with the line's end
    CHECK(row.size() == harness::table_head("step", gpu).size());
    CHECK(contains(row, "99999 GFLOP/s"));
  }
}

TEST_CASE(
    "times are taken where they are asked for, and counts only where nothing asks for times") {
  // This program has no traced twin, so it cannot count.
  CHECK_FALSE(parse_add({}).counts);
  CHECK(parse_add({"--counters"}).counts);
  CHECK(parse_add({"--counters"}).repeat == 0);
  CHECK(parse_add({"--repeat", "2"}).repeat == 2);
  if (device::kIsCpu) CHECK(parse_add({"--times"}).repeat > 0);
}

TEST_CASE("a change is told as a factor, in 6 characters at most") {
  CHECK(harness::change(256, 1) == "1/256");
  CHECK(harness::change(4, 1) == "1/4");
  CHECK(harness::change(3, 2) == "1/1.5");
  CHECK(harness::change(1, 32) == "32x");
  CHECK(harness::change(2, 3) == "1.5x");
  CHECK(harness::change(100, 98) == "0.98x");
  CHECK(harness::change(1000, 1001) == "=");
  CHECK(harness::change(0, 5) == "new");
  CHECK(harness::change(5, 0) == "gone");
  CHECK(harness::change(0, 0).empty());
  CHECK(harness::change(1e6, 1) == "1/1000k");
  CHECK(harness::change(33e3, 1) == "1/33k");
}

namespace {

// The result of a reduction's run, as the table gets it.
harness::Result counted(const std::string& variant, const std::string& origin, double atomics,
                        std::size_t n) {
  harness::Result result;
  result.variant = variant;
  result.status = "pass";
  result.shape = {{"n", n}};
  if (!origin.empty()) result.grows_from = origin;
  result.figures = {{"atomics", atomics}, {"barriers", 12345678.0}, {"shared_wavefronts", {}}};
  return result;
}

}  // namespace

TEST_CASE("a kernel's counts are compared with those of the kernel that it grows from") {
  harness::CountTable table;
  const std::string head = harness::CountTable::head("step", "sum");
  CHECK(contains(head, "atomics       barriers     wavefronts\n"));
  CHECK(head.size() <= 81);  // with the line's end
  const std::string first = table.row("first", counted("first", "", 1024, 9));
  CHECK_FALSE(contains(first, "/"));
  CHECK(contains(first, " 12.3M"));
  CHECK(contains(table.row("other", counted("other", "first", 1024, 9)), " 1024      ="));
  CHECK(contains(table.row("third", counted("third", "first", 4, 9)), "    4  1/256"));
  // Neither at another size, nor against a kernel that was not run.
  CHECK_FALSE(contains(table.row("large", counted("large", "first", 4, 10)), "1/256"));
  CHECK_FALSE(contains(table.row("alone", counted("alone", "absent", 4, 9)), "1/256"));
  CHECK(table.row("  sgemm_threadtile_transposed", counted("w", "first", 1e9, 9)).size() <= 81);
}

TEST_CASE("figures come from the counters, and headings fit their columns") {
  const std::string none = R"({"requests":0,"sectors":0,"wavefronts":0})";
  const std::string counters =
      R"({"global_load":{"requests":2,"sectors":32},"global_store":{"requests":1,"sectors":16},)"
      R"("global_atomic":)" +
      none + R"(,"shared_load":)" + none + R"(,"shared_store":)" + none + R"(,"barriers":7})";
  const std::vector<harness::Result::Figure> figures =
      harness::figures(problem::Add::problem(), {256}, counters);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].name == "sectors_per_request");
  CHECK(figures[0].value == 16);
  CHECK(figures[1].value == 3);
  CHECK_FALSE(harness::figures(problem::Add::problem(), {0}, counters)[0].value);
  for (const char* name : {"add", "gemv", "sum", "softmax", "transpose", "sgemm"}) {
    CHECK(harness::figure_kinds(name).size() >= 2);
    CHECK(harness::CountTable::head("step", name).size() <= 81);
    for (const harness::FigureKind& kind : harness::figure_kinds(name))
      CHECK(kind.heading.size() <= 14);
  }
}
