// Writes structs in Thrift's compact protocol, the encoding of Parquet's metadata: fields by
// number, in ascending order, without names.
//
//   ThriftStruct page(bytes);
//   page.i32(1, type);
//   ThriftStruct header = page.structure(5);
//   header.i32(1, count);
//   header.end();   // the innermost first
//   page.end();
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md. Does not use
// libthrift: Parquet needs six of its types, but the library adds a code generator to the build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

// A varint: 7 bits per byte, the lowest first.
inline void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}
// Maps small negative numbers to small unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3.
inline uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

class ThriftStruct {
 public:
  enum class Element : uint8_t { I32 = 5, Text = 8, Struct = 12 };

  // A top-level struct, or an element of a list.
  explicit ThriftStruct(std::string& out) : out_(out) {}

  void boolean(int field, bool value) { begin(field, value ? 1 : 2); }
  void byte(int field, int8_t value) {
    begin(field, 3);
    out_ += static_cast<char>(value);
  }
  void i32(int field, int32_t value) {
    begin(field, 5);
    append_varint(out_, zigzag(value));
  }
  void i64(int field, uint64_t value) {
    begin(field, 6);
    append_varint(out_, zigzag(static_cast<int64_t>(value)));
  }
  void text(int field, std::string_view value) {
    begin(field, 8);
    element(value);
  }
  // `count` elements must follow: element(...), or a ThriftStruct each.
  void list(int field, Element type, size_t count) {
    begin(field, 9);
    const size_t shown = count < 15 ? count : 15;
    out_ += static_cast<char>(shown << 4 | static_cast<size_t>(type));
    if (count >= 15) append_varint(out_, count);
  }
  void element(int32_t value) { append_varint(out_, zigzag(value)); }
  void element(std::string_view value) {
    append_varint(out_, value.size());
    out_ += value;
  }
  ThriftStruct structure(int field) {
    begin(field, 12);
    return ThriftStruct(out_);
  }
  void end() { out_ += '\0'; }

 private:
  void begin(int field, uint8_t type) {
    out_ += static_cast<char>((field - last_) << 4 | type);
    last_ = field;
  }

  std::string& out_;
  int last_ = 0;
};

}  // namespace skein
