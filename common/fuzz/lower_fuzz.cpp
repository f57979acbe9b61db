// Changes sources in random places and lowers them: each ends with a text of as many lines, or with
// an error that names a place. Built with the sanitizers of addresses and undefined behavior.
//
//   lower_fuzz SEED COUNT FILE...
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/lower/lower.h"
#include "cpu/lower/passes.h"
#include "cpu/lower/token.h"
#include "cpu/lower/whole_blocks.h"

namespace {

using cucpu::lower::Token;

constexpr unsigned kSecondsOfOne = 20;

// The text under test, printed with a fault.
std::string current;

void report_current(const char* what) {
  std::fprintf(stderr, "lower_fuzz: %s:\n%s\n", what, current.c_str());
}

[[noreturn]] void fail(const char* what) {
  report_current(what);
  std::exit(1);
}

std::string read_file(const char* path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty()) {
    std::fprintf(stderr, "error: %s cannot be read\n", path);
    std::exit(2);
  }
  return text.str();
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> sources)
      : random_(seed), sources_(std::move(sources)) {
    for (const std::string& source : sources_)
      for (const Token& token : cucpu::lower::tokenize(source)) words_.emplace_back(token.text);
  }

  std::string next() {
    // A window: faults lie in what is near, and long texts take long.
    constexpr std::size_t kMost = 4000;
    const std::string& whole = sources_[below(sources_.size())];
    const std::size_t begin = below(4) == 0 || whole.size() < kMost ? 0 : below(whole.size());
    std::string text = whole.substr(begin, 1 + below(kMost));
    const std::size_t changes = 1 + below(8);
    for (std::size_t i = 0; i < changes; ++i) {
      if (below(2) == 0)
        change_bytes(text);
      else
        change_tokens(text);
    }
    return text;
  }

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

 private:
  void change_bytes(std::string& text) {
    static constexpr std::string_view kBytes = "<>(){}[];,:*&\"'\\#/\n =x0\xff\0";
    const std::size_t at = below(text.size() + 1);
    const char byte = kBytes[below(kBytes.size() + 1)];  // the string's end counts
    switch (below(4)) {
      case 0:
        text.insert(at, 1, byte);
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = byte;
        break;
      default:
        if (below(8) == 0) text.resize(at);
    }
  }

  void change_tokens(std::string& text) {
    const std::vector<Token> tokens = cucpu::lower::tokenize(text);
    if (tokens.empty()) return;
    const Token token = tokens[below(tokens.size())];
    const std::string word = words_[below(words_.size())];
    const Token other = tokens[below(tokens.size())];
    const std::string other_text(other.text), own_text(token.text);
    switch (below(5)) {
      case 0:
        text.erase(token.begin, token.text.size());
        break;
      case 1:
        text.insert(token.begin, own_text + " ");
        break;
      case 2:
        text.replace(token.begin, own_text.size(), word);
        break;
      case 3:
        text.insert(token.begin, word + " ");
        break;
      default:
        text.replace(token.begin, own_text.size(), other_text);
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> sources_;
  std::vector<std::string> words_;
};

std::ptrdiff_t lines_of(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

// The text that is made, or none where it cannot be lowered.
template <class Make>
std::optional<std::string> made_by(const Make& make) {
  alarm(kSecondsOfOne);
  try {
    return make();
  } catch (const cucpu::lower::Error& error) {
    if (std::string_view(error.what()).find(": error: ") == std::string_view::npos)
      fail("an error without a place");
    return std::nullopt;
  }
}

// True: it could be lowered.
bool is_lowered(const cucpu::lower::Options& options) {
  const auto made = made_by([&] { return cucpu::lower::lower(current, options); });
  if (made && lines_of(*made) != lines_of(current)) fail("lines have lost their numbers");
  return made.has_value();
}

}  // namespace

extern "C" void __asan_on_error() { report_current("the sanitizer has found something in"); }

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "error: SEED COUNT FILE... expected\n");
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::size_t count = std::strtoull(argv[2], nullptr, 10);
  std::vector<std::string> sources;
  for (int i = 3; i < argc; ++i) sources.push_back(read_file(argv[i]));
  signal(SIGALRM, [](int) {
    report_current("no end of");
    _exit(1);
  });
  Mutator mutator(seed, std::move(sources));
  std::size_t lowered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    current = mutator.next();
    lowered += is_lowered({});
    if (mutator.below(4) == 0) is_lowered({true, true});
    // Second bodies of kernels come with marks of lines of their own.
    made_by([] { return cucpu::lower::lower(cucpu::lower::with_whole_blocks(current)); });
    if (mutator.below(4) != 0) continue;
    const std::string host = mutator.next();
    made_by([&] { return cucpu::lower::merge_passes(host, current); });
  }
  std::printf("seed %llu: %zu sources, %zu of them lowered, no fault\n",
              static_cast<unsigned long long>(seed), count, lowered);
  // Changes that leave nothing to lower would test the messages alone.
  return lowered * 20 < count ? 1 : 0;
}
