#include "trace/export/chrome.h"

#include <cinttypes>
#include <cstdio>

#include "base/escape.h"
#include "trace/export/common_omissions.h"
#include "trace/export/process_numbers.h"
#include "trace/export/slices.h"
#include "trace/read/foreign/fxt/wire.h"

namespace skein {

namespace {

// The largest integer that JavaScript represents exactly; larger ones are written as text.
constexpr uint64_t most_exact = uint64_t{1} << 53;

class ChromeSink : public SliceSink {
 public:
  ChromeSink(const Trace& trace, Out& out) : out_(out), processes_(trace) {
    out_.text() += "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (size_t i = 0; i < processes_.size(); i++) {
      const std::string& name = trace.processes[i].name;
      begin_in(processes_[i], "M", 0, 0, {}, "process_name");
      out_.text() += ",\"args\":{\"name\":";
      append_json(out_.text(), name.empty() ? "program" : name);
      out_.text() += '}';
      end();
    }
  }

  void finish(const Trace& trace) {
    out_.text() +=
        "\n],\"otherData\":{\"start_ns\":\"" + std::to_string(trace.info.start) + "\"}}\n";
  }

  void executor(const SliceRecord& record) override {
    begin("M", 0, record.executor, {}, "thread_name");
    out_.text() += ",\"args\":{\"name\":";
    append_json(out_.text(), record.name);
    out_.text() += '}';
    end();
    event(record);
  }

  void event(const SliceRecord& record) override {
    static constexpr std::string_view phases[] = {"i", "b", "n", "e", "C"};
    begin(phases[static_cast<size_t>(record.type)], record.time, record.executor, fxt::own_category,
          record.name);
    std::string& text = out_.text();
    switch (record.type) {
      case SliceRecord::Type::Instant:
        text += ",\"s\":\"t\"";
        break;
      case SliceRecord::Type::AsyncBegin:
      case SliceRecord::Type::AsyncInstant:
      case SliceRecord::Type::AsyncEnd:
        text += ",\"id\":\"" + std::to_string(record.id) + '"';
        break;
      case SliceRecord::Type::Counter:
        return counter(record);
    }
    text += ",\"args\":";
    fields(record, false);
    end();
  }

  void slice(const ThreadSlice& slice) override {
    begin("X", slice.start, slice.executor, fxt::view_category, slice.name);
    out_.text() += ",\"dur\":";
    append_time(slice.end - slice.start);
    end();
  }

  void flow(const FlowRecord& flow) override {
    begin("s", flow.from_time, flow.from_executor, fxt::view_category, flow.name);
    out_.text() += ",\"id\":" + std::to_string(flow.id);
    end();
    begin("f", flow.to_time, flow.to_executor, fxt::view_category, flow.name);
    out_.text() += ",\"bp\":\"e\",\"id\":" + std::to_string(flow.id);
    end();
  }

 private:
  // Viewers draw all `args`, so the other fields are members of the event.
  void counter(const SliceRecord& record) {
    out_.text() += ",\"args\":{\"value\":";
    for (const RecordField& field : record.fields)
      if (field.name == "value") out_.text() += std::to_string(static_cast<int64_t>(field.number));
    out_.text() += "},\"skein\":";
    fields(record, true);
    end();
  }

  void fields(const SliceRecord& record, bool without_value) {
    std::string& text = out_.text();
    char before = '{';
    for (const RecordField& field : record.fields) {
      const bool is_value = field.name == "value";
      if (is_value && without_value) continue;
      text += before;
      before = ',';
      append_json(text, field.name);
      text += ':';
      if (field.is_text) {
        append_json(text, field.text);
      } else if (is_value) {
        append_number(std::to_string(static_cast<int64_t>(field.number)),
                      field.number + most_exact > 2 * most_exact);
      } else {
        append_number(std::to_string(field.number), field.number > most_exact);
      }
    }
    text += before == '{' ? "{}" : "}";
  }
  void append_number(const std::string& digits, bool is_large) {
    out_.text() += is_large ? '"' + digits + '"' : digits;
  }

  void begin(std::string_view phase, uint64_t time, uint32_t executor, std::string_view category,
             std::string_view name) {
    begin_in(processes_.of(executor), phase, time, executor, category, name);
  }
  void begin_in(uint64_t process, std::string_view phase, uint64_t time, uint32_t executor,
                std::string_view category, std::string_view name) {
    std::string& text = out_.text();
    text += first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first_ = false;
    text += phase;
    text += "\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(executor + 1);
    if (phase != "M") {
      text += ",\"ts\":";
      append_time(time);
    }
    if (!category.empty()) {
      text += ",\"cat\":\"";
      text += category;
      text += '"';
    }
    text += ",\"name\":";
    append_json(text, name);
  }
  void end() {
    out_.text() += '}';
    out_.flush_if_full();
  }
  void append_time(uint64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000,
                  static_cast<unsigned>(ns % 1000));
    out_.text() += text;
  }

  Out& out_;
  const ProcessNumbers processes_;
  bool first_ = true;
};

}  // namespace

Omissions export_chrome(const Trace& trace, Out& out) {
  Omissions omissions;
  ChromeSink sink(trace, out);
  export_slices(trace, sink, omissions);
  sink.finish(trace);
  add_damaged_texts(trace, omissions);
  return omissions;
}

}  // namespace skein
