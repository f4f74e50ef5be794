// The JSON that skein prints: a document is built as a value and written once.
//
//   Json out = json_document("skein.stats/1");
//   Json groups = Json::array();
//   groups.add(Json::object({{"name", "query"}, {"tasks", 7}, {"location", nullptr}}));
//   out.set("groups", std::move(groups));
//   print(out.text());
//
// Members keep their order. Strings may contain any bytes; invalid UTF-8 becomes "\xff". No library
// is used, because printing needs little: <nlohmann/json.hpp> took 4 s of CPU time in each file
// that included it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

class Json {
 public:
  struct Member;

  Json(std::nullptr_t = nullptr) : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  template <std::integral Number>
  Json(Number value) : text_(std::to_string(value)) {}
  Json(double value);  // null if it is not finite
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <typename Value>
  Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json()) {}
  template <std::integral Number>
  Json(const std::vector<Number>& values) : Json(Type::Array) {
    for (const Number value : values) add(value);
  }

  static Json object(std::initializer_list<Member> members = {});
  static Json array() { return Json(Type::Array); }

  // For an object: adds a member, whose name must be new.
  void set(std::string_view name, Json value);
  // For an array: adds an element.
  void add(Json value);

  // Indented by two spaces; ends with a newline.
  std::string text() const;

 private:
  enum class Type : uint8_t { Scalar, Object, Array };
  explicit Json(Type type) : type_(type) {}
  void append(std::string& out, size_t indent) const;

  Type type_ = Type::Scalar;
  std::string text_;                // of a scalar, as printed
  std::vector<std::string> names_;  // of an object, as printed
  std::vector<Json> values_;        // of an object or an array
};

struct Json::Member {
  std::string_view name;
  Json value;
};

// An object whose first member is "schema": its name and version, as docs/json.md describes it.
Json json_document(std::string_view schema);

// Null for an empty text, and for 0.
Json or_null(const std::string& text);
Json id_or_null(uint64_t id);

// {"id": 7, "name": "query"}; null for no_index.
Json task_json(const Trace& trace, const Model& model, TaskIndex task);
// {"file": "arp.cc", "line": 7, "function": "net::query()"}; null for an unknown location.
Json location_json(const Trace& trace, uint32_t location);

// {"id": 0, "name": "main", "tid": 4711}; null for an unknown executor, and for an unknown tid.
Json executor_json(const Trace& trace, uint32_t executor);

}  // namespace skein
