// Writes protocol buffers: fields by number, messages nested in messages. Does not use libprotobuf:
// a trace or profile needs six rules of the wire format, but the library adds a code generator to
// the build, a shared library to the program, and a copy of each message.
//
//   Message packet(text), event(packet, 11);
//   event.number(9, type);
//   event.done();   // the innermost first
//   packet.done();
//   Fields(text).text(6, "main");   // of the file's outermost message
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skein {

// Fields of the outermost message of a file, which has no size itself.
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) {}

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
  // Several values of one field.
  void packed(uint32_t field, std::span<const uint64_t> values) {
    uint64_t size = 0;
    for (uint64_t value : values)
      for (size++; value >= 0x80; value >>= 7) size++;
    tag(field, 2);
    varint(size);
    for (const uint64_t value : values) varint(value);
  }

 protected:
  void tag(uint32_t field, uint32_t wire_type) { varint(uint64_t{field} << 3 | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string& out_;
};

class Message : public Fields {
 public:
  // A field of the file's outermost message.
  Message(std::string& out, uint32_t field) : Fields(out) {
    tag(field, 2);
    size_at_ = out_.size();
    out_.append(size_bytes, '\0');
  }
  Message(Message& in, uint32_t field) : Message(in.out_, field) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  // Ends the message; nothing can be added afterwards. Fills in the reserved size, as a varint
  // padded to the reserved bytes.
  void done() {
    uint64_t size = out_.size() - size_at_ - size_bytes;
    for (size_t i = 0; i < size_bytes; i++, size >>= 7)
      out_[size_at_ + i] = static_cast<char>((size & 0x7f) | (i + 1 < size_bytes ? 0x80 : 0));
  }

 private:
  static constexpr size_t size_bytes = 4;  // up to 256 MiB

  size_t size_at_ = 0;
};

}  // namespace skein
