// Decodes the events of mirage-profile packets into columns, packet after packet.
//
// Undamaged input takes the fast path: one comparison of the time with its predecessor's, one of
// the op, one of the size. Only if one of them is implausible does the decoder examine the
// neighbouring events:
//
//    this and the next eight fit one another    nothing happened for a while
//    the next event fits the previous one       time damaged: it gets the previous event's time
//    this event fits the one before the last    the previous event's time was damaged
//    this and the next ones fit each other      the clock was set; later times continue from here
//    none of these                              damage: search for the next events that fit
//
// "Fit" means: a valid op, an event that ends inside the packet, and a time that neither runs
// backwards nor jumps by more than a year. Three in a row are accepted as events: with 14 of 256
// ops and the time check, random bytes pass with a probability of about 1e-12. Events of an earlier
// lap of the ring, which follow the content, are older than the content and therefore never fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "trace/read/mirage/packets.h"
#include "trace/read/mirage/wire.h"
#include "trace/read/trace.h"

namespace skein::mirage {

class Decoder {
 public:
  Decoder(std::span<const uint8_t> file, Trace& trace);

  void decode(const Packet& packet);

  // Number of events per op, in all packets so far.
  const std::array<uint64_t, ops>& counts() const { return counts_; }

 private:
  // Times here are those of the file; emit() makes them relative.
  static constexpr uint64_t longest_gap = uint64_t{1} << 55;  // more than a year of nanoseconds
  static constexpr uint64_t usual_gap = uint64_t{1} << 34;    // 17 seconds
  static constexpr size_t chain_length = 3;
  static constexpr size_t lone_chain_length = 8;        // if there is no previous time to fit
  static constexpr size_t longest_guessed_text = 1024;  // limits the search for the NUL

  uint64_t time_at(size_t at) const;
  // 0 means unwritten. Times in the upper half lie after 292 years, and their differences would
  // wrap.
  static bool plausible(uint64_t time) { return time != 0 && time < uint64_t{1} << 63; }
  bool follows(uint64_t time, uint64_t previous) const { return time - previous <= longest_gap; }
  size_t size_at(size_t at, size_t end, size_t longest_text) const;  // event_size, inlined
  size_t event_size(size_t at, size_t end, size_t longest_text) const;
  bool chain(size_t at, size_t end, std::optional<uint64_t> previous, uint64_t gap = longest_gap,
             size_t length = chain_length) const;
  size_t find_chain(size_t from, size_t end, std::optional<uint64_t> previous) const;

  size_t nearby(size_t at, size_t end, uint64_t previous) const;
  size_t odd_event(size_t at, size_t end);
  size_t begin_time(size_t at, size_t end, bool aligned);
  size_t first_good_time(size_t at, size_t end) const;
  size_t resynchronise(size_t at, size_t end, const char* what);
  size_t end_behind(size_t end, size_t at, const Packet& packet);
  void repair_previous();
  void set_clock(size_t at);
  void append(size_t at, size_t size, uint64_t time, uint8_t flags);  // emit, inlined
  void emit(size_t at, size_t size, uint64_t time, uint8_t flags);
  void lose(const char* what, size_t offset, uint64_t bytes, std::optional<uint64_t> events);

  std::span<const uint8_t> file_;
  Trace& trace_;
  StringId gc_;
  std::array<uint64_t, ops> counts_{};

  bool started_ = false;   // whether any event was decoded
  uint64_t start_ = 0;     // subtracted from the file's times; grows when the clock is set
  uint64_t previous_ = 0;  // time of the last event
  uint64_t before_ = 0;    // time of the event before that
  size_t last_at_ = 0;     // position of the last event
  mutable size_t no_nul_ = SIZE_MAX;  // no NUL between no_nul_ and no_nul_end_
  mutable size_t no_nul_end_ = 0;
};

}  // namespace skein::mirage
