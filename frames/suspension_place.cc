#include "frames/suspension_place.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/function_name.h"
#include "frames/await_paths.h"
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
  std::sort(calls.begin(), calls.end(), [](const Lines::Call& a, const Lines::Call& b) {
    return std::pair(a.address, b.end) < std::pair(b.address, a.end);  // the outer one first
  });
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

struct FlowBothWays {
  explicit FlowBothWays(const Code& code) : flow(code), before(flow.predecessors()) {}
  ControlFlow flow;
  AwaitPaths::Predecessors before;
};

// Whether an opcode with a register is for ah, ch, dh or bh.
bool is_high_byte(const Instruction& one) { return one.opcode >= 0xB4 && one.opcode <= 0xB7; }

// A store of a register that has different numbers is one of each, where the register gets it.
std::vector<Store> with_values_of_registers(const FlowBothWays& both, const std::vector<Store>& stores) {
  using Map = Instruction::Map;
  constexpr size_t most_steps = 10'000'000;
  const auto all = both.flow.instructions();
  if (!both.flow.is_complete() || stores.size() * all.size() > most_steps) return stores;
  std::vector<Store> found;
  for (Store store : stores) {
    const auto at = both.flow.find(store.begin);
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
      is_known = is_known && !both.before[next].empty();
      for (const size_t i : both.before[next]) {
        if (seen[i]) continue;
        seen[i] = true;
        const Instruction& one = all[i];
        // B0+r ib: mov r8, imm8; B8+r id: mov r32, imm32.
        const bool is_number = one.map == Map::OneByte && one.opcode <= 0xBF &&
                               one.opcode >= (is_byte ? 0xB0 : 0xB8) && (one.has_rex || !is_high_byte(one));
        if (is_number && one.rm == number)
          values.push_back({.begin = one.address,
                            .end = one.end(),
                            .point = static_cast<uint32_t>(one.immediate) & mask});
        else if (may_change(one, number))
          is_known = false;
        else
          work.push_back(i);
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
  std::sort(found.begin(), found.end(), [](const Store& a, const Store& b) { return a.begin < b.begin; });
  return found;
}

// What belongs to one suspension.
struct Awaits {
  const Lines::Call* ready = nullptr;
  const Lines::Call* suspend = nullptr;
  const Lines::Call* resume = nullptr;
};

// For AwaitPaths. Calls of one function in one line are one.
std::vector<AwaitCall> numbered(const std::vector<Lines::Call>& calls, const Lines* lines) {
  using Key = std::tuple<std::string_view, std::string, uint32_t>;
  std::map<Key, uint32_t> known;
  std::vector<AwaitCall> found;
  uint32_t count = 0;
  for (const Lines::Call& call : calls) {
    const auto place = lines == nullptr ? std::nullopt : lines->at(call.address);
    uint32_t number = count;
    if (place)
      number = known.try_emplace({call.function, place->file, place->line}, count).first->second;
    if (number == count) count++;
    found.push_back({call.address, call.end, number});
  }
  return found;
}

// Nothing: the code was not understood.
std::optional<Awaits> awaits_by_flow(const Code& code, const Store& store,
                                     const std::vector<Store>& stores,
                                     const std::vector<Lines::Call>& readies,
                                     const std::vector<Lines::Call>& suspends,
                                     const std::vector<Lines::Call>& resumes, const Lines* lines) {
  const FlowBothWays both(code);
  const AwaitPaths::Calls calls = {numbered(readies, lines), numbered(suspends, lines),
                                   numbered(resumes, lines)};
  const AwaitPaths paths(both.flow, both.before, stores, calls);
  if (!paths.is_complete()) return {};
  const auto of = [](const std::vector<Lines::Call>& all, std::optional<size_t> number) {
    return number ? &all[*number] : nullptr;
  };
  Awaits found;
  found.ready = of(readies, paths.before(store, AwaitPaths::Ready));
  found.suspend = of(suspends, paths.behind(store, AwaitPaths::Suspend));
  // The code of an inlined await_suspend() may come first.
  if (found.suspend == nullptr)
    found.suspend = of(suspends, paths.before(store, AwaitPaths::Suspend));
  if (const auto target = resume_target(code, store.point))
    found.resume = of(resumes, paths.resume_behind(*target));
  if (!paths.is_complete()) return {};  // it was too long
  return found;
}

// The same by addresses alone.
Awaits awaits_nearby(const Code& code, Compiler compiler, const Store& store,
                     const std::vector<Store>& stores, const std::vector<Lines::Call>& readies,
                     const std::vector<Lines::Call>& suspends,
                     const std::vector<Lines::Call>& resumes, const Lines* lines) {
  const bool is_gcc = compiler == Compiler::Gcc;
  const Surrounding around = surrounding(code, stores, store);
  Awaits found;
  // A jump leads to code that several suspensions share, with the line of one of them.
  const bool is_shared = is_gcc && is_jump(code, store.end);
  if (!is_shared) found.suspend = call_behind(suspends, store, around);
  found.ready = call_before(readies, store, around);
  if (!is_gcc) return found;
  if (found.ready != nullptr && lines != nullptr &&
      is_of_other(*found.ready, store, code, stores, readies, suspends, *lines))
    found.ready = nullptr;
  // The code of an inlined await_suspend() may come first, and await_ready() have none.
  if (found.ready == nullptr && found.suspend == nullptr)
    found.suspend = call_before(suspends, store, around);
  found.resume = call_at(resumes, resume_target(code, store.point));
  return found;
}

// Clang's line of a store is right; g++'s is that of the statement.
std::optional<Lines::Place> place_of_gcc(const Code& code, const Store& store, const Awaits& awaits,
                                         const Lines& lines) {
  // Then any line may be one of an inlined function. Those of two calls agree if it is not.
  if (lines.is_partly_missing(code.address)) {
    if (awaits.ready == nullptr || awaits.suspend == nullptr) return {};
    const auto place = lines.at(awaits.ready->address);
    return place == lines.at(awaits.suspend->address) ? place : std::nullopt;
  }
  for (const Lines::Call* call : {awaits.ready, awaits.suspend, awaits.resume})
    if (call != nullptr) return lines.at(call->address);
  return lines.at(store.begin);
}

// The function may have the beginnings of other coroutines in it, whose frames are in other
// registers, or in the same one at another time. If any store is known to be in its own frame, the
// others are left out.
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
        value ? static_cast<uint32_t>((static_cast<uint64_t>(*value) >> (8 * at)) & mask) : UINT32_MAX;
    found.push_back({.begin = one.address, .end = one.end(), .point = point});
  });
  return found;
}

std::vector<Store> find_own_stores(const Code& code, Compiler compiler, uint64_t offset) {
  std::vector<Store> stores = find_stores(code, compiler, offset);
  if (compiler == Compiler::Clang)
    leave_out_others(code, offset, stores);
  else
    stores = with_values_of_registers(FlowBothWays(code), stores);
  return stores;
}

Suspension find_suspension(const Code& code, Compiler compiler, uint64_t offset, uint32_t point,
                           const Functions& functions, const Lines* lines, std::string_view inside) {
  std::vector<Store> stores = find_own_stores(code, compiler, offset);
  const auto find = [&] {
    return std::find_if(stores.begin(), stores.end(), [&](const Store& one) { return one.point == point; });
  };
  auto store = find();
  if (store == stores.end() && (code.has_frame || code.creates != 0)) {
    for (const Store& one : follow_stores(code, compiler, offset)) {
      const auto known = std::find_if(stores.begin(), stores.end(),
                                      [&](const Store& other) { return other.begin == one.begin; });
      if (known == stores.end())
        stores.push_back(one);
      else if (known->point == UINT32_MAX)
        known->point = one.point;
    }
    stores = with_values_of_registers(FlowBothWays(code), stores);
    store = find();
  }
  if (store == stores.end()) return {};
  const auto readies = calls_of(code, functions, lines, "await_ready");
  const auto suspends = calls_of(code, functions, lines, "await_suspend");
  const auto resumes = calls_of(code, functions, lines, "await_resume");
  const auto place_of = [&](uint64_t address) {
    return inside.empty() ? lines->at(address) : lines->inside(address, inside);
  };
  Suspension found;
  // Clang's line of a store is right, if it has one.
  if (lines != nullptr && compiler == Compiler::Clang) found.place = place_of(store->begin);
  std::optional<Awaits> awaits;
  if (!found.place) awaits = awaits_by_flow(code, *store, stores, readies, suspends, resumes, lines);
  if (!awaits && (found.place || lines == nullptr || compiler == Compiler::Gcc))
    awaits = awaits_nearby(code, compiler, *store, stores, readies, suspends, resumes, lines);
  if (!awaits) return found;
  if (lines != nullptr) {
    if (compiler == Compiler::Gcc)
      found.place = place_of_gcc(code, *store, *awaits, *lines);
    else if (const Lines::Call* call = awaits->ready != nullptr ? awaits->ready : awaits->suspend;
             !found.place && call != nullptr)
      found.place = place_of(call->address);
    // Code of another suspension may be near.
    const auto is_there = [&](const Lines::Call* call) {
      return call != nullptr && (!found.place || place_of(call->address) == found.place);
    };
    if (!is_there(awaits->suspend)) awaits->suspend = nullptr;
    if (!is_there(awaits->ready)) awaits->ready = nullptr;
  }
  // clang calls await_suspend() from a function without a name.
  const Lines::Call* call = awaits->suspend != nullptr ? awaits->suspend : awaits->ready;
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
