// Two threads, each of which holds the lock that the other one needs.
#include <barrier>
#include <mutex>
#include <thread>

std::mutex left, right;
std::barrier both(2);

void take_left_first() {
  const std::lock_guard first(left);
  both.arrive_and_wait();
  right.lock();  // HANGS take_left_first
}

void take_right_first() {
  const std::lock_guard first(right);
  both.arrive_and_wait();
  left.lock();  // HANGS take_right_first
}

int main() {
  std::thread one(take_left_first), other(take_right_first);
  one.join();
  other.join();
}
