#include <cstdio>
#include <initializer_list>

#include "task.h"

static Task here(int* count) {
  co_await std::suspend_always{};
  ++*count;
}

int main() {
  int count = in_c();
  for (Task task : {once(&count), twice(&count), here(&count)}) {
    task.handle.resume();
    task.handle.destroy();
  }
  std::printf("%d\n", count);
}
