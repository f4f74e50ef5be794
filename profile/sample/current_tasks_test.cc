#include "profile/sample/current_tasks.h"

#include <doctest/doctest.h>
#include <skein/format.h>

#include <array>
#include <cstring>
#include <map>
#include <string>

using namespace skein;

namespace {

// Memory with a table, the list, and two blocks of two records: bytes 16, 24 and 28 of 64 are task,
// thread and flags.
class RecordedMemory : public Target {
 public:
  static constexpr uint64_t table = 0x10000, list = 0x20000, streams = 0x30000, blocks = 0x40000,
                            first_block = 0x50000, second_block = 0x60000;
  RecordedMemory() {
    header.magic = format::kTableMagic;
    header.enabled = 1;
    header.current_tasks = list;
    put(table, header);
    put(list, tasks);
    put(streams, uint32_t{3});
    put(blocks, first_block);
    put(blocks + 8, second_block);
    put(first_block, std::array<uint8_t, 128>{});
    put(second_block, std::array<uint8_t, 128>{});
  }
  void set(uint64_t block, uint64_t record, uint64_t task, uint32_t thread, uint32_t flags = 0) {
    put(block + record * 64 + 16, task);
    put(block + record * 64 + 24, thread);
    put(block + record * 64 + 28, flags);
  }
  template <typename T>
  void put(uint64_t address, const T& object) {
    std::vector<uint8_t>& part = parts_[address & ~uint64_t{0xFFFF}];
    const size_t at = address & 0xFFFF;
    part.resize(std::max(part.size(), at + sizeof object));
    std::memcpy(part.data() + at, &object, sizeof object);
  }

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 1; }
  Architecture architecture() const override { return {}; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return {}; }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "no files"}; }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    const auto part = parts_.find(address & ~uint64_t{0xFFFF});
    const size_t at = address & 0xFFFF;
    if (part == parts_.end() || at >= part->second.size()) return 0;
    const size_t count = std::min(to.size(), part->second.size() - at);
    std::memcpy(to.data(), part->second.data() + at, count);
    return count;
  }

  format::TaskTableHeader header = {};
  format::CurrentTasks tasks = {.magic = format::kCurrentTasksMagic,
                                .streams = streams,
                                .blocks = blocks,
                                .per_block = 2,
                                .size = 64,
                                .task = 16,
                                .thread = 24,
                                .flags = 28,
                                .reserved = 0};

 private:
  std::string name_ = "recorded";
  std::vector<Mapping> mappings_ = {
      {.begin = table, .end = table + 4096, .readable = true, .file = "/tmp/trace/.tasks"}};
  std::map<uint64_t, std::vector<uint8_t>> parts_;
};

using Memory = RecordedMemory;

}  // namespace

TEST_CASE("the current task of each thread") {
  Memory memory;
  memory.set(Memory::first_block, 0, 7, 100);
  memory.set(Memory::first_block, 1, 8, 200, format::kFlagNested);
  memory.set(Memory::second_block, 0, 0, 200);
  CurrentTasks tasks(memory);
  CHECK(tasks.is_recorded());
  CHECK(tasks.of(100) == 7u);
  CHECK(tasks.of(200) == 0u);
  CHECK(!tasks.of(300));

  SUBCASE("it changes") {
    memory.set(Memory::first_block, 0, 9, 100);
    CHECK(tasks.of(100) == 9u);
  }
  SUBCASE("another thread has the record") {
    memory.set(Memory::first_block, 0, 9, 101);
    CHECK(!tasks.of(100));
  }
  SUBCASE("the process does not record now") {
    memory.header.enabled = 0;
    memory.put(Memory::table, memory.header);
    CHECK(!tasks.of(100));
  }
  CHECK(!tasks.is_damaged());
}

TEST_CASE("a process without a trace has no current tasks") {
  Memory memory;
  memory.header.magic++;
  memory.put(Memory::table, memory.header);
  CurrentTasks tasks(memory);
  CHECK(!tasks.is_recorded());
  CHECK(!tasks.of(100));
}

TEST_CASE("a damaged list of current tasks") {
  Memory memory;
  memory.set(Memory::first_block, 0, 7, 100);
  SUBCASE("a field beyond its record") { memory.tasks.task = 60; }
  SUBCASE("numbers that overflow") { memory.tasks.flags = UINT32_MAX; }
  SUBCASE("no records in a block") { memory.tasks.per_block = 0; }
  SUBCASE("another magic") { memory.tasks.magic++; }
  memory.put(Memory::list, memory.tasks);
  CurrentTasks tasks(memory);
  CHECK(!tasks.is_recorded());
  CHECK(!tasks.of(100));
  CHECK(tasks.is_damaged());
}
TEST_CASE("streams that are not there") {
  Memory memory;
  memory.put(Memory::streams, UINT32_MAX);
  memory.put(Memory::blocks + 8, uint64_t{0});
  memory.set(Memory::first_block, 1, 7, 100);
  CurrentTasks tasks(memory);
  CHECK(tasks.of(100) == 7u);
  CHECK(!tasks.of(101));
}
