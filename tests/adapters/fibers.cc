// Two fibers and a channel on Boost.Fiber; only one line uses skein.
#include <skein/boost_fiber.h>

#include <boost/fiber/all.hpp>
#include <chrono>
#include <cstdio>

int main() {
  boost::fibers::use_scheduling_algorithm<skein::traced_fibers<>>();
  boost::fibers::unbuffered_channel<int> numbers;
  int sum = 0;
  boost::fibers::fiber consumer([&] {
    for (int n : numbers) sum += n;
  });
  boost::fibers::fiber producer([&] {
    for (int i = 1; i <= 5; ++i) numbers.push(i);
    boost::this_fiber::sleep_for(std::chrono::milliseconds(2));
    numbers.close();
  });
  producer.join();
  consumer.join();
  std::printf("%d\n", sum);
}
