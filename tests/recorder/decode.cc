#include "tests/recorder/decode.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace skein::test {
namespace {

// The meaning of an event id, from the tables in skein/format.h.
struct IdFacts {
  const char* name = nullptr;
  uint8_t a = 0, b = 0;  // bytes
  bool b_signed = false;
  const char* fields = nullptr;  // of a fixed event
};

const std::vector<IdFacts>& facts_by_id() {
  static const std::vector<IdFacts> table = [] {
    std::vector<IdFacts> facts(256);
    for (const format::EventClass& event : format::kEventClasses)
      for (unsigned i = 0; i < format::ids(event.shape); ++i) {
        const format::Widths w = format::widths(event.shape, i);
        facts[event.first + i] = {event.name, w.a, w.b, event.shape == format::Shape::kSigned,
                                  nullptr};
      }
    for (const format::FixedEvent& event : format::kFixedEvents)
      facts[event.id] = {event.name, 0, 0, false, event.fields};
    return facts;
  }();
  return table;
}

struct Bytes {
  const unsigned char* at;
  const unsigned char* end;
  bool failed = false;

  uint64_t number(unsigned width) {
    if (static_cast<size_t>(end - at) < width) {
      failed = true;
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= uint64_t{at[i]} << (8 * i);
    at += width;
    return value;
  }
  std::string text() {
    const void* zero = memchr(at, 0, static_cast<size_t>(end - at));
    if (zero == nullptr) {
      failed = true;
      return {};
    }
    std::string result(reinterpret_cast<const char*>(at));
    at = static_cast<const unsigned char*>(zero) + 1;
    return result;
  }
};

// Reads the fields of a fixed event according to their TSDL. The first two numbers go to `a` and
// `b`, all numbers to `numbers`; texts are joined by newlines.
void read_fields(Bytes& bytes, const char* fields, Event& event, std::vector<uint64_t>& numbers) {
  std::string rest = fields;
  for (size_t semicolon; (semicolon = rest.find(';')) != std::string::npos;) {
    const std::string field = rest.substr(0, semicolon);
    rest.erase(0, semicolon + 1);
    if (field.find("string ") != std::string::npos) {
      if (!event.text.empty()) event.text += '\n';
      event.text += bytes.text();
    } else {
      const unsigned width = field.find("64_t") != std::string::npos   ? 8
                             : field.find("32_t") != std::string::npos ? 4
                                                                       : 1;
      numbers.push_back(bytes.number(width));
    }
  }
  if (!numbers.empty()) event.a = numbers[0];
  if (numbers.size() > 1) event.b = numbers[1];
}

void add_definition(Trace& trace, const Event& event, const std::vector<uint64_t>& n) {
  trace.definitions.push_back(event);
  const auto narrow = [&](size_t i) { return static_cast<uint32_t>(n[i]); };
  if (event.is("string")) {
    if (!trace.strings.emplace(narrow(0), event.text).second)
      trace.problems.push_back("string " + std::to_string(n[0]) + " is defined twice");
  } else if (event.is("place")) {
    const Trace::Place place = {narrow(1), narrow(2), narrow(3), narrow(4), narrow(5), narrow(6)};
    if (!trace.places.emplace(narrow(0), place).second)
      trace.problems.push_back("place " + std::to_string(n[0]) + " is defined twice");
  } else if (event.is("thread_name")) {
    trace.thread_names.emplace(n[0], event.text);
  } else if (event.is("module")) {
    trace.modules.push_back(event.text);
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string decode(const char* start, size_t size, Packet& packet, Trace* definitions) {
  format::PacketHeader& header = packet.header;
  if (size < sizeof header) return "shorter than a packet header";
  memcpy(&header, start, sizeof header);
  if (header.magic != format::kPacketMagic) return "no packet magic";
  if (header.format_version != format::kVersion) return "unknown version";
  if (header.stream_class != 0) return "unknown stream class";
  if (header.packet_size != size * 8) return "packet_size is not the file's";
  if (header.content_size % 8 != 0 || header.content_size < sizeof header * 8 ||
      header.content_size > header.packet_size)
    return "content_size is out of range";

  Bytes bytes{reinterpret_cast<const unsigned char*>(start) + sizeof header,
              reinterpret_cast<const unsigned char*>(start) + header.content_size / 8};
  uint64_t last = header.timestamp_begin;
  while (bytes.at < bytes.end) {
    const auto where = [&] {
      return " at byte " + std::to_string(bytes.at - reinterpret_cast<const unsigned char*>(start));
    };
    Event event = {};
    unsigned id = static_cast<unsigned>(bytes.number(1));
    if (id == format::k_extended) {
      id = static_cast<unsigned>(bytes.number(1));
      event.ticks = bytes.number(8);
      if (event.ticks < last) return "time goes back" + where();
    } else {
      constexpr uint64_t kLow = (uint64_t{1} << format::kTimeBits) - 1;
      const uint64_t low = bytes.number(3);
      // The low bits cannot have wrapped: the recorder writes an extended header after 2^24 ticks.
      event.ticks = last + ((low - last) & kLow);
    }
    const IdFacts& facts = facts_by_id()[id];
    if (facts.name == nullptr) return "unknown event " + std::to_string(id) + where();
    event.name = facts.name;
    if (facts.fields != nullptr) {
      std::vector<uint64_t> numbers;
      read_fields(bytes, facts.fields, event, numbers);
      if (!bytes.failed && definitions != nullptr) add_definition(*definitions, event, numbers);
    } else {
      event.a = bytes.number(facts.a);
      event.b = facts.b != 0 ? bytes.number(facts.b) : 0;
      if (facts.b_signed && facts.b < 8) {
        const unsigned up = 64 - 8 * facts.b;
        event.b = static_cast<uint64_t>(static_cast<int64_t>(event.b << up) >> up);
      }
    }
    if (bytes.failed) return "an event is cut" + where();
    if (definitions != nullptr && facts.fields == nullptr) definitions->definitions.push_back(event);
    last = event.ticks;
    (event.is("cpu_time")       ? packet.cpu_times
     : event.is("socket_bytes") ? packet.socket_bytes
                                : packet.events)
        .push_back(std::move(event));
  }
  return {};
}

void read_table(Trace& trace, const std::string& bytes) {
  if (bytes.size() < sizeof trace.table) {
    trace.problems.push_back(".tasks is cut");
    return;
  }
  memcpy(&trace.table, bytes.data(), sizeof trace.table);
  if (trace.table.magic != format::kTableMagic || trace.table.row_size != sizeof(format::TaskRow) ||
      bytes.size() < format::kTableHeaderSize + trace.table.rows_used * sizeof(format::TaskRow)) {
    trace.problems.push_back(".tasks: wrong header");
    return;
  }
  trace.rows.resize(trace.table.rows_used);
  memcpy(trace.rows.data(), bytes.data() + format::kTableHeaderSize,
         trace.rows.size() * sizeof(format::TaskRow));
}

// Requires consecutive sequence numbers, and packet times that never go back.
void check_stream(Trace& trace, Stream& stream) {
  std::sort(stream.packets.begin(), stream.packets.end(), [](const Packet& a, const Packet& b) {
    return a.header.packet_seq_num < b.header.packet_seq_num;
  });
  for (size_t i = 1; i < stream.packets.size(); ++i) {
    const Packet& a = stream.packets[i - 1];
    const Packet& b = stream.packets[i];
    const std::string name = a.file + ", " + b.file + ": ";
    if (b.header.packet_seq_num != a.header.packet_seq_num + 1 &&
        a.header.content_size != sizeof a.header * 8)
      trace.problems.push_back(name + "a packet is missing between them");
    const uint64_t end = a.events.empty() ? a.header.timestamp_begin : a.events.back().ticks;
    if (b.header.timestamp_begin < end) trace.problems.push_back(name + "time goes back");
  }
}

}  // namespace

std::vector<Event> Stream::events() const {
  std::vector<Event> all;
  for (const Packet& packet : packets)
    all.insert(all.end(), packet.events.begin(), packet.events.end());
  return all;
}

const std::string& Trace::text(uint64_t string) const {
  static const std::string none;
  const auto found = strings.find(static_cast<uint32_t>(string));
  return found != strings.end() ? found->second : none;
}

size_t Trace::count(const char* event) const {
  size_t n = 0;
  for (const Stream& stream : streams)
    for (const Packet& packet : stream.packets)
      for (const Event& each : packet.events) n += each.is(event) ? 1 : 0;
  return n;
}

uint64_t Trace::discarded() const {
  uint64_t sum = 0;
  for (const Stream& stream : streams) {
    uint64_t most = 0;
    for (const Packet& packet : stream.packets)
      most = std::max(most, packet.header.events_discarded);
    sum += most;
  }
  return sum;
}

uint64_t Trace::lost() const {
  uint64_t sum = discarded();
  for (const uint64_t each : table.lost) sum += each;
  return sum;
}

std::string decode_packet(const char* bytes, size_t size, Packet& packet) {
  return decode(bytes, size, packet, nullptr);
}

Trace read_trace(const std::string& directory) {
  Trace trace;
  trace.directory = directory;
  std::map<uint64_t, Stream> streams;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  uint8_t uuid[16] = {};
  for (const std::string& name : names) {
    const std::string bytes = read_file(directory + "/" + name);
    trace.bytes += bytes.size();
    if (name == "metadata") {
      trace.metadata = bytes;
    } else if (name == ".tasks") {
      read_table(trace, bytes);
    } else if (name[0] != '.') {
      Packet packet = {};
      packet.file = name;
      const bool is_names = name.rfind("names-", 0) == 0;
      const std::string wrong =
          decode(bytes.data(), bytes.size(), packet, is_names ? &trace : nullptr);
      if (!wrong.empty()) trace.problems.push_back(name + ": " + wrong);
      if (uuid[0] != 0 && memcmp(uuid, packet.header.uuid, sizeof uuid) != 0)
        trace.problems.push_back(name + ": another trace's packet");
      memcpy(uuid, packet.header.uuid, sizeof uuid);
      if (is_names) continue;
      Stream& stream = streams[packet.header.stream_instance];
      stream.instance = packet.header.stream_instance;
      stream.packets.push_back(std::move(packet));
    }
  }
  for (auto& [instance, stream] : streams) {
    check_stream(trace, stream);
    trace.streams.push_back(std::move(stream));
  }
  return trace;
}

}  // namespace skein::test
