#include "record/host/posix/call_frames.h"

#include <string.h>

namespace skein::record {
namespace {

using Base = CallFrame::Base;

constexpr uint64_t kFp = 6, kSp = 7, kReturn = 16;  // numbers of registers

// Reads a part of a copy. After an end that comes too early, all is 0, and is_good is false.
class Bytes {
 public:
  Bytes(const uint8_t* begin, size_t size, uint64_t address)
      : at_(begin), end_(begin + size), address_(address) {}

  bool is_good() const { return is_good_; }
  bool is_at_end() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  uint64_t address() const { return address_; }  // of the next byte

  void skip(uint64_t count) {
    if (count > left()) return fail();
    at_ += count;
    address_ += count;
  }
  template <typename T>
  T take() {
    T value = 0;
    if (sizeof value > left()) {
      fail();
      return value;
    }
    memcpy(&value, at_, sizeof value);
    skip(sizeof value);
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; is_good_; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (is_good_ && (byte & 0x80) != 0) {
      byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  // A part of its own, behind which this one goes on.
  Bytes part(uint64_t size) {
    const Bytes found(at_, size > left() ? 0 : static_cast<size_t>(size), address_);
    skip(size);
    return found;
  }
  // An address in one of the encodings of DW_EH_PE: its size, and what it is relative to.
  uint64_t encoded(uint8_t encoding, bool is_size) {
    constexpr uint8_t kPcRelative = 0x10;
    const uint64_t here = address_;
    uint64_t value = 0;
    switch (encoding & 0x0F) {
      case 0x0:
      case 0x4:
      case 0xC:
        value = take<uint64_t>();
        break;
      case 0x3:
        value = take<uint32_t>();
        break;
      case 0xB:
        value = static_cast<uint64_t>(int64_t{take<int32_t>()});
        break;
      default:
        fail();
    }
    if (is_size) return value;
    if ((encoding & 0xF0) == kPcRelative) return here + value;
    if ((encoding & 0xF0) != 0) fail();
    return value;
  }

 private:
  void fail() {
    is_good_ = false;
    at_ = end_;
  }
  const uint8_t* at_;
  const uint8_t* end_;
  uint64_t address_;
  bool is_good_ = true;
};

struct Rules {
  Base base = Base::Unknown;
  int64_t cfa = 0;
  int64_t fp = CallFrame::kUnchanged;
  bool has_return = true;  // it is below the CFA
  bool is_outermost = false;
};

// What functions have in common.
struct Common {
  uint64_t offset = UINT64_MAX;  // of its record; not yet read
  bool is_known = false;
  uint64_t code_step = 1;
  int64_t data_step = 1;
  uint8_t encoding = 0;
  bool has_more = false;  // each function has a part with a length before its instructions
  bool is_signal = false;
  Rules first = {};
};

int16_t narrow(int64_t value) {
  return value > INT16_MIN && value < CallFrame::kAtFrame ? static_cast<int16_t>(value)
                                                          : CallFrame::kLost;
}

// Rows of one table, of which each begins behind the one before.
class Table {
 public:
  Table(CallFrame* rows, uint32_t capacity, uint64_t module)
      : rows_(rows), capacity_(capacity), module_(module) {}

  uint32_t size() const { return size_; }
  bool covers(uint64_t begin, uint64_t end) const {
    return begin >= module_ && end > begin && end - module_ <= UINT32_MAX;
  }
  // Precondition: it covers the address, which is not before the last one. False: it is full. A row
  // for the same address replaces the one before.
  bool add(uint64_t address, const Rules& rules, bool is_signal) {
    CallFrame row = {.begin = static_cast<uint32_t>(address - module_),
                     .cfa = static_cast<int32_t>(rules.cfa),
                     .fp = rules.fp == CallFrame::kUnchanged || rules.fp == CallFrame::kAtFrame
                               ? static_cast<int16_t>(rules.fp)
                               : narrow(rules.fp),
                     .base = rules.base};
    if (rules.cfa != row.cfa || !rules.has_return) row.base = Base::Unknown;
    if (rules.is_outermost) row.base = Base::Outermost;
    if (is_signal) row.base = Base::Signal;
    if (size_ != 0) {
      const CallFrame& last = rows_[size_ - 1];
      if (last.base == row.base && last.cfa == row.cfa && last.fp == row.fp) return true;
    }
    if (size_ != 0 && rows_[size_ - 1].begin == row.begin) --size_;
    // The last place says where the table ends.
    if (size_ + 1 >= capacity_) return false;
    rows_[size_++] = row;
    return true;
  }
  void end(uint64_t address) {
    if (size_ != 0 && size_ < capacity_ && address - module_ > rows_[size_ - 1].begin)
      rows_[size_++] = {static_cast<uint32_t>(address - module_), 0, CallFrame::kLost,
                        Base::Unknown};
  }

 private:
  CallFrame* rows_;
  uint32_t capacity_;
  uint64_t module_;
  uint32_t size_ = 0;
};

class Conversion {
 public:
  Conversion(const FrameSections& info, Table& table) : info_(info), table_(table) {}

  // The functions are in the order of their addresses. False: the table is full.
  bool add_function(uint64_t record) {
    Bytes bytes = record_at(record - info_.frames_address);
    const uint64_t back = bytes.address();
    const auto distance = bytes.take<uint32_t>();
    if (!bytes.is_good() || distance == 0) return true;
    read_common(back - distance - info_.frames_address);
    if (!common_.is_known) return true;
    const uint64_t begin = bytes.encoded(common_.encoding, false);
    const uint64_t size = bytes.encoded(common_.encoding, true);
    if (common_.has_more) bytes.skip(bytes.unsigned_leb());
    if (!bytes.is_good() || !table_.covers(begin, begin + size) || begin < last_end_) return true;
    if (begin > last_end_ && last_end_ != 0) table_.end(last_end_);
    last_end_ = begin + size;
    return run(bytes, begin, last_end_);
  }
  uint64_t last_end() const { return last_end_; }

 private:
  static constexpr size_t kDeepest = 8;

  // The content of a record, behind its length. Empty: there is none.
  Bytes record_at(uint64_t offset) const {
    if (offset >= info_.frames_size) return {info_.frames, 0, 0};
    Bytes rest(info_.frames + offset, info_.frames_size - offset, info_.frames_address + offset);
    const auto size = rest.take<uint32_t>();
    return rest.part(size == UINT32_MAX ? 0 : size);
  }

  void read_common(uint64_t offset) {
    if (common_.offset == offset) return;
    common_ = {.offset = offset};
    Bytes bytes = record_at(offset);
    const bool is_common = bytes.take<uint32_t>() == 0;
    const auto version = bytes.take<uint8_t>();
    char augmentation[8] = {};
    for (char& one : augmentation)
      if ((one = static_cast<char>(bytes.take<uint8_t>())) == 0) break;
    if (!is_common || (version != 1 && version != 3) || augmentation[7] != 0) return;
    constexpr uint64_t largest_step = 1 << 16;
    common_.code_step = bytes.unsigned_leb();
    common_.data_step = bytes.signed_leb();
    if (common_.code_step > largest_step || common_.data_step > int64_t{largest_step} ||
        common_.data_step < -int64_t{largest_step})
      return;
    const uint64_t register_of_return = version == 1 ? bytes.take<uint8_t>() : bytes.unsigned_leb();
    if (register_of_return != kReturn) return;
    if (augmentation[0] == 'z') {
      Bytes data = bytes.part(bytes.unsigned_leb());
      common_.has_more = true;
      for (size_t i = 1; augmentation[i] != 0; ++i) {
        if (augmentation[i] == 'R')
          common_.encoding = data.take<uint8_t>();
        else if (augmentation[i] == 'P')
          data.encoded(data.take<uint8_t>() & 0x0F, true);
        else if (augmentation[i] == 'L')
          data.skip(1);
        else if (augmentation[i] == 'S')
          common_.is_signal = true;
        else if (augmentation[i] != 'B')
          return;
      }
      if (!data.is_good()) return;
    } else if (augmentation[0] != 0) {
      return;
    }
    Rules rules;
    common_.is_known = bytes.is_good();
    while (common_.is_known && !bytes.is_at_end())
      common_.is_known = apply(bytes, rules) && step_ == 0;
    common_.first = rules;
  }

  // False: the table is full.
  bool run(Bytes& bytes, uint64_t at, uint64_t end) {
    depth_ = 0;
    Rules rules = common_.first;
    while (at < end) {
      step_ = 0;
      while (step_ == 0 && !bytes.is_at_end())
        if (!apply(bytes, rules)) {
          table_.end(at);
          return true;
        }
      if (!table_.add(at, rules, common_.is_signal)) {
        table_.end(at);
        return false;
      }
      if (step_ == 0) break;
      at += step_;
    }
    return true;
  }

  // An offset in units of the common part.
  int64_t scaled(int64_t factor) const {
    constexpr int64_t most = INT32_MAX;
    return factor > most || factor < -most ? INT64_MAX : factor * common_.data_step;
  }
  int64_t scaled(uint64_t factor) const {
    return scaled(static_cast<int64_t>(factor > INT32_MAX ? INT64_MAX : factor));
  }

  // Applies one instruction; step_: how many bytes of code the next ones are behind. False:
  // unknown.
  bool apply(Bytes& bytes, Rules& rules);
  void set(Rules& rules, uint64_t number, int64_t offset) const {
    if (number == kFp) rules.fp = narrow(offset);
    if (number == kReturn) rules.has_return = offset == -8;
  }
  void lose(Rules& rules, uint64_t number) const {
    if (number == kFp) rules.fp = CallFrame::kLost;
    if (number == kReturn) rules.has_return = false;
  }
  void restore(Rules& rules, uint64_t number) const {
    if (number == kFp) rules.fp = common_.first.fp;
    if (number == kReturn) {
      rules.has_return = common_.first.has_return;
      rules.is_outermost = common_.first.is_outermost;
    }
  }
  static void set_base(Rules& rules, uint64_t number) {
    rules.base = number == kSp ? Base::Stack : number == kFp ? Base::Frame : Base::Unknown;
  }

  const FrameSections& info_;
  Table& table_;
  Common common_ = {};
  Rules kept_[kDeepest] = {};
  size_t depth_ = 0;
  uint64_t step_ = 0;
  uint64_t last_end_ = 0;
};

// DW_OP_breg6 with an offset, and nothing behind it but `last`.
bool is_at_frame(Bytes block, int64_t& offset, bool has_deref) {
  constexpr uint8_t kFrameRegister = 0x76, kDeref = 0x06;
  if (block.take<uint8_t>() != kFrameRegister) return false;
  offset = block.signed_leb();
  if (has_deref && block.take<uint8_t>() != kDeref) return false;
  return block.is_good() && block.is_at_end();
}

// What ld writes for .plt: 8 bytes behind the stack pointer, or 16 in the last instructions of an
// entry, which run once.
bool is_of_plt(Bytes block) {
  constexpr uint8_t kPlt[] = {0x77, 0x08, 0x80, 0x00, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22};
  constexpr size_t kLimit = 6;  // which instructions: DW_OP_lit11, or less in newer ones
  for (size_t i = 0; i < sizeof kPlt; ++i)
    if (const auto byte = block.take<uint8_t>(); byte != kPlt[i] && i != kLimit) return false;
  return block.is_good() && block.is_at_end();
}

bool Conversion::apply(Bytes& bytes, Rules& rules) {
  const auto code = bytes.take<uint8_t>();
  const uint64_t low = code & 0x3F;
  switch (code & 0xC0) {
    case 0x40:
      step_ = low * common_.code_step;
      return bytes.is_good();
    case 0x80:
      set(rules, low, scaled(bytes.unsigned_leb()));
      return bytes.is_good();
    case 0xC0:
      restore(rules, low);
      return bytes.is_good();
    default:
      break;
  }
  switch (code) {
    case 0x00:
      break;
    case 0x02:
      step_ = bytes.take<uint8_t>() * common_.code_step;
      break;
    case 0x03:
      step_ = bytes.take<uint16_t>() * common_.code_step;
      break;
    case 0x04:
      step_ = bytes.take<uint32_t>() * common_.code_step;
      break;
    case 0x05:
    case 0x11: {
      const uint64_t number = bytes.unsigned_leb();
      set(rules, number, code == 0x05 ? scaled(bytes.unsigned_leb()) : scaled(bytes.signed_leb()));
      break;
    }
    case 0x06:
      restore(rules, bytes.unsigned_leb());
      break;
    case 0x07: {
      const uint64_t number = bytes.unsigned_leb();
      lose(rules, number);
      if (number == kReturn) rules.is_outermost = true;
      break;
    }
    case 0x08: {
      const uint64_t number = bytes.unsigned_leb();
      lose(rules, number);
      if (number == kFp) rules.fp = CallFrame::kUnchanged;
      break;
    }
    case 0x09: {
      lose(rules, bytes.unsigned_leb());
      bytes.unsigned_leb();
      break;
    }
    case 0x0A:
      if (depth_ == kDeepest) return false;
      kept_[depth_++] = rules;
      break;
    case 0x0B:
      if (depth_ == 0) return false;
      rules = kept_[--depth_];
      break;
    case 0x0C:
    case 0x12: {
      set_base(rules, bytes.unsigned_leb());
      rules.cfa =
          code == 0x0C ? static_cast<int64_t>(bytes.unsigned_leb()) : scaled(bytes.signed_leb());
      break;
    }
    case 0x0D:
      set_base(rules, bytes.unsigned_leb());
      break;
    case 0x0E:
      rules.cfa = static_cast<int64_t>(bytes.unsigned_leb());
      break;
    case 0x13:
      rules.cfa = scaled(bytes.signed_leb());
      break;
    case 0x0F: {
      const Bytes block = bytes.part(bytes.unsigned_leb());
      rules.base = is_at_frame(block, rules.cfa, true) ? Base::FrameContent : Base::Unknown;
      if (is_of_plt(block)) rules.base = Base::Stack, rules.cfa = 8;
      break;
    }
    case 0x10: {
      const uint64_t number = bytes.unsigned_leb();
      int64_t offset = 0;
      const bool is_there = is_at_frame(bytes.part(bytes.unsigned_leb()), offset, false);
      lose(rules, number);
      if (number == kFp && is_there && offset == 0) rules.fp = CallFrame::kAtFrame;
      break;
    }
    case 0x14:
    case 0x15:
      lose(rules, bytes.unsigned_leb());
      bytes.unsigned_leb();
      break;
    case 0x16:
      lose(rules, bytes.unsigned_leb());
      bytes.skip(bytes.unsigned_leb());
      break;
    case 0x2E:
      bytes.unsigned_leb();
      break;  // DW_CFA_GNU_args_size
    default:
      return false;
  }
  return bytes.is_good();
}

constexpr uint8_t kPcRelative4 = 0x1B, kUnsigned4 = 0x03, kHeaderRelative4 = 0x3B;

}  // namespace

uint64_t frames_address(const uint8_t* header, size_t size, uint64_t address) {
  Bytes bytes(header, size, address);
  const bool is_version = bytes.take<uint8_t>() == 1;
  const auto encoding = bytes.take<uint8_t>();
  bytes.skip(2);
  if (!is_version || encoding != kPcRelative4) return 0;
  const uint64_t found = bytes.encoded(encoding, false);
  return bytes.is_good() ? found : 0;
}

uint32_t convert(const FrameSections& info, uint64_t module, CallFrame* rows, uint32_t capacity) {
  Bytes header(info.header, info.header_size, info.header_address);
  header.skip(2);
  if (header.take<uint8_t>() != kUnsigned4 || header.take<uint8_t>() != kHeaderRelative4 ||
      frames_address(info.header, info.header_size, info.header_address) != info.frames_address)
    return 0;
  header.skip(4);
  const auto count = header.take<uint32_t>();
  Table table(rows, capacity, module);
  Conversion conversion(info, table);
  for (uint32_t i = 0; i < count && header.is_good(); ++i) {
    header.skip(4);  // the function's address: its record has it, too
    const auto record = header.take<int32_t>();
    if (!header.is_good()) break;
    if (!conversion.add_function(info.header_address + static_cast<uint64_t>(int64_t{record})))
      break;
  }
  table.end(conversion.last_end());
  return table.size();
}

CallFrame find_frame(const CallFrame* rows, uint32_t count, uint32_t offset) {
  uint32_t low = 0, high = count;  // the first row behind the offset is between them
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (rows[middle].begin <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return {0, 0, CallFrame::kLost, Base::Unknown};
  return rows[low - 1];
}

}  // namespace skein::record
