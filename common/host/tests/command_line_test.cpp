// Command lines of programs.
#include "host/command_line.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

// A program with an option of each kind.
class Program {
 public:
  explicit Program(std::vector<const char*> words) : line("program", "Does something.") {
    line.operand("FILE", "a file");
    line.flag("--json", "as JSON");
    line.number("--jobs", {1, 8}, "at a time");
    line.text("--record", "FILE", "a file name", "to FILE");
    line.texts("--only", "NAME", "the beginning of a name", "only that");
    line.choice("--kernel", "NAME", "kernel", {"add", "sum"}, "only that");
    line.words("--find", 3, "STEP", "STEP [LINE KIND]", "a guess");
    words.insert(words.begin(), "build/program");
    line.parse(static_cast<int>(words.size()), words.data());
  }

  host::CommandLine line;
};

std::string complaint(const std::vector<const char*>& words) {
  try {
    Program(words).line.number("--jobs");
  } catch (const host::UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("nothing is given unless it is") {
  const Program program({});
  CHECK_FALSE(program.line.given("--json"));
  CHECK(program.line.value("--record").empty());
  CHECK(program.line.values("--only").empty());
  CHECK_FALSE(program.line.number("--jobs").has_value());
  CHECK(program.line.answer().empty());
}

TEST_CASE("of an option that may be given once the last counts, of others all") {
  const Program program({"--jobs", "2", "--jobs=3", "--record", "a", "--record", "b", "--only", "x",
                         "--only", "y", "--json", "--json"});
  CHECK(program.line.number("--jobs") == 3);
  CHECK(program.line.value("--record") == "b");
  CHECK(program.line.values("--only") == Words{"x", "y"});
  CHECK(program.line.given("--json"));
}

TEST_CASE("words are taken up to the most, and up to the next option; the rest are operands") {
  CHECK(Program({"--find", "04", "--json"}).line.values("--find") == Words{"04"});
  const Program program({"--find", "04", "7", "race", "x.cu"});
  CHECK(program.line.values("--find") == Words{"04", "7", "race"});
  CHECK(program.line.value("FILE") == "x.cu");
}

TEST_CASE("values are taken as they are typed") {
  for (const char* const word : {"{}", "[a,b]", "%%", "a=b", " a ", "'"}) {
    CAPTURE(word);
    CHECK(Program({"--record", word}).line.value("--record") == word);
    CHECK(Program({"--only", word}).line.values("--only") == Words{word});
    CHECK(Program({word}).line.value("FILE") == word);
  }
}

TEST_CASE("a complaint names option, value and what is allowed") {
  struct Case {
    std::vector<const char*> words;
    std::string says;
  };
  const std::vector<Case> cases = {
      {{"--jobs"}, "--jobs: the value is missing; allowed: a whole number from 1 to 8"},
      {{"--jobs", "0"}, "--jobs 0: too small; allowed: a whole number from 1 to 8"},
      {{"--jobs", "9"}, "--jobs 9: too large; allowed: a whole number from 1 to 8"},
      {{"--jobs", "-1"}, "--jobs '-1': negative; allowed: a whole number from 1 to 8"},
      {{"--jobs", "3x"}, "--jobs '3x': not a whole number; allowed: a whole number from 1 to 8"},
      {{"--record"}, "--record: the value is missing; allowed: a file name"},
      {{"--record", ""}, "--record '': nothing; allowed: a file name"},
      {{"--only", "x", "--only", ""}, "--only '': nothing; allowed: the beginning of a name"},
      {{"--kernel", "max"}, "--kernel 'max': no such kernel; allowed: one of add, sum"},
      {{"--kernel", ""}, "--kernel '': no such kernel; allowed: one of add, sum"},
      {{"--json=yes"}, "--json=yes: takes no value; allowed: --json"},
      {{"a", "b"}, "'b': one too many; allowed: [FILE]"},
      {{"--bogus"},
       "'--bogus': no such option; allowed: --json --jobs --record --only --kernel --find --help "
       "--version"},
      // A bad command line is refused even where help is asked for.
      {{"--help", "a", "b"}, "'b': one too many; allowed: [FILE]"},
  };
  for (const Case& test : cases) CHECK(complaint(test.words) == test.says);
}

TEST_CASE("help and version are answers") {
  const std::string help = Program({"--help"}).line.answer();
  CHECK(help.starts_with("Does something.\nUsage: program [OPTIONS] [FILE]\n"));
  CHECK(help.find("  --find STEP     a guess\n") != std::string::npos);
  CHECK(Program({"--version"}).line.answer().starts_with("program "));
}

TEST_CASE("asking for what was not declared is a mistake of the program") {
  CHECK_THROWS_AS(Program({}).line.given("--bogus"), std::logic_error);
}
