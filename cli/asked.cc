#include "cli/asked.h"

#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "cli/running.h"
#include "cli/trace_input.h"
#include "trace/model/names.h"

namespace skein::cli {

Asked open_asked(const std::string& trace_or_pid) {
  const std::string path = trace_directory(trace_or_pid);
  Asked asked{.trace = open_trace(path), .model = {}, .waits = {}};
  report_losses(asked.trace, path);
  asked.model = build_model(asked.trace, {.simplify = false});
  asked.waits = find_waits(asked.trace, asked.model);
  return asked;
}

nlohmann::ordered_json task_json(const Trace& trace, const Model& model, TaskIndex task) {
  if (task == no_index) return nullptr;
  return {{"id", model.tasks[task].id}, {"name", valid_utf8(task_name(trace, model.tasks[task]))}};
}

nlohmann::ordered_json place_json(const Trace& trace, uint32_t location) {
  if (location == 0 || location >= trace.locations.size()) return nullptr;
  const Location& place = trace.locations[location];
  return {{"file", valid_utf8(trace.strings[place.file])},
          {"line", place.line},
          {"function", valid_utf8(trace.strings[place.function])}};
}

}  // namespace skein::cli
