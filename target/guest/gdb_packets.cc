#include "target/guest/gdb_packets.h"

#include <array>
#include <charconv>

namespace skein {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr unsigned kMostRepeats = 3;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

uint8_t checksum_of(std::string_view content) {
  unsigned sum = 0;
  for (const char c : content) sum += static_cast<unsigned char>(c);
  return static_cast<uint8_t>(sum);
}

Error no_protocol(const std::string& what) { return Error{.what = "the gdb server sends " + what}; }

// "0* " is "0000": the character, '*', and the number of further ones + 29.
Result<std::string> expanded(std::string_view content) {
  if (content.find('*') == content.npos) return std::string(content);
  std::string text;
  for (size_t i = 0; i < content.size(); i++) {
    if (content[i] != '*') {
      text += content[i];
      continue;
    }
    constexpr int bias = 29;
    const int count = ++i < content.size() ? static_cast<unsigned char>(content[i]) - bias : 0;
    if (text.empty() || count < 3 || count > 126 - bias)
      return no_protocol("a run without a length");
    if (text.size() > GdbPackets::kLargestPacket) return no_protocol("a packet that is too long");
    text.append(static_cast<size_t>(count), text.back());
  }
  return text;
}

}  // namespace

void GdbPackets::add(std::string_view content) {
  const uint8_t sum = checksum_of(content);
  last_ = '$';
  last_ += content;
  last_ += '#';
  last_ += kHexDigits[sum >> 4];
  last_ += kHexDigits[sum & 15];
  out_ += last_;
}

Result<void> GdbPackets::flush() {
  if (out_.empty()) return {};
  const Result<void> written = stream_.write(out_);
  out_.clear();
  return written;
}

Result<void> GdbPackets::write_raw(std::string_view bytes) {
  out_ += bytes;
  return flush();
}

Result<void> GdbPackets::fill() {
  if (const Result<void> written = flush(); !written) return written;
  in_.erase(0, at_);
  at_ = 0;
  const Result<size_t> count = stream_.read(buffer_);
  if (!count) return count.error();
  in_.append(buffer_.data(), *count);
  return {};
}

Result<char> GdbPackets::next() {
  if (at_ == in_.size())
    if (const Result<void> filled = fill(); !filled) return filled.error();
  return in_[at_++];
}

Result<void> GdbPackets::on_acknowledgement(char kind) {
  if (kind != '-') return {};
  if (++repeats_ > kMostRepeats) return no_protocol("no packet that it has understood");
  out_ += last_;
  return {};
}

Result<std::string> GdbPackets::receive() {
  for (size_t skipped = 0;;) {
    Result<char> first = next();
    if (!first) return first.error();
    if (*first != '$' && *first != '%') {
      if (++skipped > kLargestPacket) return no_protocol("no packets");
      if (const Result<void> done = on_acknowledgement(*first); !done) return done.error();
      continue;
    }
    size_t end = 0;
    for (size_t from = at_; (end = in_.find('#', from)) == in_.npos || in_.size() - end < 3;) {
      const size_t length = in_.size() - at_;
      if (length > kLargestPacket) return no_protocol("a packet that is too long");
      if (const Result<void> filled = fill(); !filled) return filled.error();
      // fill() has moved what is left to the front; a '#' is perhaps the last that was there.
      from = length > 3 ? length - 3 : 0;
    }
    const std::string_view content = std::string_view(in_).substr(at_, end - at_);
    const std::optional<uint8_t> sum = gdb_hex_byte(in_[end + 1], in_[end + 2]);
    const bool is_right = sum == checksum_of(content);
    Result<std::string> text = expanded(content);
    at_ = end + 3;
    if (*first == '%') {  // it needs no acknowledgement
      if (++skipped > kLargestPacket) return no_protocol("no packets");
      continue;
    }
    if (is_right) {
      if (acknowledges_) out_ += '+';
      repeats_ = 0;
      return text;
    }
    if (!acknowledges_ || ++repeats_ > kMostRepeats)
      return no_protocol("packets with wrong checksums");
    out_ += '-';
  }
}

std::optional<uint8_t> gdb_hex_byte(char high, char low) {
  const int a = hex_digit(high), b = hex_digit(low);
  if (a < 0 || b < 0) return {};
  return static_cast<uint8_t>(a << 4 | b);
}

std::optional<uint64_t> gdb_hex_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string gdb_hex(uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

std::optional<std::string> gdb_hex_bytes(std::string_view text) {
  if (text.size() % 2 != 0) return {};
  std::string bytes(text.size() / 2, 0);
  for (size_t i = 0; i < bytes.size(); i++) {
    const std::optional<uint8_t> byte = gdb_hex_byte(text[2 * i], text[2 * i + 1]);
    if (!byte) return {};
    bytes[i] = static_cast<char>(*byte);
  }
  return bytes;
}

std::string gdb_unescaped(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i++) {
    const bool is_escaped = text[i] == '}' && i + 1 < text.size();
    bytes += is_escaped ? static_cast<char>(text[++i] ^ 0x20) : text[i];
  }
  return bytes;
}

}  // namespace skein
