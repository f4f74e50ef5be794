#include "report/explain_object.h"

#include <algorithm>

#include "report/object_text.h"
#include "report/sentence_writer.h"
#include "trace/ask/object_waits.h"

namespace skein {

namespace {

class ObjectWriter : public SentenceWriter {
 public:
  using SentenceWriter::SentenceWriter;

  void write() {
    if (d_.verdict == Verdict::Deadlock) text("Deadlock: ");
    waits(*d_.awaited);
    if (d_.relocked) return relocked(*d_.relocked);
    last_to_pass(*d_.awaited);
    if (d_.forgotten) forgotten(*d_.forgotten);
  }

 private:
  void object(const AwaitedObjectWait& wait) {
    if (wait.type == 0) {
      text("the object at ");
    } else {
      text(object_type(e_.trace.strings[wait.type]));
      text(" ");
    }
    out_.push_back({.kind = TextRun::Kind::Address, .value = wait.address});
  }

  void waits(const AwaitedObjectWait& wait) {
    title();
    text(" waits for ");
    object(wait);
    if (wait.type != 0) {
      if (const auto function = object_function(e_.trace.strings[wait.type]); !function.empty()) {
        text(" (");
        text(function);
        text(")");
      }
    }
    if (wait.others != 0) {
      text(", with ");
      number(wait.others);
      text(wait.others == 1 ? " other task" : " other tasks");
    }
    text(".");
  }

  // Of a lock, these may hold it: the trace shows which tasks passed, but not which have released.
  void relocked(const Relocked& by) {
    text(" ");
    task(by.passer);
    text(by.passer == last().task ? " has passed it before, "
                                  : ", which waits for it, has passed the object before, ");
    at(by.passed);
    where(by.location);
    if (by.other != no_index) {
      text(", and so has ");
      task(by.other);
      if (by.others > 1) {
        text(" and ");
        number(by.others - 1);
        text(by.others == 2 ? " other task that waits" : " other tasks that wait");
      } else {
        text(", which waits, too");
      }
    }
    text(". Every other task that has passed it has ended. If ");
    if (!by.is_lock) text("the object is a lock, and ");
    if (by.other != no_index)
      return text("they have not released it since, they wait for each other.");
    task(by.passer);
    text(" has not released it since, it waits for itself.");
  }

  // Which task holds a lock of a library is unknown: the last to continue there may.
  void last_to_pass(const AwaitedObjectWait& wait) {
    if (wait.last == no_index) {
      text(e_.trace.info.overwritten_packets == 0
               ? " No task has continued after a wait for it."
               : " In the events that the ring still holds, no task has continued after a wait for "
                 "it.");
      return;
    }
    const bool is_own = wait.last == last().task;
    if (is_own) {
      text(" It was itself the last task to continue there");
    } else {
      text(" The last task to continue there was ");
      task(wait.last);
    }
    if (!is_own || wait.last_location != location_of(e_, last())) where(wait.last_location);
    text(", ");
    at(wait.last_at);
    if (!e_.model.is_open(wait.last)) return text("; it has ended.");
    if (!is_own && !d_.last_awaits) return holder(wait.last);
    if (is_own || d_.last_awaits->address == wait.address) {
      if (!is_own) text("; it waits for it again");
      return wrong_one(wait);
    }
    text("; it waits for ");
    object(*d_.last_awaits);
    if (d_.last_awaits->last != last().task) return text(".");
    text(", where ");
    title();
    text(" was the last.");
    if (!is_named_service(e_.trace, wait.type) && !is_named_service(e_.trace, d_.last_awaits->type))
      text(" If these are locks, this is a deadlock.");
  }

  // The last task to continue there waits for it again: a condition of the program may have woken a
  // task that it does not concern.
  void wrong_one(const AwaitedObjectWait& wait) {
    constexpr uint64_t shortest = 1'000'000'000;  // ns
    const bool is_old = e_.model.end - std::min(e_.model.end, wait.last_at) >= shortest;
    if (!is_old || wait.other_location == 0 || is_named_lock(e_.trace, wait.type)) return text(".");
    text(", and no task has continued there since. Tasks of another function wait for it as well");
    where(wait.other_location);
    text(
        ". If it is a condition for both, notify_one() may have woken the wrong task, which has "
        "not passed that on.");
  }

  // Of the last task to continue there, which waits for something else.
  void holder(TaskIndex last) {
    const Waits::Wait* other = e_.waits.open(last);
    if (other == nullptr || !other->is_open()) return text(".");
    text("; it waits");
    if (other->on != no_index) {
      text(" for ");
      task(e_.model.last_self(other->on));
    }
    where(other->location);
    text(", for ");
    duration(e_.model.end - std::min(e_.model.end, other->begin));
    text(". If the object is a lock that it holds, the others wait for it.");
  }

  void forgotten(const Forgotten& by) {
    text(" The first task passed ");
    at(by.set);
    text(". ");
    if (by.woken != 0) {
      number(by.woken);
      text(by.woken == 1 ? " of those that waited has continued, and "
                         : " of those that waited have continued, and ");
    }
    number(by.at_once);
    text(" that began later passed at once. If the object is an event, it has forgotten ");
    title();
    text(": it may store only one waiter.");
  }
};

}  // namespace

void explain_object(const Subject& subject, const Diagnosis& diagnosis, Sentence& out) {
  ObjectWriter(subject, diagnosis, out).write();
}

}  // namespace skein
