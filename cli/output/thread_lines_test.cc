#include "cli/output/thread_lines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "cli/output/thread_stacks_text.h"

namespace skein::cli {
namespace {

constexpr const char* hostile = "<b>\x1b[2J\n\xe2\x80\xae";
constexpr const char* harmless = "<b>\\x1b[2J\\n\\u{202e}";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, char of) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), of));
}

TargetThread sleeping(uint64_t id, std::string name = "worker",
                      std::string channel = "futex_do_wait") {
  return {.id = id,
          .name = std::move(name),
          .state = TargetThread::State::Sleeping,
          .wait_channel = std::move(channel)};
}

std::string threads_of(const Unprepared& of) {
  std::string out;
  append_threads(out, of, {}, 100);
  return out;
}

TEST_CASE("equal threads share a line, with the number of the first") {
  Unprepared of;
  for (uint64_t id = 1; id <= 3000; id++) of.around.threads.push_back(sleeping(id));
  of.around.threads.push_back(sleeping(4000, "main", "ep_poll"));
  const std::string text = threads_of(of);
  CHECK(has(text, "1 and 2,999 others  worker  waits for a lock"));
  CHECK(has(text, "4000  main    waits for a descriptor (ep_poll)"));
  CHECK(count(text, '\n') == 5);
}

TEST_CASE("each thread of a deadlock has a separate line") {
  Unprepared of;
  std::vector<MutexWait> waits;
  for (uint64_t id = 1; id <= 100; id++) {
    of.around.threads.push_back(sleeping(id));
    waits.push_back({.thread = id, .holder = id == 1 ? 2ULL : 1ULL});
  }
  of.around.mutex_waits = MutexWaits(waits);
  const std::string text = threads_of(of);
  CHECK(has(text, " 1  worker  waits for a mutex that thread 2 holds (futex_do_wait)"));
  CHECK(has(text, " 2  worker  waits for a mutex that thread 1 holds (futex_do_wait)"));
  CHECK(has(text, "3 and 97 others  worker  waits for a mutex that thread 1 holds"));
  CHECK(has(text, "\nThreads 1 and 2 wait for each other's mutexes: a deadlock.\n"));
  CHECK(count(text, '\n') == 8);
}

TEST_CASE("a long cycle is shown in part") {
  Unprepared of;
  std::vector<MutexWait> waits;
  for (uint64_t id = 0; id < 1000; id++) waits.push_back({.thread = id, .holder = (id + 1) % 1000});
  of.around.mutex_waits = MutexWaits(waits);
  CHECK(has(deadlock_text(of, 500), "Threads 0, 1, 2, "));
  CHECK(has(deadlock_text(of, 500), ", 14 and 985 others wait for mutexes"));
}

TEST_CASE("names and wait channels are from outside") {
  Unprepared of;
  of.around.threads = {sleeping(1, hostile, hostile), sleeping(2, "b", hostile)};
  of.around.mutex_waits = MutexWaits({{.thread = 2, .holder = 1}});
  const std::string text = threads_of(of);
  CHECK(has(text, std::string("1  ") + harmless));
  CHECK(has(text, std::string("a system call (") + harmless + ")"));
  CHECK(has(text, std::string("thread 1 holds (") + harmless + ")"));
  const std::vector<ThreadStack> stacks = {
      {.id = 1, .name = hostile, .state = TargetThread::State::Sleeping, .wait_channel = hostile}};
  const std::string stack = thread_stacks_text(stacks);
  CHECK(has(stack,
            std::string("thread 1 (") + harmless + ") is blocked in a system call (" + harmless));
  for (const std::string& out : {text, stack, call_stacks_json(stacks).text()}) {
    CHECK_FALSE(has(out, "\x1b"));
    CHECK_FALSE(has(out, "[2J\n"));
  }
}

TEST_CASE("call stacks name the holder of a mutex, and each thread of a deadlock") {
  std::vector<ThreadStack> stacks;
  for (uint64_t id = 1; id <= 20; id++)
    stacks.push_back({.id = id,
                      .state = TargetThread::State::Sleeping,
                      .wait_channel = "futex_do_wait",
                      .mutex = MutexWait{.thread = id, .holder = id == 19 ? 20ULL : 19ULL},
                      .is_in_deadlock = id >= 19});
  const std::string text = thread_stacks_text(stacks);
  CHECK(has(text, "thread 1 waits for a mutex that thread 19 holds (futex_do_wait):\n"));
  CHECK(has(text, "thread 19 waits for a mutex that thread 20 holds"));
  CHECK(has(text, "thread 20 waits for a mutex that thread 19 holds"));
  CHECK_FALSE(has(text, "thread 5 waits"));
  CHECK(has(text, "and 14 other threads:\n  unknown stack\n"));
}

}  // namespace
}  // namespace skein::cli
