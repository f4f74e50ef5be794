// Exports a trace to formats with threads, slices and flows: FXT and Chrome JSON.
//
// Each event becomes one record with all its fields by name, in skein's own category, so that
// skein's reader restores it (trace/read/foreign/slices/rows.h). The record type is the one that
// other tools display best: a task is an async slice, its events are within the slice, a counter is
// a counter. A second category, which skein's reader ignores, has the activations as slices of the
// threads, and the arrows as flows between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/export/out.h"
#include "trace/model/model.h"

namespace skein {

struct RecordField {
  std::string_view name;
  bool is_text = false;
  uint64_t number = 0;  // signed if the event's value is; ids unchanged
  std::string_view text = {};
};

struct SliceRecord {
  enum class Type : uint8_t { Instant, AsyncBegin, AsyncInstant, AsyncEnd, Counter };

  Type type = Type::Instant;
  uint64_t time = 0;
  uint64_t id = 0;  // of an async slice
  uint32_t executor = 0;
  std::string_view name;
  std::span<const RecordField> fields;  // "event" first
};
struct ThreadSlice {
  uint64_t start = 0;
  uint64_t end = 0;
  uint32_t executor = 0;
  std::string_view name;
};
struct FlowRecord {
  uint64_t id = 0;
  uint64_t from_time = 0;
  uint64_t to_time = 0;
  uint32_t from_executor = 0;
  uint32_t to_executor = 0;
  std::string_view name;
};

// Writes the records in one format. Texts are valid only during the call.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  // Called before all others; `executor` is the executor's index.
  virtual void executor(const SliceRecord& record) = 0;
  virtual void event(const SliceRecord& record) = 0;
  virtual void slice(const ThreadSlice& slice) = 0;
  virtual void flow(const FlowRecord& flow) = 0;
};

// Calls the sink for the trace, then its executors, its events in order, slices, and flows.
void export_slices(const Trace& trace, SliceSink& sink, Omissions& omissions);

}  // namespace skein
