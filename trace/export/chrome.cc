#include "trace/export/chrome.h"

#include <cinttypes>
#include <cstdio>

#include "base/escape.h"
#include "trace/export/damaged_texts.h"
#include "trace/export/process_numbers.h"
#include "trace/export/told.h"
#include "trace/read/fxt/wire.h"

namespace skein {

namespace {

// What a number in JavaScript can hold; a larger one is written as text.
constexpr uint64_t most_exact = uint64_t{1} << 53;

class ChromeTelling : public Telling {
 public:
  ChromeTelling(const Trace& trace, Out& out) : out_(out), processes_(trace) {
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
        "\n],\"otherData\":{\"start_ns\":\"" + std::to_string(trace.facts.start) + "\"}}\n";
  }

  void executor(const Told& told) override {
    begin("M", 0, told.executor, {}, "thread_name");
    out_.text() += ",\"args\":{\"name\":";
    append_json(out_.text(), told.name);
    out_.text() += '}';
    end();
    event(told);
  }

  void event(const Told& told) override {
    static constexpr std::string_view phases[] = {"i", "b", "n", "e", "C"};
    begin(phases[static_cast<size_t>(told.as)], told.time, told.executor, fxt::own_category,
          told.name);
    std::string& text = out_.text();
    switch (told.as) {
      case Told::As::Instant:
        text += ",\"s\":\"t\"";
        break;
      case Told::As::AsyncBegin:
      case Told::As::AsyncInstant:
      case Told::As::AsyncEnd:
        text += ",\"id\":\"" + std::to_string(told.id) + '"';
        break;
      case Told::As::Counter:
        return counter(told);
    }
    text += ",\"args\":";
    fields(told, false);
    end();
  }

  void slice(const ToldSlice& slice) override {
    begin("X", slice.start, slice.executor, fxt::view_category, slice.name);
    out_.text() += ",\"dur\":";
    append_time(slice.end - slice.start);
    end();
  }

  void flow(const ToldFlow& flow) override {
    begin("s", flow.from_time, flow.from_executor, fxt::view_category, flow.name);
    out_.text() += ",\"id\":" + std::to_string(flow.id);
    end();
    begin("f", flow.to_time, flow.to_executor, fxt::view_category, flow.name);
    out_.text() += ",\"bp\":\"e\",\"id\":" + std::to_string(flow.id);
    end();
  }

 private:
  // All its arguments are drawn: the rest stands beside them.
  void counter(const Told& told) {
    out_.text() += ",\"args\":{\"value\":";
    for (const ToldField& field : told.fields)
      if (field.name == "value") out_.text() += std::to_string(static_cast<int64_t>(field.number));
    out_.text() += "},\"skein\":";
    fields(told, true);
    end();
  }

  void fields(const Told& told, bool without_value) {
    std::string& text = out_.text();
    char before = '{';
    for (const ToldField& field : told.fields) {
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
    out_.piece_done();
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
  ChromeTelling telling(trace, out);
  tell(trace, telling, omissions);
  telling.finish(trace);
  add_damaged_texts(trace, omissions);
  return omissions;
}

}  // namespace skein
