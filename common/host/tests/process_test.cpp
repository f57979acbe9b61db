#include "host/process.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "host/command.h"

namespace {

using Command = std::vector<std::string>;

Command shell(const std::string& script) { return {"sh", "-c", script}; }

std::string read_all(const host::Descriptor& from) {
  std::string text;
  char buffer[256];
  for (ssize_t n; (n = read(from.number(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// The output of a script.
std::string printed(const std::string& script, host::Surroundings surroundings = {}) {
  host::Pipe output;
  surroundings.descriptors.emplace_back(output.writer.number(), STDOUT_FILENO);
  const pid_t process = host::start(shell(script), surroundings);
  output.writer.close();
  std::string text = read_all(output.reader);
  host::wait_for(process);
  return text;
}

}  // namespace

TEST_CASE("a program that cannot be started says why") {
  CHECK_THROWS_WITH_AS(host::start({"/nowhere/program"}),
                       "/nowhere/program: cannot be run: No such file or directory",
                       host::CannotStart);
  CHECK_THROWS_AS(host::start({"/dev/null"}), host::CannotStart);
}

TEST_CASE("the end of a process is its code or its signal") {
  CHECK(host::wait_for(host::start(shell("exit 3"))).code == 3);
  CHECK(host::wait_for(host::start(shell("kill -9 $$"))).signal == SIGKILL);
}

TEST_CASE("a process that runs has no end yet") {
  host::Pipe gate;
  const pid_t process =
      host::start(shell("read line"), {.descriptors = {{gate.reader.number(), STDIN_FILENO}}});
  CHECK_FALSE(host::end_of(process).has_value());
  gate.writer.close();
  host::wait_for(process);
}

TEST_CASE("the environment is ours, with some variables replaced") {
  setenv("HOST_TEST_KEPT", "kept", 1);
  setenv("HOST_TEST_REPLACED", "old", 1);
  CHECK(printed("echo $HOST_TEST_KEPT $HOST_TEST_REPLACED",
                {.environment = {{"HOST_TEST_REPLACED", "new"}}}) == "kept new\n");
}

TEST_CASE("descriptors are those that were asked for, and no others") {
  host::Pipe third, other;
  const std::string is_open = "test -e /proc/self/fd/";
  CHECK(printed(is_open + "3 && echo open", {.descriptors = {{third.writer.number(), 3}}}) ==
        "open\n");
  CHECK(printed(is_open + std::to_string(other.writer.number()) + " && echo open") == "");
}

TEST_CASE("signals that we handle end it, those that we ignore do not") {
  host::defer_interruptions();
  CHECK(host::wait_for(host::start(shell("kill -INT $$"))).signal == SIGINT);
  signal(SIGHUP, SIG_IGN);
  CHECK(host::wait_for(host::start(shell("kill -HUP $$"))).signal == 0);
  signal(SIGHUP, SIG_DFL);
}

TEST_CASE("a process that ends with us is killed with us") {
  host::Pipe output;
  const pid_t middle = fork();
  if (middle == 0) {
    host::start(shell("echo started; exec sleep 1000"),
                {.descriptors = {{output.writer.number(), STDOUT_FILENO}}, .ends_with_us = true});
    pause();
    _exit(0);
  }
  output.writer.close();
  char line[8];
  REQUIRE(read(output.reader.number(), line, sizeof line) == sizeof line);
  kill(middle, SIGKILL);
  host::wait_for(middle);
  CHECK(read_all(output.reader) == "");  // at once: nobody writes any more
}
