#include "frames/asio_groups.h"

#include <algorithm>

#include "frames/asio_functions.h"

namespace skein {

namespace {

constexpr uint32_t no_coroutine = SuspendedCoroutine::none;

// The coroutine that waits with a co_spawn(), of the thread of coroutines that begins there.
uint32_t waits_with_spawn(const SuspendedCoroutines& found, uint32_t entry) {
  constexpr int deepest = 1000;
  uint32_t before = no_coroutine;
  uint32_t at = entry;
  for (int i = 0; i < deepest && found.coroutines[at].awaits != no_coroutine; i++) {
    before = at;
    at = found.coroutines[at].awaits;
  }
  const bool is_spawn = found.functions[found.coroutines[at].function].operation == "co_spawn";
  return is_spawn && before != entry ? before : no_coroutine;
}

class GroupSearch {
 public:
  GroupSearch(MemoryCache& memory, const Waiters& waiters, const SuspendedCoroutines& found)
      : memory_(memory), waiters_(waiters), found_(found) {
    for (const SuspendedCoroutines::Function& one : found.functions)
      is_entry_.push_back(is_spawn_entry(one.full_name));
  }

  AsioGroups run() {
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      if (!is_entry_[found_.coroutines[i].function]) continue;
      const uint32_t child = child_of(i);
      if (child == no_coroutine) continue;
      const auto words = waiters_.words(i);
      for (size_t k = 2; k < words.size(); k++) {
        if (const uint32_t parent = parent_at(words[k], i); parent != no_coroutine) {
          groups_.spawns.push_back({found_.coroutines[parent].awaits, i});
          break;
        }
        if (const uint32_t parent = parent_in(words[k], i); parent != no_coroutine) {
          groups_.joins.push_back({child, parent, words[k], 0, 8 * k});
          break;
        }
      }
    }
    return std::move(groups_);
  }

 private:
  // The coroutine that an entry point waits for, without Asio's own.
  uint32_t child_of(uint32_t entry) const {
    constexpr int deepest = 8;
    uint32_t at = found_.coroutines[entry].awaits;
    for (int i = 0; i < deepest && at != no_coroutine; i++) {
      if (!found_.functions[found_.coroutines[at].function].is_internal) return at;
      at = found_.coroutines[at].awaits;
    }
    return no_coroutine;
  }

  // The coroutine that waits, of the entry point whose promise is at this address.
  uint32_t parent_at(uint64_t word, uint32_t child) const {
    constexpr uint64_t promise = 16;
    const uint32_t entry = waiters_.frame_at(word - promise);
    if (entry == no_coroutine || entry == child || !is_entry_[found_.coroutines[entry].function])
      return no_coroutine;
    return waits_with_spawn(found_, entry);
  }

  // The coroutine that waits for the group whose state is there.
  uint32_t parent_in(uint64_t state, uint32_t child) {
    constexpr size_t words = 64;
    if (!waiters_.may_be_object(state) || waiters_.frame_around(state) != no_coroutine)
      return no_coroutine;
    uint64_t content[words] = {};
    size_t count = words;
    while (count > 1 && !memory_.read(state, content, 8 * count)) count /= 2;
    for (size_t i = 0; i < count; i++)
      if (const uint32_t parent = parent_at(content[i], child); parent != no_coroutine)
        return parent;
    return no_coroutine;
  }

  MemoryCache& memory_;
  const Waiters& waiters_;
  const SuspendedCoroutines& found_;
  std::vector<bool> is_entry_ = {};  // by function
  AsioGroups groups_ = {};
};

}  // namespace

AsioGroups find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                            const SuspendedCoroutines& found) {
  return GroupSearch(memory, waiters, found).run();
}

}  // namespace skein
