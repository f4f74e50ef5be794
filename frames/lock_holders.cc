#include "frames/lock_holders.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

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

}  // namespace

void LockHolders::find() {
  find_given_guards();
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
    if (found_.awaited[lock].type == "coro::mutex" && !is_of_libcoro(found_.awaited[lock]))
      for (WaitObject::Holder& one : holders)
        one.certainty = std::min(one.certainty, Certainty::Probable);
  }
}

// Others call their namespace coro, too, and their locks may have time limits. libcoro's awaiter
// (coro/mutex.hpp) is a pointer to its virtual functions, the coroutine, the next awaiter, and the
// lock; in earlier versions the lock, the coroutine, and the next awaiter.
bool LockHolders::is_of_libcoro(const WaitObject& lock) const {
  return std::all_of(lock.waiters.begin(), lock.waiters.end(), [&](uint32_t waiter) {
    const auto match = objects_.matches().find(waiter);
    if (match == objects_.matches().end()) return false;
    const auto words = waiters_.words(waiter);
    const uint64_t at = match->second.slot / 8;
    const uint64_t frame = found_.coroutines[waiter].frame;
    if (at >= words.size()) return false;
    const bool is_current =
        at >= 3 && words[at - 3] != 0 && words[at - 2] == frame && words[at - 1] != frame;
    return is_current || (at + 2 < words.size() && words[at + 1] == frame && words[at + 2] == 0);
  });
}

// Classes that an await of the object gives, and that do no more than to keep its address until
// they are destroyed: a guard, whatever its name. What is awaited is a lock then, if its name does
// not contradict.
void LockHolders::find_given_guards() {
  std::set<std::pair<uint32_t, std::string>> seen;  // functions and awaiters
  for (WaitObject& object : found_.awaited) {
    if (!object.is_linked || !is_lock_with_guards(object.type) || is_exclusive_lock(object.type))
      continue;
    for (const uint32_t waiter : object.waiters) {
      const SuspendedCoroutine& one = found_.coroutines[waiter];
      const std::string& awaiter = found_.places[one.place].awaiter;
      if (!seen.emplace(one.function, awaiter).second) continue;
      const auto is_guard = [&](const ObjectType& type) {
        return type.has_destructor && type.size == 8 && !type.handle && type.pointers.size() == 1 &&
               type.pointers.front().to == object.type;
      };
      for (const ObjectType& type : program_.awaiters(one.function, awaiter)) {
        if (type.resumes_to.empty()) continue;
        const std::vector<ObjectType>& given = program_.classes(one.function, type.resumes_to);
        if (!given.empty() && std::all_of(given.begin(), given.end(), is_guard))
          given_[object.type].insert(type.resumes_to);
      }
    }
    if (given_.contains(object.type)) object.kind = WaitObject::Kind::Lock;
  }
}

bool LockHolders::is_guard(const std::string& type, const WaitObject& lock) const {
  const auto given = given_.find(lock.type);
  return is_name_of_guard(type) || (given != given_.end() && given->second.contains(type));
}

bool LockHolders::has_one_holder(const std::string& lock) const {
  return is_plain_lock(lock) || given_.contains(lock);
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
    // What looks like a guard may be left from an object that is gone.
    if (is_taken_by_hand(coroutine, slot, lock)) add(coroutine, lock);
    return;
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
  if (!has_one_holder(lock.type) || is_exclusive_lock(lock.type) || !type.has_destructor ||
      type.size != 8 || type.handle || !has_lock || !is_guard(type.name, lock))
    return Guard::None;
  // An awaiter takes the lock, and does not hold it.
  if (!program_.awaiters(function, type.name).empty()) return Guard::None;
  return type.name.starts_with(lock.type + "::") ? Guard::Inner : Guard::Outer;
}

LockHolders::Guard LockHolders::kind_of_object(uint32_t coroutine, const FrameObject& guard,
                                               const WaitObject& lock) {
  if (guard_shape(guard.type)) return Guard::Known;
  if (!is_guard(guard.type, lock)) return Guard::None;
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
  // Those that the holder awaits, and those that it waits for together: a child that has no more
  // than an object around the lock was not given it to release.
  constexpr size_t most = 1000;
  std::vector<uint32_t> next = {holder};
  std::unordered_set<uint32_t> seen = {holder};
  size_t joined = SIZE_MAX;  // where those begin
  const auto knows = [&](size_t i) {
    const auto words = waiters_.words(next[i]);
    return i < joined ? may_know(next[i], object)
                      : std::find(words.begin(), words.end(), object.address) != words.end();
  };
  for (size_t i = 0; i < next.size() && i < most; i++) {
    const SuspendedCoroutine& one = found_.coroutines[next[i]];
    if (next[i] != holder && (has_guard(next[i]) || (knows(i) && !awaits_once(one.function) &&
                                                     !is_at_first_await(next[i], object))))
      return true;
    if (one.awaits != no_coroutine && seen.insert(one.awaits).second) next.push_back(one.awaits);
    if (one.awaited == no_coroutine) continue;
    joined = std::min(joined, next.size());
    for (const uint32_t child : found_.awaited[one.awaited].joined)
      if (found_.coroutines[child].state != State::Final && seen.insert(child).second)
        next.push_back(child);
  }
  return next.size() > most;
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

// Whether the coroutine waits for the lock, and has awaited nothing before. False also if that is
// unknown.
bool LockHolders::is_at_first_await(uint32_t coroutine, const WaitObject& lock) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  if (!awaits_object(one, lock) || place.line == 0 || place.awaiter.empty()) return false;
  size_t same = 0;
  bool is_first = false;
  bool has_other = false;
  const std::vector<Suspension>& all = suspensions_of(one.function);
  bool is_start = all.size() > 1 &&
                  program_.pairs()[one.function].function.compiler ==
                      CoroutineFunction::Compiler::Gcc;  // g++'s first point is the initial suspend
  for (const Suspension& point : all) {
    if (std::exchange(is_start, false) || point.is_initial ||
        (!point.awaiter.empty() && !is_program_type(point.awaiter)))
      continue;
    const bool is_here = point.place && point.place->file == place.file &&
                         point.place->line == place.line && point.awaiter == place.awaiter;
    same += is_here ? 1 : 0;
    is_first = is_first || (is_here && !has_other);
    has_other = true;
  }
  return is_first && same == 1;
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
  // g++'s first point is the initial suspend, and its last one the final suspend. Where both never
  // suspend, optimised code may have neither.
  const bool is_gcc =
      program_.pairs()[function].function.compiler == CoroutineFunction::Compiler::Gcc;
  const auto first = all.begin() + (is_gcc && all.size() > 1 && !all.front().is_initial ? 1 : 0);
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
        owner && has_one_holder(object.type) ? Certainty::Probable : Certainty::Perhaps);
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
      if (!may_be_current(coroutine, member) && !is_released_before(coroutine, object))
        add(coroutine, lock);
      continue;
    }
    const Guard kind = kind_of_guard(found_.coroutines[coroutine].function, member.type, object);
    if (kind == Guard::None) {
      if (is_guard(member.type.name, object)) add(coroutine, lock);
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
  // A temporary object of g++'s, which ends with its expression.
  if (guard.name.starts_with("D.")) return false;
  if (kind == Guard::Known ? !is_exclusive_lock(object.type) : awaits_object(one, object))
    return false;
  bool has_awaiter = false;
  bool has_variable = false;
  for (const FrameMember& member : layout.members) {
    if (!member.is_awaiter || !may_be_current(coroutine, member)) continue;
    has_awaiter = true;
    if (member.scope == FrameMember::no_scope || !layout.contains(guard.scope, member.scope))
      return false;
  }
  // A variable that is awaited has no awaiter of the compiler's: the await is in its scope.
  const std::string& awaited = place.awaiter;
  for (const FrameMember& member : layout.members) {
    if (has_awaiter || awaited.empty() || member.is_awaiter || member.type.name != awaited)
      continue;
    if (member.scope == FrameMember::no_scope || !layout.contains(guard.scope, member.scope))
      return false;
    has_variable = true;
  }
  if (!has_awaiter && !has_variable) return false;
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
  if (locked == Locked::Yes && is_given_before(coroutine, layout, guard, object)) return true;
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

// Whether an earlier await of this lock gave an object of the guard's class, and there is no other
// such object: then this is it, also if all is in one line.
bool LockHolders::is_given_before(uint32_t coroutine, const FrameLayout& layout,
                                  const FrameMember& guard, const WaitObject& lock) const {
  const auto words = waiters_.words(coroutine);
  uint64_t current = UINT64_MAX;
  size_t guards = 0;
  for (const FrameMember& member : layout.members) {
    if (member.is_awaiter && may_be_current(coroutine, member))
      current = std::min(current, number_of(member));
    const uint64_t at = member.offset / 8;
    const bool has_lock = at < words.size() && words[at] == lock.address;
    if (!member.is_awaiter && member.type.name == guard.type.name && has_lock) guards++;
  }
  return guards == 1 &&
         std::any_of(layout.members.begin(), layout.members.end(), [&](const FrameMember& member) {
           return member.is_awaiter && !member.is_reference && number_of(member) < current &&
                  member.type.resumes_to == guard.type.name &&
                  std::any_of(member.type.pointers.begin(), member.type.pointers.end(),
                              [&](const TypedPointer& pointer) {
                                const uint64_t slot = (member.offset + pointer.offset) / 8;
                                return slot < words.size() && words[slot] == lock.address;
                              });
         });
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

// In a frame whose members are unknown: whether the coroutine has awaited this lock, without a
// guard, in a line before that where it waits.
bool LockHolders::is_taken_by_hand(uint32_t coroutine, uint64_t slot, uint32_t lock) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const WaitObject& object = found_.awaited[lock];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  if (one.state != State::Waits || awaits_object(one, object) || object.type.empty()) return false;
  const std::vector<Suspension>& all = suspensions_of(one.function);
  const bool has_awaited = std::any_of(all.begin(), all.end(), [&](const Suspension& each) {
    if (!each.place || each.is_initial || each.place->file != place.file ||
        each.place->line >= place.line || !awaits_lock(each.awaiter, object))
      return false;
    const std::vector<ObjectType>& types = program_.awaiters(one.function, each.awaiter);
    return !types.empty() && std::all_of(types.begin(), types.end(), [](const ObjectType& type) {
      return type.resumes_to.empty();
    });
  });
  return has_awaited && !is_released_before(coroutine, object) &&
         (has_awaiter_at(coroutine, slot, lock) || refers_to_lock(coroutine, object));
}

// Whether there is an awaiter like those that wait for the lock. Where the lock was free, it has no
// handle.
bool LockHolders::has_awaiter_at(uint32_t coroutine, uint64_t slot, uint32_t lock) const {
  const auto distance = distances_.find(lock);
  if (distance == distances_.end()) return false;
  const auto words = waiters_.words(coroutine);
  const uint64_t handle = slot - static_cast<uint64_t>(distance->second);
  return handle % 8 == 0 && handle / 8 < words.size() && handle > 8 &&
         (words[handle / 8] == found_.coroutines[coroutine].frame || words[handle / 8] == 0);
}

// By a parameter or a variable, and by none to another such lock that it has awaited as well: it
// would not be known which.
bool LockHolders::refers_to_lock(uint32_t coroutine, const WaitObject& lock) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  if (one.point == SuspendedCoroutine::unknown) return false;
  std::set<uint64_t> locks;
  for (const FrameObject& each :
       program_.objects(one.function, one.frame, one.point, waiters_.frame_memory(coroutine)))
    if (each.is_pointer && each.type == lock.type && each.line < place.line)
      locks.insert(each.word().value_or(0));
  if (one.awaited != no_coroutine) locks.erase(found_.awaited[one.awaited].address);
  return locks == std::set<uint64_t>{lock.address};
}

// Whether the lines before that where the coroutine waits release as many locks of this type as
// they await. Of a branch that ends there, this is not known.
bool LockHolders::is_released_before(uint32_t coroutine, const WaitObject& lock) {
  constexpr std::string_view names[] = {"unlock", "release", "leave", "exit", "give_back"};
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found_.places[one.place];
  const auto [at, is_new] = releases_.try_emplace({one.function, lock.type});
  if (is_new)
    for (const std::string_view name : names)
      for (LinePlace& each : program_.calls(one.function, lock.type, name))
        at->second.push_back(std::move(each));
  std::set<uint32_t> lines;
  for (const LinePlace& each : at->second)
    if (each.file == place.file && each.line < place.line) lines.insert(each.line);
  return !lines.empty() && lines.size() >= awaits_before(one.function, place, lock);
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

}  // namespace skein
