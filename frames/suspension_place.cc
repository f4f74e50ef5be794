#include "frames/suspension_place.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

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

// Whether the register of a ModRM byte was set to `value` shortly before: B8+r id.
bool is_set_before(std::span<const uint8_t> bytes, size_t before, uint8_t modrm, uint32_t value) {
  constexpr size_t near = 64;
  const auto opcode = static_cast<uint8_t>(0xB8 + (modrm >> 3 & 7));
  for (size_t at = before; at-- > before - std::min(before, near);)
    if (bytes[at] == opcode && at + 5 <= before &&
        signed_at(bytes, at + 1) == static_cast<int32_t>(value))
      return true;
  return false;
}

// Calls (E8 cd) of functions whose names contain `name`.
void add_calls(const Code& code, const Functions& functions, std::string_view name,
               std::vector<Lines::Call>& to) {
  for (size_t at = 0; at + 5 <= code.bytes.size(); at++) {
    if (code.bytes[at] != 0xE8) continue;
    const uint64_t address = code.address + at;
    const uint64_t target =
        address + 5 + static_cast<uint64_t>(int64_t{signed_at(code.bytes, at + 1)});
    const Functions::Function* called = functions.find(target);
    if (called != nullptr && called->begin == target &&
        called->name.find(name) != std::string_view::npos)
      to.push_back({address, std::string(called->name)});
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

// The last call before `address`, and the first behind it, if near; else null.
struct NearCalls {
  const Lines::Call* before = nullptr;
  const Lines::Call* behind = nullptr;
};
NearCalls near_calls(const std::vector<Lines::Call>& calls, uint64_t address) {
  constexpr uint64_t near = 512;  // bytes
  const auto next =
      std::upper_bound(calls.begin(), calls.end(), address,
                       [](uint64_t a, const Lines::Call& call) { return a < call.address; });
  NearCalls found;
  if (next != calls.begin() && address - std::prev(next)->address < near)
    found.before = &*std::prev(next);
  if (next != calls.end() && next->address - address < near) found.behind = &*next;
  return found;
}

// Whether a jump (E9 cd, EB cb) is at this address.
bool is_jump(const Code& code, uint64_t address) {
  const size_t at = address - code.address;
  return at < code.bytes.size() && (code.bytes[at] == 0xE9 || code.bytes[at] == 0xEB);
}

}  // namespace

// 66 C7 /0 iw: mov r/m16, imm16. 66 89 /r: mov r/m16, r16. C6 /0 ib: mov r/m8, imm8.
std::optional<Store> find_store(const Code& code, Compiler compiler, uint64_t offset,
                                uint32_t point) {
  const std::span<const uint8_t> bytes = code.bytes;
  for (size_t at = 0; at + 3 < bytes.size(); at++) {
    if (compiler == Compiler::Clang) {
      if (bytes[at] != 0xC6 || (bytes[at + 1] >> 3 & 7) != 0) continue;
      const size_t end = end_of_operand(bytes, at + 1, offset);
      if (end != 0 && end < bytes.size() && bytes[end] == point)
        return Store{code.address + at, code.address + end + 1};
      continue;
    }
    if (bytes[at] != 0x66) continue;
    size_t opcode = at + 1;
    if ((bytes[opcode] & 0xF0) == 0x40) opcode++;  // REX
    if (opcode + 1 >= bytes.size()) continue;
    const size_t end = end_of_operand(bytes, opcode + 1, offset);
    if (end == 0) continue;
    if (bytes[opcode] == 0xC7 && end + 2 <= bytes.size() &&
        static_cast<uint32_t>(bytes[end] | bytes[end + 1] << 8) == point)
      return Store{code.address + at, code.address + end + 2};
    if (bytes[opcode] == 0x89 && is_set_before(bytes, at, bytes[opcode + 1], point))
      return Store{code.address + at, code.address + end};
  }
  return {};
}

Suspension find_suspension(const Code& code, Compiler compiler, uint64_t offset, uint32_t point,
                           const Functions& functions, const Lines* lines) {
  const std::optional<Store> store = find_store(code, compiler, offset, point);
  if (!store) return {};
  const auto suspends = calls_of(code, functions, lines, "await_suspend");
  // A jump leads to code that several suspensions share, with the line of one of them.
  const bool is_shared = compiler == Compiler::Gcc && is_jump(code, store->end);
  const Lines::Call* suspend = is_shared ? nullptr : near_calls(suspends, store->begin).behind;
  Suspension found{.awaiter = suspend == nullptr ? "" : type_of_member(suspend->function)};
  if (lines == nullptr) return found;
  if (compiler == Compiler::Clang) {
    found.place = lines->at(store->begin);
    return found;
  }
  const auto readies = calls_of(code, functions, lines, "await_ready");
  const Lines::Call* ready = near_calls(readies, store->begin).before;
  const Lines::Call* call = ready != nullptr ? ready : suspend;
  found.place = lines->at(call != nullptr ? call->address : store->begin);
  return found;
}

std::string type_of_member(std::string_view function) {
  const std::string name = demangled(function);
  std::string type;
  int depth = 0;  // of the arguments of templates
  for (size_t i = 0; i < name.size(); i++) {
    const char c = name[i];
    if (c == '<') depth++;
    if (depth == 0) {
      if (c == '(' && name.compare(i, 21, "(anonymous namespace)") == 0) {
        i += 22;  // and "::"
        continue;
      }
      if (c == '(') break;
      if (c == ' ')
        type.clear();  // the type of the result
      else
        type += c;
    }
    if (c == '>' && depth > 0) depth--;
  }
  const size_t member = type.rfind("::");
  return member == std::string::npos ? "" : type.substr(0, member);
}

}  // namespace skein
