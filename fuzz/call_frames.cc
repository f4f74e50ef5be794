// Tables of call frames that the recorder makes of a module's .eh_frame. The first byte: how many
// functions the header has, the next ones: where their records are, each by 4; the rest is
// .eh_frame.
#include "record/host/posix/call_frames.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace skein::record;

namespace {

constexpr uint64_t module_at = 0x400000, header_at = 0x500000, frames_at = 0x500400;

void require(bool holds) {
  if (!holds) std::abort();
}

void add(std::vector<uint8_t>& to, uint64_t number) {
  uint8_t bytes[4];
  std::memcpy(bytes, &number, sizeof bytes);
  to.insert(to.end(), bytes, bytes + sizeof bytes);
}

std::vector<CallFrame> rows_of(const std::vector<uint8_t>& header,
                               const std::vector<uint8_t>& frames, uint32_t capacity) {
  std::vector<CallFrame> rows(capacity);
  const FrameSections sections = {.header = header.data(),
                                  .header_size = header.size(),
                                  .header_address = header_at,
                                  .frames = frames.data(),
                                  .frames_size = frames.size(),
                                  .frames_address = frames_at};
  rows.resize(convert(sections, module_at, rows.data(), capacity));
  for (size_t i = 1; i < rows.size(); i++) require(rows[i - 1].begin < rows[i].begin);
  if (!rows.empty()) require(rows.back().base == CallFrame::Base::Unknown);
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const size_t functions = bytes[0] % 16;
  if (size < 1 + functions) return 0;
  const std::vector<uint8_t> frames(bytes + 1 + functions, bytes + size);
  std::vector<uint8_t> header = {1, 0x1B, 0x03, 0x3B};
  add(header, frames_at - (header_at + 4));
  add(header, functions);
  for (size_t i = 0; i < functions; i++) {
    add(header, 0);
    add(header, frames_at + uint64_t{4} * bytes[1 + i] - header_at);
  }
  const std::vector<CallFrame> all = rows_of(header, frames, 200);
  // With less room, the same up to where it ends, and nothing behind.
  for (const uint32_t capacity : {1, 2, 5, 50})
    for (const CallFrame& row : rows_of(header, frames, capacity)) {
      const CallFrame whole = find_frame(all.data(), static_cast<uint32_t>(all.size()), row.begin);
      require(row.base == CallFrame::Base::Unknown ||
              (row.base == whole.base && row.cfa == whole.cfa && row.fp == whole.fp));
    }
  return 0;
}
