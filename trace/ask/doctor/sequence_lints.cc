// Tasks that await similar tasks one after the other: each is created when the one before it has
// ended, at the same place. If they are independent, they could run together. Whether they are is
// not in a trace: one may need the result of another.
#include <algorithm>
#include <string_view>
#include <vector>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"

namespace skein::detail {

namespace {

constexpr uint64_t fewest = 10;
constexpr uint64_t shortest = 20'000'000;  // the sum of the waits, ns

class SequenceLint {
 public:
  SequenceLint(const LintContext& context, Findings& found)
      : context_(context),
        model_(context.model),
        waits_(context.waits),
        found_(found),
        shares_(model_.tasks.size()),
        waits_for_more_(model_.tasks.size()),
        ran_(model_.tasks.size()),
        sequences_(model_.tasks.size()) {}

  void run() {
    find_shared();
    for (const Model::Activation& a : model_.activations) ran_[a.task] += a.end - a.start;
    for (const Waits::Wait& w : waits_.waits) look_at(w);
    for (const Sequence& sequence : sequences_)
      if (sequence.count != 0 && !context_.is_open(waits_.waits[sequence.last].task))
        report(sequence);
  }

 private:
  struct Sequence {
    uint64_t count = 0;
    uint32_t first = none;  // waits
    uint32_t last = none;
    uint64_t waited = 0;  // ns
    uint64_t ran = 0;     // by the awaited tasks, ns
  };

  // Marks what uses an object or a resource that is older than itself: a connection, a mutex. Such
  // tasks may have to take turns.
  void find_shared() {
    for (const Model::Concern& use : model_.concerns)
      if (use.object != none) share(use.task, model_.objects[use.object].start);
    for (const Waits::Wait& w : waits_.waits) {
      if (w.on == no_index) {
        waits_for_more_[w.task] = true;
        continue;
      }
      const Model::Task& target = context_.task(w.on);
      if (target.is_resource) share(w.task, target.start);
      if (context_.kind(w.on) != "timer") waits_for_more_[w.task] = true;
    }
  }
  void share(TaskIndex task, uint64_t since) {
    constexpr int deepest = 100;
    for (int depth = 0; depth < deepest && task != no_index; depth++) {
      if (context_.task(task).start <= since) return;
      shares_[task] = true;
      task = context_.task(task).parent;
    }
  }

  // A task that only waits for a timer is a pause, which is meant to take time.
  bool is_part(const Waits::Wait& w) const {
    if (w.on == no_index || w.is_open() || w.cancelled || w.end_overwritten) return false;
    const Model::Task& task = context_.task(w.on);
    return context_.kind(w.on) == "coroutine" && task.how == Model::End::Resolved &&
           task.parent == w.task && !shares_[w.on] && waits_for_more_[w.on];
  }

  bool continues(const Sequence& sequence, const Waits::Wait& w) const {
    if (sequence.count == 0) return false;
    const Waits::Wait& before = waits_.waits[sequence.last];
    const Model::Task& task = context_.task(w.on);
    const Model::Task& last = context_.task(before.on);
    return w.location == before.location && task.name == last.name &&
           task.location == last.location && task.start >= before.end;
  }

  void look_at(const Waits::Wait& w) {
    Sequence& sequence = sequences_[w.task];
    const bool is_in = is_part(w);
    if (!is_in || !continues(sequence, w)) {
      // A wait that lasts, or was cut off, may be one more of them.
      if (sequence.count != 0 && !w.is_open() && !w.cancelled) report(sequence);
      sequence = {};
    }
    if (!is_in) return;
    sequence.last = context_.index_of(w);
    if (sequence.count++ == 0) sequence.first = sequence.last;
    sequence.waited += context_.length(w);
    sequence.ran += ran_[w.on];
  }

  // Tasks that compute are not faster together.
  void report(const Sequence& sequence) {
    if (sequence.count < fewest || sequence.waited < shortest) return;
    if (sequence.ran > sequence.waited / 2) return;
    const Waits::Wait& first = waits_.waits[sequence.first];
    const Waits::Wait& last = waits_.waits[sequence.last];
    found_.add({.lint = Lint::SequentialAwaits,
                .severity = Finding::Severity::Note,
                .task = first.task,
                .other = last.on,
                .begin = first.begin,
                .end = last.end,
                .duration = sequence.waited,
                .location = first.location,
                .index = sequence.first,
                .second = sequence.last,
                .value = sequence.count});
  }

  const LintContext& context_;
  const Model& model_;
  const Waits& waits_;
  Findings& found_;
  // By task:
  std::vector<bool> shares_;
  std::vector<bool> waits_for_more_;
  std::vector<uint64_t> ran_;
  std::vector<Sequence> sequences_;
};

}  // namespace

void add_sequence_findings(const LintContext& context, Findings& found) {
  if (context.is_enabled(Lint::SequentialAwaits) && !context.is_mirage)
    SequenceLint(context, found).run();
}

}  // namespace skein::detail
