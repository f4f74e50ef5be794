#include "trace/ask/object_waits.h"

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

}  // namespace skein
