#include "trace/read/chrome/chrome.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "trace/read/fxt/meaning.h"
#include "trace/read/fxt/records.h"

namespace skein::chrome {

namespace {

using fxt::Argument;
using fxt::ArgumentType;
using fxt::EventType;
using fxt::Record;
using fxt::Records;

constexpr int64_t longest_time = int64_t{1} << 61;  // ns

// "12.3456" microseconds in nanoseconds, exactly; of what is written otherwise nearly.
int64_t nanoseconds(std::string_view text) {
  int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const bool is_negative = text.starts_with('-');
  const auto [point, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc() || whole > longest_time / 1000 || whole < -longest_time / 1000) return 0;
  int64_t fraction = 0;
  if (point == end) return whole * 1000;
  if (*point == '.' && text.find_first_of("eE") == std::string_view::npos) {
    int64_t unit = 100;
    for (const char* digit = point + 1; digit < end && unit > 0; digit++, unit /= 10)
      fraction += (*digit - '0') * unit;
    return whole * 1000 + (is_negative ? -fraction : fraction);
  }
  const double value = std::strtod(std::string(text).c_str(), nullptr) * 1000;
  return std::abs(value) < static_cast<double>(longest_time) ? std::llround(value) : 0;
}

// Called by the parser for each token. Keeps the fields of one event, and makes a record of it when
// its object ends.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(Trace& trace, Records& records) : trace_(trace), records_(records) {
    records_.threads.push_back({});
  }

  void finish();

  size_t failed_at() const { return failed_at_; }
  bool is_event_open() const { return depth_ >= event_depth_ && event_depth_ > 0; }

  bool null() override { return true; }
  bool boolean(bool value) override { return integer(value); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<uint64_t>(value), std::to_string(value), ArgumentType::Int64);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(value, std::to_string(value), ArgumentType::Uint64);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(std::bit_cast<uint64_t>(value), text, ArgumentType::Double);
  }
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override;
  bool key(string_t& value) override {
    key_ = std::move(value);
    if (depth_ == 1) top_ = key_;
    if (depth_ == event_depth_) field_ = key_;
    return true;
  }
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override {
    depth_--;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    failed_at_ = position;
    return false;
  }

 private:
  struct Event {
    char phase = 0;
    fxt::Thread thread;
    int64_t time = 0;
    int64_t duration = 0;
    StringId category = 0;
    StringId name = 0;
    StringId id = 0;
    StringId renamed = 0;  // args.name, of a phase M
    std::vector<Argument> arguments;
  };

  bool integer(uint64_t value) {
    return number(value, std::to_string(value), ArgumentType::Uint64);
  }
  bool number(uint64_t value, const std::string& text, ArgumentType type);
  uint64_t name_as_number(std::string_view text) {
    return uint64_t{1} << 40 | trace_.strings.intern(text);
  }
  uint32_t thread(fxt::Thread value);
  void add_event();
  bool in_event() const { return event_depth_ > 0 && depth_ == event_depth_; }
  bool in_arguments() const {
    return event_depth_ > 0 && depth_ == event_depth_ + 1 &&
           (field_ == "args" || field_ == "skein");
  }
  bool in_id() const { return event_depth_ > 0 && depth_ == event_depth_ + 1 && field_ == "id2"; }

  Trace& trace_;
  Records& records_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> threads_;
  std::map<char, uint64_t> unknown_;
  std::array<uint64_t, 256> phases_{};
  std::vector<int64_t> times_;  // of the records, which cannot be negative
  std::string key_, top_, field_;
  Event event_;
  int depth_ = 0;
  int event_depth_ = 0;  // of the event's object; 0: in none
  size_t failed_at_ = SIZE_MAX;
};

bool Handler::start_object(std::size_t) {
  depth_++;
  const bool in_list = (depth_ == 2 && top_.empty()) || (depth_ == 3 && top_ == "traceEvents");
  if (event_depth_ == 0 && in_list) {
    event_depth_ = depth_;
    event_ = {};
  }
  return true;
}

bool Handler::start_array(std::size_t) {
  depth_++;
  return true;
}

bool Handler::end_object() {
  if (depth_ == event_depth_) {
    add_event();
    event_depth_ = 0;
  }
  depth_--;
  return true;
}

bool Handler::string(string_t& value) {
  if (in_event()) {
    if (field_ == "ph")
      event_.phase = value.size() == 1 ? value[0] : '?';
    else if (field_ == "name")
      event_.name = trace_.strings.intern(value);
    else if (field_ == "cat")
      event_.category = trace_.strings.intern(value);
    else if (field_ == "id")
      event_.id = trace_.strings.intern(value);
    else if (field_ == "pid")
      event_.thread.process = name_as_number(value);
    else if (field_ == "tid")
      event_.thread.id = name_as_number(value);
    else if (field_ == "ts")
      event_.time = nanoseconds(value);
    else if (field_ == "dur")
      event_.duration = nanoseconds(value);
  } else if (in_id()) {
    event_.id = trace_.strings.intern(value);
  } else if (in_arguments()) {
    if (event_.phase == 'M' || event_.phase == 0)
      if (key_ == "name") event_.renamed = trace_.strings.intern(value);
    event_.arguments.push_back({.name = trace_.strings.intern(key_),
                                .type = ArgumentType::String,
                                .value = trace_.strings.intern(value)});
  } else if (depth_ == 2 && top_ == "otherData" && key_ == "start_ns") {
    (void)std::from_chars(value.data(), value.data() + value.size(), trace_.facts.start);
  }
  return true;
}

bool Handler::number(uint64_t value, const std::string& text, ArgumentType type) {
  if (in_event()) {
    if (field_ == "ts")
      event_.time = nanoseconds(text);
    else if (field_ == "dur")
      event_.duration = nanoseconds(text);
    else if (field_ == "pid")
      event_.thread.process = value;
    else if (field_ == "tid")
      event_.thread.id = value;
    else if (field_ == "id")
      event_.id = trace_.strings.intern(text);
  } else if (in_id()) {
    event_.id = trace_.strings.intern(text);
  } else if (in_arguments()) {
    event_.arguments.push_back({.name = trace_.strings.intern(key_), .type = type, .value = value});
  }
  return true;
}

uint32_t Handler::thread(fxt::Thread value) {
  const auto [found, added] = threads_.try_emplace({value.process, value.id},
                                                   static_cast<uint32_t>(records_.threads.size()));
  if (added) records_.threads.push_back(value);
  return found->second;
}

void Handler::add_event() {
  static constexpr std::string_view known = "iIRCBEXbneSTFstf";
  static constexpr EventType types[] = {
      EventType::Instant,          EventType::Instant,       EventType::Instant,
      EventType::Counter,          EventType::DurationBegin, EventType::DurationEnd,
      EventType::DurationComplete, EventType::AsyncBegin,    EventType::AsyncInstant,
      EventType::AsyncEnd,         EventType::AsyncBegin,    EventType::AsyncInstant,
      EventType::AsyncEnd,         EventType::FlowBegin,     EventType::FlowStep,
      EventType::FlowEnd};
  phases_[static_cast<uint8_t>(event_.phase)]++;
  Record record{.thread = thread(event_.thread),
                .category = event_.category,
                .name = event_.name,
                .arguments = static_cast<uint32_t>(records_.arguments.size())};
  const size_t at = known.find(event_.phase);
  if (event_.phase == 'M') {
    const std::string_view what = trace_.strings[event_.name];
    if (what != "process_name" && what != "thread_name") return;
    record.what = Record::What::KernelObject;
    record.cpu = what == "process_name" ? fxt::process_object : fxt::thread_object;
    record.id = what == "process_name" ? event_.thread.process : event_.thread.id;
    record.name = event_.renamed;
  } else if (event_.phase == 0 || at == std::string_view::npos) {
    unknown_[event_.phase ? event_.phase : '?']++;
    return;
  } else {
    record.type = types[at];
    record.id = record.type == EventType::DurationComplete
                    ? static_cast<uint64_t>(std::max<int64_t>(event_.duration, 0))
                    : event_.id;
    // Of a counter the id is part of its name.
    if (record.type == EventType::Counter) {
      record.id = 0;
      if (event_.id != 0)
        record.name = trace_.strings.intern(std::string(trace_.strings[event_.name]) + "#" +
                                            std::string(trace_.strings[event_.id]));
    }
  }
  const size_t count = std::min<size_t>(event_.arguments.size(), UINT8_MAX);
  record.argument_count = static_cast<uint8_t>(count);
  records_.arguments.insert(records_.arguments.end(), event_.arguments.begin(),
                            event_.arguments.begin() + static_cast<ptrdiff_t>(count));
  times_.push_back(event_.time);
  records_.records.push_back(record);
}

// Times are from the earliest on, or, in a file of ours, as they are.
void Handler::finish() {
  std::vector<Record>& records = records_.records;
  int64_t first = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < records.size(); i++)
    if (records[i].what == Record::What::Event) first = std::min(first, times_[i]);
  const uint64_t start = trace_.facts.start;
  for (size_t i = 0; i < records.size(); i++) {
    const bool has_time = records[i].what == Record::What::Event;
    records[i].time = start + (has_time ? static_cast<uint64_t>(times_[i] - first) : 0);
    if (records[i].type == EventType::DurationComplete) records[i].id += records[i].time;
  }
  stable_sort(records, [](const Record& a, const Record& b) { return a.time < b.time; });
  Facts& facts = trace_.facts;
  facts.packets = 1;
  for (size_t i = 0; i < phases_.size(); i++)
    if (phases_[i] != 0)
      facts.wire_kinds.emplace_back(i ? std::string(1, static_cast<char>(i)) : "none", phases_[i]);
  for (const auto& [phase, count] : unknown_)
    add_loss(trace_.losses, {.what = "events of a phase that skein does not read, " +
                                     std::string(1, phase) + ": " + std::to_string(count),
                             .bytes = 0,
                             .packets = 0,
                             .events = count});
}

}  // namespace

bool looks_like_chrome(std::span<const uint8_t> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  return text.find("\"traceEvents\"") != std::string_view::npos ||
         text.find("\"ph\"") != std::string_view::npos;
}

Trace read(std::span<const uint8_t> file, const Progress& progress) {
  Trace trace;
  trace.facts.format = trace.facts.carrier = "Chrome JSON";
  trace.facts.clock = "microseconds";
  Records records;
  Handler handler(trace, records);
  if (progress) progress(0, file.size());
  const bool whole = nlohmann::json::sax_parse(file.begin(), file.end(), &handler);
  // The array's end may be missing; what stands before it must not be half an event.
  const size_t at = handler.failed_at();
  if (!whole && (at < file.size() || handler.is_event_open()))
    add_loss(trace.losses, {.what = "no JSON from here on",
                            .offset = std::min<uint64_t>(at, file.size()),
                            .bytes = file.size() - std::min(at, file.size()),
                            .packets = 0});
  handler.finish();
  if (progress) progress(file.size(), file.size());
  fxt::understand(records, trace);
  add_dropped(trace, file.size());
  return trace;
}

}  // namespace skein::chrome
