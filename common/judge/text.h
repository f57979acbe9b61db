#pragma once

#include <cstdio>
#include <string>

namespace judge {

/// A sentence in the form of printf.
template <class... Values>
std::string format(const char* form, Values... values) {
  char text[600];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

/// "1 element", "2 elements"
inline std::string plural(double count, const char* what) {
  return format("%.0f %s%s", count, what, count == 1 ? "" : "s");
}

}  // namespace judge
