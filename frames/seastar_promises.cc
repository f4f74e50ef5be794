#include "frames/seastar_promises.h"

#include <algorithm>

namespace skein {

namespace {

constexpr uint64_t header = 16;  // of a frame: two addresses; then the promise

// A ring of list nodes, of which one is in the object at its beginning.
bool is_in_ring(MemoryCache& memory, uint64_t node, uint64_t object) {
  constexpr int most = 1000;
  uint64_t at = node;
  for (int i = 0; i < most && at != 0; i++) {
    at = memory.word(at);
    if (at == object) return true;
    if (at == node) return false;
  }
  return false;
}

bool owns(MemoryCache& memory, const std::string& type, uint64_t object, uint64_t promise) {
  // A waiter: the address of its virtual table, the node, the promise; in between, one that is an
  // awaiter has the object's address.
  if (type == "seastar::condition_variable")
    return is_in_ring(memory, promise - 16, object) ||
           (memory.word(promise - 8) == object && is_in_ring(memory, promise - 24, object));
  if (type == "seastar::gate") return promise == object + 8;
  // The first that waits is in a block of its own.
  constexpr size_t words = 8;
  uint64_t content[words] = {};
  return type == "seastar::basic_semaphore" && memory.read(object, content, sizeof content) &&
         std::find(std::begin(content), std::end(content), promise) != std::end(content);
}

}  // namespace

bool leads_to_seastar_promise(MemoryCache& memory, uint64_t frame, uint64_t slot, uint64_t word) {
  uint64_t promise[3] = {};
  return word % 8 == 0 && memory.read(word, promise, sizeof promise) &&
         promise[0] == frame + slot && promise[1] == frame + slot + 8 &&
         promise[2] == frame + header;
}

std::optional<PromiseOwner> owner_of_promise(MemoryCache& memory, std::span<const uint64_t> frame,
                                             const FrameLayout& layout, uint64_t promise) {
  for (const FrameMember& member : layout.members)
    for (const TypedPointer& pointer : member.type.pointers) {
      const uint64_t slot = member.offset + pointer.offset;
      if (!pointer.to.starts_with("seastar::") || slot % 8 != 0 || slot / 8 >= frame.size())
        continue;
      const uint64_t object = frame[slot / 8];
      if (object != 0 && object % 8 == 0 && owns(memory, pointer.to, object, promise))
        return PromiseOwner{object, pointer.to};
    }
  return {};
}

}  // namespace skein
