#include "host/command_line.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "host/join.h"

namespace host {

struct DeclaredOption {
  enum class Kind { flag, number, text, choice, operand };

  std::string name;
  Kind kind;
  std::string help;
  std::string type = {};
  std::string allowed = {};
  Range range = {};
  std::vector<std::string> choices = {};
  std::string choices_are = {};
  std::size_t most_words = 1;
  bool may_be_repeated = false;
  std::vector<std::string> values = {};
};

namespace {

using Kind = DeclaredOption::Kind;
using Options = std::vector<DeclaredOption>;

// The explanations of `--help` start in this column, so that they end before column 80.
constexpr std::size_t kHelpColumn = 18;

std::string described(Range range) {
  return fmt::format("a whole number from {} to {}", range.least, range.most);
}

const DeclaredOption* find(const Options& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(),
                   [&](const DeclaredOption& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

// The parser takes "--json=yes" for "--json".
void refuse_flag_values(const Options& options, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    const DeclaredOption* const option = find(options, name);
    if (name == word || option == nullptr || option->kind != Kind::flag) continue;
    throw UsageError(word + ": takes no value; allowed: " + name);
  }
}

// The parser gets all values as text, so that every complaint about one is worded here.
void declare(CLI::App& app, const DeclaredOption& option) {
  if (option.kind == Kind::flag) {
    app.add_flag(option.name, option.help);
    return;
  }
  app.add_option(option.name, CLI::callback_t(), option.help)
      ->type_name(option.type)
      ->expected(1, static_cast<int>(option.most_words))
      ->multi_option_policy(option.may_be_repeated ? CLI::MultiOptionPolicy::TakeAll
                                                   : CLI::MultiOptionPolicy::TakeLast);
}

// The parser's message starts with the option's name; what it lacks is what is allowed.
std::string reworded(const Options& options, const std::string& message) {
  const DeclaredOption* const option = find(options, message.substr(0, message.find(':')));
  if (option == nullptr || option->allowed.empty()) return message + "; allowed: what --help lists";
  return option->name + ": the value is missing; allowed: " + option->allowed;
}

[[noreturn]] void refuse_extra(const Options& options, const std::string& word) {
  std::vector<std::string> operands, others;
  for (const DeclaredOption& option : options)
    if (option.kind == Kind::operand)
      operands.push_back("[" + option.name + "]");
    else
      others.push_back(option.name);
  if (!operands.empty() && !word.starts_with('-'))
    throw UsageError("'" + word + "': one too many; allowed: " + join(operands, " "));
  throw UsageError("'" + word + "': no such option; allowed: " + join(others, " "));
}

void refuse_bad_values(const DeclaredOption& option) {
  const auto& choices = option.choices;
  for (const std::string& value : option.values) {
    if (option.kind == Kind::text && value.empty())
      throw UsageError(option.name + " '': nothing; allowed: " + option.allowed);
    if (option.kind == Kind::choice &&
        std::find(choices.begin(), choices.end(), value) == choices.end())
      throw UsageError(fmt::format("{} '{}': no such {}; allowed: {}", option.name, value,
                                   option.choices_are, option.allowed));
  }
}

}  // namespace

std::size_t parse_number(const std::string& option, const std::string& value, Range range) {
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const std::string allowed = "; allowed: " + described(range);
  if (stop != end || error == std::errc::invalid_argument) {
    const bool negative =
        value.size() > 1 && value[0] == '-' &&
        std::all_of(value.begin() + 1, value.end(), [](char c) { return c >= '0' && c <= '9'; });
    throw UsageError(fmt::format("{} '{}': {}{}", option, value,
                                 negative ? "negative" : "not a whole number", allowed));
  }
  if (error == std::errc::result_out_of_range || number > range.most)
    throw UsageError(option + " " + value + ": too large" + allowed);
  if (number < range.least) throw UsageError(option + " " + value + ": too small" + allowed);
  return number;
}

CommandLine::CommandLine(std::string name, std::string description, std::string run_as)
    : name_(std::move(name)),
      description_(std::move(description)),
      run_as_(run_as.empty() ? name_ : std::move(run_as)) {}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& name, const std::string& help) {
  options_.push_back({.name = name, .kind = Kind::flag, .help = help, .may_be_repeated = true});
}

void CommandLine::number(const std::string& name, Range range, const std::string& help,
                         const std::string& type) {
  options_.push_back({.name = name,
                      .kind = Kind::number,
                      .help = help,
                      .type = type,
                      .allowed = described(range),
                      .range = range});
}

void CommandLine::text(const std::string& name, const std::string& type, const std::string& allowed,
                       const std::string& help) {
  options_.push_back(
      {.name = name, .kind = Kind::text, .help = help, .type = type, .allowed = allowed});
}

void CommandLine::texts(const std::string& name, const std::string& type,
                        const std::string& allowed, const std::string& help) {
  text(name, type, allowed, help);
  options_.back().may_be_repeated = true;
}

void CommandLine::words(const std::string& name, std::size_t most, const std::string& type,
                        const std::string& allowed, const std::string& help) {
  texts(name, type, allowed, help);
  options_.back().most_words = most;
}

void CommandLine::choice(const std::string& name, const std::string& type, const std::string& kind,
                         const std::vector<std::string>& choices, const std::string& help) {
  options_.push_back({.name = name,
                      .kind = Kind::choice,
                      .help = help,
                      .type = type,
                      .allowed = "one of " + join(choices, ", "),
                      .choices = choices,
                      .choices_are = kind,
                      .may_be_repeated = true});
}

void CommandLine::operand(const std::string& name, const std::string& help) {
  options_.push_back({.name = name, .kind = Kind::operand, .help = help});
}

void CommandLine::parse(int argc, const char* const* argv) {
  flag("--help", "print this and exit");
  flag("--version", "print the version and exit");
  refuse_flag_values(options_, argc, argv);
  CLI::App app(description_, run_as_);
  app.set_help_flag();
  app.allow_extras();
  app.get_formatter()->column_width(kHelpColumn);
  for (const DeclaredOption& option : options_) declare(app, option);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw UsageError(reworded(options_, error.what()));
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) refuse_extra(options_, extras.front());
  for (DeclaredOption& option : options_) {
    option.values = app.get_option(option.name)->results();
    refuse_bad_values(option);
  }
  help_ = app.help();
}

std::string CommandLine::answer() const {
  if (given("--help")) return help_;
  if (given("--version")) return name_ + " " + HOST_VERSION + "\n";
  return {};
}

bool CommandLine::given(const std::string& name) const { return !values(name).empty(); }

const std::vector<std::string>& CommandLine::values(const std::string& name) const {
  const DeclaredOption* const option = find(options_, name);
  if (option == nullptr) throw std::logic_error(name + " is not declared");
  return option->values;
}

std::string CommandLine::value(const std::string& name) const {
  return given(name) ? values(name).back() : "";
}

std::optional<std::size_t> CommandLine::number(const std::string& name) const {
  if (!given(name)) return {};
  return parse_number(name, value(name), find(options_, name)->range);
}

}  // namespace host
