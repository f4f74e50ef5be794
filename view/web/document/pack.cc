#include "view/web/document/pack.h"

#include <algorithm>
#include <array>
#include <cstring>

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

// What the differences are to.
struct Before {
  uint64_t time = 0;
  uint64_t first = 0;
};

bool has_second(size_t fixed) { return fixed >= fields_at + 16; }

// The size of the event there; 0: there is none.
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
  // Differences are small in both directions.
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

class Unpacker {
 public:
  explicit Unpacker(std::span<const uint8_t> packed) {
    size_t at = std::min(columns * 4, packed.size());
    const size_t sizes = at;
    for (size_t i = 0; i < columns && sizes == columns * 4; i++) {
      uint32_t size = 0;
      for (unsigned k = 0; k < 4; k++) size |= uint32_t{packed[i * 4 + k]} << (8 * k);
      const size_t there = std::min<size_t>(size, packed.size() - at);
      columns_[i] = packed.subspan(at, there);
      at += there;
    }
  }

  bool has(Column column) const { return !columns_[column].empty(); }
  uint64_t number(Column column) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = take(column, 1)[0];
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return number;
  }
  uint64_t difference(Column column) {
    const uint64_t packed = number(column);
    return packed >> 1 ^ (packed & 1 ? ~uint64_t{0} : 0);
  }
  // As many of them as there are; at least one, which is zero if there is none.
  std::span<const uint8_t> take(Column column, size_t count) {
    static constexpr uint8_t zero[1] = {};
    auto& rest = columns_[column];
    if (rest.empty()) return count == 0 ? std::span<const uint8_t>() : zero;
    const auto taken = rest.first(std::min(count, rest.size()));
    rest = rest.subspan(taken.size());
    return taken;
  }
  std::span<const uint8_t> take_text() {
    const auto& rest = columns_[Rests];
    const auto end = std::find(rest.begin(), rest.end(), 0);
    return take(Rests, static_cast<size_t>(end - rest.begin()) + 1);
  }

  void event(std::vector<uint8_t>& file, Before& before) {
    const uint8_t op = take(Ops, 1)[0] % mirage::ops;
    before.time += difference(Times);
    before.first += difference(Firsts);
    put(file, before.time);
    file.push_back(op);
    put(file, before.first);
    const size_t fixed = mirage::op_sizes[op];
    if (has_second(fixed)) put(file, before.first + difference(Seconds));
    std::span<const uint8_t> rest;
    if (mirage::has_text(static_cast<mirage::Op>(op)))
      rest = take_text();
    else if (fixed > fields_at + 16)
      rest = take(Rests, fixed - fields_at - 16);
    file.insert(file.end(), rest.begin(), rest.end());
  }

 private:
  static void put(std::vector<uint8_t>& file, uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      file.push_back(static_cast<uint8_t>(number >> shift));
  }
  std::array<std::span<const uint8_t>, columns> columns_;
};

}  // namespace

std::vector<uint8_t> pack(std::span<const uint8_t> file) {
  const auto start = file.first(std::min<size_t>(file.size(), packet_header));
  if (start.empty() || mirage::find_signature(start, 0) != 0) return {};
  Packer packer;
  for (size_t at = 0; at < file.size();) {
    // A header, if one begins here, and as many events as are behind it.
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
    // What is no event is the beginning of the next segment, up to the next header.
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
  std::vector<uint8_t> file;
  file.reserve(size);
  while (unpacker.has(Segments) && file.size() < size) {
    const uint64_t others = unpacker.number(Segments);
    const uint64_t events = unpacker.number(Segments);
    const auto bytes = unpacker.take(Others, std::min<uint64_t>(others, size - file.size()));
    file.insert(file.end(), bytes.begin(), bytes.end());
    Before before;
    for (uint64_t i = 0; i < events && file.size() < size; i++) unpacker.event(file, before);
  }
  file.resize(size);
  return file;
}

}  // namespace skein::web
