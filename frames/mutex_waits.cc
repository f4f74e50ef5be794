#include "frames/mutex_waits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

namespace skein {

namespace {

using ByNumber = std::map<uint64_t, const TargetThread*>;

// pthread_mutex_t of glibc for x86-64, since 2.0.
struct Mutex {
  int32_t lock;
  uint32_t count;  // of a recursive one
  int32_t owner;
  uint32_t users;
  int32_t kind;
};

// Whether the thread waits until the word at the first argument is no longer 2.
bool may_wait_for_mutex(const TargetThread& thread) {
  constexpr uint64_t futex = 202;
  constexpr uint64_t wait = 0;
  constexpr uint64_t wait_bitset = 9;     // with a time limit
  constexpr uint64_t flags = 128 | 256;   // FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME
  constexpr uint64_t is_contended = 2;
  if (!thread.call || thread.call->number != futex) return false;
  const uint64_t operation = thread.call->arguments[1] & ~flags;
  return (operation == wait || operation == wait_bitset) &&
         static_cast<uint32_t>(thread.call->arguments[2]) == is_contended;
}

// Whether it is in syscall(), with which programs wait for a word of their own (the C++ library in
// std::atomic::wait()): no mutex of glibc's, whatever that word's surroundings look like. Before
// the address of its return is: 4C 8B 4C 24 08 mov r9, [rsp + 8]; 0F 05 syscall.
bool is_in_syscall_function(const Target& target, const TargetThread& thread) {
  constexpr std::array<uint8_t, 7> code = {0x4C, 0x8B, 0x4C, 0x24, 0x08, 0x0F, 0x05};
  const auto pc = thread.registers.get(Registers::pc_of(target.architecture()));
  std::array<uint8_t, code.size()> before;
  return pc && target.read(*pc - before.size(), before) == before.size() && before == code;
}

std::optional<Mutex> read_mutex(const Target& target, uint64_t address) {
  uint8_t bytes[sizeof(Mutex)];
  if (target.read(address, bytes) != sizeof bytes) return {};
  Mutex mutex;
  std::memcpy(&mutex, bytes, sizeof mutex);
  // PTHREAD_MUTEX_NORMAL to _ADAPTIVE_NP, perhaps shared between processes, or never elided.
  constexpr int32_t kinds = 3;
  constexpr int32_t flags = 128 | 512;
  if (mutex.lock != 2 || mutex.owner <= 0 || mutex.users == 0 ||
      (mutex.kind & ~(kinds | flags)) != 0)
    return {};
  return mutex;
}

const TargetThread* find_thread(std::span<const TargetThread> threads, uint64_t id) {
  const auto at = std::lower_bound(threads.begin(), threads.end(), id,
                                   [](const TargetThread& a, uint64_t b) { return a.id < b; });
  return at == threads.end() || at->id != id ? nullptr : &*at;
}

}  // namespace

std::vector<MutexWait> find_mutex_waits(const Target& target,
                                        std::span<const TargetThread> threads) {
  std::vector<MutexWait> waits;
  if (target.architecture() != Architecture::X86_64) return waits;
  ByNumber by_number;
  for (const TargetThread& thread : threads)
    by_number.emplace(thread.own_id == 0 ? thread.id : thread.own_id, &thread);
  for (const TargetThread& thread : threads) {
    if (!may_wait_for_mutex(thread) || is_in_syscall_function(target, thread)) continue;
    const uint64_t address = thread.call->arguments[0];
    const std::optional<Mutex> mutex = read_mutex(target, address);
    if (!mutex) continue;
    const auto holder = by_number.find(static_cast<uint64_t>(mutex->owner));
    if (holder == by_number.end()) continue;
    waits.push_back({.thread = thread.id,
                     .holder = holder->second->id,
                     .mutex = address,
                     .has_limit = thread.call->arguments[3] != 0});
  }
  if (waits.empty()) return waits;
  const std::vector<TargetThread> again = target.threads();
  std::erase_if(waits, [&](const MutexWait& wait) {
    const TargetThread* before = find_thread(threads, wait.thread);
    const TargetThread* now = find_thread(again, wait.thread);
    return now == nullptr || before->call != now->call || before->runs != now->runs;
  });
  return waits;
}

namespace {

constexpr uint32_t none = UINT32_MAX;

bool has_lower_thread(const MutexWait& a, const MutexWait& b) { return a.thread < b.thread; }

}  // namespace

MutexWaits::MutexWaits(std::vector<MutexWait> waits) : waits_(std::move(waits)) {
  std::stable_sort(waits_.begin(), waits_.end(), has_lower_thread);
  waits_.erase(
      std::unique(waits_.begin(), waits_.end(),
                  [](const MutexWait& a, const MutexWait& b) { return a.thread == b.thread; }),
      waits_.end());
  find_cycles();
}

// Each wait is visited once, in the walk from the lowest id that leads to it; a walk that comes
// back to itself has found a cycle.
void MutexWaits::find_cycles() {
  const auto holder_of = [&](uint32_t i) {
    const MutexWait* next = of(waits_[i].holder);
    return next == nullptr || next->has_limit ? none : static_cast<uint32_t>(next - waits_.data());
  };
  std::vector<uint32_t> walk_of(waits_.size(), none);
  for (uint32_t start = 0; start < waits_.size(); start++) {
    uint32_t at = waits_[start].has_limit ? none : start;
    for (; at != none && walk_of[at] == none; at = holder_of(at)) walk_of[at] = start;
    if (at == none || walk_of[at] != start) continue;
    std::vector<uint64_t> cycle;
    const uint32_t first = at;
    do {
      cycle.push_back(waits_[at].thread);
      at = holder_of(at);
    } while (at != first);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    cycles_.push_back(std::move(cycle));
  }
  std::sort(cycles_.begin(), cycles_.end());
  cycle_of_.assign(waits_.size(), none);
  for (uint32_t i = 0; i < cycles_.size(); i++)
    for (const uint64_t thread : cycles_[i])
      cycle_of_[static_cast<size_t>(of(thread) - waits_.data())] = i;
}

const MutexWait* MutexWaits::of(uint64_t thread) const {
  const auto at =
      std::lower_bound(waits_.begin(), waits_.end(), MutexWait{.thread = thread}, has_lower_thread);
  return at == waits_.end() || at->thread != thread ? nullptr : &*at;
}

const std::vector<uint64_t>* MutexWaits::cycle_of(uint64_t thread) const {
  const MutexWait* wait = of(thread);
  if (wait == nullptr) return nullptr;
  const uint32_t cycle = cycle_of_[static_cast<size_t>(wait - waits_.data())];
  return cycle == none ? nullptr : &cycles_[cycle];
}

}  // namespace skein
