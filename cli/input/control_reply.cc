#include "cli/input/control_reply.h"

#include <charconv>
#include <string>

#include "trace/read/foreign/chrome/json.h"

namespace skein::cli {

namespace {

using Scalar = chrome::Json::Scalar;

// Returns false for a value that the protocol does not use.
bool read_scalar(const Scalar& scalar, Json& value) {
  const std::string_view text = scalar.text;
  if (scalar.type == Scalar::Type::Text) {
    value = text;
  } else if (scalar.type == Scalar::Type::Number) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    value = number;
  } else if (text == "true" || text == "false") {
    value = text == "true";
  } else {
    value = nullptr;
    return text == "null";
  }
  return true;
}

}  // namespace

Result<Json> read_control_reply(std::string_view line) {
  const Error invalid{.what = "invalid reply"};
  chrome::Json reader(line);
  Json reply = Json::object();
  bool is_ok = false;
  std::string reason = "request rejected";
  if (!reader.take('{')) return invalid;
  do {
    const std::string name(reader.string());
    reader.expect(':');
    const Scalar scalar = reader.scalar();
    Json value;
    if (reader.failed() || !read_scalar(scalar, value)) return invalid;
    if (name == "ok") is_ok = scalar.type == Scalar::Type::Word && scalar.text == "true";
    if (name == "error" && scalar.type == Scalar::Type::Text && !scalar.text.empty())
      reason = scalar.text;
    reply.set(name, std::move(value));
  } while (reader.take(','));
  reader.expect('}');
  if (reader.failed() || reader.peek() != '\0') return invalid;
  if (!is_ok) return Error{.what = reason};
  return reply;
}

}  // namespace skein::cli
