// Writes traces in mirage-profile's format, for the generator and tests: packets of one size,
// passed to the sink as soon as they are full, so a trace of any length uses one packet of memory.
//
//   Writer writer(4096, [&](std::span<const uint8_t> packet) { ... });
//   writer.creates(time, parent, child, kind);
//   writer.finish();
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/read/mirage/wire.h"

namespace skein::mirage {

class Writer {
 public:
  using Sink = std::function<void(std::span<const uint8_t> packet)>;

  // Strings are truncated so that an event fits into a packet, which has at least 256 bytes.
  Writer(size_t packet_size, Sink sink, uint16_t first_count = 0)
      : packet_(std::max<size_t>(packet_size, 256)), sink_(std::move(sink)), count_(first_count) {
    begin_packet();
  }

  void creates(uint64_t time, uint64_t parent, uint64_t child, uint8_t kind) {
    event(time, Op::Creates, {parent, child}, kind);
  }
  void read(uint64_t time, uint64_t reader, uint64_t input) { pair(time, Op::Read, reader, input); }
  void try_read(uint64_t time, uint64_t reader, uint64_t input) {
    pair(time, Op::TryRead, reader, input);
  }
  void fulfills(uint64_t time, uint64_t resolver, uint64_t task) {
    pair(time, Op::Fulfills, resolver, task);
  }
  void fails(uint64_t time, uint64_t resolver, uint64_t task, std::string_view reason) {
    event(time, Op::Fails, {resolver, task}, {}, reason);
  }
  void becomes(uint64_t time, uint64_t old, uint64_t other) { pair(time, Op::Becomes, old, other); }
  void label(uint64_t time, uint64_t task, std::string_view text) {
    event(time, Op::Label, {task}, {}, text);
  }
  void increase(uint64_t time, uint64_t task, int64_t amount, std::string_view counter) {
    event(time, Op::Increase, {task, static_cast<uint64_t>(amount)}, {}, counter);
  }
  void counter(uint64_t time, uint64_t task, int64_t value, std::string_view counter) {
    event(time, Op::Counter, {task, static_cast<uint64_t>(value)}, {}, counter);
  }
  void switches(uint64_t time, uint64_t task) { event(time, Op::Switch, {task}); }
  void gc(uint64_t time, uint64_t nanoseconds) { event(time, Op::Gc, {nanoseconds}); }
  void pair(uint64_t time, Op op, uint64_t first, uint64_t second) {
    event(time, op, {first, second});
  }

  // Writes an event of any op, even an invalid one.
  void event(uint64_t time, Op op, std::initializer_list<uint64_t> numbers,
             std::optional<uint8_t> byte = {}, std::optional<std::string_view> text = {}) {
    size_t size = 9 + 8 * numbers.size() + (byte ? 1 : 0);
    if (text) {
      *text = text->substr(0, packet_.size() - header_size - size - 2);
      size += text->size() + 1;
    }
    if (at_ + size >= packet_.size())
      next_packet();  // the last byte stays free, as in both writers
    put(time);
    packet_[at_++] = static_cast<uint8_t>(op);
    for (const uint64_t number : numbers) put(number);
    if (byte) packet_[at_++] = *byte;
    if (text) {
      std::memcpy(packet_.data() + at_, text->data(), text->size());
      at_ += text->size();
      packet_[at_++] = 0;
    }
  }

  // Position of the next event: packets passed on so far, offset in the current packet.
  size_t packets() const { return written_; }
  size_t position() const { return at_; }

  // Passes on the current packet, then empty ones until there are `least` in total.
  void finish(size_t least = ring_packets) {
    do next_packet();
    while (written_ < least);
  }

 private:
  void put(uint64_t number) {
    std::memcpy(packet_.data() + at_, &number, sizeof number);
    at_ += sizeof number;
  }

  void begin_packet() {
    std::fill(packet_.begin(), packet_.end(), uint8_t{0});
    const uint32_t magic = packet_magic;
    const auto bits = static_cast<uint32_t>(packet_.size() * 8);
    std::memcpy(packet_.data(), &magic, 4);
    std::copy(packet_uuid.begin(), packet_uuid.end(), packet_.begin() + 4);
    std::memcpy(packet_.data() + 20, &bits, 4);
    std::memcpy(packet_.data() + 24, &count_, 2);
    at_ = header_size;
  }

  void next_packet() {
    const auto bits = static_cast<uint32_t>(at_ * 8);
    std::memcpy(packet_.data() + 26, &bits, 4);
    sink_(packet_);
    written_++;
    count_++;
    begin_packet();
  }

  std::vector<uint8_t> packet_;
  Sink sink_;
  uint16_t count_;
  size_t at_ = 0;
  size_t written_ = 0;
};

}  // namespace skein::mirage
