#include "frames/asio_groups.h"

#include <algorithm>

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
      : memory_(memory), waiters_(waiters), found_(found) {}

  std::vector<Join> run() {
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      const SuspendedCoroutine& one = found_.coroutines[i];
      if (!found_.functions[one.function].is_internal || one.awaits == no_coroutine) continue;
      const auto words = waiters_.words(i);
      for (size_t k = 2; k < words.size(); k++)
        if (const uint32_t parent = parent_in(words[k], i); parent != no_coroutine) {
          joins_.push_back({one.awaits, parent, words[k], 0, 8 * k});
          break;
        }
    }
    return std::move(joins_);
  }

 private:
  // The coroutine that waits for the group whose state is there.
  uint32_t parent_in(uint64_t state, uint32_t child) {
    constexpr uint64_t promise = 16;
    constexpr size_t words = 64;
    if (!waiters_.may_be_object(state) || waiters_.frame_around(state) != no_coroutine)
      return no_coroutine;
    uint64_t content[words] = {};
    size_t count = words;
    while (count > 1 && !memory_.read(state, content, 8 * count)) count /= 2;
    for (size_t i = 0; i < count; i++) {
      const uint32_t entry = waiters_.frame_at(content[i] - promise);
      if (entry == no_coroutine || entry == child ||
          !found_.functions[found_.coroutines[entry].function].is_internal)
        continue;
      const uint32_t parent = waits_with_spawn(found_, entry);
      if (parent != no_coroutine) return parent;
    }
    return no_coroutine;
  }

  MemoryCache& memory_;
  const Waiters& waiters_;
  const SuspendedCoroutines& found_;
  std::vector<Join> joins_ = {};
};

}  // namespace

std::vector<Join> find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                                   const SuspendedCoroutines& found) {
  return GroupSearch(memory, waiters, found).run();
}

}  // namespace skein
