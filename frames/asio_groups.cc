#include "frames/asio_groups.h"

#include <algorithm>

#include "frames/asio_functions.h"

namespace skein {

namespace {

constexpr uint32_t no_coroutine = SuspendedCoroutine::none;

// Of the thread of coroutines that begins with an entry point.
struct Waiting {
  uint32_t parent = no_coroutine;  // the innermost one of the program, or of Asio's operators
  // What has started the co_spawn(): a coroutine of Asio's, or, since Asio 1.24, the parent itself.
  uint32_t operation = no_coroutine;
};

Waiting innermost(const SuspendedCoroutines& found, uint32_t entry) {
  constexpr int deepest = 1000;
  uint32_t before = no_coroutine;
  uint32_t at = entry;
  for (int i = 0; i < deepest && found.coroutines[at].awaits != no_coroutine; i++) {
    before = at;
    at = found.coroutines[at].awaits;
  }
  const SuspendedCoroutines::Function& function = found.functions[found.coroutines[at].function];
  if (at == entry || found.coroutines[at].awaits != no_coroutine) return {};
  if (function.operation == "co_spawn") return before == entry ? Waiting{} : Waiting{before, at};
  return function.operation.empty() && !function.is_internal ? Waiting{at, at} : Waiting{};
}

// Whether these words may be a std::shared_ptr of an object that was created together with its
// counters. libstdc++ (bits/shared_ptr_base.h): two counters of 32 bits behind the address of a
// table of functions; libc++ (__memory/shared_ptr.h): two of 64 bits, which begin at 0.
bool is_shared_pointer(MemoryCache& memory, uint64_t object, uint64_t control) {
  constexpr uint64_t most = 1 << 20;  // owners
  constexpr uint64_t libstdcxx = 16, libcxx = 24;
  if (control % 8 != 0 || control == 0) return false;
  uint64_t content[3] = {};
  if (object - control == libstdcxx && memory.read(control, content, 16)) {
    const uint64_t owners = content[1] & UINT32_MAX, watchers = content[1] >> 32;
    return owners != 0 && owners < most && watchers != 0 && watchers < most;
  }
  return object - control == libcxx && memory.read(control, content, 24) && content[1] < most &&
         content[2] < most;
}

class GroupSearch {
 public:
  GroupSearch(MemoryCache& memory, const Waiters& waiters, const SuspendedCoroutines& found,
              std::span<const std::unique_ptr<Heap>> heaps)
      : memory_(memory), waiters_(waiters), found_(found), heaps_(heaps) {
    for (const SuspendedCoroutines::Function& one : found.functions)
      is_entry_.push_back(is_spawn_entry(one.full_name));
  }

  AsioGroups run() {
    std::vector<Pointer> pointers;
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      if (!is_entry_[found_.coroutines[i].function] || child_of(i) == no_coroutine) continue;
      if (!find_spawn(i)) add_pointers(i, pointers);
    }
    find_ends(pointers);
    uint32_t last = no_coroutine;  // the entry point whose group is known
    for (const Pointer& one : pointers) {
      if (one.entry == last) continue;
      const Waiting waiting = waiting_in(one);
      if (waiting.parent == no_coroutine) continue;
      groups_.joins.push_back({child_of(one.entry), waiting.parent, one.state, 0, one.slot});
      last = one.entry;
    }
    return std::move(groups_);
  }

 private:
  // Of an entry point to what may be the state of its group.
  struct Pointer {
    uint32_t entry = 0;
    uint64_t slot = 0;   // where in the frame
    uint64_t state = 0;  // its address
    uint64_t end = 0;    // of its block
  };

  bool find_spawn(uint32_t entry) {
    const auto words = waiters_.words(entry);
    for (size_t k = first_word; k < words.size(); k++)
      if (const Waiting waiting = waiting_at(words[k], entry); waiting.parent != no_coroutine) {
        groups_.spawns.push_back({waiting.operation, entry});
        return true;
      }
    return false;
  }

  void add_pointers(uint32_t entry, std::vector<Pointer>& to) {
    const auto words = waiters_.words(entry);
    for (size_t k = first_word; k + 1 < words.size(); k++)
      if (is_shared_pointer(memory_, words[k], words[k + 1]) && waiters_.may_be_object(words[k]) &&
          waiters_.frame_around(words[k]) == no_coroutine)
        to.push_back({.entry = entry, .slot = 8 * k, .state = words[k]});
  }

  // Behind the state are other objects. Of an unknown allocator, only the first words count: those
  // of a group of two have the address in the sixth.
  void find_ends(std::vector<Pointer>& pointers) const {
    constexpr uint64_t usual = 80;  // bytes
    std::vector<uint64_t> states;
    for (const Pointer& one : pointers) states.push_back(one.state);
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    std::vector<HeapBlock> blocks(states.size());
    if (!states.empty())
      for (const std::unique_ptr<Heap>& heap : heaps_) heap->find_blocks(states, blocks);
    for (Pointer& one : pointers) {
      const auto at = std::lower_bound(states.begin(), states.end(), one.state) - states.begin();
      const HeapBlock& block = blocks[static_cast<size_t>(at)];
      one.end = block.begin != 0 && block.end > one.state ? block.end : one.state + usual;
    }
  }

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

  // What waits, of the entry point whose promise is at this address.
  Waiting waiting_at(uint64_t word, uint32_t child) const {
    constexpr uint64_t promise = 16;
    const uint32_t entry = waiters_.frame_at(word - promise);
    if (entry == no_coroutine || entry == child || !is_entry_[found_.coroutines[entry].function])
      return {};
    return innermost(found_, entry);
  }

  // What waits for the group whose state is there.
  Waiting waiting_in(const Pointer& pointer) {
    constexpr uint64_t most = 64;
    uint64_t content[most] = {};
    uint64_t count = std::min(most, (pointer.end - pointer.state) / 8);
    while (count > 1 && !memory_.read(pointer.state, content, 8 * count)) count /= 2;
    for (uint64_t i = 0; i < count; i++)
      if (const Waiting waiting = waiting_at(content[i], pointer.entry);
          waiting.parent != no_coroutine)
        return waiting;
    return {};
  }

  static constexpr size_t first_word = 2;  // behind the addresses of its functions
  MemoryCache& memory_;
  const Waiters& waiters_;
  const SuspendedCoroutines& found_;
  std::span<const std::unique_ptr<Heap>> heaps_;
  std::vector<bool> is_entry_ = {};  // by function
  AsioGroups groups_ = {};
};

}  // namespace

AsioGroups find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                            const SuspendedCoroutines& found,
                            std::span<const std::unique_ptr<Heap>> heaps) {
  return GroupSearch(memory, waiters, found, heaps).run();
}

}  // namespace skein
