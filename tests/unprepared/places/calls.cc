// Calls of functions that g++ knows to leave registers as they are, with the number of the
// suspension point in one of them (-fipa-ra).
#include "places.h"

namespace SPACE {

struct Tick {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { never.waiters.push_back(handle); }
  void await_resume() {}
};

__attribute__((noinline)) static void use(int one, int other = 0) {
  asm volatile("" ::"r"(one), "r"(other));
}
static long sums[8];
static long count = 0;
__attribute__((noinline)) static void record(long value) {
  count++;
  if (value > sums[0]) sums[0] = value;
  sums[value & 7]++;
  sums[(value >> 3) & 7] += 2;
  sums[(value >> 6) & 7] += 3;
}
__attribute__((noinline)) static long sum_of(const unsigned char* data, int size) {
  long sum = count;
  for (int i = 0; i < size; i++) sum = sums[(sum ^ data[i]) & 7] ^ (sum >> 8);
  return sum;
}

constexpr int line_of_loop = __LINE__ + 5;
Detached loop(int number) {
  const int kept = number;
  for (;;) {
    use(kept);
    co_await Tick{};
  }
}
constexpr int line_of_second = __LINE__ + 5;
Detached second(int number) {
  use(number);
  co_await Tick{};
  use(3);
  co_await Tick{};
  use(4);
}
constexpr int line_of_once = __LINE__ + 3;
Detached once(int number) {
  record(number);
  co_await Tick{};
  record(number + 1);
}
constexpr int line_of_both = __LINE__ + 5;
Detached both(int number) {
  const long kept = number;
  for (;;) {
    record(kept);
    co_await Tick{};
    record(kept + 7);
  }
}
constexpr int line_of_sums = __LINE__ + 4;
Detached in_sums(const unsigned char* data) {
  for (;;) {
    sums[1] += sum_of(data, 64);
    co_await Tick{};
  }
}
constexpr int line_of_header = __LINE__ + 2;
Detached in_header(int number) {
  for (int i = 0; i < 3; co_await Tick{}, i++) use(number);
}

[[noreturn]] void begin() {
  static unsigned char data[64];
  loop(1);
  at("loop", line_of_loop, "Tick");
  second(1);
  never.waiters.back().resume();
  at("second", line_of_second, "Tick");
  once(2);
  at("once", line_of_once, "Tick");
  both(3);
  at("both", line_of_both, "Tick");
  in_sums(data);
  at("in_sums", line_of_sums, "Tick");
  in_header(5);
  at("in_header", line_of_header, "Tick");
  ready();
}

}  // namespace SPACE

int main() { SPACE::begin(); }
