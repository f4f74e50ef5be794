#include "frames/mutex_waits.h"

#include <doctest/doctest.h>

#include "frames/sparse_target.h"

using namespace skein;

namespace {

constexpr uint64_t first = 0x10000;
constexpr uint64_t second = 0x10040;
constexpr uint64_t futex = 202;
constexpr uint64_t wait_private = 128;
constexpr uint64_t wait_bitset_private = 128 | 9;

// A program with two mutexes: thread 11 holds the first, thread 12 the second.
SparseTarget target_with_mutexes() {
  SparseTarget target;
  target.map(0x10000, 0x20000);
  for (const auto& [mutex, owner] : {std::pair(first, 11), std::pair(second, 12)}) {
    target.set(mutex, 2);
    target.set(mutex + 8, uint64_t{1} << 32 | static_cast<uint64_t>(owner));
  }
  return target;
}

TargetThread waiting(uint64_t id, uint64_t mutex, uint64_t operation = wait_private,
                     uint64_t limit = 0) {
  return {.id = id,
          .state = TargetThread::State::Sleeping,
          .call = KernelCall{.number = futex, .arguments = {mutex, operation, 2, limit}}};
}

std::vector<MutexWait> waits_in(const SparseTarget& target) {
  return find_mutex_waits(target, target.threads());
}

using Cycle = std::vector<uint64_t>;
using Cycles = std::vector<Cycle>;

Cycles cycles_in(const std::vector<MutexWait>& waits) {
  const MutexWaits all(waits);
  return {all.cycles().begin(), all.cycles().end()};
}

}  // namespace

TEST_CASE("two threads that wait for each other's mutexes") {
  SparseTarget target = target_with_mutexes();
  target.add_thread(waiting(11, second));
  target.add_thread(waiting(12, first));
  target.add_thread(waiting(13, first));
  const std::vector<MutexWait> waits = waits_in(target);
  REQUIRE(waits.size() == 3);
  CHECK(waits[0].thread == 11);
  CHECK(waits[0].holder == 12);
  CHECK(waits[0].mutex == second);
  const MutexWaits all(waits);
  CHECK(cycles_in(waits) == Cycles{{11, 12}});
  REQUIRE(all.cycle_of(12) != nullptr);
  CHECK(*all.cycle_of(12) == Cycle{11, 12});
  CHECK(all.cycle_of(13) == nullptr);  // behind the cycle
  CHECK(all.cycle_of(14) == nullptr);
  CHECK(all.of(13)->holder == 11);
  CHECK(all.of(14) == nullptr);
}

TEST_CASE("a wait by syscall() is not for a mutex of glibc's") {
  SparseTarget target = target_with_mutexes();
  constexpr uint64_t code = 0x11000;
  target.set(code, 0x050F0824'4C8B4C00);  // mov 8(%rsp),%r9; syscall, from code + 1 on
  TargetThread job = waiting(11, first);
  job.registers.set(Registers::pc_of(Architecture::X86_64), code + 8);
  target.add_thread(job);
  CHECK(waits_in(target).empty());
  target.set(code, 0x050F'000000CA'B800);  // mov $202,%eax; syscall, as in glibc's mutexes
  CHECK(waits_in(target).size() == 1);
}

TEST_CASE("a thread that waits for its own mutex") {
  SparseTarget target = target_with_mutexes();
  target.add_thread(waiting(11, first));
  CHECK(cycles_in(waits_in(target)) == Cycles{{11}});
}

TEST_CASE("a wait with a time limit is in no deadlock") {
  SparseTarget target = target_with_mutexes();
  target.add_thread(waiting(11, second, wait_bitset_private, 0x7000));
  target.add_thread(waiting(12, first));
  const std::vector<MutexWait> waits = waits_in(target);
  REQUIRE(waits.size() == 2);
  CHECK(waits[0].has_limit);
  CHECK(cycles_in(waits).empty());
}

TEST_CASE("the holder's number in the namespace of the process") {
  SparseTarget target = target_with_mutexes();
  TargetThread one = waiting(4011, second);
  one.own_id = 11;
  TargetThread other = waiting(4012, first);
  other.own_id = 12;
  target.add_thread(one);
  target.add_thread(other);
  CHECK(cycles_in(waits_in(target)) == Cycles{{4011, 4012}});
}

TEST_CASE("cycles are in the order of their lowest ids, whichever walk finds them") {
  // 1 waits for 9, which is in a cycle with 8; 2 and 3 wait for each other.
  const std::vector<MutexWait> waits = {{.thread = 9, .holder = 8}, {.thread = 8, .holder = 9},
                                        {.thread = 3, .holder = 2}, {.thread = 2, .holder = 3},
                                        {.thread = 1, .holder = 9}, {.thread = 1, .holder = 1},
                                        {.thread = 5, .holder = 4}};
  CHECK(cycles_in(waits) == Cycles{{2, 3}, {8, 9}});
  const MutexWaits all(waits);
  CHECK(all.all().size() == 6);
  CHECK(all.of(1)->holder == 9);  // its first one
  CHECK(all.cycle_of(1) == nullptr);
  CHECK(all.cycle_of(9) == &all.cycles()[1]);
  CHECK(MutexWaits().cycles().empty());
}

TEST_CASE("a hundred thousand threads in chains and cycles") {
  constexpr uint64_t count = 100'000;
  std::vector<MutexWait> chain;  // each waits for the next one, the last one for nothing
  for (uint64_t i = 1; i <= count; i++) chain.push_back({.thread = i, .holder = i + 1});
  CHECK(cycles_in(chain).empty());
  chain.back().holder = 1;
  const MutexWaits ring(chain);
  REQUIRE(ring.cycles().size() == 1);
  CHECK(ring.cycle_of(count / 2)->size() == count);
  chain.back().holder = count / 2;  // half of them wait for those in the cycle
  const MutexWaits tail(chain);
  REQUIRE(tail.cycles().size() == 1);
  CHECK(tail.cycles().front().size() == count / 2 + 1);
  CHECK(tail.cycle_of(1) == nullptr);
  std::vector<MutexWait> pairs;
  for (uint64_t i = 0; i < count; i++) pairs.push_back({.thread = i, .holder = i ^ 1});
  CHECK(cycles_in(pairs).size() == count / 2);
}

TEST_CASE("other futexes are not mutexes") {
  const auto count = [](const SparseTarget& base, const TargetThread& thread) {
    SparseTarget target = base;
    target.add_thread({.id = 11});
    target.add_thread(thread);
    return waits_in(target).size();
  };
  const SparseTarget mutexes = target_with_mutexes();
  CHECK(count(mutexes, waiting(13, first)) == 1);
  CHECK(count(mutexes, waiting(13, 0x900000)) == 0);     // not mapped
  CHECK(count(mutexes, waiting(13, second)) == 0);       // 12 is no thread
  CHECK(count(mutexes, waiting(13, first, 128 | 1)) == 0);  // FUTEX_WAKE
  TargetThread other = waiting(13, first);
  other.call->arguments[2] = 0;  // a condition variable's
  CHECK(count(mutexes, other) == 0);
  other = waiting(13, first);
  other.call->number = 35;
  CHECK(count(mutexes, other) == 0);
  SparseTarget changed = mutexes;
  changed.set(first, 1);  // nothing waits for it
  CHECK(count(changed, waiting(13, first)) == 0);
  changed = mutexes;
  changed.set(first + 8, 11);  // without users
  CHECK(count(changed, waiting(13, first)) == 0);
  changed = mutexes;
  changed.set(first + 16, 0x7f00);  // no kind
  CHECK(count(changed, waiting(13, first)) == 0);
}
