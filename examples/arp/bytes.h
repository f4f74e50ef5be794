// Numbers in network byte order, and the Internet checksum.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using Bytes = std::vector<uint8_t>;
using View = std::span<const uint8_t>;

// Reads from the front. A read past the end returns 0 or an empty view, and sets failed().
class Cursor {
 public:
  explicit Cursor(View bytes) : left_(bytes) {}
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return number(4); }
  View take(size_t size) {
    if (size > left_.size()) {
      failed_ = true;
      return {};
    }
    const View taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  View rest() const { return left_; }
  bool failed() const { return failed_; }

 private:
  uint32_t number(size_t size) {
    uint32_t n = 0;
    for (const uint8_t byte : take(size)) n = n << 8 | byte;
    return n;
  }
  View left_;
  bool failed_ = false;
};

inline void put8(Bytes& to, uint8_t n) { to.push_back(n); }
inline void put16(Bytes& to, uint16_t n) {
  put8(to, static_cast<uint8_t>(n >> 8));
  put8(to, static_cast<uint8_t>(n));
}
inline void put32(Bytes& to, uint32_t n) {
  put16(to, static_cast<uint16_t>(n >> 16));
  put16(to, static_cast<uint16_t>(n));
}
template <class Some>
void put(Bytes& to, const Some& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Returns 0 for bytes that contain their own checksum. `sum`: the sum of other data to include.
inline uint16_t checksum(View bytes, uint32_t sum = 0) {
  for (size_t i = 0; i < bytes.size(); i++) sum += uint32_t{bytes[i]} << (i % 2 == 0 ? 8 : 0);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}
inline void store_checksum(Bytes& bytes, size_t at, uint16_t sum) {
  bytes[at] = static_cast<uint8_t>(sum >> 8);
  bytes[at + 1] = static_cast<uint8_t>(sum);
}
