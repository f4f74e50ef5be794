#include "trace/query/table.h"

#include <time.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace skein {

namespace {

constexpr int64_t second = 1'000'000'000;

// Removes a number of at most `digits` digits; -1 if there is none.
int64_t take_number(std::string_view& text, size_t digits) {
  int64_t number = -1;
  const char* const end = text.data() + std::min(digits, text.size());
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || text.front() == '-') return -1;
  text.remove_prefix(static_cast<size_t>(result.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::span<const QueryTable* const> query_tables() {
  static const std::array all{&event_table(),        &task_table(),       &wait_table(),
                              &interaction_table(),  &activation_table(), &label_table(),
                              &counter_table(),      &sample_table(),     &stack_frame_table(),
                              &socket_table(),       &thread_state_table(), &executor_table(),
                              &process_table(),      &machine_table(),    &lost_table()};
  return all;
}

std::string schema_text(const QueryTable& table) {
  std::string text =
      "CREATE TABLE " + std::string(table.name) + "(  -- " + std::string(table.about);
  for (size_t i = 0; i < table.columns.size(); i++) {
    const QueryColumn& column = table.columns[i];
    std::string line = "  " + std::string(column.name);
    line += column.is_integer() ? " INTEGER" : " TEXT";
    const int index = static_cast<int>(i);
    if (index == table.row || index == table.ordered)
      line += " NOT NULL";  // turns min() into a look-up
    if (i + 1 < table.columns.size()) line += ',';
    line.resize(std::max<size_t>(line.size(), 28), ' ');
    text += '\n' + line + " -- " + column.about;
  }
  return text + "\n);\n";
}

QueryColumns join(QueryColumns columns, const QueryColumns& next, const QueryColumns& after,
                  const QueryColumns& last) {
  for (const QueryColumns* more : {&next, &after, &last})
    columns.insert(columns.end(), more->begin(), more->end());
  return columns;
}

std::string utc_time(const Trace& trace, int64_t time) {
  if (!trace.info.utc_offset) return {};
  const uint64_t sum = static_cast<uint64_t>(*trace.info.utc_offset) + trace.info.start +
                       static_cast<uint64_t>(time);
  const auto ns = static_cast<int64_t>(sum);
  return utc_iso_text(ns);
}

std::optional<int64_t> time_of_utc(const Trace& trace, std::string_view utc) {
  if (!trace.info.utc_offset) return {};
  const int64_t year = take_number(utc, 4);
  if (!take(utc, "-")) return {};
  const int64_t month = take_number(utc, 2);
  if (!take(utc, "-")) return {};
  const int64_t day = take_number(utc, 2);
  if (!take(utc, "T ")) return {};
  const int64_t hour = take_number(utc, 2);
  if (!take(utc, ":")) return {};
  const int64_t minute = take_number(utc, 2);
  int64_t seconds = 0;
  int64_t rest = 0;
  if (take(utc, ":")) {
    seconds = take_number(utc, 2);
    if (take(utc, ".")) {
      const size_t before = utc.size();
      rest = take_number(utc, 9);
      for (size_t digits = before - utc.size(); digits < 9; digits++) rest *= 10;
    }
  }
  take(utc, "Z");
  const bool is_date = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const bool is_time = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && seconds >= 0 &&
                       seconds <= 60 && rest >= 0;
  if (!utc.empty() || !is_date || !is_time || year > 2261) return {};
  tm parts{};
  parts.tm_year = static_cast<int>(year - 1900);
  parts.tm_mon = static_cast<int>(month - 1);
  parts.tm_mday = static_cast<int>(day);
  parts.tm_hour = static_cast<int>(hour);
  parts.tm_min = static_cast<int>(minute);
  parts.tm_sec = static_cast<int>(seconds);
  const auto since_1970 = static_cast<uint64_t>(timegm(&parts) * second + rest);
  return static_cast<int64_t>(since_1970 - static_cast<uint64_t>(*trace.info.utc_offset) -
                              trace.info.start);
}

}  // namespace skein
