#include "device/checkers.h"

namespace device {

std::string checker_commands(const std::string& program_and_arguments) {
  std::string lines;
  for (const char* tool : {"memcheck --leak-check full", "racecheck", "initcheck", "synccheck"}) {
    lines += std::string("TUTORIAL_GUARDS=off compute-sanitizer --tool ") + tool + " " +
             program_and_arguments + "\n";
  }
  return lines;
}

}  // namespace device
