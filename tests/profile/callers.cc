// Functions without frame pointers, which spend CPU time below callers that are known: each burnK
// is below one chain, in the comments. The plugin is this file, too, and is opened when samples are
// taken already.
//
// chain 0: main outer middle inner
// chain 1: main sort_all compare
// chain 2: main raise_all handle
// chain 3: begin_thread inner_of_thread
// chain 4: main open_plugin plugin_outer plugin_inner
// chain 5: main aligned
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#define NO_INLINE __attribute__((noinline))

namespace app {

std::atomic<unsigned> sink = 0;
volatile int once = 1;  // a call of each function is not its last instruction

inline __attribute__((always_inline)) void spin(unsigned x) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 20'000; i++) x = x * 1664525 + 1013904223;
  sink += x;
}

// The names of templates have no arguments in a flame graph.
NO_INLINE void burn0() { spin(0); }
NO_INLINE void burn1() { spin(1); }
NO_INLINE void burn2() { spin(2); }
NO_INLINE void burn3() { spin(3); }
NO_INLINE void burn4() { spin(4); }
NO_INLINE void burn5() { spin(5); }

}  // namespace app

using namespace app;

#ifdef PLUGIN

NO_INLINE void plugin_inner() {
  for (int i = 0; i < once; i++) burn4();
}
extern "C" NO_INLINE void plugin_outer() {
  char large[500];
  large[0] = static_cast<char>(once);
  asm volatile("" : : "r"(large) : "memory");
  for (int i = 0; i < once; i++) plugin_inner();
}

#else

NO_INLINE void inner(int more) {
  for (int i = 0; i < once; i++) burn0();
  sink += static_cast<unsigned>(more);
}
NO_INLINE void middle(int a, int b, int c) {
  for (int i = 0; i < once; i++) inner(a + b);
  sink += static_cast<unsigned>(c);
}
NO_INLINE void outer(int size) {
  // Of a size that is not known: the compiler needs a frame pointer, of this function alone.
  auto* large = static_cast<char*>(__builtin_alloca(static_cast<size_t>(size)));
  asm volatile("" : : "r"(large) : "memory");
  for (int i = 0; i < once; i++) middle(size, 2, 3);
}

NO_INLINE int compare(const void* a, const void* b) {
  for (int i = 0; i < once; i++) burn1();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
NO_INLINE void sort_all() {
  int numbers[] = {2, 1};
  for (int i = 0; i < once; i++) qsort(numbers, 2, sizeof *numbers, compare);
}

NO_INLINE void handle(int) {
  for (int i = 0; i < once; i++) burn2();
}
NO_INLINE void raise_all() {
  for (int i = 0; i < once; i++) raise(SIGUSR1);
}

NO_INLINE void inner_of_thread() {
  for (int i = 0; i < once; i++) burn3();
}
NO_INLINE void begin_thread() {
  for (int i = 0; i < once; i++) inner_of_thread();
}

NO_INLINE void open_plugin(const char* name) {
  void* plugin = dlopen(name, RTLD_NOW);
  if (plugin == nullptr) abort();
  const auto run = reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_outer"));
  // The recorder looks for new modules ten times a second.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (int i = 0; i < once; i++) run();
}

NO_INLINE void aligned() {
  alignas(64) char line[64];
  asm volatile("" : : "r"(line) : "memory");
  for (int i = 0; i < once; i++) burn5();
}

int main(int, char** words) {
  signal(SIGUSR1, handle);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (int round = 0; round < 2; round++) {
    outer(100 + round);
    sort_all();
    raise_all();
    std::thread(begin_thread).join();
    aligned();
  }
  open_plugin(words[1]);
  std::printf("%u\n", sink.load());
}

#endif
