// The program that bench/suspended reads: COUNT coroutines that stay suspended, in chains of three,
// beside MIB of other blocks on the heap. It ends with its standard input.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/task.h"

namespace {

Task<false> inner() { co_await std::suspend_always{}; }
Task<false> middle() { co_await inner(); }
Task<false> outer() { co_await middle(); }

}  // namespace

int main(int, char** words) {
  const int count = std::atoi(words[1]) / 3;
  const int blocks = std::atoi(words[2]) * 1024;
  std::vector<Task<false>> tasks;
  std::vector<char*> other;
  for (int i = 0; i < count; i++) {
    tasks.push_back(outer());
    tasks.back().handle.resume();
  }
  for (int i = 0; i < blocks; i++) {
    other.push_back(static_cast<char*>(std::malloc(1000)));
    std::memset(other.back(), 1, 1000);
  }
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
}
