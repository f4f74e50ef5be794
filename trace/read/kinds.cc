#include "trace/read/kinds.h"

#include <algorithm>

namespace skein {

uint64_t kind_index(Trace& trace, std::string_view name) {
  const StringId id = trace.strings.intern(name);
  const auto found = std::find(trace.kinds.begin(), trace.kinds.end(), id);
  const auto index = static_cast<uint64_t>(found - trace.kinds.begin());
  if (found == trace.kinds.end()) trace.kinds.push_back(id);
  return index;
}

}  // namespace skein
