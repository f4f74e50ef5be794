// Maps task ids to indices.
//
//   IdMap map(events);
//   uint32_t& index = map[id];
//   if (index == IdMap::none) index = new_entry();
//
// Recorders number tasks from 0 or 1, so the map is an array indexed by id as long as that wastes
// little memory. Ids that are scattered over 64 bits (or chosen by an attacker) are hashed.
// Measured with ten million events and 1.8 million tasks: hashing every id took 3 times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/read/events.h"

namespace skein {

class IdMap {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  IdMap() = default;                     // for ids of any size
  explicit IdMap(const Events& events);  // for the tasks of `events`

  // `none` for an id that was never set.
  uint32_t find(TaskId id) const;

  // Inserts `none` for a new id. `id` must not be no_task. The reference is valid until the next
  // call.
  uint32_t& operator[](TaskId id) {
    if (id < dense_.size()) return dense_[static_cast<size_t>(id)];
    return hashed(id);
  }

 private:
  struct Slot {
    TaskId id = no_task;  // no_task: free
    uint32_t index = none;
  };

  uint32_t& hashed(TaskId id);
  size_t slot_of(TaskId id) const;
  void grow();

  std::vector<uint32_t> dense_;  // by id
  std::vector<Slot> slots_;      // of the ids beyond dense_
  size_t used_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace skein
