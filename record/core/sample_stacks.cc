#include "record/core/sample_stacks.h"

#include "record/core/emission.h"
#include "record/core/spin.h"

namespace skein::record {
namespace {

uint32_t slot_of(uint64_t address, uint32_t caller) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15ull;
  const uint64_t mixed = (address ^ caller * kOdd) * kOdd;
  return static_cast<uint32_t>(mixed >> 32) % SampleStacks::kSlots;
}

// Returns the node, or a free one. There is always a free one.
SampleFrame& find(SampleStacks& stacks, uint64_t address, uint32_t caller, uint32_t& number) {
  uint32_t slot = slot_of(address, caller);
  for (;; slot = (slot + 1) % SampleStacks::kSlots) {
    SampleFrame& frame = stacks.frames[slot];
    number = __atomic_load_n(&frame.number, __ATOMIC_ACQUIRE);
    if (number == 0 || (frame.address == address && frame.caller == caller)) return frame;
  }
}

// Precondition: the definitions are locked. Returns 0 if there is no room (counted).
uint32_t add(SampleStacks& stacks, uint64_t address, uint32_t caller) {
  uint32_t number = 0;
  SampleFrame& frame = find(stacks, address, caller, number);
  if (number != 0) return number;
  Emission e(stacks.names->stream);
  if (stacks.used >= SampleStacks::kMost || !e.begin(true)) {
    count_lost(stacks.names->stream->table, format::kLoss_names_full);
    return 0;
  }
  number = ++stacks.used;
  e.same(format::k_extra, static_cast<uint64_t>(format::ExtraField::kAddress), address);
  if (caller != 0)
    e.same(format::k_extra, static_cast<uint64_t>(format::ExtraField::kCaller), caller);
  e.one(format::k_sample, number);
  e.commit();
  frame.address = address;
  frame.caller = caller;
  __atomic_store_n(&frame.number, number, __ATOMIC_RELEASE);
  return number;
}

// Adds the frames before `count`, outermost first.
uint32_t add_all(SampleStacks& stacks, const uint64_t* addresses, uint32_t count, uint32_t caller) {
  if (stacks.names->stream == nullptr) return 0;
  SpinLock lock(stacks.names->lock);
  if (!lock) {
    count_lost(stacks.names->stream->table, format::kLoss_names_full);
    return 0;
  }
  while (count > 0 && (caller = add(stacks, addresses[count - 1], caller)) != 0) --count;
  return caller;
}

}  // namespace

uint32_t stack_of(SampleStacks& stacks, const uint64_t* addresses, uint32_t count) {
  uint32_t caller = 0;
  for (; count > 0; --count) {
    uint32_t number = 0;
    find(stacks, addresses[count - 1], caller, number);
    if (number == 0) break;
    caller = number;
  }
  if (count > 0) protect([&] { caller = add_all(stacks, addresses, count, caller); });
  return caller;
}

}  // namespace skein::record
