#include "trace/ask/chain_walker.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "trace/ask/busiest.h"
#include "trace/ask/closed_connection.h"
#include "trace/ask/direction.h"
#include "trace/ask/handler_queue.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

// A program that has received a signal may take this time to end, ns.
constexpr uint64_t shutdown_threshold_ns = 100'000'000;
// If it takes longer, something keeps it running, ns.
constexpr uint64_t shutdown_error_ns = 1'000'000'000;
// An operation is started at once after the last, even if that failed, ns.
constexpr uint64_t closed_threshold_ns = 100'000'000;
// The tasks of a channel, or of a connection, may wait for each other until a new one comes, ns.
constexpr uint64_t fed_threshold_ns = 1'000'000'000;

}  // namespace

class ChainWalker::Walk {
 public:
  explicit Walk(const Subject& subject)
      : trace_(subject.trace),
        model_(subject.model),
        waits_(subject.waits),
        seen_(model_.tasks.size(), 0) {}

  Diagnosis diagnose(TaskIndex task) {
    walk_++;
    Diagnosis d;
    d.expected = model_.tasks[task].should_resolve;
    TaskIndex at = model_.last_self(task);
    for (;;) {
      if (seen_[at] == walk_) {
        while (d.chain[d.cycle_begin].task != at) d.cycle_begin++;
        d.verdict = Verdict::Deadlock;
        return d;
      }
      seen_[at] = walk_;
      d.chain.push_back({.task = at});
      const TaskIndex next = follow(d);
      if (next == no_index) return d;
      at = model_.last_self(next);
    }
  }

  void measure_starvation(Diagnosis& d) {
    if (d.verdict != Verdict::Starved) return;
    uint64_t since = ready_since(model_, waits_, d.chain.back());
    if (is_queued(d.chain.back())) since = std::max(since, last_begun(d.chain.back().task));
    d.starved = end_ - std::min(end_, since);
  }

  void find_blocker(Diagnosis& d) {
    if (d.verdict != Verdict::Starved) return;
    const Diagnosis::Step& last = d.chain.back();
    const Model::Task& task = model_.tasks[last.task];
    const uint64_t since = ready_since(model_, waits_, last);
    if (is_queued(last)) return find_blocker_of_handler(d, since);
    uint32_t executor = task.executor;
    if (last.wait != Waits::none) executor = waits_.waits[last.wait].executor;
    d.blocker = busiest_.on(executor, since, UINT64_MAX);
  }

  std::optional<Run> run_at_end(TaskIndex task) const {
    if (!waits_.running[task]) return {};
    for (size_t i = model_.activations.size(); i-- > 0;)
      if (model_.activations[i].task == task) {
        if (model_.activations[i].end < model_.last_event) break;
        return Run{model_.activations[i].start, model_.activations[i].executor};
      }
    // The last event resumed it.
    return Run{model_.last_event, model_.tasks[task].executor};
  }

  bool is_pool_thread(uint32_t executor) {
    const auto pool = contexts().find(thread_pool);
    return pool != contexts_.end() && executor < pool->second.threads.size() &&
           pool->second.threads[executor];
  }

 private:
  // An io_context, a thread pool, a strand: which threads run its handlers, and until when.
  struct Context {
    std::vector<bool> threads;  // by executor
    uint64_t served = Waits::never;
    uint64_t begun = 0;  // when it began the last handler
  };

  // A handler that its context has not invoked.
  bool is_queued(const Diagnosis::Step& step) const {
    return step.wait == Waits::none &&
           kind_class(trace_, model_.tasks[step.task]) == KindClass::Handler;
  }
  // When its strand, or else its context, began the last handler; 0: none.
  uint64_t last_begun(TaskIndex task) {
    const Context& context = contexts()[context_of(trace_, model_, task)];
    const uint32_t strand = strand_of(model_, task);
    return strand == Model::Object::none ? context.begun : strand_begun_[strand];
  }

  // Only the threads that run the handlers of its context delay a handler.
  void find_blocker_of_handler(Diagnosis& d, uint64_t since) {
    const Context& context = contexts()[context_of(trace_, model_, d.chain.back().task)];
    d.served = context.served;
    uint64_t most = 0;
    for (uint32_t executor = 0; executor < context.threads.size(); executor++) {
      if (!context.threads[executor]) continue;
      uint64_t busy = 0;
      for (const uint32_t i : busiest_.between(executor, since, UINT64_MAX))
        busy += model_.activations[i].end - std::max(model_.activations[i].start, since);
      if (busy <= most) continue;
      most = busy;
      d.blocker = busiest_.on(executor, since, UINT64_MAX);
    }
    const TaskIndex signal = d.blocker == no_index ? find_signal() : no_index;
    if (signal == no_index || d.served == Waits::never) return;
    const uint64_t received = model_.tasks[signal].end;
    if (d.served >= received && d.served - received < shutdown_threshold_ns) d.signal = signal;
  }
  // O(activations) once.
  std::unordered_map<std::string_view, Context>& contexts() {
    if (!contexts_.empty()) return contexts_;
    for (const Model::Activation& run : model_.activations) {
      if (run.task == no_index ||
          kind_class(trace_, model_.tasks[run.task]) != KindClass::Handler)
        continue;
      Context& context = contexts_[context_of(trace_, model_, run.task)];
      context.threads.resize(trace_.executors.size());
      if (run.executor < context.threads.size()) context.threads[run.executor] = true;
      if (context.served == Waits::never || run.end > context.served) context.served = run.end;
      context.begun = std::max(context.begun, run.start);
      if (const uint32_t strand = strand_of(model_, run.task); strand != Model::Object::none)
        strand_begun_[strand] = std::max(strand_begun_[strand], run.start);
    }
    return contexts_;
  }
  // Returns the next task or resource of the chain; no_index if this is the last, with the verdict
  // set.
  TaskIndex follow(Diagnosis& d) {
    Diagnosis::Step& step = d.chain.back();
    const Model::Task& task = model_.tasks[step.task];
    if (task.is_resource) return follow_resource(d);
    const Waits::Wait* wait = waits_.open(step.task);
    if (wait != nullptr && !wait->is_open() && model_.is_open(step.task)) wait = nullptr;
    // Of a cancelled task, follows its last wait, unless another task still waits for it.
    const bool by_open = d.chain.size() > 1 && model_.is_open(d.chain[d.chain.size() - 2].task);
    if (!model_.is_open(step.task) && (wait == nullptr || by_open)) {
      d.verdict = d.chain.size() == 1 ? Verdict::Ok : ended_verdict(d);
      return no_index;
    }
    if (wait == nullptr) {
      d.verdict = idle_verdict(d);
      return no_index;
    }
    step.wait = static_cast<uint32_t>(wait - waits_.waits.data());
    if (wait->is_open() && wait->ready != Waits::never) {
      d.verdict = could_run_since(wait->ready, d.expected);
      return no_index;
    }
    if (wait->on != no_index) return wait->on;
    describe_awaited(d, step.task);
    // An object that other tasks wait for, or have passed, is no group of tasks.
    if (!d.awaited || (d.awaited->others == 0 && d.awaited->last == no_index)) find_started(d);
    d.verdict = is_forgotten(d) ? Verdict::LostWakeup : Verdict::Unknown;
    return no_index;
  }

  bool is_forgotten(Diagnosis& d) {
    if (!d.awaited || !d.started.empty()) return false;
    if (!forgotten_) forgotten_ = find_forgotten({trace_, model_, waits_});
    const auto found = forgotten_->find(d.chain.back().task);
    if (found != forgotten_->end()) d.forgotten = found->second;
    return d.forgotten.has_value();
  }

  // Finds the tasks that the thread started right after the last task of the chain began to wait,
  // before any that had run earlier: the awaiter may have started them. They had been created by
  // the task, or by the one that created it, and no task waits for them. Those like the first task
  // of the chain were started with it.
  void find_started(Diagnosis& d) {
    constexpr size_t most = 256;  // activations
    const Waits::Wait& wait = waits_.waits[d.chain.back().wait];
    const Model::Task& first = model_.tasks[d.chain.front().task];
    const TaskIndex creator = model_.tasks[wait.task].parent;
    std::vector<TaskIndex> begun;
    size_t seen = 0;
    for (const uint32_t i : busiest_.between(wait.executor, wait.begin, Waits::never)) {
      const Model::Activation& run = model_.activations[i];
      if (run.start < wait.begin) continue;
      if (++seen > most) return;
      const Model::Task& task = model_.tasks[run.task];
      const auto is_begun = [&](TaskIndex other) {
        return std::find(begun.begin(), begun.end(), other) != begun.end();
      };
      if (is_begun(run.task)) continue;
      const bool is_early = task.start <= wait.begin;
      const bool has_run = waits_.first_run[run.task] < wait.begin || task.pre_existing;
      if (has_run || (!is_early && !is_begun(task.parent))) return;
      begun.push_back(run.task);
      const bool is_own = task.parent == wait.task || task.parent == creator;
      const bool is_like_first =
          task.name == first.name && task.location == first.location && task.parent == first.parent;
      if (is_early && is_own && !is_like_first && model_.is_open(run.task) && !is_awaited(run.task))
        d.started.push_back(run.task);
    }
  }
  bool is_awaited(TaskIndex task) {
    if (awaited_tasks_.empty()) {
      awaited_tasks_.resize(model_.tasks.size());
      for (const Waits::Wait& wait : waits_.waits)
        if (wait.is_open() && wait.on != no_index) awaited_tasks_[wait.on] = true;
    }
    return awaited_tasks_[task];
  }

  // The target has ended without waking its waiter.
  Verdict ended_verdict(const Diagnosis& d) const {
    const Model::Task& task = model_.tasks[d.chain.back().task];
    return task.how == Model::End::Resolved ? Verdict::LostWakeup : Verdict::Cancelled;
  }

  // It is live, and no wait of it is known.
  Verdict idle_verdict(Diagnosis& d) {
    const TaskIndex index = d.chain.back().task;
    const Model::Task& task = model_.tasks[index];
    if (waits_.running[index]) return Verdict::Ok;
    const KindClass kind = kind_class(trace_, task);
    // Its handler was invoked and has not returned; a task that it resumed runs.
    const bool is_invoked = kind == KindClass::Operation || kind == KindClass::Handler;
    if (is_invoked && !task.pre_existing && waits_.first_run[index] != Waits::never)
      return Verdict::Ok;
    if (kind == KindClass::Operation) return pending_verdict(d);
    if (task.is_scope || kind == KindClass::Promise || kind == KindClass::Condition ||
        !trace_.info.records_waits())
      return Verdict::NeverNotified;
    const bool nothing_known = task.pre_existing && trace_.live_tasks.empty();
    if (waits_.first_run[index] != Waits::never || nothing_known) {
      describe_awaited(d, index);
      return Verdict::Unknown;
    }
    if (kind == KindClass::Handler || kind == KindClass::Callback)
      return could_run_since(task.start, d.expected);
    return Verdict::NeverStarted;
  }

  void describe_awaited(Diagnosis& d, TaskIndex index) {
    if (!awaited_) awaited_.emplace(trace_, model_);
    d.awaited = awaited_->of(index);
    if (d.awaited && d.awaited->last != no_index) d.last_awaits = awaited_->of(d.awaited->last);
  }

  // An operation that has not completed.
  Verdict pending_verdict(Diagnosis& d) {
    const Model::Concern* use = model_.concern(d.chain.back().task);
    if (use != nullptr && use->object != Model::Object::none) describe_socket(d, use->object);
    if (is_lasting(d.chain.back().task)) {
      d.signal = last_signal();
      // Another thread may have work to finish, and a repeated timer may count until the end.
      d.set_since = d.signal == no_index ? no_index : set_since(model_.tasks[d.signal].end);
      d.should_have_ended = d.signal != no_index && ends_programs(d.signal) &&
                            d.set_since == no_index &&
                            trace_.info.alone > model_.tasks[d.signal].end &&
                            model_.end - model_.tasks[d.signal].end >= shutdown_error_ns;
      if (d.signal == no_index && !more_than_lasting_ && is_periodic(d.chain.back().task))
        d.closed_acceptor = closed_acceptors().find(d.chain.back().task);
    }
    const uint64_t age = model_.end - std::min(model_.end, model_.tasks[d.chain.back().task].start);
    if (age >= fed_threshold_ns) d.fed_channel = fed_channel(d.chain.back().task);
    if (d.fed_channel && model_.end - d.fed_channel->since < fed_threshold_ns)
      d.fed_channel.reset();
    if (d.mutual_sends && model_.end - d.mutual_sends->since < fed_threshold_ns)
      d.mutual_sends.reset();
    if (d.fed_channel || d.mutual_sends) return Verdict::Deadlock;
    if (use == nullptr) return Verdict::External;
    if (is_channel_operation(trace_, model_, d.chain.back().task)) {
      find_last_hope(d, *use, only_channels_left());
      return Verdict::External;
    }
    if (use->expires == 0) return Verdict::External;
    if (use->expires != Model::Object::never)
      return use->expires < end_ && could_run_since(use->expires, d.expected) == Verdict::Starved
                 ? Verdict::Starved
                 : Verdict::External;
    find_last_hope(d, *use, !anything_may_run());
    return find_lost_cancel(d, *use) ? Verdict::LostWakeup : Verdict::NeverExpires;
  }

  // Whether one thread has recorded all events. O(events) once.
  bool has_one_thread() {
    if (!has_one_thread_) {
      const auto& executors = trace_.events.executor;
      has_one_thread_ = true;
      for (size_t i = 1; i < model_.events && *has_one_thread_; i++)
        has_one_thread_ = executors[i] == executors[0];
    }
    return *has_one_thread_;
  }

  void find_last_hope(Diagnosis& d, const Model::Concern& use, bool is_last) {
    const uint64_t idle_since = model_.last_event + starvation_threshold_ns;
    d.is_last = is_last;
    d.has_one_thread = is_last && has_one_thread();
    d.is_alone =
        is_last && trace_.info.alone > idle_since && !(model_.is_torn_down && has_completed(use));
  }

  // The same for all operations of a channel that have one name: thousands may wait there.
  const std::optional<FedChannel>& fed_channel(TaskIndex operation) {
    const Model::Concern* use = model_.concern(operation);
    const uint64_t object = use == nullptr ? Model::Object::none : use->object;
    const auto [at, is_new] =
        fed_channels_.try_emplace(object << 32 | model_.tasks[operation].name);
    if (is_new) at->second = find_fed_channel({trace_, model_, waits_}, operation);
    return at->second;
  }

  const ClosedAcceptors& closed_acceptors() {
    if (!closed_acceptors_)
      closed_acceptors_.emplace(Subject{trace_, model_, waits_},
                                [&](TaskIndex task) { return is_periodic(task); });
    return *closed_acceptors_;
  }

  // Whether an earlier wait for the same timer has ended: then a worker may wait for more work.
  bool has_completed(const Model::Concern& use) const {
    for (uint32_t u = use.before; u != Model::Object::none; u = model_.concerns[u].before)
      if (!model_.is_open(model_.concerns[u].task)) return true;
    return false;
  }

  // Adds up the parts of the composed operation that the last coroutine waits for: each part is
  // created by the handler of the one before.
  void add_parts(Diagnosis& d) {
    if (d.chain.size() < 2 || d.chain[d.chain.size() - 2].wait == Waits::none) return;
    const uint64_t begin = waits_.waits[d.chain[d.chain.size() - 2].wait].begin;
    const TaskIndex last = d.chain.back().task;
    for (TaskIndex part = model_.tasks[last].parent; part != no_index;
         part = model_.tasks[part].parent) {
      const Model::Task& task = model_.tasks[part];
      if (task.name != model_.tasks[last].name || task.start < begin) return;
      if (!moved_) moved_ = find_moved(trace_, model_);
      d.moved += (*moved_)[part];
    }
  }

  // (If it is pending for long, Asio has not found out again that the connection is closed.)
  void find_closed(Diagnosis& d) const {
    if (is_long(d.chain.back().task))
      d.closed = skein::find_closed(trace_, model_, d.chain.back().task);
  }

  bool receives(TaskIndex operation) const {
    return direction_of(trace_.strings[model_.tasks[operation].name]) == Direction::Receives;
  }
  bool is_long(TaskIndex operation) const {
    return model_.end - std::min(model_.end, model_.tasks[operation].start) >= closed_threshold_ns;
  }

  // Finds what a coroutine did before the receive that it waits for.
  void describe_receive(Diagnosis& d) {
    const TaskIndex last = d.chain.back().task;
    if (d.chain.size() < 2 || !receives(last) || !is_long(last)) return;
    const TaskIndex waiter = d.chain[d.chain.size() - 2].task;
    if (!moved_) moved_ = find_moved(trace_, model_);
    d.read_ahead = find_read_ahead({trace_, model_, waits_}, waiter, last, *moved_);
    d.ended_relay = find_ended_relay({trace_, model_, waits_}, waiter, last);
  }

  void describe_socket(Diagnosis& d, uint32_t object) {
    add_parts(d);
    find_closed(d);
    describe_receive(d);
    if (direction_of(trace_.strings[model_.tasks[d.chain.back().task].name]) == Direction::Sends)
      d.busy_thread =
          find_busy_thread({trace_, model_, waits_}, d.chain.back().task, is_end_known(model_));
    if (model_.objects[object].connection == 0) return;
    if (!traffic_) traffic_ = find_traffic(trace_, model_);
    if (!other_ends_) other_ends_.emplace(trace_, model_);
    d.both_ends = other_ends_->find(object);
    if (d.both_ends) {
      const Subject subject{trace_, model_, waits_};
      const TaskIndex last = d.chain.back().task;
      if (receives(last))
        d.mutual_receives =
            find_mutual_receives(subject, open_waiters(), last, object, *d.both_ends, *traffic_);
      else if (direction_of(trace_.strings[model_.tasks[last].name]) == Direction::Sends)
        d.mutual_sends = find_mutual_sends(subject, open_waiters(), last, *d.both_ends);
    }
    const Traffic& traffic = *(d.traffic = (*traffic_)[object]);
    if (d.both_ends && receives(d.chain.back().task))
      d.on_their_way = find_on_their_way({trace_, model_, waits_}, d.chain.back().task, traffic,
                                         (*traffic_)[d.both_ends->object], is_end_known(model_));
    if (d.both_ends && receives(d.chain.back().task) && is_long(d.chain.back().task))
      d.session = find_session({trace_, model_, waits_}, d.both_ends->other);
    if (!traffic.awaits_reply()) return;
    for (uint32_t u = model_.objects[object].last_use; u != Model::Object::none && !d.asks;
         u = model_.concerns[u].before)
      d.asks = trace_.strings[model_.tasks[model_.concerns[u].task].name] == "socket.async_connect";
  }

  const OpenWaiters& open_waiters() {
    if (!open_waiters_) open_waiters_.emplace(Subject{trace_, model_, waits_});
    return *open_waiters_;
  }

  // Finds the last cancel of a timer before this wait by a task that is not in the chain, unless it
  // completed an operation.
  bool find_lost_cancel(Diagnosis& d, const Model::Concern& use) const {
    if (use.object == Model::Object::none || d.chain.size() < 2) return false;
    const Model::Task& operation = model_.tasks[use.task];
    for (uint32_t i = model_.objects[use.object].last_cancel; i != Model::Object::none;
         i = model_.cancels[i].before) {
      const Model::Cancel& cancel = model_.cancels[i];
      const auto is_by = [&](const Diagnosis::Step& step) { return step.task == cancel.by; };
      if (cancel.time >= operation.start || cancel.by == no_index) continue;
      for (uint32_t u = use.before; u != Model::Object::none; u = model_.concerns[u].before) {
        const Model::Task& earlier = model_.tasks[model_.concerns[u].task];
        if (earlier.start > cancel.time)
          d.waited_before = true;
        else if (model_.is_open(model_.concerns[u].task) || earlier.end >= cancel.time)
          return false;
      }
      if (std::any_of(d.chain.begin(), d.chain.end(), is_by)) continue;
      d.cancel = i;
      const TaskIndex waiter = d.chain[d.chain.size() - 2].task;
      d.waited_before |= use.before != Model::Object::none;
      d.created_after = model_.tasks[outermost(model_, waits_, waiter)].start > cancel.time;
      return true;
    }
    return false;
  }

  // Whether a task runs or is runnable, or an operation may complete by itself.
  bool anything_may_run() {
    if (!may_run_) look_for_what_may_run();
    return *may_run_;
  }
  void look_for_what_may_run() {
    may_run_ = more_than_lasting_ = false;
    for (TaskIndex task = 0; task < model_.tasks.size() && !more_than_lasting_; task++)
      if (model_.is_open(task) && may_run(task)) {
        may_run_ = true;
        more_than_lasting_ = !is_lasting(task);
      }
  }

  // Whether only operations of channels are pending, apart from timers that never expire.
  bool only_channels_left() {
    if (only_channels_left_) return *only_channels_left_;
    only_channels_left_ = true;
    for (TaskIndex task = 0; task < model_.tasks.size() && *only_channels_left_; task++)
      only_channels_left_ =
          !model_.is_open(task) || !may_run(task) || is_channel_operation(trace_, model_, task);
    return *only_channels_left_;
  }

  bool is_accept(TaskIndex task) const {
    return trace_.strings[model_.tasks[task].name].starts_with("socket.async_accept");
  }

  // A timer that its own handler, or the coroutine that waits for it, has set before.
  bool is_periodic(TaskIndex index) const {
    const Model::Task& task = model_.tasks[index];
    const Model::Concern* use = model_.concern(index);
    if (use == nullptr || use->expires == 0 || use->expires == Model::Object::never ||
        task.parent == no_index)
      return false;
    const Model::Task& parent = model_.tasks[task.parent];
    if (parent.name == task.name && parent.location == task.location) return true;
    const Waits::Wait* wait = waits_.open(task.parent);
    return wait != nullptr && wait->on == index && wait->before != Waits::none &&
           waits_.waits[wait->before].location == wait->location;
  }
  // The wait for a repeated timer that is pending and began after this time, if there is one.
  TaskIndex set_since(uint64_t time) const {
    for (auto task = static_cast<TaskIndex>(model_.tasks.size()); task-- > 0;)
      if (model_.tasks[task].start > time && model_.is_open(task) && is_periodic(task)) return task;
    return no_index;
  }
  // An operation that a server always has, until its shutdown.
  bool is_lasting(TaskIndex task) const { return is_accept(task) || is_periodic(task); }

  // If only such operations are pending: the last wait for a signal that has ended, with a signal.
  TaskIndex last_signal() {
    if (!may_run_) look_for_what_may_run();
    if (more_than_lasting_) return no_index;
    const TaskIndex last = find_signal();
    const bool is_over =
        last != no_index && model_.end - model_.tasks[last].end > shutdown_threshold_ns;
    return is_over ? last : no_index;
  }
  // Whether all signals that it waited for are to end the program. The recorder labels it with
  // their names.
  bool ends_programs(TaskIndex signal) const {
    constexpr std::string_view begin = "signal_set: ";
    std::string_view names = trace_.strings[model_.tasks[signal].label];
    if (!names.starts_with(begin)) return false;
    names.remove_prefix(begin.size());
    while (!names.empty()) {
      const size_t end = std::min(names.find(" or "), names.size());
      const std::string_view one = names.substr(0, end);
      if (one != "SIGINT" && one != "SIGTERM" && one != "SIGQUIT") return false;
      names.remove_prefix(std::min(end + 4, names.size()));
    }
    return true;
  }
  // The last wait for a signal that has ended, with a signal.
  TaskIndex find_signal() const {
    TaskIndex last = no_index;
    for (TaskIndex task = 0; task < model_.tasks.size(); task++)
      if (model_.tasks[task].how == Model::End::Resolved &&
          trace_.strings[model_.tasks[task].name].starts_with("signal_set.") &&
          (last == no_index || model_.tasks[task].end > model_.tasks[last].end))
        last = task;
    return last;
  }
  bool may_run(TaskIndex index) const {
    const Model::Task& task = model_.tasks[index];
    if (task.is_resource || task.is_scope) return false;
    if (waits_.running[index]) return true;
    if (const Waits::Wait* wait = waits_.open(index))
      return wait->ready != Waits::never || wait->on == no_index;
    const KindClass kind = kind_class(trace_, task);
    if (kind == KindClass::Operation) {
      const Model::Concern* use = model_.concern(index);
      return use == nullptr || use->expires != Model::Object::never;
    }
    return kind != KindClass::Runnable || waits_.first_run[index] != Waits::never;
  }

  // A task marked should_resolve has had its chance if the trace ended without another event.
  Verdict could_run_since(uint64_t time, bool expected) const {
    const bool was_last = expected && time == model_.last_event && model_.end <= model_.last_event;
    const bool may_run_yet = end_ - std::min(end_, time) < starvation_threshold_ns && !was_last;
    return may_run_yet ? Verdict::Ok : Verdict::Starved;
  }

  TaskIndex follow_resource(Diagnosis& d) {
    Diagnosis::Step& step = d.chain.back();
    const Waits::Holding* held =
        is_owned(trace_, model_.tasks[step.task]) ? waits_.held(step.task) : nullptr;
    if (held && held->holder_ended) {
      step.holding = static_cast<uint32_t>(held - waits_.holdings.data());
      d.verdict = Verdict::NeverReleased;
      return no_index;
    }
    if (held && held->holder != no_index) {
      step.holding = static_cast<uint32_t>(held - waits_.holdings.data());
      const TaskIndex holder = model_.last_self(held->holder);
      if (model_.is_open(holder) && waits_.open(holder) != nullptr) return holder;
      d.chain.push_back({.task = holder});
      d.verdict = Verdict::NeverReleased;
      return no_index;
    }
    d.verdict = find_lost_wakeup(d)     ? Verdict::LostWakeup
                : may_be_overwritten(d) ? Verdict::Unknown
                                        : Verdict::NeverNotified;
    return no_index;
  }

  // Whether a ring may have overwritten the lost notification, because it contains none.
  bool may_be_overwritten(const Diagnosis& d) const {
    if (d.chain.size() < 2 || trace_.info.overwritten_packets == 0 || remembers(d)) return false;
    const TaskIndex resource = d.chain.back().task;
    return waits_.last_notification[resource] == Waits::none &&
           model_.tasks[resource].start <= trace_.info.complete_from;
  }

  bool remembers(const Diagnosis& d) const {
    const KindClass kind = kind_class(trace_, model_.tasks[d.chain.back().task]);
    return kind == KindClass::Mutex || kind == KindClass::Semaphore || kind == KindClass::Queue;
  }

  // Finds the last notification before this wait, if it woke no task.
  bool find_lost_wakeup(Diagnosis& d) const {
    if (d.chain.size() < 2) return false;  // the resource itself is diagnosed: no task waits
    if (remembers(d)) return false;
    const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
    if (waiter.wait == Waits::none) return false;  // in a damaged trace, a resource may hold another
    const Waits::Wait& wait = waits_.waits[waiter.wait];
    for (uint32_t i = waits_.last_notification[d.chain.back().task]; i != Waits::none;
         i = waits_.notifications[i].before) {
      const Waits::Notification& notification = waits_.notifications[i];
      if (notification.time >= wait.begin) continue;
      if (notification.woken != 0) return false;
      d.notification = i;
      for (uint32_t w = wait.before; w != Waits::none; w = waits_.waits[w].before)
        d.waited_before |= waits_.waits[w].on == wait.on;
      d.created_after =
          model_.tasks[outermost(model_, waits_, waiter.task)].start > notification.time;
      return true;
    }
    return false;
  }

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  std::vector<uint32_t> seen_;  // by task: the number of the last walk that saw it
  // The model's end may be the time when the trace was read. Which tasks have run since the last
  // event is then unknown, unless a task was running at that event: a suspension would be an event.
  uint64_t end_ = model_.events == 0 || waits_.any_running ? model_.end : model_.last_event;
  uint32_t walk_ = 0;
  std::optional<bool> may_run_;                      // anything_may_run(), if known
  bool more_than_lasting_ = false;                   // the same, apart from is_lasting()
  std::optional<bool> has_one_thread_;               // if known
  std::optional<bool> only_channels_left_;           // if known
  std::optional<std::vector<Traffic>> traffic_;      // find_traffic(), if known
  std::optional<OtherEnds> other_ends_;              // if known
  std::optional<OpenWaiters> open_waiters_;          // if known
  std::optional<ClosedAcceptors> closed_acceptors_;  // if known
  std::optional<std::vector<uint64_t>> moved_;       // find_moved(), if known
  std::optional<AwaitedObjects> awaited_;            // if known
  std::vector<bool> awaited_tasks_;                  // is_awaited(), if known
  std::optional<std::unordered_map<TaskIndex, Forgotten>> forgotten_;  // if known
  // By object and name of the operation, as fed_channel() has found them.
  std::unordered_map<uint64_t, std::optional<FedChannel>> fed_channels_;
  std::unordered_map<std::string_view, Context> contexts_;
  std::unordered_map<uint32_t, uint64_t> strand_begun_;  // by object, see Context::begun
  Busiest busiest_{model_};
};

ChainWalker::ChainWalker(const Subject& subject) : walk_(std::make_unique<Walk>(subject)) {}
ChainWalker::~ChainWalker() = default;
Diagnosis ChainWalker::diagnose(TaskIndex task) { return walk_->diagnose(task); }
void ChainWalker::measure_starvation(Diagnosis& d) { walk_->measure_starvation(d); }
void ChainWalker::find_blocker(Diagnosis& d) { walk_->find_blocker(d); }
bool ChainWalker::is_pool_thread(uint32_t executor) { return walk_->is_pool_thread(executor); }
std::optional<ChainWalker::Run> ChainWalker::run_at_end(TaskIndex task) const {
  return walk_->run_at_end(task);
}

}  // namespace skein
