// IPv4 without fragments, options and routes: all peers are on the same wire.
//
//   version, words (1) | service (1) | size (2) | id (2) | fragment (2)
//   hops (1) | protocol (1) | checksum (2) | from (4) | to (4) | payload
#pragma once
#include <compare>
#include <optional>

#include "bytes.h"

struct Ip {
  uint32_t number = 0;
  auto operator<=>(const Ip&) const = default;
};

struct Ipv4Packet {
  enum Protocol : uint8_t { kTcp = 6 };
  Ip from;
  Ip to;
  uint8_t protocol = 0;
  Bytes content;
};

inline std::optional<Ipv4Packet> parse_ipv4(View bytes) {
  Cursor cursor(bytes);
  const uint8_t version_and_words = cursor.u8();
  const size_t header = size_t{version_and_words & 15u} * 4;
  cursor.u8();
  const size_t size = cursor.u16();
  cursor.u16();
  const bool is_fragment = (cursor.u16() & 0x3fff) != 0;
  cursor.u8();
  Ipv4Packet packet;
  packet.protocol = cursor.u8();
  cursor.u16();
  packet.from.number = cursor.u32();
  packet.to.number = cursor.u32();
  if (cursor.failed() || version_and_words >> 4 != 4 || header < 20 || size < header ||
      size > bytes.size() || is_fragment || checksum(bytes.first(header)) != 0)
    return std::nullopt;
  put(packet.content, bytes.subspan(header, size - header));
  return packet;
}

inline Bytes make_ipv4(const Ipv4Packet& packet) {
  Bytes bytes;
  put8(bytes, 0x45);
  put8(bytes, 0);
  put16(bytes, static_cast<uint16_t>(20 + packet.content.size()));
  put16(bytes, 0);
  put16(bytes, 0x4000);  // don't fragment
  put8(bytes, 64);
  put8(bytes, packet.protocol);
  put16(bytes, 0);
  put32(bytes, packet.from.number);
  put32(bytes, packet.to.number);
  store_checksum(bytes, 10, checksum(bytes));
  put(bytes, packet.content);
  return bytes;
}
