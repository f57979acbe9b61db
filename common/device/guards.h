#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Bytes around and in arrays by which writes outside an array, and elements that were never
// written, show. Known to whoever fills or looks at such bytes, on the device or on the host.

namespace device {

/// The byte that outputs are filled with before a launch, and an element of such bytes: as a float
/// a NaN.
inline constexpr unsigned char kPoison = 0xFF;
inline constexpr std::uint32_t kPoisonWord = 0xFFFFFFFF;

/// Bytes on either side of an array that nobody may write: a multiple of any alignment that an
/// allocator gives.
inline constexpr std::size_t kRedZoneBytes = 4096;

/// Fills a red zone, of any length, with floats that are NaN, so that a value read from outside
/// spoils the result; and not the NaN of `kPoison`, so that a poisoned output that is copied
/// outside shows. Zones of another `tag` (but 0xFF) differ, so that what is copied from one to
/// another shows, too.
void fill_red_zone(std::span<unsigned char> zone, unsigned char tag);

/// Says which element of an array of `bytes` was written where none may be, by its red zones before
/// and after; empty when none was. `what` is the array in that sentence: "buffer".
std::string red_zone_fault(std::span<const unsigned char> before,
                           std::span<const unsigned char> after, unsigned char tag,
                           std::size_t bytes, std::size_t element_bytes, std::string_view what);

}  // namespace device
