#include "report/explain_thread.h"

#include <algorithm>

#include "report/sentence_writer.h"
#include "trace/ask/invoked.h"

namespace skein {

namespace {

class ThreadWriter : public SentenceWriter {
 public:
  using SentenceWriter::SentenceWriter;

  void write() { d_.verdict == Verdict::Running ? running() : starved(); }

 private:
  // Of a handler of a strand: the one that this strand runs now. Returns false if there is none.
  bool strand() {
    const Model::Object* object = used_by(e_.model, last().task);
    if (object == nullptr || kind_name(e_.trace, object->kind) != "strand") return false;
    for (uint32_t u = object->last_use; u != Model::Object::none; u = e_.model.concerns[u].before) {
      const TaskIndex other = e_.model.concerns[u].task;
      const uint64_t first = e_.waits.first_run[other];
      if (other == last().task || first == Waits::never || !e_.model.is_open(other)) continue;
      text(" Its strand runs ");
      task(other);
      where(e_.model.tasks[other].location);
      text(", since ");
      time(first);
      text(", and nothing else until that returns.");
      return true;
    }
    return false;
  }

  void running() {
    title();
    near(near_location_of(e_, last()));
    if (is_end_known(e_.model)) {
      text(" has run ");
      duration(e_.model.end - d_.running_since);
      if (d_.thread_state.empty()) {
        text(" without a suspension: it is busy or blocked in a call.");
      } else {
        text(d_.similar.empty() ? " without a suspension. Its thread "
                                : " without a suspension. Each of these threads ");
        text(d_.thread_state);
        text(".");
      }
      if (d_.pool) return pool(*d_.pool);
      return text(" Until it returns, no other task can use its thread.");
    }
    text(" was running at the last event of the trace. If the program hung, this task was busy, ");
    text("or blocked in a call, and no other task could use its thread.");
  }

  void pool(const BlockedPool& pool) {
    if (pool.threads == 1) {
      text(" It is the only thread that has run handlers of ");
      text(pool.context);
      text(", and ");
      number(pool.queued);
      text(pool.queued == 1 ? " handler waits for it." : " handlers wait for it.");
    } else {
      text(" All ");
      number(pool.threads);
      text(" threads that have run handlers of ");
      text(pool.context);
      text(" are in such runs, and ");
      number(pool.queued);
      text(pool.queued == 1 ? " handler waits for one of them" : " handlers wait for one of them");
      if (pool.in_strands != 0) {
        text(", and ");
        number(pool.in_strands);
        text(" more for a strand");
      }
      text(".");
    }
    if (!pool.strands.empty()) return strands(pool.strands);
    if (pool.posted == 0) return;
    text(pool.threads == 1 ? " This run has posted " : " These runs have posted ");
    number(pool.posted);
    text(" of these handlers, the first ");
    task(pool.first);
    text(pool.threads == 1 ? ": if it waits for them, this is a deadlock."
                           : ": if they wait for them, this is a deadlock.");
  }

  void strands(const std::vector<TaskIndex>& cycle) {
    text(" ");
    for (size_t i = 0; i < cycle.size(); i++) {
      if (i != 0) text(i + 1 == cycle.size() ? " and " : ", ");
      task(cycle[i]);
    }
    text(" each occupy a strand, and have posted handlers that wait for the strand of ");
    text(cycle.size() == 2 ? "the other" : "the next, the last for that of the first");
    text(": if they wait for these handlers, this is a deadlock.");
  }

  void starved() {
    const uint64_t ready = ready_since(e_.model, e_.waits, last());
    const Model::Concern* use = e_.model.concern(last().task);
    title();
    text(last().wait == Waits::none && use != nullptr && use->expires != 0 ? " expired "
                                                                           : " became runnable ");
    at(ready);
    text(", and did not run for ");
    duration(e_.model.end - std::min(ready, e_.model.end));
    text(".");
    if (d_.served != Waits::never && d_.blocker == no_index) {
      text(" No thread has run a handler of its context since ");
      time(d_.served);
      if (d_.signal != no_index) {
        text(", when ");
        task(d_.signal);
        text(" received a signal: the program has probably stopped it to end");
      }
      text(".");
    }
    if (strand() || d_.blocker == no_index) return;
    text(" ");
    task(d_.blocker);
    where(location_of_invoked(e_, d_.blocker));
    text(" ran the longest on its thread in that time.");
    if (!e_.waits.running[d_.blocker] || e_.model.tasks[last().task].parent != d_.blocker) return;
    text(" It has posted ");
    title();
    text(", and still runs: if it waits for it, this is a deadlock.");
  }
};

}  // namespace

void explain_thread(const Subject& subject, const Diagnosis& diagnosis, Sentence& out) {
  ThreadWriter(subject, diagnosis, out).write();
}

}  // namespace skein
