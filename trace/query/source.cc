#include "trace/query/source.h"

#include <algorithm>

#include "base/function_name.h"
#include "trace/model/names.h"

namespace skein {

const Model& QuerySource::model() const {
  if (!model_) model_ = std::make_unique<Model>(build_model(trace_, {.simplify = false}));
  return *model_;
}

const Waits& QuerySource::waits() const {
  if (!waits_) waits_ = std::make_unique<Waits>(find_waits(trace_, model()));
  return *waits_;
}

const std::vector<Traffic>& QuerySource::traffic() const {
  if (!traffic_) traffic_ = std::make_unique<std::vector<Traffic>>(find_traffic(trace_, model()));
  return *traffic_;
}

const std::vector<uint32_t>& QuerySource::sockets() const {
  if (sockets_) return *sockets_;
  sockets_ = std::make_unique<std::vector<uint32_t>>();
  for (uint32_t i = 0; i < model().objects.size(); i++)
    if (model().objects[i].connection != 0) sockets_->push_back(i);
  return *sockets_;
}

const ThreadIntervals& QuerySource::thread_intervals() const {
  if (!thread_intervals_) thread_intervals_ = std::make_unique<ThreadIntervals>(trace_);
  return *thread_intervals_;
}

const std::vector<size_t>& QuerySource::samples() const {
  if (samples_) return *samples_;
  samples_ = std::make_unique<std::vector<size_t>>();
  for (size_t begin = 0; begin < events().size(); begin += block_rows) {
    const auto kinds = events().kind.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events().size() - begin); i++)
      if (kinds[i] == EventKind::Sample) samples_->push_back(begin + i);
  }
  return *samples_;
}

const std::vector<uint32_t>& QuerySource::frame_stacks() const {
  if (frame_stacks_) return *frame_stacks_;
  const Stacks& stacks = trace_.stacks;
  frame_stacks_ = std::make_unique<std::vector<uint32_t>>(stacks.all_frames().size());
  for (uint32_t i = 0; i < stacks.size(); i++) {
    const std::span<const StackFrame> frames = stacks.frames(i);
    if (frames.empty()) continue;
    const auto first = frame_stacks_->begin() + (frames.data() - stacks.all_frames().data());
    std::fill_n(first, frames.size(), i);
  }
  return *frame_stacks_;
}

const std::vector<size_t>& QuerySource::counter_points() const {
  if (counter_points_) return *counter_points_;
  counter_points_ = std::make_unique<std::vector<size_t>>(1, 0);
  for (const Model::Counter& counter : model().counters)
    counter_points_->push_back(counter_points_->back() + counter.points.size());
  return *counter_points_;
}

bool QuerySource::has_duplicate_ids() const {
  if (has_duplicate_ids_) return *has_duplicate_ids_;
  has_duplicate_ids_ = std::make_unique<bool>(false);
  for (TaskIndex task = 0; task < model().tasks.size() && !*has_duplicate_ids_; task++)
    *has_duplicate_ids_ = model().find(model().tasks[task].id) != task;
  return *has_duplicate_ids_;
}

std::string_view QuerySource::text(StringId id) const {
  return id == 0 ? std::string_view() : trace_.strings[id];
}

std::string_view QuerySource::kind(uint64_t kind) const {
  if (kind >= trace_.kinds.size()) return {};
  const std::string_view name = text(trace_.kinds[kind]);
  return name == "unknown" ? std::string_view() : name;
}

std::string_view QuerySource::file(uint32_t location) const {
  return location < trace_.locations.size() ? text(trace_.locations[location].file)
                                            : std::string_view();
}

std::string_view QuerySource::function(uint32_t location) const {
  const StringId signature =
      location < trace_.locations.size() ? trace_.locations[location].function : 0;
  if (signature == 0) return {};
  const auto [found, is_new] = functions_.try_emplace(signature);
  if (is_new) found->second = short_function_name(trace_.strings[signature]);
  return found->second;
}

std::string_view QuerySource::location(uint32_t location) const {
  if (location == 0 || location >= trace_.locations.size()) return {};
  const auto [found, is_new] = locations_.try_emplace(location);
  if (is_new) found->second = location_text(trace_, location);
  return found->second.empty() ? std::string_view() : found->second;
}

std::string_view QuerySource::executor(uint32_t executor) const {
  const auto [found, is_new] = executors_.try_emplace(executor);
  if (is_new) found->second = executor_title(trace_, executor);
  return found->second;
}

}  // namespace skein
