#include "trace/read/ctf/wire.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/cursor.h"

namespace skein::ctf {

namespace {

struct Fields {
  std::array<char, 12> codes{};
  size_t count = 0;
};

// The TSDL of format.h is a list of `type name;`. An unknown type fails to compile.
consteval Fields parse_fields(std::string_view tsdl) {
  Fields fields;
  while (!tsdl.empty()) {
    const size_t end = tsdl.find(';');
    const std::string_view field = tsdl.substr(0, end);
    char code = 0;
    if (field.starts_with("uint32_t ")) code = 'w';
    if (field.starts_with("uint64_t ") || field.starts_with("int64_t ")) code = 'q';
    if (field.starts_with("enum task_kind ")) code = 'b';
    if (field.starts_with("string ")) code = 's';
    if (code == 0) std::abort();  // not constexpr: fails to compile
    fields.codes[fields.count++] = code;
    tsdl.remove_prefix(end + 1);
    while (tsdl.starts_with(' ')) tsdl.remove_prefix(1);
  }
  return fields;
}

struct AllFields {
  std::array<uint8_t, 256> of{};  // by id; leading ids have none
  std::array<Fields, 1 + std::size(format::kFixedEvents)> fields{};
};
consteval AllFields parse_all() {
  AllFields all;
  uint8_t count = 0;
  for (const format::FixedEvent& event : format::kFixedEvents) {
    all.of[event.id] = ++count;
    all.fields[count] = parse_fields(event.fields);
  }
  return all;
}
constexpr AllFields fixed = parse_all();

}  // namespace

std::string_view fixed_fields(uint8_t id) {
  const Fields& fields = fixed.fields[fixed.of[id]];
  return {fields.codes.data(), fields.count};
}

size_t fixed_size(uint8_t id, std::span<const uint8_t> fields) {
  // The search for the end of an unterminated string must not extend to the end of the packet.
  Cursor cursor(fields.first(std::min(fields.size(), size_t{format::kMaxEventSize})));
  for (const char code : fixed_fields(id)) {
    switch (code) {
      case 'b':
        cursor.skip(1);
        break;
      case 'w':
        cursor.skip(4);
        break;
      case 'q':
        cursor.skip(8);
        break;
      default:
        cursor.text();
    }
  }
  return cursor.failed() ? 0 : static_cast<size_t>(cursor.offset());
}

bool decode(std::span<const uint8_t> bytes, uint64_t last, Wire& wire) {
  if (bytes.empty()) return false;
  // Missing bytes read as zeros; the size is checked at the end.
  std::array<uint8_t, fast_bytes> start{};
  std::memcpy(start.data(), bytes.data(), std::min(bytes.size(), start.size()));
  size_t header = format::kHeaderSize;
  wire.id = start[0];
  if (wire.id == format::k_extended) {
    header = format::kExtendedHeaderSize;
    wire.id = start[1];
    wire.ticks = load64(start.data() + 2);
  } else {
    wire.ticks = extend_ticks(load64(start.data()), last);
  }
  const EventLayout& layout = event_layouts[wire.id];
  wire.event = layout.event;
  size_t size = header;
  switch (layout.layout) {
    case Layout::Numbers:
      load_arguments(start.data() + header, layout, wire);
      size += layout.size - format::kHeaderSize;
      break;
    case Layout::Fixed: {
      if (bytes.size() < header) return false;
      const size_t fields = fixed_size(wire.id, bytes.subspan(header));
      if (fields == 0) return false;
      size += fields;
      break;
    }
    case Layout::Unknown:
      return false;
  }
  wire.size = static_cast<uint16_t>(size);
  return size <= bytes.size();
}

}  // namespace skein::ctf
