#include "trace/read/connection.h"

#include <array>

namespace skein {

namespace {

constexpr std::string_view arrow = " > ";

void append_hex(std::string& out, unsigned number) {
  constexpr std::string_view digits = "0123456789abcdef";
  bool begun = false;
  for (int shift = 12; shift >= 0; shift -= 4) {
    begun = begun || number >> shift != 0 || shift == 0;
    if (begun) out += digits[number >> shift & 15];
  }
}

// RFC 5952: the first of the longest runs of zeros is "::".
void append_groups(std::string& out, const std::array<unsigned, 8>& groups) {
  size_t longest = 0;
  size_t length = 1;
  for (size_t i = 0; i < groups.size(); i++) {
    size_t end = i;
    while (end < groups.size() && groups[end] == 0) end++;
    if (end - i > length) {
      longest = i;
      length = end - i;
    }
  }
  for (size_t i = 0; i < groups.size(); i++) {
    if (length > 1 && i == longest) {
      out += "::";
      i += length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':' && out.back() != '[') out += ':';
    append_hex(out, groups[i]);
  }
}

void append_address(std::string& out, const format::SocketAddress& address) {
  constexpr uint64_t mapped = 0xFFFF;  // ::ffff:0:0/96 has the IPv4 addresses
  if (address.high == 0 && address.low >> 32 == mapped) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out += std::to_string(address.low >> shift & 255);
      if (shift != 0) out += '.';
    }
  } else {
    std::array<unsigned, 8> groups{};
    for (size_t i = 0; i < 4; i++) {
      groups[i] = static_cast<unsigned>(address.high >> (48 - 16 * i) & 0xFFFF);
      groups[i + 4] = static_cast<unsigned>(address.low >> (48 - 16 * i) & 0xFFFF);
    }
    out += '[';
    append_groups(out, groups);
    out += ']';
  }
  out += ':';
  out += std::to_string(address.port);
}

bool is_none(const format::SocketAddress& address) {
  return address.high == 0 && address.low == 0 && address.port == 0;
}

}  // namespace

std::string connection_text(const format::Connection& c, std::string_view path) {
  if (c.protocol == c.kWholeText) return std::string(path);
  if (c.protocol == 0) return std::string(path.empty() ? "no name" : path) + " (unix)";
  std::string text;
  append_address(text, c.local);
  if (!is_none(c.peer)) append_address(text += arrow, c.peer);
  text += " (";
  switch (c.protocol) {
    case 6:
      text += "tcp";
      break;
    case 17:
      text += "udp";
      break;
    default:
      text += "protocol " + std::to_string(c.protocol);
  }
  if (c.net_namespace != 0) text += ", netns " + std::to_string(c.net_namespace);
  return text + ')';
}

std::string_view peer_in(std::string_view connection) {
  const size_t end = connection.rfind(" (");
  const std::string_view addresses = connection.substr(0, end);
  const size_t peer = connection.ends_with("(unix)") ? addresses.npos : addresses.find(arrow);
  return peer == addresses.npos ? addresses : addresses.substr(peer + arrow.size());
}

std::string connection_of_peer(std::string_view connection) {
  const size_t end = connection.rfind(" (");
  const size_t at = connection.find(arrow);
  if (end == connection.npos || at >= end || connection.ends_with("(unix)")) return {};
  std::string text(connection.substr(at + arrow.size(), end - at - arrow.size()));
  text += arrow;
  text += connection.substr(0, at);
  text += connection.substr(end);
  return text;
}

bool has_peer(std::string_view connection) {
  return connection.ends_with("(unix)") || connection.find(arrow) != connection.npos;
}

}  // namespace skein
