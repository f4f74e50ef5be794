// A trace as formats with threads, slices and flows can hold it: FXT and Chrome JSON.
//
// Each event of the trace becomes one record that has all its fields by name, in a category of our
// own, so that our reader gets back what went out (trace/read/slices/rows.h). What kind of record
// it is follows what other tools show: a task is an async slice, what happens to it lies in that, a
// counter is a counter. Beside them, in another category, which our reader passes over: who was
// current when as slices of the threads, and who woke whom as flows between those.
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
  uint64_t number = 0;  // signed if the event's value is; ids as they are
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

// What a format does with them. Texts are valid until it returns.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  // Before all others; `executor` has its index as executor.
  virtual void executor(const SliceRecord& record) = 0;
  virtual void event(const SliceRecord& record) = 0;
  virtual void slice(const ThreadSlice& slice) = 0;
  virtual void flow(const FlowRecord& flow) = 0;
};

// What is known of the whole first, then executors, events in the order of the trace, slices,
// flows.
void export_slices(const Trace& trace, SliceSink& sink, Omissions& omissions);

}  // namespace skein
