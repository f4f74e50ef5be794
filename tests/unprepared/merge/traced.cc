// Compiled with skein. Three chains wait for ever: one is traced, one is not, one begins in traced
// code. As many threads as the first argument says create, run and destroy coroutines meanwhile.
// Second argument: `lost`: the memory of a frame is overwritten; `large`: there is much memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "task.h"

static Task leaf(Event& event) { co_await event; }
static Task middle(Event& event) { co_await leaf(event); }
static Task both(Event& event) { co_await untraced(event); }
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

int main(int argc, char** argv) {
  Event never;
  std::vector<Task> tasks;
  tasks.push_back(middle(never));
  tasks.push_back(both(never));
  tasks.push_back(untraced(never));
  for (const Task& task : tasks) task.handle.resume();
  const std::string_view mode = argc > 2 ? argv[2] : "";
  if (mode == "large")
    mmap(nullptr, size_t{5} << 28, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mode == "lost") {
    Task lost = leaf(never);
    lost.handle.resume();
    std::memset(lost.handle.address(), 0, 2 * sizeof(void*));
    lost.handle = {};
  }
  for (int i = argc > 1 ? std::atoi(argv[1]) : 0; i > 0; i--) std::thread(keep_busy).detach();
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
