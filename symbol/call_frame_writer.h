// For tests: call frame information, entry by entry.
//
//   CallFrameWriter frames(0x2000);                    // address of the section
//   const size_t common = frames.add_common("zR", {0x1B}, "\x0C\x07\x08\x90\x01");
//   frames.add_function(common, 0x1000, 0x20, "\x41\x0E\x10");
//   UnwindTable::of(frames.sections());
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "symbol/call_frame_info.h"

namespace skein {

class CallFrameWriter {
 public:
  explicit CallFrameWriter(uint64_t address, bool is_debug_frame = false)
      : address_(address), is_debug_frame_(is_debug_frame) {}

  // CFA = rsp + 8, return address at CFA - 8.
  static constexpr std::string_view at_entry = "\x0C\x07\x08\x90\x01";

  // With code alignment 1, data alignment -8, return address 16. Returns its offset.
  size_t add_common(const std::string& augmentation, std::string_view data,
                    std::string_view instructions, uint8_t version = 1) {
    const size_t at = begin(is_debug_frame_ ? 0xFFFFFFFF : 0);
    bytes_ += static_cast<char>(version);
    bytes_ += augmentation + '\0';
    if (version == 4) bytes_ += std::string_view("\x08\0", 2);
    bytes_ += "\x01\x78\x10";
    if (augmentation.starts_with('z')) bytes_ += static_cast<char>(data.size());
    bytes_ += data;
    finish(at, instructions);
    return at;
  }
  // `encoding` is that of its common entry: DW_EH_PE_absptr, or DW_EH_PE_pcrel | DW_EH_PE_sdata4.
  void add_function(size_t common, uint64_t address, uint64_t size, std::string_view instructions,
                    uint8_t encoding = 0x1B) {
    const size_t at = bytes_.size();
    begin(static_cast<uint32_t>(is_debug_frame_ ? common : at + 4 - common));
    if (encoding == 0) {
      append(address);
      append(size);
    } else {
      append(static_cast<uint32_t>(address - (address_ + bytes_.size())));
      append(static_cast<uint32_t>(size));
    }
    if (!is_debug_frame_) bytes_ += '\0';  // no augmentation data
    finish(at, instructions);
  }
  void add(std::string_view bytes) { bytes_ += bytes; }

  CallFrameSection section() const {
    return {.bytes = {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()},
            .address = address_,
            .is_debug_frame = is_debug_frame_};
  }
  std::vector<CallFrameSection> sections() const { return {section()}; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename Number>
  void append(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  size_t begin(uint32_t identifier) {
    const size_t at = bytes_.size();
    append(uint32_t{0});
    append(identifier);
    return at;
  }
  void finish(size_t at, std::string_view instructions) {
    bytes_ += instructions;
    while (bytes_.size() % 8 != 0) bytes_ += '\0';
    const auto length = static_cast<uint32_t>(bytes_.size() - at - 4);
    std::memcpy(bytes_.data() + at, &length, sizeof length);
  }

  std::string bytes_ = {};
  uint64_t address_ = 0;
  bool is_debug_frame_ = false;
};

}  // namespace skein
