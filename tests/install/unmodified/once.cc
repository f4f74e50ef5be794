#include "task.h"

Task once(int* count) {
  co_await std::suspend_always{};
  ++*count;
}
