// Finds the packets of a mirage-profile file and sorts them in the order they were written.
//
// A file is divided into packets without gaps. Parts whose header is missing or unreadable are
// searched for events as well, so they are packets too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/loss.h"

namespace skein::mirage {

struct Packet {
  size_t begin = 0;        // offset of the header in the file
  size_t first_event = 0;  // where the events begin
  size_t content_end = 0;  // where they end according to the header; within the packet
  size_t end = 0;          // where the next packet begins, or the file ends
  int64_t count = 0;       // from the header, unwrapped: see ordered_packets
  bool has_header = true;
};

// Returns the packets in the order they were written. Adds problems with headers and counts to
// `losses`. Every byte of the file is in one packet, or is zero.
std::vector<Packet> ordered_packets(std::span<const uint8_t> file, std::vector<Loss>& losses);

// The offset of the next undamaged magic and uuid at or after `from`; the file's size if none.
size_t find_signature(std::span<const uint8_t> file, size_t from);

// With at least this many matches, a damaged header of this format is assumed.
inline constexpr size_t enough_matches = 16;

// Number of the 20 bytes of magic and uuid that match at `at`; 0 if they do not fit in the file.
size_t signature_matches(std::span<const uint8_t> file, size_t at);

}  // namespace skein::mirage
