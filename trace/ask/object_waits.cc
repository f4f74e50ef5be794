#include "trace/ask/object_waits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "trace/read/event_schema.h"

namespace skein {

std::unordered_map<uint64_t, std::vector<ObjectWait>> find_object_waits(const Subject& subject) {
  std::unordered_map<uint64_t, std::vector<ObjectWait>> found;
  const std::vector<Waits::Wait>& waits = subject.waits.waits;
  uint32_t first = 0;  // of the waits that begin at the time of the event
  for (const AwaitedObject& object : subject.trace.awaited_objects) {
    const EventRow event = subject.trace.events.row(object.event);
    ObjectWait one{.begin = event.time,
                   .end = event.time,
                   .task = subject.model.find(event.task),
                   .location = event.location,
                   .type = object.type};
    if (one.task == no_index) continue;
    if (event_schema(event.kind).effect == Effect::Suspends) {
      while (first < waits.size() && waits[first].begin < event.time) first++;
      for (uint32_t i = first; i < waits.size() && waits[i].begin == event.time; i++)
        if (waits[i].task == one.task && waits[i].on == no_index) one.wait = i;
      if (one.wait == Waits::none) continue;
      one.end = waits[one.wait].end;
    }
    found[object.address].push_back(one);
  }
  return found;
}

bool may_have_conditions(const Trace& trace, StringId type) {
  const std::string_view text = trace.strings[type];
  if (text.find('(') == std::string_view::npos)
    return text.find("wait") != std::string_view::npos ||
           text.find("Wait") != std::string_view::npos;
  for (size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ')') return true;
  return false;
}

namespace {

// In lower case, without arguments.
std::string plain_name(const Trace& trace, StringId type) {
  std::string text;
  int depth = 0;
  for (const char c : trace.strings[type]) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (depth == 0) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

}  // namespace

bool is_named_lock(const Trace& trace, StringId type) {
  const std::string text = plain_name(trace, type);
  if (text.find("mutex") != std::string::npos) return true;
  for (size_t at = text.find("lock"); at != std::string::npos; at = text.find("lock", at + 1)) {
    const bool is_other_word = at > 0 && (text[at - 1] == 'b' || text[at - 1] == 'c');
    const std::string_view rest = std::string_view(text).substr(at + 4);
    if (!is_other_word && !rest.starts_with("ed") && !rest.starts_with("free") &&
        !rest.starts_with("_free"))
      return true;
  }
  return false;
}

bool is_named_service(const Trace& trace, StringId type) {
  if (is_named_lock(trace, type)) return false;
  const std::string text = plain_name(trace, type);
  return std::ranges::any_of(
      std::array{"timer", "sleep", "delay", "schedul", "executor", "thread_pool", "threadpool",
                 "clock", "yield", "poll"},
      [&](const char* word) { return text.find(word) != std::string::npos; });
}

}  // namespace skein
