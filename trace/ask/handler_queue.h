// The queues in which handlers wait: that of their context (an io_context, a thread pool), and of
// their strand.
#pragma once

#include <algorithm>
#include <string_view>

#include "trace/model/model.h"

namespace skein {

// "io_context" of "io_context.post".
inline std::string_view context_of(const Trace& trace, const Model& model, TaskIndex handler) {
  const std::string_view name = trace.strings[model.tasks[handler].name];
  return name.substr(0, std::min(name.find('.'), name.size()));
}

// An index in Model::objects; Model::Object::none: no strand.
inline uint32_t strand_of(const Model& model, TaskIndex handler) {
  const Model::Concern* use = model.concern(handler);
  return use == nullptr ? Model::Object::none : use->object;
}

}  // namespace skein
