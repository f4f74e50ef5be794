#include "frames/changing_cycles.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "frames/call_stack.h"
#include "frames/chains.h"
#include "frames/lock_cycle.h"

namespace skein {

namespace {

constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr uint64_t frame_header = 16;  // two addresses; then the promise
using Cycle = std::vector<uint32_t>;   // each waits for the next, the last one for the first

// If they are the same at a later moment, none has run between these.
bool may_stand_still(const std::vector<ThreadMoment>& threads) {
  return !threads.empty() &&
         std::all_of(threads.begin(), threads.end(),
                     [](const ThreadMoment& thread) { return thread.runs != 0 && thread.sp != 0; });
}

// Whether the process was stopped to be read: then its threads have shown what they run. Of one
// that was not, only pc and sp are known.
bool was_stopped(const Target& target) {
  constexpr size_t any_other = 6;  // rbp, x6
  const std::vector<TargetThread> threads = target.threads();
  return !threads.empty() &&
         std::all_of(threads.begin(), threads.end(), [](const TargetThread& thread) {
           return thread.state == TargetThread::State::Ended || thread.registers.get(any_other);
         });
}

class Cycles {
 public:
  Cycles(SuspendedCoroutines& found, const Waiters& waiters, const Target& target,
         const CoroutineProgram& program, const CycleDoubts& doubts)
      : found_(found),
        waiters_(waiters),
        target_(target),
        program_(program),
        doubts_(doubts),
        goes_on_(doubts.goes_on && !was_stopped(target)),
        guesses_(doubts.guessed.begin(), doubts.guessed.end()),
        removable_(guesses_) {
    removable_.insert(doubts.closers.begin(), doubts.closers.end());
  }

  void check() {
    find();
    check_found();
    find_joined();
    check_found();
  }

 private:
  struct Suspect {
    Cycle members = {};
    std::vector<std::vector<uint64_t>> frames = {};  // of the members, as they were
    bool has_changed = false;
    bool may_run = false;  // one of the members, as far as is known
  };

  // Each coroutine waits for one other at most: it leads to one cycle.
  void find() {
    const size_t count = found_.coroutines.size();
    std::vector<uint32_t> seen(count, 0);  // by which walk
    for (uint32_t first = 0; first < count; first++) {
      if (seen[first] != 0) continue;
      uint32_t at = first;
      for (; at != no_coroutine && seen[at] == 0; at = may_wait_for(found_, at))
        seen[at] = first + 1;
      if (at == no_coroutine || seen[at] != first + 1) continue;
      Suspect one;
      const uint32_t begin = at;
      do {
        one.members.push_back(at);
        at = may_wait_for(found_, at);
      } while (at != begin);
      add(std::move(one));
    }
  }

  void find_joined() {
    for (const WaitObject& lock : found_.awaited) {
      if (lock.holders.size() != 1) continue;
      LockCycle cycle = find_lock_cycle(found_, lock.holders.front().coroutine);
      if (cycle.has_join) add({.members = std::move(cycle.joined_members)});
    }
  }

  void add(Suspect one) {
    for (const uint32_t member : one.members) {
      const auto words = waiters_.words(member);
      one.frames.push_back(words.empty() ? read(member)
                                         : std::vector<uint64_t>(words.begin(), words.end()));
    }
    one.has_changed = !is_linked(one);
    one.may_run = goes_on_ && has_await(one);
    suspects_.push_back(std::move(one));
  }

  // A coroutine that waits for a lock is in the lock's list, in which none is that runs.
  bool has_await(const Suspect& one) const {
    return std::any_of(one.members.begin(), one.members.end(), [&](uint32_t member) {
      const SuspendedCoroutine& coroutine = found_.coroutines[member];
      return coroutine.awaits != no_coroutine || coroutine.awaited == no_coroutine ||
             found_.awaited[coroutine.awaited].kind == WaitObject::Kind::WhenAll;
    });
  }

  // The functions of coroutines that the threads may be in. If a stack cannot be followed, an
  // address in one is enough, which may be the rest of an earlier call. Nothing: a stack cannot be
  // read, or there are too many.
  std::optional<std::unordered_set<uint32_t>> functions_on_stacks(
      const std::vector<ThreadMoment>& threads) {
    constexpr size_t most = 1000;
    if (threads.size() > most) return {};
    std::unordered_set<uint32_t> functions;
    for (const ThreadMoment& thread : threads) {
      const CallStacks::Stack stack = calls_of(thread);
      if (stack.is_complete) {
        for (const CallStacks::Call& call : stack.calls)
          if (const auto function = program_.pair_around(call.instruction()))
            functions.insert(*function);
        continue;
      }
      const std::vector<uint64_t> words = stack_of(thread);
      if (words.empty()) return {};
      for (const uint64_t word : words)
        if (const auto function = program_.pair_of_code(word - 1)) functions.insert(*function);
    }
    return functions;
  }

  bool has_member_in(const Suspect& one, const std::unordered_set<uint32_t>& functions) const {
    return std::any_of(one.members.begin(), one.members.end(), [&](uint32_t member) {
      return functions.contains(found_.coroutines[member].function);
    });
  }

  CallStacks::Stack calls_of(const ThreadMoment& thread) {
    if (target_.architecture() != Architecture::X86_64 || thread.sp == 0) return {};
    memory_.forget();
    Registers registers;
    registers.set(Registers::sp_of(target_.architecture()), thread.sp);
    registers.set(Registers::pc_of(target_.architecture()), thread.pc);
    return stacks_.of(registers);
  }

  // Empty: it cannot be read.
  std::vector<uint64_t> stack_of(const ThreadMoment& thread) const {
    constexpr uint64_t most = uint64_t{1} << 20;
    const Mapping* const mapping = find_mapping(target_.mappings(), thread.sp);
    if (mapping == nullptr) return {};
    const uint64_t begin = thread.sp & ~uint64_t{7};
    std::vector<uint64_t> words(std::min(mapping->end - begin, most) / 8);
    const auto bytes =
        std::span(reinterpret_cast<uint8_t*>(words.data()), 8 * words.size());  // NOLINT
    words.resize(target_.read(begin, bytes) / 8);
    return words;
  }

  std::vector<uint64_t> read(uint32_t coroutine) const {
    constexpr uint64_t least = 8;
    constexpr uint64_t most = 512;
    const SuspendedCoroutine& one = found_.coroutines[coroutine];
    return read(one.frame, std::clamp<uint64_t>(one.size / 8, least, most));
  }

  std::vector<uint64_t> read(uint64_t frame, size_t words) const {
    std::vector<uint64_t> content(words);
    const auto bytes = std::span(reinterpret_cast<uint8_t*>(content.data()), 8 * words);  // NOLINT
    if (target_.read(frame, bytes) != bytes.size()) content.clear();
    return content;
  }

  static bool has(const std::vector<uint64_t>& words, uint64_t frame) {
    return std::any_of(words.begin(), words.end(), [&](uint64_t word) {
      return word == frame || word == frame + frame_header;
    });
  }

  // Whether those that await another coroutine have its address, and it has theirs. One that is
  // inside of its caller's frame needs none.
  bool is_linked(const Suspect& one) const {
    for (size_t i = 0; i < one.members.size(); i++) {
      const SuspendedCoroutine& waiter = found_.coroutines[one.members[i]];
      if (one.frames[i].empty()) return false;
      const auto next = std::find(one.members.begin(), one.members.end(), waiter.awaits);
      if (waiter.awaits == no_coroutine || next == one.members.end() ||
          !waiters_.words(one.members[i]).empty())
        continue;  // what it waits for was found in those words
      const SuspendedCoroutine& awaited = found_.coroutines[waiter.awaits];
      const auto at = static_cast<size_t>(next - one.members.begin());
      if (!awaited.is_elided && !has(one.frames[i], awaited.frame)) return false;
      if (!has(one.frames[at], waiter.frame)) return false;
    }
    return true;
  }

  bool is_same(const Suspect& one) const {
    for (size_t i = 0; i < one.members.size(); i++)
      if (read(found_.coroutines[one.members[i]].frame, one.frames[i].size()) != one.frames[i])
        return false;
    return true;
  }

  void check_found() {
    constexpr int rounds = 5;
    const auto is_open = [](const Suspect& one) { return !one.has_changed; };
    for (Suspect& one : suspects_)
      for (const uint32_t member : one.members)
        one.has_changed = one.has_changed || guesses_.contains(member);
    const auto is_doubtful = [](const Suspect& one) { return !one.has_changed && one.may_run; };
    for (int i = 0; i < (doubts_.goes_on ? rounds : 1); i++) {
      if (std::none_of(suspects_.begin(), suspects_.end(), is_open)) break;
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const bool watches = std::any_of(suspects_.begin(), suspects_.end(), is_doubtful);
      const auto before = watches ? target_.thread_moments() : std::vector<ThreadMoment>();
      for (Suspect& one : suspects_) one.has_changed = one.has_changed || !is_same(one);
      if (!watches || !may_stand_still(before)) continue;
      const auto functions = functions_on_stacks(before);
      if (!functions || target_.thread_moments() != before) continue;
      for (Suspect& one : suspects_) one.may_run = one.may_run && has_member_in(one, *functions);
    }
    for (const Suspect& one : suspects_) {
      if (one.has_changed) {
        break_up(one);
      } else if (one.may_run) {
        for (const uint32_t member : one.members) found_.coroutines[member].may_run = true;
      }
    }
    suspects_.clear();
  }

  // Each object of the cycle is awaited by a coroutine of it. Of those that await each other, the
  // links are not of one time.
  void break_up(const Suspect& one) {
    const std::unordered_set<uint32_t> members(one.members.begin(), one.members.end());
    bool is_broken = false;
    for (const uint32_t member : one.members) {
      SuspendedCoroutine& coroutine = found_.coroutines[member];
      if (coroutine.awaited != no_coroutine)
        is_broken |= std::erase_if(found_.awaited[coroutine.awaited].holders,
                                   [&](const WaitObject::Holder& holder) {
                                     return members.contains(holder.coroutine);
                                   }) != 0;
      if (!removable_.contains(member)) continue;
      coroutine.awaits = no_coroutine;
      is_broken = true;
    }
    if (is_broken) return;
    for (const uint32_t member : one.members) found_.coroutines[member].awaits = no_coroutine;
  }

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  const Target& target_;
  const CoroutineProgram& program_;
  const CycleDoubts& doubts_;
  const bool goes_on_;  // and was not stopped
  const std::unordered_set<uint32_t> guesses_;
  std::unordered_set<uint32_t> removable_;
  std::vector<Suspect> suspects_ = {};
  MemoryCache memory_{target_};
  CallStacks stacks_{target_, memory_};
};

}  // namespace

void remove_changing_cycles(SuspendedCoroutines& found, const Waiters& waiters,
                            const Target& target, const CoroutineProgram& program,
                            const CycleDoubts& doubts) {
  Cycles(found, waiters, target, program, doubts).check();
}

}  // namespace skein
