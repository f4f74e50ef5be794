#include "trace/read/event_kind.h"

#include <array>

namespace skein {

namespace {

constexpr std::array<std::string_view, event_kinds> kind_names{
    "create",     "resume",      "switch_to",  "suspend",        "await",        "ready",
    "try_read",   "resolve",     "fail",       "cancel",         "become",       "notify",
    "acquire",    "release",     "label",      "should_resolve", "counter_add",  "counter_set",
    "span_begin", "span_end",    "idle",       "wake",           "pause",        "send",
    "receive",    "clock",       "sample",     "executor_begin", "executor_end", "resource",
    "capacity",   "scope_enter", "scope_exit", "scope_cancel",   "scope_member", "io",
    "lost"};

}  // namespace

std::string_view name(EventKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kind_names.size() ? kind_names[index] : "unknown";
}

}  // namespace skein
