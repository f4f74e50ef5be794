#include "trace/read/foreign/slices/rows.h"

#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "trace/read/event_schema.h"

namespace skein {

bool RowBuilder::begin(std::string_view kind) {
  target_ = RowTarget::Nothing;
  row_ = {};
  location_ = {};
  executor_ = {};
  process_ = {};
  machine_ = {};
  reading_ = {};
  index_ = most_executors;
  if (kind == "trace") target_ = RowTarget::TraceInfo;
  if (kind == "thread") target_ = RowTarget::Executor;
  if (kind == "process") target_ = RowTarget::Process;
  if (kind == "machine") target_ = RowTarget::Machine;
  for (size_t i = 0; i < event_kinds; i++)
    if (kind == name(EventKind(i))) {
      target_ = RowTarget::Event;
      row_.kind = EventKind(i);
    }
  return target_ != RowTarget::Nothing;
}

void RowBuilder::number(std::string_view field, uint64_t value) {
  const auto narrow = static_cast<uint32_t>(value);
  TraceInfo& info = trace_.info;
  switch (target_) {
    case RowTarget::Nothing:
      return;
    case RowTarget::Event:
      if (field == "task")
        row_.task = value;
      else if (field == "other")
        row_.other = value;
      else if (field == "value")
        row_.value = value;
      else if (field == "line")
        location_.line = narrow;
      else if (field == "column")
        location_.column = narrow;
      else if (field == "flags")
        row_.flags = static_cast<uint8_t>(value);
      else if (field == "domain")
        reading_.domain = narrow;
      else if (field == "ahead")
        reading_.ahead = static_cast<int64_t>(value);
      else if (field == "bracket")
        reading_.bracket = value;
      return;
    case RowTarget::TraceInfo:
      if (field == "pid")
        trace_.processes[0].pid = value;
      else if (field == "utc_offset")
        info.utc_offset = static_cast<int64_t>(value);
      else if (field == "overwritten_packets")
        info.overwritten_packets = value;
      else if (field == "complete_from")
        info.complete_from = value;
      return;
    case RowTarget::Executor:
      if (field == "index")
        index_ = value;
      else if (field == "tid")
        executor_.tid = value;
      else if (field == "stream")
        executor_.stream = narrow;
      else if (field == "process")
        executor_.process = narrow;
      return;
    case RowTarget::Process:
      if (field == "index")
        index_ = value;
      else if (field == "pid")
        process_.pid = value;
      else if (field == "machine")
        process_.machine = narrow;
      return;
    case RowTarget::Machine:
      if (field == "index") index_ = value;
      return;
  }
}

void RowBuilder::text(std::string_view field, std::string_view value) {
  TraceInfo& info = trace_.info;
  switch (target_) {
    case RowTarget::Nothing:
      return;
    case RowTarget::Event:
      if (field == "text") {
        row_.text = trace_.strings.intern(value);
      } else if (field == "file") {
        location_.file = trace_.strings.intern(value);
      } else if (field == "function") {
        location_.function = trace_.strings.intern(value);
      } else if (field == "type") {
        const StringId id = trace_.strings.intern(value);
        const auto [found, added] = kinds_.try_emplace(id, trace_.kinds.size());
        if (added) trace_.kinds.push_back(id);
        row_.value = found->second;
      } else {
        digits(field, value);
      }
      return;
    case RowTarget::TraceInfo:
      if (field == "format")
        info.format = value;
      else if (field == "host")
        trace_.machines[0].name = value;
      else if (field == "program")
        trace_.processes[0].name = value;
      else if (field == "clock")
        info.clock = value;
      else
        digits(field, value);
      return;
    case RowTarget::Executor:
      if (field == "name")
        executor_.name = trace_.strings.intern(value);
      else
        digits(field, value);
      return;
    case RowTarget::Process:
      if (field == "name")
        process_.name = value;
      else
        digits(field, value);
      return;
    case RowTarget::Machine:
      if (field == "name")
        machine_.name = value;
      else if (field == "boot_id")
        machine_.boot_id = value;
      else
        digits(field, value);
      return;
  }
}

void RowBuilder::digits(std::string_view field, std::string_view value) {
  const char* const end = value.data() + value.size();
  uint64_t natural = 0;
  int64_t negative = 0;
  if (const auto [at, error] = std::from_chars(value.data(), end, natural);
      error == std::errc() && at == end)
    return number(field, natural);
  if (const auto [at, error] = std::from_chars(value.data(), end, negative);
      error == std::errc() && at == end)
    number(field, static_cast<uint64_t>(negative));
}

std::optional<EventRow> RowBuilder::finish() {
  const auto keep = [&](auto& table, auto& entry) {
    if (index_ >= most_executors) return;
    if (index_ >= table.size()) table.resize(static_cast<size_t>(index_) + 1);
    table[static_cast<size_t>(index_)] = std::move(entry);
  };
  if (target_ == RowTarget::Process) keep(trace_.processes, process_);
  if (target_ == RowTarget::Machine) keep(trace_.machines, machine_);
  if (target_ == RowTarget::Executor && index_ < most_executors)
    trace_.executors[executor(index_)] = executor_;
  if (target_ != RowTarget::Event) return std::nullopt;
  switch (event_schema(row_.kind).value.role) {
    case ValueRole::Kind:
      if (row_.value >= trace_.kinds.size()) text("type", "unknown");
      break;
    case ValueRole::Stack:
      if (const auto [found, added] = stacks_.try_emplace(row_.value); added)
        row_.value = found->second = trace_.stacks.add(row_.value);
      else
        row_.value = found->second;
      break;
    case ValueRole::ClockReading:
      row_.value = trace_.clock_readings.size();
      trace_.clock_readings.push_back(reading_);
      break;
    default:
      break;
  }
  const std::array<uint32_t, 4> place = {location_.file, location_.function, location_.line,
                                         location_.column};
  if (place != std::array<uint32_t, 4>{}) {
    const auto [found, added] =
        locations_.try_emplace(place, static_cast<uint32_t>(trace_.locations.size()));
    if (added) trace_.locations.push_back(location_);
    row_.location = found->second;
  }
  return row_;
}

uint32_t RowBuilder::executor(uint64_t number) {
  if (number == last_number_ && !executors_.empty()) return last_executor_;
  const size_t next = trace_.executors.size();
  const auto [found, added] = executors_.try_emplace(number, static_cast<uint32_t>(next));
  if (added && executors_.size() > most_executors) {
    executors_.erase(found);
    return static_cast<uint32_t>(next - 1);
  }
  if (added) trace_.executors.push_back({});
  last_number_ = number;
  return last_executor_ = found->second;
}

}  // namespace skein
