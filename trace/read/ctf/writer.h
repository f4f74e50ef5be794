// Writes streams of skein's own format: for `skein export`, tests and fuzzing seeds. The recorder
// has its own writer, which must not allocate and commits each event.
//
//   StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 65536});
//   stream.event(format::k_create, ticks, task, place);
//   stream.fixed(format::k_label_text, ticks).u64(task).text("hello").done();
//   for (const std::vector<uint8_t>& chunk : stream.finish()) save(chunk);
//
// Events must be in time order. An event that does not fit in a chunk begins the next one.
// `stream.next_at = place` sets the location of the next event, in the same chunk.
#pragma once

#include <skein/events.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/read/ctf/chunk.h"

namespace skein::ctf {

class StreamWriter {
 public:
  struct Options {
    Uuid uuid{};
    uint64_t stream = 0;
    size_t chunk_size = 65536;  // at least a header plus the largest event
    uint32_t flags = 0;
    uint64_t first_sequence = 0;
    bool is_padded = true;  // chunks have their full size, as in a recording
  };

  explicit StreamWriter(Options options) : options_(options) {}

  // State that is written to the header of the next packet.
  uint64_t current_task = 0;
  uint32_t tid = 0;
  uint64_t discarded = 0;
  uint32_t next_at = 0;  // a location id: writes an event `at` immediately before the next event

  // Writes an event `extra` immediately before the next event.
  void next_extra(format::ExtraField field, uint64_t number) { extras_.push_back({field, number}); }

  // Writes an event with one or two arguments, using the smallest widths that hold them, but at
  // least `least_class`.
  void event(format::EventId first, uint64_t ticks, uint64_t a, uint64_t b = 0,
             unsigned least_class = 0) {
    const format::EventClass& event = find(first);
    unsigned class_a = std::max(width_class(a), least_class);
    unsigned class_b = event.shape == format::Shape::kSigned ? signed_class(static_cast<int64_t>(b))
                                                             : width_class(b);
    class_b = std::max(class_b, least_class);
    unsigned index = class_a;
    switch (event.shape) {
      case format::Shape::kOne:
        break;
      case format::Shape::kSame:
        index = std::max(class_a, class_b);
        break;
      case format::Shape::kTwo:
      case format::Shape::kSigned:
        index = class_a + 4 * class_b;
        break;
    }
    const format::Widths widths = format::widths(event.shape, index);
    event_.clear();
    number(a, widths.a);
    number(b, widths.b);
    put(static_cast<uint8_t>(first + index), ticks);
  }

  class Fields {
   public:
    Fields& u8(uint8_t value) { return add(value, 1); }
    Fields& u32(uint32_t value) { return add(value, 4); }
    Fields& u64(uint64_t value) { return add(value, 8); }
    // Truncates to the format's limit and at a NUL.
    Fields& text(std::string_view text) {
      text = text.substr(0, text.find('\0'));
      const bool cut = text.size() > format::kMaxText;
      if (cut) text = text.substr(0, format::kMaxText - std::strlen(format::kCutMark));
      writer_.event_.insert(writer_.event_.end(), text.begin(), text.end());
      const std::string_view mark(cut ? format::kCutMark : "");
      writer_.event_.insert(writer_.event_.end(), mark.begin(), mark.end());
      return u8(0);
    }
    void done() { writer_.put(id_, ticks_); }

   private:
    friend StreamWriter;
    Fields(StreamWriter& writer, uint8_t id, uint64_t ticks)
        : writer_(writer), id_(id), ticks_(ticks) {}
    Fields& add(uint64_t value, unsigned width) {
      writer_.number(value, width);
      return *this;
    }
    StreamWriter& writer_;
    uint8_t id_;
    uint64_t ticks_;
  };
  Fields fixed(format::EventId id, uint64_t ticks) {
    event_.clear();
    return Fields(*this, id, ticks);
  }

  // Begins a new packet at the next event.
  void close() { open_ = false; }

  // Returns the chunks, oldest first.
  std::vector<std::vector<uint8_t>>& finish() {
    end();
    return chunks_;
  }

 private:
  static unsigned width_class(uint64_t value) {
    return value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : value <= UINT32_MAX ? 2 : 3;
  }
  static unsigned signed_class(int64_t value) {
    return value == static_cast<int8_t>(value)    ? 0
           : value == static_cast<int16_t>(value) ? 1
           : value == static_cast<int32_t>(value) ? 2
                                                  : 3;
  }
  static const format::EventClass& find(format::EventId first) {
    for (const format::EventClass& event : format::kEventClasses)
      if (event.first == first) return event;
    std::abort();
  }

  void number(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++) event_.push_back(static_cast<uint8_t>(value >> 8 * i));
  }

  void put(uint8_t id, uint64_t ticks) {
    constexpr size_t most = format::kExtendedHeaderSize;
    const size_t prefix =
        (next_at == 0 ? 0 : most + sizeof next_at) + extras_.size() * (most + 2 * sizeof(uint64_t));
    if (!open_ || at_ + prefix + most + event_.size() > options_.chunk_size) begin(ticks);
    if (prefix != 0) {
      std::vector<uint8_t> behind;
      behind.swap(event_);
      if (next_at != 0) {
        const unsigned width = width_class(next_at);
        number(next_at, 1u << width);
        append(static_cast<uint8_t>(format::k_at + width), ticks);
      }
      for (const auto& [field, extra] : extras_) {
        const unsigned width = width_class(extra);
        event_.clear();
        number(static_cast<uint64_t>(field), 1u << width);
        number(extra, 1u << width);
        append(static_cast<uint8_t>(format::k_extra + width), ticks);
      }
      next_at = 0;
      extras_.clear();
      behind.swap(event_);
    }
    append(id, ticks);
  }

  // Precondition: the event fits in the chunk.
  void append(uint8_t id, uint64_t ticks) {
    is_ended_ = false;
    std::vector<uint8_t>& chunk = chunks_.back();
    chunk.resize(at_ + format::kExtendedHeaderSize + event_.size());
    if (ticks - last_ >= uint64_t{1} << format::kTimeBits) {
      store(at_, format::k_extended, 1);
      store(at_ + 1, id, 1);
      store(at_ + 2, ticks, 8);
      at_ += format::kExtendedHeaderSize;
    } else {
      store(at_, id, 1);
      store(at_ + 1, ticks, 3);
      at_ += format::kHeaderSize;
    }
    std::memcpy(chunk.data() + at_, event_.data(), event_.size());
    at_ += event_.size();
    last_ = ticks;
    store(offsetof(format::PacketHeader, content_size), at_ * 8, 8);
  }

  void begin(uint64_t ticks) {
    end();
    chunks_.emplace_back(sizeof(format::PacketHeader));
    at_ = sizeof(format::PacketHeader);
    using Header = format::PacketHeader;
    store(offsetof(Header, magic), format::kPacketMagic, 4);
    std::memcpy(chunks_.back().data() + offsetof(Header, uuid), options_.uuid.data(), 16);
    store(offsetof(Header, stream_instance), options_.stream, 8);
    store(offsetof(Header, content_size), at_ * 8, 8);
    store(offsetof(Header, timestamp_begin), ticks, 8);
    store(offsetof(Header, packet_seq_num), options_.first_sequence + chunks_.size() - 1, 8);
    store(offsetof(Header, events_discarded), discarded, 8);
    store(offsetof(Header, current_task), current_task, 8);
    store(offsetof(Header, vtid), tid, 4);
    store(offsetof(Header, flags), options_.flags, 4);
    store(offsetof(Header, format_version), format::kVersion, 4);
    last_ = ticks;
    open_ = true;
    is_ended_ = false;
  }

  // A chunk grows with its events, because there may be very many streams with few events each.
  void end() {
    if (is_ended_) return;
    is_ended_ = true;
    const size_t size = options_.is_padded ? options_.chunk_size : at_;
    store(offsetof(format::PacketHeader, packet_size), size * 8, 8);
    chunks_.back().resize(size);
  }

  void store(size_t offset, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
      chunks_.back()[offset + i] = static_cast<uint8_t>(value >> 8 * i);
  }

  Options options_;
  std::vector<std::vector<uint8_t>> chunks_;
  std::vector<std::pair<format::ExtraField, uint64_t>> extras_;
  std::vector<uint8_t> event_;  // arguments of the event being written
  size_t at_ = 0;
  uint64_t last_ = 0;
  bool open_ = false;     // the next event belongs to the last chunk
  bool is_ended_ = true;  // the last chunk has its final size
};

}  // namespace skein::ctf
