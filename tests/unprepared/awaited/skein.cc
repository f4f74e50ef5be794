// Coroutines that wait for skein's own primitives, which do not record.
#include <skein/sync.h>

#include "detached.h"

namespace {

skein::mutex kept("kept");
skein::mutex first("first");
skein::mutex second("second");
skein::mutex again("again");
skein::condition never("never");
skein::condition gate("gate");
skein::semaphore permits("permits", 0);
skein::channel<int> numbers("numbers", 1);

Detached keeper() {
  auto guard = co_await kept.lock();
  co_await never.wait();
}
Detached wanter() {
  auto guard = co_await kept.lock();
  co_await never.wait();
}
Detached forward() {
  auto one = co_await first.lock();
  co_await gate.wait();
  auto other = co_await second.lock();
  co_await never.wait();
}
Detached backward() {
  auto other = co_await second.lock();
  co_await gate.wait();
  auto one = co_await first.lock();
  co_await never.wait();
}
// It waits for itself.
Detached twice() {
  auto one = co_await again.lock();
  auto other = co_await again.lock();
  co_await never.wait();
}
Detached taker() {
  co_await permits.acquire();
  permits.release();
}
Detached receiver() { co_await numbers.receive(); }

}  // namespace

int main() {
  const char* mutex = "skein::mutex";
  keeper();
  wanter();
  wanter();
  forward();
  backward();
  gate.notify_all();
  twice();
  taker();
  receiver();

  waits("keeper", &never, "skein::condition");
  for (int i = 0; i < 2; i++) waits("wanter", &kept, mutex);
  held(&kept, "keeper");
  waits("forward", &second, mutex);
  waits("backward", &first, mutex);
  held(&first, "forward");
  held(&second, "backward");
  deadlock("forward");
  deadlock("backward");
  waits("twice", &again, mutex);
  held(&again, "twice");
  deadlock("twice");
  waits("taker", &permits, "skein::semaphore");
  waits("receiver", &numbers, "skein::channel");
  ready();
}
