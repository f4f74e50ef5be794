#include "trace/read/ctf/task_table.h"

#include <algorithm>
#include <cstring>

#include "base/cursor.h"
#include "base/stable_sort.h"

namespace skein::ctf {

namespace {

constexpr size_t row_size = sizeof(format::TaskRow);

Result<TaskTableSnapshot> read_header(std::span<const uint8_t> bytes, const std::string& file,
                                      uint64_t& rows) {
  Cursor cursor(bytes);
  TaskTableSnapshot table;
  const uint64_t magic = cursor.u64();
  const uint32_t version = cursor.u32();
  const uint32_t size = cursor.u32();
  const uint64_t capacity = cursor.u64();
  rows = std::min(cursor.u64(), capacity);
  table.pid = cursor.u64();
  table.start = cursor.u64();
  table.enabled = cursor.u64() != 0;
  table.ring_bytes = cursor.u64();
  table.ended_utc = cursor.u64();
  table.late_ns = cursor.u64();
  table.alone_utc = cursor.u64();
  table.asleep_utc = cursor.u64();
  table.sample_rate = cursor.u64();
  table.missed_samples = cursor.u64();
  cursor.skip(sizeof(format::TaskTableHeader::current_tasks));  // an address in the process
  cursor.skip(sizeof(format::TaskTableHeader::reserved));
  for (uint64_t& lost : table.lost) lost = cursor.u64();
  if (cursor.failed() || magic != format::kTableMagic)
    return Error{.what = "not a task table", .file = file, .offset = 0};
  if (!format::is_readable(version) || size != row_size)
    return Error{.what = "a task table of version " + std::to_string(version),
                 .file = file,
                 .advice = "use the skein that recorded it"};
  return table;
}

struct Row {
  uint32_t sequence;
  TaskTableRow task;
};

// Returns row `index` of a copy of the file.
Row read_row(std::span<const uint8_t> file, uint64_t index) {
  Cursor cursor(
      file.subspan(format::kTableHeaderSize + static_cast<size_t>(index) * row_size, row_size));
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
  row.task.reserved = cursor.u16();
  return row;
}

}  // namespace

Result<TaskTableSnapshot> read_task_table_header(std::span<const uint8_t> bytes,
                                                 const std::string& file) {
  uint64_t rows;
  return read_header(bytes, file, rows);
}

// A row is consistent if its sequence number is even in the first copy and unchanged in the third;
// then the second copy was taken while the row was not being written. A row that is inconsistent in
// every round is being written continuously, or its writer was killed while writing it.
Result<TaskTableSnapshot> read_task_table(Files& files, const std::string& path) {
  const auto head = files.head(path, format::kTableHeaderSize);
  if (!head) return head.error();
  uint64_t count = 0;
  auto table = read_header(*head, path, count);
  if (!table) return table.error();

  constexpr unsigned rounds = 8;
  count = std::min(count, uint64_t{1} << 32);
  std::vector<bool> done;
  for (unsigned round = 0; round < rounds; round++) {
    std::array<std::vector<uint8_t>, 3> copies;
    for (auto& copy : copies) {
      auto bytes =
          files.head(path, format::kTableHeaderSize + static_cast<size_t>(count) * row_size);
      if (!bytes) return bytes.error();
      copy = *std::move(bytes);
      copy.resize(std::max(copy.size(), format::kTableHeaderSize));
      count = (copy.size() - format::kTableHeaderSize) / row_size;
    }
    done.resize(static_cast<size_t>(count));
    table->unstable = 0;
    for (uint64_t i = 0; i < count; i++) {
      if (done[i]) continue;
      const auto sequence = [&](size_t copy) { return read_row(copies[copy], i).sequence; };
      const Row row = read_row(copies[1], i);
      if (sequence(0) % 2 == 0 && sequence(2) == sequence(0)) {
        done[i] = true;
        if (row.task.id != 0 && row.task.state != format::TaskState::kFree)
          table->tasks.push_back(row.task);
      } else {
        table->unstable++;
      }
    }
    if (table->unstable == 0) break;
  }
  stable_sort_by(table->tasks, [](const TaskTableRow& task) { return task.id; });
  return table;
}

std::optional<TaskTableSnapshot> read_ring_tasks(Files& files, const std::string& directory) {
  const std::string path = directory + "/.tasks";
  if (files.type(path) != FileType::File) return std::nullopt;
  const auto head = files.head(path, format::kTableHeaderSize);
  if (!head) return std::nullopt;
  const auto header = read_task_table_header(*head, path);
  if (!header || header->ring_bytes == 0) return std::nullopt;
  auto table = read_task_table(files, path);
  if (!table) return std::nullopt;
  return *std::move(table);
}

void intersect_tasks(TaskTableSnapshot& table, const TaskTableSnapshot& other) {
  auto at = other.tasks.begin();
  std::erase_if(table.tasks, [&](const TaskTableRow& task) {  // both are sorted by id
    while (at != other.tasks.end() && at->id < task.id) ++at;
    return at == other.tasks.end() || at->id != task.id;
  });
}

format::TaskRow as_written(const TaskTableRow& task) {
  format::TaskRow row{};
  row.place = task.place;
  row.id = task.id;
  row.parent = task.parent;
  row.on = task.on;
  row.since = task.since;
  row.waker = task.waker;
  row.at = task.at;
  row.label = task.label;
  row.tid = task.tid;
  row.reserved = task.reserved;
  row.state = task.state;
  row.flags = task.should_resolve ? format::kTaskShouldResolve : 0;
  return row;
}

std::vector<uint8_t> encode(const TaskTableSnapshot& table) {
  format::TaskTableHeader header{};
  header.magic = format::kTableMagic;
  header.version = format::kVersion;
  header.row_size = row_size;
  header.rows = header.rows_used = table.tasks.size();
  header.pid = table.pid;
  header.start_ticks = table.start;
  header.enabled = table.enabled;
  header.ring_bytes = table.ring_bytes;
  header.ended_utc = table.ended_utc;
  header.late_ns = table.late_ns;
  header.alone_utc = table.alone_utc;
  header.asleep_utc = table.asleep_utc;
  std::copy(table.lost.begin(), table.lost.end(), header.lost);
  std::vector<uint8_t> bytes(format::kTableHeaderSize + table.tasks.size() * row_size);
  std::memcpy(bytes.data(), &header, sizeof header);
  uint8_t* to = bytes.data() + format::kTableHeaderSize;
  for (const TaskTableRow& task : table.tasks) {
    const format::TaskRow row = as_written(task);
    std::memcpy(to, &row, sizeof row);
    to += sizeof row;
  }
  return bytes;
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
    case format::TaskState::kConnection:
      return "connection";
    case format::TaskState::kTraffic:
      return "traffic";
  }
  return "unknown";
}

}  // namespace skein::ctf
