#include "view/web/document/pack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "trace/read/mirage/packets.h"
#include "trace/read/mirage/wire.h"

namespace skein::web {

namespace {

using mirage::Op;

// Columns with the same purpose follow each other.
enum Column : size_t {
  Segments,
  Others,
  Ops,
  Times,
  Firsts = Times + 3,
  Seconds = Firsts + 2 * mirage::ops,
  Rests = Seconds + 2 * mirage::ops,
};
constexpr size_t columns = Rests + mirage::ops;
constexpr size_t packet_header = 30;
constexpr size_t fields_at = 9;  // after time and op

uint64_t number_at(std::span<const uint8_t> bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; i++) number |= uint64_t{bytes[at + i]} << (8 * i);
  return number;
}

constexpr size_t operator+(Column column, Op op) { return column + static_cast<size_t>(op); }
// The first of the two columns that a field has.
constexpr size_t pair_of(Column column, Op op) { return column + 2 * static_cast<size_t>(op); }

bool has_second(size_t fixed) { return fixed >= fields_at + 16; }

// What the numbers of the next event are likely to be near.
struct Near {
  uint64_t time = 0;
  uint64_t running = 0;  // a task
  uint64_t newest = 0;   // the task created last

  uint64_t first(Op op) const {
    const bool names_any = op == Op::Read || op == Op::Switch || op == Op::Signal ||
                           op == Op::ReadLater || op == Op::SignalLater;
    return names_any ? newest : running;
  }
  uint64_t second(Op op) const {
    return op == Op::Increase || op == Op::Counter ? 0 : newest;  // an amount, or a task
  }
  void move_on(Op op, uint64_t first, uint64_t second) {
    if (op == Op::Creates) newest = second;
    if (op == Op::Read || op == Op::Switch || op == Op::Signal) running = first;
  }
};

// Returns the size of the event at the start of `bytes`; 0 if there is none.
size_t event_size(std::span<const uint8_t> bytes) {
  if (bytes.size() < mirage::smallest_event || bytes[8] >= mirage::ops) return 0;
  const size_t fixed = mirage::op_sizes[bytes[8]];
  if (bytes.size() < fixed) return 0;
  if (!mirage::has_text(static_cast<Op>(bytes[8]))) return fixed;
  const auto end = std::find(bytes.begin() + static_cast<ptrdiff_t>(fixed), bytes.end(), 0);
  return end == bytes.end() ? 0 : static_cast<size_t>(end - bytes.begin()) + 1;
}

class Packer {
 public:
  // Byte 0 goes to the column, byte 1 to the next one, and so on; all others to the last of `width`.
  void put(size_t column, uint64_t number, size_t width = 1) {
    const size_t last = column + width - 1;
    for (; number > 0x7f; number >>= 7) {
      columns_[column].push_back(static_cast<uint8_t>(number | 0x80));
      column = std::min(column + 1, last);
    }
    columns_[column].push_back(static_cast<uint8_t>(number));
  }
  // Zigzag encoding: differences in both directions are small.
  void put_difference(size_t column, uint64_t number) {
    put(column, number << 1 ^ (number >> 63 ? ~uint64_t{0} : 0), 2);
  }
  void put(size_t column, std::span<const uint8_t> bytes) {
    columns_[column].insert(columns_[column].end(), bytes.begin(), bytes.end());
  }

  void event(std::span<const uint8_t> bytes, Near& near) {
    const auto op = static_cast<Op>(bytes[8]);
    const size_t fixed = mirage::op_sizes[bytes[8]];
    const uint64_t time = number_at(bytes, 0);
    const uint64_t first = number_at(bytes, fields_at);
    uint64_t second = 0;
    columns_[Ops].push_back(bytes[8]);
    put(Times, time - near.time, 3);
    put_difference(pair_of(Firsts, op), first - near.first(op));
    if (has_second(fixed)) {
      second = number_at(bytes, fields_at + 8);
      put_difference(pair_of(Seconds, op), second - near.second(op));
    }
    put(Rests + op, bytes.subspan(has_second(fixed) ? fields_at + 16 : fixed));
    near.time = time;
    near.move_on(op, first, second);
  }

  std::vector<uint8_t> finish() const {
    std::vector<uint8_t> packed;
    for (const auto& column : columns_)
      for (unsigned shift = 0; shift < 32; shift += 8)
        packed.push_back(static_cast<uint8_t>(column.size() >> shift));
    for (const auto& column : columns_) packed.insert(packed.end(), column.begin(), column.end());
    return packed;
  }

 private:
  std::array<std::vector<uint8_t>, columns> columns_;
};

// A page unpacks its trace before the browser has optimised this code: uses pointers and few calls.
class Unpacker {
 public:
  explicit Unpacker(std::span<const uint8_t> packed) {
    size_t at = std::min(columns * 4, packed.size());
    const size_t sizes = at;
    for (size_t i = 0; i < columns && sizes == columns * 4; i++) {
      uint32_t size = 0;
      for (unsigned k = 0; k < 4; k++) size |= uint32_t{packed[i * 4 + k]} << (8 * k);
      const size_t there = std::min<size_t>(size, packed.size() - at);
      columns_[i] = {packed.data() + at, packed.data() + at + there};
      at += there;
    }
  }

  bool has(size_t column) const { return columns_[column].at < columns_[column].end; }
  // Returns 0 at the end of the column.
  uint8_t byte(size_t column) {
    Rest& rest = columns_[column];
    return rest.at < rest.end ? *rest.at++ : uint8_t{0};
  }
  uint64_t number(size_t column, size_t width = 1) {
    Rest* rest = &columns_[column];
    const Rest* const last = rest + width - 1;
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && rest->at < rest->end; shift += 7) {
      const uint8_t byte = *rest->at++;
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
      if (rest != last) rest++;
    }
    return number;
  }
  uint64_t difference(size_t column) {
    const uint64_t packed = number(column, 2);
    return packed >> 1 ^ (packed & 1 ? ~uint64_t{0} : 0);
  }
  // Copies up to `count` bytes, limited by the column and `end`. Returns the end of the copy.
  uint8_t* copy(size_t column, size_t count, uint8_t* to, const uint8_t* end) {
    Rest& rest = columns_[column];
    count =
        std::min({count, static_cast<size_t>(rest.end - rest.at), static_cast<size_t>(end - to)});
    std::copy_n(rest.at, count, to);
    rest.at += count;
    return to + count;
  }

  // Requires room for the fixed part of the event, even beyond `end`.
  uint8_t* event(uint8_t* to, const uint8_t* end, Near& near) {
    const uint8_t number_of_op = byte(Ops) % mirage::ops;
    const auto op = static_cast<Op>(number_of_op);
    const size_t fixed = mirage::op_sizes[number_of_op];
    near.time += number(Times, 3);
    const uint64_t first = near.first(op) + difference(pair_of(Firsts, op));
    uint64_t second = 0;
    put(to, near.time);
    to[8] = number_of_op;
    put(to + fields_at, first);
    to += fields_at + 8;
    if (has_second(fixed)) {
      second = near.second(op) + difference(pair_of(Seconds, op));
      put(to, second);
      to += 8;
    }
    near.move_on(op, first, second);
    if (to >= end) return to;
    if (mirage::has_text(op)) {
      const Rest& rest = columns_[Rests + op];
      const uint8_t* zero = std::find(rest.at, rest.end, uint8_t{0});
      return copy(Rests + op, static_cast<size_t>(zero - rest.at) + 1, to, end);
    }
    for (size_t i = fields_at + 16; i < fixed; i++) *to++ = byte(Rests + op);
    return to;
  }

 private:
  struct Rest {
    const uint8_t* at = nullptr;
    const uint8_t* end = nullptr;
  };
  static void put(uint8_t* to, uint64_t number) {
    static_assert(std::endian::native == std::endian::little, "a big-endian host must swap here");
    std::memcpy(to, &number, sizeof number);
  }
  std::array<Rest, columns> columns_{};
};

}  // namespace

std::vector<uint8_t> pack(std::span<const uint8_t> file) {
  const auto start = file.first(std::min<size_t>(file.size(), packet_header));
  if (start.empty() || mirage::find_signature(start, 0) != 0) return {};
  Packer packer;
  for (size_t at = 0; at < file.size();) {
    // A header, if one begins here, and the events behind it.
    size_t end = std::min(file.size(), at + packet_header);
    const size_t begin = at;
    const size_t next = std::min(mirage::find_signature(file, end), file.size());
    Near near;
    size_t count = 0;
    const size_t others_end = end;
    while (const size_t size = event_size(file.subspan(end, next - end))) {
      packer.event(file.subspan(end, size), near);
      end += size;
      count++;
    }
    // Bytes that are no event become another segment, up to the next header.
    packer.put(Segments, others_end - begin);
    packer.put(Segments, count);
    packer.put(Others, file.subspan(begin, others_end - begin));
    if (end < next) {
      packer.put(Segments, next - end);
      packer.put(Segments, 0);
      packer.put(Others, file.subspan(end, next - end));
    }
    at = next;
  }
  return packer.finish();
}

std::vector<uint8_t> unpack(std::span<const uint8_t> packed, size_t size) {
  Unpacker unpacker(packed);
  // Has room for a truncated event. Not a vector, which the page would clear byte by byte.
  const auto file = std::make_unique_for_overwrite<uint8_t[]>(size + mirage::largest_fixed);
  uint8_t* to = file.get();
  uint8_t* const end = to + size;
  while (unpacker.has(Segments) && to < end) {
    const uint64_t others = unpacker.number(Segments);
    const uint64_t events = unpacker.number(Segments);
    to = unpacker.copy(Others, std::min<uint64_t>(others, size), to, end);
    Near near;
    for (uint64_t i = 0; i < events && to < end; i++) to = unpacker.event(to, end, near);
  }
  if (to < end) std::memset(to, 0, static_cast<size_t>(end - to));
  return {file.get(), end};
}

}  // namespace skein::web
