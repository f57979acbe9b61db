#include "host/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace host {

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + ".XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error(pattern + ": cannot be made: " + std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace host
