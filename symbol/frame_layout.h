// What a coroutine keeps in its frame, as types: where its awaiters, its parameters and its local
// variables are, and to which objects they have pointers. From the types that the compiler has
// described: g++'s frames at any optimisation; of clang's, only the types of awaiters.
//
//   Result<FrameLayouts> layouts = FrameLayouts::read(file.bytes(), path, places, files);
//   for (const FrameMember& one : layouts->of(function).members)
//     for (const TypedPointer& pointer : one.type.pointers) print(one.offset + pointer.offset);
//
// Names of types are qualified, without the arguments of templates: "coro::queue::awaiter".
// Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"

namespace skein {

// A pointer or reference inside of an object.
struct TypedPointer {
  uint64_t offset = 0;  // bytes from the object's beginning
  std::string to = {};  // the class; empty: no class
};

// A std::chrono::time_point inside of an object: ns of the steady clock, or of the system's.
struct TimePoint {
  uint64_t offset = 0;  // bytes from the object's beginning
  bool is_steady = false;
};

struct ObjectType {
  std::string name = {};
  std::string arguments = {};  // of a template: "<int>"
  std::vector<std::string> bases = {};  // names of base classes, and of theirs
  uint64_t size = 0;
  std::vector<TypedPointer> pointers = {};  // also those of members and base classes; 32 at most
  std::vector<TimePoint> time_points = {};  // the same
  std::optional<uint64_t> handle = {};      // where the first std::coroutine_handle is
  bool has_destructor = false;              // that the program has written
  std::string resumes_to = {};              // of an awaiter: the class that await_resume() returns
  bool is_a(const std::string& class_name) const;  // also by a base class
};

struct FrameMember {
  static constexpr uint32_t no_scope = UINT32_MAX;
  std::string name = {};
  uint64_t offset = 0;
  ObjectType type = {};
  bool is_awaiter = false;    // the compiler's, for a co_await
  bool is_reference = false;  // a pointer or reference: type.pointers has it
  uint32_t scope = no_scope;  // of FrameLayout::scopes
  uint32_t line = 0;          // of the declaration; 0: unknown
};

struct FrameLayout {
  std::vector<FrameMember> members = {};
  std::vector<uint32_t> scopes = {};  // the scope around each; the first is the function
  std::optional<ObjectType> promise = {};  // of clang's frames as well
  uint64_t size = 0;                       // bytes, of clang's as well; 0: unknown
  std::string returned = {};  // the class that the promise gives to the caller; empty: unknown
  bool has_allocator = false;  // the promise has an operator delete
  // Whether a variable of scope `outer` exists in all of `inner`, as far as it is declared by then.
  bool contains(uint32_t outer, uint32_t inner) const;
};

// "coro::queue<int>::awaiter" -> "coro::queue::awaiter"
std::string without_template_arguments(std::string_view name);

// Whether objects of these types can lead to no other one. False if there are none.
bool is_without_pointers(std::span<const ObjectType> types);

// "guard" of "guard_1_2": g++ adds the depth and the number of the scope to a local variable.
std::string_view name_in_source(std::string_view name);

// "owner_", "m_holder", "lockOwner"
bool is_name_of_owner(std::string_view member);

class FrameLayouts {
 public:
  // `elf` must stay valid as long as the result. Fails without debug information.
  static Result<FrameLayouts> read(std::span<const uint8_t> elf, const std::string& path,
                                   const DebugFilePlaces& places, Files& files);
  FrameLayouts(FrameLayouts&&) noexcept;
  FrameLayouts& operator=(FrameLayouts&&) noexcept;
  ~FrameLayouts();

  // Of the coroutine that the function at `function` resumes (an address of the file). Empty:
  // unknown. The first time O(entries of its unit).
  const FrameLayout& of(uint64_t function);
  // The types of its unit that have this name and a function await_suspend(): those of the
  // arguments of a template. The first time O(entries of its unit).
  const std::vector<ObjectType>& awaiters(uint64_t function, const std::string& name);
  // The classes of its unit that have this name. The same.
  const std::vector<ObjectType>& classes(uint64_t function, const std::string& name);
  // Where objects of this class of its unit have the handle of their owner, or the address of its
  // promise: the only such member that is named so. The same.
  std::optional<uint64_t> owner(uint64_t function, const std::string& class_name);
  // Whether objects of this class of its unit may have a coroutine's handle, or the address of its
  // promise, at an offset: a handle, an untyped pointer or a number of 8 bytes; for a promise also
  // another pointer. True: unknown. The same; again O(log answers).
  bool may_have_handle(uint64_t function, const std::string& class_name, uint64_t offset,
                       bool is_promise);
  // Whether objects of the class `outer` may begin with one of the class `inner`. The same.
  bool may_begin_with(uint64_t function, const std::string& outer, const std::string& inner);
  // Bytes of the objects of this class of its unit; of a template, at most. The same.
  std::optional<uint64_t> size(uint64_t function, const std::string& class_name);

 private:
  struct State;
  explicit FrameLayouts(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
