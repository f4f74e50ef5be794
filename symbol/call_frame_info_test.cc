#include "symbol/call_frame_info.h"

#include <doctest/doctest.h>

#include <string>

#include "symbol/call_frame_writer.h"

using namespace skein;

namespace {

using Kind = RegisterRule::Kind;

std::string text_of(const RegisterRule& rule) {
  const std::string number = std::to_string(rule.number);
  switch (rule.kind) {
    case Kind::Undefined:
      return "undefined";
    case Kind::Same:
      return "same";
    case Kind::At:
      return "at " + number;
    case Kind::Value:
      return "value " + number;
    case Kind::Register:
      return "r" + std::to_string(rule.other) + (rule.number == 0 ? "" : "+" + number);
    case Kind::AtExpression:
      return "at expression of " + std::to_string(rule.size);
    case Kind::Expression:
      return "expression of " + std::to_string(rule.size);
  }
  return {};
}

// "1000-1001 r7+8 ra at -8; ..."; other registers only if their rule is not the default.
std::string rows_of(const CallFrameInfo& info) {
  std::string text;
  for (const CallFrameInfo::Function& function : info.functions())
    info.for_each_row(function, [&](uint64_t begin, uint64_t end, const CallFrameRow& row) {
      char range[64];
      snprintf(range, sizeof range, "%llx-%llx ", static_cast<unsigned long long>(begin),
               static_cast<unsigned long long>(end));
      if (!text.empty()) text += "; ";
      text += range + text_of(row.cfa);
      for (size_t number = 0; number < unwind_registers; number++) {
        const RegisterRule& rule = row.registers[number];
        const bool is_kept = number == 3 || number == 6 || (number >= 12 && number <= 15);
        if (rule.kind == (is_kept ? Kind::Same : Kind::Undefined)) continue;
        if (number == stack_pointer_register && rule == RegisterRule{.kind = Kind::Value}) continue;
        text += number == return_address_register ? " ra " : " r" + std::to_string(number) + " ";
        text += text_of(rule);
      }
    });
  return text;
}

std::string rows_of(const CallFrameWriter& frames) {
  return rows_of(CallFrameInfo::read(frames.section()));
}

// The rows of a function at [1000, 1040).
std::string rows_of_function(std::string_view instructions) {
  CallFrameWriter frames(0x2000);
  const size_t common = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, instructions);
  return rows_of(frames);
}

using namespace std::string_view_literals;

}  // namespace

TEST_CASE("call frame information: a function with a frame pointer") {
  // push rbp; mov rsp, rbp; ...; pop rbp; ret
  CHECK(rows_of_function("\x41\x0E\x10\x86\x02\x43\x0D\x06\x70\x0C\x07\x08"sv) ==
        "1000-1001 r7+8 ra at -8; 1001-1004 r7+16 r6 at -16 ra at -8; "
        "1004-1034 r6+16 r6 at -16 ra at -8; 1034-1040 r7+8 r6 at -16 ra at -8");
}

TEST_CASE("call frame information: each instruction") {
  const auto only = [](std::string_view instructions) {
    const std::string rows = rows_of_function(instructions);
    return rows.starts_with("1000-1040 ") ? rows.substr(10) : rows;
  };
  CHECK(only("\x0E\x10"sv) == "r7+16 ra at -8");                  // def_cfa_offset
  CHECK(only("\x13\x7E"sv) == "r7+16 ra at -8");                  // def_cfa_offset_sf
  CHECK(only("\x0D\x03"sv) == "r3+8 ra at -8");                   // def_cfa_register
  CHECK(only("\x0C\x0A\x00"sv) == "r10 ra at -8");                // def_cfa
  CHECK(only("\x12\x06\x7D"sv) == "r6+24 ra at -8");              // def_cfa_sf
  CHECK(only("\x83\x03"sv) == "r7+8 r3 at -24 ra at -8");         // offset
  CHECK(only("\x05\x0C\x04"sv) == "r7+8 r12 at -32 ra at -8");    // offset_extended
  CHECK(only("\x11\x0C\x7F"sv) == "r7+8 r12 at 8 ra at -8");      // offset_extended_sf
  CHECK(only("\x2F\x0C\x01"sv) == "r7+8 r12 at 8 ra at -8");      // GNU_negative_offset_extended
  CHECK(only("\x14\x06\x02"sv) == "r7+8 r6 value -16 ra at -8");  // val_offset
  CHECK(only("\x15\x06\x7E"sv) == "r7+8 r6 value 16 ra at -8");   // val_offset_sf
  CHECK(only("\x07\x10"sv) == "r7+8");                            // undefined
  CHECK(only("\x07\x03"sv) == "r7+8 r3 undefined ra at -8");
  CHECK(only("\x83\x03\x08\x03"sv) == "r7+8 ra at -8");                 // same_value
  CHECK(only("\x09\x10\x01"sv) == "r7+8 ra r1");                        // register
  CHECK(only("\x83\x03\xC3"sv) == "r7+8 ra at -8");                     // restore
  CHECK(only("\x90\x03\x06\x10"sv) == "r7+8 ra at -8");                 // restore_extended
  CHECK(only("\x0F\x03\x77\x08\x06"sv) == "expression of 3 ra at -8");  // def_cfa_expression
  CHECK(only("\x10\x06\x02\x76\x00"sv) == "r7+8 r6 at expression of 2 ra at -8");
  CHECK(only("\x16\x06\x02\x76\x00"sv) == "r7+8 r6 expression of 2 ra at -8");
  CHECK(only("\x2E\x10\x0E\x18"sv) == "r7+24 ra at -8");         // GNU_args_size
  CHECK(only("\x05\x20\x04\x0E\x18"sv) == "r7+24 ra at -8");     // of xmm15
  CHECK(only("\x0A\x0E\x18\x83\x03\x0B"sv) == "r7+8 ra at -8");  // remember_state, restore_state
}

TEST_CASE("call frame information: each advance") {
  const std::string_view rows = "1000-1002 r7+8 ra at -8; 1002-1040 r7+16 ra at -8";
  CHECK(rows_of_function("\x42\x0E\x10"sv) == rows);
  CHECK(rows_of_function("\x02\x02\x0E\x10"sv) == rows);
  CHECK(rows_of_function("\x03\x02\x00\x0E\x10"sv) == rows);
  CHECK(rows_of_function("\x04\x02\x00\x00\x00\x0E\x10"sv) == rows);
  CHECK(rows_of_function("\x1D\x02\x00\x00\x00\x00\x00\x00\x00\x0E\x10"sv) == rows);
  CHECK(rows_of_function("\x42\x40\x0E\x10\x7F\x7F"sv) == rows);  // up to behind the end
}

TEST_CASE("call frame information: set_loc") {
  CallFrameWriter frames(0x2000);
  const size_t common =
      frames.add_common("zR", std::string_view("\0", 1), CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, "\x01\x02\x10\0\0\0\0\0\0\x0E\x10"sv, 0);
  CHECK(rows_of(frames) == "1000-1002 r7+8 ra at -8; 1002-1040 r7+16 ra at -8");
}

TEST_CASE("call frame information: damaged functions have no rows from there on") {
  CHECK(rows_of_function("\x42\x3F\x0E\x10"sv) == "1000-1002 r7+8 ra at -8");  // unknown
  CHECK(rows_of_function("\x42\x0B"sv) == "1000-1002 r7+8 ra at -8");          // nothing remembered
  CHECK(rows_of_function("\x42\x0F\x7F\x77"sv) == "1000-1002 r7+8 ra at -8");  // cut short
  CHECK(rows_of_function("\x0F\x01\x96\x0E\x10"sv) == "");  // an offset without a register
  CHECK(rows_of_function("\x0C\x40\x08"sv) == "");          // CFA from an unknown register
  CHECK(rows_of_function("\x0E\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"sv) == "");
}

TEST_CASE("call frame information: common entries") {
  const auto rows = [](const std::string& augmentation, std::string_view data, uint8_t encoding) {
    CallFrameWriter frames(0x2000);
    const size_t common = frames.add_common(augmentation, data, CallFrameWriter::at_entry);
    frames.add_function(common, 0x1000, 0x40, "", encoding);
    return rows_of(frames);
  };
  const std::string_view one = "1000-1040 r7+8 ra at -8";
  CHECK(rows("zR", "\x1B", 0x1B) == one);
  CHECK(rows("zPLR", "\x9B\1\2\3\4\x1B\x1B", 0x1B) == one);
  CHECK(rows("zPLR", std::string_view("\0\1\2\3\4\5\6\7\x08\x1B\x1B", 11), 0x1B) == one);
  CHECK(rows("zRS", "\x1B", 0x1B) == one);
  CHECK(rows("zRX", "\x1B\7", 0x1B) == one);
  CHECK(rows("z", "", 0) == one);
  CHECK(rows("zR", "\xFF", 0x1B) == "");      // no address
  CHECK(rows("zR", "\x3B", 0x1B) == "");      // relative to data
  CHECK(rows("zR", "\x9B", 0x1B) == "");      // indirect
  CHECK(rows("q", "", 0) == "");              // unknown
  CHECK(rows("zPLR", "\x9B\1", 0x1B) == "");  // cut short
}

TEST_CASE("call frame information: .debug_frame") {
  for (const uint8_t version : {uint8_t{1}, uint8_t{3}, uint8_t{4}}) {
    CallFrameWriter frames(0, true);
    const size_t common = frames.add_common("", "", CallFrameWriter::at_entry, version);
    frames.add_function(common, 0x1000, 0x40, "\x41\x0E\x10", 0);
    frames.add_function(common, 0, 0x40, "\x41\x0E\x10", 0);  // removed by the linker
    CHECK(rows_of(frames) == "1000-1001 r7+8 ra at -8; 1001-1040 r7+16 ra at -8");
  }
}

TEST_CASE("call frame information: signal frames") {
  CallFrameWriter frames(0x2000);
  const size_t common = frames.add_common("zRS", "\x1B", CallFrameWriter::at_entry);
  const size_t other = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, "");
  frames.add_function(other, 0x1040, 0x40, "");
  const CallFrameInfo info = CallFrameInfo::read(frames.section());
  REQUIRE(info.functions().size() == 2);
  CHECK(info.functions()[0].is_signal_frame);
  CHECK(!info.functions()[1].is_signal_frame);
}

TEST_CASE("call frame information: a section that is cut short or damaged") {
  CallFrameWriter frames(0x2000);
  const size_t common = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, "\x41\x0E\x10");
  frames.add_function(common, 0x1040, 0x40, "");
  const auto whole = frames.section();
  size_t most = 0;
  for (size_t size = 0; size <= whole.bytes.size(); size++) {
    const CallFrameInfo info =
        CallFrameInfo::read({.bytes = whole.bytes.first(size), .address = whole.address});
    CHECK(info.functions().size() >= most);
    most = info.functions().size();
    rows_of(info);
  }
  CHECK(most == 2);
  std::string bytes = frames.bytes();
  for (char& byte : bytes) {
    const char old = byte;
    for (const char other : {'\0', '\xFF', '\x7F', '\x80'}) {
      byte = other;
      rows_of(CallFrameInfo::read(
          {.bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}}));
    }
    byte = old;
  }
}

TEST_CASE("call frame information: a terminator ends it") {
  CallFrameWriter frames(0x2000);
  const size_t common = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, "");
  frames.add(std::string_view("\0\0\0\0", 4));
  frames.add_function(common, 0x1040, 0x40, "");
  CHECK(rows_of(frames) == "1000-1040 r7+8 ra at -8");
}
