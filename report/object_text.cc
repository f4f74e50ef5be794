#include "report/object_text.h"

#include "base/text.h"

namespace skein {

std::string_view object_type(std::string_view awaiter) {
  int depth = 0;    // of template arguments
  size_t last = 0;  // where the last name begins
  for (size_t i = 0; i < awaiter.size(); i++) {
    const char c = awaiter[i];
    if (c == '<') depth++;
    if (c == '>') depth--;
    if (depth != 0) continue;
    if (c == '(' && !awaiter.substr(i).starts_with("(anonymous")) {
      const bool is_member = last >= 2;
      return is_member ? awaiter.substr(0, last - 2) : awaiter;
    }
    if (c == ':' && i > 0 && awaiter[i - 1] == ':') {
      last = i + 1;
    }
  }
  return awaiter;
}

std::string object_text(const Trace& trace, const AwaitedObjectWait& wait) {
  if (wait.type == 0) return "an object";
  return std::string(object_type(trace.strings[wait.type])) + ' ' + address_text(wait.address);
}

}  // namespace skein
