// One event as encoded in a packet: its size, id and arguments.
//
//   Wire event;
//   while (decode(bytes, last_ticks, event)) { use(event); bytes = bytes.subspan(event.size); ... }
//
// The layout of every id comes from the tables of skein/events.h. This is the inner loop of reading
// (bench/decode.cc): arguments are loaded as 8 bytes and masked, if 8 bytes are available.
#pragma once

#include <skein/events.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

// The tables are computed at compile time. In the web page's module they would take 3 kB,
// compressed, and are computed at startup instead: the asm hides the number from the compiler.
#ifdef __wasm__
#define SKEIN_TABLE const
#define SKEIN_AT_START(number) asm volatile("" : "+r"(number))
#else
#define SKEIN_TABLE constexpr
#define SKEIN_AT_START(number) static_cast<void>(0)
#endif

namespace skein::ctf {

struct Wire {
  uint64_t ticks = 0;
  uint64_t a = 0;
  uint64_t b = 0;     // sign-extended in Shape::kSigned
  uint16_t size = 0;  // including the header
  uint8_t id = 0;     // as encoded
  uint8_t event = 0;  // first id of the event class: format::k_create ...
};

enum class Layout : uint8_t { Unknown, Numbers, Fixed };

// Locates the arguments of an id; for those of a fixed event, see fixed_fields().
struct EventLayout {
  uint64_t mask_a = 0;
  uint64_t mask_b = 0;
  uint64_t sign_b = 0;  // the sign bit, if b is signed
  uint8_t least_a = 0;  // smallest valid value of a
  uint8_t width_a = 0;
  uint8_t size = 0;  // with a header that is not extended
  uint8_t event = 0;
  Layout layout = Layout::Unknown;
};

// With this many bytes left, an event of Layout::Numbers needs no bounds check.
inline constexpr size_t fast_bytes = format::kExtendedHeaderSize + 16 + 8;

// A compact form: widths of the arguments, event, layout.
struct ShortLayout {
  uint8_t a = 0;
  uint8_t b = 0;
  uint8_t event = 0;
  Layout layout = Layout::Unknown;
  bool is_signed = false;
};

consteval std::array<ShortLayout, 256> make_short_layouts() {
  std::array<ShortLayout, 256> layouts;
  for (const format::EventClass& event : format::kEventClasses)
    for (unsigned i = 0; i < format::ids(event.shape); i++) {
      const format::Widths widths = format::widths(event.shape, i);
      layouts[event.first + i] = {widths.a, widths.b, event.first, Layout::Numbers,
                                  event.shape == format::Shape::kSigned};
    }
  for (const format::FixedEvent& event : format::kFixedEvents)
    layouts[event.id] = {0, 0, event.id, Layout::Fixed, false};
  return layouts;
}
inline constexpr std::array<ShortLayout, 256> short_layouts = make_short_layouts();

constexpr EventLayout expand(const ShortLayout& s) {
  constexpr auto mask = [](unsigned width) {
    return width == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * width);
  };
  if (s.layout != Layout::Numbers)
    return {.least_a = 1, .event = s.event, .layout = s.layout};  // slow path: masked a is 0
  return {
      .mask_a = mask(s.a),
      .mask_b = mask(s.b),
      .sign_b = s.is_signed ? uint64_t{1} << (8 * s.b - 1) : 0,
      .least_a = s.event == format::k_create,
      .width_a = s.a,
      .size = static_cast<uint8_t>(format::kHeaderSize + s.a + s.b),
      .event = s.event,
      .layout = s.layout,
  };
}

constexpr std::array<EventLayout, 256> make_event_layouts() {
  std::array<EventLayout, 256> layouts;
  for (size_t id = 0; id < layouts.size(); id++) {
    SKEIN_AT_START(id);
    layouts[id] = expand(short_layouts[id]);
  }
  return layouts;
}
inline SKEIN_TABLE std::array<EventLayout, 256> event_layouts = make_event_layouts();

// The fields of the fixed events, from their TSDL: 'b' u8, 'w' u32, 'q' 64 bits, 's' string.
std::string_view fixed_fields(uint8_t id);

// Size in bytes of a fixed event's fields; 0 if they do not fit.
size_t fixed_size(uint8_t id, std::span<const uint8_t> fields);

inline uint64_t load64(const uint8_t* from) {
  static_assert(std::endian::native == std::endian::little, "a big-endian host must swap here");
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline uint64_t extend_ticks(uint64_t head, uint64_t last) {
  constexpr uint64_t low = (uint64_t{1} << format::kTimeBits) - 1;
  return last + (((head >> 8) - last) & low);
}

inline void load_arguments(const uint8_t* from, const EventLayout& layout, Wire& wire) {
  wire.a = load64(from) & layout.mask_a;
  const uint64_t b = load64(from + layout.width_a) & layout.mask_b;
  wire.b = (b ^ layout.sign_b) - layout.sign_b;
}

// Decodes the event at the beginning of `bytes`; `last` is the time of the previous event in ticks.
// Returns false if the event is truncated or its id is unknown.
bool decode(std::span<const uint8_t> bytes, uint64_t last, Wire& wire);

// Fast path of decode() for an event with numeric arguments and a short header that is neither near
// the end of a packet nor all zeros. `bytes` has at least fast_bytes bytes; `layout` is that of the
// first byte. Returns false for all other events; `wire` is then unspecified.
[[gnu::always_inline]] inline bool decode_usual(const uint8_t* bytes, const EventLayout& layout,
                                                uint64_t last, Wire& wire) {
  const uint64_t head = load64(bytes);
  wire.id = static_cast<uint8_t>(head);
  wire.event = layout.event;
  wire.size = layout.size;
  wire.ticks = extend_ticks(head, last);
  load_arguments(bytes + format::kHeaderSize, layout, wire);
  return wire.a >= layout.least_a;
}

}  // namespace skein::ctf
