#include "report/explain_wakeup.h"

#include <algorithm>

#include "report/sentence_writer.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

class WakeupWriter : public SentenceWriter {
 public:
  using SentenceWriter::SentenceWriter;

  void write() {
    switch (d_.verdict) {
      case Verdict::NeverNotified:
        return never_notified();
      case Verdict::LostWakeup:
        return lost_wakeup();
      case Verdict::Deadlock:
        return deadlock();
      case Verdict::NeverReleased:
        return never_released();
      case Verdict::NeverExpires:
        return never_expires();
      default:
        return;
    }
  }

 private:
  void deadlock() {
    if (d_.fed_channel) return fed_channel(*d_.fed_channel);
    if (d_.own_lock) return own_lock();
    if (d_.mutual_sends) return mutual_sends(*d_.mutual_sends);
    text("Deadlock: the wait chain leads back to ");
    task(d_.chain[d_.cycle_begin].task);
    text(".");
  }

  void never_notified() {
    const bool is_resource = e_.model.tasks[last().task].is_resource;
    title();
    text(is_resource ? " has not been notified" : " has not been resolved");
    if (is_resource && d_.chain.size() > 1) {
      text(" since ");
      waiter();
      text(" began to wait");
    }
    text(".");
    last_event();
  }

  void never_expires() {
    title();
    where(location_of(e_, last()));
    text(" never expires, and ");
    uint32_t newest = Model::Object::none;
    const uint64_t cancels = cancels_since(newest);
    const bool has_woken_others = cancels != 0 && others_since() >= cancels;
    const uint64_t in_vain = has_woken_others ? 0 : cancels;
    if (cancels == 0) {
      text("no task has cancelled it since ");
    } else if (has_woken_others) {
      text("it was cancelled for other waiters only (cancel_one), ");
      number(cancels);
      text(cancels == 1 ? " time since " : " times since ");
    } else {
      text("has not ended although it was cancelled ");
      number(in_vain);
      text(in_vain == 1 ? " time since " : " times since ");
    }
    waiter();
    text(d_.retried ? " last began to wait." : " began to wait.");
    if (in_vain != 0) return last_vain_cancel(e_.model.cancels[newest]);
    if (d_.retried) retried(*d_.retried);
    cancelled_before();
    unreturned();
    failed_waker();
    last_hope();
  }

  void fed_channel(const FedChannel& channel) {
    const Model::Task& waiting = e_.model.tasks[last().task];
    const bool sends = e_.trace.strings[waiting.name].starts_with("channel.async_send");
    const auto last_user = [&] {
      task(e_.model.tasks[channel.last].parent);
      where(e_.model.tasks[channel.last].location);
    };
    title();
    where(waiting.location);
    text(sends ? " waits for a task that receives from the channel."
               : " waits for a task that sends to the channel.");
    if (channel.successor != no_index) {
      text(" The last to receive from it was ");
      last_user();
      text(", which has ended. ");
      task(channel.successor);
      text(" is of the same function, and waits to send to another channel");
      where(location_of(
          e_, {.task = channel.successor, .wait = e_.waits.last_wait[channel.successor]}));
    } else {
      text(sends ? " Every task that has received from it waits to send to "
                 : " Every task that has sent to it waits to receive from ");
      text(channel.next == no_index ? "it: " : "another channel: ");
      number(channel.tasks);
      text(channel.tasks == 1 ? " task, " : " tasks, the last of which was ");
      last_user();
    }
    text(".");
    if (channel.next != no_index)
      text(" The tasks that receive from that channel wait to send, too: a deadlock.");
  }

  void mutual_sends(const MutualSends& sends) {
    title();
    where(e_.model.tasks[last().task].location);
    text(" waits for ");
    text(peer_of(e_.trace, e_.model, last().task));
    text(" to read. The other end is in this program, where ");
    task(sends.peer);
    where(location_of(e_, {.task = sends.peer, .wait = e_.waits.last_wait[sends.peer]}));
    text(" waits to send, too, and no task is left that reads from either: a deadlock.");
    if (sends.last_read == no_index) {
      text(" ");
      waiter();
      return text(" has not read from it yet.");
    }
    text(" The last to read from it was ");
    task(sends.last_read);
    where(e_.model.tasks[sends.last_read].location);
    text(", which ended ");
    at(e_.model.tasks[sends.last_read].end);
    text(".");
  }

  void own_lock() {
    never_expires();
    const Waits::Wait& passed = e_.waits.waits[d_.own_lock->passed];
    const auto function = [&] {
      text(e_.trace.strings[e_.model.tasks[e_.model.last_self(passed.on)].name]);
    };
    text(" ");
    task(d_.own_lock->waiter);
    text(" has called ");
    function();
    text(" before");
    where(passed.location);
    text(
        ", and has cancelled nothing since. Only tasks like it have cancelled such timers, and "
        "all ");
    text("of them wait: if ");
    function();
    text(" takes a lock, this is a deadlock.");
  }

  // A call that checks a condition in a loop.
  void retried(const Retried& waits) {
    const Diagnosis::Step& caller = d_.chain[d_.chain.size() - 3];
    text(" ");
    waiter();
    text(" has been woken ");
    number(waits.count);
    text(" times since ");
    task(caller.task);
    text(" called it");
    where(location_of(e_, caller));
    text(", and waited again each time");
    if (waits.others != 0) {
      text("; ");
      number(waits.others);
      text(waits.others == 1 ? " other call has returned since"
                             : " other calls have returned since");
    }
    text(". If it checks a condition, that may never hold.");
  }

  // Operations that use the same object and have ended since this one began.
  uint64_t others_since() const {
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->object == Model::Object::none) return 0;
    const uint64_t start = e_.model.tasks[last().task].start;
    uint64_t count = 0;
    for (uint32_t i = e_.model.objects[use->object].last_use; i != Model::Object::none;
         i = e_.model.concerns[i].before) {
      const Model::Task& other = e_.model.tasks[e_.model.concerns[i].task];
      count += other.how != Model::End::Open && other.end > start;
    }
    return count;
  }
  // Cancels since the operation began, which has not ended. `newest`: the last one.
  uint64_t cancels_since(uint32_t& newest) const {
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->object == Model::Object::none) return 0;
    newest = e_.model.objects[use->object].last_cancel;
    uint64_t count = 0;
    for (uint32_t i = newest; i != Model::Object::none; i = e_.model.cancels[i].before)
      count += e_.model.cancels[i].time > e_.model.tasks[last().task].start;
    return count;
  }
  void last_vain_cancel(const Model::Cancel& cancel) {
    text(" The last to cancel it was ");
    actor(cancel.by);
    if (cancel.by != no_index) near(location_near(e_, cancel.by, cancel.time));
    text(", ");
    at(cancel.time);
    text(". Its handler waits for its turn, or threads have used the timer at the same time, which ");
    text("needs a strand.");
  }

  // Other tasks may wait for the same timer: the cancel that came too early for one woke another.
  void cancelled_before() {
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->object == Model::Object::none) return;
    const Model::Object& timer = e_.model.objects[use->object];
    const uint32_t index = timer.last_cancel;
    if (index == Model::Object::none) {
      if (!timer.pre_existing) text(" In the trace, no task has ever cancelled it.");
      return;
    }
    const Model::Cancel& cancel = e_.model.cancels[index];
    if (cancel.by == no_index || cancel.time >= e_.model.tasks[last().task].start) return;
    text(" The last one to cancel it was ");
    task(cancel.by);
    near(location_near(e_, cancel.by, cancel.time));
    text(", ");
    duration(e_.model.tasks[last().task].start - cancel.time);
    text(" earlier.");
  }

  // Calls that may have kept a permit.
  void unreturned() {
    constexpr size_t most = 3;
    if (!d_.unreturned) return;
    const std::vector<TaskIndex>& without = d_.unreturned->without;
    text(" ");
    number(d_.unreturned->count);
    text(" tasks like ");
    task(d_.unreturned->like);
    text(" cancelled it before they ended. ");
    for (size_t i = 0; i < std::min(without.size(), most); i++) {
      if (i != 0) text(i + 1 == without.size() ? " and " : ", ");
      task(without[i]);
      near(location_near(e_, without[i], e_.model.tasks[without[i]].end));
    }
    if (without.size() > most) {
      text(" and ");
      number(without.size() - most);
      text(" more");
    }
    text(
        " ended without that: if these had acquired what the timer stands for, they have not "
        "released it.");
  }

  void last_hope() {
    if (!d_.is_last) return;
    text(" No other operation is pending and no task can run, so nothing in the trace is left ");
    text("that could cancel it.");
    if (d_.is_alone)
      text(" One thread waits in its event loop, and no other thread of the process can run.");
  }

  // Waits at this place that other calls ended, and a call that failed before it could.
  void failed_waker() {
    if (!d_.failed_waker) return;
    const FailedWaker& f = *d_.failed_waker;
    const Model::Task& failed = e_.model.tasks[f.failed];
    text(" Tasks like ");
    task(f.like);
    where(f.location, " (after ");
    text(" have ended ");
    number(f.count);
    text(" waits at this place. ");
    task(f.failed);
    if (f.others != 0) {
      text(" and ");
      number(f.others);
      text(f.others == 1 ? " other" : " others");
    }
    text(" failed there");
    if (failed.reason != 0) {
      text(" (");
      text(e_.trace.strings[failed.reason]);
      text(")");
    }
    text(f.others == 0 ? " " : ", the last ");
    at(failed.end);
    text(
        ", and cancelled nothing: if this task waits for that one, it must cancel the timer when "
        "it fails, too.");
  }

  // The task for which the last cancel was made, if that has ended, while others like it go on.
  void ended_canceller(TaskIndex by) {
    TaskIndex caller = by;
    for (TaskIndex at = e_.model.tasks[by].parent; at != no_index && !e_.model.is_open(at);
         at = e_.model.tasks[at].parent)
      if (kind_class(e_.trace, e_.model.tasks[at]) == KindClass::Runnable) caller = at;
    const Model::Task& one = e_.model.tasks[caller];
    if (caller == by || one.how == Model::End::Open || one.location == 0) return;
    uint64_t open = 0;
    uint64_t ended = 0;
    for (const Model::Task& task : e_.model.tasks) {
      if (task.name != one.name || task.location != one.location || task.parent != one.parent)
        continue;
      (task.how == Model::End::Open ? open : ended)++;
    }
    if (open == 0 || ended != 1) return;
    text(" ");
    task(by);
    text(" was called by ");
    task(caller);
    where(one.location);
    text(", which ended ");
    at(one.end);
    text("; ");
    number(open);
    text(open == 1 ? " other task of its function goes on."
                   : " other tasks of its function go on.");
  }

  // After `time`, when the wake-up came.
  void began_to_wait(const Waits::Wait& wait, uint64_t time) {
    waiter();
    text(" began to wait ");
    at(wait.begin);
    where(wait.location);
    text(", ");
    duration(wait.begin - std::min(wait.begin, time));
    text(" later.");
  }

  void lost_cancel() {
    const Model::Cancel& cancel = e_.model.cancels[d_.cancel];
    const Waits::Wait& wait = e_.waits.waits[before_last().wait];
    task(cancel.by);
    near(location_near(e_, cancel.by, cancel.time));
    text(" cancelled the timer ");
    at(cancel.time);
    text(", when no task was waiting. ");
    began_to_wait(wait, cancel.time);
    text(" The timer never expires, and no task has cancelled it since.");
    ended_canceller(cancel.by);
    unreturned();
    failed_waker();
    last_hope();
    if (d_.is_last) return;
    text(" If ");
    waiter();
    text(" checks for work before it waits, this is harmless.");
  }

  void lost_wakeup() {
    if (d_.cancel != Model::Object::none) return lost_cancel();
    title();
    if (d_.notification == Waits::none) {  // a task that has ended
      text(" ended ");
      at(e_.model.tasks[last().task].end);
      text(", before ");
      waiter();
      text(" began to wait for it; nothing will wake ");
      waiter();
      text(".");
      return;
    }
    const Waits::Notification& notification = e_.waits.notifications[d_.notification];
    const Waits::Wait& wait = e_.waits.waits[before_last().wait];
    text(" was notified ");
    at(notification.time);
    by(notification.by, notification.location);
    text(", when no task was waiting. ");
    began_to_wait(wait, notification.time);
    text(" The notification was not stored, and none followed.");
    if (!d_.waited_before && !d_.created_after) return;
    text(" (");
    waiter();
    text(d_.waited_before ? " has waited here before and was resumed" : " was created after that");
    text(". If it checks for work before it waits, this is harmless.)");
  }

  void never_released() {
    const bool has_ended = last().holding != Waits::none;  // and its events are overwritten
    const Diagnosis::Step& lock = has_ended ? last() : before_last();
    const Waits::Holding& held = e_.waits.holdings[lock.holding];
    const Model::Task& holder = e_.model.tasks[last().task];
    const bool was_before = held.begin == 0 && is_before(lock.task);
    if (!has_ended && holder.how != Model::End::Open) {
      title();
      text(" acquired ");
      task(lock.task);
      text(" ");
      was_before ? text("before the trace") : at(held.begin);
      where(held.location);
      text(" and ended ");
      at(holder.end);
      text(" without releasing it.");
      return;
    }
    if (has_ended) {
      task(lock.task);
      text(" has been held since ");
    } else {
      title();
      text(" has held ");
      task(lock.task);
      text(" since ");
    }
    was_before ? text("before the trace") : time(held.begin);
    where(held.location);
    if (has_ended) return text(" by a task that has ended; its events were overwritten.");
    text(e_.waits.running[last().task] ? " and is running." : " and is not running.");
  }

  bool is_before(TaskIndex index) const {
    const LiveTaskEntry* entry = e_.trace.find_live_task(e_.model.tasks[index].id);
    return entry != nullptr && entry->since < 0;
  }
};

}  // namespace

void explain_wakeup(const Subject& subject, const Diagnosis& diagnosis, Sentence& out) {
  WakeupWriter(subject, diagnosis, out).write();
}

}  // namespace skein
