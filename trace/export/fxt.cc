#include "trace/export/fxt.h"

#include <algorithm>

#include "trace/export/process_numbers.h"
#include "trace/export/slices.h"
#include "trace/read/foreign/fxt/writer.h"

namespace skein {

namespace {

using fxt::ArgumentType;
using fxt::EventType;
using fxt::Writer;

class FxtSink : public SliceSink {
 public:
  FxtSink(const Trace& trace, Out& out)
      : out_(out),
        start_(trace.info.start),
        processes_(trace),
        writer_([this](std::span<const uint8_t> record) {
          out_.text().append(reinterpret_cast<const char*>(record.data()), record.size());
          out_.flush_if_full();
        }) {
    for (size_t i = 0; i < processes_.size(); i++) {
      const std::string& program = trace.processes[i].name;
      writer_.kernel_object(fxt::process_object, processes_[i],
                            program.empty() ? "program" : program);
    }
  }

  uint64_t gaps() const { return gaps_; }
  uint64_t texts_cut() const { return writer_.texts_cut(); }

  void executor(const SliceRecord& record) override {
    const Writer::Argument process[] = {
        Writer::number("process", processes_.of(record.executor), ArgumentType::Koid)};
    writer_.kernel_object(fxt::thread_object, thread(record.executor).id, record.name, process);
    event(record);
  }

  void event(const SliceRecord& record) override {
    static constexpr EventType types[] = {EventType::Instant, EventType::AsyncBegin,
                                          EventType::AsyncInstant, EventType::AsyncEnd,
                                          EventType::Counter};
    constexpr uint64_t longest_gap = uint64_t{1} << 55;  // a longer one reads as damage
    gaps_ += record.time > last_ && record.time - last_ > longest_gap;
    last_ = record.time;
    const bool is_counter = record.type == SliceRecord::Type::Counter;
    arguments_.clear();
    for (const RecordField& field : record.fields) {
      if (field.is_text) {
        arguments_.push_back(Writer::string(field.name, field.text));
        continue;
      }
      // Viewers draw every number of a counter, but no object reference.
      const bool is_value = field.name == "value";
      const ArgumentType type = is_value     ? ArgumentType::Int64
                                : is_counter ? ArgumentType::Koid
                                             : ArgumentType::Uint64;
      arguments_.push_back(Writer::number(field.name, field.number, type));
    }
    writer_.event(types[static_cast<size_t>(record.type)], start_ + record.time,
                  thread(record.executor), fxt::own_category, record.name, arguments_,
                  is_counter ? 0 : record.id);
  }

  void slice(const ThreadSlice& slice) override {
    writer_.event(EventType::DurationComplete, start_ + slice.start, thread(slice.executor),
                  fxt::view_category, slice.name, {}, start_ + slice.end);
  }
  void flow(const FlowRecord& flow) override {
    writer_.event(EventType::FlowBegin, start_ + flow.from_time, thread(flow.from_executor),
                  fxt::view_category, flow.name, {}, flow.id);
    writer_.event(EventType::FlowEnd, start_ + flow.to_time, thread(flow.to_executor),
                  fxt::view_category, flow.name, {}, flow.id);
  }

 private:
  // Threads have the numbers of their executors, because two executors may have the same tid.
  Writer::Thread thread(uint32_t executor) const {
    return {processes_.of(executor), uint64_t{executor} + 1};
  }

  Out& out_;
  const uint64_t start_;
  const ProcessNumbers processes_;
  uint64_t last_ = 0;  // of the last event
  uint64_t gaps_ = 0;
  Writer writer_;
  std::vector<Writer::Argument> arguments_;
};

}  // namespace

Omissions export_fxt(const Trace& trace, Out& out) {
  Omissions omissions;
  FxtSink sink(trace, out);
  export_slices(trace, sink, omissions);
  omissions.add("gaps of more than 2^55 ns (417 days); later times are read as damaged",
                sink.gaps());
  omissions.add("ends of strings longer than 32,000 bytes", sink.texts_cut());
  return omissions;
}

}  // namespace skein
