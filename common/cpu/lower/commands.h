// The commands that cucpu runs, or only shows.
#pragma once

#include <string>

#include "words.h"

namespace cucpu {

class Commands {
 public:
  Commands(bool dry_run, bool verbose) : dry_run_(dry_run), shows_(dry_run || verbose) {}

  // Leaves with the command's exit status if it fails, and with that of a signal that asks this
  // process to end. What the command says goes to the file `messages`, unless that is empty.
  void execute(const Words& command, const std::string& messages = {}) const;

 private:
  bool dry_run_;
  bool shows_;
};

}  // namespace cucpu
