// One event as it lies in a packet: its size, its id, its arguments.
//
//   Wire event;
//   while (decode(bytes, last_ticks, event)) { use(event); bytes = bytes.subspan(event.size); ... }
//
// The layout of every id comes from the tables of skein/events.h. This is the inner loop of reading
// (bench/decode.cc): arguments are loaded as 8 bytes and masked, where 8 bytes are there.
#pragma once

#include <skein/events.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace skein::ctf {

struct Wire {
  uint64_t ticks = 0;
  uint64_t a = 0;
  uint64_t b = 0;     // sign-extended in Shape::kSigned
  uint16_t size = 0;  // header included
  uint8_t id = 0;     // as it lies there
  uint8_t event = 0;  // id of the first event of its name: format::k_create ...
};

// Where the fields behind the ids of a fixed layout are; for those `a` and `b` are not set.
enum class Layout : uint8_t { Unknown, Numbers, Signed, Fixed };

struct EventLayout {
  uint64_t mask_a = 0;
  uint64_t mask_b = 0;
  uint8_t width_a = 0;
  uint8_t width = 0;  // of all arguments; without texts
  uint8_t event = 0;
  Layout layout = Layout::Unknown;
  uint8_t sign_shift = 0;
};

consteval std::array<EventLayout, 256> make_event_layouts() {
  constexpr auto mask = [](unsigned width) {
    return width == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * width);
  };
  std::array<EventLayout, 256> layouts;
  for (const format::EventClass& event : format::kEventClasses)
    for (unsigned i = 0; i < format::ids(event.shape); i++) {
      const format::Widths widths = format::widths(event.shape, i);
      const bool is_signed = event.shape == format::Shape::kSigned;
      layouts[event.first + i] = {
          .mask_a = mask(widths.a),
          .mask_b = mask(widths.b),
          .width_a = widths.a,
          .width = static_cast<uint8_t>(widths.a + widths.b),
          .event = event.first,
          .layout = is_signed ? Layout::Signed : Layout::Numbers,
          .sign_shift = static_cast<uint8_t>(64 - 8 * (is_signed ? widths.b : 8)),
      };
    }
  for (const format::FixedEvent& event : format::kFixedEvents)
    layouts[event.id] = {.event = event.id, .layout = Layout::Fixed};
  return layouts;
}
inline constexpr std::array<EventLayout, 256> event_layouts = make_event_layouts();

// The fields of the fixed events, from their TSDL: 'b' u8, 'w' u32, 'q' 64 bits, 's' text.
std::string_view fixed_fields(uint8_t id);

// Bytes that the fields of a fixed event take; 0 when they do not fit.
size_t fixed_size(uint8_t id, std::span<const uint8_t> fields);

inline uint64_t load64(const uint8_t* from) {
  static_assert(std::endian::native == std::endian::little, "a big-endian host must swap here");
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Reads the event at the beginning of `bytes`; `last` are the ticks of the one before. False when
// no event can be read there: it is cut short, or its id is unknown.
inline bool decode(std::span<const uint8_t> bytes, uint64_t last, Wire& wire) {
  constexpr size_t most = format::kExtendedHeaderSize + 16;
  std::array<uint8_t, most + 8> tail;
  const uint8_t* at = bytes.data();
  if (bytes.size() < tail.size()) [[unlikely]] {
    if (bytes.empty()) return false;
    tail = {};
    std::memcpy(tail.data(), at, bytes.size());
    at = tail.data();
  }
  const uint64_t head = load64(at);
  size_t header = format::kHeaderSize;
  wire.id = static_cast<uint8_t>(head);
  if (wire.id == format::k_extended) [[unlikely]] {
    header = format::kExtendedHeaderSize;
    wire.id = at[1];
    wire.ticks = load64(at + 2);
  } else {
    constexpr uint64_t low = (uint64_t{1} << format::kTimeBits) - 1;
    wire.ticks = last + (((head >> 8) - last) & low);
  }
  const EventLayout& layout = event_layouts[wire.id];
  wire.event = layout.event;
  size_t size = header + layout.width;
  switch (layout.layout) {
    case Layout::Numbers:
      wire.a = load64(at + header) & layout.mask_a;
      wire.b = load64(at + header + layout.width_a) & layout.mask_b;
      break;
    case Layout::Signed:
      wire.a = load64(at + header) & layout.mask_a;
      wire.b = static_cast<uint64_t>(
          static_cast<int64_t>(load64(at + header + layout.width_a) << layout.sign_shift) >>
          layout.sign_shift);
      break;
    case Layout::Fixed: {
      if (bytes.size() < header) return false;
      const size_t fields = fixed_size(wire.id, bytes.subspan(header));
      if (fields == 0) return false;
      size = header + fields;
      break;
    }
    case Layout::Unknown:
      return false;
  }
  wire.size = static_cast<uint16_t>(size);
  return size <= bytes.size();
}

}  // namespace skein::ctf
