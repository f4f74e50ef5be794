// Writes events of the model as events of skein's format, to the streams of a copy.
//
// A table maps each kind to an event of the format and its arguments: the inverse of
// trace/read/ctf/event_table.h. Fields without an argument are in an `extra` event before the
// event, so every field is preserved.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/export/ctf_clock.h"
#include "trace/export/ctf_names.h"

namespace skein {

enum class CtfArgument : uint8_t;

class CtfEvents {
 public:
  // With `shift`, ids are increased by one, because 0 is no task in the format.
  CtfEvents(const Trace& trace, CtfNames& names, const CtfClock& clock, bool shift);

  // The event with this index. Calls must be in order.
  void put(size_t event);
  void put(const CpuTimeReading& reading);
  void put(const SocketBytesReading& reading);

  void add_resource(TaskId id) { resources_.insert(id); }
  uint64_t id(TaskId task) const { return task == no_task ? 0 : task + shift_; }
  std::vector<ctf::StreamWriter>& streams() { return streams_; }

 private:
  // The text and value that a reader gives the event without an `extra`.
  struct Implied {
    std::string_view text = {};
    uint64_t value = 0;
  };

  uint64_t argument(CtfArgument which, const EventRow& row);
  Implied implied(const EventRow& row);
  void make_current(ctf::StreamWriter& stream, uint64_t time, uint64_t task);
  void add_extra_fields(ctf::StreamWriter& stream, const EventRow& row);
  void put_event(ctf::StreamWriter& stream, uint64_t time, const EventRow& row,
                 const AwaitedObject* object);

  const Trace& trace_;
  CtfNames& names_;
  const CtfClock& clock_;
  const bool shift_;
  std::vector<ctf::StreamWriter> streams_;
  size_t next_object_ = 0;                        // in Trace::awaited_objects
  std::unordered_set<TaskId> resources_;          // those that the copy's reader knows so far
  std::unordered_map<uint64_t, StringId> spans_;  // the open spans that this reader knows
};

}  // namespace skein
