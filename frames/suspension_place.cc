#include "frames/suspension_place.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/function_name.h"
#include "frames/prologue.h"
#include "frames/register_flow.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

using Compiler = CoroutineFunction::Compiler;

int32_t signed_at(std::span<const uint8_t> bytes, size_t at) {
  int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

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

// Calls (E8 cd) of functions whose names contain `name`; also as the last thing that a function does
// (E9 cd), as await_suspend() often is.
void add_calls(const Code& code, const Functions& functions, std::string_view name,
               std::vector<Lines::Call>& to) {
  for (size_t at = 0; at + 5 <= code.bytes.size(); at++) {
    if (code.bytes[at] != 0xE8 && code.bytes[at] != 0xE9) continue;
    const uint64_t address = code.address + at;
    const uint64_t target =
        address + 5 + static_cast<uint64_t>(int64_t{signed_at(code.bytes, at + 1)});
    const Functions::Function* called = functions.find(target);
    if (called != nullptr && called->begin == target &&
        called->name.find(name) != std::string_view::npos)
      to.push_back({address, address + 5, std::string(called->name)});
  }
}

std::vector<Lines::Call> calls_of(const Code& code, const Functions& functions, const Lines* lines,
                                  std::string_view name) {
  std::vector<Lines::Call> calls;
  if (lines != nullptr) calls = lines->inlined(code.address, name);
  add_calls(code, functions, name, calls);
  std::sort(calls.begin(), calls.end(),
            [](const Lines::Call& a, const Lines::Call& b) { return a.address < b.address; });
  return calls;
}

// The code around a store that no other suspension has: up to the stores before and behind it.
struct Surrounding {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The last call before a store, of the same suspension; null: there is none.
const Lines::Call* call_before(const std::vector<Lines::Call>& calls, const Store& store,
                               const Surrounding& around) {
  const Lines::Call* found = nullptr;
  for (const Lines::Call& call : calls)
    if (call.address >= around.begin && call.address <= store.begin) found = &call;
  return found;
}

// The call whose code contains the store, else the first right behind it.
const Lines::Call* call_behind(const std::vector<Lines::Call>& calls, const Store& store,
                               const Surrounding& around) {
  for (const Lines::Call& call : calls)
    if (call.address <= store.begin && store.begin < call.end && call.address >= around.begin)
      return &call;
  constexpr uint64_t near = 96;  // bytes
  for (const Lines::Call& call : calls)
    if (call.address > store.begin && call.address < std::min(around.end, store.end + near))
      return &call;
  return nullptr;
}

// The first call at an address or right behind it.
const Lines::Call* call_at(const std::vector<Lines::Call>& calls, std::optional<uint64_t> address) {
  constexpr uint64_t near = 64;  // bytes
  if (!address) return nullptr;
  for (const Lines::Call& call : calls)
    if (call.address >= *address && call.address - *address < near) return &call;
  return nullptr;
}

// Whether a jump (E9 cd, EB cb) is at this address.
bool is_jump(const Code& code, uint64_t address) {
  const size_t at = address - code.address;
  return at < code.bytes.size() && (code.bytes[at] == 0xE9 || code.bytes[at] == 0xEB);
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

Surrounding surrounding(const Code& code, const std::vector<Store>& stores, const Store& store) {
  Surrounding found{code.address, code.address + code.bytes.size()};
  for (const Store& other : stores) {
    if (other.begin < store.begin) found.begin = other.end;
    if (other.begin > store.begin) {
      found.end = other.begin;
      break;
    }
  }
  return found;
}

// Whether a call of await_ready() before a store is that of another suspension, whose store g++ has
// moved away from it, or into the middle of it: that one has no other, and calls await_suspend() of
// the same type in this line.
bool is_of_other(const Lines::Call& ready, const Store& store, const Code& code,
                 const std::vector<Store>& stores, const std::vector<Lines::Call>& readies,
                 const std::vector<Lines::Call>& suspends, const Lines& lines) {
  constexpr size_t most = 1'000'000;
  if (stores.size() * std::max({stores.size(), readies.size(), suspends.size()}) > most) return false;
  const auto place = lines.at(ready.address);
  const std::string awaiter = type_of_member(ready.function);
  return std::any_of(stores.begin(), stores.end(), [&](const Store& other) {
    if (other.point == store.point) return false;
    const Surrounding around = surrounding(code, stores, other);
    const auto is_there = [&](const Lines::Call* call) {
      return type_of_member(call->function) == awaiter && lines.at(call->address) == place;
    };
    const Lines::Call* suspend = call_behind(suspends, other, around);
    const Lines::Call* own = call_before(readies, other, around);
    return suspend != nullptr && is_there(suspend) && (own == nullptr || is_there(own));
  });
}

// Clang's line of a store is right; g++'s is that of the statement.
std::optional<Lines::Place> place_of_gcc(const Code& code, const Store& store,
                                         const Lines::Call* ready, const Lines::Call* suspend,
                                         const Functions& functions, const Lines& lines) {
  const Lines::Call* call = ready != nullptr ? ready : suspend;
  if (call != nullptr) return lines.at(call->address);
  const auto resumes = calls_of(code, functions, &lines, "await_resume");
  call = call_at(resumes, resume_target(code, store.point));
  return lines.at(call != nullptr ? call->address : store.begin);
}

// The function may have the beginnings of other coroutines in it, whose frames are in other
// registers. If any store is known to be in its own frame, those of other registers are left out.
void leave_out_others(const Code& code, uint64_t offset, std::vector<Store>& stores) {
  const auto is_same = [&](const Store& one) { return one.frame == stores.front().frame; };
  if (!code.has_frame || std::all_of(stores.begin(), stores.end(), is_same)) return;
  const std::vector<Store> own = follow_stores(code, Compiler::Clang, offset);
  if (own.empty()) return;
  std::erase_if(stores, [&](const Store& one) {
    return std::none_of(own.begin(), own.end(), [&](const Store& other) { return other.begin == one.begin; });
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
  const int64_t size = compiler == Compiler::Gcc ? 2 : 1;
  const RegisterFlow flow(code);
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (!is_store(one) || one.map != Instruction::Map::OneByte) return;
    const RegisterFlow::Value address = before.address(one);
    const int64_t at = static_cast<int64_t>(offset) - address.offset;
    const int64_t width = access_size(one);
    if (address.base != RegisterFlow::Base::Parameter || at < 0 || at + size > width) return;
    std::optional<int64_t> value;
    const bool is_number = one.opcode == 0xC6 || one.opcode == 0xC7;
    if (is_number) value = one.immediate;
    if (!is_number && before.registers[one.reg].base == RegisterFlow::Base::Number)
      value = before.registers[one.reg].offset;
    const uint64_t mask = size == 1 ? 0xFF : 0xFFFF;
    const uint32_t point =
        value ? static_cast<uint32_t>((static_cast<uint64_t>(*value) >> (8 * at)) & mask) : UINT32_MAX;
    found.push_back({.begin = one.address, .end = one.end(), .point = point});
  });
  return found;
}

Suspension find_suspension(const Code& code, Compiler compiler, uint64_t offset, uint32_t point,
                           const Functions& functions, const Lines* lines) {
  std::vector<Store> stores = find_stores(code, compiler, offset);
  if (compiler == Compiler::Clang) leave_out_others(code, offset, stores);
  const auto find = [&] {
    return std::find_if(stores.begin(), stores.end(), [&](const Store& one) { return one.point == point; });
  };
  auto store = find();
  if (store == stores.end() && code.has_frame) {
    for (const Store& one : follow_stores(code, compiler, offset)) {
      const auto known = std::find_if(stores.begin(), stores.end(),
                                      [&](const Store& other) { return other.begin == one.begin; });
      if (known == stores.end())
        stores.push_back(one);
      else if (known->point == UINT32_MAX)
        known->point = one.point;
    }
    std::sort(stores.begin(), stores.end(), [](const Store& a, const Store& b) { return a.begin < b.begin; });
    store = find();
  }
  if (store == stores.end()) return {};
  const auto suspends = calls_of(code, functions, lines, "await_suspend");
  const auto readies = calls_of(code, functions, lines, "await_ready");
  const Surrounding around = surrounding(code, stores, *store);
  // A jump leads to code that several suspensions share, with the line of one of them.
  const bool is_shared = compiler == Compiler::Gcc && is_jump(code, store->end);
  const Lines::Call* suspend = is_shared ? nullptr : call_behind(suspends, *store, around);
  const Lines::Call* ready = call_before(readies, *store, around);
  if (ready != nullptr && lines != nullptr && compiler == Compiler::Gcc &&
      is_of_other(*ready, *store, code, stores, readies, suspends, *lines))
    ready = nullptr;
  // The code of an inlined await_suspend() may come first, and await_ready() have none.
  if (ready == nullptr && suspend == nullptr && compiler == Compiler::Gcc)
    suspend = call_before(suspends, *store, around);
  Suspension found;
  if (lines != nullptr) {
    if (compiler == Compiler::Clang)
      found.place = lines->at(store->begin);
    else
      found.place = place_of_gcc(code, *store, ready, suspend, functions, *lines);
    // Code of another suspension may be near.
    const auto is_there = [&](const Lines::Call* call) {
      return call != nullptr && (!found.place || lines->at(call->address) == found.place);
    };
    if (!is_there(suspend)) suspend = nullptr;
    if (!is_there(ready)) ready = nullptr;
  }
  // clang calls await_suspend() from a function without a name.
  const Lines::Call* call = suspend != nullptr ? suspend : ready;
  if (call != nullptr) found.awaiter = type_of_member(call->function);
  return found;
}

std::string type_of_member(std::string_view function) {
  constexpr std::string_view unnamed = "(anonymous)::";
  const std::string full = with_lambdas_of_signatures(demangled(function));
  if (auto inner = wrapped_awaiter(full)) return *inner;
  std::string name = short_function_name(full);
  for (size_t at = 0; (at = name.find(unnamed, at)) != std::string::npos;)
    name.erase(at, unnamed.size());
  const size_t member = name.rfind("::");
  return member == std::string::npos ? "" : name.substr(0, member);
}

}  // namespace skein
