#include "frames/lock_holders.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <unordered_set>

#include "frames/chains.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
using Certainty = WaitObject::Certainty;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;

bool lies_in(const FrameMember& member, uint64_t slot) {
  return slot >= member.offset && slot < member.offset + std::max<uint64_t>(member.type.size, 8);
}

// 3 of "Aw3".
uint64_t number_of(const FrameMember& awaiter) {
  uint64_t number = 0;
  for (const char c : awaiter.name)
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<uint64_t>(c - '0');
  return number;
}

// What coroutines wait for is the same as when they were read.
bool is_unchanged(const SuspendedCoroutines& found, uint32_t coroutine, const Waiters& waiters,
                  const Target& target) {
  const auto before = waiters.words(coroutine);
  std::vector<uint64_t> now(before.size());
  const auto bytes = std::span(reinterpret_cast<uint8_t*>(now.data()), 8 * now.size());  // NOLINT
  return !now.empty() && target.read(found.coroutines[coroutine].frame, bytes) == bytes.size() &&
         std::equal(before.begin(), before.end(), now.begin());
}

}  // namespace

void LockHolders::find() {
  for (uint32_t i = 0; i < found_.awaited.size(); i++)
    if (found_.awaited[i].kind == WaitObject::Kind::Lock && found_.awaited[i].is_linked)
      locks_.emplace(found_.awaited[i].address, i);
  if (locks_.empty()) return;
  for (const WaitObject& one : found_.awaited) objects_by_address_.push_back(one.address);
  std::sort(objects_by_address_.begin(), objects_by_address_.end());
  for (const auto& [coroutine, match] : objects_.matches())
    if (match.handle != 0)
      distances_[found_.coroutines[coroutine].awaited] =
          static_cast<int64_t>(match.slot - match.handle);
  find_awaiters();
  for (uint32_t i = 0; i < found_.coroutines.size(); i++) find_in(i);
  for (const auto& [address, lock] : locks_) {
    find_owner(lock);
    // A lock has one holder.
    std::vector<WaitObject::Holder>& holders = found_.awaited[lock].holders;
    if (const auto only = references_.find(lock);
        holders.empty() && only != references_.end() && only->second.size() == 1)
      add(only->second.front(), lock);
    Certainty best = Certainty::Perhaps;
    for (const WaitObject::Holder& one : holders) best = std::max(best, one.certainty);
    const auto is_best = [&](const WaitObject::Holder& one) { return one.certainty == best; };
    if (std::count_if(holders.begin(), holders.end(), is_best) == 1)
      std::erase_if(holders, [&](const WaitObject::Holder& one) { return !is_best(one); });
    else
      for (WaitObject::Holder& one : holders) one.certainty = Certainty::Perhaps;
    constexpr size_t many = 4;  // of which any may be it
    if (holders.size() > many) holders.clear();
  }
}

// Names are without the arguments of templates: an awaiter that waits for an object of another type
// as well is none of a lock's.
void LockHolders::find_awaiters() {
  std::map<std::string, std::set<std::string>> types;  // by awaiter
  for (const WaitObject& object : found_.awaited)
    for (const uint32_t waiter : object.waiters)
      types[found_.places[found_.coroutines[waiter].place].awaiter].insert(object.type);
  for (const auto& [awaiter, objects] : types)
    if (objects.size() == 1) awaiters_[*objects.begin()].insert(awaiter);
}

void LockHolders::find_in(uint32_t coroutine) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  if (one.state == State::Final || one.state == State::NotStarted) return;
  const auto words = waiters_.words(coroutine);
  const auto match = objects_.matches().find(coroutine);
  for (uint64_t i = 2; i < words.size(); i++) {
    const auto lock = locks_.find(words[i]);
    if (lock == locks_.end()) continue;
    if (match != objects_.matches().end() && match->second.slot == 8 * i) continue;
    const FrameLayout& layout = program_.layout(one.function);
    if (!layout.members.empty())
      find_guard(coroutine, layout, 8 * i, lock->second);
    else
      find_object(coroutine, 8 * i, lock->second);
  }
}

bool LockHolders::is_debuggable(uint32_t coroutine) const {
  return found_.places[found_.coroutines[coroutine].place].line != 0;
}

// The same in a frame whose members are unknown.
void LockHolders::find_object(uint32_t coroutine, uint64_t slot, uint32_t lock) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const WaitObject& object = found_.awaited[lock];
  if (is_debuggable(coroutine)) {
    const std::vector<FrameObject>& all = objects_of(coroutine);
    const bool has_unlocker = std::any_of(all.begin(), all.end(), [&](const FrameObject& guard) {
      return guard.word() == object.address && is_name_of_unlocker(guard.type);
    });
    for (const FrameObject& guard : all) {
      if (guard.word() != object.address) continue;
      const Guard kind = kind_of_object(coroutine, guard, object);
      if (kind == Guard::None) continue;
      const std::optional<GuardShape> shape = guard_shape(guard.type);
      const bool is_empty = shape && shape->owns &&
                            (*shape->owns >= guard.bytes.size() || guard.bytes[*shape->owns] != 1);
      const bool is_in_scope = is_object_in_scope(coroutine, guard, object, kind);
      const bool holds = is_in_scope && (kind == Guard::Known || !has_unlocker) &&
                         !may_be_released(coroutine, lock);
      if (!is_empty && (is_in_scope || !guard.is_elsewhere))
        add(coroutine, lock,
            !holds               ? Certainty::Perhaps
            : guard.is_elsewhere ? Certainty::Probable
                                 : certainty_of(kind));
      return;
    }
    return;  // what looks like a guard may be left from an object that is gone
  }
  if (is_used_awaiter(coroutine, slot, lock)) return add(coroutine, lock);
  std::vector<uint32_t>& references = references_[lock];
  const bool is_known =
      std::find(references.begin(), references.end(), coroutine) != references.end();
  if (!is_debuggable(coroutine) && one.awaited != lock && references.size() < 2 && !is_known)
    references.push_back(coroutine);
}

const std::vector<FrameObject>& LockHolders::objects_of(uint32_t coroutine) {
  if (objects_of_ == coroutine) return objects_in_frame_;
  objects_of_ = coroutine;
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  objects_in_frame_.clear();
  if (one.point == SuspendedCoroutine::unknown) return objects_in_frame_;
  objects_in_frame_ =
      program_.objects(one.function, one.frame, one.point, waiters_.frame_memory(coroutine));
  std::erase_if(objects_in_frame_, [](const FrameObject& each) { return each.is_pointer; });
  return objects_in_frame_;
}

// A class of the program that holds a lock as long as one of its objects exists.
LockHolders::Guard LockHolders::kind_of_guard(uint32_t function, const ObjectType& type,
                                              const WaitObject& lock) {
  if (guard_shape(type.name)) return Guard::Known;
  const bool has_lock = type.pointers.size() == 1 && type.pointers.front().to == lock.type;
  if (!is_plain_lock(lock.type) || is_exclusive_lock(lock.type) || !type.has_destructor ||
      type.size != 8 || type.handle || !has_lock || !is_name_of_guard(type.name))
    return Guard::None;
  // An awaiter takes the lock, and does not hold it.
  if (!program_.awaiters(function, type.name).empty()) return Guard::None;
  return type.name.starts_with(lock.type + "::") ? Guard::Inner : Guard::Outer;
}

LockHolders::Guard LockHolders::kind_of_object(uint32_t coroutine, const FrameObject& guard,
                                               const WaitObject& lock) {
  if (guard_shape(guard.type)) return Guard::Known;
  if (!is_name_of_guard(guard.type)) return Guard::None;
  Guard kind = Guard::None;
  const uint32_t function = found_.coroutines[coroutine].function;
  for (const ObjectType& type : program_.classes(function, guard.type)) {
    kind = kind_of_guard(function, type, lock);
    if (kind == Guard::None) break;
  }
  return kind;
}

// Whether it has an object that may give the lock back for some time.
bool LockHolders::has_unlocker(uint32_t coroutine, const FrameLayout& layout, uint64_t lock) const {
  const auto words = waiters_.words(coroutine);
  return std::any_of(layout.members.begin(), layout.members.end(), [&](const FrameMember& member) {
    return is_name_of_unlocker(member.type.name) && member.offset % 8 == 0 &&
           member.offset / 8 < words.size() && words[member.offset / 8] == lock;
  });
}

// Whether another coroutine may have released the lock for the holder, as the wait for a condition
// does: one that waits for the lock and has the address of the guard, or one that the holder awaits
// and that knows the lock. What awaits nothing but the lock has had no reason to.
bool LockHolders::may_be_released(uint32_t holder, uint32_t lock) {
  const WaitObject& object = found_.awaited[lock];
  const auto own = waiters_.words(holder);
  const uint64_t frame = found_.coroutines[holder].frame;
  const auto refers_to_guard = [&](uint64_t word) {
    const uint64_t at = (word - frame) / 8;
    return word % 8 == 0 && word >= frame && at < own.size() && own[at] == object.address;
  };
  const auto has_guard = [&](uint32_t other) {
    const auto words = waiters_.words(other);
    return other != holder && std::any_of(words.begin(), words.end(), refers_to_guard);
  };
  if (std::any_of(object.waiters.begin(), object.waiters.end(), has_guard)) return true;
  constexpr int longest = 1000;
  uint32_t at = found_.coroutines[holder].awaits;
  for (int i = 0; i < longest && at != no_coroutine && at != holder; i++) {
    if (has_guard(at) || (may_know(at, object) && !awaits_once(found_.coroutines[at].function)))
      return true;
    at = found_.coroutines[at].awaits;
  }
  return false;
}

// Whether coroutines wait for what is at this address.
bool LockHolders::is_object(uint64_t address) const {
  return std::binary_search(objects_by_address_.begin(), objects_by_address_.end(), address);
}

// Whether its frame has the address of the lock, or of an object that the lock is in.
bool LockHolders::may_know(uint32_t coroutine, const WaitObject& lock) {
  constexpr uint64_t usual_size = 4096;  // of objects of unknown size, at most
  const auto words = waiters_.words(coroutine);
  const auto is_before = [&](uint64_t address, uint64_t size) {
    return address <= lock.address && lock.address - address < size;
  };
  const uint32_t function = found_.coroutines[coroutine].function;
  const FrameLayout& layout = program_.layout(function);
  if (layout.members.empty())
    return std::any_of(words.begin(), words.end(), [&](uint64_t word) {
      return word == lock.address ||
             (is_before(word, usual_size) && !is_object(word) && waiters_.may_be_object(word));
    });
  if (std::find(words.begin(), words.end(), lock.address) != words.end()) return true;
  for (const FrameMember& member : layout.members)
    for (const TypedPointer& pointer : member.type.pointers) {
      const uint64_t slot = member.offset + pointer.offset;
      if (pointer.to.empty() || slot / 8 >= words.size() || !is_before(words[slot / 8], usual_size))
        continue;
      if (is_before(words[slot / 8], program_.size_of(function, pointer.to).value_or(usual_size)))
        return true;
    }
  return false;
}

// Whether the coroutine can wait at one place only, not counting its initial and final suspend.
// False also if that is unknown.
bool LockHolders::awaits_once(uint32_t function) {
  const std::vector<Suspension>& all = suspensions_of(function);
  const FrameLayout& layout = program_.layout(function);
  const auto is_of_promise = [&](const std::string& awaiter) {
    if (!layout.promise || layout.promise->name.empty()) return false;
    if (awaiter.starts_with(layout.promise->name + "::")) return true;
    const std::vector<std::string>& bases = layout.promise->bases;
    return std::any_of(bases.begin(), bases.end(), [&](const std::string& base) {
      return !base.empty() && awaiter.starts_with(base + "::");
    });
  };
  // g++'s first point is the initial suspend, and its last one the final suspend.
  const bool is_gcc =
      program_.pairs()[function].function.compiler == CoroutineFunction::Compiler::Gcc;
  const auto first = all.begin() + (is_gcc && !all.empty() && !all.front().is_initial ? 1 : 0);
  const auto last = all.end() - (is_gcc && all.end() - first > 1 ? 1 : 0);
  return std::count_if(first, last, [&](const Suspension& one) {
           return !one.is_initial && !is_of_promise(one.awaiter) &&
                  (one.awaiter.empty() || is_program_type(one.awaiter));
         }) == 1;
}

// Whether this is the awaiter of a lock of this type: a known one, or that of coroutines that wait.
bool LockHolders::awaits_lock(const std::string& awaiter, const WaitObject& lock) const {
  if (awaiter.empty()) return false;
  const auto own = awaiters_.find(lock.type);
  return object_of_awaiter(awaiter) == lock.type ||
         (own != awaiters_.end() && own->second.contains(awaiter));
}

// Of what a guard of the program would hold for sure. It may do so with the guard of another lock.
bool LockHolders::awaits_object(const SuspendedCoroutine& one, const WaitObject& lock) const {
  return one.awaited != no_coroutine && &found_.awaited[one.awaited] == &lock;
}

// Whether the lock has been awaited between the declaration of the guard and where the coroutine
// waits. If the function awaits no such lock, another one has given it the guard. A guard of the
// program may be declared behind the await.
bool LockHolders::is_object_in_scope(uint32_t coroutine, const FrameObject& guard,
                                     const WaitObject& lock, Guard kind) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  if (one.state != State::Waits || guard.line == 0 || guard.line >= place.line) return false;
  if (kind == Guard::Known ? !is_exclusive_lock(lock.type)
                           : awaits_object(one, lock) || has_spare_guards(coroutine, {}, lock))
    return false;
  if (is_awaited_between(one.function, guard.line, place, lock)) return true;
  if (kind != Guard::Known && is_awaited_before(one.function, place, guard.line, lock)) return true;
  if (kind == Guard::Outer) return false;
  bool awaits_between = false;
  for (const Suspension& point : suspensions_of(one.function)) {
    if (!point.place || point.is_initial) continue;
    if (awaits_lock(point.awaiter, lock)) return false;
    if (point.place->file != place.file || point.place->line < guard.line ||
        point.place->line >= place.line)
      continue;
    if (point.awaiter.empty()) return false;
    awaits_between = true;
  }
  return awaits_between;
}

// Whether the coroutine may have more guards of the program than it has awaited such locks by then:
// each needs an await. One that has awaited none has got them from another one.
bool LockHolders::has_spare_guards(uint32_t coroutine, const FrameLayout& layout,
                                   const WaitObject& lock) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  const size_t awaits = awaits_before(one.function, place, lock);
  if (awaits == 0) return false;
  const auto is_guard = [&](uint32_t line, Guard kind) {
    return line != 0 && line < place.line && (kind == Guard::Inner || kind == Guard::Outer);
  };
  size_t guards = 0;
  for (const FrameMember& member : layout.members)
    if (!member.is_awaiter && !member.is_reference &&
        is_guard(member.line, kind_of_guard(one.function, member.type, lock)))
      guards++;
  if (layout.members.empty())
    for (const FrameObject& object : objects_of(coroutine))
      if (is_guard(object.line, kind_of_object(coroutine, object, lock))) guards++;
  return awaits < guards;
}

// Such awaits in lines before that where the coroutine waits.
size_t LockHolders::awaits_before(uint32_t function, const SuspendedCoroutines::Place& end,
                                  const WaitObject& lock) {
  const std::vector<Suspension>& all = suspensions_of(function);
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const Suspension& one) {
    return one.place && !one.is_initial && one.place->file == end.file &&
           one.place->line < end.line && awaits_lock(one.awaiter, lock);
  }));
}

// Whether the function awaits such a lock before this line.
bool LockHolders::is_awaited_before(uint32_t function, const SuspendedCoroutines::Place& end,
                                    uint32_t line, const WaitObject& lock) {
  const std::vector<Suspension>& all = suspensions_of(function);
  return std::any_of(all.begin(), all.end(), [&](const Suspension& one) {
    return one.place && !one.is_initial && one.place->file == end.file && one.place->line < line &&
           awaits_lock(one.awaiter, lock);
  });
}

// Of a lock of the program: a member that is named so has the handle of a coroutine, or the address
// of its promise. A coroutine that got the lock and has not gone on yet may be the owner, too.
void LockHolders::find_owner(uint32_t lock) {
  constexpr size_t most = 24;
  constexpr uint64_t promise = 16;
  const WaitObject& object = found_.awaited[lock];
  if (object.waiters.empty() || is_exclusive_lock(object.type)) return;
  const uint32_t function = found_.coroutines[object.waiters.front()].function;
  const uint64_t size = end_of(function, object) - object.address;
  const std::vector<uint64_t> words =
      waiters_.content(object.address, std::min<uint64_t>(most, size / 8));
  const auto owner = owner_of(function, object.type);
  const auto known_size = sizes_.find(object.type);
  const bool has_size = known_size != sizes_.end() && known_size->second;
  std::vector<uint32_t> found;
  for (size_t i = 0; i < words.size(); i++) {
    if (owner && *owner != 8 * i) continue;
    const uint32_t at = waiters_.frame_at(words[i]);
    const uint32_t holder = at != no_coroutine ? at : waiters_.frame_at(words[i] - promise);
    if (holder == no_coroutine || found_.coroutines[holder].state == State::Final) continue;
    // The word may belong to what follows a lock of unknown size. A holder has awaited the lock.
    const auto own = waiters_.words(holder);
    if (!has_size && std::find(own.begin(), own.end(), object.address) == own.end()) continue;
    if (std::find(object.waiters.begin(), object.waiters.end(), holder) == object.waiters.end())
      found.push_back(holder);
  }
  if (found.size() == 1)
    add(found.front(), lock,
        owner && is_plain_lock(object.type) ? Certainty::Probable : Certainty::Perhaps);
}

// Where the lock ends, at most: there is another object that coroutines wait for, or the type ends.
uint64_t LockHolders::end_of(uint32_t function, const WaitObject& lock) {
  const auto next =
      std::upper_bound(objects_by_address_.begin(), objects_by_address_.end(), lock.address);
  const uint64_t end = next == objects_by_address_.end() ? UINT64_MAX : *next;
  if (lock.type.empty()) return end;
  const auto [at, is_new] = sizes_.try_emplace(lock.type);
  if (is_new) at->second = program_.size_of(function, lock.type);
  return at->second ? std::min(end, lock.address + *at->second) : end;
}

std::optional<uint64_t> LockHolders::owner_of(uint32_t function, const std::string& lock) {
  if (lock.empty()) return {};
  const auto [at, is_new] = owners_.try_emplace(lock);
  if (is_new) at->second = program_.owner_of(function, lock);
  return at->second;
}

const std::vector<Suspension>& LockHolders::suspensions_of(uint32_t function) {
  const auto [at, is_new] = awaits_.try_emplace(function);
  if (is_new) at->second = program_.suspensions(function);
  return at->second;
}

// Whether the address at `slot` belongs to a guard, or to an awaiter that is not used any more.
void LockHolders::find_guard(uint32_t coroutine, const FrameLayout& layout, uint64_t slot,
                             uint32_t lock) {
  const auto words = waiters_.words(coroutine);
  const WaitObject& object = found_.awaited[lock];
  for (const FrameMember& member : layout.members) {
    if (member.is_reference || !lies_in(member, slot)) continue;
    const bool is_pointer = std::any_of(
        member.type.pointers.begin(), member.type.pointers.end(), [&](const TypedPointer& one) {
          return member.offset + one.offset == slot && one.to == object.type;
        });
    if (!is_pointer) continue;
    if (member.is_awaiter) {
      if (!may_be_current(coroutine, member)) add(coroutine, lock);
      continue;
    }
    const Guard kind = kind_of_guard(found_.coroutines[coroutine].function, member.type, object);
    if (kind == Guard::None) {
      if (is_name_of_guard(member.type.name)) add(coroutine, lock);
      continue;
    }
    const std::optional<GuardShape> shape = guard_shape(member.type.name);
    const uint64_t owns = member.offset + (shape ? shape->owns.value_or(0) : 0);
    const bool is_empty =
        shape && shape->owns &&
        (owns / 8 >= words.size() || (words[owns / 8] >> 8 * (owns % 8) & 255) != 1);
    const bool holds = is_in_scope(coroutine, layout, member, object, kind) &&
                       (kind == Guard::Known || !has_unlocker(coroutine, layout, object.address)) &&
                       !may_be_released(coroutine, lock);
    if (!is_empty) add(coroutine, lock, holds ? certainty_of(kind) : Certainty::Perhaps);
  }
}

// Whether the guard exists where the coroutine waits.
bool LockHolders::is_in_scope(uint32_t coroutine, const FrameLayout& layout,
                              const FrameMember& guard, const WaitObject& object, Guard kind) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  if (one.state != State::Waits || place.line == 0 || guard.scope == FrameMember::no_scope)
    return false;
  if (kind == Guard::Known ? !is_exclusive_lock(object.type) : awaits_object(one, object))
    return false;
  bool has_awaiter = false;
  for (const FrameMember& member : layout.members) {
    if (!member.is_awaiter || !may_be_current(coroutine, member)) continue;
    has_awaiter = true;
    if (member.scope == FrameMember::no_scope || !layout.contains(guard.scope, member.scope))
      return false;
  }
  if (!has_awaiter) return false;
  const Locked locked = has_locked_before(coroutine, layout, object);
  if (kind != Guard::Known && locked != Locked::Yes &&
      (locked == Locked::Other || has_spare_guards(coroutine, layout, object)))
    return false;
  const bool has_locked =
      locked == Locked::Yes || (locked == Locked::NotHere && kind != Guard::Outer);
  const bool is_before =
      kind != Guard::Known && is_awaited_before(one.function, place, guard.line, object);
  if (!has_locked && !is_before && !is_awaited_between(one.function, guard.line, place, object))
    return false;
  // A parameter has no line.
  if (guard.line == 0) return guard.scope == 0;
  return guard.line < place.line &&
         (is_before || has_await_between(one.function, guard.line, place));
}

// Awaiters have numbers in the order of the source. If the function awaits such a lock itself, it
// has done so for this one before it came to where it waits.
LockHolders::Locked LockHolders::has_locked_before(uint32_t coroutine, const FrameLayout& layout,
                                                   const WaitObject& lock) const {
  const auto words = waiters_.words(coroutine);
  uint64_t current = UINT64_MAX;
  for (const FrameMember& member : layout.members)
    if (member.is_awaiter && may_be_current(coroutine, member))
      current = std::min(current, number_of(member));
  bool awaits_such = false;
  bool is_other = false;
  bool is_unknown = false;
  for (const FrameMember& member : layout.members) {
    if (!member.is_awaiter || member.is_reference) continue;
    for (const TypedPointer& pointer : member.type.pointers) {
      uint64_t slot = member.offset + pointer.offset;
      if (slot / 8 >= words.size()) continue;
      if (object_of_pointer(member.type.name, pointer.to) != lock.type) {
        // It refers to the awaiter itself, a variable of the compiler's that begins with the lock.
        if (object_of_awaiter(pointer.to) != lock.type) continue;
        slot = words[slot / 8] - found_.coroutines[coroutine].frame;
        if (slot / 8 >= words.size()) slot = 0;
      }
      awaits_such = true;
      if (number_of(member) >= current) continue;
      if (words[slot / 8] == lock.address) return Locked::Yes;
      (waiters_.may_be_object(words[slot / 8]) ? is_other : is_unknown) = true;
    }
  }
  if (is_other && !is_unknown) return Locked::Other;
  return awaits_such ? Locked::No : Locked::NotHere;
}

// Whether it has the address of an awaiter elsewhere in the frame, with this slot.
bool LockHolders::refers_to(uint32_t coroutine, const FrameMember& awaiter, uint64_t slot) const {
  constexpr uint64_t reach = 32;
  const auto words = waiters_.words(coroutine);
  for (const TypedPointer& pointer : awaiter.type.pointers) {
    const uint64_t at = awaiter.offset + pointer.offset;
    if (at / 8 >= words.size() || at % 8 != 0) continue;
    const uint64_t to = words[at / 8] - found_.coroutines[coroutine].frame;
    if (to <= slot && slot - to < reach) return true;
  }
  return false;
}

// Whether the coroutine may wait with this awaiter.
bool LockHolders::may_be_current(uint32_t coroutine, const FrameMember& awaiter) const {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  if (const auto match = objects_.matches().find(coroutine); match != objects_.matches().end())
    return lies_in(awaiter, match->second.slot) ||
           refers_to(coroutine, awaiter, match->second.slot);
  const std::string& type = found_.places[one.place].awaiter;
  if (!type.empty() && awaiter.type.name == type) return true;
  const auto words = waiters_.words(coroutine);
  if (one.awaits == no_coroutine) {
    const auto& bases = awaiter.type.bases;
    return !type.empty() && std::find(bases.begin(), bases.end(), type) != bases.end();
  }
  constexpr uint64_t promise = 16;
  const uint64_t frame = found_.coroutines[one.awaits].frame;
  for (uint64_t i = 0; i < words.size(); i++)
    if (lies_in(awaiter, 8 * i) && (words[i] == frame || words[i] == frame + promise)) return true;
  return false;
}

// The optimised code leaves no awaiter behind if the lock was free.
bool LockHolders::is_awaited_between(uint32_t function, uint32_t first,
                                     const SuspendedCoroutines::Place& end,
                                     const WaitObject& lock) {
  const std::vector<Suspension>& all = suspensions_of(function);
  return first != 0 && std::any_of(all.begin(), all.end(), [&](const Suspension& one) {
           return one.place && one.place->file == end.file && one.place->line >= first &&
                  one.place->line < end.line && awaits_lock(one.awaiter, lock);
         });
}

bool LockHolders::has_await_between(uint32_t function, uint32_t first,
                                    const SuspendedCoroutines::Place& end) {
  const std::vector<Suspension>& all = suspensions_of(function);
  return std::any_of(all.begin(), all.end(), [&](const Suspension& one) {
    return one.place && one.place->file == end.file && one.place->line >= first &&
           one.place->line < end.line;
  });
}

// Without types: an awaiter like those that wait for the lock, with which it waits no more.
bool LockHolders::is_used_awaiter(uint32_t coroutine, uint64_t slot, uint32_t lock) const {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const auto distance = distances_.find(lock);
  if (distance == distances_.end() || one.awaited == lock) return false;
  const auto words = waiters_.words(coroutine);
  const uint64_t handle = slot - static_cast<uint64_t>(distance->second);
  return handle % 8 == 0 && handle / 8 < words.size() && handle > 8 &&
         words[handle / 8] == one.frame;
}

void LockHolders::add(uint32_t coroutine, uint32_t lock, Certainty certainty) {
  // What waits for a lock may have waited for it before; or it holds it, and waits for itself.
  if (found_.coroutines[coroutine].awaited == lock && certainty == Certainty::Perhaps) return;
  std::vector<WaitObject::Holder>& holders = found_.awaited[lock].holders;
  for (WaitObject::Holder& one : holders)
    if (one.coroutine == coroutine) {
      one.certainty = std::max(one.certainty, certainty);
      return;
    }
  holders.push_back({coroutine, certainty});
}

void keep_certain_cycles(SuspendedCoroutines& found, const Waiters& waiters, const Target& target,
                         std::span<const uint32_t> cycle_closers,
                         std::span<const uint32_t> guessed) {
  const std::unordered_set<uint32_t> guesses(guessed.begin(), guessed.end());
  std::unordered_set<uint32_t> removable = guesses;
  removable.insert(cycle_closers.begin(), cycle_closers.end());
  std::vector<uint32_t> seen(found.coroutines.size(), 0);  // by which walk
  // The cycle that a walk from here leads to, if any of it has changed.
  const auto changed_cycle_from = [&](uint32_t first) -> std::vector<uint32_t> {
    if (seen[first] != 0) return {};
    std::vector<uint32_t> path;
    uint32_t at = first;
    for (; at != no_coroutine && seen[at] == 0; at = may_wait_for(found, at)) {
      seen[at] = first + 1;
      path.push_back(at);
    }
    if (at == no_coroutine || seen[at] != first + 1) return {};
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    const bool is_same = std::all_of(path.begin(), path.end(), [&](uint32_t one) {
      return !guesses.contains(one) && is_unchanged(found, one, waiters, target);
    });
    return is_same ? std::vector<uint32_t>() : path;
  };
  // Each object of the cycle is awaited by a coroutine of it.
  const auto break_up = [&](const std::vector<uint32_t>& path) {
    const std::unordered_set<uint32_t> members(path.begin(), path.end());
    for (const uint32_t one : path) {
      SuspendedCoroutine& coroutine = found.coroutines[one];
      if (coroutine.awaited != no_coroutine)
        std::erase_if(
            found.awaited[coroutine.awaited].holders,
            [&](const WaitObject::Holder& holder) { return members.contains(holder.coroutine); });
      if (removable.contains(one)) coroutine.awaits = no_coroutine;
    }
  };
  for (size_t i = 0; i < found.awaited.size(); i++) {
    const std::vector<WaitObject::Holder>& holders = found.awaited[i].holders;
    if (holders.size() == 1) break_up(changed_cycle_from(holders.front().coroutine));
  }
  for (const uint32_t one : cycle_closers) break_up(changed_cycle_from(one));
}

}  // namespace skein
