#include "task.h"

Task twice(int* count) {
  ++*count;
  co_await std::suspend_always{};
  ++*count;
}
