#include "trace/read/event_schema.h"

namespace skein {

namespace {

// Avoids linking the rest of the table, which the web page does not need.
constexpr auto kind_names = [] {
  std::array<std::string_view, event_kinds> all;
  for (size_t i = 0; i < event_kinds; i++) all[i] = event_schemas[i].name;
  return all;
}();

}  // namespace

std::string_view name(EventKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kind_names.size() ? kind_names[index] : "unknown";
}

}  // namespace skein
