#include "shared_races.h"

namespace cucpu::trace {

// Copies that the last block has not waited for are lost with it.
void SharedRaces::begin_block() {
  block_met();
  for (std::size_t i = 0; flying_ != 0; ++i) {
    if (words_[i].era != kInFlight) continue;
    words_[i].era = 0;
    --flying_;
  }
}

void SharedRaces::begin_copy(std::size_t index, std::uint32_t code, std::uint32_t bytes) {
  Word& word = words_[index];
  Flight& flight = flights_[index];
  if (word.era != kInFlight) {
    ++flying_;
    flight = {0, word.era, 0, 0};
    word.era = kInFlight;
  }
  flight.code = code;
  flight.thread = static_cast<std::uint16_t>(order_.me().thread);
  flight.bytes |= static_cast<std::uint8_t>(bytes);
}

void SharedRaces::end_copy(std::size_t index, std::uint32_t bytes) {
  Word& word = words_[index];
  Flight& flight = flights_[index];
  if (word.era != kInFlight) return;
  flight.bytes &= static_cast<std::uint8_t>(~bytes);
  if (flight.bytes != 0) return;
  word.era = flight.era;
  --flying_;
}

}  // namespace cucpu::trace
