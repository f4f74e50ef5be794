#include "trace/read/foreign/chrome/chrome.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "trace/read/foreign/chrome/json.h"
#include "trace/read/foreign/slices/meaning.h"
#include "trace/read/foreign/slices/records.h"

namespace skein::chrome {

namespace {

using fxt::Argument;
using fxt::ArgumentType;
using fxt::EventType;
using fxt::Record;
using fxt::Records;
using Scalar = Json::Scalar;

constexpr int64_t longest_time = int64_t{1} << 61;  // ns; since 1970: the year 2043

constexpr std::string_view invalid_strings = "strings that are not valid Unicode";

// Parses the whole text as a number; empty if it is not one.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || at != text.data() + text.size()) return {};
  return number;
}

// Converts microseconds ("12.3456") to nanoseconds: exactly if decimal, approximately in any other
// notation. Empty: not a number, or out of range.
std::optional<int64_t> nanoseconds(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view behind = text.substr(std::min(point + 1, text.size()));
  const auto whole = number_of<int64_t>(text.substr(0, point));
  if (whole && behind.find_first_not_of("0123456789") == std::string_view::npos) {
    if (*whole > longest_time / 1000 || *whole < -longest_time / 1000) return {};
    int64_t fraction = 0;
    int64_t unit = 100;
    for (size_t i = 0; i < behind.size() && unit > 0; i++, unit /= 10)
      fraction += (behind[i] - '0') * unit;
    return *whole * 1000 + (text.starts_with('-') ? -fraction : fraction);
  }
  const auto value = number_of<double>(text);
  if (!value || !(std::abs(*value) * 1000 < static_cast<double>(longest_time))) return {};
  return std::llround(*value * 1000);
}

class Reader {
 public:
  Reader(std::string_view text, Trace& trace, Records& records, fxt::ExportReader& export_reader)
      : text_(text), trace_(trace), records_(records), export_reader_(export_reader), json_(text) {
    records_.threads.push_back({});
  }

  void read(const Progress& progress);
  void finish();

 private:
  struct Event {
    char phase = 0;
    fxt::Thread thread;
    std::optional<int64_t> time;
    std::optional<int64_t> duration;
    bool has_time = false;  // has a time field, valid or not
    bool is_local = false;  // its id is local to its process
    StringId category = 0;
    StringId name = 0;
    StringId id = 0;
    StringId scope = 0;
    // Offsets of the objects whose members are arguments; SIZE_MAX: none.
    size_t arguments = SIZE_MAX;
    size_t more_arguments = SIZE_MAX;
    std::vector<StringId> others;  // names of ignored fields
  };

  void top();
  void member(size_t at);
  void events();
  void other_data();
  bool event();
  void field(std::string_view key);
  void salvage();
  void add_event();
  bool is_argument_read(EventType type);
  void read_arguments(size_t at, bool is_counter);
  Argument argument(StringId name, const Scalar& value, bool is_counter);
  bool has_arguments() const;
  StringId name_in_arguments();
  StringId key_of_id(bool has_name);
  StringId text(const Scalar& value);
  void set_number(const Scalar& value, uint64_t& number, StringId& as_text);
  uint32_t thread(const fxt::Thread& value);
  void lose(const std::string& what, size_t from, size_t to, std::optional<uint64_t> events);

  // Skipped items of one kind; the offset is that of the first.
  struct Skipped {
    uint64_t count;
    uint64_t offset;
    bool is_event;
  };
  void count_skipped(std::string_view what, size_t at, bool is_event) {
    auto found = skipped_.find(what);
    if (found == skipped_.end())
      found = skipped_.emplace(std::string(what), Skipped{0, at, is_event}).first;
    found->second.count++;
  }

  std::string_view text_;
  Trace& trace_;
  Records& records_;
  fxt::ExportReader& export_reader_;
  Json json_;
  const Progress* progress_ = nullptr;
  bool is_stopped_ = false;
  int looks_inside_ = 16;  // limits rescans of the inside of a damaged event
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> threads_;
  std::map<std::string, Skipped, std::less<>> skipped_;
  std::array<uint64_t, 256> phases_{};
  Event event_;
  size_t event_at_ = 0;
  bool needs_order_ = false;
};

void Reader::read(const Progress& progress) {
  progress_ = &progress;
  if (text_.starts_with("\xef\xbb\xbf")) json_.move_to(3);
  if (json_.peek() == '[')
    events();
  else
    top();
  if (is_stopped_) return;
  // The closing bracket may be missing, but the text must not end inside an event.
  if (json_.peek() != 0 || (json_.failed() && json_.at() < text_.size()))
    lose("invalid JSON from here on", json_.at(), text_.size(), {});
}

void Reader::top() {
  json_.expect('{');
  while (json_.peek() != '}' && json_.peek() != 0) {
    const size_t at = json_.at();
    member(at);
    if (is_stopped_) return;
    if (!json_.failed()) {
      if (!json_.take(',')) break;
      continue;
    }
    const size_t next = text_.find("\"traceEvents\"", json_.at());
    if (next == std::string_view::npos) return;
    lose("no JSON", at, next, 0);
    json_.move_to(next);
  }
  json_.take('}');
}

void Reader::member(size_t at) {
  const std::string key(json_.string());
  json_.expect(':');
  const char first = json_.peek();
  if (key == "traceEvents" && first == '[') return events();
  if (key == "otherData" && first == '{') return other_data();
  json_.skip();
  // Only recorded data counts as lost; these members describe the recording.
  if (key != "displayTimeUnit" && key != "otherData" && key != "metadata" && !json_.failed())
    lose(key + ", which skein ignores", at, json_.at(), {});
}

// Reads the start time of a trace that skein exported.
void Reader::other_data() {
  json_.take('{');
  while (!json_.failed() && json_.peek() == '"') {
    const bool is_start = json_.string() == "start_ns";
    json_.expect(':');
    const Scalar value = json_.scalar();
    if (const auto start = number_of<uint64_t>(value.text); is_start && start)
      trace_.info.start = std::min(*start, uint64_t{1} << 62);
    if (!json_.take(',')) break;
  }
  json_.expect('}');
}

void Reader::events() {
  uint64_t until_progress = 0;
  for (json_.take('['); !is_stopped_;) {
    if (*progress_ && until_progress-- == 0) {
      is_stopped_ = !(*progress_)(json_.at(), text_.size());
      until_progress = 1 << 14;
    }
    const char next = json_.peek();
    if (next == 0) return;
    if (next == ',' || next == ']') {
      json_.take(next);
      if (next == ']') return;
      continue;
    }
    event_at_ = json_.at();
    if (next == '{') {
      if (event())
        add_event();
      else
        salvage();
    } else {
      json_.skip();
      if (json_.failed())
        salvage();
      else
        count_skipped("entries of the event list that are not events", event_at_, false);
    }
  }
}

// Skips invalid JSON and resumes at the next event: a "{" from which a whole event can be read.
// Text that was read is not read again, so the time is linear, except for a few events that seem to
// extend to the end of the file because a bracket is missing.
void Reader::salvage() {
  const size_t from = event_at_;
  const bool is_cut = json_.at() == text_.size();
  for (;;) {
    if (json_.at() == text_.size() && looks_inside_ > 0) {
      looks_inside_--;
      json_.move_to(event_at_ + 1);
    }
    const size_t next = text_.find('{', json_.at());
    if (next == std::string_view::npos) break;
    json_.move_to(next);
    event_at_ = next;
    if (event() && event_.phase != 0) {
      lose("damaged events", from, next, {});
      return add_event();
    }
    if (json_.at() == next) json_.move_to(next + 1);
  }
  lose(is_cut ? "the last event is truncated" : "damaged events", from, text_.size(), {});
  json_.move_to(text_.size());
}

// Reads the event at the "{" into event_; returns false if there is no valid event.
bool Reader::event() {
  event_ = {};
  json_.expect('{');
  while (!json_.failed() && json_.peek() != '}') {
    const std::string_view key = json_.string();
    if (!json_.take(':')) return false;
    field(key);
    if (!json_.take(',')) break;
  }
  json_.expect('}');
  return !json_.failed();
}

// `key` is invalid after the value is read.
void Reader::field(std::string_view key) {
  if (key == "ph") {
    const std::string_view phase = json_.scalar().text;
    event_.phase = phase.size() == 1 ? phase[0] : '?';
  } else if (key == "name") {
    event_.name = text(json_.scalar());
  } else if (key == "cat") {
    event_.category = text(json_.scalar());
  } else if (key == "ts") {
    event_.time = nanoseconds(json_.scalar().text);
    event_.has_time = true;
  } else if (key == "dur") {
    event_.duration = nanoseconds(json_.scalar().text);
  } else if (key == "pid") {
    set_number(json_.scalar(), event_.thread.process, event_.thread.process_text);
  } else if (key == "tid") {
    set_number(json_.scalar(), event_.thread.id, event_.thread.text);
  } else if (key == "id") {
    event_.id = text(json_.scalar());
  } else if (key == "scope") {
    event_.scope = text(json_.scalar());
  } else if (key == "id2" && json_.peek() == '{') {
    json_.take('{');
    while (json_.peek() == '"') {
      event_.is_local = json_.string() == "local";
      json_.expect(':');
      event_.id = text(json_.scalar());
      if (!json_.take(',')) break;
    }
    json_.expect('}');
  } else if (key == "args" || key == "skein") {
    json_.peek();
    (key == "args" ? event_.arguments : event_.more_arguments) = json_.at();
    json_.skip();
  } else {
    // Fields that only affect how the event is drawn.
    if (key != "s" && key != "bp" && key != "cname")
      event_.others.push_back(trace_.strings.intern(key));
    json_.skip();
  }
}

StringId Reader::text(const Scalar& value) {
  return value.type == Scalar::Type::Word ? 0 : trace_.strings.intern(value.text);
}

// A process or thread may be identified by a string; it then gets a unique number.
void Reader::set_number(const Scalar& value, uint64_t& number, StringId& as_text) {
  if (const auto natural = number_of<uint64_t>(value.text)) {
    number = *natural;
  } else if (const auto negative = number_of<int64_t>(value.text)) {
    number = static_cast<uint64_t>(*negative);
  } else if (!value.text.empty() && value.type != Scalar::Type::Word) {
    as_text = trace_.strings.intern(value.text);
    number = uint64_t{1} << 62 | as_text;
  }
}

uint32_t Reader::thread(const fxt::Thread& value) {
  const auto [found, added] = threads_.try_emplace({value.process, value.id},
                                                   static_cast<uint32_t>(records_.threads.size()));
  if (added) records_.threads.push_back(value);
  return found->second;
}

// Returns the key that events of the same flow or slice share. It includes the id's scope, and the
// process if the id is local.
StringId Reader::key_of_id(bool has_name) {
  if (event_.scope == 0 && !event_.is_local && !has_name) return event_.id;
  std::string key(trace_.strings[event_.id]);
  key += '\0' + std::string(trace_.strings[event_.scope]);
  if (event_.is_local) key += '\0' + std::to_string(event_.thread.process);
  if (has_name) key += '\0' + std::string(trace_.strings[event_.name]);
  return trace_.strings.intern(key);
}

// The model does not use the arguments of other events, which would need as much memory as the
// file.
bool Reader::is_argument_read(EventType type) {
  const bool is_whole = event_.category == export_reader_.category() ||
                        trace_.strings[event_.category].starts_with("eio");
  needs_order_ |= is_whole;
  return is_whole || type == EventType::Counter;
}

Argument Reader::argument(StringId name, const Scalar& value, bool is_counter) {
  const std::string_view text = value.text;
  if (value.type == Scalar::Type::Number || (value.type == Scalar::Type::Text && is_counter)) {
    if (const auto natural = number_of<uint64_t>(text))
      return {.name = name, .type = ArgumentType::Uint64, .value = *natural};
    if (const auto negative = number_of<int64_t>(text))
      return {.name = name, .type = ArgumentType::Int64, .value = static_cast<uint64_t>(*negative)};
    if (const auto real = number_of<double>(text))
      return {.name = name, .type = ArgumentType::Double, .value = std::bit_cast<uint64_t>(*real)};
  }
  if (value.type == Scalar::Type::Text)
    return {.name = name, .type = ArgumentType::String, .value = trace_.strings.intern(text)};
  if (text == "true" || text == "false")
    return {.name = name, .type = ArgumentType::Bool, .value = text == "true"};
  return {.name = name};
}

bool Reader::has_arguments() const {
  if (event_.arguments == SIZE_MAX) return false;
  Json json(text_, event_.arguments);
  return !json.take('{') || !json.take('}');
}

void Reader::read_arguments(size_t at, bool is_counter) {
  if (at == SIZE_MAX) return;
  Json json(text_, at);
  json.take('{');
  while (json.peek() == '"') {
    const StringId name = trace_.strings.intern(json.string());
    json.expect(':');
    records_.arguments.push_back(argument(name, json.scalar(), is_counter));
    if (!json.take(',')) break;
  }
  if (json.invalid_strings() > 0) count_skipped(invalid_strings, json.first_invalid(), false);
}

StringId Reader::name_in_arguments() {
  StringId name = 0;
  const size_t before = records_.arguments.size();
  read_arguments(event_.arguments, false);
  for (size_t i = before; i < records_.arguments.size(); i++) {
    const Argument& argument = records_.arguments[i];
    if (argument.type == ArgumentType::String && trace_.strings[argument.name] == "name")
      name = static_cast<StringId>(argument.value);
  }
  records_.arguments.resize(before);
  return name;
}

void Reader::add_event() {
  static constexpr std::string_view known = "iIRCBEXbneSTFstf";
  static constexpr EventType types[] = {
      EventType::Instant,          EventType::Instant,       EventType::Instant,
      EventType::Counter,          EventType::DurationBegin, EventType::DurationEnd,
      EventType::DurationComplete, EventType::AsyncBegin,    EventType::AsyncInstant,
      EventType::AsyncEnd,         EventType::AsyncBegin,    EventType::AsyncInstant,
      EventType::AsyncEnd,         EventType::FlowBegin,     EventType::FlowStep,
      EventType::FlowEnd};
  const char phase = event_.phase;
  phases_[static_cast<uint8_t>(phase)]++;
  for (const StringId other : event_.others)
    count_skipped("event fields that skein ignores, " + std::string(trace_.strings[other]),
                  event_at_, false);
  Record record{.thread = thread(event_.thread),
                .category = event_.category,
                .name = event_.name,
                .arguments = static_cast<uint32_t>(records_.arguments.size()),
                .in_all_processes = true};
  const size_t at = known.find(phase);
  if (phase == 'M') {
    const std::string what(trace_.strings[event_.name]);
    const bool is_process = what == "process_name";
    if (!is_process && what != "thread_name") {
      // Only affects how the trace is drawn.
      if (what != "process_sort_index" && what != "thread_sort_index")
        count_skipped("metadata that skein ignores, " + what, event_at_, false);
      return;
    }
    record.kind = Record::Kind::KernelObject;
    record.cpu = is_process ? fxt::process_object : fxt::thread_object;
    record.id = is_process ? event_.thread.process : event_.thread.id;
    record.name = name_in_arguments();
    export_reader_.add(record, event_at_);
    return;
  }
  if (phase == 0 || at == std::string_view::npos)
    return count_skipped(
        std::string("events of a phase that skein ignores, ") + (phase ? phase : '?'), event_at_,
        true);
  if (!event_.time)
    return count_skipped(event_.has_time
                             ? "events omitted: invalid time (not a number, or beyond 73 years)"
                             : "events omitted: no time",
                         event_at_, true);
  record.time = sort_key(*event_.time);
  record.type = types[at];
  switch (record.type) {
    case EventType::DurationComplete:
      if (!event_.duration || *event_.duration < 0)
        count_skipped("slices without a duration, read as 0", event_at_, false);
      record.id = static_cast<uint64_t>(std::max<int64_t>(event_.duration.value_or(0), 0));
      break;
    case EventType::Counter:  // the id is part of its name
      if (event_.id != 0)
        record.name = trace_.strings.intern(std::string(trace_.strings[event_.name]) + "#" +
                                            std::string(trace_.strings[event_.id]));
      break;
    default:
      record.id = key_of_id(phase == 'S' || phase == 'T' || phase == 'F');
  }
  if (is_argument_read(record.type)) {
    const bool is_counter = record.type == EventType::Counter;
    const bool is_own = event_.category == export_reader_.category();
    read_arguments(event_.arguments, is_counter && !is_own);
    read_arguments(event_.more_arguments, false);
    constexpr size_t most = UINT8_MAX;
    if (records_.arguments.size() - record.arguments > most) {
      count_skipped("events with more than 255 arguments", event_at_, false);
      records_.arguments.resize(record.arguments + most);
    }
    record.argument_count = static_cast<uint8_t>(records_.arguments.size() - record.arguments);
  } else if (has_arguments()) {
    count_skipped("events with arguments, which skein ignores", event_at_, false);
  }
  export_reader_.add(record, event_at_);
  is_stopped_ |= !export_reader_.is_in_order();
}

// Makes times relative to the earliest event, but leaves those of a skein export as they are.
void Reader::finish() {
  std::vector<Record>& records = records_.records;
  uint64_t first = UINT64_MAX;
  for (const Record& record : records)
    if (record.kind == Record::Kind::Event) first = std::min(first, record.time);
  const uint64_t start = trace_.info.start;
  for (Record& record : records) {
    record.time = record.kind == Record::Kind::Event ? start + (record.time - first) : start;
    if (record.type == EventType::DurationComplete) record.id += record.time;
  }
  const auto earlier = [](const Record& a, const Record& b) { return a.time < b.time; };
  if (needs_order_) stable_sort(records, earlier);
  TraceInfo& info = trace_.info;
  info.packets = 1;
  for (size_t i = 0; i < phases_.size(); i++)
    if (phases_[i] != 0)
      info.wire_kinds.emplace_back(i ? std::string(1, static_cast<char>(i)) : "none", phases_[i]);
  for (uint64_t i = 0; i < json_.invalid_strings(); i++)
    count_skipped(invalid_strings, json_.first_invalid(), false);
  for (const auto& [what, skipped] : skipped_)
    add_loss(trace_.losses, {.what = what + ": " + std::to_string(skipped.count),
                             .offset = skipped.offset,
                             .bytes = 0,
                             .packets = 0,
                             .events = skipped.is_event ? skipped.count : 0});
}

void Reader::lose(const std::string& what, size_t from, size_t to, std::optional<uint64_t> events) {
  add_loss(trace_.losses,
           {.what = what, .offset = from, .bytes = to - from, .packets = 0, .events = events});
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
  for (bool is_streaming = true;; is_streaming = false) {
    Trace trace;
    trace.info.format = trace.info.carrier = "Chrome JSON";
    trace.info.clock = "microseconds";
    Records records;
    fxt::ExportReader export_reader(records, trace, is_streaming);
    Reader reader({reinterpret_cast<const char*>(file.data()), file.size()}, trace, records,
                  export_reader);
    reader.read(progress);
    if (!export_reader.is_in_order()) continue;
    reader.finish();
    if (progress) progress(file.size(), file.size());
    fxt::interpret_records(records, export_reader, trace);
    add_dropped(trace, file.size());
    return trace;
  }
}

}  // namespace skein::chrome
