#include "trace/read/foreign/fxt/read_records.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/cursor.h"
#include "base/stable_sort.h"
#include "trace/read/ctf/stream.h"

namespace skein::fxt {

namespace {

constexpr size_t chain_length = 4;
// Values that do not fit into TickScale's range are at least this.
constexpr uint64_t latest_time = INT64_MAX;
constexpr uint64_t longest_gap = uint64_t{1} << 55;  // ns, more than a year: a time is damaged

uint64_t word_at(std::span<const uint8_t> file, size_t at) {
  uint64_t word;
  std::memcpy(&word, file.data() + at, sizeof word);
  return word;
}

// Number of words that a string or thread reference takes in addition to the header.
size_t text_words(uint64_t reference) {
  return reference & 0x8000 ? padded(reference & 0x7fff) / 8 : 0;
}
size_t thread_words(uint64_t reference) { return reference == 0 ? 2 : 0; }

// Whether the header can belong to a record of this many words; false if reserved bits are set. For
// the undefined types 11 to 14, checks only the size.
bool could_be_record(uint64_t header, uint64_t words) {
  const auto reserved = [&](unsigned low, unsigned count) { return bits(header, low, count) != 0; };
  switch (RecordType(bits(header, 0, 4))) {
    case RecordType::Metadata:
      switch (MetadataType(bits(header, 16, 4))) {
        case MetadataType::ProviderInfo:
          return !reserved(60, 4) && words > text_words(0x8000 | bits(header, 52, 8));
        case MetadataType::ProviderSection:
          return !reserved(52, 12) && words == 1;
        case MetadataType::ProviderEvent:
          return !reserved(56, 8) && words == 1;
        case MetadataType::TraceInfo:
          return header == magic;
      }
      return false;
    case RecordType::Initialization:
      return !reserved(16, 48) && words >= 2;
    case RecordType::String:
      return !reserved(31, 1) && !reserved(47, 17) &&
             words > text_words(0x8000 | bits(header, 32, 15));
    case RecordType::Thread:
      return !reserved(24, 40) && words >= 3;
    case RecordType::Event: {
      const uint64_t type = bits(header, 16, 4);
      return type < event_types && words >= 2 + thread_words(bits(header, 24, 8)) +
                                                text_words(bits(header, 32, 16)) +
                                                text_words(bits(header, 48, 16)) +
                                                bits(header, 20, 4) + has_id(EventType(type));
    }
    case RecordType::Blob:
      return !reserved(47, 1) && !reserved(56, 8) &&
             words > text_words(bits(header, 16, 16)) + text_words(0x8000 | bits(header, 32, 15));
    case RecordType::UserObject:
      return !reserved(44, 20) && words >= 2 + text_words(bits(header, 24, 16));
    case RecordType::KernelObject:
      return !reserved(44, 20) && words >= 2 + text_words(bits(header, 24, 16));
    case RecordType::Scheduling:
      switch (SchedulingType(bits(header, 60, 4))) {
        case SchedulingType::LegacyContextSwitch:
          return words >= 2 + thread_words(bits(header, 28, 8)) + thread_words(bits(header, 36, 8));
        case SchedulingType::ContextSwitch:
          return words >= 4;
        case SchedulingType::Wakeup:
          return words >= 3;
      }
      return false;
    case RecordType::Log:
      return !reserved(31, 1) && !reserved(40, 24) &&
             words >=
                 2 + thread_words(bits(header, 32, 8)) + text_words(0x8000 | bits(header, 16, 15));
    case RecordType::Profiler:
      return bits(header, 16, 4) <= 2 && words >= 2;
    case RecordType::Large:
      return bits(header, 36, 4) == 0 && bits(header, 40, 4) <= 1 && !reserved(44, 20) &&
             words >= 3;
  }
  return words >= 1;
}

uint64_t words_of(uint64_t header) {
  return RecordType(bits(header, 0, 4)) == RecordType::Large ? bits(header, 4, 32)
                                                             : bits(header, 4, 12);
}

// The size in bytes of the record at `at`; 0 if it is invalid or incomplete.
size_t record_size(std::span<const uint8_t> file, size_t at) {
  if (file.size() - at < 8) return 0;
  const uint64_t header = word_at(file, at);
  const uint64_t words = words_of(header);
  if (words == 0 || words > (file.size() - at) / 8 || !could_be_record(header, words)) return 0;
  return static_cast<size_t>(words) * 8;
}

bool is_known(uint64_t header) {
  const uint64_t type = bits(header, 0, 4);
  return type <= uint64_t(RecordType::Profiler) || type == uint64_t(RecordType::Large);
}

// Whether `length` consecutive records of known types begin at `at`, or fewer up to the end.
bool chain(std::span<const uint8_t> file, size_t at, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (at == file.size()) return i > 1;
    const size_t size = record_size(file, at);
    if (size == 0 || !is_known(word_at(file, at))) return false;
    at += size;
  }
  return true;
}

// The next position where consecutive records begin; the file's size if there is none.
size_t find_chain(std::span<const uint8_t> file, size_t from) {
  for (size_t at = from; at < file.size() && file.size() - at >= 16; at++)
    if (chain(file, at, chain_length)) return at;
  return file.size();
}

// The definitions of one provider.
struct Provider {
  ctf::TickScale clock{1'000'000'000};
  std::unordered_map<uint32_t, StringId> texts;
  std::unordered_map<uint32_t, uint32_t> threads;  // values: indices into Records::threads
  std::unordered_set<uint32_t> missing;            // undefined strings, already reported
};

class Reader {
 public:
  Reader(std::span<const uint8_t> file, Trace& trace, Records& out, ExportReader& export_reader)
      : file_(file), trace_(trace), out_(out), export_reader_(export_reader) {
    out_.threads.push_back({});
  }

  void read(const Progress& progress);
  void finish();

 private:
  bool record(Cursor& bytes, uint64_t header);
  void metadata(Cursor& bytes, uint64_t header);
  bool event(Cursor& bytes, uint64_t header);
  bool scheduling(Cursor& bytes, uint64_t header);
  bool object(Cursor& bytes, uint64_t header, bool is_kernel);
  bool log(Cursor& bytes, uint64_t header);
  void skip(std::string_view what);

  StringId text(Cursor& bytes, uint64_t reference);
  std::string_view characters(Cursor& bytes, size_t size);
  uint32_t thread(Cursor& bytes, uint64_t reference);
  uint32_t thread_index(uint64_t process, uint64_t id);
  bool arguments(Cursor& bytes, uint64_t count, Record& record);
  void set_time(Record& record, uint64_t ticks);
  void add(const Record& record);
  void lose(const char* what, size_t at, uint64_t size, std::optional<uint64_t> events);

  std::span<const uint8_t> file_;
  Trace& trace_;
  Records& out_;
  ExportReader& export_reader_;
  std::map<uint64_t, Provider> providers_;
  Provider* provider_ = &providers_[UINT64_MAX];  // until a provider is named
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> threads_;
  std::map<std::string_view, uint64_t> skipped_;
  std::array<uint64_t, event_types> events_{};
  uint64_t switches_ = 0, wakeups_ = 0, logs_ = 0;
  uint64_t texts_ = 0, thread_records_ = 0, user_objects_ = 0, kernel_objects_ = 0;
  uint64_t sections_ = 0;
  size_t at_ = 0;          // of the current record
  uint64_t previous_ = 0;  // time of the previous record
  bool has_time_ = false;
};

void Reader::read(const Progress& progress) {
  uint64_t until_progress = 0;
  while (at_ < file_.size() && export_reader_.is_in_order()) {
    if (progress && until_progress-- == 0) {
      if (!progress(at_, file_.size())) return;
      until_progress = 1 << 16;
    }
    const size_t size = record_size(file_, at_);
    if (size == 0) {
      const size_t next = find_chain(file_, at_ + 1);
      lose(next == file_.size() ? "the last records are truncated or damaged" : "damaged records",
           at_, next - at_, {});
      at_ = next;
      continue;
    }
    const uint64_t header = word_at(file_, at_);
    Cursor bytes(file_.subspan(at_ + 8, size - 8), at_ + 8);
    const size_t arguments_before = out_.arguments.size();
    if (!record(bytes, header)) {
      out_.arguments.resize(arguments_before);
      // Its size may be the damaged part.
      const size_t next = chain(file_, at_ + size, chain_length) || at_ + size == file_.size()
                              ? at_ + size
                              : find_chain(file_, at_ + 8);
      lose("record damaged", at_, next - at_, {});
      at_ = next;
      continue;
    }
    const auto read = static_cast<size_t>(bytes.offset() - at_);
    if (read < size && is_known(header) && chain(file_, at_ + read, chain_length) &&
        !chain(file_, at_ + size, 1)) {
      lose("record size damaged", at_, 2, 0);
      at_ += read;
    } else {
      at_ += size;
    }
  }
  if (progress) progress(file_.size(), file_.size());
}

void Reader::finish() {
  for (const auto& [what, count] : skipped_)
    add_loss(trace_.losses, {.what = std::string(what) + ": " + std::to_string(count),
                             .bytes = 0,
                             .packets = 0,
                             .events = 0});
  TraceInfo& info = trace_.info;
  info.packets = std::max<uint64_t>(sections_, 1);
  const auto count = [](auto& list, std::string_view name, uint64_t n) {
    if (n) list.emplace_back(name, n);
  };
  for (size_t i = 0; i < event_types; i++) count(info.wire_kinds, event_names[i], events_[i]);
  count(info.wire_kinds, "context_switch", switches_);
  count(info.wire_kinds, "thread_wakeup", wakeups_);
  count(info.wire_kinds, "log", logs_);
  count(info.definitions, "string", texts_);
  count(info.definitions, "thread", thread_records_);
  count(info.definitions, "user_object", user_objects_);
  count(info.definitions, "kernel_object", kernel_objects_);

  std::vector<Record>& records = out_.records;
  // An object that precedes all other records gets the time of the next one.
  for (size_t i = records.size(); i-- > 0;)
    if (records[i].time == 0 && i + 1 < records.size() &&
        (records[i].kind == Record::Kind::UserObject ||
         records[i].kind == Record::Kind::KernelObject))
      records[i].time = records[i + 1].time;
  stable_sort(records, [](const Record& a, const Record& b) { return a.time < b.time; });
  if (!records.empty()) info.start = records.front().time;
  if (export_reader_.start()) info.start = *export_reader_.start();
}

bool Reader::record(Cursor& bytes, uint64_t header) {
  switch (RecordType(bits(header, 0, 4))) {
    case RecordType::Metadata:
      metadata(bytes, header);
      return !bytes.failed();
    case RecordType::Initialization: {
      const uint64_t ticks = bytes.u64();
      if (ticks == 0) return false;
      provider_->clock = ctf::TickScale(ticks);
      return true;
    }
    case RecordType::String: {
      const auto index = static_cast<uint32_t>(bits(header, 16, 15));
      const std::string_view value = characters(bytes, bits(header, 32, 15));
      if (bytes.failed()) return false;
      if (index != 0) provider_->texts[index] = trace_.strings.intern(value);
      texts_++;
      return true;
    }
    case RecordType::Thread: {
      const auto index = static_cast<uint32_t>(bits(header, 16, 8));
      const uint64_t process = bytes.u64();
      const uint64_t id = bytes.u64();
      if (index != 0) provider_->threads[index] = thread_index(process, id);
      thread_records_++;
      return true;
    }
    case RecordType::Event:
      return event(bytes, header);
    case RecordType::UserObject:
      return object(bytes, header, false);
    case RecordType::KernelObject:
      return object(bytes, header, true);
    case RecordType::Scheduling:
      return scheduling(bytes, header);
    case RecordType::Log:
      return log(bytes, header);
    case RecordType::Blob:
    case RecordType::Large:
      skip("blobs, which skein ignores");
      return true;
    case RecordType::Profiler:
      skip("profiler records, which skein ignores");
      return true;
  }
  skip("records of an unknown type");
  return true;
}

void Reader::skip(std::string_view what) { skipped_[what]++; }

void Reader::metadata(Cursor& bytes, uint64_t header) {
  switch (MetadataType(bits(header, 16, 4))) {
    case MetadataType::ProviderInfo:
      characters(bytes, bits(header, 52, 8));
      provider_ = &providers_[bits(header, 20, 32)];
      sections_++;
      return;
    case MetadataType::ProviderSection:
      provider_ = &providers_[bits(header, 20, 32)];
      return;
    case MetadataType::ProviderEvent:  // the only defined event: a buffer was full
      lose("dropped by the recorder: its buffer was full", at_, 0, {});
      return;
    case MetadataType::TraceInfo:
      return;
  }
}

bool Reader::event(Cursor& bytes, uint64_t header) {
  Record record{.type = EventType(bits(header, 16, 4))};
  const uint64_t ticks = bytes.u64();
  record.thread = thread(bytes, bits(header, 24, 8));
  record.category = text(bytes, bits(header, 32, 16));
  record.name = text(bytes, bits(header, 48, 16));
  if (!arguments(bytes, bits(header, 20, 4), record)) return false;
  if (has_id(record.type)) record.id = bytes.u64();
  if (bytes.failed()) return false;
  set_time(record, ticks);
  if (record.type == EventType::DurationComplete) {
    const uint64_t end = provider_->clock.ns(record.id);
    const bool can_be = end >= record.time && end - record.time <= longest_gap;
    if (!can_be) lose("slice end damaged", static_cast<size_t>(bytes.offset()) - 8, 8, 0);
    record.id = can_be ? end : record.time;
  }
  events_[static_cast<size_t>(record.type)]++;
  add(record);
  return true;
}

bool Reader::scheduling(Cursor& bytes, uint64_t header) {
  Record record{.kind = Record::Kind::ContextSwitch};
  const uint64_t ticks = bytes.u64();
  switch (SchedulingType(bits(header, 60, 4))) {
    case SchedulingType::LegacyContextSwitch: {
      record.cpu = static_cast<uint32_t>(bits(header, 16, 8));
      record.state = static_cast<uint8_t>(bits(header, 24, 4));
      const uint32_t from = thread(bytes, bits(header, 28, 8));
      const uint32_t to = thread(bytes, bits(header, 36, 8));
      if (bytes.failed()) return false;
      record.id = out_.threads[from].id;
      record.other = out_.threads[to].id;
      break;
    }
    case SchedulingType::ContextSwitch:
      record.cpu = static_cast<uint32_t>(bits(header, 20, 16));
      record.state = static_cast<uint8_t>(bits(header, 36, 4));
      record.id = bytes.u64();
      record.other = bytes.u64();
      if (!arguments(bytes, bits(header, 16, 4), record)) return false;
      break;
    case SchedulingType::Wakeup:
      record.kind = Record::Kind::Wakeup;
      record.cpu = static_cast<uint32_t>(bits(header, 20, 16));
      record.id = bytes.u64();
      if (!arguments(bytes, bits(header, 16, 4), record)) return false;
      break;
  }
  if (bytes.failed()) return false;
  set_time(record, ticks);
  (record.kind == Record::Kind::Wakeup ? wakeups_ : switches_)++;
  add(record);
  return true;
}

bool Reader::object(Cursor& bytes, uint64_t header, bool is_kernel) {
  Record record{.kind = is_kernel ? Record::Kind::KernelObject : Record::Kind::UserObject};
  record.id = bytes.u64();
  if (is_kernel) {
    record.cpu = static_cast<uint32_t>(bits(header, 16, 8));
  } else if (const uint64_t reference = bits(header, 16, 8); reference != 0) {
    record.thread = thread(bytes, reference);
  } else {
    record.thread = thread_index(bytes.u64(), 0);  // only the process follows, without a thread
  }
  record.name = text(bytes, bits(header, 24, 16));
  if (!arguments(bytes, bits(header, 40, 4), record)) return false;
  record.time = previous_;
  (is_kernel ? kernel_objects_ : user_objects_)++;
  add(record);
  return true;
}

bool Reader::log(Cursor& bytes, uint64_t header) {
  Record record{.kind = Record::Kind::Log};
  const uint64_t ticks = bytes.u64();
  record.thread = thread(bytes, bits(header, 32, 8));
  const std::string_view message = characters(bytes, bits(header, 16, 15));
  if (bytes.failed()) return false;
  record.name = trace_.strings.intern(message);
  set_time(record, ticks);
  logs_++;
  add(record);
  return true;
}

std::string_view Reader::characters(Cursor& bytes, size_t size) {
  const auto found = bytes.bytes(padded(size));
  if (bytes.failed()) return {};
  return {reinterpret_cast<const char*>(found.data()), size};
}

StringId Reader::text(Cursor& bytes, uint64_t reference) {
  if (reference == 0) return 0;
  if (reference & 0x8000) {
    const std::string_view value = characters(bytes, reference & 0x7fff);
    return value.empty() ? 0 : trace_.strings.intern(value);
  }
  const auto index = static_cast<uint32_t>(reference);
  const auto found = provider_->texts.find(index);
  if (found != provider_->texts.end()) return found->second;
  if (provider_->missing.insert(index).second)
    lose("a string that later records refer to is missing", at_, 0, 0);
  return trace_.strings.intern("(lost text " + std::to_string(index) + ")");
}

uint32_t Reader::thread_index(uint64_t process, uint64_t id) {
  const auto [found, added] =
      threads_.try_emplace({process, id}, static_cast<uint32_t>(out_.threads.size()));
  if (added) out_.threads.push_back({.process = process, .id = id});
  return found->second;
}

uint32_t Reader::thread(Cursor& bytes, uint64_t reference) {
  if (reference == 0) {
    const uint64_t process = bytes.u64();
    const uint64_t id = bytes.u64();
    return bytes.failed() ? 0 : thread_index(process, id);
  }
  const auto found = provider_->threads.find(static_cast<uint32_t>(reference));
  if (found != provider_->threads.end()) return found->second;
  if (provider_->missing.insert(static_cast<uint32_t>(reference) | 1u << 16).second)
    lose("a thread that later records refer to is missing", at_, 0, 0);
  return 0;
}

bool Reader::arguments(Cursor& bytes, uint64_t count, Record& record) {
  record.arguments = static_cast<uint32_t>(out_.arguments.size());
  record.argument_count = static_cast<uint8_t>(count);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t header = bytes.u64();
    const size_t words = bits(header, 4, 12);
    if (bytes.failed() || words == 0 || words - 1 > bytes.remaining() / 8) return false;
    const uint64_t origin = bytes.offset();
    Cursor inside(bytes.bytes((words - 1) * 8), origin);
    Argument argument{.name = text(inside, bits(header, 16, 16)),
                      .type = ArgumentType(bits(header, 0, 4))};
    switch (argument.type) {
      case ArgumentType::Null:
        break;
      case ArgumentType::Int32:
        argument.value = static_cast<uint64_t>(int64_t{static_cast<int32_t>(header >> 32)});
        break;
      case ArgumentType::Uint32:
        argument.value = header >> 32;
        break;
      case ArgumentType::Int64:
      case ArgumentType::Uint64:
      case ArgumentType::Double:
      case ArgumentType::Pointer:
      case ArgumentType::Koid:
        argument.value = inside.u64();
        break;
      case ArgumentType::String:
        argument.value = text(inside, bits(header, 32, 16));
        break;
      case ArgumentType::Bool:
        argument.value = bits(header, 32, 1);
        break;
    }
    if (inside.failed()) return false;
    out_.arguments.push_back(argument);  // of an unknown type: keeps the name
  }
  return !bytes.failed();
}

void Reader::set_time(Record& record, uint64_t ticks) {
  const uint64_t time = provider_->clock.ns(ticks);
  const uint64_t gap = time > previous_ ? time - previous_ : previous_ - time;
  if (time >= latest_time || (has_time_ && gap > longest_gap)) {
    lose("event time damaged", at_ + 8, 8, 0);
    record.time = previous_;
    record.time_guessed = true;
    return;
  }
  record.time = previous_ = time;
  has_time_ = true;
}

void Reader::add(const Record& record) { export_reader_.add(record, at_); }

void Reader::lose(const char* what, size_t at, uint64_t size, std::optional<uint64_t> events) {
  add_loss(trace_.losses,
           {.what = what, .offset = at, .bytes = size, .packets = 0, .events = events});
}

}  // namespace

void read_records(std::span<const uint8_t> file, Trace& trace, Records& records,
                  ExportReader& export_reader, const Progress& progress) {
  Reader reader(file, trace, records, export_reader);
  reader.read(progress);
  reader.finish();
}

bool looks_like_fxt(std::span<const uint8_t> bytes) {
  if (bytes.size() < 8) return false;
  const uint64_t first = word_at(bytes, 0);
  if (first == magic) return true;
  size_t right = 0;
  for (unsigned i = 0; i < 64; i += 8) right += bits(first, i, 8) == bits(magic, i, 8);
  if (right >= 6) return true;
  // Files of a single provider begin without the magic number. `bytes` may end inside a record.
  constexpr size_t enough = 16;
  size_t at = 0;
  for (size_t i = 0; i < enough; i++) {
    const size_t size = record_size(bytes, at);
    if (size == 0 || !is_known(word_at(bytes, at))) return false;
    at += size;
    if (at == bytes.size()) return i >= 2;
  }
  return true;
}

}  // namespace skein::fxt
