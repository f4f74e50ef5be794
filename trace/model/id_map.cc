#include "trace/model/id_map.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

// Consecutive ids that stay adjacent when hashed: they fill a few cache lines.
constexpr size_t run = 4;

// The largest id; no_task does not count.
uint64_t largest_id(const Events& events) {
  uint64_t largest = 0;
  for (size_t begin = 0; begin < events.size(); begin += block_rows) {
    const auto task = events.task.block(begin);
    const auto other = events.other.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events.size() - begin); i++) {
      // no_task is the largest value; adding 1 makes it 0.
      largest = std::max(largest, task[i] + 1);
      largest = std::max(largest, other[i] + 1);
    }
  }
  return largest == 0 ? 0 : largest - 1;
}

uint64_t mix(uint64_t number) {
  number = (number ^ (number >> 32)) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
  return number ^ (number >> 32);
}

}  // namespace

IdMap::IdMap(const Events& events) {
  const uint64_t largest = largest_id(events);
  if (largest / 4 <= events.size() + 256) dense_.resize(static_cast<size_t>(largest) + 1, none);
}

uint32_t IdMap::find(TaskId id) const {
  if (id < dense_.size()) return dense_[static_cast<size_t>(id)];
  if (slots_.empty() || id == no_task) return none;
  return slots_[slot_of(id)].index;  // `none` in a free slot
}

uint32_t& IdMap::hashed(TaskId id) {
  if (slots_.size() <= used_ * 2) grow();
  Slot& slot = slots_[slot_of(id)];
  if (slot.id == no_task) {
    slot.id = id;
    used_++;
  }
  return slot.index;
}

size_t IdMap::slot_of(TaskId id) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(mix((id / run) ^ seed_) * run + id % run) & mask;
  while (slots_[slot].id != id && slots_[slot].id != no_task) slot = (slot + 1) & mask;
  return slot;
}

// The address of the table differs between runs, so a trace cannot be crafted whose ids all
// collide. Results do not depend on the seed.
void IdMap::grow() {
  std::vector<Slot> old(std::max<size_t>(1024, slots_.size() * 2));
  std::swap(old, slots_);
  if (seed_ == 0) seed_ = mix(reinterpret_cast<uintptr_t>(slots_.data())) | 1;
  for (const Slot& slot : old)
    if (slot.id != no_task) slots_[slot_of(slot.id)] = slot;
}

}  // namespace skein
