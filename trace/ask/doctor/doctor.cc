#include "trace/ask/doctor/doctor.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "trace/ask/doctor/evidence.h"
#include "trace/ask/rows_by.h"

namespace skein {

namespace {

using Severity = Finding::Severity;
using Evidence = Finding::Evidence;
using detail::Candidate;

constexpr uint64_t never = Waits::never;
constexpr uint32_t none = Waits::none;

// What the lints know of kinds.
enum class Nature : uint8_t {
  Runnable,   // it has code of its own that somebody lets run
  Handler,    // code that a loop is to call once
  Operation,  // it ends by what happens outside
  Lock,       // who holds it excludes others
  Condition,  // notified, and remembers nothing
  Other,
};

Nature nature_of(std::string_view kind) {
  for (const std::string_view name : {"coroutine", "generator", "fiber", "sender"})
    if (kind == name) return Nature::Runnable;
  for (const std::string_view name : {"handler", "callback", "work"})
    if (kind == name) return Nature::Handler;
  for (const std::string_view name : {"timer", "io", "process"})
    if (kind == name) return Nature::Operation;
  if (kind == "mutex" || kind == "semaphore") return Nature::Lock;
  if (kind == "condition") return Nature::Condition;
  return Nature::Other;
}

class Doctor {
 public:
  Doctor(const Trace& trace, const Model& model, const Waits& waits, const DoctorOptions& options)
      : trace_(trace), model_(model), waits_(waits), options_(options), sources_{model, waits} {
    for (const StringId kind : trace.kinds) natures_.push_back(nature_of(trace.strings[kind]));
    is_mirage_ = trace.facts.format == "mirage-profile";
    for (const Model::Activation& a : model.activations) last_run_ = std::max(last_run_, a.start);
    explained_.assign(waits.waits.size(), false);
    find_unsure();
  }

  std::vector<Finding> examine() {
    // Later ones do not tell again what an earlier one has explained.
    look_at_runs();
    look_at_locks();
    look_at_waits();
    look_at_tasks();
    look_at_diagnoses();
    look_at_levels();
    return finish();
  }

 private:
  // ---- what is asked often ----
  const Model::Task& task(TaskIndex index) const { return model_.tasks[index]; }
  Nature nature(TaskIndex index) const {
    const uint32_t kind = task(index).kind;
    return kind < natures_.size() ? natures_[kind] : Nature::Other;
  }
  std::string_view kind(TaskIndex index) const {
    const uint32_t number = task(index).kind;
    return number < trace_.kinds.size() ? trace_.strings[trace_.kinds[number]] : "";
  }
  bool is_open(TaskIndex index) const {
    return task(index).how == Model::End::Open && (unsure_.empty() || !unsure_[index]);
  }
  uint64_t until_end(uint64_t time) const { return std::min(time, model_.end); }
  uint64_t length(const Waits::Wait& w) const {
    return until_end(w.end) - std::min(until_end(w.end), w.begin);
  }
  // It was never told to go on, and does not wait any more only because it was destroyed.
  static bool is_in_vain(const Waits::Wait& w) {
    return w.is_open() ? w.ready == never : w.cut_off && w.ready == w.end;
  }
  bool asked(Lint lint) const { return options_.lints >> static_cast<unsigned>(lint) & 1; }
  uint32_t index_of(const Waits::Wait& w) const {
    return static_cast<uint32_t>(&w - waits_.waits.data());
  }

  const RowsBy& waits_of_task() {
    if (!waits_by_task_)
      waits_by_task_.emplace(waits_.waits, model_.tasks.size(),
                             [](const auto& w) { return w.task; });
    return *waits_by_task_;
  }
  const RowsBy& holdings_of_lock() {
    if (!holdings_by_lock_)
      holdings_by_lock_.emplace(waits_.holdings, model_.tasks.size(),
                                [](const auto& h) { return h.resource; });
    return *holdings_by_lock_;
  }

  // In a ring the end of a task may have been overwritten, in another stream than its beginning:
  // one that is older than the time from which all streams are complete is open only if the table
  // of live tasks has it.
  void find_unsure() {
    const uint64_t complete_from = trace_.facts.complete_from;
    if (complete_from == 0) return;
    unsure_.assign(model_.tasks.size(), false);
    for (TaskIndex i = 0; i < model_.tasks.size(); i++)
      unsure_[i] = task(i).how == Model::End::Open && task(i).start < complete_from &&
                   trace_.find_alive(task(i).id) == nullptr;
  }
  bool is_unsure(TaskIndex index) const { return !unsure_.empty() && unsure_[index]; }

  // ---- what is alike is one ----
  using Key = std::array<uint64_t, 6>;
  struct Group {
    Candidate worst;
    uint64_t count = 0;
    uint64_t total = 0;
  };

  void add_identity(uint64_t* key, TaskIndex index) const {
    if (index == no_index) return;
    const Model::Task& t = task(index);
    key[0] = uint64_t{t.kind} << 32 | t.location;
    key[1] = uint64_t{t.name} << 32 | (t.location == 0 || t.is_resource ? t.label : 0);
  }

  void add(const Candidate& c) {
    if (!asked(c.lint)) return;
    Key key = {static_cast<uint64_t>(c.lint) << 8 | static_cast<uint64_t>(c.severity), c.location};
    add_identity(&key[2], c.task);
    add_identity(&key[4], c.other);
    if (c.lint == Lint::LockOrderCycle) key[1] = c.value;
    if (c.lint == Lint::CounterOnlyGrows) key[1] = c.value << 32;
    Group& group = groups_[key];
    if (group.count == 0 || c.duration > group.worst.duration) group.worst = c;
    group.count++;
    group.total += c.duration;
  }

  // ---- locks ----
  void look_at_locks() {
    if (waits_.holdings.empty()) return;
    if (asked(Lint::LockOrderCycle)) sources_.cycles = lock_cycles(trace_, model_, waits_);
    for (uint32_t i = 0; i < sources_.cycles.size(); i++) {
      const LockCycle& cycle = sources_.cycles[i];
      uint64_t begin = UINT64_MAX;
      uint64_t end = 0;
      uint64_t places = 0;  // alike: the same places in whatever order
      for (const LockCycle::Edge& edge : cycle.edges) {
        begin = std::min(begin, edge.since);
        end = std::max(end, edge.time);
        uint64_t mixed = (uint64_t{edge.location} << 32 | edge.held_location) + 1;
        mixed = mixed * 0x9E3779B97F4A7C15ull + task(edge.task).location;
        places += mixed * 0x9E3779B97F4A7C15ull + task(edge.held).name;
        if (edge.wait != none && cycle.is_deadlock()) explained_[edge.wait] = true;
      }
      add({.lint = Lint::LockOrderCycle,
           .severity = cycle.is_deadlock() ? Severity::Fault : Severity::Warning,
           .task = cycle.edges[0].held,
           .other = cycle.edges[0].taken,
           .begin = begin,
           .end = end,
           .index = i,
           .value = places});
    }
    if (asked(Lint::LockAcrossWait)) look_at_lock_waits();
    if (asked(Lint::LockAcrossWait) && options_.strict) look_at_holdings();
  }

  // Somebody waits for a lock: for what does its holder wait?
  void look_at_lock_waits() {
    for (const Waits::Wait& victim : waits_.waits) {
      if (victim.on == no_index || length(victim) < options_.held || kind(victim.on) != "mutex")
        continue;
      const std::span<const uint32_t> holdings = holdings_of_lock().of(victim.on);
      const auto after = [&](uint32_t h) { return waits_.holdings[h].begin; };
      auto at = std::upper_bound(holdings.begin(), holdings.end(), victim.begin,
                                 [&](uint64_t time, uint32_t h) { return time < after(h); });
      if (at != holdings.begin()) --at;
      for (; at != holdings.end() && after(*at) < until_end(victim.end); ++at) {
        const Waits::Holding& h = waits_.holdings[*at];
        const uint64_t begin = std::max(h.begin, victim.begin);
        const uint64_t end = std::min(until_end(h.end), until_end(victim.end));
        if (h.holder == no_index || h.holder == victim.task || end < begin + options_.held)
          continue;
        add_held(*at, begin, end, options_.held, &victim);
      }
    }
  }

  // Its holder waited, in all `least` ns between the two times.
  void add_held(uint32_t holding, uint64_t begin, uint64_t end, uint64_t least,
                const Waits::Wait* victim) {
    const Waits::Holding& h = waits_.holdings[holding];
    const std::span<const uint32_t> waits = waits_of_task().of(h.holder);
    auto at = std::upper_bound(waits.begin(), waits.end(), h.begin, [&](uint64_t time, uint32_t w) {
      return time < waits_.waits[w].begin;
    });
    uint64_t waited = 0;
    uint64_t longest = 0;
    const Waits::Wait* why = nullptr;
    for (; at != waits.end() && waits_.waits[*at].begin < end; ++at) {
      const Waits::Wait& w = waits_.waits[*at];
      // Who waits for another lock is a victim of its holder.
      if (w.on != no_index && kind(w.on) == "mutex") continue;
      const uint64_t from = std::max(w.begin, begin);
      const uint64_t to = std::min(until_end(std::min(w.ready, w.end)), end);
      if (to <= from) continue;
      const uint64_t time = to - from - blocked(w.executor, from, to);
      waited += time;
      if (time > longest) {
        longest = time;
        why = &w;
      }
    }
    if (why == nullptr || waited < least) return;
    if (victim != nullptr) explained_[index_of(*victim)] = true;
    add({.lint = Lint::LockAcrossWait,
         .severity = victim != nullptr ? Severity::Warning : Severity::Note,
         .task = h.holder,
         .other = h.resource,
         .begin = h.begin,
         .end = until_end(h.end),
         .duration = waited,
         .location = why->location,
         .index = index_of(*why),
         .second = victim != nullptr ? index_of(*victim) : none,
         .value = holding});
  }

  // What of the time is a long run's, which let no timer and no read of its executor complete.
  uint64_t blocked(uint32_t executor, uint64_t begin, uint64_t end) const {
    uint64_t sum = 0;
    for (const Run& run : blockers_)
      if (run.executor == executor && run.begin < end && run.end > begin)
        sum += std::min(end, run.end) - std::max(begin, run.begin);
    return sum;
  }

  void look_at_holdings() {
    for (uint32_t i = 0; i < waits_.holdings.size(); i++) {
      const Waits::Holding& h = waits_.holdings[i];
      if (h.holder != no_index && kind(h.resource) == "mutex")
        add_held(i, h.begin, until_end(h.end), 1, nullptr);
    }
  }

  // ---- waits ----
  void look_at_waits() {
    struct Wakes {
      uint32_t all = 0;
      uint32_t own = 0;
      uint32_t last = none;
    };
    std::vector<Wakes> wakes(asked(Lint::SelfWake) ? model_.tasks.size() : 0);
    for (const Waits::Wait& w : waits_.waits) {
      if (w.is_open() && is_unsure(w.task)) continue;
      if (!wakes.empty() && !w.is_open() && !w.cut_off) {
        wakes[w.task].all++;
        if (wakes_itself(w)) {
          wakes[w.task].own++;
          wakes[w.task].last = index_of(w);
        }
      }
      if (is_in_vain(w) && w.on != no_index) look_for_early_notice(w);
      if (length(w) >= options_.suspended) look_at_long_wait(w);
    }
    for (TaskIndex i = 0; i < wakes.size(); i++) {
      const auto& [all, own, last] = wakes[i];
      if (own < options_.self_wakes || own < options_.self_wake_share * all) continue;
      const Waits::Wait& w = waits_.waits[last];
      add({.lint = Lint::SelfWake,
           .task = i,
           .begin = task(i).start,
           .end = until_end(w.end),
           .duration = own,
           .location = w.location,
           .index = last,
           .second = all,
           .value = own});
    }
  }

  // Nobody else did anything for it to go on: it was ready at once, or posted itself.
  bool wakes_itself(const Waits::Wait& w) const {
    if (w.waker == w.task) return true;
    return w.on != no_index && nature(w.on) == Nature::Handler && task(w.on).parent == w.task;
  }

  void look_for_early_notice(const Waits::Wait& w) {
    if (!asked(Lint::NotifyBeforeWait) || is_mirage_) return;
    const TaskIndex on = model_.last_self(w.on);
    Candidate c{.lint = Lint::NotifyBeforeWait,
                .severity = Severity::Fault,
                .task = w.task,
                .other = on,
                .end = w.begin,
                .duration = length(w),
                .location = w.location,
                .index = index_of(w)};
    if (!task(on).is_resource) {
      // A promise that had its value already, and does not remember for whom.
      if (task(on).how != Model::End::Resolved || task(on).end > w.begin) return;
      if (w.is_open() && length(w) < soon) return;  // it may be told yet, by another thread
      c.begin = task(on).end;
    } else {
      if (nature(on) != Nature::Condition) return;  // others remember
      const std::optional<uint32_t> notice = notice_for_nobody(on, w.begin);
      if (!notice) return;
      c.begin = waits_.notices[*notice].time;
      c.second = *notice;
      for (uint32_t i = w.before; i != none && c.severity == Severity::Fault;
           i = waits_.waits[i].before)
        if (waits_.waits[i].on == w.on) c.severity = Severity::Note;  // it looks before it waits?
    }
    if (c.severity == Severity::Note && !options_.strict) return;
    explained_[c.index] = c.severity == Severity::Fault;
    add(c);
  }

  // The last one before `time`, if it found nobody.
  std::optional<uint32_t> notice_for_nobody(TaskIndex target, uint64_t time) {
    if (!notices_by_target_)
      notices_by_target_.emplace(waits_.notices, model_.tasks.size(),
                                 [](const auto& n) { return n.target; });
    const std::span<const uint32_t> notices = notices_by_target_->of(target);
    const auto at = std::lower_bound(
        notices.begin(), notices.end(), time,
        [&](uint32_t n, uint64_t begin) { return waits_.notices[n].time < begin; });
    if (at == notices.begin() || waits_.notices[*(at - 1)].woken != 0) return {};
    return *(at - 1);
  }

  void look_at_long_wait(const Waits::Wait& w) {
    if (explained_[index_of(w)]) return;
    Candidate c{.lint = Lint::SuspendedTooLong,
                .task = w.task,
                .other = w.on,
                .begin = w.begin,
                .end = until_end(w.end),
                .duration = length(w),
                .location = w.location,
                .index = index_of(w)};
    const uint64_t ready = until_end(w.ready);
    if (!is_mirage_ && !w.cut_off && c.end - std::min(c.end, ready) >= options_.suspended) {
      // What it waited for was there, and it was not let run.
      if (w.on != no_index && was_destroyed(w.on)) return;  // the next lint's
      c.begin = ready;
      c.duration = c.end - ready;
      c.second = index_of(w);
    } else if (w.on != no_index && nature(w.on) == Nature::Lock) {
      c.end = until_end(std::min(w.ready, w.end));
      c.duration = c.end - std::min(c.end, c.begin);
      if (c.duration < options_.suspended) return;
      if (kind(w.on) == "semaphore" && waits_.last_holding[w.on] == none) {
        if (!options_.strict) return;  // somebody counts something with it
        c.severity = Severity::Note;
      }
    } else {
      // Of a chain the last is told: it is what the others wait for.
      const bool is_last = w.on == no_index || waits_.last_wait[w.on] == none;
      if (!options_.strict || !is_last) return;
      c.severity = Severity::Note;
    }
    explained_[c.index] = c.severity != Severity::Note;
    add(c);
  }

  bool was_destroyed(TaskIndex index) const { return task(index).how == Model::End::Cancelled; }

  // ---- tasks ----
  void look_at_tasks() {
    mark_waited_for();
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      const Model::Task& t = task(i);
      if (t.is_resource || t.is_scope || t.how == Model::End::Became) continue;
      const bool destroyed = t.how == Model::End::Cancelled;
      if (!destroyed && !is_open(i)) continue;
      const Nature of = nature(i);
      const bool has_run = waits_.first_run[i] != never || (t.pre_existing && trace_.alive.empty());
      if (of == Nature::Operation) {
        look_at_operation(i, destroyed);
      } else if (!has_run && of == Nature::Runnable) {
        look_at_unstarted(i, destroyed, Lint::NeverStarted, soon);
      } else if (!has_run && of == Nature::Handler) {
        if (kind(i) == "handler" || options_.strict)  // others may be called when something happens
          look_at_unstarted(i, destroyed, Lint::HandlerNeverInvoked, options_.suspended);
      } else if (destroyed) {
        look_at_destroyed(i);
      }
    }
  }

  // At the end of the trace, by a task that has not ended: by the newest of its waits.
  void mark_waited_for() {
    waited_for_by_.assign(model_.tasks.size(), none);
    lock_kept_by_.assign(model_.tasks.size(), none);
    for (const Waits::Wait& w : waits_.waits)
      if (w.is_open() && w.on != no_index && is_open(w.task))
        waited_for_by_[model_.last_self(w.on)] = index_of(w);
    for (uint32_t i = 0; i < waits_.holdings.size(); i++) {
      const Waits::Holding& h = waits_.holdings[i];
      if (h.holder != no_index && kind(h.resource) == "mutex" && is_held(trace_, model_, h))
        lock_kept_by_[h.holder] = i;
    }
  }

  // Nothing ran any more: the program takes itself down.
  bool is_at_the_end(uint64_t time) const { return time > last_run_; }

  // It was destroyed as the next thing after its creation: nobody can have been given it.
  bool was_discarded(TaskIndex i) {
    if (discarded_.empty()) find_discarded();
    return discarded_[i];
  }
  // O(events): only when somebody asks.
  void find_discarded() {
    discarded_.assign(model_.tasks.size(), false);
    const Events& events = trace_.events;
    std::vector<TaskId> just_created(trace_.executors.size() + 1, no_task);
    for (size_t i = 0; i < events.size(); i++) {
      TaskId& created = just_created[std::min<size_t>(events.executor[i], trace_.executors.size())];
      const EventKind kind = events.kind[i];
      if (kind == EventKind::Create) {
        created = events.task[i];
      } else if (events.task[i] != created) {
        created = no_task;
      } else if (kind == EventKind::Cancel) {
        if (const TaskIndex task = model_.find(created); task != no_index) discarded_[task] = true;
        created = no_task;
      }
    }
  }

  void look_at_unstarted(TaskIndex i, bool destroyed, Lint lint, uint64_t least) {
    const Model::Task& t = task(i);
    const uint64_t end = destroyed ? t.end : model_.end;
    const uint64_t age = end - std::min(end, t.start);
    const bool at_the_end = !destroyed || is_at_the_end(t.end);
    Severity severity = t.should_resolve ? Severity::Fault : Severity::Warning;
    if (at_the_end && age < least &&
        !(destroyed && lint == Lint::NeverStarted && was_discarded(i))) {
      if (!options_.strict) return;
      severity = Severity::Note;
    }
    add({.lint = lint,
         .severity = severity,
         .task = i,
         .begin = t.start,
         .end = end,
         .duration = age,
         .location = t.location});
  }

  void look_at_operation(TaskIndex i, bool destroyed) {
    const Model::Task& t = task(i);
    const uint64_t age = model_.end - std::min(model_.end, t.start);
    Candidate c{.lint = Lint::OperationPending,
                .severity = Severity::Note,
                .task = i,
                .begin = t.start,
                .end = model_.end,
                .duration = age,
                .location = t.location,
                .index = waited_for_by_[i]};
    if (destroyed) {
      if (!options_.strict || waits_.first_run[i] != never) return;
      c.lint = Lint::HandlerNeverInvoked;
      c.end = t.end;
      c.duration = t.end - std::min(t.end, t.start);
    } else if (t.should_resolve) {
      c.severity = Severity::Fault;
    } else if (sends(t) && age >= options_.suspended) {
      c.severity = Severity::Warning;  // what was to go out did not
    }
    if (c.severity == Severity::Note && !options_.strict) return;
    if (c.index != none) c.other = waits_.waits[c.index].task;
    add(c);
  }

  bool sends(const Model::Task& t) const {
    const std::string_view name = trace_.strings[t.name];
    return name.find("send") != name.npos || name.find("write") != name.npos;
  }

  void look_at_destroyed(TaskIndex i) {
    const Model::Task& t = task(i);
    const bool matters = t.should_resolve || waited_for_by_[i] != none || lock_kept_by_[i] != none;
    if (!matters && !options_.strict) return;
    if (waited_for_by_[i] != none) explained_[waited_for_by_[i]] = true;
    add({.lint = Lint::DestroyedUnresolved,
         .severity = matters ? Severity::Fault : Severity::Note,
         .task = i,
         .other = waited_for_by_[i] != none ? waits_.waits[waited_for_by_[i]].task : no_index,
         .begin = t.start,
         .end = t.end,
         .location = t.location,
         .index = waited_for_by_[i],
         .second = lock_kept_by_[i]});
  }

  // ---- what `why` finds, and no lint has told yet ----
  void look_at_diagnoses() {
    if (!asked(Lint::SuspendedTooLong) && !asked(Lint::OperationPending) &&
        !asked(Lint::NotifyBeforeWait) && !asked(Lint::NeverStarted) &&
        !asked(Lint::HandlerNeverInvoked))
      return;
    sources_.diagnoses = diagnose_all(trace_, model_, waits_);
    for (uint32_t i = 0; i < sources_.diagnoses.size(); i++) {
      const Diagnosis& d = sources_.diagnoses[i];
      if (!d.is_fault()) continue;
      if (std::any_of(d.chain.begin(), d.chain.end(), [&](const Diagnosis::Step& step) {
            return is_unsure(step.task) || (step.wait != none && explained_[step.wait]);
          }))
        continue;
      const std::optional<Candidate> c = candidate(i);
      // Time ends at the last event of a program that hangs, so no wait is long there.
      if (!c || (c->duration < options_.suspended && !lasts(d))) continue;
      for (size_t n = 0; n <= d.also.size(); n++) add(*c);
    }
  }

  // It cannot end any more, however short it has waited yet.
  bool lasts(const Diagnosis& d) const {
    if (!is_open(d.chain.front().task)) return false;  // destroyed: the lint about that tells it
    if (d.verdict == Verdict::Cycle) return true;
    const bool is_kept = d.verdict == Verdict::NeverReleased && !is_open(d.chain.back().task);
    return is_kept || (d.expected && !options_.goes_on);
  }

  // None: another lint's, which has told it or is about something else.
  std::optional<Candidate> candidate(uint32_t diagnosis) const {
    const Diagnosis& d = sources_.diagnoses[diagnosis];
    const Diagnosis::Step& first = d.chain.front();
    const Diagnosis::Step& last = d.chain.back();
    Candidate c{.lint = Lint::SuspendedTooLong,
                .severity = Severity::Fault,
                .task = first.task,
                .begin = task(first.task).start,
                .end = model_.end,
                .location = task(first.task).location,
                .index = diagnosis,
                .value = 1};  // a diagnosis
    if (first.wait != none) {
      const Waits::Wait& w = waits_.waits[first.wait];
      c.other = w.on;
      c.begin = w.begin;
      c.end = until_end(w.end);
      c.location = w.location;
    }
    c.duration = c.end - std::min(c.end, c.begin);
    switch (d.verdict) {
      case Verdict::Outside:
        if (d.chain.size() == 1) return {};
        c.lint = Lint::OperationPending;
        c.task = last.task;
        c.other = first.task;
        break;
      case Verdict::NotifiedTooEarly:
        if (!d.expected) return {};  // it may look before it waits
        about_early_notice(c, d);
        break;
      case Verdict::Starved:
      case Verdict::NeverStarted:
        if (!d.expected) return {};
        if (last.wait != none)
          about_its_turn(c, last.wait);
        else if (!about_unstarted(c, last.task))
          return {};
        break;
      default:
        break;
    }
    return c;
  }

  void about_early_notice(Candidate& c, const Diagnosis& d) const {
    const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
    const Waits::Wait& w = waits_.waits[waiter.wait];
    c.lint = Lint::NotifyBeforeWait;
    c.task = waiter.task;
    c.other = d.chain.back().task;
    c.begin = d.notice != none ? waits_.notices[d.notice].time : task(c.other).end;
    c.end = w.begin;
    c.duration = length(w);
    c.location = w.location;
    c.index = waiter.wait;
    c.second = d.notice;
  }

  void about_its_turn(Candidate& c, uint32_t wait) const {
    const Waits::Wait& w = waits_.waits[wait];
    c.task = w.task;
    c.other = w.on;
    c.begin = until_end(w.ready);
    c.end = model_.end;
    c.duration = c.end - c.begin;
    c.location = w.location;
    c.index = c.second = wait;
    c.value = 0;
  }

  // False: that it never ran is told already.
  bool about_unstarted(Candidate& c, TaskIndex last) const {
    const Nature of = nature(last);
    if (of != Nature::Runnable && of != Nature::Handler) return true;
    const uint64_t age = model_.end - std::min(model_.end, task(last).start);
    const bool is_handler = of == Nature::Handler;
    if (age >= (is_handler ? options_.suspended : soon) && (!is_handler || kind(last) == "handler"))
      return false;
    c.lint = is_handler ? Lint::HandlerNeverInvoked : Lint::NeverStarted;
    c.task = last;
    c.other = no_index;
    c.begin = task(last).start;
    c.end = model_.end;
    c.duration = age;
    c.location = task(last).location;
    return true;
  }

  // ---- runs ----
  void look_at_runs() {
    if (!asked(Lint::RanTooLong) && !asked(Lint::LockAcrossWait)) return;
    sources_.runs = long_runs(model_, waits_, options_.running);
    for (uint32_t i = 0; i < sources_.runs.size(); i++) {
      const Run& run = sources_.runs[i];
      const std::string_view of = kind(run.task);
      if (of == "thread" || of == "process") continue;
      add({.lint = Lint::RanTooLong,
           .task = run.task,
           .begin = run.begin,
           .end = run.end,
           .duration = run.ran,
           .location = run.location != 0 ? run.location : task(run.task).location,
           .index = i});
    }
    // Of very many the longest have to do for what follows.
    constexpr size_t most = 1000;
    blockers_ = sources_.runs;
    if (blockers_.size() <= most) return;
    std::nth_element(blockers_.begin(), blockers_.begin() + most, blockers_.end(),
                     [](const Run& a, const Run& b) { return a.ran > b.ran; });
    blockers_.resize(most);
  }

  // ---- levels ----
  void look_at_levels() {
    const auto add_all = [&](Lint lint, std::vector<Growth> found) {
      for (const Growth& g : found) {
        add({.lint = lint,
             .task = g.resource,
             .begin = g.begin,
             .end = g.end,
             .duration = static_cast<uint64_t>(std::max<int64_t>(0, g.to - g.from)),
             .index = static_cast<uint32_t>(sources_.growths.size()),
             .value = g.counter});
        sources_.growths.push_back(g);
      }
    };
    if (asked(Lint::CounterOnlyGrows))
      add_all(Lint::CounterOnlyGrows, growing_counters(trace_, model_));
    if (asked(Lint::QueueOnlyGrows))
      add_all(Lint::QueueOnlyGrows, growing_queues(trace_, model_, waits_));
  }

  // In a damaged trace a task may be destroyed before it is created.
  static std::vector<Evidence> in_bounds(std::vector<Evidence> evidence) {
    for (Evidence& e : evidence) e.end = std::max(e.begin, e.end);
    return evidence;
  }

  std::vector<Finding> finish() {
    std::vector<Finding> found;
    detail::EvidenceFinder evidence(sources_);
    for (const auto& [key, group] : groups_) {
      const Candidate& c = group.worst;
      found.push_back(
          {.lint = c.lint,
           .severity = c.severity,
           .task = c.task,
           .other = c.other,
           .counter = c.lint == Lint::CounterOnlyGrows ? static_cast<StringId>(c.value) : 0,
           .begin = c.begin,
           .end = std::max(c.begin, c.end),
           .evidence = in_bounds(evidence.find(c)),
           .duration = c.duration,
           .count = group.count,
           .total = group.total});
    }
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
      if (a.severity != b.severity) return a.severity < b.severity;
      if (a.lint != b.lint) return a.lint < b.lint;
      return a.begin < b.begin;
    });
    return found;
  }

  const Trace& trace_;
  const Model& model_;
  const Waits& waits_;
  const DoctorOptions& options_;
  std::vector<Nature> natures_;  // by kind
  bool is_mirage_ = false;
  uint64_t last_run_ = 0;                // when somebody ran for the last time
  std::vector<bool> unsure_;             // of each task; empty: none is
  std::vector<bool> discarded_;          // of each task; empty: not yet known
  std::vector<bool> explained_;          // waits that a finding tells of
  std::vector<uint32_t> waited_for_by_;  // of each task: a wait
  std::vector<uint32_t> lock_kept_by_;   // of each task: a holding
  std::optional<RowsBy> waits_by_task_;
  std::optional<RowsBy> holdings_by_lock_;
  std::optional<RowsBy> notices_by_target_;
  std::map<Key, Group> groups_;
  detail::Sources sources_;
  std::vector<Run> blockers_;
};

struct About {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<About, lint_count> all_lints = {{
    {"notify-before-wait", "a signal found nobody, and then somebody began to wait for it"},
    {"lock-order-cycle", "locks are taken in one order here and in another there"},
    {"destroyed-unresolved", "a task was destroyed, and somebody counts on its end"},
    {"never-started", "a task was created, and nobody let it run"},
    {"handler-never-invoked", "a handler was created and destroyed or forgotten, and never run"},
    {"suspended-too-long", "a task waits for a lock, or for its turn, or should have ended"},
    {"ran-too-long", "a task ran without a suspension, and others could not"},
    {"lock-across-wait", "who held a lock waited for something else, and others for the lock"},
    {"operation-pending", "a send, or what somebody counts on, has not completed at the end"},
    {"self-wake", "a task wakes itself, or posts itself, again and again"},
    {"counter-only-grows", "a level never comes back to where it was"},
    {"queue-only-grows", "ever more is in a channel or queue, or ever more wait for a lock"},
}};

}  // namespace

std::string_view name(Lint lint) { return all_lints[static_cast<size_t>(lint)].name; }

std::string_view meaning(Lint lint) { return all_lints[static_cast<size_t>(lint)].meaning; }

std::optional<Lint> find_lint(std::string_view name) {
  for (size_t i = 0; i < lint_count; i++)
    if (all_lints[i].name == name) return static_cast<Lint>(i);
  return {};
}

std::string_view name(Finding::Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"fault", "warning", "note"};
  return names[static_cast<size_t>(severity)];
}

std::vector<Finding> examine(const Trace& trace, const Model& model, const Waits& waits,
                             const DoctorOptions& options) {
  return Doctor(trace, model, waits, options).examine();
}

}  // namespace skein
