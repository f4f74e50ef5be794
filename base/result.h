// A value or an error.
//
//   Result<Trace> read(...) {
//     if (bytes.empty()) return Error{.what = "empty file", .file = path};
//     ...
//     return trace;
//   }
//   auto trace = read(...);
//   if (!trace) return fail(trace.error());
//   use(*trace);
//
// The member names are those of std::expected (C++23), which will replace it. Unlike std::expected
// it never throws: access to a missing value is a bug and aborts the program, also in release
// builds. This code is also compiled to WebAssembly, without exceptions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace skein {

// The problem, its location, and advice for the user. message() is one line without the program's
// name and without a full stop. The caller escapes untrusted text when it prints the message.
struct Error {
  std::string what;                     // "packet cut short"
  std::string file = {};                // the path as the user wrote it; empty if there is none
  std::optional<uint64_t> offset = {};  // bytes from the beginning of the file
  std::string advice = {};              // "check the path"

  std::string message() const {
    std::string text;
    if (!file.empty()) text += file;
    if (offset) text += (text.empty() ? "at byte " : " at byte ") + std::to_string(*offset);
    if (!text.empty()) text += ": ";
    text += what;
    if (!advice.empty()) text += "; " + advice;
    return text;
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return require(std::get_if<0>(&state_)); }
  const T& value() const& { return require(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(require(std::get_if<0>(&state_))); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return require(std::get_if<1>(&state_)); }
  const Error& error() const& { return require(std::get_if<1>(&state_)); }
  Error&& error() && { return std::move(require(std::get_if<1>(&state_))); }

  template <typename U>
  T value_or(U&& other) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(other));
  }

 private:
  template <typename P>
  static P& require(P* pointer) {
    if (!pointer) std::abort();
    return *pointer;
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    if (!error_) std::abort();
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace skein
