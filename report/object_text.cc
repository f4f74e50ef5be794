#include "report/object_text.h"

#include "base/text.h"

namespace skein {

std::string object_text(const Trace& trace, StringId type, uint64_t address) {
  if (type == 0) return "an object";
  return std::string(object_type(trace.strings[type])) + ' ' + address_text(address);
}

std::string object_text(const Trace& trace, const AwaitedObjectWait& wait) {
  return object_text(trace, wait.type, wait.address);
}

}  // namespace skein
