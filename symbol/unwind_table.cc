#include "symbol/unwind_table.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/cursor.h"
#include "symbol/call_frame_expression.h"
#include "symbol/elf_handles.h"
#include "symbol/elf_sections.h"

namespace skein {

namespace {

using Kind = RegisterRule::Kind;

struct CodeSpan {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;
};

// The addresses between which the file's code is: others in its call frame information are damaged,
// or of functions that the linker has removed.
CodeSpan code_span(Elf* elf) {
  CodeSpan span{.begin = UINT64_MAX, .end = 0};
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 ||
        segment.p_memsz > UINT64_MAX - segment.p_vaddr)
      continue;
    span.begin = std::min(span.begin, segment.p_vaddr);
    span.end = std::max(span.end, segment.p_vaddr + segment.p_memsz);
  }
  return span.begin < span.end ? span : CodeSpan{};
}

// `unpacked` has its bytes if it is compressed. (libelf would write to the file's bytes.)
CallFrameSection section_named(Elf* elf, std::string_view name, std::vector<uint8_t>& unpacked) {
  const LoadedSection found = loaded_section(elf, name);
  if (found.data == nullptr || found.data->d_buf == nullptr) return {};
  CallFrameSection section{
      .bytes = {static_cast<const uint8_t*>(found.data->d_buf), found.data->d_size},
      .address = found.address,
      .is_debug_frame = name == ".debug_frame"};
  if (!found.is_compressed) return section;
  Cursor cursor(section.bytes);
  const uint32_t type = cursor.u32();
  cursor.skip(4);
  const uint64_t size = cursor.u64();
  cursor.skip(8);                        // alignment
  constexpr uint64_t most_ratio = 1032;  // of zlib
  if (cursor.failed() || type != ELFCOMPRESS_ZLIB || size / most_ratio > cursor.remaining())
    return {};
  unpacked.resize(size);
  uLongf written = size;
  const auto packed = section.bytes.subspan(cursor.offset());
  if (uncompress(unpacked.data(), &written, packed.data(), packed.size()) != Z_OK) return {};
  section.bytes = std::span(unpacked).first(written);
  return section;
}

// .eh_frame of a file without a table of sections: the header of its index has the address
// (LSB 5.0, 10.6.2). It ends with an entry of length 0.
CallFrameSection section_of_segments(Elf* elf, std::span<const uint8_t> bytes) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  std::vector<GElf_Phdr> segments;
  for (size_t i = 0; i < count; i++)
    if (GElf_Phdr segment; gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr)
      segments.push_back(segment);
  for (const GElf_Phdr& index : segments) {
    constexpr uint8_t relative = 0x1B;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4
    if (index.p_type != PT_GNU_EH_FRAME || index.p_offset > bytes.size()) continue;
    Cursor cursor(bytes.subspan(index.p_offset));
    const uint8_t version = cursor.u8();
    const uint8_t encoding = cursor.u8();
    cursor.skip(2);
    const auto distance = static_cast<int32_t>(cursor.u32());
    if (cursor.failed() || version != 1 || encoding != relative) continue;
    const uint64_t address = index.p_vaddr + 4 + static_cast<uint64_t>(int64_t{distance});
    for (const GElf_Phdr& segment : segments) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
          address - segment.p_vaddr >= segment.p_filesz)
        continue;
      const uint64_t skipped = address - segment.p_vaddr;
      if (segment.p_offset > bytes.size() || skipped >= bytes.size() - segment.p_offset) continue;
      const uint64_t at = segment.p_offset + skipped;
      const uint64_t size = std::min(segment.p_filesz - skipped, bytes.size() - at);
      return {.bytes = bytes.subspan(at, size), .address = address};
    }
  }
  return {};
}

struct RuleHash {
  size_t operator()(const UnwindRule& rule) const {
    uint64_t hash = uint64_t{static_cast<uint8_t>(rule.kind)} << 1 | rule.is_signal_frame;
    const auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
    add(static_cast<uint32_t>(rule.cfa));
    add(static_cast<uint16_t>(rule.return_address));
    for (const int16_t kept : rule.kept) add(static_cast<uint16_t>(kept));
    return hash ^ hash >> 32;
  }
};

bool is_expression(const RegisterRule& rule) {
  return rule.kind == Kind::Expression || rule.kind == Kind::AtExpression;
}

bool is_kept(size_t number) {
  return std::find(kept_registers.begin(), kept_registers.end(), number) != kept_registers.end();
}

}  // namespace

class UnwindTableBuilder {
 public:
  UnwindTable build(std::span<const CallFrameSection> sections, const CodeSpan& span) {
    for (const CallFrameSection& section : sections) add_section(section, span);
    std::sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
      return std::pair(a.function.begin, a.section) < std::pair(b.function.begin, b.section);
    });
    table_.rules_.emplace_back();
    if (!functions_.empty()) table_.base_ = functions_.front().function.begin;
    for (const Function& function : functions_) add_function(function);
    if (table_.pcs_.empty()) return std::move(table_);
    table_.end_ = covered_ - table_.base_;
    divide();
    table_.pcs_.shrink_to_fit();
    table_.numbers_.shrink_to_fit();
    table_.special_.shrink_to_fit();
    return std::move(table_);
  }

 private:
  struct Function {
    size_t section = 0;
    CallFrameInfo::Function function = {};
  };

  void add_section(const CallFrameSection& section, const CodeSpan& span) {
    infos_.push_back(CallFrameInfo::read(section));
    // Those of earlier sections, by their begin.
    const size_t known = functions_.size();
    std::sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
      return a.function.begin < b.function.begin;
    });
    const auto is_known = [&](uint64_t address) {
      const auto end = functions_.begin() + static_cast<ptrdiff_t>(known);
      const auto at =
          std::upper_bound(functions_.begin(), end, address,
                           [](uint64_t a, const Function& b) { return a < b.function.begin; });
      return at != functions_.begin() && address < (at - 1)->function.end;
    };
    std::vector<Function> added;
    for (const CallFrameInfo::Function& function : infos_.back().functions())
      if (function.begin >= span.begin && function.end <= span.end && !is_known(function.begin))
        added.push_back({infos_.size() - 1, function});
    functions_.insert(functions_.end(), added.begin(), added.end());
  }

  // Functions that overlap are damaged: the first one counts.
  void add_function(const Function& of) {
    constexpr uint64_t most = UINT32_MAX - 1;
    const CallFrameInfo::Function& function = of.function;
    if (function.end - table_.base_ > most || function.end <= covered_) return;
    const CallFrameInfo& info = infos_[of.section];
    info.for_each_row(function, [&](uint64_t begin, uint64_t end, const CallFrameRow& row) {
      if (end <= covered_) return;
      add_entry(std::max(begin, covered_), end, rule_of(row, info, function.is_signal_frame));
    });
    table_.functions_++;
    if (covered_ < function.end) add_entry(std::max(covered_, function.begin), function.end, 0);
  }

  void add_entry(uint64_t begin, uint64_t end, uint32_t number) {
    if (begin > covered_ && !table_.pcs_.empty()) append(covered_, 0);
    append(begin, number);
    covered_ = end;
  }
  void append(uint64_t address, uint32_t number) {
    if (!table_.numbers_.empty() && table_.numbers_.back() == number) return;
    table_.pcs_.push_back(static_cast<uint32_t>(address - table_.base_));
    table_.numbers_.push_back(number);
  }

  // The number of a row's rule.
  uint32_t rule_of(const CallFrameRow& row, const CallFrameInfo& info, bool is_signal_frame) {
    UnwindRule rule = simple_rule(row);
    rule.is_signal_frame = is_signal_frame;
    if (rule.kind == UnwindRule::Kind::Special) return special_rule(row, info, rule);
    const auto [found, is_new] =
        known_.try_emplace(rule, static_cast<uint32_t>(table_.rules_.size()));
    if (is_new) table_.rules_.push_back(rule);
    return found->second;
  }

  static UnwindRule simple_rule(const CallFrameRow& row) {
    UnwindRule rule{.kind = UnwindRule::Kind::Special};
    const UnwindRule special = rule;
    const RegisterRule& address = row.registers[return_address_register];
    if (address.kind == Kind::Undefined) {
      rule.kind = UnwindRule::Kind::First;
      return rule;
    }
    const auto fits = [](const RegisterRule& one) {
      return one.kind == Kind::At && one.number > UnwindRule::same &&
             one.number <= std::numeric_limits<int16_t>::max();
    };
    if (row.cfa.kind != Kind::Register || !fits(address)) return special;
    rule.cfa = row.cfa.number;
    rule.return_address = static_cast<int16_t>(address.number);
    for (size_t number = 0; number < unwind_registers; number++) {
      const RegisterRule& one = row.registers[number];
      const bool is_default = number == stack_pointer_register
                                  ? one == RegisterRule{.kind = Kind::Value}
                                  : one.kind == Kind::Undefined;
      if (number != return_address_register && !is_kept(number) && !is_default) return special;
    }
    for (size_t i = 0; i < kept_registers.size(); i++) {
      const RegisterRule& one = row.registers[kept_registers[i]];
      if (one.kind == Kind::Same)
        rule.kept[i] = UnwindRule::same;
      else if (fits(one))
        rule.kept[i] = static_cast<int16_t>(one.number);
      else
        return special;
    }
    if (row.cfa.other == stack_pointer_register)
      rule.kind = UnwindRule::Kind::FromSp;
    else if (row.cfa.other == frame_pointer_register)
      rule.kind = UnwindRule::Kind::FromFp;
    else
      return special;
    return rule;
  }

  uint32_t special_rule(const CallFrameRow& row, const CallFrameInfo& info, UnwindRule rule) {
    constexpr size_t most = size_t{1} << 24;  // bytes; a file that needs more is damaged
    if (table_.expressions_.size() > most || table_.special_.size() * sizeof row > most) return 0;
    CallFrameRow copy = row;
    for (RegisterRule& one : copy.registers) copy_expression(one, info);
    copy_expression(copy.cfa, info);
    rule.cfa = static_cast<int32_t>(table_.special_.size());
    table_.special_.push_back(copy);
    table_.rules_.push_back(rule);
    return static_cast<uint32_t>(table_.rules_.size() - 1);
  }
  void copy_expression(RegisterRule& rule, const CallFrameInfo& info) {
    if (!is_expression(rule)) return;
    const auto bytes = info.section().bytes.subspan(static_cast<size_t>(rule.number), rule.size);
    rule.number = static_cast<int32_t>(table_.expressions_.size());
    table_.expressions_.insert(table_.expressions_.end(), bytes.begin(), bytes.end());
  }

  // Parts of the addresses, about two for each entry.
  void divide() {
    UnwindTable& t = table_;
    while (t.part_bits_ < 31 && t.end_ >> t.part_bits_ > 2 * t.pcs_.size()) t.part_bits_++;
    const size_t parts = (t.end_ >> t.part_bits_) + 1;
    t.parts_.reserve(parts + 1);
    size_t entry = 0;
    for (size_t part = 0; part < parts; part++) {
      while (entry + 1 < t.pcs_.size() && t.pcs_[entry + 1] <= part << t.part_bits_) entry++;
      t.parts_.push_back(static_cast<uint32_t>(entry));
    }
    t.parts_.push_back(static_cast<uint32_t>(t.pcs_.size() - 1));
  }

  UnwindTable table_ = {};
  std::vector<CallFrameInfo> infos_ = {};
  std::vector<Function> functions_ = {};
  uint64_t covered_ = 0;  // end of the last entry
  std::unordered_map<UnwindRule, uint32_t, RuleHash> known_ = {};
};

UnwindTable UnwindTable::of(std::span<const CallFrameSection> sections) {
  return UnwindTableBuilder().build(sections, {});
}

Result<UnwindTable> UnwindTable::read(std::span<const uint8_t> elf, const std::string& path,
                                      std::span<const uint8_t> debug) {
  const ElfHandle file = open_elf(elf);
  if (file == nullptr) return Error{.what = "not an ELF file", .file = path};
  GElf_Ehdr header;
  if (gelf_getehdr(file.get(), &header) == nullptr || header.e_machine != EM_X86_64 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Error{.what = "not a program for x86-64", .file = path};
  std::vector<CallFrameSection> sections;
  const auto add = [&](const CallFrameSection& section) {
    if (!section.bytes.empty()) sections.push_back(section);
  };
  std::vector<uint8_t> unpacked[3];
  add(section_named(file.get(), ".eh_frame", unpacked[0]));
  if (sections.empty()) add(section_of_segments(file.get(), elf));
  add(section_named(file.get(), ".debug_frame", unpacked[1]));
  const ElfHandle debug_file = debug.empty() ? ElfHandle() : open_elf(debug);
  add(section_named(debug_file.get(), ".debug_frame", unpacked[2]));
  UnwindTable table = UnwindTableBuilder().build(sections, code_span(file.get()));
  if (table.functions_ == 0) return Error{.what = "no call frame information", .file = path};
  return table;
}

std::optional<UnwindTable::Caller> UnwindTable::caller(const UnwindRegisters& callee,
                                                       uint64_t address,
                                                       const ReadWord& memory) const {
  const UnwindRule* rule = find(address);
  if (rule == nullptr) return {};
  return caller(callee, *rule, memory);
}

std::optional<UnwindTable::Caller> UnwindTable::caller(const UnwindRegisters& callee,
                                                       const UnwindRule& rule,
                                                       const ReadWord& memory) const {
  Caller caller;
  caller.is_interrupted = rule.is_signal_frame;
  switch (rule.kind) {
    case UnwindRule::Kind::None:
      return {};
    case UnwindRule::Kind::First:
      caller.is_none = true;
      return caller;
    case UnwindRule::Kind::Special: {
      auto found = special_caller(callee, special_[static_cast<size_t>(rule.cfa)], memory);
      if (found) found->is_interrupted = rule.is_signal_frame;
      return found;
    }
    case UnwindRule::Kind::FromSp:
    case UnwindRule::Kind::FromFp:
      break;
  }
  const auto base = callee.get(rule.kind == UnwindRule::Kind::FromSp ? stack_pointer_register
                                                                     : frame_pointer_register);
  if (!base) return {};
  const auto from = [](uint64_t start, int64_t distance) {
    return start + static_cast<uint64_t>(distance);
  };
  const uint64_t cfa = from(*base, rule.cfa);
  const auto address = memory(from(cfa, rule.return_address));
  if (!address) return {};
  caller.registers.set(return_address_register, *address);
  caller.registers.set(stack_pointer_register, cfa);
  for (size_t i = 0; i < kept_registers.size(); i++) {
    const size_t number = kept_registers[i];
    const auto value =
        rule.kept[i] == UnwindRule::same ? callee.get(number) : memory(from(cfa, rule.kept[i]));
    if (value) caller.registers.set(number, *value);
  }
  return caller;
}

std::optional<UnwindTable::Caller> UnwindTable::special_caller(const UnwindRegisters& callee,
                                                               const CallFrameRow& row,
                                                               const ReadWord& memory) const {
  const auto value_of = [&](const RegisterRule& rule, std::optional<uint64_t> first) {
    return evaluate(std::span(expressions_).subspan(static_cast<size_t>(rule.number), rule.size),
                    callee, first, memory);
  };
  std::optional<uint64_t> cfa;
  if (row.cfa.kind == Kind::Expression) {
    cfa = value_of(row.cfa, {});
  } else if (const auto base = callee.get(row.cfa.other)) {
    cfa = *base + static_cast<uint64_t>(int64_t{row.cfa.number});
  }
  if (!cfa) return {};
  Caller caller;
  for (size_t number = 0; number < unwind_registers; number++) {
    const RegisterRule& rule = row.registers[number];
    std::optional<uint64_t> value;
    switch (rule.kind) {
      case Kind::Undefined:
        break;
      case Kind::Same:
        value = callee.get(number);
        break;
      case Kind::At:
        value = memory(*cfa + static_cast<uint64_t>(int64_t{rule.number}));
        break;
      case Kind::Value:
        value = *cfa + static_cast<uint64_t>(int64_t{rule.number});
        break;
      case Kind::Register:
        value = callee.get(rule.other);
        break;
      case Kind::AtExpression:
        if (const auto address = value_of(rule, cfa)) value = memory(*address);
        break;
      case Kind::Expression:
        value = value_of(rule, cfa);
        break;
    }
    if (value) caller.registers.set(number, *value);
  }
  if (!caller.registers.get(return_address_register)) return {};
  return caller;
}

size_t UnwindTable::bytes() const {
  return (pcs_.capacity() + numbers_.capacity() + parts_.capacity()) * sizeof(uint32_t) +
         rules_.capacity() * sizeof(UnwindRule) + special_.capacity() * sizeof(CallFrameRow) +
         expressions_.capacity();
}

}  // namespace skein
