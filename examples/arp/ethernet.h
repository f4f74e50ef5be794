// A frame:  to (6) | from (6) | type (2) | payload
#pragma once
#include <algorithm>
#include <array>

#include "bytes.h"

using Mac = std::array<uint8_t, 6>;
inline constexpr Mac broadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

struct EthernetHeader {
  enum Type : uint16_t { kIpv4 = 0x0800, kArp = 0x0806 };
  Mac to;
  Mac from;
  uint16_t type;
};

inline Mac take_mac(Cursor& from) {
  Mac mac{};
  const View bytes = from.take(mac.size());
  std::copy(bytes.begin(), bytes.end(), mac.begin());
  return mac;
}
// Reads the header; the payload stays in the cursor.
inline EthernetHeader take_ethernet(Cursor& from) {
  EthernetHeader header{};
  header.to = take_mac(from);
  header.from = take_mac(from);
  header.type = from.u16();
  return header;
}
inline Bytes make_frame(const EthernetHeader& header, View content) {
  Bytes frame;
  put(frame, header.to);
  put(frame, header.from);
  put16(frame, header.type);
  put(frame, content);
  frame.resize(std::max<size_t>(frame.size(), 60));  // the minimum size of a frame
  return frame;
}
