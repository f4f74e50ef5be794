#include "report/json.h"

#include <cassert>
#include <charconv>
#include <cmath>

#include "base/escape.h"
#include "trace/model/names.h"

namespace skein {

Json::Json(double value) : text_("null") {
  if (!std::isfinite(value)) return;
  char digits[32];
  text_.assign(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Json::Json(std::string_view value) { append_json(text_, value); }

Json Json::object(std::initializer_list<Member> members) {
  Json json(Type::Object);
  for (const Member& member : members) json.set(member.name, member.value);
  return json;
}

void Json::set(std::string_view name, Json value) {
  assert(type_ == Type::Object);
  append_json(names_.emplace_back(), name);
  values_.push_back(std::move(value));
}

void Json::add(Json value) {
  assert(type_ == Type::Array);
  values_.push_back(std::move(value));
}

std::string Json::text() const {
  std::string out;
  append(out, 0);
  return out += '\n';
}

void Json::append(std::string& out, size_t indent) const {
  if (type_ == Type::Scalar) {
    out += text_;
    return;
  }
  const bool is_object = type_ == Type::Object;
  out += is_object ? '{' : '[';
  for (size_t i = 0; i < values_.size(); i++) {
    out += i == 0 ? "\n" : ",\n";
    out.append(indent + 2, ' ');
    if (is_object) (out += names_[i]) += ": ";
    values_[i].append(out, indent + 2);
  }
  if (!values_.empty()) (out += '\n').append(indent, ' ');
  out += is_object ? '}' : ']';
}

Json json_document(std::string_view schema) { return Json::object({{"schema", schema}}); }

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json id_or_null(uint64_t id) { return id ? Json(id) : Json(); }

Json task_json(const Trace& trace, const Model& model, TaskIndex task) {
  if (task == no_index) return nullptr;
  return Json::object(
      {{"id", model.tasks[task].id}, {"name", task_name(trace, model.tasks[task])}});
}

Json location_json(const Trace& trace, uint32_t location) {
  if (location == 0 || location >= trace.locations.size()) return nullptr;
  const Location& at = trace.locations[location];
  return Json::object({{"file", trace.strings[at.file]},
                       {"line", at.line},
                       {"function", trace.strings[at.function]}});
}

Json executor_json(const Trace& trace, uint32_t executor) {
  if (executor >= trace.executors.size()) return nullptr;
  const Executor& of = trace.executors[executor];
  return Json::object(
      {{"id", executor}, {"name", trace.strings[of.name]}, {"tid", id_or_null(of.tid)}});
}

}  // namespace skein
