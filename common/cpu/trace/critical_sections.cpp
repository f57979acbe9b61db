#include "critical_sections.h"

#include <algorithm>
#include <utility>

namespace cucpu::trace {
namespace {

bool covers(const Knowledge& knowledge, const ThreadOfGrid& who, std::uint32_t stamp) {
  const KnownOfBlock* const known = knowledge.of(who.block);
  return known != nullptr && known->covers(who.thread, stamp);
}

}  // namespace

void CriticalSections::enter(unsigned thread, Lock lock) {
  std::vector<Section>& sections = of_thread_[thread];
  std::erase_if(sections, [&](const Section& s) { return s.lock.variable == lock.variable; });
  if (sections.size() == kMostSections) sections.erase(sections.begin());
  sections.emplace_back().lock = std::move(lock);
}

bool CriticalSections::is_watched(unsigned thread) const {
  const auto found = of_thread_.find(thread);
  return found != of_thread_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                  [](const Section& s) { return !s.accessed; });
}

void CriticalSections::access(unsigned thread) {
  for (Section& section : of_thread_[thread]) section.accessed = true;
}

void CriticalSections::fence(unsigned thread, bool for_block_only) {
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end()) return;
  for (Section& section : found->second) {
    ++section.fences;
    section.device_fences += !for_block_only;
    if (section.accessed) continue;
    section.fenced.block = true;
    section.fenced.grid |= !for_block_only;
  }
}

void CriticalSections::suspect(unsigned thread, const Mark::Side& other, std::uint32_t stamp,
                               Suspect suspect) {
  for (Section& section : of_thread_[thread]) {
    if (section.suspects.size() == kMostSuspects ||
        !covers(section.lock.learnt, other.who, stamp) ||
        covers(section.lock.known_before, other.who, stamp))
      continue;
    suspect.fences = section.fences_for(suspect.mark);
    section.suspects.push_back(suspect);
  }
}

HappensBefore::Scope CriticalSections::leave(unsigned thread, std::uintptr_t variable,
                                             std::uint64_t value, std::vector<Suspect>& suspects) {
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end()) return {};
  std::vector<Section>& sections = found->second;
  const auto section = std::find_if(sections.begin(), sections.end(), [&](const Section& s) {
    return s.lock.variable == variable && s.lock.free == value;
  });
  if (section == sections.end()) return {};
  for (const Suspect& suspect : section->suspects)
    if (suspect.fences == section->fences_for(suspect.mark)) suspects.push_back(suspect);
  const HappensBefore::Scope to =
      section->accessed ? section->fenced : HappensBefore::Scope{true, true};
  sections.erase(section);
  if (sections.empty()) of_thread_.erase(found);
  return to;
}

}  // namespace cucpu::trace
