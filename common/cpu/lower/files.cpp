#include "files.h"

#include <fstream>
#include <sstream>

#include "exit.h"

namespace cucpu {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) refuse(path + ": cannot be written");
}

}  // namespace cucpu
