#include "judge/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/core.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <random>

#include "judge/protocol.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsToEnd = 10;

[[noreturn]] void refuse_memory(std::size_t bytes) {
  throw std::runtime_error(
      fmt::format("no memory for {} MiB of arrays: {}", bytes >> 20, std::strerror(errno)));
}

}  // namespace

std::uint64_t unpredictable() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

RunnerMemory::RunnerMemory(std::size_t bytes)
    : file_(memfd_create("judge", MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  if (file_.number() < 0 || ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0)
    refuse_memory(bytes);
  fcntl(file_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  if (bytes == 0) return;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (memory == MAP_FAILED) refuse_memory(bytes);
  memory_ = static_cast<unsigned char*>(memory);
}

RunnerMemory::~RunnerMemory() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

Session::Session(const std::vector<std::string>& command,
                 const std::vector<std::pair<std::string, std::string>>& environment,
                 std::size_t shared_bytes, std::size_t memory_bytes)
    : memory_(shared_bytes) {
  // It may be gone when we say something. Unlike what is ignored, a handler is not handed down.
  std::signal(SIGPIPE, [](int) {});
  host::Pipe commands, replies;
  child_ = std::make_unique<Child>(
      command,
      host::Surroundings{.descriptors = {{commands.reader.number(), kCommands},
                                         {replies.writer.number(), kReplies},
                                         {memory_.descriptor(), kMemory}},
                         .environment = environment},
      memory_bytes, std::move(replies.reader));
  commands_ = std::move(commands.writer);
}

Session::Answer Session::ask(Json command, double seconds, Json& reply) {
  const std::string nonce = std::to_string(unpredictable());
  Json named = {{"nonce", nonce}};
  named.update(command);
  const std::string text = named.dump() + "\n";
  // It is read at once, or the runner has ended, which shows below.
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t n = write(commands_.number(), text.data() + written, text.size() - written);
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  std::string line;
  switch (child_->wait_for_line(seconds, line)) {
    case Child::Event::line:
      break;
    case Child::Event::ended:
      return Answer::ended;
    case Child::Event::late:
      return Answer::late;
    case Child::Event::too_large:
      return Answer::too_large;
  }
  reply = Json::parse(line, nullptr, false);
  if (reply.is_object() && reply.value("nonce", Json()) == nonce) return Answer::reply;
  child_->stop();
  return Answer::forged;
}

const ProcessEnd& Session::end() {
  commands_.close();
  return child_->wait_for_end(kSecondsToEnd);
}

}  // namespace judge
