#include "requests.h"

namespace cucpu::trace {
namespace {

constinit Row no_row{};

}  // namespace

constinit thread_local Cursor counting_cursor{&no_row, 0, 0, 0};

Cursor idle_cursor() { return {&no_row, 0, 0, 0}; }

}  // namespace cucpu::trace
