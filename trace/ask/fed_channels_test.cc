#include "trace/ask/fed_channels.h"

#include <doctest/doctest.h>

#include "trace/ask/why.h"
#include "trace/model/example.h"

namespace skein {

namespace {

// A batch (2) has sent jobs (30), and read results (31); a worker (3) has done the opposite. The
// batch has ended, and the next one (4), at the same place, waits to send a job; the worker waits
// to send a result.
const std::string two_channels = R"(
      0 create 1 as coroutine main
      0 resource 1 of 30 as async_channel
      0 resource 1 of 31 as async_channel
      1 create 2 by 1 as coroutine batch
      1 create 3 by 1 as coroutine worker
      2 resume 2
      3 about 2 of 30
      3 create 10 by 2 as io channel.async_send
      4 suspend 2 on 10
      5 resume 3
      6 about 3 of 30
      6 create 11 by 3 as io channel.async_receive
      7 suspend 3 on 11
      8 resolve 10
      8 resolve 11
      9 resume 3
     10 about 3 of 31
     10 create 12 by 3 as io channel.async_send
     11 suspend 3 on 12
     12 resume 2
     13 about 2 of 31
     13 create 13 by 2 as io channel.async_receive
     14 suspend 2 on 13
     15 resolve 12
     15 resolve 13
     16 resume 2
     17 resolve 2
)";
const std::string next_batch = R"(
     18 create 4 by 1 as coroutine batch
     19 resume 4
     20 about 4 of 30
     20 create 14 by 4 as io channel.async_send
     21 suspend 4 on 14
)";
const std::string worker_sends = R"(
     22 resume 3
     23 about 3 of 31
     23 create 15 by 3 as io channel.async_send
     24 suspend 3 on 15
)";

std::optional<FedChannel> found(const std::string& events, TaskId operation) {
  Example e = ours(events, {.until = 3'000'000'000});
  // The batches are created at one place.
  e.trace.locations.resize(2);
  for (Model::Task& task : e.model.tasks)
    if (e.trace.strings[task.name] == "batch") task.location = 1;
  const Waits waits = find_waits(e.trace, e.model);
  return find_fed_channel({e.trace, e.model, waits}, e.model.find(operation));
}

}  // namespace

TEST_CASE("a batch sends all jobs before it reads a result") {
  const auto jobs = found(two_channels + next_batch + worker_sends, 14);
  REQUIRE(jobs);
  CHECK(jobs->tasks == 1);
  CHECK(jobs->next != no_index);
  CHECK(jobs->successor == no_index);
  CHECK(jobs->since == 23);
  const auto results = found(two_channels + next_batch + worker_sends, 15);
  REQUIRE(results);
  CHECK(results->successor != no_index);
}

TEST_CASE("no deadlock through two channels") {
  SUBCASE("the worker does something else") { CHECK(!found(two_channels + next_batch, 14)); }
  SUBCASE("the next batch may read results at once") {
    CHECK(!found(two_channels + worker_sends, 15));
  }
  SUBCASE("the next batch has read results, and may do so first") {
    CHECK(!found(two_channels +
                     "18 create 4 by 1 as coroutine batch\n 18 resume 4\n 18 about 4 of 31\n"
                     "18 create 16 by 4 as io channel.async_receive\n 18 resolve 16\n"
                     "20 about 4 of 30\n 20 create 14 by 4 as io channel.async_send\n"
                     "21 suspend 4 on 14\n" +
                     worker_sends,
                 15));
  }
  SUBCASE("one that waits to receive may be idle") {
    CHECK(!found(two_channels + next_batch + R"(
     22 resume 3
     23 about 3 of 31
     23 create 15 by 3 as io channel.async_receive
     24 suspend 3 on 15
)",
                 14));
  }
  SUBCASE("a timer of the batch may cancel its operation") {
    CHECK(!found(two_channels + next_batch + worker_sends +
                     "25 expires 4 =5000000000\n 25 create 17 by 4 as io timer.async_wait\n",
                 14));
  }
}

// The workers 2 and 3 have received from a channel and sent to it: a queue that they fill themselves.
const std::string workers = R"(
      0 create 1 as coroutine main
      0 resource 1 of 30 as async_channel
      1 create 2 by 1 as coroutine worker
      1 create 3 by 1 as coroutine worker
      2 resume 2
      3 about 2 of 30
      3 create 10 by 2 as io channel.async_send
      4 resolve 10
      5 about 2 of 30
      5 create 11 by 2 as io channel.async_receive
      6 resolve 11
)";
const std::string all_receive = R"(
     20 about 2 of 30
     20 create 13 by 2 as io channel.async_receive
     21 suspend 2 on 13
     22 resume 3
     23 about 3 of 30
     23 create 14 by 3 as io channel.async_receive
     24 suspend 3 on 14
)";

TEST_CASE("all tasks that have sent wait to receive") {
  CHECK(found(workers + all_receive, 13));
}

TEST_CASE("more was received than the tasks have sent: others send by try_send()") {
  CHECK(!found(workers +
                   "7 about 2 of 30\n 7 create 12 by 2 as io channel.async_receive\n 8 resolve 12\n" +
                   all_receive,
               13));
}

TEST_CASE("a task that has received and does something else may send it back") {
  const std::string holder =
      "7 create 4 by 1 as coroutine session\n 8 resume 4\n 9 about 4 of 30\n"
      "9 create 12 by 4 as io channel.async_receive\n 10 resolve 12\n"
      "10 about 2 of 30\n 10 create 15 by 2 as io channel.async_send\n 11 resolve 15\n";
  CHECK(found(workers + holder + "12 resolve 4\n" + all_receive, 13));
  CHECK(!found(workers + holder + "12 create 16 by 4 as timer wait\n 12 suspend 4 on 16\n" +
                   all_receive,
               13));
}

}  // namespace skein
