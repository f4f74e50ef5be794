// Finds the packets of a mirage-profile file and puts them in the order they were written.
//
// A file is cut into pieces without gaps: packets with a header, and pieces in which a header is
// missing or unreadable. The latter are searched for events as well, so they are packets too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/loss.h"

namespace skein::mirage {

struct Packet {
  size_t begin = 0;        // offset of the header in the file
  size_t first_event = 0;  // where events begin
  size_t content_end = 0;  // where they end, as the header says; within the packet
  size_t end = 0;          // where the next packet begins, or the file ends
  int64_t count = 0;       // the header's, unwrapped: see ordered_packets
  bool has_header = true;
};

// The packets in the order they were written. What is wrong with headers and counts is added to
// `losses`. Every byte of the file is in one packet, or is a zero.
std::vector<Packet> ordered_packets(std::span<const uint8_t> file, std::vector<Loss>& losses);

// The offset of the next undamaged magic and uuid at or after `from`; the file's size if none.
size_t find_signature(std::span<const uint8_t> file, size_t from);

// With so many of them right it is our header with some bytes damaged, not another's.
inline constexpr size_t enough_matches = 16;

// How many of the 20 bytes of magic and uuid are right at `at`; 0 when they do not fit in the file.
size_t signature_matches(std::span<const uint8_t> file, size_t at);

}  // namespace skein::mirage
