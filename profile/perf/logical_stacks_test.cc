#include "profile/perf/logical_stacks.h"

#include <doctest/doctest.h>

namespace skein {

namespace {

LogicalStacks some() {
  LogicalStacks stacks;
  const uint32_t server = stacks.add(0, 0);
  CHECK(stacks.add(server, 1) == 2);
  CHECK(stacks.add(0, 1) == 3);
  CHECK(stacks.add(server, 1) == 2);  // as before
  stacks.set_coroutine(1, {.function = "session", .file = "/src/server.cc", .line = 7});
  stacks.set_coroutine(0, {.function = "run"});
  return stacks;
}

}  // namespace

TEST_CASE("logical stacks are read as they were written") {
  const std::vector<uint8_t> bytes = some().bytes();
  const Result<LogicalStacks> read = LogicalStacks::read(bytes, 0);
  REQUIRE(read);
  CHECK(read->size() == 3);
  CHECK(read->chain(2) == std::vector<uint32_t>{1, 0});
  CHECK(read->chain(3) == std::vector<uint32_t>{1});
  CHECK(read->chain(0).empty());
  CHECK(read->chain(4).empty());
  CHECK(read->chain(LogicalSample::unknown).empty());
  CHECK(read->coroutine(0).function == "run");
  CHECK(read->coroutine(1) == LogicalStacks::Coroutine{"session", "/src/server.cc", 7});
}

TEST_CASE("damaged logical stacks are an error") {
  const std::vector<uint8_t> whole = some().bytes();
  for (size_t size = 0; size < whole.size(); size++) {
    const auto read = LogicalStacks::read(std::span(whole).first(size), 100);
    CHECK_FALSE(read);
  }
  std::vector<uint8_t> cycle = whole;
  cycle[cycle.size() - 16] = 2;  // the second chain waits for itself
  CHECK(LogicalStacks::read(cycle, 0).error().what == "damaged logical stacks");
  std::vector<uint8_t> missing = whole;
  missing[missing.size() - 4] = 2;  // there are two coroutines
  CHECK(LogicalStacks::read(missing, 0).error().what == "damaged logical stacks");
}

TEST_CASE("the logical part of a sample is its raw data") {
  std::vector<uint8_t> raw;
  const LogicalSample sample{.functions = 3, .chain = 0x01020304};
  sample.append_to(raw);
  CHECK(raw.size() == sample.size());
  CHECK(LogicalSample::read(raw) == sample);
  raw.push_back(0);
  CHECK_FALSE(LogicalSample::read(raw));
}

TEST_CASE("a sample has the frames of its coroutines") {
  std::vector<uint8_t> raw;
  const LogicalSample sample{.functions = 3, .chain = 2, .frames = {0x7f0011223344, 16}};
  sample.append_to(raw);
  CHECK(raw.size() == sample.size());
  CHECK(LogicalSample::read(raw) == sample);
  for (size_t size = 0; size < raw.size(); size++)
    CHECK_FALSE(LogicalSample::read(std::span(raw).first(size)));
  // With the recorder's task.
  raw.clear();
  LogicalSample with_task = sample;
  with_task.task = 0;
  with_task.append_to(raw);
  CHECK(raw.size() == with_task.size());
  CHECK(LogicalSample::read(raw) == with_task);
  raw[8] = raw[11] = 0xFF;  // more than there are
  CHECK_FALSE(LogicalSample::read(raw));
}

}  // namespace skein
