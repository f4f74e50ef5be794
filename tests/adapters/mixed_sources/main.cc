#include <stdexcept>

#include "shared.h"

void may_throw(int value) {
  if (value == 1 || value == 4 || value == 12) throw std::runtime_error("thrown");
}

Task own(int value) {
  const Noisy local("local");
  try {
    int got = co_await value;
    std::printf("own %d\n", got);
    got = co_await Operation{value + 1, Noisy("operation")};
    std::printf("own %d\n", got);
    co_await Operation{value + 2, Noisy("second")};
  } catch (const std::exception& e) {
    std::printf("caught %s\n", e.what());
  }
  both(value + 20);
  co_await Operation{9, Noisy("last")};
}

int main() {
  for (int i = 0; i < 6; i++) own(i);
  other();
}
