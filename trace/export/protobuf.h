// Writes protocol buffers: fields by number, messages nested in messages. Does not use libprotobuf:
// a trace needs five rules of the wire format, but the library adds a code generator to the build,
// a shared library to the program, and a copy of each message.
//
//   Message packet(text), event(packet, 11);
//   event.number(9, type);
//   event.done();   // the innermost first
//   packet.done();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

class Message {
 public:
  // A field of the file's outermost message, which has no tag itself.
  Message(std::string& out, uint32_t field) : out_(out) {
    tag(field, 2);
    size_at_ = out_.size();
    out_.append(size_bytes, '\0');
  }
  Message(Message& in, uint32_t field) : Message(in.out_, field) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  void number(uint32_t field, uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void fixed(uint32_t field, uint64_t value) {
    tag(field, 1);
    for (unsigned shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(value >> shift);
  }
  void text(uint32_t field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    out_ += value;
  }

  // Ends the message; nothing can be added afterwards. Fills in the reserved size, as a varint
  // padded to the reserved bytes.
  void done() {
    uint64_t size = out_.size() - size_at_ - size_bytes;
    for (size_t i = 0; i < size_bytes; i++, size >>= 7)
      out_[size_at_ + i] = static_cast<char>((size & 0x7f) | (i + 1 < size_bytes ? 0x80 : 0));
  }

 private:
  static constexpr size_t size_bytes = 4;  // up to 256 MiB

  void tag(uint32_t field, uint32_t wire_type) { varint(uint64_t{field} << 3 | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string& out_;
  size_t size_at_;
};

}  // namespace skein
