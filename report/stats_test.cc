#include "report/stats.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

const TaskGroup query{.name = "query",
                      .count = 1200,
                      .open = 1,
                      .failed = 2,
                      .running = 1'500'000,
                      .ready = 20,
                      .blocked = 3'000,
                      .latencies = {0, 3, 5, 1000}};

}  // namespace

TEST_CASE("a table with percentiles and states") {
  CHECK(stats_text({query, {}}, true) ==
        "tasks  live  failed   p50      p90      p99      max  running  runnable  waiting  name\n"
        "1,200     1       2  3 ns  1.00 us  1.00 us  1.00 us  1.50 ms     20 ns  3.00 us  query\n"
        "    0     0       0     -        -        -        -     0 ns      0 ns     0 ns  "
        "(unnamed)\n");
}

TEST_CASE("a column for cancelled tasks, if there are any") {
  TaskGroup cancelled = query;
  cancelled.cancelled = 7;
  CHECK(stats_text({cancelled, query}, true) ==
        "tasks  live  failed  cancelled   p50      p90      p99      max  running  runnable  "
        "waiting  name\n"
        "1,200     1       2          7  3 ns  1.00 us  1.00 us  1.00 us  1.50 ms     20 ns  "
        "3.00 us  query\n"
        "1,200     1       2          0  3 ns  1.00 us  1.00 us  1.00 us  1.50 ms     20 ns  "
        "3.00 us  query\n");
}

TEST_CASE("without waits in the trace, only running time is known") {
  const std::string text = stats_text({query}, false);
  CHECK(text.find("1.50 ms         -        -  query") != std::string::npos);
}

TEST_CASE("the histogram has a line for each power of two") {
  const std::string text = latency_histogram(query, "#");
  CHECK(text.starts_with("  from     0 ns          1  ####"));
  CHECK(text.find("  from     4 ns          1  ####") != std::string::npos);
  CHECK(text.find("  from     8 ns          0\n") != std::string::npos);
  CHECK(latency_histogram({}, "#").empty());
}

TEST_CASE("JSON: null where nothing has ended") {
  const std::string text = stats_json({query, {}}).text();
  CHECK(text.starts_with("{\n  \"schema\": \"skein.stats/1\",\n  \"groups\": [\n"));
  for (const char* part :
       {"\"tasks\": 1200", "\"live\": 1", "\"cancelled\": 0", "\"p50\": 3", "\"max\": 1000",
        "\"p50\": null", "\"runnable_ns\": 20", "\"waiting_ns\": 3000"})
    CHECK(text.find(part) != std::string::npos);
}
