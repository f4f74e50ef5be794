#include "shared.h"

static Task here(int value) {
  int got = co_await value;
  std::printf("here %d\n", got);
  got = co_await Operation{value + 1, Noisy("operation")};
  std::printf("here %d\n", got);
}

void other() {
  here(20);
  both(30);
}
