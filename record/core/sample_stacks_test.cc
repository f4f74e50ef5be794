#include "record/core/sample_stacks.h"

#include <doctest/doctest.h>
#include <string.h>

#include <memory>
#include <string>
#include <vector>

#include "record/core/emission.h"
#include "record/core/spin.h"

namespace {

using namespace skein::record;
namespace format = skein::format;

// A definitions stream of one chunk. The counter does not move.
struct Fixture {
  alignas(64) char chunk[64 << 10] = {};
  alignas(4096) char table_bytes[format::kTableHeaderSize] = {};
  Writer writer;
  TaskTable table;
  std::unique_ptr<Names> names{new Names{}};
  std::unique_ptr<SampleStacks> stacks{new SampleStacks{}};

  Fixture() {
    host.make_room = [](Writer* w, uint64_t, bool) {
      return w->window_end - w->pos >= static_cast<ptrdiff_t>(kTextMargin) ? w : nullptr;
    };
    table.header = reinterpret_cast<format::TaskTableHeader*>(table_bytes);
    writer.counter = [] { return uint64_t{16'000}; };
    writer.flags = format::kFlagNames;
    writer.table = &table;
    write_packet_header(writer, chunk, 1000, 7);
    enter_packet(writer, chunk);
    writer.window_end = chunk + sizeof chunk;
    writer.limit = writer.window_end - kPlainMargin + 1;
    names->stream = &writer;
    stacks->names = names.get();
  }
  ~Fixture() { host = {}; }

  uint32_t stack(std::vector<uint64_t> addresses) {
    return stack_of(*stacks, addresses.data(), static_cast<uint32_t>(addresses.size()));
  }
  size_t size() const { return static_cast<size_t>(writer.pos - chunk); }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "stacks share the frames of their callers, and are defined once") {
  const uint32_t first = stack({0x30, 0x20, 0x10});
  CHECK(first == 3);
  const size_t defined = size();
  CHECK(stack({0x30, 0x20, 0x10}) == first);
  CHECK(size() == defined);
  CHECK(stack({0x31, 0x20, 0x10}) == 4);
  CHECK(stack({0x20, 0x10}) == 2);
  CHECK(stack({0x30}) == 5);  // without the callers it is another stack
  CHECK(stack({0x30, 0x20, 0x10}) == first);
  CHECK(stack({}) == 0);
}

TEST_CASE_FIXTURE(Fixture, "without room a sample has no stack, which is counted") {
  uint32_t last = 1;
  for (uint64_t i = 1; last != 0; i++) last = stack({i});
  CHECK(table.header->lost[format::kLoss_names_full] == 1);
  CHECK(stack({1}) == 1);  // what is known is still found
  {
    const SpinLock holder(names->lock);
    CHECK(stack({0xFFFF}) == 0);
  }
}
