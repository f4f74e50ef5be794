#include "profile/perf/perf_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/cursor.h"
#include "target/unpacker.h"

namespace skein {

namespace {

constexpr std::string_view magic = "PERFILE2";
constexpr std::string_view other_order = "2ELIFREP";

// Types of records that are of the tool, not of the kernel.
enum : uint32_t {
  record_attribute = 64,
  record_tracing_data = 66,
  record_auxtrace = 71,
  record_event_update = 78,
  record_compressed = 81,
  record_compressed2 = 83,
};
uint64_t u64_at(std::span<const uint8_t> bytes, size_t at) {
  return at <= bytes.size() && bytes.size() - at >= 8 ? Cursor(bytes.subspan(at)).u64() : 0;
}

std::span<const uint8_t> part(std::span<const uint8_t> bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

// Up to the NUL, which pads it.
std::string_view text_of(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

// Data that follow a record and are not in its size.
uint64_t size_behind(const PerfRecordHeader& header, std::span<const uint8_t> record) {
  if (header.type == record_tracing_data && record.size() >= 12)
    return (Cursor(record.subspan(8)).u32() + 7) & ~7U;
  return header.type == record_auxtrace ? u64_at(record, 8) : 0;
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
  PerfEvent event;
  if (!event.read(attribute) || events_.size() >= 10'000) return;
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
    if (feature == LogicalStacks::feature) read_logical(u64_at(place, 0), section);
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
  constexpr size_t id_at = perf_header_size + 4, id_space = 24, name_at = id_at + id_space;
  while (section.size() > name_at) {
    const PerfRecordHeader header = perf_record_header(section);
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

void PerfFile::read_logical(uint64_t offset, std::span<const uint8_t> section) {
  if (Result<LogicalStacks> read = LogicalStacks::read(section, offset))
    logical_ = std::move(*read);
  else
    is_cut_ = true;
}

// All compressed records together are one stream of zstd, which perf does not end, and whose
// content are records: one of them may begin in one compressed record and end in the next. The
// order of records does not matter, as they have times.
Result<void> PerfFile::unpack_records(uint64_t begin, uint64_t end, const std::string& path) {
  constexpr size_t piece = 1 << 20;
  constexpr size_t largest = size_t{8} << 30;  // bytes
  std::vector<uint8_t> packed;
  auto records = std::make_shared<std::vector<uint8_t>>();
  uint64_t first = end;
  for (uint64_t at = begin; end - at >= perf_header_size;) {
    const auto rest = bytes_.subspan(at, end - at);
    const PerfRecordHeader header = perf_record_header(rest);
    uint64_t size = header.size;
    if (size < perf_header_size) break;
    const auto record = rest.first(std::min<uint64_t>(size, rest.size()));
    if (header.type == record_compressed || header.type == record_compressed2) {
      first = std::min(first, at);
      auto content = record.subspan(perf_header_size);
      if (header.type == record_compressed2) content = part(content, 8, u64_at(content, 0));
      packed.insert(packed.end(), content.begin(), content.end());
    } else if (header.type != record_attribute || first != end) {  // those before are known
      size += size_behind(header, record);
      const auto whole = part(rest, 0, size);
      records->insert(records->end(), whole.begin(), whole.end());
    }
    if (size > rest.size()) {
      is_cut_ = true;
      break;
    }
    at += size;
  }
  const std::unique_ptr<Unpacker> unpacker = make_unpacker(packed);
  if (unpacker == nullptr)
    return Error{.what = "compressed records of perf.data cannot be unpacked",
                 .file = path,
                 .offset = first,
                 .advice = "record without -z"};
  // Copies of stacks have many zeros, but not that many.
  const size_t most = records->size() + std::min(largest, piece + 4096 * packed.size());
  for (;;) {
    const size_t size = records->size();
    if (size > most)
      return Error{.what = "compressed records of more than 8 GiB, or 4096 times their size",
                   .file = path,
                   .offset = first,
                   .advice = "record for a shorter time, or without -z"};
    records->resize(size + piece);
    const size_t count = unpacker->read(std::span(*records).subspan(size));
    records->resize(size + count);
    if (count == 0) break;
  }
  unpacked_ = std::move(records);
  bytes_ = *unpacked_;
  places_.clear();
  return find_records(0, bytes_.size(), path);
}

Result<void> PerfFile::find_records(uint64_t begin, uint64_t end, const std::string& path) {
  bool is_sorted = true;
  for (uint64_t at = begin; at < end;) {
    const auto rest = bytes_.subspan(at, end - at);
    const PerfRecordHeader header =
        rest.size() < perf_header_size ? PerfRecordHeader{} : perf_record_header(rest);
    if (header.size < perf_header_size || header.size > rest.size()) {
      is_cut_ = true;
      break;
    }
    const auto record = rest.first(header.size);
    const uint64_t size = header.size + size_behind(header, record);
    switch (header.type) {
      case perf_record_mmap:
      case perf_record_mmap2:
      case perf_record_comm:
      case perf_record_fork:
      case perf_record_exit:
      case perf_record_sample:
      case perf_record_switch:
      case perf_record_switch_cpu_wide:
      case perf_record_lost:
      case perf_record_lost_samples: {
        uint32_t index = 0;
        const PerfEvent* event =
            event_of(record.subspan(perf_header_size), header.type == perf_record_sample, index);
        const uint64_t time = event == nullptr ? 0 : perf_record_time(record, *event);
        is_sorted &= places_.empty() || places_.back().time <= time;
        places_.push_back({time, at});
        break;
      }
      case record_attribute: {  // in a stream
        const auto body = record.subspan(perf_header_size);
        const uint64_t attribute = body.size() >= 8 ? Cursor(body.subspan(4)).u32() : 0;
        if (attribute >= 64 && attribute <= body.size())
          add_event(body.first(attribute), body.subspan(attribute));
        break;
      }
      case record_event_update: {  // its type 2 is a name
        const auto body = record.subspan(perf_header_size);
        if (body.size() < 16 || u64_at(body, 0) != 2) break;
        const auto event = event_of_id_.find(u64_at(body, 8));
        if (event != event_of_id_.end()) events_[event->second].name = text_of(body.subspan(16));
        break;
      }
      case record_compressed:
      case record_compressed2:
        if (unpacked_ == nullptr) return unpack_records(begin, end, path);
        break;
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

Result<PerfFile::Chosen> PerfFile::choose_event(const std::string& name,
                                                const std::string& path) const {
  Chosen chosen{.samples = std::vector<uint64_t>(events_.size())};
  for_each([&](const PerfRecord& record) {
    if (record.type == PerfRecord::Type::Sample) chosen.samples[record.event]++;
  });
  std::string known;
  for (const PerfEvent& event : events_) known += (known.empty() ? "" : ", ") + event.name;
  for (uint32_t& i = chosen.event; i < events_.size(); i++) {
    if (name.empty() ? chosen.samples[i] == 0 : events_[i].name != name) continue;
    if (chosen.samples[i] == 0) break;
    return chosen;
  }
  if (!name.empty())
    return Error{
        .what = "no samples of event '" + name + "'", .file = path, .advice = "it has: " + known};
  return Error{.what = "no samples", .file = path, .advice = "record for longer"};
}

const PerfEvent* PerfFile::event_of(std::span<const uint8_t> body, bool is_sample,
                                    uint32_t& index) const {
  index = 0;
  if (events_.empty()) return nullptr;
  const uint64_t type = events_[0].sample_type;
  if (events_.size() > 1) {
    uint64_t id = 0;
    if (type & perf_has_identifier) {
      id = is_sample ? u64_at(body, 0) : body.size() < 8 ? 0 : u64_at(body, body.size() - 8);
    } else if (is_sample && type & perf_has_id) {
      size_t at = 0;
      for (const uint64_t one : {perf_has_ip, perf_has_tid, perf_has_time, perf_has_address})
        if (type & one) at += 8;
      id = u64_at(body, at);
    } else if (!is_sample && type & perf_has_id && events_[0].has_ids) {
      const PerfTrailer trailer = perf_trailer(type);
      if (body.size() / 8 >= trailer.words)
        id = u64_at(body, body.size() - (trailer.words - trailer.before_id) * 8);
    }
    if (const auto found = event_of_id_.find(id); found != event_of_id_.end())
      index = found->second;
  }
  return &events_[index];
}

bool PerfFile::parse(uint64_t offset, PerfRecord& record) const {
  const auto rest = bytes_.subspan(offset);
  const PerfRecordHeader header = perf_record_header(rest);
  const auto bytes = rest.first(header.size);
  const PerfEvent* event =
      event_of(bytes.subspan(perf_header_size), header.type == perf_record_sample, record.event);
  return event != nullptr && parse_perf_record(bytes, *event, record);
}

}  // namespace skein
