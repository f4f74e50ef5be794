// The event table: the columns of the trace.
//
// A scan reads blocks; other accesses read single values. A cache of the block that `time` is
// unpacked to made no difference (sum(time) of 10 million events: 42 M rows/s with and without).
#include <algorithm>

#include "trace/query/table.h"
#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"

namespace skein {

namespace {

using Source = QuerySource;
using Numbers = QueryColumn::Numbers;

// The values of a block, for a scan.
template <auto column>
void block(const Source& source, size_t first, Numbers& numbers) {
  const auto rows = (source.events().*column).block(first);
  for (size_t i = 0; i < block_rows; i++) numbers[i] = static_cast<int64_t>(rows[i]);
}

bool has_kind(EventKind kind) { return event_schema(kind).value.role == ValueRole::Kind; }

std::optional<int64_t> value(const Source& source, size_t row) {
  const Events& events = source.events();
  const auto number = value_number(source.trace(), events.kind[row], events.value[row]);
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

std::span<const std::string_view> kinds() {
  static const auto names = [] {
    std::array<std::string_view, event_kinds> all;
    for (size_t i = 0; i < event_kinds; i++) all[i] = name(static_cast<EventKind>(i));
    return all;
  }();
  return names;
}

uint32_t event_executor(const Source& source, size_t row) { return source.events().executor[row]; }
uint32_t event_location(const Source& source, size_t row) { return source.events().location[row]; }

}  // namespace

const QueryTable& event_table() {
  static const QueryTable table{
      .name = "event",
      .about = "all events, in time order",
      .columns = join(
          {{.name = "id",
            .about = "number of the event, from 0",
            .number = [](const Source&, size_t row) -> std::optional<int64_t> {
              return static_cast<int64_t>(row);
            }},
           {.name = "time_ns",
            .about = "ns since the trace began",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(s.events().time[row]);
            }},
           {.name = "utc",
            .about = "time_ns as a date; NULL: not recorded",
            .made = [](const Source& s,
                       size_t row) { return utc_time(s.trace(), sql_time(s.events().time[row])); }},
           {.name = "kind",
            .about = "create, resume, suspend ...: docs/glossary.md",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return static_cast<int64_t>(s.events().kind[row]);
            },
            .names = kinds(),
            .block = block<&Events::kind>},
           {.name = "task",
            .about = "id of the subject task",
            .number = [](const Source& s, size_t row) { return sql_id(s.events().task[row]); },
            .block = block<&Events::task>},
           {.name = "other",
            .about = "id of the related task: parent, target or waker",
            .number = [](const Source& s, size_t row) { return sql_id(s.events().other[row]); },
            .block = block<&Events::other>},
           {.name = "value",
            .about = "notify: number woken; counter_add, counter_set: amount; pause: ns",
            .number = value,
            .block = block<&Events::value>},
           {.name = "text",
            .about = "name, label, reason, error",
            .text = [](const Source& s, size_t row) { return s.text(s.events().text[row]); }},
           {.name = "task_kind",
            .about = "create, resource: coroutine, timer, mutex ...",
            .text =
                [](const Source& s, size_t row) {
                  return has_kind(s.events().kind[row]) ? s.kind(s.events().value[row])
                                                        : std::string_view();
                }}},
          executor_columns<event_executor>(
              "the OS thread or vCPU: name/tid; thread TID; executor ID"),
          location_columns<event_location>("of the event"),
          {{.name = "guessed",
            .about = "1: the time was damaged; it is that of the previous event",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return (s.events().flags[row] & flag::time_guessed) != 0;
            }}}),
      .rows = [](const Source& s) { return s.events().size(); },
      .row = 0,
      .ordered = 1};
  return table;
}

}  // namespace skein
