#include "harness/program.h"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "device/backend.h"
#include "device/info.h"
#include "harness/child.h"
#include "harness/exit_code.h"
#include "harness/options.h"

namespace harness {

Arguments::Arguments(const std::string& name, const std::string& description)
    : app_(description, name), name_(name) {
  app_.set_help_flag();
  app_.allow_extras();
  app_.get_formatter()->column_width(kHelpColumn);
}

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  app_.add_flag(name, value, help);
  flags_.push_back(name);
}

void Arguments::text(const std::string& name, std::string& value, const std::string& type,
                     const std::string& allowed, const std::string& help) {
  app_.add_option(name, value, help)->type_name(type)->take_last();
  allowed_[name] = allowed;
}

void Arguments::texts(const std::string& name, std::vector<std::string>& values,
                      const std::string& type, const std::string& allowed,
                      const std::string& help) {
  app_.add_option(name, values, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  allowed_[name] = allowed;
}

std::string Arguments::parse(int argc, char** argv) {
  flag("--help", help_, "print this and exit");
  flag("--version", version_, "print the version and exit");
  refuse_flag_values(argc, argv, flags_);
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw UsageError(reword(error.what()));
  }
  const std::vector<std::string> extras = app_.remaining();
  if (!extras.empty()) {
    std::string known;
    for (const CLI::Option* option : app_.get_options()) known += " " + option->get_name();
    throw UsageError("'" + extras.front() + "': no such option; allowed:" + known);
  }
  for (const auto& [option, allowed] : allowed_) {
    for (const std::string& value : app_.get_option(option)->results()) {
      if (value.empty()) throw UsageError(option + " '': nothing; allowed: " + allowed);
    }
  }
  if (help_) return app_.help();
  if (version_) return name_ + " " + TUTORIAL_VERSION + "\n";
  return {};
}

// The parser's message starts with the option's name; what it lacks is what is allowed.
std::string Arguments::reword(const std::string& message) const {
  const std::string option = message.substr(0, message.find(':'));
  const auto allowed = allowed_.find(option);
  if (allowed == allowed_.end()) return message + "; allowed: what --help lists";
  return option + ": the value is missing; allowed: " + allowed->second;
}

int parse_device(const std::string& text) {
  if (text.empty()) return 0;
  const int devices = device::count();
  const std::size_t most = devices > 0 ? static_cast<std::size_t>(devices) - 1 : 0;
  return static_cast<int>(parse_number("--device", text, most));
}

std::string device_line(const std::string& option) {
  constexpr std::size_t kColumns = 80;
  const std::string line = std::string("backend ") + device::kBackendName + ", on " +
                           device::info(parse_device(option)).name;
  return line.substr(0, kColumns) + "\n";
}

int run_main(const std::function<int()>& body) {
  try {
    return checked_output(body());
  } catch (const UsageError& error) {
    print_error(error.what());
    return kBadUsage;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kWrong;
  }
}

void run_program(const std::string& name, const std::vector<std::string>& command,
                 const std::function<void(const Result&, const std::string&)>& take,
                 const std::function<void(const std::string&)>& complain) {
  std::size_t results = 0;
  const ChildEnd end = run_child(command, [&](const std::string& line) {
    Result result;
    try {
      result = from_json(line);
    } catch (const std::runtime_error& error) {
      return complain(name + ": " + error.what());
    }
    ++results;
    take(result, line);
  });
  if (!end.problem.empty()) {
    complain(end.problem);
  } else if (end.signal != 0) {
    complain(name + ": ended by signal " + std::to_string(end.signal));
  } else if (end.code != 0) {
    complain(name + ": exit code " + std::to_string(end.code));
  } else if (results == 0) {
    complain(name + ": reported no kernel");
  }
}

}  // namespace harness
