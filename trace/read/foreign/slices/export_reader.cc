#include "trace/read/foreign/slices/export_reader.h"

namespace skein::fxt {

ExportReader::ExportReader(Records& records, Trace& trace, bool is_streaming)
    : records_(records),
      trace_(trace),
      is_streaming_(is_streaming),
      category_(trace.strings.intern(own_category)),
      view_category_(trace.strings.intern(view_category)),
      event_(trace.strings.intern("event")),
      builder_(trace) {}

StringId ExportReader::event(const Record& record) const {
  if (record.kind != Record::Kind::Event || record.category != category_) return 0;
  const Argument* found = records_.find(record, event_);
  return found && found->type == ArgumentType::String ? static_cast<StringId>(found->value) : 0;
}

void ExportReader::add(const Record& record, uint64_t offset) {
  const StringId what = event(record);
  if (what != 0 && is_streaming_) {
    if (!start_) start_ = record.time;
    is_in_order_ &= record.time >= last_;
    last_ = record.time;
  }
  any_ |= what != 0;
  const bool is_name = record.kind == Record::Kind::KernelObject;
  const bool is_view = record.kind == Record::Kind::Event && record.category == view_category_;
  if (what == 0 && !is_name && !is_view && foreign_++ == 0) foreign_at_ = offset;
  // In a skein export, other records are ignored.
  if (!is_streaming_ || !any_) {
    records_.records.push_back(record);
    return;
  }
  if (what != 0) take(record, what);
  records_.arguments.resize(record.arguments);
}

void ExportReader::finish() {
  trace_.info.wire_kinds.clear();  // its events are those of the model
  trace_.info.definitions.clear();
  if (!is_streaming_) {
    start_ = trace_.info.start;
    for (const Record& record : records_.records)
      if (const StringId what = event(record)) take(record, what);
  }
  if (foreign_ > 0)
    add_loss(trace_.losses, {.what = "events added by other tools: " + std::to_string(foreign_),
                             .offset = foreign_at_,
                             .packets = 0,
                             .events = foreign_});
  for (const auto& [what, count] : unknown_)
    add_loss(trace_.losses, {.what = "events of a kind unknown to this version, " + what + ": " +
                                     std::to_string(count),
                             .packets = 0,
                             .events = count});
}

void ExportReader::take(const Record& record, StringId event) {
  const std::string what(trace_.strings[event]);
  if (!builder_.begin(what)) unknown_[what]++;
  for (const Argument& argument : records_.arguments_of(record)) {
    // Copied: interning a string may move the others.
    const std::string field(trace_.strings[argument.name]);
    if (argument.type == ArgumentType::String)
      builder_.text(field, std::string(trace_.strings[static_cast<StringId>(argument.value)]));
    else
      builder_.number(field, argument.value);
  }
  std::optional<EventRow> row = builder_.finish();
  if (!row) return;
  if (record.type == EventType::Counter) read_counter(record, *row);
  row->time = record.time - *start_;
  if (record.time_guessed) row->flags |= flag::time_guessed;
  const uint64_t number = records_.threads[record.thread].id;  // of the executor, plus one
  row->executor = builder_.executor(number == 0 ? 0 : number - 1);
  trace_.events.append(*row);
}

// The record has the name of the counter and its value after the event.
void ExportReader::read_counter(const Record& record, EventRow& row) {
  row.text = record.name;
  uint64_t& last = counters_[row.text];
  const uint64_t value = row.value;
  if (row.kind == EventKind::CounterAdd) row.value -= last;
  last = value;
}

}  // namespace skein::fxt
