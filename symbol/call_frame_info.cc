#include "symbol/call_frame_info.h"

#include <dwarf.h>

#include <limits>
#include <optional>
#include <unordered_map>

#include "base/cursor.h"
#include "symbol/leb128.h"

namespace skein {

namespace {

using Kind = RegisterRule::Kind;

// A number without what it is relative to (LSB 5.0, 10.5.1). Nothing: another encoding.
std::optional<uint64_t> number_of(Cursor& bytes, uint8_t encoding) {
  switch (encoding & 0x0F) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return bytes.u64();
    case DW_EH_PE_uleb128:
      return read_uleb128(bytes);
    case DW_EH_PE_sleb128:
      return static_cast<uint64_t>(read_sleb128(bytes));
    case DW_EH_PE_udata2:
      return bytes.u16();
    case DW_EH_PE_sdata2:
      return static_cast<uint64_t>(int64_t{static_cast<int16_t>(bytes.u16())});
    case DW_EH_PE_udata4:
      return bytes.u32();
    case DW_EH_PE_sdata4:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(bytes.u32())});
    default:
      return {};
  }
}

// The offset of `bytes` in the section must be its offset().
std::optional<uint64_t> address_of(Cursor& bytes, uint8_t encoding, uint64_t section) {
  if ((encoding & DW_EH_PE_indirect) != 0) return {};
  const uint64_t here = section + bytes.offset();
  const auto number = number_of(bytes, encoding);
  if (!number || bytes.failed()) return {};
  switch (encoding & 0x70) {
    case DW_EH_PE_absptr:
      return number;
    case DW_EH_PE_pcrel:
      return *number + here;
    default:
      return {};
  }
}

// One entry, without its length.
struct Entry {
  uint64_t begin = 0;       // offset of its length
  uint64_t identifier = 0;  // offset of the field behind the length
  uint64_t end = 0;
  bool is_64_bit = false;
  bool is_common = false;
  uint64_t common = 0;  // offset of the common entry, of a function's
  uint64_t body = 0;    // offset behind the field
};

// The entry at an offset. Nothing: the end, or it does not fit into the section.
std::optional<Entry> entry_at(const CallFrameSection& section, uint64_t at) {
  if (at >= section.bytes.size()) return {};
  Cursor bytes(section.bytes.subspan(at), at);
  Entry entry{.begin = at};
  uint64_t length = bytes.u32();
  if (length == 0xFFFFFFFF) {
    entry.is_64_bit = true;
    length = bytes.u64();
  }
  entry.identifier = bytes.offset();
  if (bytes.failed() || length == 0 || length > bytes.remaining()) return {};
  entry.end = entry.identifier + length;
  const bool is_long = entry.is_64_bit && section.is_debug_frame;
  const uint64_t id = is_long ? bytes.u64() : bytes.u32();
  entry.body = bytes.offset();
  if (bytes.failed() || entry.body > entry.end) {
    entry.body = entry.end;
    entry.common = UINT64_MAX;
    return entry;
  }
  if (section.is_debug_frame) {
    entry.is_common = id == (is_long ? UINT64_MAX : uint64_t{0xFFFFFFFF});
    entry.common = id;
  } else {
    entry.is_common = id == 0;
    entry.common = entry.identifier - id;  // wraps around if damaged
  }
  return entry;
}

}  // namespace

// Runs the instructions of an entry (DWARF 5, 6.4.2).
class CallFrameInfo::Interpreter {
 public:
  Interpreter(const CallFrameSection& section, const Common& common)
      : section_(section), common_(common), row_(common.first) {}

  const CallFrameRow& row() const { return row_; }

  // Calls `use` for each row of [begin, end), unless it is null.
  void run(std::span<const uint8_t> instructions, uint64_t offset, uint64_t begin, uint64_t end,
           const UseRow* use) {
    Cursor bytes(instructions, offset);
    uint64_t from = begin;
    while (!bytes.at_end()) {
      const uint64_t to = next(bytes, from);
      if (bytes.failed() || row_.cfa.kind == Kind::Undefined) return;  // damaged
      if (to == from) continue;
      if (use == nullptr || to < from) return;
      if (to >= end) break;
      (*use)(from, to, row_);
      from = to;
    }
    if (use != nullptr) (*use)(from, end, row_);
  }

 private:
  // Runs one instruction and returns where the next row begins: at `from`, unless it is an advance.
  uint64_t next(Cursor& bytes, uint64_t from) {
    const uint8_t code = bytes.u8();
    const uint8_t low = code & 0x3F;
    switch (code & 0xC0) {
      case DW_CFA_advance_loc:
        return advance(from, low);
      case DW_CFA_offset:
        set(low, at(scaled(read_uleb128(bytes))));
        return from;
      case DW_CFA_restore:
        restore(low);
        return from;
      default:
        return next_extended(code, bytes, from);
    }
  }

  uint64_t next_extended(uint8_t code, Cursor& bytes, uint64_t from) {
    switch (code) {
      case DW_CFA_nop:
      case DW_CFA_GNU_window_save:
        break;
      case DW_CFA_set_loc:
        return address_of(bytes, common_.encoding, section_.address).value_or(0);
      case DW_CFA_advance_loc1:
        return advance(from, bytes.u8());
      case DW_CFA_advance_loc2:
        return advance(from, bytes.u16());
      case DW_CFA_advance_loc4:
        return advance(from, bytes.u32());
      case DW_CFA_MIPS_advance_loc8:
        return advance(from, bytes.u64());
      case DW_CFA_offset_extended: {
        const uint64_t number = read_uleb128(bytes);
        set(number, at(scaled(read_uleb128(bytes))));
        break;
      }
      case DW_CFA_offset_extended_sf: {
        const uint64_t number = read_uleb128(bytes);
        set(number, at(scaled(static_cast<uint64_t>(read_sleb128(bytes)))));
        break;
      }
      case DW_CFA_GNU_negative_offset_extended: {
        const uint64_t number = read_uleb128(bytes);
        set(number, at(scaled(0 - read_uleb128(bytes))));
        break;
      }
      case DW_CFA_val_offset: {
        const uint64_t number = read_uleb128(bytes);
        set(number, relative(Kind::Value, scaled(read_uleb128(bytes))));
        break;
      }
      case DW_CFA_val_offset_sf: {
        const uint64_t number = read_uleb128(bytes);
        set(number, relative(Kind::Value, scaled(static_cast<uint64_t>(read_sleb128(bytes)))));
        break;
      }
      case DW_CFA_restore_extended:
        restore(read_uleb128(bytes));
        break;
      case DW_CFA_undefined:
        set(read_uleb128(bytes), {.kind = Kind::Undefined});
        break;
      case DW_CFA_same_value:
        set(read_uleb128(bytes), {.kind = Kind::Same});
        break;
      case DW_CFA_register: {
        const uint64_t number = read_uleb128(bytes);
        const uint64_t other = read_uleb128(bytes);
        if (other < unwind_registers)
          set(number, {.kind = Kind::Register, .other = static_cast<uint8_t>(other)});
        else
          set(number, {.kind = Kind::Undefined});
        break;
      }
      case DW_CFA_remember_state: {
        constexpr size_t most = 64;
        if (remembered_.size() == most) row_.cfa = {};
        remembered_.push_back(row_);
        break;
      }
      case DW_CFA_restore_state:
        if (remembered_.empty()) {
          row_.cfa = {};
        } else {
          row_ = remembered_.back();
          remembered_.pop_back();
        }
        break;
      case DW_CFA_def_cfa: {
        const uint64_t number = read_uleb128(bytes);
        define(number, static_cast<int64_t>(read_uleb128(bytes)));
        break;
      }
      case DW_CFA_def_cfa_sf: {
        const uint64_t number = read_uleb128(bytes);
        define(number, scaled(static_cast<uint64_t>(read_sleb128(bytes))));
        break;
      }
      case DW_CFA_def_cfa_register:
        if (row_.cfa.kind == Kind::Register)
          define(read_uleb128(bytes), row_.cfa.number);
        else
          row_.cfa = {};
        break;
      case DW_CFA_def_cfa_offset:
        define_offset(static_cast<int64_t>(read_uleb128(bytes)));
        break;
      case DW_CFA_def_cfa_offset_sf:
        define_offset(scaled(static_cast<uint64_t>(read_sleb128(bytes))));
        break;
      case DW_CFA_def_cfa_expression:
        row_.cfa = expression(Kind::Expression, bytes);
        break;
      case DW_CFA_expression: {
        const uint64_t number = read_uleb128(bytes);
        set(number, expression(Kind::AtExpression, bytes));
        break;
      }
      case DW_CFA_val_expression: {
        const uint64_t number = read_uleb128(bytes);
        set(number, expression(Kind::Expression, bytes));
        break;
      }
      case DW_CFA_GNU_args_size:
        read_uleb128(bytes);
        break;
      default:
        row_.cfa = {};  // its operands are not known
    }
    return from;
  }

  uint64_t advance(uint64_t from, uint64_t count) const {
    return from + count * common_.code_alignment;
  }
  int64_t scaled(uint64_t factor) const {
    return static_cast<int64_t>(factor * static_cast<uint64_t>(common_.data_alignment));
  }
  static RegisterRule relative(Kind kind, int64_t number) {
    if (number < std::numeric_limits<int32_t>::min() ||
        number > std::numeric_limits<int32_t>::max())
      return {};
    return {.kind = kind, .number = static_cast<int32_t>(number)};
  }
  static RegisterRule at(int64_t number) { return relative(Kind::At, number); }
  void set(uint64_t number, const RegisterRule& rule) {
    if (number < unwind_registers) row_.registers[number] = rule;  // else of vectors and the like
  }
  void restore(uint64_t number) {
    if (number < unwind_registers) row_.registers[number] = common_.first.registers[number];
  }
  void define(uint64_t number, int64_t offset) {
    row_.cfa = number < unwind_registers ? relative(Kind::Register, offset) : RegisterRule{};
    row_.cfa.other = static_cast<uint8_t>(number);
  }
  void define_offset(int64_t offset) {
    if (row_.cfa.kind != Kind::Register)
      row_.cfa = {};
    else
      define(row_.cfa.other, offset);
  }
  static RegisterRule expression(Kind kind, Cursor& bytes) {
    const uint64_t size = read_uleb128(bytes);
    const uint64_t offset = bytes.offset();
    constexpr uint64_t most = 1024;  // the longest that is known has 20 bytes
    bytes.skip(size);
    if (bytes.failed() || size > most || offset > std::numeric_limits<int32_t>::max()) return {};
    return {
        .kind = kind, .size = static_cast<uint32_t>(size), .number = static_cast<int32_t>(offset)};
  }

  const CallFrameSection& section_;
  const Common& common_;
  CallFrameRow row_;
  std::vector<CallFrameRow> remembered_ = {};
};

bool CallFrameInfo::read_common(std::span<const uint8_t> entry, uint64_t at, Common& to) const {
  Cursor bytes(entry, at);
  const uint8_t version = bytes.u8();
  if (version != 1 && version != 3 && version != 4) return false;
  const std::string_view augmentation = bytes.text();
  if (version == 4) {
    const uint8_t address_size = bytes.u8();
    const uint8_t segment_size = bytes.u8();
    if (address_size != 8 || segment_size != 0) return false;
  }
  if (augmentation == "eh") bytes.skip(8);  // of g++ 2
  to.code_alignment = read_uleb128(bytes);
  to.data_alignment = read_sleb128(bytes);
  const uint64_t return_address = version == 1 ? bytes.u8() : read_uleb128(bytes);
  if (bytes.failed()) return false;
  to.encoding = DW_EH_PE_absptr;
  if (augmentation.starts_with('z')) {
    to.has_sizes = true;
    const uint64_t size = read_uleb128(bytes);
    const uint64_t begin = bytes.offset();
    const auto data = bytes.bytes(size);
    if (bytes.failed()) return false;
    Cursor fields(data, begin);
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') {
        to.encoding = fields.u8();
      } else if (letter == 'L') {
        fields.u8();
      } else if (letter == 'P') {
        const uint8_t encoding = fields.u8();
        if (!number_of(fields, encoding)) return false;
      } else if (letter == 'S') {
        to.is_signal_frame = true;
      } else if (letter != 'B') {
        break;  // its operands are not known, but the instructions begin behind them
      }
    }
    if (fields.failed()) return false;
  } else if (!augmentation.empty() && augmentation != "eh") {
    return false;
  }
  for (const uint8_t kept : kept_registers) to.first.registers[kept] = {.kind = Kind::Same};
  to.first.registers[stack_pointer_register] = {.kind = Kind::Value};
  to.first.cfa = {.kind = Kind::Register, .other = stack_pointer_register};
  Interpreter interpreter(section_, to);
  const auto instructions = entry.subspan(bytes.offset() - at);
  interpreter.run(instructions, bytes.offset(), 0, 0, nullptr);
  to.first = interpreter.row();
  to.has_rows =
      return_address == return_address_register && to.first.cfa.kind != Kind::Undefined;
  return true;
}

CallFrameInfo CallFrameInfo::read(const CallFrameSection& section) {
  CallFrameInfo info;
  info.section_ = section;
  constexpr uint32_t none = UINT32_MAX;
  std::unordered_map<uint64_t, uint32_t> numbers;  // of common entries, by offset
  uint64_t last = UINT64_MAX;
  uint32_t number = none;
  const auto common_at = [&](uint64_t at) {
    if (at == last) return number;
    last = at;
    const auto [found, is_new] = numbers.try_emplace(at, none);
    number = found->second;
    if (!is_new) return number;
    const auto entry = entry_at(section, at);
    if (!entry || !entry->is_common) return number;
    Common common;
    if (!info.read_common(section.bytes.subspan(entry->body, entry->end - entry->body), entry->body,
                          common))
      return number;
    number = static_cast<uint32_t>(info.commons_.size());
    info.commons_.push_back(common);
    found->second = number;
    return number;
  };
  uint64_t next = 0;
  while (const auto entry = entry_at(section, next)) {
    next = entry->end;
    if (entry->is_common) continue;
    const uint32_t common = common_at(entry->common);
    if (common == none) continue;
    const Common& of = info.commons_[common];
    Cursor bytes(section.bytes.subspan(entry->body, entry->end - entry->body), entry->body);
    const auto begin = address_of(bytes, of.encoding, section.address);
    const auto size = number_of(bytes, of.encoding & 0x0F);
    if (of.has_sizes) bytes.skip(read_uleb128(bytes));
    // The linker sets addresses of functions that it removes to 0.
    if (!begin || !size || bytes.failed() || *size == 0 || *begin == 0 ||
        *size > UINT64_MAX - *begin)
      continue;
    info.functions_.push_back({.begin = *begin,
                               .end = *begin + *size,
                               .instructions = bytes.offset(),
                               .size = static_cast<uint32_t>(bytes.remaining()),
                               .common = common,
                               .is_signal_frame = of.is_signal_frame});
  }
  return info;
}

void CallFrameInfo::for_each_row(const Function& function, const UseRow& use) const {
  const Common& common = commons_[function.common];
  if (!common.has_rows) return;
  Interpreter interpreter(section_, common);
  interpreter.run(section_.bytes.subspan(function.instructions, function.size),
                  function.instructions, function.begin, function.end, &use);
}

}  // namespace skein
