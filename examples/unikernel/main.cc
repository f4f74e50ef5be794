// A unikernel whose client asks for a neighbour's address. With lost=1 the answer comes too early,
// and the client waits for ever: `skein grab` and `skein why` show it from outside.
//
//   lost=0|1              the answer comes in time, or before its waiter waits (default: 1)
//   crash=triple|panic|stuck   how the machine fails, after crash_after=TICKS (default: 100)
#include "arp.h"
#include "kernel.h"
#include "loop.h"
#include "network.h"

namespace {

constexpr uint32_t kOwn = 0x0a000002, kNeighbour = 0x0a000001;

task use_network(Arp& arp) {
  SKEIN_LABEL("client");
  skein::should_resolve();
  kernel::print("who has 10.0.0.1?\n");
  co_await arp.query(kNeighbour);
  kernel::print(arp.found() != 0 ? "10.0.0.1 answered\n" : "no answer\n");
}

// Keeps the machine busy, as a server with other clients.
task beat(Loop& loop) {
  SKEIN_LABEL("heartbeat");
  for (uint64_t rounds = 1;; ++rounds) {
    SKEIN_COUNT("beats", 1);
    if (rounds % 50 == 0) kernel::print("running\n");
    co_await loop.sleep(1);
  }
}

// Only if the command line requests it: a task that never starts is a finding.
task crash(Loop& loop) {
  SKEIN_LABEL("crash");
  co_await loop.sleep(kernel::option("crash_after", 100));
  kernel::print("crash\n");
  if (kernel::is_option("crash", "triple")) kernel::triple_fault();
  if (kernel::is_option("crash", "panic")) kernel::panic("as requested");
  if (kernel::is_option("crash", "stuck")) kernel::spin();
}

}  // namespace

void run_program() {
  const bool lost = kernel::option("lost", 1) != 0;
  Loop loop;
  SimulatedCard card(loop, 10, lost ? 5 : 20);
  Arp arp(card, kOwn);
  task client = use_network(arp), heart = beat(loop);
  client.start();
  heart.start();
  if (!kernel::is_option("crash", "")) loop.run();
  task failure = crash(loop);
  failure.start();
  loop.run();
}
