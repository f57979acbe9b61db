#pragma once

#include <sys/types.h>

#include <cstddef>
#include <set>

namespace judge {

/// Throws `std::runtime_error` where processes cannot be seen: neither their memory nor what they
/// leave behind could be watched.
void require_sight_of_processes();

/// From here on processes that lose their parent become children of this one, so that none of
/// those that a solution starts is lost sight of, whatever group or session it goes to.
void adopt_orphans();

/// Bytes of memory that a process and all that it started have at the moment.
std::size_t resident_bytes_with_descendants(pid_t process);

/// Ends all children of this process but `kept`, and what they leave behind, until there is none.
void end_children_except(const std::set<pid_t>& kept);

}  // namespace judge
