#include "profile/unwind/unwinder.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace skein {

namespace {

using Kind = UnwindRule::Kind;

constexpr size_t sp_register = stack_pointer_register;
constexpr size_t fp_register = frame_pointer_register;
constexpr size_t pc_register = return_address_register;
constexpr std::array<int16_t, kept_registers.size()> all_same = [] {
  std::array<int16_t, kept_registers.size()> kept{};
  kept.fill(UnwindRule::same);
  return kept;
}();

const UnwindRule no_rule{.kind = Kind::None};
// Of a function that has pushed nothing, or one word.
const UnwindRule leaf_rules[] = {
    {.kind = Kind::FromSp, .cfa = 8, .return_address = -8, .kept = all_same},
    {.kind = Kind::FromSp, .cfa = 16, .return_address = -8, .kept = all_same}};
const UnwindRule frame_pointer_rule = [] {
  UnwindRule rule{.kind = Kind::FromFp, .cfa = 16, .return_address = -8, .kept = all_same};
  rule.kept[kept_frame_pointer] = -16;
  return rule;
}();

uint64_t plus(uint64_t address, int64_t distance) {
  return address + static_cast<uint64_t>(distance);
}

// False: it is not in the copy.
inline bool read(const StackSample& sample, uint64_t address, uint64_t& word) {
  const uint64_t offset = address - sample.stack_begin;
  if (sample.stack.size() < sizeof word || offset > sample.stack.size() - sizeof word) return false;
  std::memcpy(&word, sample.stack.data() + offset, sizeof word);
  return true;
}

// Why the word at an address could not be read.
StackEnd end_at(const StackSample& sample, uint64_t address) {
  const uint64_t end = sample.stack_begin + sample.stack.size();
  // It may begin inside the copy, and not end there.
  const bool is_behind = address > end || end - address < sizeof(uint64_t);
  return is_behind && address < sample.stack_end ? StackEnd::Cut : StackEnd::Damaged;
}

}  // namespace

struct Unwinder::State {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  bool has_fp = false;
  bool is_exact = true;  // pc is an instruction, not a return address
  size_t count = 0;      // of frames passed
  // All registers were known last at this frame.
  size_t base = 0;
  UnwindRegisters base_registers = {};
  uint64_t base_sp = 0;
  StackEnd failure = StackEnd::Damaged;

  uint64_t address() const { return is_exact ? pc : pc - 1; }
};

Unwinder::Unwinder(std::vector<UnwindModule> modules, const Options& options)
    : cache_(std::bit_ceil(std::max<size_t>(options.cached_rules, 1))),
      pcs_(std::max<size_t>(options.most_frames, 1)) {
  interrupted_.reserve(pcs_.size());
  passed_.resize(pcs_.size());
  set_modules(std::move(modules));
}

void Unwinder::set_modules(std::vector<UnwindModule> modules) {
  if (!modules_.empty()) counts_ = counts();
  std::sort(modules.begin(), modules.end(),
            [](const UnwindModule& a, const UnwindModule& b) { return a.begin < b.begin; });
  modules_ = std::move(modules);
  without_table_.assign(modules_.size(), 0);
  last_module_ = 0;
  std::fill(cache_.begin(), cache_.end(), Known{.address = 0, .rule = &no_rule});
}

const UnwindModule* Unwinder::module_at(uint64_t address) {
  const auto contains = [address](const UnwindModule& module) {
    return address - module.begin < module.end - module.begin;
  };
  if (last_module_ < modules_.size() && contains(modules_[last_module_]))
    return &modules_[last_module_];
  const auto next =
      std::upper_bound(modules_.begin(), modules_.end(), address,
                       [](uint64_t a, const UnwindModule& module) { return a < module.begin; });
  if (next == modules_.begin() || !contains(*(next - 1))) return nullptr;
  last_module_ = static_cast<size_t>(next - 1 - modules_.begin());
  return &modules_[last_module_];
}

Unwinder::Known Unwinder::look_up(uint64_t address) {
  Known known{.address = address, .rule = &no_rule};
  const UnwindModule* module = module_at(address);
  if (module == nullptr || module->table == nullptr) return known;
  const UnwindRule* rule = module->table->find(address - module->bias);
  if (rule == nullptr) return known;
  known.rule = rule;
  if (rule->is_signal_frame || (rule->kind != Kind::FromSp && rule->kind != Kind::FromFp))
    return known;
  known.usual = rule->kind == Kind::FromSp ? Usual::FromSp : Usual::FromFp;
  known.cfa = rule->cfa;
  known.return_address = rule->return_address;
  known.frame_pointer = rule->kept[kept_frame_pointer];
  if (known.usual == Usual::FromFp && known.cfa == 16 && known.return_address == -8 &&
      known.frame_pointer == -16)
    known.usual = Usual::FramePointer;
  return known;
}

inline const Unwinder::Known& Unwinder::known_at(uint64_t address) {
  Known& known = cache_[(address * 0x9E3779B97F4A7C15ULL >> 32) & (cache_.size() - 1)];
  if (known.address != address) known = look_up(address);
  return known;
}

// Whether a call ends at this address: E8 cd to at most 4 KiB before `callee`, or FF /2 of 2 to 7
// bytes, which calls anything. `callee` 0: any.
bool Unwinder::is_behind_call(uint64_t address, uint64_t callee) {
  const UnwindModule* module = module_at(address - 1);
  if (module == nullptr) return false;
  constexpr size_t longest = 7;
  const uint64_t offset = address - module->begin;
  if (offset < longest || offset > module->code.size())
    return callee == 0 && module->code.empty();  // unknown
  const uint8_t* code = module->code.data() + (offset - longest);
  if (code[longest - 5] == 0xE8) {
    int32_t distance = 0;
    std::memcpy(&distance, code + longest - 4, sizeof distance);
    constexpr uint64_t most = 4096;
    if (callee == 0 || callee - plus(address, distance) < most) return true;
  }
  for (size_t at = 0; at + 2 <= longest; at++)
    if (code[at] == 0xFF && (code[at + 1] >> 3 & 7) == 2) return true;
  return false;
}

const UnwindRule* Unwinder::rule_without_table(const StackSample& sample, const State& state) {
  uint64_t word = 0;
  if (state.is_exact)
    for (size_t pushed = 0; pushed < std::size(leaf_rules); pushed++)
      if (read(sample, state.sp + 8 * pushed, word) && is_behind_call(word, state.address())) {
        counts_.repaired++;
        return &leaf_rules[pushed];
      }
  if (!state.has_fp || state.fp < state.sp || state.fp % 8 != 0) return nullptr;
  if (!read(sample, state.fp + 8, word) || !is_behind_call(word, 0)) return nullptr;
  counts_.frame_pointers++;
  return &frame_pointer_rule;
}

UnwindRegisters Unwinder::registers_of(const StackSample& sample, const State& state) const {
  UnwindRegisters known;
  if (state.count == state.base) {
    known = state.base_registers;
  } else {
    for (size_t i = 0; i < kept_registers.size(); i++) {
      std::optional<uint64_t> value = state.base_registers.get(kept_registers[i]);
      for (size_t frame = state.count; frame-- > state.base;) {
        const Passed& passed = passed_[frame];
        if (passed.rule->kept[i] == UnwindRule::same) continue;
        const uint64_t address = plus(passed.cfa, passed.rule->kept[i]);
        uint64_t word = 0;
        if (read(sample, address, word)) {
          value = word;
          break;
        }
        const uint64_t sp = frame == state.base ? state.base_sp : passed_[frame - 1].cfa;
        if (address < sp) continue;  // restored already
        value.reset();
        break;
      }
      if (value) known.set(kept_registers[i], *value);
    }
    if (state.has_fp) known.set(fp_register, state.fp);
  }
  known.set(sp_register, state.sp);
  known.set(pc_register, state.pc);
  return known;
}

// Goes on to the caller by a rule of any form, and all registers.
bool Unwinder::pass_special(const StackSample& sample, State& state, const UnwindRule& rule) {
  const UnwindModule* module = module_at(state.address());
  if (module == nullptr || module->table == nullptr) return false;
  StackEnd failure = StackEnd::Damaged;
  const struct {
    const StackSample& sample;
    StackEnd& failure;
  } memory{sample, failure};
  const auto caller = module->table->caller(registers_of(sample, state), rule,
                                            [&memory](uint64_t address) -> std::optional<uint64_t> {
                                              uint64_t word = 0;
                                              if (read(memory.sample, address, word)) return word;
                                              memory.failure = end_at(memory.sample, address);
                                              return {};
                                            });
  state.failure = failure;
  if (!caller) return false;
  const auto sp = caller->registers.get(sp_register);
  const auto pc = caller->registers.get(pc_register);
  if (!sp || !pc || (*sp < state.sp && !caller->is_interrupted)) return false;
  const auto fp = caller->registers.get(fp_register);
  state.pc = *pc;
  state.sp = state.base_sp = *sp;
  state.fp = fp.value_or(0);
  state.has_fp = fp.has_value();
  state.base_registers = caller->registers;
  state.base = state.count + 1;
  return true;
}

// Passes frames as long as they are of the usual kind: with a rule that needs rsp or rbp only, and
// intact. The variables stay in registers, and the next rule does not wait for the last one's
// memory.
void Unwinder::pass_usual(const StackSample& sample, State& state) {
  const uint8_t* const bytes = sample.stack.data();
  const uint64_t begin = sample.stack_begin;
  if (sample.stack.size() < sizeof(uint64_t)) return;
  const uint64_t last = sample.stack.size() - sizeof(uint64_t);
  const size_t most = pcs_.size();
  uint64_t* const pcs = pcs_.data();
  Passed* const passed = passed_.data();
  uint64_t pc = state.pc;
  uint64_t sp = state.sp;
  uint64_t fp = state.fp;
  bool has_fp = state.has_fp;
  bool is_exact = state.is_exact;
  size_t count = state.count;
  while (count < most) {
    const Known& known = known_at(is_exact ? pc : pc - 1);
    uint64_t cfa = 0;
    uint64_t caller = 0;
    if (known.usual == Usual::FramePointer) {
      // The processor predicts this branch, and needs no more of the rule: the chain of frame pointers
      // is all that it waits for.
      cfa = fp + 16;
      const uint64_t place = fp - begin;
      if (!has_fp || cfa <= sp || last < 8 || place > last - 8) break;
      std::memcpy(&caller, bytes + place + 8, sizeof caller);
      if (caller == 0) break;
      std::memcpy(&fp, bytes + place, sizeof fp);
    } else {
      if (known.usual == Usual::FromSp)
        cfa = plus(sp, known.cfa);
      else if (known.usual == Usual::FromFp && has_fp)
        cfa = plus(fp, known.cfa);
      else
        break;
      const uint64_t place = plus(cfa, known.return_address) - begin;
      if (cfa <= sp || place > last) break;
      std::memcpy(&caller, bytes + place, sizeof caller);
      if (caller == 0) break;
      if (known.frame_pointer != UnwindRule::same) {
        const uint64_t kept = plus(cfa, known.frame_pointer) - begin;
        if (kept > last) break;
        std::memcpy(&fp, bytes + kept, sizeof fp);
        has_fp = true;
      }
    }
    pcs[count] = pc;
    passed[count] = {.rule = known.rule, .cfa = cfa};
    count++;
    sp = cfa;
    pc = caller;
    is_exact = false;
  }
  state.pc = pc;
  state.sp = sp;
  state.fp = fp;
  state.has_fp = has_fp;
  state.is_exact = is_exact;
  state.count = count;
}

StackEnd Unwinder::walk(const StackSample& sample, State& state) {
  const auto go_on = [&](const UnwindRule& rule) {
    state.is_exact = rule.is_signal_frame;
    state.count++;
    if (state.is_exact) interrupted_.push_back(static_cast<uint32_t>(state.count));
  };
  for (pass_usual(sample, state); state.count < pcs_.size(); pass_usual(sample, state)) {
    pcs_[state.count] = state.pc;
    const UnwindRule* rule = known_at(state.address()).rule;
    if (rule->kind == Kind::None) {
      const UnwindModule* module = module_at(state.address());
      if (module == nullptr && state.count != 0) {
        if (state.is_exact) interrupted_.pop_back();
        state.count--;  // this is no code
        return StackEnd::Damaged;
      }
      rule = rule_without_table(sample, state);
      if (rule == nullptr) {
        // The kernel jumps to the dynamic linker's first function, which has no table.
        constexpr uint64_t entry_size = 64;
        if (module != nullptr && module->entry != 0 && state.address() - module->entry < entry_size)
          return StackEnd::Complete;
        if (module != nullptr) without_table_[static_cast<size_t>(module - modules_.data())]++;
        return StackEnd::NoTable;
      }
    }
    if (rule->kind == Kind::First) return StackEnd::Complete;
    if (rule->kind == Kind::Special) {
      if (!pass_special(sample, state, *rule)) return state.failure;
      if (state.pc == 0) return StackEnd::Complete;
      go_on(*rule);
      continue;
    }
    if (rule->kind == Kind::FromFp && !state.has_fp) return StackEnd::Damaged;
    const uint64_t cfa = plus(rule->kind == Kind::FromSp ? state.sp : state.fp, rule->cfa);
    if (cfa <= state.sp) return StackEnd::Damaged;
    uint64_t pc = 0;
    const uint64_t place = plus(cfa, rule->return_address);
    if (!read(sample, place, pc)) return end_at(sample, place);
    if (pc == 0) return StackEnd::Complete;
    if (const int16_t kept = rule->kept[kept_frame_pointer]; kept != UnwindRule::same) {
      const uint64_t address = plus(cfa, kept);
      uint64_t fp = 0;
      if (read(sample, address, fp)) {
        state.fp = fp;
        state.has_fp = true;
      } else if (address >= state.sp) {  // else it was restored already
        state.has_fp = false;
      }
    }
    passed_[state.count] = {.rule = rule, .cfa = cfa};
    state.sp = cfa;
    state.pc = pc;
    go_on(*rule);
  }
  state.count--;
  return StackEnd::TooDeep;
}

UnwoundStack Unwinder::unwind(const StackSample& sample) {
  interrupted_.clear();
  State state;
  const auto pc = sample.registers.get(pc_register);
  const auto sp = sample.registers.get(sp_register);
  const auto fp = sample.registers.get(fp_register);
  counts_.stacks++;
  UnwoundStack stack;
  if (!pc || !sp) {
    stack.end = StackEnd::Damaged;
  } else {
    state.pc = *pc;
    state.sp = state.base_sp = *sp;
    state.fp = fp.value_or(0);
    state.has_fp = fp.has_value();
    state.base_registers = sample.registers;
    stack.end = walk(sample, state);
    stack.pcs = std::span(pcs_).first(state.count + 1);
    stack.interrupted = interrupted_;
    counts_.frames += stack.pcs.size();
  }
  last_count_ = state.count;
  last_base_ = state.base;
  last_registers_ = state.base_registers;
  last_sp_ = state.base_sp;
  counts_.ends[static_cast<size_t>(stack.end)]++;
  return stack;
}

std::optional<Unwinder::Frame> Unwinder::frame(const StackSample& sample, size_t number) const {
  if (number < last_base_ || number > last_count_ || number >= pcs_.size()) return {};
  State state;
  state.pc = pcs_[number];
  state.sp = number == last_base_ ? last_sp_ : passed_[number - 1].cfa;
  state.count = number;
  state.base = last_base_;
  state.base_registers = last_registers_;
  state.base_sp = last_sp_;
  return Frame{.registers = registers_of(sample, state),
               .cfa = number < last_count_ ? passed_[number].cfa : 0,
               .innermost = last_registers_};
}

UnwindCounts Unwinder::counts() const {
  UnwindCounts counts = counts_;
  const auto worst = std::max_element(without_table_.begin(), without_table_.end());
  if (worst != without_table_.end() && *worst != 0)
    counts.worst_module = modules_[static_cast<size_t>(worst - without_table_.begin())].name;
  return counts;
}

std::string UnwindCounts::text(const std::string& for_more) const {
  std::string lines;
  const auto add = [&](StackEnd end, const std::string& problem, const std::string& advice) {
    if (of(end) == 0) return;
    char share[32];
    std::snprintf(share, sizeof share, "%.1f %%",
                  100 * static_cast<double>(of(end)) / static_cast<double>(stacks));
    lines += std::string(share) + " of the stacks " + problem + "; " + advice + "\n";
  };
  add(StackEnd::Cut, "are longer than their copy", for_more);
  add(StackEnd::NoTable,
      "end in code without call frame information" +
          (worst_module.empty() ? "" : ", most of them in " + worst_module),
      "install its debug information, or build it with -fasynchronous-unwind-tables or "
      "-fno-omit-frame-pointer");
  add(StackEnd::Damaged, "are damaged or use an unknown layout",
      "check code that switches or overwrites stacks, such as assembly without .cfi directives");
  add(StackEnd::TooDeep, "have more functions than are kept", "raise the limit");
  return lines;
}

}  // namespace skein
