#include "trace/read/ctf/task_table.h"

#include <algorithm>

#include "base/cursor.h"

namespace skein::ctf {

namespace {

constexpr size_t row_size = sizeof(format::TaskRow);

Result<TaskTable> read_header(std::span<const uint8_t> bytes, const std::string& file,
                              uint64_t& rows) {
  Cursor cursor(bytes);
  TaskTable table;
  const uint64_t magic = cursor.u64();
  const uint32_t version = cursor.u32();
  const uint32_t size = cursor.u32();
  const uint64_t capacity = cursor.u64();
  rows = std::min(cursor.u64(), capacity);
  table.pid = cursor.u64();
  table.start = cursor.u64();
  table.enabled = cursor.u64() != 0;
  table.ring_bytes = cursor.u64();
  cursor.skip(sizeof(format::TaskTableHeader::reserved));
  for (uint64_t& lost : table.lost) lost = cursor.u64();
  if (cursor.failed() || magic != format::kTableMagic)
    return Error{.what = "not a task table", .file = file, .offset = 0};
  if (version != format::kVersion || size != row_size)
    return Error{.what = "a task table of version " + std::to_string(version),
                 .file = file,
                 .advice = "use the skein that recorded it"};
  return table;
}

struct Row {
  uint32_t sequence;
  LiveTask task;
};

// Row `index` of a copy of the file.
Row read_row(std::span<const uint8_t> rows, uint64_t index) {
  Cursor cursor(rows.subspan(static_cast<size_t>(index) * row_size, row_size));
  Row row;
  row.sequence = cursor.u32();
  row.task.place = cursor.u32();
  row.task.id = cursor.u64();
  row.task.parent = cursor.u64();
  row.task.on = cursor.u64();
  row.task.since = cursor.u64();
  row.task.waker = cursor.u64();
  row.task.at = cursor.u32();
  row.task.label = cursor.u32();
  row.task.tid = cursor.u32();
  row.task.state = static_cast<format::TaskState>(cursor.u8());
  row.task.should_resolve = (cursor.u8() & format::kTaskShouldResolve) != 0;
  return row;
}

}  // namespace

Result<TaskTable> read_task_table_header(std::span<const uint8_t> bytes, const std::string& file) {
  uint64_t rows;
  return read_header(bytes, file, rows);
}

// A row is good when its sequence number is even in a first copy, and the same in a third; then the
// second copy's row was taken between two looks at the lock. A row that is not, in any round, is
// being written all the time, or its writer was killed in the middle.
Result<TaskTable> read_task_table(Files& files, const std::string& path) {
  const auto head = files.head(path, format::kTableHeaderSize);
  if (!head) return head.error();
  uint64_t count = 0;
  auto table = read_header(*head, path, count);
  if (!table) return table.error();

  constexpr unsigned rounds = 8;
  std::vector<bool> done;
  for (unsigned round = 0; round < rounds; round++) {
    std::array<std::vector<uint8_t>, 3> copies;
    for (auto& copy : copies) {
      if (count > (uint64_t{1} << 32)) count = uint64_t{1} << 32;
      auto bytes =
          files.head(path, format::kTableHeaderSize + static_cast<size_t>(count) * row_size);
      if (!bytes) return bytes.error();
      copy = *std::move(bytes);
      const size_t whole = copy.size() < format::kTableHeaderSize
                               ? 0
                               : (copy.size() - format::kTableHeaderSize) / row_size;
      count = std::min<uint64_t>(count, whole);
    }
    done.resize(static_cast<size_t>(count));
    table->unstable = 0;
    const auto rows = [&](size_t copy) {
      return std::span<const uint8_t>(copies[copy]).subspan(format::kTableHeaderSize);
    };
    for (uint64_t i = 0; i < count; i++) {
      if (done[i]) continue;
      const uint32_t sequence = read_row(rows(0), i).sequence;
      const Row row = read_row(rows(1), i);
      if (sequence % 2 == 0 && read_row(rows(2), i).sequence == sequence) {
        done[i] = true;
        if (row.task.id != 0 && row.task.state != format::TaskState::kFree)
          table->tasks.push_back(row.task);
      } else {
        table->unstable++;
      }
    }
    if (table->unstable == 0) break;
  }
  std::sort(table->tasks.begin(), table->tasks.end(),
            [](const LiveTask& a, const LiveTask& b) { return a.id < b.id; });
  return table;
}

std::string_view name(format::TaskState state) {
  switch (state) {
    case format::TaskState::kFree:
      return "free";
    case format::TaskState::kCreated:
      return "created";
    case format::TaskState::kRunning:
      return "running";
    case format::TaskState::kSuspended:
      return "suspended";
    case format::TaskState::kResource:
      return "resource";
  }
  return "unknown";
}

}  // namespace skein::ctf
