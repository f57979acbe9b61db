#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace judge {

/// Why an object cannot be linked with the runner: it defines a function that the runner, the
/// runtime or the C library has, too, which would be taken instead. Empty if there is no reason.
std::string taken_name(const std::filesystem::path& object);

/// Why files cannot be judged that the compiler has read, as `dependencies` says in the words of
/// make: a solution of ours is among them, or one asks not to be watched. Empty if there is no
/// reason. `own` are the learner's files themselves.
std::string foreign_code(const std::filesystem::path& dependencies,
                         const std::vector<std::filesystem::path>& own);

}  // namespace judge
