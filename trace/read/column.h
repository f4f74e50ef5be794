// A packed array that holds one attribute of all events of a trace.
//
// Packing costs as much CPU time as it saves the kernel in clearing memory (bench/decode.cc, 6.4
// million events: 80 M/s packed or not), and reduces memory to a third.
//
// Rejected: plain arrays that grow by realloc, in huge pages (three times the memory).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace skein {

// How a column encodes values, so that common values become small numbers.
enum class Coding : uint8_t {
  Plain,
  OneMore,  // no_task, the largest number, becomes 0
  Signed,   // zigzag: 0, -1, 1, -2 ... become 0, 1, 2, 3
};

inline constexpr size_t block_rows = 512;  // unpacked, they fit in the L1 cache

// Of each row in a block, only the low bytes in which the rows differ are stored (0, 1, 2, 4 or 8
// bytes); the common high bytes are stored once. Accessing a row thus needs no search and no
// branch:
//
//    pieces_[row / block_rows]  ->  bytes  |row 0|row 1|...       value = common | bytes & mask
//
// The block being filled is not packed; its piece has the full mask of T.
template <typename T, Coding coding = Coding::Plain>
class Column {
 public:
  T operator[](size_t row) const {
    const Piece& piece = pieces_[row / block_rows];
    uint64_t value;
    std::memcpy(&value, piece.bytes + (row % block_rows << piece.shift), sizeof value);
    return decode(piece.common | (value & piece.mask));
  }

  using Rows = std::array<T, block_rows>;

  // Unpacks the rows of the block that contains `row`: takes a third of the time of separate
  // accesses when all rows are read. Elements after the last row are unspecified.
  Rows block(size_t row) const {
    const Piece& piece = pieces_[row / block_rows];
    switch (piece.mask) {
      case 0:
        return widened<uint8_t, 0>(piece);
      case UINT8_MAX:
        return widened<uint8_t>(piece);
      case UINT16_MAX:
        return widened<uint16_t>(piece);
      case UINT32_MAX:
        return widened<uint32_t>(piece);
      default:
        return widened<uint64_t>(piece);
    }
  }

 private:
  friend class Events;

  struct Piece {
    const uint8_t* bytes;  // readable 7 bytes beyond its rows
    uint64_t mask;
    uint64_t common;
    uint8_t shift;  // a row occupies 1 << shift bytes
  };

  static T encode(T value) {
    if constexpr (coding == Coding::OneMore) return value + 1;
    if constexpr (coding == Coding::Signed) return value << 1 ^ (0 - (value >> 63));
    return value;
  }
  static T decode(uint64_t stored) {
    if constexpr (coding == Coding::OneMore) return stored - 1;
    if constexpr (coding == Coding::Signed) return stored >> 1 ^ (0 - (stored & 1));
    return static_cast<T>(stored);
  }

  template <typename Narrow, size_t stride = sizeof(Narrow)>
  static Rows widened(const Piece& piece) {
    Rows rows;
    for (size_t i = 0; i < block_rows; i++) {
      Narrow low;
      std::memcpy(&low, piece.bytes + i * stride, sizeof low);
      rows[i] = decode(piece.common | (low & piece.mask));
    }
    return rows;
  }

  void begin_block(const Rows& rows);
  // Packs the last block into `to`, which has room for sizeof(Rows); returns the end of the packed
  // bytes.
  uint8_t* pack(const Rows& rows, uint8_t* to);

  std::vector<Piece> pieces_;
};

}  // namespace skein
