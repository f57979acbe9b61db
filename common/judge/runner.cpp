// The program that runs a learner's solve: this, linked with the object of the learner's file. It
// does what the judge says (protocol.h) and knows nothing that could tell a learner's file what is
// right.
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/check.h"
#include "device/checkers.h"
#include "device/guards.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "judge/counting.h"
#include "judge/protocol.h"

/// In the learner's object: calls solve with its own types.
extern "C" void judge_call(void* const* arrays, const int* sizes);

namespace judge {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// The checkers that watch are those that were asked for before any of the learner's code ran: it
// may have constructors, and they may change the environment.
char tools_at_start[256];

void settle_before_constructors(int, char**, char** environment) {
  environ = environment;  // which the C library has not seen yet
  if (const char* const tools = std::getenv("CUCPU_TOOLS"))
    std::snprintf(tools_at_start, sizeof tools_at_start, "%s", tools);
  settle();
}
[[gnu::section(".preinit_array"), gnu::used]] void (*first)(int, char**,
                                                            char**) = settle_before_constructors;

// The memory that the judge has mapped, too.
class SharedMemory {
 public:
  SharedMemory() {
    struct stat about {};
    if (fstat(kMemory, &about) != 0) throw std::runtime_error("this program is run by judge");
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size == 0) return;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap fails");
    bytes_ = static_cast<unsigned char*>(memory);
  }
  unsigned char* at(std::size_t place) const { return bytes_ + place; }

 private:
  unsigned char* bytes_ = nullptr;
};

struct Free {
  void operator()(unsigned char* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<unsigned char, Free>;

DeviceMemory allocate(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, bytes));
  return DeviceMemory(static_cast<unsigned char*>(memory));
}

// An array of a call with its red zones, on the device.
class Region {
 public:
  explicit Region(const Json& array)
      : at_(array.at("at").get<std::size_t>()),
        zone_(array.at("zone").get<std::size_t>()),
        bytes_(array.at("bytes").get<std::size_t>()),
        shift_(array.at("shift").get<std::size_t>()),
        memory_(allocate(shift_ + all())) {}

  void fill(const std::string& with, const SharedMemory& memory) const {
    if (with == "upload")
      CUDA_CHECK(cudaMemcpy(first(), memory.at(at_), all(), cudaMemcpyHostToDevice));
    else if (with == "poison")
      CUDA_CHECK(cudaMemset(first(), device::kPoison, all()));
  }
  void download(const SharedMemory& memory) const {
    const device::AllowUninitializedCopies allow;
    CUDA_CHECK(cudaMemcpy(memory.at(at_), first(), all(), cudaMemcpyDeviceToHost));
  }
  void* data() const { return first() + zone_; }
  std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* first() const { return memory_.get() + shift_; }
  std::size_t all() const { return bytes_ + 2 * zone_; }

  std::size_t at_, zone_, bytes_, shift_;
  DeviceMemory memory_;
};

std::string text_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Runner {
 public:
  Json obey(const Json& command) {
    const auto what = command.at("do").get<std::string>();
    if (what == "download") return download(command);
    if (what == "launch") return launch(command);
    return call(command, what == "time");
  }

 private:
  // Nobody waits for anything that kernels do afterward.
  Json launch(const Json& command) {
    regions_ = regions_of(command);
    Json reply = Json::object();
    solve(command, regions_, reply);
    reply["error"] = text_of(cudaPeekAtLastError());
    return reply;
  }

  std::vector<Region> regions_of(const Json& command) const {
    std::vector<Region> regions;
    for (const Json& array : command.at("arrays"))
      regions.emplace_back(array).fill(array.at("fill").get<std::string>(), memory_);
    return regions;
  }

  static void solve(const Json& command, const std::vector<Region>& regions, Json& reply) {
    std::vector<void*> pointers;
    for (const Region& region : regions) pointers.push_back(region.data());
    const auto sizes = command.at("sizes").get<std::vector<int>>();
    try {
      judge_call(pointers.data(), sizes.data());
    } catch (const std::exception& error) {
      reply["thrown"] = error.what();
    } catch (...) {
      reply["thrown"] = "an exception";
    }
  }

  Json call(const Json& command, bool is_timed) {
    const std::vector<Region> regions = regions_of(command);
    Json reply = Json::object();
    if (is_timed)
      time(command, regions, reply);
    else
      solve(command, regions, reply);

    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    reply["error"] = text_of(error);
    reply["findings"] = found_errors();
    reply["tools"] = tools_at_start;
    const Counts counts = take_counts();
    reply["launches"] = counts.launches;
    reply["tables"] = counts.tables;
    // After an error of a launch all is as it was; after one of a kernel nothing can be read.
    reply["is_readable"] = !is_timed && cudaDeviceSynchronize() == cudaSuccess;
    if (reply["is_readable"])
      for (const Region& region : regions) region.download(memory_);
    return reply;
  }

  void time(const Json& command, const std::vector<Region>& regions, Json& reply) {
    const auto lines =
        command.at("modified").get<bool>() ? device::Lines::modified : device::Lines::clean;
    if (!flush_) flush_ = std::make_unique<device::L2Flush>(lines);
    const Region& output = regions.at(command.at("output").get<std::size_t>());
    if (output_bytes_ != output.bytes()) output_ = allocate(output.bytes());
    output_bytes_ = output.bytes();
    (*flush_)(nullptr);
    CUDA_CHECK(cudaDeviceSynchronize());

    device::Stopwatch watch(nullptr);
    watch.time([&] { solve(command, regions, reply); });
    // The timer has not seen anything that a stream of its own or another thread still does now.
    const Clock::time_point stopped = Clock::now();
    cudaDeviceSynchronize();
    reply["leftover_milliseconds"] = ms_since(stopped);
    const device::AllowUninitializedCopies allow;
    CUDA_CHECK(cudaMemcpy(output_.get(), output.data(), output_bytes_, cudaMemcpyDeviceToDevice));
    const device::Timing timing = watch.timing();
    reply["milliseconds"] = timing.median_ms;
    if (timing.clocks) reply["clocks"] = {timing.clocks->lowest, timing.clocks->highest};
  }

  Json download(const Json& command) const {
    const device::AllowUninitializedCopies allow;
    for (const Json& piece : command.at("pieces"))
      CUDA_CHECK(cudaMemcpy(memory_.at(piece.at("at").get<std::size_t>()),
                            output_.get() + piece.at("from").get<std::size_t>(),
                            piece.at("bytes").get<std::size_t>(), cudaMemcpyDeviceToHost));
    return {{"error", ""}};
  }

  SharedMemory memory_;
  std::vector<Region> regions_;  // of what was only launched
  std::unique_ptr<device::L2Flush> flush_;
  DeviceMemory output_;
  std::size_t output_bytes_ = 0;
};

void send(const Json& reply) {
  const std::string line = reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(kReplies, line.data() + written, line.size() - written);
    if (n <= 0) std::_Exit(2);  // nobody is listening any more
    written += static_cast<std::size_t>(n);
  }
}

void run() {
  Runner runner;
  start_counting();
  std::string line;
  char buffer[4096];
  for (ssize_t n; (n = read(kCommands, buffer, sizeof buffer)) > 0;) {
    line.append(buffer, static_cast<std::size_t>(n));
    if (!line.ends_with('\n')) continue;  // there is one command at a time
    const Json command = Json::parse(line);
    line.clear();
    Json reply = {{"nonce", command.at("nonce")}};
    try {
      reply.update(runner.obey(command));
    } catch (const std::exception& error) {
      reply["failure"] = error.what();
    }
    send(reply);
  }
}

}  // namespace
}  // namespace judge

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what was printed last is seen, however it ends
  try {
    judge::run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
