#include "profile/perf/perf_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/cursor.h"

namespace skein {

namespace {

constexpr std::string_view magic = "PERFILE2";
constexpr std::string_view other_order = "2ELIFREP";

// Types of records.
enum : uint32_t {
  record_mmap = 1,
  record_lost = 2,
  record_comm = 3,
  record_fork = 7,
  record_sample = 9,
  record_mmap2 = 10,
  record_lost_samples = 13,
  record_of_perf = 64,  // from here on they are of the tool, not of the kernel
  record_attribute = 64,
  record_tracing_data = 66,
  record_auxtrace = 71,
  record_event_update = 78,
  record_compressed = 81,
  record_compressed2 = 83,
};
// PERF_RECORD_MISC_: bits of a record's header.
constexpr uint16_t misc_mode = 7, misc_comm_exec = 1 << 13, misc_mmap_data = 1 << 13;

// PERF_SAMPLE_: bits of sample_type.
enum : uint64_t {
  has_ip = 1 << 0,
  has_tid = 1 << 1,
  has_time = 1 << 2,
  has_address = 1 << 3,
  has_read = 1 << 4,
  has_callchain = 1 << 5,
  has_id = 1 << 6,
  has_cpu = 1 << 7,
  has_period = 1 << 8,
  has_stream_id = 1 << 9,
  has_identifier = 1 << 16,
};
// PERF_FORMAT_: bits of read_format.
enum : uint64_t {
  format_enabled = 1 << 0,
  format_running = 1 << 1,
  format_id = 1 << 2,
  format_group = 1 << 3,
  format_lost = 1 << 4,
};

struct RecordHeader {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint16_t size = 0;
};
constexpr size_t header_size = 8;

RecordHeader header_at(std::span<const uint8_t> bytes) {
  Cursor cursor(bytes);
  return {.type = cursor.u32(), .misc = cursor.u16(), .size = cursor.u16()};
}

uint64_t u64_at(std::span<const uint8_t> bytes, size_t at) {
  return at <= bytes.size() && bytes.size() - at >= 8 ? Cursor(bytes.subspan(at)).u64() : 0;
}

std::span<const uint8_t> part(std::span<const uint8_t> bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

// PERF_COUNT_SW_ and PERF_COUNT_HW_, as `perf list` prints them.
std::string_view usual_name(uint32_t type, uint64_t config) {
  constexpr std::array<std::string_view, 10> hardware{"cycles",
                                                      "instructions",
                                                      "cache-references",
                                                      "cache-misses",
                                                      "branches",
                                                      "branch-misses",
                                                      "bus-cycles",
                                                      "stalled-cycles-frontend",
                                                      "stalled-cycles-backend",
                                                      "ref-cycles"};
  constexpr std::array<std::string_view, 9> software{
      "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
      "minor-faults", "major-faults", "alignment-faults", "emulation-faults"};
  if (type == 0 && config < hardware.size()) return hardware[config];
  if (type == 1 && config < software.size()) return software[config];
  return {};
}

// Up to the NUL, which pads it.
std::string_view text_of(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

// Words behind the records of an event that has sample_id_all, before the time and altogether.
struct Trailer {
  size_t before_time = 0;
  size_t words = 0;
  size_t before_id = 0;
};
Trailer trailer_of(uint64_t sample_type) {
  Trailer trailer;
  if (sample_type & has_tid) trailer.words++;
  trailer.before_time = trailer.words;
  if (sample_type & has_time) trailer.words++;
  trailer.before_id = trailer.words;
  for (const uint64_t one : {has_id, has_stream_id, has_cpu, has_identifier})
    if (sample_type & one) trailer.words++;
  return trailer;
}

}  // namespace

bool PerfFile::is_perf_file(std::span<const uint8_t> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), magic.size()));
  return head == magic || head == other_order || head == "PERFFILE";
}

Result<PerfFile> PerfFile::read(std::span<const uint8_t> bytes, const std::string& path) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), magic.size()));
  if (head == other_order)
    return Error{.what = "perf.data of a big-endian machine",
                 .file = path,
                 .advice = "fold it there with perf script and stackcollapse-perf.pl"};
  if (head != magic) return Error{.what = "not a perf.data that skein reads", .file = path};
  PerfFile file(bytes);
  Cursor cursor(bytes.subspan(magic.size()), magic.size());
  const uint64_t size = cursor.u64();
  if (cursor.failed())
    return Error{.what = "header cut short", .file = path, .offset = cursor.offset()};
  constexpr uint64_t pipe_header = 16;
  if (size == pipe_header) {
    const Result<void> found = file.find_records(pipe_header, bytes.size(), path);
    if (!found) return found.error();
    return file;
  }
  const uint64_t attribute_size = cursor.u64();
  const uint64_t attributes = cursor.u64(), attributes_size = cursor.u64();
  const uint64_t data = cursor.u64(), data_size = cursor.u64();
  cursor.skip(16);  // event types, of versions before 2011
  const auto features = cursor.bytes(32);
  if (cursor.failed())
    return Error{.what = "header cut short", .file = path, .offset = cursor.offset()};
  constexpr uint64_t ids_size = 16;  // where the ids of an event are: offset, size
  if (attribute_size < ids_size + 64 || data > bytes.size())
    return Error{.what = "damaged header of perf.data", .file = path};
  const auto section = part(bytes, attributes, attributes_size);
  for (uint64_t at = 0; section.size() - at >= attribute_size; at += attribute_size) {
    const auto ids = section.subspan(at + attribute_size - ids_size, ids_size);
    file.add_event(section.subspan(at, attribute_size - ids_size),
                   part(bytes, u64_at(ids, 0), u64_at(ids, 8)));
  }
  if (file.events_.empty()) return Error{.what = "perf.data without events", .file = path};
  // perf writes the size of the data at the end: it is 0 if perf was killed.
  const uint64_t end =
      data_size == 0 ? bytes.size() : data + std::min(data_size, bytes.size() - data);
  if (data_size == 0 || data_size > bytes.size() - data) file.is_cut_ = true;
  file.read_features(end, features);
  const Result<void> found = file.find_records(data, end, path);
  if (!found) return found.error();
  return file;
}

void PerfFile::add_event(std::span<const uint8_t> attribute, std::span<const uint8_t> ids) {
  Cursor cursor(attribute);
  PerfEvent event;
  event.type = cursor.u32();
  cursor.u32();  // its size
  event.config = cursor.u64();
  event.period = cursor.u64();
  event.sample_type = cursor.u64();
  event.read_format = cursor.u64();
  const uint64_t flags = cursor.u64();
  if (cursor.failed() || events_.size() >= 10'000) return;
  if (flags & uint64_t{1} << 10) event.period = 0;  // it is a frequency
  event.has_ids = (flags & uint64_t{1} << 18) != 0;
  event.name = usual_name(event.type, event.config);
  for (size_t at = 0; ids.size() - at >= 8; at += 8)
    event_of_id_.emplace(u64_at(ids, at), static_cast<uint32_t>(events_.size()));
  events_.push_back(std::move(event));
}

// For each feature whose bit is set a section, in the order of the bits.
void PerfFile::read_features(uint64_t at, std::span<const uint8_t> bits) {
  constexpr size_t build_id = 2, event_names = 12;
  for (size_t feature = 0; feature < bits.size() * 8; feature++) {
    if ((bits[feature / 8] >> (feature % 8) & 1) == 0) continue;
    const auto place = part(bytes_, at, 16);
    at += 16;
    if (place.size() < 16) return;
    const auto section = part(bytes_, u64_at(place, 0), u64_at(place, 8));
    if (feature == build_id) read_build_ids(section);
    if (feature == event_names) read_names(section);
  }
}

void PerfFile::read_names(std::span<const uint8_t> section) {
  Cursor cursor(section);
  const uint32_t count = cursor.u32();
  const uint32_t attribute_size = cursor.u32();
  for (uint32_t i = 0; i < count && i < events_.size() && !cursor.failed(); i++) {
    cursor.skip(attribute_size);
    const uint32_t ids = cursor.u32();
    const uint32_t size = cursor.u32();
    const std::string_view name = text_of(cursor.bytes(size));
    cursor.skip(size_t{ids} * 8);
    if (!cursor.failed() && !name.empty()) events_[i].name = name;
  }
}

void PerfFile::read_build_ids(std::span<const uint8_t> section) {
  constexpr size_t id_at = header_size + 4, id_space = 24, name_at = id_at + id_space;
  while (section.size() > name_at) {
    const RecordHeader header = header_at(section);
    if (header.size <= name_at || header.size > section.size()) return;
    // Newer versions note the size behind the 20 bytes.
    const uint8_t noted = section[id_at + 20];
    const size_t size = noted > 0 && noted <= 20 ? noted : 20;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string id;
    for (const uint8_t byte : section.subspan(id_at, size)) {
      id += digits[byte >> 4];
      id += digits[byte & 15];
    }
    build_ids_.emplace(text_of(section.subspan(name_at, header.size - name_at)), std::move(id));
    section = section.subspan(header.size);
  }
}

Result<void> PerfFile::find_records(uint64_t begin, uint64_t end, const std::string& path) {
  bool is_sorted = true;
  for (uint64_t at = begin; at < end;) {
    const auto rest = bytes_.subspan(at, end - at);
    const RecordHeader header = rest.size() < header_size ? RecordHeader{} : header_at(rest);
    if (header.size < header_size || header.size > rest.size()) {
      is_cut_ = true;
      break;
    }
    const auto record = rest.first(header.size);
    uint64_t size = header.size;
    switch (header.type) {
      case record_mmap:
      case record_mmap2:
      case record_comm:
      case record_fork:
      case record_sample:
      case record_lost:
      case record_lost_samples: {
        const uint64_t time = time_of(record);
        is_sorted &= places_.empty() || places_.back().time <= time;
        places_.push_back({time, at});
        break;
      }
      case record_attribute: {  // in a stream
        const auto body = record.subspan(header_size);
        const uint64_t attribute = body.size() >= 8 ? Cursor(body.subspan(4)).u32() : 0;
        if (attribute >= 64 && attribute <= body.size())
          add_event(body.first(attribute), body.subspan(attribute));
        break;
      }
      case record_event_update: {  // its type 2 is a name
        const auto body = record.subspan(header_size);
        if (body.size() < 16 || u64_at(body, 0) != 2) break;
        const auto event = event_of_id_.find(u64_at(body, 8));
        if (event != event_of_id_.end()) events_[event->second].name = text_of(body.subspan(16));
        break;
      }
      case record_tracing_data:  // data follow that are not in the size
        if (record.size() >= 12) size += (Cursor(record.subspan(8)).u32() + 7) & ~7U;
        break;
      case record_auxtrace:
        size += u64_at(record, 8);
        break;
      case record_compressed:
      case record_compressed2:
        return Error{.what = "compressed perf.data",
                     .file = path,
                     .offset = at,
                     .advice = "record without -z, or use perf inject to unpack it"};
      default:
        break;
    }
    if (size > rest.size()) {
      is_cut_ = true;
      break;
    }
    at += size;
  }
  // Each processor has a buffer: perf writes one after the other.
  if (!is_sorted)
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Place& a, const Place& b) { return a.time < b.time; });
  if (events_.empty()) return Error{.what = "perf.data without events", .file = path};
  return {};
}

const PerfEvent* PerfFile::event_of(std::span<const uint8_t> body, bool is_sample,
                                    uint32_t& index) const {
  index = 0;
  if (events_.empty()) return nullptr;
  const uint64_t type = events_[0].sample_type;
  if (events_.size() > 1) {
    uint64_t id = 0;
    if (type & has_identifier) {
      id = is_sample ? u64_at(body, 0) : body.size() < 8 ? 0 : u64_at(body, body.size() - 8);
    } else if (is_sample && type & has_id) {
      size_t at = 0;
      for (const uint64_t one : {has_ip, has_tid, has_time, has_address})
        if (type & one) at += 8;
      id = u64_at(body, at);
    } else if (!is_sample && type & has_id && events_[0].has_ids) {
      const Trailer trailer = trailer_of(type);
      if (body.size() / 8 >= trailer.words)
        id = u64_at(body, body.size() - (trailer.words - trailer.before_id) * 8);
    }
    if (const auto found = event_of_id_.find(id); found != event_of_id_.end())
      index = found->second;
  }
  return &events_[index];
}

uint64_t PerfFile::time_of(std::span<const uint8_t> record) const {
  const bool is_sample = header_at(record).type == record_sample;
  const auto body = record.subspan(header_size);
  uint32_t index = 0;
  const PerfEvent* event = event_of(body, is_sample, index);
  if (event == nullptr || (event->sample_type & has_time) == 0) return 0;
  if (is_sample) {
    size_t at = 0;
    for (const uint64_t one : {has_identifier, has_ip, has_tid})
      if (event->sample_type & one) at += 8;
    return u64_at(body, at);
  }
  if (!event->has_ids) return 0;
  const Trailer trailer = trailer_of(event->sample_type);
  if (body.size() / 8 < trailer.words) return 0;
  return u64_at(body, body.size() - (trailer.words - trailer.before_time) * 8);
}

bool PerfFile::parse(uint64_t offset, PerfRecord& record) const {
  const auto rest = bytes_.subspan(offset);
  const RecordHeader header = header_at(rest);
  const auto body = rest.subspan(header_size, header.size - header_size);
  Cursor cursor(body);
  switch (header.type) {
    case record_mmap:
    case record_mmap2:
      if (header.type == record_mmap && header.misc & misc_mmap_data) return false;
      record.type = PerfRecord::Type::Mapping;
      record.pid = cursor.u32();
      record.tid = cursor.u32();
      record.begin = cursor.u64();
      record.size = cursor.u64();
      record.offset = cursor.u64();
      if (header.type == record_mmap2) {
        cursor.skip(24);  // device and inode, or a build id
        const uint32_t protection = cursor.u32();
        cursor.u32();
        if ((protection & 4) == 0) return false;  // not executable
      }
      break;
    case record_comm:
      record.type = PerfRecord::Type::Name;
      record.is_exec = (header.misc & misc_comm_exec) != 0;
      record.pid = cursor.u32();
      record.tid = cursor.u32();
      break;
    case record_fork:
      record.type = PerfRecord::Type::Fork;
      record.pid = cursor.u32();
      record.parent = cursor.u32();
      record.tid = cursor.u32();
      record.parent_thread = cursor.u32();
      return !cursor.failed();
    case record_lost:
      record.type = PerfRecord::Type::Lost;
      cursor.u64();  // the event's id
      record.lost = cursor.u64();
      return !cursor.failed();
    case record_lost_samples:
      record.type = PerfRecord::Type::Lost;
      record.lost = cursor.u64();
      return !cursor.failed();
    default:
      record.type = PerfRecord::Type::Sample;
      record.mode = header.misc & misc_mode;
      return parse_sample(body, record);
  }
  if (cursor.failed()) return false;
  record.text = text_of(body.subspan(body.size() - cursor.remaining()));
  return true;
}

bool PerfFile::parse_sample(std::span<const uint8_t> body, PerfRecord& record) const {
  const PerfEvent* event = event_of(body, true, record.event);
  if (event == nullptr) return false;
  const uint64_t type = event->sample_type;
  Cursor cursor(body);
  if (type & has_identifier) cursor.u64();
  if (type & has_ip) record.address = cursor.u64();
  if (type & has_tid) {
    record.pid = cursor.u32();
    record.tid = cursor.u32();
  }
  if (type & has_time) record.time = cursor.u64();
  for (const uint64_t one : {has_address, has_id, has_stream_id, has_cpu})
    if (type & one) cursor.u64();
  if (type & has_period)
    record.period = cursor.u64();
  else
    record.period = event->period == 0 ? 1 : event->period;
  if (type & has_read) {
    const uint64_t format = event->read_format;
    const size_t each = 8 * (1 + ((format & format_id) != 0) + ((format & format_lost) != 0));
    const size_t times =
        8 * (size_t{(format & format_enabled) != 0} + ((format & format_running) != 0));
    if (format & format_group) {
      const uint64_t count = cursor.u64();
      cursor.skip(times);
      if (count > cursor.remaining() / each) return false;
      cursor.skip(count * each);
    } else {
      cursor.skip(times + each);
    }
  }
  if (type & has_callchain) {
    const uint64_t count = cursor.u64();
    if (count > cursor.remaining() / 8) return false;
    record.chain = cursor.bytes(count * 8);
  }
  return !cursor.failed();
}

}  // namespace skein
