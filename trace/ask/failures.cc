#include "trace/ask/failures.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "base/stable_sort.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

bool ends_a_session(std::string_view reason) {
  constexpr std::array<std::string_view, 6> usual = {"End of file",       "end of stream",
                                                     "peration canceled", "peration aborted",
                                                     "reset by peer",     "Broken pipe"};
  return std::any_of(usual.begin(), usual.end(), [&](std::string_view text) {
    return reason.find(text) != std::string_view::npos;
  });
}

}  // namespace

std::vector<UnreadFailure> unread_failures(const Subject& subject) {
  const Model& model = subject.model;
  if (!subject.trace.info.records_waits()) return {};
  std::vector<bool> is_read(model.tasks.size());
  for (const Waits::Wait& wait : subject.waits.waits)
    if (wait.on != no_index) is_read[model.last_self(wait.on)] = true;
  for (const Model::Interaction& arrow : model.interactions)
    if (arrow.from != no_index &&
        (arrow.link == Model::Link::Read || arrow.link == Model::Link::ReadFailure))
      is_read[arrow.from] = true;

  std::map<std::tuple<StringId, uint32_t, StringId>, size_t> groups;
  std::vector<UnreadFailure> found;
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    if (!task.failed() || is_read[i] || kind_class(subject.trace, task) != KindClass::Runnable ||
        ends_a_session(subject.trace.strings[task.reason]))
      continue;
    const auto [group, is_new] =
        groups.try_emplace({task.name, task.location, task.reason}, found.size());
    if (is_new) found.push_back({.task = i, .count = 0});
    found[group->second].count++;
  }
  stable_sort_by(found, [&](const UnreadFailure& f) { return model.tasks[f.task].end; });
  return found;
}

}  // namespace skein
