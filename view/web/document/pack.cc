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

enum Column { Segments, Others, Ops, Times, Firsts, Seconds, Rests };
constexpr size_t columns = Rests + 1;
constexpr size_t packet_header = 30;
constexpr size_t fields_at = 9;  // after time and op

uint64_t number_at(std::span<const uint8_t> bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; i++) number |= uint64_t{bytes[at + i]} << (8 * i);
  return number;
}

// The event that differences refer to.
struct Before {
  uint64_t time = 0;
  uint64_t first = 0;
};

bool has_second(size_t fixed) { return fixed >= fields_at + 16; }

// Returns the size of the event at the start of `bytes`; 0 if there is none.
size_t event_size(std::span<const uint8_t> bytes) {
  if (bytes.size() < mirage::smallest_event || bytes[8] >= mirage::ops) return 0;
  const size_t fixed = mirage::op_sizes[bytes[8]];
  if (bytes.size() < fixed) return 0;
  if (!mirage::has_text(static_cast<mirage::Op>(bytes[8]))) return fixed;
  const auto end = std::find(bytes.begin() + static_cast<ptrdiff_t>(fixed), bytes.end(), 0);
  return end == bytes.end() ? 0 : static_cast<size_t>(end - bytes.begin()) + 1;
}

class Packer {
 public:
  void put(Column column, uint64_t number) {
    for (; number > 0x7f; number >>= 7)
      columns_[column].push_back(static_cast<uint8_t>(number | 0x80));
    columns_[column].push_back(static_cast<uint8_t>(number));
  }
  // Zigzag encoding: differences in both directions are small.
  void put_difference(Column column, uint64_t number) {
    put(column, number << 1 ^ (number >> 63 ? ~uint64_t{0} : 0));
  }
  void put(Column column, std::span<const uint8_t> bytes) {
    columns_[column].insert(columns_[column].end(), bytes.begin(), bytes.end());
  }

  void event(std::span<const uint8_t> bytes, Before& before) {
    const size_t fixed = mirage::op_sizes[bytes[8]];
    const uint64_t time = number_at(bytes, 0);
    const uint64_t first = number_at(bytes, fields_at);
    columns_[Ops].push_back(bytes[8]);
    put_difference(Times, time - before.time);
    put_difference(Firsts, first - before.first);
    if (has_second(fixed)) put_difference(Seconds, number_at(bytes, fields_at + 8) - first);
    put(Rests, bytes.subspan(has_second(fixed) ? fields_at + 16 : fixed));
    before = {time, first};
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

  bool has(Column column) const { return columns_[column].at < columns_[column].end; }
  // Returns 0 at the end of the column.
  uint8_t byte(Column column) {
    Rest& rest = columns_[column];
    return rest.at < rest.end ? *rest.at++ : uint8_t{0};
  }
  uint64_t number(Column column) {
    Rest& rest = columns_[column];
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && rest.at < rest.end; shift += 7) {
      const uint8_t byte = *rest.at++;
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return number;
  }
  uint64_t difference(Column column) {
    const uint64_t packed = number(column);
    return packed >> 1 ^ (packed & 1 ? ~uint64_t{0} : 0);
  }
  // Copies up to `count` bytes, limited by the column and `end`. Returns the end of the copy.
  uint8_t* copy(Column column, size_t count, uint8_t* to, const uint8_t* end) {
    Rest& rest = columns_[column];
    count =
        std::min({count, static_cast<size_t>(rest.end - rest.at), static_cast<size_t>(end - to)});
    std::copy_n(rest.at, count, to);
    rest.at += count;
    return to + count;
  }

  // Requires room for the fixed part of the event, even beyond `end`.
  uint8_t* event(uint8_t* to, const uint8_t* end, Before& before) {
    const uint8_t op = byte(Ops) % mirage::ops;
    const size_t fixed = mirage::op_sizes[op];
    before.time += difference(Times);
    before.first += difference(Firsts);
    put(to, before.time);
    to[8] = op;
    put(to + fields_at, before.first);
    to += fields_at + 8;
    if (has_second(fixed)) {
      put(to, before.first + difference(Seconds));
      to += 8;
    }
    if (to >= end) return to;
    if (mirage::has_text(static_cast<mirage::Op>(op))) {
      const Rest& rest = columns_[Rests];
      const uint8_t* zero = std::find(rest.at, rest.end, uint8_t{0});
      return copy(Rests, static_cast<size_t>(zero - rest.at) + 1, to, end);
    }
    for (size_t i = fields_at + 16; i < fixed; i++) *to++ = byte(Rests);
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
    Before before;
    size_t count = 0;
    const size_t others_end = end;
    while (const size_t size = event_size(file.subspan(end, next - end))) {
      packer.event(file.subspan(end, size), before);
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
    Before before;
    for (uint64_t i = 0; i < events && to < end; i++) to = unpacker.event(to, end, before);
  }
  if (to < end) std::memset(to, 0, static_cast<size_t>(end - to));
  return {file.get(), end};
}

}  // namespace skein::web
