#include "symbol/line_answers.h"

#include <cstring>
#include <string_view>

#include "base/cursor.h"

namespace skein {

namespace {

// Numbers are little-endian. A text is its length (4 bytes) and its bytes.
class Packer {
 public:
  template <typename Number>
  void number(Number value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  void place(const std::optional<LinePlace>& value) {
    number(value ? value->line : 0);
    number(value ? value->column : 0);
    text(value ? value->file : "");
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_ = {};
};

std::string unpacked_text(Cursor& cursor) {
  const uint32_t size = cursor.u32();
  const std::span<const uint8_t> bytes = cursor.bytes(size);
  return {bytes.begin(), bytes.end()};
}

std::optional<LinePlace> unpacked_place(Cursor& cursor) {
  const uint32_t line = cursor.u32();
  const uint32_t column = cursor.u32();
  std::string file = unpacked_text(cursor);
  if (line == 0) return {};
  return LinePlace{.file = std::move(file), .line = line, .column = column};
}

}  // namespace

std::vector<uint8_t> LineAnswers::packed() const {
  Packer out;
  out.number(static_cast<uint64_t>(places.size()));
  for (const auto& [address, place] : places) {
    out.number(address);
    out.place(place);
  }
  out.number(static_cast<uint64_t>(insides.size()));
  for (const auto& [question, place] : insides) {
    out.number(question.first);
    out.text(question.second);
    out.place(place);
  }
  out.number(static_cast<uint64_t>(calls.size()));
  for (const auto& [question, found] : calls) {
    out.number(question.first);
    out.text(question.second);
    out.number(static_cast<uint64_t>(found.size()));
    for (const InlinedCall& call : found) {
      out.number(call.address);
      out.number(call.end);
      out.text(call.function);
    }
  }
  out.number(static_cast<uint64_t>(members.size()));
  for (const auto& [question, offset] : members) {
    out.number(std::get<0>(question));
    out.text(std::get<1>(question));
    out.text(std::get<2>(question));
    out.number(static_cast<uint8_t>(offset.has_value()));
    out.number(offset.value_or(0));
  }
  out.number(static_cast<uint64_t>(missing.size()));
  for (const auto& [address, is_missing] : missing) {
    out.number(address);
    out.number(static_cast<uint8_t>(is_missing));
  }
  return out.take();
}

// A number of elements is not believed: the bytes end first.
std::optional<LineAnswers> LineAnswers::unpack(std::span<const uint8_t> bytes) {
  LineAnswers out;
  Cursor cursor(bytes);
  for (uint64_t left = cursor.u64(); left != 0 && !cursor.failed(); left--) {
    const uint64_t address = cursor.u64();
    auto place = unpacked_place(cursor);
    if (cursor.failed()) return {};
    out.places[address] = std::move(place);
  }
  for (uint64_t left = cursor.u64(); left != 0 && !cursor.failed(); left--) {
    const uint64_t address = cursor.u64();
    std::string function = unpacked_text(cursor);
    auto place = unpacked_place(cursor);
    if (cursor.failed()) return {};
    out.insides[{address, std::move(function)}] = std::move(place);
  }
  for (uint64_t left = cursor.u64(); left != 0 && !cursor.failed(); left--) {
    const uint64_t address = cursor.u64();
    std::vector<InlinedCall>& found = out.calls[{address, unpacked_text(cursor)}];
    for (uint64_t more = cursor.u64(); more != 0 && !cursor.failed(); more--) {
      InlinedCall call;
      call.address = cursor.u64();
      call.end = cursor.u64();
      call.function = unpacked_text(cursor);
      if (!cursor.failed()) found.push_back(std::move(call));
    }
  }
  for (uint64_t left = cursor.u64(); left != 0 && !cursor.failed(); left--) {
    const uint64_t address = cursor.u64();
    std::string variable = unpacked_text(cursor);
    std::string member = unpacked_text(cursor);
    const bool is_known = cursor.u8() != 0;
    const uint64_t offset = cursor.u64();
    auto& answer = out.members[{address, std::move(variable), std::move(member)}];
    if (is_known) answer = offset;
  }
  for (uint64_t left = cursor.u64(); left != 0 && !cursor.failed(); left--) {
    const uint64_t address = cursor.u64();
    const bool is_missing = cursor.u8() != 0;
    if (!cursor.failed()) out.missing[address] = is_missing;
  }
  if (cursor.failed() || !cursor.at_end()) return {};
  return out;
}

}  // namespace skein
