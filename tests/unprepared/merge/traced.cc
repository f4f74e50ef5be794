// Compiled with skein. Three chains wait for ever: one is traced, one is not, one begins in traced
// code. As many threads as the first argument says create, run and destroy coroutines meanwhile.
// Second argument: `lost`: the memory of a frame is overwritten; `moved`: a frame is made to look as
// if it waited elsewhere; `large`: there is much memory, and
// some of each part is used; `fork`: there is a child, which ends with its parent.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "task.h"

static Task leaf(Event& event) { co_await event; }
static Task middle(Event& event) { co_await leaf(event); }
static Task both(Event& event) { co_await untraced(event); }
static Task twice(Event& event, Event& other) {
  co_await event;  // @event
  co_await other;  // @other
}
static Task busy(Event& event) {
  for (;;) {
    co_await event;
    co_await middle(event);
  }
}

static void keep_busy() {
  Event often;
  std::vector<Task> tasks;
  for (int i = 0; i < 5; i++) tasks.push_back(busy(often));
  for (const Task& task : tasks) task.handle.resume();
  for (;;) often.set();
}

// Gives `one` the resume index of `there`, which g++ stores in 16 bits of the frame: a small even
// number.
static void move(const Task& one, const Task& there) {
  const auto index = [](const Task& task) { return static_cast<uint16_t*>(task.handle.address()); };
  constexpr size_t first = 24;  // behind two addresses and the promise
  for (size_t i = first; i < first + 64; i++) {
    const uint16_t at = index(one)[i];
    const uint16_t next = index(there)[i];
    if (at < 2 || at > 8 || next != at + 2 || at % 2 != 0) continue;
    index(one)[i] = next;
    return;
  }
  std::puts("no resume index");
}

int main(int argc, char** argv) {
  Event never;
  std::vector<Task> tasks;
  tasks.push_back(middle(never));
  tasks.push_back(both(never));
  tasks.push_back(untraced(never));
  for (const Task& task : tasks) task.handle.resume();
  Event once;
  tasks.push_back(twice(never, never));
  tasks.push_back(twice(never, never));
  for (int i = 0; i < 2; i++) tasks.push_back(twice(once, never));
  for (size_t i = 3; i < 7; i++) tasks[i].handle.resume();
  once.set();
  const std::string_view mode = argc > 2 ? argv[2] : "";
  if (mode == "large") {
    constexpr size_t size = size_t{5} << 28;
    auto* memory = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (size_t at = 0; at < size; at += size_t{1} << 20) memory[at] = 1;  // a page of each MiB
  }
  if (mode == "moved") move(tasks[3], tasks[5]);
  if (mode == "lost") {
    Task lost = leaf(never);
    lost.handle.resume();
    std::memset(lost.handle.address(), 0, 2 * sizeof(void*));
    lost.handle = {};
  }
  if (mode == "fork" && fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  for (int i = argc > 1 ? std::atoi(argv[1]) : 0; i > 0; i--) std::thread(keep_busy).detach();
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
