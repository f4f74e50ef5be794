// The hot path: writes one operation of a program (a task resumes, suspends, ends) as one or more
// events with one time stamp and one commit.
//
//   Emission e(writer);            // or PlainEmission
//   if (!e.begin()) return;        // reads the clock, checks the room
//   e.one(format::k_resolve, id);  // encodes; as many events as fit kPlainMargin
//   e.commit();                    // one release store: a reader sees all of them, or none
//
// Each operation is compiled for two emissions:
//   PlainEmission  the fast path: handles the common case and makes no call. In every other case
//                  (no room, a pause before it, a new place, an empty list of rows) it gives up
//                  before it changes anything; readers ignore bytes after the commit.
//   Emission       the slow path: handles every case. Used for the second attempt, and for rare
//                  operations.
// The clock read takes 27 cycles in which hardly anything else proceeds (Cascade Lake: 16
// independent instructions beside it are nearly free, each further one costs a quarter of a cycle),
// so the cost of an event is its number of instructions. A function that makes no call saves no
// register, keeps its state in registers, and is half as long: docs/performance.md.
//
// docs/performance.md compares encodings. Two decisions matter. An argument's width is a class in
// the event id: a variable-length code costs a loop, or makes the next store's address depend on
// the argument. The time stamp has a fixed width: with a variable one the next store's address
// depends on the clock read (17 to 21 ns instead of 10).
#pragma once
#include <skein/format.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/writer.h"

// For every function of the hot path: a call would move the emission to memory, so that each change
// of its position would be a store and a load.
#define SKEIN_HOT [[gnu::always_inline]] inline

namespace skein::record {

// Maps a value's highest set bit to its width class and its width in bytes. Two loads take three
// instructions less than comparisons and a shift.
struct WidthTable {
  uint8_t classes[64] = {};
  uint8_t bytes[64] = {};
  constexpr WidthTable() {
    for (unsigned bit = 0; bit < 64; ++bit) {
      const unsigned width = bit < 8 ? 0 : bit < 16 ? 1 : bit < 32 ? 2 : 3;
      classes[bit] = static_cast<uint8_t>(width);
      bytes[bit] = static_cast<uint8_t>(1u << width);
    }
  }
};
inline constexpr WidthTable kWidths;

struct Width {
  unsigned id;  // the class
  size_t bytes;
};
SKEIN_HOT size_t highest_bit(uint64_t value) {
#if defined(__x86_64__)
  if (!__builtin_constant_p(value)) {  // the builtin's int costs a sign extension
    size_t bit;
    asm("bsrq %1, %0" : "=r"(bit) : "r"(value) : "cc");
    return bit;
  }
#endif
  return static_cast<size_t>(63 ^ __builtin_clzll(value));
}
SKEIN_HOT Width width_of(uint64_t value) {
  const size_t bit = highest_bit(value | 1);
  return {kWidths.classes[bit], kWidths.bytes[bit]};
}
// The width of the narrowest two's complement that holds a signed value.
SKEIN_HOT Width width_of_signed(int64_t value) {
  return width_of((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

SKEIN_HOT void store8(char* at, uint64_t value) { __builtin_memcpy(at, &value, 8); }
SKEIN_HOT void store4(char* at, uint32_t value) { __builtin_memcpy(at, &value, 4); }

// The position of an emission, passed to cold code by value and returned by it.
struct Reached {
  char* at;
  uint64_t now;
};
[[gnu::noinline, gnu::cold]] Reached extended_header(Writer& writer, Reached from, unsigned id);
[[gnu::noinline, gnu::cold]] Reached put_cpu_time(Writer& writer, Reached from);
[[gnu::noinline, gnu::cold]] char* put_text(char* at, const char* text, size_t size);

template <bool plain>
class BasicEmission {
 public:
  static constexpr bool kPlain = plain;

  SKEIN_HOT explicit BasicEmission(Writer* writer) : writer_(writer) {}

  // Precondition: the writer belongs to this executor and is marked as in use. Returns false if
  // there is no room. Unless plain, the event is then counted as discarded and the writer is no
  // longer in use.
  SKEIN_HOT bool begin([[maybe_unused]] bool text = false) {
    if constexpr (plain) {
      now_ = read_tsc() >> format::kTickShift;
      at_ = writer_->pos;
      return at_ < limit_of(*writer_) && now_ - writer_->last < format::kQuietTicks;
    } else {
      now_ = read_ticks(writer_->counter);
      at_ = writer_->pos;
      if (at_ >= limit_of(*writer_) || text) [[unlikely]] {
        writer_ = host.make_room(writer_, now_, text);
        if (writer_ == nullptr) return false;
        at_ = writer_->pos;
      }
      // A program that computes and one that waits for a processor look the same by the clock.
      if (now_ - writer_->last >= format::kQuietTicks || writer_->timed != writer_->packets)
        continue_from(put_cpu_time(*writer_, reached()));
      return true;
    }
  }

  SKEIN_HOT void commit() {
    Writer& w = *writer_;
    if constexpr (plain) w.last = now_;
    w.pos = at_;
    const auto bits = static_cast<uint64_t>(at_ - reinterpret_cast<char*>(w.packet)) * 8;
    __atomic_store_n(&w.packet->content_size, bits, __ATOMIC_RELEASE);
  }

  SKEIN_HOT Writer& writer() { return *writer_; }
  SKEIN_HOT uint64_t now() const { return now_; }
  SKEIN_HOT Reached reached() const { return {at_, now_}; }
  SKEIN_HOT void continue_from(Reached reached) {
    at_ = reached.at;
    now_ = reached.now;
  }

  SKEIN_HOT void one(unsigned first, uint64_t a) {
    const Width wa = width_of(a);
    header(first + wa.id);
    put(a, wa.bytes);
  }
  SKEIN_HOT void same(unsigned first, uint64_t a, uint64_t b) {
    const Width w = width_of(a | b);
    header(first + w.id);
    put(a, w.bytes);
    put(b, w.bytes);
  }
  SKEIN_HOT void two(unsigned first, uint64_t a, uint64_t b) {
    two(first, a, width_of(a), b, width_of(b));
  }
  SKEIN_HOT void two_signed(unsigned first, uint64_t a, int64_t b) {
    two(first, a, width_of(a), static_cast<uint64_t>(b), width_of_signed(b));
  }

  // Writes an event of fixed layout: the header, then the fields in order.
  SKEIN_HOT void header(unsigned id) {
    if constexpr (!plain) {
      Writer& w = *writer_;
      if (now_ - w.last >= kLongSilence) [[unlikely]] {
        continue_from(extended_header(w, {at_, now_}, id));
        return;
      }
      w.last = now_;
    }
    store4(at_, static_cast<uint32_t>(now_) << 8 | id);
    at_ += format::kHeaderSize;
  }
  SKEIN_HOT void u64(uint64_t value) { put(value, 8); }
  SKEIN_HOT void u32(uint32_t value) { put(value, 4); }
  SKEIN_HOT void u8(uint8_t value) { put(value, 1); }
  // Writes a string, up to its first zero byte, truncated to kMaxText bytes with a mark.
  // Precondition: begin(true). Returns its address in the stream.
  SKEIN_HOT const char* text(const char* text, size_t size) {
    const char* stored = at_;
    at_ = put_text(at_, text, size);
    return stored;
  }

 private:
  static constexpr uint64_t kLongSilence = uint64_t{1} << format::kTimeBits;

  SKEIN_HOT void two(unsigned first, uint64_t a, Width wa, uint64_t b, Width wb) {
    header(first + wa.id + 4 * wb.id);
    put(a, wa.bytes);
    put(b, wb.bytes);
  }
  SKEIN_HOT void put(uint64_t value, size_t bytes) {
    store8(at_, value);  // the next store overwrites the excess bytes
    at_ += bytes;
  }

  Writer* writer_;
  char* at_ = nullptr;
  uint64_t now_ = 0;
};
using Emission = BasicEmission<false>;
using PlainEmission = BasicEmission<true>;

}  // namespace skein::record
