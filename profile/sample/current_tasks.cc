#include "profile/sample/current_tasks.h"

#include <skein/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "profile/sample/monotonic_clock.h"

namespace skein {

namespace {

constexpr uint32_t most_streams = 65536;  // of the recorder
constexpr uint32_t largest_record = 65536;
constexpr uint32_t largest_part = 4096;

template <typename T>
bool read_object(const Target& memory, uint64_t address, T& object) {
  return memory.read(address, std::span(reinterpret_cast<uint8_t*>(&object), sizeof object)) ==
         sizeof object;
}

template <typename T>
T word(const std::vector<uint8_t>& bytes, size_t at) {
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

CurrentTasks::CurrentTasks(const Target& memory) : memory_(memory) {
  for (const Mapping& mapping : memory.mappings()) {
    format::TaskTableHeader header;
    if (mapping.offset != 0 || !mapping.file.ends_with("/.tasks") ||
        !read_object(memory, mapping.begin, header) || header.magic != format::kTableMagic ||
        header.current_tasks == 0)
      continue;
    if (!read_list(header.current_tasks)) continue;
    table_ = mapping.begin;
    if (header.enabled != 0) return;  // a process keeps the tables of its older traces
  }
}

bool CurrentTasks::read_list(uint64_t address) {
  format::CurrentTasks list;
  if (!read_object(memory_, address, list)) return false;
  const uint64_t end =
      std::max({uint64_t{list.task} + 8, uint64_t{list.thread} + 4, uint64_t{list.flags} + 4});
  const uint32_t begin = std::min({list.task, list.thread, list.flags});
  if (list.magic != format::kCurrentTasksMagic || list.size > largest_record || end > list.size ||
      end - begin > largest_part || list.per_block == 0 || list.per_block > most_streams ||
      list.streams == 0) {
    is_damaged_ = true;
    return false;
  }
  list_ = {.streams = list.streams,
           .blocks = list.blocks,
           .per_block = list.per_block,
           .size = list.size,
           .begin = begin,
           .bytes = static_cast<uint32_t>(end - begin),
           .task = list.task - begin,
           .thread = list.thread - begin,
           .flags = list.flags - begin};
  return true;
}

CurrentTasks::Stream CurrentTasks::stream(const std::vector<uint8_t>& part) const {
  return {.task = word<uint64_t>(part, list_.task),
          .thread = word<uint32_t>(part, list_.thread),
          .is_nested = (word<uint32_t>(part, list_.flags) & format::kFlagNested) != 0};
}

uint64_t CurrentTasks::number(uint64_t address, size_t size) const {
  uint64_t value = 0;
  const auto bytes = std::span(reinterpret_cast<uint8_t*>(&value), size);
  return memory_.read(address, bytes) == size ? value : 0;
}

void CurrentTasks::find_streams() {
  records_.clear();
  const uint64_t streams = std::min<uint64_t>(number(list_.streams, 4), most_streams);
  std::vector<uint8_t> part(list_.bytes);
  for (uint64_t i = 0; i < streams; i++) {
    const uint64_t block = number(list_.blocks + i / list_.per_block * 8, 8);
    if (block == 0) return;
    const uint64_t record = block + i % list_.per_block * list_.size + list_.begin;
    if (memory_.read(record, part) != part.size()) return;
    if (const Stream one = stream(part); one.thread != 0 && !one.is_nested)
      records_.insert_or_assign(one.thread, record);
  }
}

std::optional<uint64_t> CurrentTasks::of(uint64_t thread, Piece* more) {
  if (!is_recorded()) return {};
  for (const bool is_last : {false, true}) {
    if (const auto known = records_.find(thread); known != records_.end()) {
      std::vector<uint8_t> part(list_.bytes);
      uint64_t enabled = 0;
      Piece pieces[] = {more != nullptr ? *more : Piece{},
                        {.address = known->second, .to = part},
                        {.address = table_ + offsetof(format::TaskTableHeader, enabled),
                         .to = std::span(reinterpret_cast<uint8_t*>(&enabled), sizeof enabled)}};
      memory_.read(std::span(pieces).subspan(more != nullptr ? 0 : 1));
      if (more != nullptr) *more = pieces[0];
      const Stream one = stream(part);
      if (pieces[1].count == part.size() && one.thread == thread && !one.is_nested)
        return enabled != 0 ? std::optional(one.task) : std::nullopt;
    }
    constexpr uint64_t pause = 10'000'000;
    const uint64_t now = monotonic_ns();
    if (is_last || now < next_look_) break;
    find_streams();
    next_look_ = now + pause;
  }
  return {};
}

}  // namespace skein
