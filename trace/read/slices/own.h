// What `skein export` wrote: events of the model, each whole in the arguments of a record of a
// category of our own (trace/read/slices/rows.h), and beside them what is there for other tools'
// viewers.
//
//   for (const bool is_streaming : {true, false}) {
//     Records records;
//     Own own(records, trace, is_streaming);
//     own.add(record, offset) ...           // the arguments are the last of the records'
//     if (own.is_in_order()) { understand(records, own, trace); break; }
//   }
//
// They are in the order of time, so they go into the trace as they are read and need no memory
// beside it (a record with its arguments takes 110 bytes, an event of the trace 16). Should
// somebody have put them into another order all is read once more, kept and sorted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "trace/read/slices/records.h"
#include "trace/read/slices/rows.h"

namespace skein::fxt {

class Own {
 public:
  Own(Records& records, Trace& trace, bool is_streaming);

  // To the records, unless it is ours. The offset is its place in the file.
  void add(const Record& record, uint64_t offset);

  bool is_in_order() const { return is_in_order_; }
  // Is there anything that skein exported?
  bool any() const { return any_; }
  // The time of the first, if they are taken as they are read.
  std::optional<uint64_t> start() const { return start_; }
  StringId category() const { return category_; }

  // When all is read, and any(): what is left to take, in the order of the records and from
  // TraceInfo::start on, and what was lost.
  void finish();

 private:
  // The text "event" among its arguments; 0: it is none of ours. Others may have a category of this
  // name.
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
  uint64_t foreign_ = 0;  // of other writers
  uint64_t foreign_at_ = 0;
  std::map<std::string, uint64_t> unknown_;
  std::unordered_map<StringId, uint64_t> counters_;
};

}  // namespace skein::fxt
