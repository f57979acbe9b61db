#pragma once

#include <filesystem>
#include <string>

#include "judge/exercise.h"

namespace judge {

/// The outcome of compiling a learner's file.
struct BuildResult {
  std::string reason;   ///< "compile" or "signature" if it cannot be used; else empty
  std::string message;  ///< what to say then: about the learner's lines; else the warnings
};

/// Compiles `file`, which is to define solve as `exercise` has it, and links it with the driver
/// into `program`. `folder` takes what is needed on the way. Messages call the file `shown_as`.
///
/// The compiler sees the file as the learner wrote it, followed by questions about solve: is it
/// there, of this type, and `extern "C"`? Each question's answer is an error of the compiler, in a
/// file whose name is the question.
BuildResult build(const Exercise& exercise, const std::filesystem::path& file,
                  const std::string& shown_as, const std::filesystem::path& folder,
                  const std::filesystem::path& program);

}  // namespace judge
