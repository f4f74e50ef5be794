// Reads a task table made from the input: its rows follow a valid header or, if the first byte is
// odd, the input is the whole file.
#include <skein/format.h>

#include <cstdlib>
#include <cstring>

#include "trace/read/ctf/task_table.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::vector<uint8_t> file;
  if (data[0] & 1) {
    file.assign(data + 1, data + size);
  } else {
    format::TaskTableHeader header{};
    header.magic = format::kTableMagic;
    header.version = format::kVersion;
    header.row_size = sizeof(format::TaskRow);
    header.rows = header.rows_used = data[0];
    file.resize(format::kTableHeaderSize);
    std::memcpy(file.data(), &header, sizeof header);
    file.insert(file.end(), data + 1, data + size);
  }
  MemoryFiles files;
  files.add("t", std::move(file));
  const auto table = ctf::read_task_table(files, "t");
  if (!table) return 0;
  uint64_t last = 0;
  for (const ctf::TaskTableRow& task : table->tasks) {
    if (task.id == 0 || task.id < last || task.state == format::TaskState::kFree) std::abort();
    if (ctf::name(task.state).empty()) std::abort();
    last = task.id;
  }
  return 0;
}
