// The commands that cucpu runs, or only shows.
#pragma once

#include <string>

#include "words.h"

namespace cucpu {

class Commands {
 public:
  Commands(bool dry_run, bool verbose) : dry_run_(dry_run), shows_(dry_run || verbose) {}

  // Exits with the command's status if it fails, or with the status of the signal that asks this
  // process to end. The command's messages go to the file `messages`, unless that is empty.
  void execute(const Words& command, const std::string& messages = {}) const;

 private:
  bool dry_run_;
  bool shows_;
};

}  // namespace cucpu
