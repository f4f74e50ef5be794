// The events of skein/format.h as tables, for code that handles all of them in the same way: the
// metadata text, readers, generators of test traces.
//
//   for (const EventClass& event : kEventClasses)
//     for (unsigned i = 0; i < ids(event.shape); i++)
//       use(event.first + i, widths(event.shape, i));
//
// Freestanding, constexpr.
#pragma once
#include <skein/format.h>

namespace skein::format {

struct EventClass {
  const char* name;
  uint8_t first;  // id
  Shape shape;
  const char* a;  // names of the arguments
  const char* b;  // "none" for Shape::kOne
};
inline constexpr EventClass kEventClasses[] = {
#define SKEIN_X(name, first, shape, a, b) {#name, first, Shape::shape, #a, #b},
    SKEIN_FORMAT_EVENTS(SKEIN_X)
#undef SKEIN_X
};

struct FixedEvent {
  const char* name;
  uint8_t id;
  const char* fields;  // TSDL
};
inline constexpr FixedEvent kFixedEvents[] = {
#define SKEIN_X(name, id, fields) {#name, id, fields},
    SKEIN_FORMAT_FIXED_EVENTS(SKEIN_X)
#undef SKEIN_X
};

struct NamedNumber {
  const char* name;
  uint8_t number;
};
inline constexpr NamedNumber kKinds[] = {
#define SKEIN_X(name, number) {#name, number},
    SKEIN_FORMAT_KINDS(SKEIN_X)
#undef SKEIN_X
};
inline constexpr NamedNumber kPauses[] = {
#define SKEIN_X(name, number) {#name, number},
    SKEIN_FORMAT_PAUSES(SKEIN_X)
#undef SKEIN_X
};
inline constexpr NamedNumber kLosses[] = {
#define SKEIN_X(name, number) {#name, number},
    SKEIN_FORMAT_LOSSES(SKEIN_X)
#undef SKEIN_X
};

// Returns the number of ids of an event of this shape.
constexpr unsigned ids(Shape shape) {
  return shape == Shape::kTwo || shape == Shape::kSigned ? 16 : 4;
}

// The widths in bytes of the two arguments of the event with id first + index; b is 0 if there is
// no second argument.
struct Widths {
  uint8_t a;
  uint8_t b;
};
constexpr Widths widths(Shape shape, unsigned index) {
  const auto low = static_cast<uint8_t>(1u << (index & 3));
  switch (shape) {
    case Shape::kOne:
      return {low, 0};
    case Shape::kSame:
      return {low, low};
    case Shape::kTwo:
    case Shape::kSigned:
      return {low, static_cast<uint8_t>(1u << (index >> 2 & 3))};
  }
  return {0, 0};
}

namespace detail {
// True if no two events have the same id and none has k_extended.
constexpr bool ids_are_distinct() {
  bool used[256] = {};
  used[k_extended] = true;
  for (const EventClass& event : kEventClasses)
    for (unsigned i = 0; i < ids(event.shape); i++) {
      if (used[event.first + i]) return false;
      used[event.first + i] = true;
    }
  for (const FixedEvent& event : kFixedEvents) {
    if (used[event.id]) return false;
    used[event.id] = true;
  }
  return true;
}
static_assert(ids_are_distinct());
}  // namespace detail

}  // namespace skein::format
