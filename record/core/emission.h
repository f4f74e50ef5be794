// The hot path: one operation of a program (a task resumes, suspends, ends ...) becomes one or more
// events with one time stamp and one commit.
//
//   Emission e(writer);            // or PlainEmission
//   if (!e.begin()) return;        // reads the clock, makes sure of the room
//   e.one(format::k_resolve, id);  // encodes; any number of events that fits kPlainMargin
//   e.commit();                    // one release store: now a reader sees all of them, or none
//
// There are two of them, and every operation is compiled for both:
//   PlainEmission  the common case and nothing else: it makes no call at all. What is not plain (no
//                  room, a long silence, a place never seen, no free row at hand) makes it give up
//                  before anything was changed; bytes behind the commit mean nothing.
//   Emission       handles everything; the careful second attempt, and whatever is rarely called.
// The clock read is 27 cycles in which hardly anything else proceeds (Cascade Lake: 16 independent
// instructions beside it are nearly free, each further one costs its quarter of a cycle), so an
// event's cost is its number of instructions. A function that makes no call saves and restores no
// register, keeps its state in registers, and is half as long: docs/performance.md.
//
// Encodings tried side by side and their cost: docs/performance.md. The two that matter: an
// argument's width is a class in the event id (a variable-length code costs a loop, or a dependency
// of the next store's address on the argument's bits); the time stamp has a fixed width (in a
// variable one the address of the next store depends on the clock read, 17-21 ns instead of 10).
#pragma once
#include <skein/format.h>
#include <stddef.h>
#include <stdint.h>

#include "record/core/writer.h"

// Everything on the hot path: a call would put the emission into memory, and each step of its
// position would be a store and a load again.
#define SKEIN_HOT [[gnu::always_inline]] inline

namespace skein::record {

// By the number of a value's highest set bit: its class, and how many bytes that is. Two loads are
// three instructions less than comparisons and a shift.
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
// Of a signed value: the narrowest two's complement that holds it.
SKEIN_HOT Width width_of_signed(int64_t value) {
  return width_of((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

SKEIN_HOT void store8(char* at, uint64_t value) { __builtin_memcpy(at, &value, 8); }
SKEIN_HOT void store4(char* at, uint32_t value) { __builtin_memcpy(at, &value, 4); }

// Where cold code, which is given an emission's parts by value, left off.
struct Reached {
  char* at;
  uint64_t now;
};
[[gnu::noinline, gnu::cold]] Reached extended_header(Writer& writer, Reached from, unsigned id);
[[gnu::noinline, gnu::cold]] char* put_text(char* at, const char* text, size_t size);

template <bool plain>
class BasicEmission {
 public:
  static constexpr bool kPlain = plain;

  SKEIN_HOT explicit BasicEmission(Writer* writer) : writer_(writer) {}

  // Before: writer is this executor's and marked in use. False: there is no room. If not plain, the
  // event was counted as discarded, and the writer is no longer in use.
  SKEIN_HOT bool begin([[maybe_unused]] bool text = false) {
    if constexpr (plain) {
      now_ = read_tsc() >> format::kTickShift;
      at_ = writer_->pos;
      return at_ < limit_of(*writer_) && now_ - writer_->last < kLongSilence;
    } else {
      now_ = read_ticks(writer_->counter);
      at_ = writer_->pos;
      if (at_ >= limit_of(*writer_) || text) [[unlikely]] {
        writer_ = host.make_room(writer_, now_, text);
        if (writer_ == nullptr) return false;
        at_ = writer_->pos;
      }
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
  SKEIN_HOT void go_on(Reached reached) {
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

  // Of a fixed layout: header, then the fields in order.
  SKEIN_HOT void header(unsigned id) {
    if constexpr (!plain) {
      Writer& w = *writer_;
      if (now_ - w.last >= kLongSilence) [[unlikely]] {
        go_on(extended_header(w, {at_, now_}, id));
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
  // At most kMaxText bytes, zero-ended; cut with a mark if there are more. Zeros inside end it.
  // Before: begin(true). Returns where it lies in the stream.
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
    store8(at_, value);  // whatever follows overwrites what is too much
    at_ += bytes;
  }

  Writer* writer_;
  char* at_ = nullptr;
  uint64_t now_ = 0;
};
using Emission = BasicEmission<false>;
using PlainEmission = BasicEmission<true>;

}  // namespace skein::record
