// The types of libraries that coroutines wait for: what each is, and which awaiter is for which.
//
//   object_of_awaiter("coro::detail::lock_operation_base")  ->  "coro::mutex"
//   kind_of_type("coro::mutex")                             ->  Lock
//
// Names are without the arguments of templates. Where a program has debug information, the types
// of its awaiters are known from there, and these tables only add what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frames/wait_object.h"
#include "symbol/frame_layout.h"

namespace skein {

// Awaiters of folly and of skein's own hooks that stand for others: "folly::coro::Baton" of the
// function "folly::coro::StackAwareViaIfAsyncAwaiter<folly::coro::Baton&>::await_suspend<..>(..)"
// or of the type. Nothing: it is none.
std::optional<std::string> wrapped_awaiter(std::string_view name);

// Whether the type is this awaiter, has it as a base class, or stands for it.
bool is_awaiter_of(const ObjectType& type, const std::string& awaiter);

// Whether a pointer of an awaiter may be to what it waits for, and not to the next awaiter.
bool is_to_object(const ObjectType& awaiter, const TypedPointer& pointer);

// Whether the type that a coroutine awaits is of the program or a library, and not one without a
// meaning: std::suspend_always, those inside Asio and of skein's hooks. False if it is empty.
bool is_program_type(std::string_view awaiter);

// Empty: unknown.
std::string object_of_awaiter(std::string_view awaiter);

// What an awaiter waits for, if it has a pointer to this class, which may be a base class of it.
std::string object_of_pointer(std::string_view awaiter, std::string_view pointee);

// Of a type of no known library, by the words in its name.
WaitObject::Kind kind_of_type(std::string_view type);

// Of what an awaiter of no known type waits for, by its name and that of the class around it.
WaitObject::Kind kind_of_awaiter(std::string_view awaiter);

// Whether an object of this type may count the coroutines that one waits for: nothing else is known
// of it, or its name says so.
bool may_count_tasks(WaitObject::Kind kind);
bool is_name_of_join(std::string_view type);

// "app::Channel::SendAwaiter", "rt::queue::push_operation": puts something into what it waits for.
bool is_name_of_send(std::string_view awaiter);

// "app::Mutex::Guard", "ScopedLock", "LockHolder", of no known library: an object that holds a
// lock. Not "LockTimer", "Clock".
bool is_name_of_guard(std::string_view type);

// "app::UnlockGuard": an object that gives a lock back for as long as it exists.
bool is_name_of_unlocker(std::string_view type);

// A lock that only one holds at a time, and that is free when nothing holds it. False: unknown.
bool is_exclusive_lock(std::string_view type);
// Whether a lock of the program, by its name, has one holder only.
bool is_plain_lock(std::string_view type);
// "app::Lock", "app::RowLatch", not "app::Pool", "app::SharedLock": a type whose awaiter gives a
// guard is a lock with one holder.
bool is_lock_with_guards(std::string_view type);

// An object that holds a lock as long as it exists, and has the lock's address at its beginning.
struct GuardShape {
  std::optional<uint64_t> owns = {};  // where it has a byte that is 1 as long as it holds it
};
// Nothing: it is no guard, or an unknown one.
std::optional<GuardShape> guard_shape(std::string_view type);

}  // namespace skein
