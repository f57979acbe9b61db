// The program that runs a learner's solve: this, linked with the object of the learner's file.
//
//   driver EXERCISE check    runs all cases, up to the first one that goes wrong
//   driver EXERCISE bench    times the solution on a GPU
//
// Events are written to kRecordsDescriptor (records.h).
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/check.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "harness/launch.h"
#include "harness/limit.h"
#include "judge/counting.h"
#include "judge/exercise.h"
#include "judge/records.h"
#include "problem/parallel.h"

/// In the learner's object: calls solve with its own types.
extern "C" void judge_call(void* const* arrays, const int* sizes);

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

void write_record(const Json& record) {
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(kRecordsDescriptor, line.data() + written, line.size() - written);
    if (n <= 0) std::_Exit(2);  // nobody is listening any more
    written += static_cast<std::size_t>(n);
  }
}

// --- the call ------------------------------------------------------------------------------------

bool in_solve = false;

void report_exit() {
  if (in_solve) write_record({{"event", "exit"}});
}

void call_solve(void* const* arrays, const Sizes& sizes) {
  in_solve = true;
  judge_call(arrays, sizes.data());
  in_solve = false;
}

// --- memory --------------------------------------------------------------------------------------

// Fills outputs before solve: NaN, as floats.
constexpr unsigned char kPoison = 0xFF;

// The arrays of a case on the device, each between red zones; where memory is watched, each in an
// allocation of its own that is just as long, and whose outputs count as never written.
class DeviceArrays {
 public:
  explicit DeviceArrays(const Exercise& exercise, const Data& data) {
    for (std::size_t i = 0; i < exercise.arrays.size(); ++i) {
      const Array& array = exercise.arrays[i];
      const std::size_t bytes = array.count(data.run.sizes) * bytes_of(array.element);
      memory_.push_back(std::make_unique<device::GuardedMemory>(bytes, 0));
      pointers_.push_back(memory_.back()->data());
      if (array.role == Role::output)
        poison(pointers_.back(), bytes);
      else
        CUDA_CHECK(cudaMemcpy(pointers_.back(), data.arrays[i].bytes().data(), bytes,
                              cudaMemcpyHostToDevice));
    }
  }

  void* const* pointers() const { return pointers_.data(); }

  std::vector<unsigned char> download(std::size_t array, std::size_t first_byte,
                                      std::size_t bytes) const {
    std::vector<unsigned char> values(bytes);
    CUDA_CHECK(cudaMemcpy(values.data(), static_cast<char*>(pointers_[array]) + first_byte, bytes,
                          cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<unsigned char> download(std::size_t array) const {
    return download(array, 0, memory_[array]->bytes());
  }
  std::size_t bytes(std::size_t array) const { return memory_[array]->bytes(); }

  std::string red_zone_fault(const Exercise& exercise) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Array& array = exercise.arrays[i];
      const std::string fault = memory_[i]->red_zone_fault(bytes_of(array.element));
      if (!fault.empty()) return std::string(array.name) + ": " + fault;
    }
    return {};
  }

 private:
  static void poison(void* memory, std::size_t bytes) {
    // Fresh memory of the CPU's runtime is poisoned, and must not count as written.
    if (is_watching()) return;
    CUDA_CHECK(cudaMemset(memory, kPoison, bytes));
  }

  std::vector<std::unique_ptr<device::GuardedMemory>> memory_;
  std::vector<void*> pointers_;
};

// --- comparison ----------------------------------------------------------------------------------

// An element as a number and as bits.
struct Value {
  double number = 0;
  std::uint32_t bits = 0;
};

Value element(Element type, std::span<const unsigned char> bytes, std::size_t i) {
  Value value;
  std::memcpy(&value.bits, bytes.data() + i * bytes_of(type), bytes_of(type));
  value.number = type == Element::f32   ? std::bit_cast<float>(value.bits)
                 : type == Element::i32 ? static_cast<double>(std::bit_cast<int>(value.bits))
                                        : static_cast<double>(value.bits);
  return value;
}

bool is_poison(Element type, const Value& value) {
  return type != Element::u8 && value.bits == 0xFFFFFFFF;
}

bool is_right(const Expected& expected, const Value& got) {
  if (expected.bits) return got.bits == *expected.bits;
  if (std::isnan(got.number)) return expected.or_nan || std::isnan(expected.value);
  if (std::isnan(expected.value)) return false;
  // An infinity is right where fp32 has nothing but an infinity for the value.
  const auto rounded = static_cast<double>(static_cast<float>(expected.value));
  if (std::isinf(got.number) || std::isinf(rounded)) return got.number == rounded;
  return std::abs(got.number - expected.value) <= expected.bound ||
         (expected.bound == 0 && got.number == rounded);
}

std::string text_of(Element type, double number) {
  if (std::isnan(number)) return "NaN";
  char text[48];
  std::snprintf(text, sizeof text, type == Element::f32 ? "%.9g" : "%.0f", number);
  return text;
}

std::string text_of(Element type, const Expected& expected) {
  if (expected.bits && type == Element::f32)
    return text_of(type, std::bit_cast<float>(*expected.bits));
  char bound[48];
  std::snprintf(bound, sizeof bound, " +- %.2g", expected.bound);
  return text_of(type, expected.value) + (expected.bound > 0 ? bound : "");
}

struct Mismatch {
  std::size_t index = 0;  // the first wrong element
  Expected expected;
  Value got;
  bool unwritten = false;
  std::size_t wrong = 0;
};

// Compares elements [first, first + the elements in `got`).
std::optional<Mismatch> compare(const Exercise& exercise, const Answer& answer, std::size_t first,
                                std::span<const unsigned char> got) {
  const Array& array = exercise.arrays[exercise.output()];
  std::optional<Mismatch> mismatch;
  for (std::size_t i = 0; i < got.size() / bytes_of(array.element); ++i) {
    const Value value = element(array.element, got, i);
    const Expected expected = answer(first + i);
    const bool unwritten = array.role == Role::output && is_poison(array.element, value);
    if (!unwritten && is_right(expected, value)) continue;
    if (!mismatch) mismatch = {first + i, expected, value, unwritten, 0};
    ++mismatch->wrong;
  }
  return mismatch;
}

// --- check ---------------------------------------------------------------------------------------

// A case that went wrong: the names of the checks, and the details.
struct Fault {
  std::vector<std::string> reasons;
  Json details = Json::object();
  bool untouched = false;  // all memory is as it was before, and nothing failed

  void add(const std::string& reason, const std::string& text) {
    reasons.push_back(reason);
    details[reason] = text;
  }
};

std::string text_of(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

// Errors that come of what a kernel does, and not of how it was launched.
bool is_of_kernels(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress ||
         error == cudaErrorLaunchFailure || error == cudaErrorAssert;
}

class Checker {
 public:
  explicit Checker(const Exercise& exercise) : exercise_(exercise) {}

  void run() {
    std::vector<Case> cases = exercise_.cases;
    cases.push_back({device::kIsCpu ? exercise_.large_cpu : exercise_.large_cuda, Values::random});
    // A solve that touches nothing at all may be one that has not been written yet.
    std::optional<Json> untouched;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const bool is_last = i + 1 == cases.size();
      const Json name = {{"number", i + 1},
                         {"of", cases.size()},
                         {"sizes", exercise_.describe(cases[i].sizes)},
                         {"values", name_of(cases[i].values)}};
      Json begin = {{"event", "case"}};
      begin.update(name);
      write_record(begin);
      if (is_last) start_counting();
      const Fault fault = try_case(cases[i]);
      // Whether what is found is a fault, is for the judge to say: it reads CUCPU_JSON.
      if (fault.reasons == std::vector<std::string>{kFindings}) {
        if (!has_findings_) write_record({{"event", kFindings}, {"case", name}});
        has_findings_ = true;
        continue;
      }
      if (fault.reasons.empty() && !untouched) continue;
      if (fault.untouched && !untouched) untouched = failure(fault, name);
      if (fault.untouched && !is_last) continue;
      Json record = untouched ? *untouched : failure(fault, name);
      record["untouched"] = fault.untouched;
      write_record(record);
      return;
    }
    Counts counts = take_counts();
    write_record({{"event", "done"},
                  {"cases", cases.size()},
                  {"sizes", exercise_.describe(cases.back().sizes)},
                  {"elements", exercise_.arrays[0].count(cases.back().sizes)},
                  {"bytes", exercise_.bytes(cases.back().sizes)},
                  {"launches", std::move(counts.launches)},
                  {"tables", std::move(counts.tables)}});
  }

 private:
  static Json failure(const Fault& fault, const Json& name) {
    Json record = {{"event", "fail"}, {"case", name}, {"reasons", fault.reasons}};
    record.update(fault.details);
    return record;
  }

  Fault try_case(const Case& run) const {
    const Data data = make_data(exercise_, run);
    const Answer answer = exercise_.answer(data);
    const DeviceArrays arrays(exercise_, data);
    const std::size_t findings_before = found_errors();

    Fault fault;
    call_solve(arrays.pointers(), run.sizes);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    const bool has_findings = found_errors() != findings_before;
    const bool is_of_findings = has_findings && is_of_kernels(error);
    // The reader of CUCPU_JSON tells what was found.
    if (has_findings) fault.reasons.push_back(kFindings);
    if (error == cudaErrorLaunchTimeout)
      fault.add("timeout", text_of(error));
    else if (error != cudaSuccess && !is_of_findings)
      fault.add("launch", text_of(error));
    if (cudaDeviceSynchronize() == cudaSuccess) compare_memory(data, answer, arrays, fault);
    fault.untouched &= error == cudaSuccess && !has_findings;
    return fault;
  }

  void compare_memory(const Data& data, const Answer& answer, const DeviceArrays& arrays,
                      Fault& fault) const {
    if (const std::string zone = arrays.red_zone_fault(exercise_); !zone.empty())
      fault.add("memcheck (out_of_bounds)", zone);
    fault.untouched = true;
    for (std::size_t i = 0; i < exercise_.arrays.size(); ++i) {
      const Array& array = exercise_.arrays[i];
      const std::vector<unsigned char> now = arrays.download(i);
      const std::span<const unsigned char> before = data.arrays[i].bytes();
      if (array.role == Role::output) {
        fault.untouched &=
            std::all_of(now.begin(), now.end(), [](unsigned char byte) { return byte == kPoison; });
      } else {
        const auto [changed, _] = std::mismatch(now.begin(), now.end(), before.begin());
        if (changed == now.end()) continue;
        fault.untouched = false;
        const auto index =
            static_cast<std::size_t>(changed - now.begin()) / bytes_of(array.element);
        if (array.role == Role::input)
          fault.add("input",
                    std::string(array.name) + "[" + std::to_string(index) +
                        "] has changed: it was " +
                        text_of(array.element, element(array.element, before, index).number) +
                        ", now it is " +
                        text_of(array.element, element(array.element, now, index).number));
      }
    }
    add_mismatch(answer, arrays, fault);
  }

  void add_mismatch(const Answer& answer, const DeviceArrays& arrays, Fault& fault) const {
    const std::size_t output = exercise_.output();
    const Array& array = exercise_.arrays[output];
    const std::vector<unsigned char> got = arrays.download(output);
    const auto mismatch = compare(exercise_, answer, 0, got);
    if (!mismatch) return;
    const std::size_t count = got.size() / bytes_of(array.element);
    const std::string expected = text_of(array.element, mismatch->expected);
    // A sum with what was there before is a NaN of the same bits.
    const std::string value = text_of(array.element, mismatch->got.number) +
                              (mismatch->unwritten ? " (not written?)" : "");
    std::string text = std::string(array.name) + "[" + std::to_string(mismatch->index) + "] is " +
                       value + ", expected " + expected;
    if (count > 1)
      text += " (wrong: " + std::to_string(mismatch->wrong) + " of " + std::to_string(count) +
              " elements)";
    fault.add("result", text);
    fault.details["index"] = mismatch->index;
    fault.details["expected"] = expected;
    fault.details["got"] = value;
  }

  static constexpr const char* kFindings = "findings";

  const Exercise& exercise_;
  bool has_findings_ = false;
};

// --- bench ---------------------------------------------------------------------------------------

constexpr int kWarmups = 3;
constexpr int kRepeats = 20;
// Long launches are timed less often: they vary less, too.
constexpr int kFewestRepeats = 3;
constexpr double kSecondsOfRepeats = 1;

// Compares pieces spread over the whole output: to compute all of it on the host may take minutes.
std::optional<Mismatch> compare_pieces(const Exercise& exercise, const Answer& answer,
                                       const DeviceArrays& arrays) {
  constexpr std::size_t kPieces = 64, kPieceElements = 1024;
  const std::size_t output = exercise.output();
  const std::size_t bytes = bytes_of(exercise.arrays[output].element);
  const std::size_t count = arrays.bytes(output) / bytes;
  const std::size_t length = std::min(count, kPieceElements);
  const std::size_t pieces = std::clamp<std::size_t>(count / kPieceElements, 1, kPieces);
  std::vector<std::optional<Mismatch>> mismatches(pieces);
  problem::parallel_for(pieces, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) {
      // The first piece is at the beginning, the last one at the end.
      const std::size_t first = piece == 0 ? 0 : (count - length) * piece / (pieces - 1);
      const auto got = arrays.download(output, first * bytes, length * bytes);
      mismatches[piece] = compare(exercise, answer, first, got);
    }
  });
  for (const auto& mismatch : mismatches)
    if (mismatch) return mismatch;
  return std::nullopt;
}

device::Timing time_solve(const Exercise& exercise, const Data& data, const DeviceArrays& arrays) {
  using Clock = std::chrono::steady_clock;
  const std::size_t output = exercise.output();
  const bool in_place = exercise.arrays[output].role == Role::in_place;
  const std::size_t output_bytes = arrays.bytes(output);
  // An array that is changed in place is put back before each run.
  device::Buffer<unsigned char> original(in_place ? output_bytes : 0);
  if (in_place) original.upload(data.arrays[output].bytes());
  device::L2Flush flush(harness::lines_before(exercise.limit.value_or(problem::Limit::copy)));
  device::Stopwatch watch(nullptr);
  const auto time_once = [&] {
    if (in_place)
      CUDA_CHECK(cudaMemcpy(arrays.pointers()[output], original.data(), output_bytes,
                            cudaMemcpyDeviceToDevice));
    else
      CUDA_CHECK(cudaMemset(arrays.pointers()[output], kPoison, output_bytes));
    flush(nullptr);
    watch.time([&] { call_solve(arrays.pointers(), data.run.sizes); });
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  for (int i = 0; i < kWarmups; ++i) time_once();
  watch.reset();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kRepeats; ++i) {
    const std::chrono::duration<double> seconds = Clock::now() - start;
    if (i >= kFewestRepeats && seconds.count() > kSecondsOfRepeats) break;
    time_once();
  }
  return watch.timing();
}

Json describe(const Exercise& exercise, const device::Timing& timing,
              const std::optional<device::Roof>& roof) {
  const bool by_flops = exercise.limit == problem::Limit::ffma;
  const double work = by_flops ? exercise.flops(exercise.bench) : exercise.bytes(exercise.bench);
  const double rate = work / (timing.median_ms * 1e6);
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  Json record = {{"event", "bench"},
                 {"backend", device::kBackendName},
                 {"device", device::info(current).name},
                 {"sizes", exercise.describe(exercise.bench)},
                 {"median_ms", timing.median_ms},
                 {"min_ms", timing.min_ms},
                 {"max_ms", timing.max_ms},
                 {"repeats", timing.repeats},
                 {by_flops ? "flops" : "bytes", work},
                 {by_flops ? "gflop_per_s" : "gb_per_s", rate}};
  std::optional<device::Clocks> clocks = timing.clocks;
  if (roof) {
    record[by_flops ? "roof_gflop_per_s" : "roof_gb_per_s"] = roof->rate();
    record["percent_of_roof"] = 100 * rate / roof->rate();
    if (const std::string fault = harness::roof_fault(rate, roof->rate()); !fault.empty())
      record["measuring_error"] = fault;
    if (clocks && roof->timing.clocks) clocks = clocks->merged(*roof->timing.clocks);
  }
  if (clocks) {
    record["sm_clock_mhz"] = clocks->lowest;
    if (const std::string fault = harness::clock_fault(*clocks); !fault.empty())
      record["measuring_error"] = fault;
  }
  return record;
}

void bench(const Exercise& exercise) {
  // Before the data takes its memory.
  std::optional<device::Roof> roof;
  if (exercise.limit) roof = harness::measure_roof(*exercise.limit);
  const Data data = make_data(exercise, {exercise.bench, Values::random});
  const Answer answer = exercise.answer(data);
  const DeviceArrays arrays(exercise, data);
  const device::Timing timing = time_solve(exercise, data, arrays);
  if (const auto mismatch = compare_pieces(exercise, answer, arrays))
    throw std::runtime_error("element " + std::to_string(mismatch->index) + " is wrong at " +
                             exercise.describe(exercise.bench));
  write_record(describe(exercise, timing, roof));
}

int run(int argc, char** argv) {
  const Exercise* const exercise = argc == 3 ? find_exercise(argv[1]) : nullptr;
  if (exercise == nullptr) {
    std::fprintf(stderr, "error: this program is run by judge\n");
    return 2;
  }
  // The last line that was printed is seen, however solve ends.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::atexit(report_exit);
  std::at_quick_exit(report_exit);
  try {
    if (std::string_view(argv[2]) == "bench")
      bench(*exercise);
    else
      Checker(*exercise).run();
  } catch (const std::exception& error) {
    const bool by_solve = std::exchange(in_solve, false);
    write_record({{"event", "fail"},
                  {"reasons", {by_solve ? "crash" : "launch"}},
                  {by_solve ? "crash" : "launch", error.what()}});
  } catch (...) {
    in_solve = false;
    write_record({{"event", "fail"}, {"reasons", {"crash"}}, {"crash", "an exception"}});
  }
  return 0;
}

}  // namespace
}  // namespace judge

int main(int argc, char** argv) { return judge::run(argc, argv); }
