// Reads little-endian numbers and strings from untrusted bytes.
//
//   Cursor bytes(span);
//   Header header{.magic = bytes.u32(), .size = bytes.u32()};   // braces: read in this order
//   if (bytes.failed()) return Error{.what = "header cut short", .offset = bytes.offset()};
//
// Never reads outside the span. The first read that does not fit makes the cursor fail: it keeps
// its position, and this and every later read returns zero. Check failed() before a value is used.
// Sizes are compared with the remaining size; no pointer past the end is formed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace skein {

class Cursor {
 public:
  // `origin` is the offset of the first byte in its file, so that offset() is meaningful to a user.
  explicit Cursor(std::span<const uint8_t> bytes, uint64_t origin = 0)
      : begin_(bytes.data()), at_(0), size_(bytes.size()), origin_(origin) {}

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int64_t i64() { return static_cast<int64_t>(number<uint64_t>()); }

  // Reads `count` bytes. Returns an empty span on failure.
  std::span<const uint8_t> bytes(size_t count) {
    if (!take(count)) return {};
    return {begin_ + at_ - count, count};
  }

  // Reads a string up to a NUL, which is consumed but not returned. Fails if there is none.
  std::string_view text() {
    if (failed_) return {};
    const size_t left = size_ - at_;
    const void* nul = left ? std::memchr(begin_ + at_, 0, left) : nullptr;
    if (!nul) {
      failed_ = true;
      return {};
    }
    const auto* start = reinterpret_cast<const char*>(begin_ + at_);
    const auto length = static_cast<size_t>(static_cast<const char*>(nul) - start);
    at_ += length + 1;
    return {start, length};
  }

  void skip(size_t count) { take(count); }

  size_t remaining() const { return size_ - at_; }
  bool at_end() const { return at_ == size_; }
  bool failed() const { return failed_; }

  // The offset of the next byte; after a failure, of the failed read.
  uint64_t offset() const { return origin_ + at_; }

 private:
  bool take(size_t count) {
    if (failed_ || count > size_ - at_) {
      failed_ = true;
      return false;
    }
    at_ += count;
    return true;
  }

  template <typename T>
  T number() {
    if (!take(sizeof(T))) return 0;
    T value;
    std::memcpy(&value, begin_ + at_ - sizeof(T), sizeof(T));
    static_assert(std::endian::native == std::endian::little, "a big-endian host must swap here");
    return value;
  }

  const uint8_t* begin_;
  size_t at_;
  size_t size_;
  uint64_t origin_;
  bool failed_ = false;
};

}  // namespace skein
