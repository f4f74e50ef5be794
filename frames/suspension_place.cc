#include "frames/suspension_place.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/function_name.h"
#include "frames/await_paths.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

using Compiler = CoroutineFunction::Compiler;

// "app::Event::await_ready" of a symbol; of an awaiter that stands for another one, that type.
std::string name_of_member(std::string_view function) {
  constexpr std::string_view unnamed = "(anonymous)::";
  const std::string full = with_lambdas_of_signatures(demangled(function));
  const std::optional<std::string> wrapped = wrapped_awaiter(full);
  std::string name = short_function_name(wrapped ? *wrapped : full);
  for (size_t at = 0; (at = name.find(unnamed, at)) != std::string::npos;)
    name.erase(at, unnamed.size());
  return wrapped ? name + "::" : name;
}

// Calls (E8 cd) of functions that are members of this name; also as the last thing that a function
// does (E9 cd), as await_suspend() often is.
void add_calls(const Code& code, const Functions& functions, std::string_view name,
               std::vector<Lines::Call>& to) {
  for (size_t at = 0; at + 5 <= code.bytes.size(); at++) {
    if (code.bytes[at] != 0xE8 && code.bytes[at] != 0xE9) continue;
    const uint64_t address = code.address + at;
    const uint64_t target =
        address + 5 + static_cast<uint64_t>(int64_t{signed_at(code.bytes, at + 1)});
    const Functions::Function* called = functions.find(target);
    if (called != nullptr && called->begin == target && is_member(called->name, name))
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
  const ControlFlow flow(code);
  const AwaitPaths::Predecessors before = flow.predecessors();
  const AwaitPaths::Calls calls = {numbered(readies, lines), numbered(suspends, lines),
                                   numbered(resumes, lines)};
  const AwaitPaths paths(flow, before, stores, calls);
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

// g++ gives some code of skein's hooks no other line than their own, though it is inlined: the line
// of the co_await is unknown then.
bool is_of_hooks(const std::optional<Lines::Place>& place) {
  return place && (place->file.ends_with("skein/coroutine/awaiting.h") ||
                   place->file.ends_with("skein/skein.h"));
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
  bool is_in_hooks = false;
  for (const Lines::Call* call : {awaits.ready, awaits.suspend, awaits.resume}) {
    if (call == nullptr) continue;
    const std::optional<Lines::Place>& place = lines.at(call->address);
    if (!is_of_hooks(place)) return place;
    is_in_hooks = true;
  }
  return is_in_hooks ? std::nullopt : lines.at(store.begin);
}

// Of code that other coroutines were inlined into: leaves out stores of a number that belong to
// others. What an exception leads to, the flow of control does not show. False: it is not known which
// are right.
bool leave_out_outside(std::vector<Store>& stores, uint32_t point, const Lines& lines,
                       std::string_view inside) {
  std::optional<Lines::Place> first;
  bool are_same = true;
  std::vector<Store> left;
  for (const Store& store : stores) {
    const auto place = store.point == point ? lines.inside(store.begin, inside) : std::nullopt;
    if (store.point == point && !place) continue;
    left.push_back(store);
    if (!place) continue;
    are_same = are_same && (!first || *first == *place);
    if (!first) first = place;
  }
  if (first) stores = std::move(left);
  return are_same;
}

}  // namespace

Suspension find_suspension(const Code& code, Compiler compiler, uint64_t offset, uint32_t point,
                           const Functions& functions, const Lines* lines,
                           std::string_view inside) {
  std::vector<Store> stores = find_own_stores(code, compiler, offset);
  if (lines != nullptr && !inside.empty() && !leave_out_outside(stores, point, *lines, inside))
    return {};
  const auto find = [&] {
    return std::find_if(stores.begin(), stores.end(),
                        [&](const Store& one) { return one.point == point; });
  };
  auto store = find();
  if (store == stores.end() && (code.has_frame || code.creates != 0)) {
    add_followed_stores(code, compiler, offset, stores);
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
  if (lines == nullptr || !found.place || !found.awaiter.empty()) return found;
  // Functions of std::suspend_always leave no code. An awaiter in the same line may be another one.
  const auto has_here = [&](const std::vector<Lines::Call>& calls) {
    return std::any_of(calls.begin(), calls.end(), [&](const Lines::Call& one) {
      return place_of(one.address) == found.place;
    });
  };
  found.is_yield = !has_here(readies) && !has_here(suspends) && !has_here(resumes) &&
                   has_here(calls_of(code, functions, lines, "yield_value"));
  return found;
}

bool is_member(std::string_view function, std::string_view member) {
  if (function.find(member) == std::string_view::npos) return false;
  const std::string name = name_of_member(function);
  if (name.ends_with("::") || name.starts_with("_Z")) return true;
  const size_t scope = name.rfind("::");
  return scope != std::string::npos && std::string_view(name).substr(scope + 2) == member;
}

std::vector<LinePlace> places_of_calls(const Code& code, const Functions& functions,
                                       const Lines& lines, const std::string& type,
                                       std::string_view member) {
  std::vector<LinePlace> found;
  for (const Lines::Call& call : calls_of(code, functions, &lines, member))
    if (const auto place = lines.at(call.address); place && type_of_member(call.function) == type)
      found.push_back(*place);
  return found;
}

std::string type_of_member(std::string_view function) {
  std::string name = name_of_member(function);
  const size_t member = name.rfind("::");
  return member == std::string::npos ? "" : name.substr(0, member);
}

}  // namespace skein
