// Annotations for what the adapters cannot see: labels, counters, spans, named primitives.
// The bug is a lost wake-up: a task begins to wait for an answer after the notification.
//
//   SKEIN_TRACE=trace 040-annotations && skein dump trace
#include <skein/record.h>
#include <skein/sync.h>

#include <cstdio>
#include <string>
#include <vector>

#include "task.h"

namespace {

task<int> worker(skein::channel<int>& jobs, skein::mutex& log, int number) {
  skein::label("worker " + std::to_string(number));
  int done = 0;
  while (auto job = co_await jobs.receive()) {
    SKEIN_SPAN("job");
    auto held = co_await log.lock();
    done += *job;
    SKEIN_COUNT("jobs done", 1);
  }
  co_return done;
}

task<int> producer(skein::channel<int>& jobs) {
  SKEIN_LABEL("producer");
  for (int i = 1; i <= 10; ++i) {
    SKEIN_GAUGE("queue", jobs.size());
    co_await jobs.send(i);
  }
  jobs.close();
  co_return 0;
}

task<int> too_late(skein::condition& answer) {
  skein::should_resolve();
  co_await answer.wait();  // await: lost
  co_return 42;
}

}  // namespace

int main() {
  skein::channel<int> jobs("jobs", 4);
  skein::mutex log("log");
  skein::condition answer("answer");

  std::vector<task<int>> workers;
  for (int i = 0; i < 2; ++i) {
    workers.push_back(worker(jobs, log, i));
    workers.back().start();
  }
  task<int> makes_jobs = producer(jobs);
  makes_jobs.start();
  std::printf("%d done\n", workers[0].result() + workers[1].result());

  answer.notify_one();  // there is no waiter yet
  task<int> waits = too_late(answer);
  waits.start();
  std::printf("%s\n", waits.done() ? "answered" : "still waiting");
}
