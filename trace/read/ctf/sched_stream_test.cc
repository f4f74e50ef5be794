#include "trace/read/ctf/sched_stream.h"

#include "trace/read/ctf/test_directory.h"

using namespace skein;
using namespace skein::ctf;

namespace {

struct SchedFixture : Fixture {
  StreamWriter stream{{.uuid = uuid, .stream = format::kSchedStream, .chunk_size = 4096}};

  SchedFixture() {
    StreamWriter tasks({.uuid = uuid, .stream = 0, .chunk_size = 4096});
    tasks.event(format::k_sample, second, 1);
    add("s00000-", tasks);
  }
  void put(uint64_t ticks, uint32_t tid, uint32_t state, const char* text = "-") {
    stream.fixed(format::k_thread_state, ticks).u32(tid).u32(state).u32(9).u32(2).text(text).done();
  }
};

}  // namespace

TEST_CASE_FIXTURE(SchedFixture, "states of threads are no events, and have no executor") {
  put(second - 10, 7, format::kThread_running);  // before the first event
  put(second + 10, 7, format::kThread_preempted, "rival");
  put(second + 20, 7, 77);  // of a newer skein
  add("sched-", stream);
  const Trace trace = read();
  CHECK(trace.losses.empty());
  CHECK(trace.events.size() == 1);
  CHECK(trace.executors.size() == 1);
  REQUIRE(trace.thread_states.size() == 2);
  CHECK(trace.thread_states[0].time == 0);
  CHECK(trace.thread_states[0].state == ThreadState::Running);
  CHECK(trace.thread_states[1].time == 100);
  CHECK(trace.thread_states[1].tid == 7);
  CHECK(trace.thread_states[1].other == 9);
  CHECK(trace.thread_states[1].cpu == 2);
  CHECK(trace.strings[trace.thread_states[1].text] == "rival");
}

TEST_CASE_FIXTURE(SchedFixture, "what the kernel dropped, and damage, are losses") {
  stream.discarded = 5;
  put(second, 7, format::kThread_running);
  stream.event(format::k_sample, second + 1, 1);
  put(second + 2, 7, format::kThread_blocked);
  add("sched-", stream);
  const Trace trace = read();
  CHECK(trace.thread_states.size() == 1);
  REQUIRE(trace.losses.size() == 2);
  CHECK(trace.losses[0].what == "context switches lost");
  CHECK(trace.losses[0].events == 5);
  CHECK(trace.losses[1].what == "no event of the scheduler");
  CHECK(trace.losses[1].file == "sched-0");
}

TEST_CASE_FIXTURE(SchedFixture, "any byte may be damaged") {
  for (uint32_t i = 0; i < 20; i++) put(second + i, 7, 1 + i % 6, "name");
  const std::vector<uint8_t> chunk = stream.finish().front();
  for (size_t at = 0; at < 900; at += 3) {
    std::vector<uint8_t> damaged = chunk;
    damaged[at] ^= 0xff;
    files.add("t/sched-0", damaged);
    const Trace trace = read();
    CHECK(trace.events.size() <= 1);
    for (size_t i = 1; i < trace.thread_states.size(); i++)
      REQUIRE(trace.thread_states[i - 1].time <= trace.thread_states[i].time);
  }
}
