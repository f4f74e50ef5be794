#include "trace/ask/doctor/blocked_loops.h"

#include <algorithm>

namespace skein::detail {

bool BlockedLoops::is_unfinished(const Run& run) const {
  return run.end >= context_.model.end && context_.is_open(run.task) &&
         context_.waits.running[run.task];
}

bool BlockedLoops::by(const Run& run) {
  if (!is_unfinished(run)) return false;
  if (has_data_for(run)) return true;
  return run.ran >= long_run_ns && is_only_thread_of_loop(run) && delays_pending(run);
}

// Whether the other end of a connection, a socket of this program as well, has sent more than was
// received, while the thread's receive is pending.
bool BlockedLoops::has_data_for(const Run& run) {
  const uint64_t limit = context_.limit(Lint::RanTooLong);
  const Trace& trace = context_.trace;
  const Model& model = context_.model;
  for (const Model::Concern& use : model.concerns) {
    const Model::Task& task = model.tasks[use.task];
    if (use.object == Model::Object::none || model.objects[use.object].connection == 0 ||
        task.executor != run.executor || !context_.is_open(use.task) ||
        context_.waits.first_run[use.task] != Waits::never ||
        !trace.strings[task.name].starts_with("socket.async_receive"))
      continue;
    if (!other_ends_) other_ends_.emplace(trace, model);
    const auto ends = other_ends_->find(use.object);
    if (!ends || ends->other.sends == no_index) continue;
    if (!traffic_) traffic_ = find_traffic(trace, model);
    const Traffic& own = (*traffic_)[use.object];
    const Traffic& other = (*traffic_)[model.concern(ends->other.sends)->object];
    const bool is_known = !own.unseen || (own.unseen->received == 0);
    const auto sent_at = static_cast<uint64_t>(std::max<int64_t>(other.sent_at, 0));
    if (is_known && other.sent > own.received && model.end - std::min(model.end, sent_at) >= limit)
      return true;
  }
  return false;
}

// Whether the thread has run something else before, and no other thread has run anything.
bool BlockedLoops::is_only_thread_of_loop(const Run& run) {
  // An event loop has invoked a handler.
  const KindClass kind_of_run = context_.kind_class(run.task);
  bool runs_others = kind_of_run == KindClass::Operation || kind_of_run == KindClass::Handler;
  for (const Model::Activation& a : context_.model.activations) {
    if (a.task == no_index) continue;
    const std::string_view kind = context_.kind(a.task);
    if (kind == "thread" || kind == "process") continue;
    if (a.executor != run.executor) return false;
    runs_others |= a.task != run.task && a.start < run.begin && !context_.task(a.task).is_scope;
  }
  return runs_others;
}

// Whether an operation is pending that the event loop completes, or a task waits for what the trace
// does not contain, since before the run or for as long as a long run.
bool BlockedLoops::delays_pending(const Run& run) const {
  const Model& model = context_.model;
  const uint64_t latest = model.end - std::min(model.end, long_run_ns);
  for (TaskIndex i = 0; i < model.tasks.size(); i++) {
    const Model::Task& task = model.tasks[i];
    if (i == run.task || task.start > latest || !context_.is_open(i)) continue;
    if (context_.kind_class(i) == KindClass::Operation) {
      if (context_.waits.first_run[i] != Waits::never ||
          is_channel_operation(context_.trace, model, i))
        continue;
      const Model::Concern* use = model.concern(i);
      if (use == nullptr || use->expires == 0 || use->expires < latest) return true;
    } else if (const Waits::Wait* wait = context_.waits.open(i)) {
      if (wait->is_open() && wait->on == no_index && wait->begin <= latest) return true;
    }
  }
  return false;
}

}  // namespace skein::detail
