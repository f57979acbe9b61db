#include "requests.h"

namespace cucpu::trace {
namespace {

constinit Row no_row{};

}  // namespace

constinit thread_local Cursor counting_cursor{&no_row, 0, 0, 0};

constinit const Cursor idle_cursor{&no_row, 0, 0, 0};

}  // namespace cucpu::trace
