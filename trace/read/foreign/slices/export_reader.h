// Reads what `skein export` wrote: events of the model, each completely stored in the arguments of
// a record of a separate category (trace/read/foreign/slices/rows.h), and additional events for
// other tools' viewers.
//
//   for (const bool is_streaming : {true, false}) {
//     Records records;
//     ExportReader export_reader(records, trace, is_streaming);
//     export_reader.add(record, offset) ...  // its arguments are the last in `records`
//     if (export_reader.is_in_order()) { interpret_records(records, export_reader, trace); break; }
//   }
//
// Exported events are sorted by time, so they are appended to the trace as they are read and need
// no extra memory (a record with its arguments takes 110 bytes, an event of the trace 16). If
// another tool has reordered them, everything is read again, stored and sorted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "trace/read/foreign/slices/records.h"
#include "trace/read/foreign/slices/rows.h"

namespace skein::fxt {

class ExportReader {
 public:
  ExportReader(Records& records, Trace& trace, bool is_streaming);

  // Adds the record to the records, unless skein exported it and it is streamed to the trace.
  // `offset` is its position in the file.
  void add(const Record& record, uint64_t offset);

  bool is_in_order() const { return is_in_order_; }
  // Whether there are any records that skein exported.
  bool any() const { return any_; }
  // The time of the first exported event; empty unless streaming.
  std::optional<uint64_t> start() const { return start_; }
  StringId category() const { return category_; }

  // Call after the last record, if any(). Appends the remaining events in the order of the records,
  // with times relative to TraceInfo::start, and adds the losses.
  void finish();

 private:
  // The value of its argument "event"; 0 if skein did not export it. Other tools may use the same
  // category.
  StringId event(const Record& record) const;
  void take(const Record& record, StringId event);
  void read_counter(const Record& record, EventRow& row);

  Records& records_;
  Trace& trace_;
  const bool is_streaming_;
  const StringId category_, view_category_, event_;
  RowBuilder builder_;
  bool any_ = false;
  bool is_in_order_ = true;
  std::optional<uint64_t> start_;
  uint64_t last_ = 0;
  uint64_t foreign_ = 0;  // number of records of other writers
  uint64_t foreign_at_ = 0;
  std::map<std::string, uint64_t> unknown_;
  std::unordered_map<StringId, uint64_t> counters_;
};

}  // namespace skein::fxt
