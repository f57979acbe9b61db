#include "judge/device_choice.h"

#include <doctest/doctest.h>

TEST_CASE("a device keeps its number if all are visible") {
  CHECK(judge::visible_device(nullptr, 0) == "0");
  CHECK(judge::visible_device(nullptr, 12) == "12");
}

TEST_CASE("numbers count in the list of visible devices") {
  CHECK(judge::visible_device("3", 0) == "3");
  CHECK(judge::visible_device("5,2,7", 0) == "5");
  CHECK(judge::visible_device("5,2,7", 1) == "2");
  CHECK(judge::visible_device("5,GPU-8932f937,MIG-41b3", 2) == "MIG-41b3");
}
