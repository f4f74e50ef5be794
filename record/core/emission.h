// The hot path: one operation of a program (a task resumes, suspends, ends ...) becomes one or more
// events with one time stamp and one commit.
//
//   Emission e(writer);            // reads the clock, makes sure of the room
//   if (!e.begin()) return;        // dropped and counted
//   e.one(format::k_resolve, id);  // encodes; any number that fits kPlainMargin
//   e.commit();                    // one release store: now a reader sees all of them, or none
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

namespace skein::record {

inline unsigned width_class(uint64_t value) {
  return static_cast<unsigned>(value > 0xff) + static_cast<unsigned>(value > 0xffff) +
         static_cast<unsigned>(value > 0xffffffff);
}

// Of a signed value: the narrowest two's complement that holds it.
inline unsigned width_class_signed(int64_t value) {
  const uint64_t folded = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  return width_class(folded);
}

inline void store8(char* at, uint64_t value) { __builtin_memcpy(at, &value, 8); }
inline void store4(char* at, uint32_t value) { __builtin_memcpy(at, &value, 4); }

class Emission {
 public:
  explicit Emission(Writer* writer) : writer_(writer) {}

  // Before: writer is this executor's and marked busy. False: there is no room, the event is
  // counted as discarded.
  bool begin(bool text = false) {
    now_ = read_ticks(writer_->counter);
    if (writer_->pos >= writer_->limit || text) [[unlikely]] {
      if (!host.make_room(writer_, now_, text)) return false;
    }
    at_ = writer_->pos;
    return true;
  }

  void commit() {
    Writer& w = *writer_;
    w.pos = at_;
    const auto bits = static_cast<uint64_t>(at_ - reinterpret_cast<char*>(w.packet)) * 8;
    __atomic_store_n(&w.packet->content_size, bits, __ATOMIC_RELEASE);
  }

  Writer& writer() { return *writer_; }
  uint64_t now() const { return now_; }

  void one(unsigned first, uint64_t a) {
    const unsigned ca = width_class(a);
    header(first + ca);
    put(a, ca);
  }
  void same(unsigned first, uint64_t a, uint64_t b) {
    const unsigned c = width_class(a | b);
    header(first + c);
    put(a, c);
    put(b, c);
  }
  void two(unsigned first, uint64_t a, uint64_t b) {
    const unsigned ca = width_class(a);
    const unsigned cb = width_class(b);
    header(first + ca + 4 * cb);
    put(a, ca);
    put(b, cb);
  }
  void two_signed(unsigned first, uint64_t a, int64_t b) {
    const unsigned ca = width_class(a);
    const unsigned cb = width_class_signed(b);
    header(first + ca + 4 * cb);
    put(a, ca);
    put(static_cast<uint64_t>(b), cb);
  }

  // Of a fixed layout: header, then the fields in order.
  void header(unsigned id) {
    Writer& w = *writer_;
    if (now_ - w.last >= (uint64_t{1} << format::kTimeBits)) [[unlikely]] {
      extended_header(id);
      return;
    }
    w.last = now_;
    store4(at_, static_cast<uint32_t>(now_) << 8 | id);
    at_ += format::kHeaderSize;
  }
  void u64(uint64_t value) { put(value, 3); }
  void u32(uint32_t value) { put(value, 2); }
  void u8(uint8_t value) { put(value, 0); }
  // At most kMaxText bytes, zero-ended; cut with a mark if there are more. Zeros inside end it.
  // Before: begin(true). Returns where it lies in the stream.
  const char* text(const char* text, size_t size);

 private:
  [[gnu::noinline, gnu::cold]] void extended_header(unsigned id);
  void put(uint64_t value, unsigned width) {
    store8(at_, value);
    at_ += size_t{1} << width;
  }

  Writer* writer_;
  char* at_ = nullptr;
  uint64_t now_ = 0;
};

}  // namespace skein::record
