#include "frames/index_stores.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "frames/control_flow.h"
#include "frames/kept_registers.h"
#include "frames/prologue.h"
#include "frames/register_flow.h"

namespace skein {

namespace {

using Compiler = CoroutineFunction::Compiler;

// The end of an operand `offset`(register), whose ModRM byte is at `at`; 0: it is another one.
// Intel's manual, volume 2, 2.1.3: mod 1 and 2 have a displacement of 1 and 4 bytes; register 4
// has a SIB byte, which is 0x24 without an index.
size_t end_of_operand(std::span<const uint8_t> bytes, size_t at, uint64_t offset) {
  if (at >= bytes.size()) return 0;
  const uint8_t mode = bytes[at] >> 6;
  const bool has_sib = (bytes[at] & 7) == 4;
  size_t next = at + 1;
  if (has_sib && (next >= bytes.size() || bytes[next++] != 0x24)) return 0;
  if (mode == 1 && next < bytes.size() && bytes[next] == offset) return next + 1;
  if (mode == 2 && next + 4 <= bytes.size() && offset <= INT32_MAX &&
      signed_at(bytes, next) == static_cast<int32_t>(offset))
    return next + 4;
  return 0;
}

// What a register was set to before: B8+r id, with REX.B (41) for r8 to r15. A bigger number than
// any point is a part of another instruction.
uint32_t value_of_register(std::span<const uint8_t> bytes, size_t before, uint8_t number) {
  constexpr size_t near = 512;
  constexpr uint32_t most = 0x10000;
  const auto opcode = static_cast<uint8_t>(0xB8 + (number & 7));
  for (size_t at = before; at-- > before - std::min(before, near);) {
    if (bytes[at] != opcode || at + 5 > before) continue;
    const bool is_extended = at > 0 && bytes[at - 1] == 0x41;
    if (is_extended != (number >= 8)) continue;
    const auto value = static_cast<uint32_t>(signed_at(bytes, at + 1));
    if (value < most) return value;
  }
  return UINT32_MAX;
}

// The register of the base in the operand whose ModRM byte is at `at`. Nothing: rsp.
std::optional<uint8_t> base_register(std::span<const uint8_t> bytes, size_t at, bool is_extended) {
  const auto number = static_cast<uint8_t>((bytes[at] & 7) | (is_extended ? 8 : 0));
  constexpr uint8_t rsp = 4;
  return number == rsp ? std::nullopt : std::optional(number);
}

// The store of a number at `offset` whose first byte is at `at`, if there is one; `end` is 0 if
// there is none, and both are offsets in the code.
// 66 C7 /0 iw: mov r/m16, imm16. 66 89 /r: mov r/m16, r16. C6 /0 ib: mov r/m8, imm8. The prefix 41
// extends the register of the base.
Store store_at(std::span<const uint8_t> bytes, size_t at, Compiler compiler, uint64_t offset) {
  if (at + 3 >= bytes.size()) return {};
  if (compiler == Compiler::Clang) {
    if (bytes[at] != 0xC6 || (bytes[at + 1] >> 3 & 7) != 0) return {};
    const size_t end = end_of_operand(bytes, at + 1, offset);
    if (end == 0 || end >= bytes.size()) return {};
    const bool is_extended = at > 0 && bytes[at - 1] == 0x41;
    return {at, end + 1, bytes[end], base_register(bytes, at + 1, is_extended)};
  }
  if (bytes[at] != 0x66) return {};
  size_t opcode = at + 1;
  uint8_t rex = 0;
  if ((bytes[opcode] & 0xF0) == 0x40) rex = bytes[opcode++];
  if (opcode + 1 >= bytes.size()) return {};
  const auto number = static_cast<uint8_t>((bytes[opcode + 1] >> 3 & 7) | (rex & 4) << 1);
  const size_t end = end_of_operand(bytes, opcode + 1, offset);
  if (end == 0) return {};
  const auto base = base_register(bytes, opcode + 1, (rex & 1) != 0);
  if (bytes[opcode] == 0xC7 && end + 2 <= bytes.size())
    return {at, end + 2, static_cast<uint32_t>(bytes[end] | bytes[end + 1] << 8), base};
  if (bytes[opcode] == 0x89) return {at, end, value_of_register(bytes, at, number), base};
  return {};
}

// The same of clang's that stores the bytes beside the number, too: 66 C7 /0 iw, C7 /0 id, REX.W C7
// /0 id (extended to 8 bytes).
Store wide_store_at(std::span<const uint8_t> bytes, size_t at, uint64_t offset) {
  const auto is_prefix = [](uint8_t byte) { return byte == 0x66 || (byte & 0xF0) == 0x40; };
  if (at > 0 && is_prefix(bytes[at - 1])) return {};
  size_t opcode = at;
  const bool is_word = bytes[opcode] == 0x66;
  if (is_word) opcode++;
  const bool has_rex = opcode < bytes.size() && (bytes[opcode] & 0xF0) == 0x40;
  const uint8_t rex = has_rex ? bytes[opcode++] : 0;
  if (opcode + 1 >= bytes.size() || bytes[opcode] != 0xC7 || (bytes[opcode + 1] & 0x38) != 0)
    return {};
  const size_t width = is_word ? 2 : (rex & 8) != 0 ? 8 : 4;
  const size_t immediate = is_word ? 2 : 4;
  for (size_t before = 0; before < width && before <= offset; before++) {
    const size_t end = end_of_operand(bytes, opcode + 1, offset - before);
    if (end == 0 || end + immediate > bytes.size()) continue;
    const bool is_extended = (bytes[end + immediate - 1] & 0x80) != 0;
    const uint8_t point = before < immediate ? bytes[end + before] : is_extended ? 255 : 0;
    return {at, end + immediate, point, base_register(bytes, opcode + 1, (rex & 1) != 0)};
  }
  return {};
}

// Whether an opcode with a register is for ah, ch, dh or bh.
bool is_high_byte(const Instruction& one) { return one.opcode >= 0xB4 && one.opcode <= 0xB7; }

// A store of a register that has different numbers is one of each, where the register gets it.
std::vector<Store> with_values_of_registers(const Code& code, const std::vector<Store>& stores) {
  using Map = Instruction::Map;
  constexpr size_t most_steps = 10'000'000;
  const ControlFlow flow(code);
  const auto all = flow.instructions();
  if (!flow.is_complete() || stores.size() * all.size() > most_steps) return stores;
  const auto before = flow.predecessors();
  std::vector<Store> found;
  for (Store store : stores) {
    const auto at = flow.find(store.begin);
    const bool is_byte = at && all[*at].opcode == 0x88;
    if (!at || all[*at].map != Map::OneByte || (all[*at].opcode != 0x89 && !is_byte)) {
      found.push_back(store);
      continue;
    }
    const uint8_t number = all[*at].reg;
    const uint32_t mask = is_byte ? 0xFF : 0xFFFF;
    std::vector<Store> values;
    bool is_known = true;
    std::vector<bool> seen(all.size());
    std::vector<size_t> work = {*at};
    while (!work.empty()) {
      const size_t next = work.back();
      work.pop_back();
      is_known = is_known && !before[next].empty();
      for (const size_t i : before[next]) {
        if (seen[i]) continue;
        seen[i] = true;
        const Instruction& one = all[i];
        // B0+r ib: mov r8, imm8; B8+r id: mov r32, imm32; 31 /r, 33 /r: xor.
        const bool is_number = one.map == Map::OneByte && one.opcode <= 0xBF &&
                               one.opcode >= (is_byte ? 0xB0 : 0xB8) &&
                               (one.has_rex || !is_high_byte(one));
        const bool is_zero = one.map == Map::OneByte &&
                             (one.opcode == 0x31 || one.opcode == 0x33) && !one.memory &&
                             one.rm == one.reg;
        if (is_zero && one.rm == number)
          values.push_back({.begin = one.address, .end = one.end()});
        else if (is_number && one.rm == number)
          values.push_back({.begin = one.address,
                            .end = one.end(),
                            .point = static_cast<uint32_t>(one.immediate) & mask});
        else if (!may_change(one, number) || (one.flow == Instruction::Flow::Call && one.target &&
                                              keeps_register(code, *one.target, number)))
          work.push_back(i);
        else
          is_known = false;
      }
    }
    const auto is_same = [&](const Store& one) { return one.point == values.front().point; };
    if (is_known && !values.empty() && std::all_of(values.begin(), values.end(), is_same)) {
      store.point = values.front().point;
      found.push_back(store);
      continue;
    }
    if (!is_known) {
      store.point = UINT32_MAX;
      found.push_back(store);
    }
    found.insert(found.end(), values.begin(), values.end());
  }
  std::sort(found.begin(), found.end(),
            [](const Store& a, const Store& b) { return a.begin < b.begin; });
  return found;
}

// The function may have the beginnings of other coroutines in it, whose frames are in other
// registers, or in the same one at another time. If one that stores a number is known to be in its own
// frame, the others that store the same are left out. (Without optimisation, not all are known.)
void leave_out_others(const Code& code, uint64_t offset, std::vector<Store>& stores) {
  const auto is_same = [&](const Store& one) { return one.frame == stores.front().frame; };
  std::set<uint32_t> points;
  const auto is_new = [&](const Store& one) { return points.insert(one.point).second; };
  const bool is_alone = std::all_of(stores.begin(), stores.end(), is_same) &&
                        std::all_of(stores.begin(), stores.end(), is_new);
  if ((!code.has_frame && code.creates == 0) || is_alone) return;
  const std::vector<Store> own = follow_stores(code, Compiler::Clang, offset);
  if (own.empty()) return;
  std::erase_if(stores, [&](const Store& one) {
    bool is_known = false;
    for (const Store& other : own) {
      if (other.begin == one.begin) return false;
      is_known = is_known || other.point == one.point;
    }
    return is_known;
  });
}

}  // namespace

std::optional<uint8_t> frame_register(const std::vector<Store>& stores) {
  constexpr size_t registers = 16;
  size_t counts[registers] = {};
  for (const Store& store : stores)
    if (store.frame) counts[*store.frame % registers]++;
  const size_t* most = std::max_element(std::begin(counts), std::end(counts));
  return *most == 0 ? std::nullopt : std::optional(static_cast<uint8_t>(most - counts));
}

std::vector<Store> find_stores(const Code& code, Compiler compiler, uint64_t offset) {
  std::vector<Store> found;
  const auto add = [&](Store store) {
    if (store.end == 0) return;
    store.begin += code.address;
    store.end += code.address;
    found.push_back(store);
  };
  for (size_t at = 0; at < code.bytes.size(); at++) add(store_at(code.bytes, at, compiler, offset));
  std::optional<uint8_t> frame = frame_register(found);
  if (!frame && code.has_frame) frame = prologue_of(code.bytes).parameter.back();
  if (compiler != Compiler::Clang || !frame) return found;
  // By another register, they may belong to another object.
  for (size_t at = 0; at < code.bytes.size(); at++)
    if (const Store store = wide_store_at(code.bytes, at, offset); store.frame == frame) add(store);
  std::sort(found.begin(), found.end(),
            [](const Store& a, const Store& b) { return a.begin < b.begin; });
  return found;
}

std::vector<Store> follow_stores(const Code& code, Compiler compiler, uint64_t offset) {
  std::vector<Store> found;
  const uint64_t size = compiler == Compiler::Gcc ? 2 : 1;
  const RegisterFlow flow(code);
  const std::vector<RegisterFlow::Value> frames = frames_of(code, flow);
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (!is_store(one) || one.map != Instruction::Map::OneByte) return;
    const RegisterFlow::Value address = before.address(one);
    const uint64_t width = access_size(one);
    // Where its operand has the number: bytes.
    const auto place_in = [&](const RegisterFlow::Value& frame) {
      return static_cast<uint64_t>(frame.offset) + offset - static_cast<uint64_t>(address.offset);
    };
    const auto frame = std::find_if(frames.begin(), frames.end(), [&](const auto& each) {
      return address.base == each.base && address.origin == each.origin && width >= size &&
             place_in(each) <= width - size;
    });
    if (frame == frames.end()) return;
    const uint64_t at = place_in(*frame);
    std::optional<int64_t> value;
    const bool is_number = one.opcode == 0xC6 || one.opcode == 0xC7;
    if (is_number) value = one.immediate;
    if (!is_number && before.registers[one.reg].base == RegisterFlow::Base::Number)
      value = before.registers[one.reg].offset;
    const uint64_t mask = size == 1 ? 0xFF : 0xFFFF;
    const uint32_t point =
        value ? static_cast<uint32_t>((static_cast<uint64_t>(*value) >> (8 * at)) & mask)
              : UINT32_MAX;
    found.push_back({.begin = one.address, .end = one.end(), .point = point});
  });
  return found;
}

void add_followed_stores(const Code& code, Compiler compiler, uint64_t offset,
                         std::vector<Store>& stores) {
  for (const Store& one : follow_stores(code, compiler, offset)) {
    const auto known = std::find_if(stores.begin(), stores.end(),
                                    [&](const Store& other) { return other.begin == one.begin; });
    if (known == stores.end())
      stores.push_back(one);
    else if (known->point == UINT32_MAX)
      known->point = one.point;
  }
  stores = with_values_of_registers(code, stores);
}

std::vector<Store> find_own_stores(const Code& code, Compiler compiler, uint64_t offset) {
  std::vector<Store> stores = find_stores(code, compiler, offset);
  if (compiler == Compiler::Clang)
    leave_out_others(code, offset, stores);
  else
    stores = with_values_of_registers(code, stores);
  return stores;
}

}  // namespace skein
