#include "report/explain.h"

#include <algorithm>
#include <array>

#include "trace/ask/invoked.h"
#include "trace/model/names.h"
#include "trace/read/connection.h"

namespace skein {

namespace {

// What completes an operation, by its name. The rest of a sentence that begins with its title.
std::string_view pending(std::string_view operation) {
  struct Pending {
    std::string_view begin;
    std::string_view text;
  };
  constexpr Pending known[] = {
      {"socket.async_accept", " waits for a connection."},
      {"socket.async_connect", " waits for its peer to accept the connection."},
      {"socket.async_receive", " waits for its peer to send."},
      {"socket.async_send", " waits for its peer to read."},
      {"socket.async_wait", " waits for its peer."},
      {"signal_set.", " waits for a signal."},
      {"resolver.", " waits for the name service."},
      {"channel.async_send", " waits for a task that receives from the channel."},
      {"channel.async_receive", " waits for a task that sends to the channel."},
  };
  for (const Pending& one : known)
    if (operation.starts_with(one.begin)) return one.text;
  return " is pending: a timer, a peer or another event completes it.";
}

class Writer {
 public:
  Writer(const Subject& subject, const Diagnosis& diagnosis) : e_(subject), d_(diagnosis) {}

  Sentence explain() {
    const Model::Task& task = e_.model.tasks[last().task];
    switch (d_.verdict) {
      case Verdict::Ok:
        text(
            "No problem: the task has ended, is running, or has been runnable for less than 1 ms.");
        break;
      case Verdict::NeverNotified:
        never_notified();
        break;
      case Verdict::LostWakeup:
        if (d_.forgotten) {
          awaited(*d_.awaited);
          forgotten(*d_.forgotten);
          break;
        }
        lost_wakeup();
        break;
      case Verdict::Deadlock:
        if (d_.fed_channel) {
          fed_channel(*d_.fed_channel);
          break;
        }
        if (d_.own_lock) {
          own_lock();
          break;
        }
        text("Deadlock: the wait chain leads back to ");
        this->task(d_.chain[d_.cycle_begin].task);
        text(".");
        break;
      case Verdict::NeverReleased:
        never_released();
        break;
      case Verdict::External:
        external();
        break;
      case Verdict::NeverExpires:
        never_expires();
        break;
      case Verdict::Running:
        running();
        break;
      case Verdict::Starved:
        starved();
        break;
      case Verdict::Cancelled:
        title();
        text(task.failed() ? " failed " : " was cancelled ");
        at(task.end);
        if (task.reason != 0) {
          text(" (");
          text(e_.trace.strings[task.reason]);
          text(")");
        }
        text(", but ");
        waiter();
        text(", which waits for it, was not resumed.");
        break;
      case Verdict::NeverStarted:
        title();
        text(" was created ");
        if (task.pre_existing)
          text("before the trace");
        else
          at(task.start);
        where(task.location);
        text(" but never started.");
        break;
      case Verdict::Unknown:
        if (task.is_resource) {
          overwritten();
          break;
        }
        if (d_.awaited) {
          awaited(*d_.awaited);
        } else {
          text("The trace does not record what ");
          title();
          text(" waits for.");
        }
        if (!d_.started.empty()) {
          started();
          break;
        }
        if (d_.crowd_until != Waits::never) {
          grows();
          break;
        }
        if (d_.awaited) break;
        if (e_.trace.info.is_own())
          text(" Use a named primitive (skein/sync.h) or define skein_awaits() for its awaiter.");
        last_event();
    }
    other_branches();
    if (d_.outlived) outlived(*d_.outlived);
    if (d_.overtaken) overtaken(*d_.overtaken);
    if (d_.is_asleep)
      text(
          " Nothing can wake it: all threads of the process wait for each other, without a "
          "timeout.");
    return std::move(out_);
  }

 private:
  const Diagnosis::Step& last() const { return d_.chain.back(); }
  const Diagnosis::Step& before_last() const {
    return d_.chain[d_.chain.size() < 2 ? 0 : d_.chain.size() - 2];
  }

  void text(std::string_view run) { out_.push_back({.text = run}); }
  void task(TaskIndex index) { out_.push_back({.kind = TextRun::Kind::Task, .value = index}); }
  void title() { task(last().task); }
  void waiter() { task(before_last().task); }
  void time(uint64_t ns) { out_.push_back({.kind = TextRun::Kind::Time, .value = ns}); }
  void duration(uint64_t ns) { out_.push_back({.kind = TextRun::Kind::Duration, .value = ns}); }
  void at(uint64_t ns) {
    text("at ");
    time(ns);
  }
  // Of an action whose own location is not recorded.
  void near(const NearLocation& at) { where(at.location, at.is_after ? " (after " : " ("); }
  void where(uint32_t location, std::string_view begin = " (") {
    const Location& at = e_.trace.locations[location];
    if (at.file == 0 && at.function == 0) return;
    text(begin);
    out_.push_back({.kind = TextRun::Kind::Location, .value = location});
    text(")");
  }
  void by(TaskIndex other, uint32_t location) {
    text(other == no_index ? " from outside any task" : " by ");
    if (other != no_index) task(other);
    where(location);
  }

  void outlived(const Outlived& o) {
    text(" ");
    number(o.count);
    text(" tasks were created there, and none has ended. ");
    number(o.ended);
    text(" that were created beside them have, like ");
    task(o.sibling);
    where(e_.model.tasks[o.sibling].location);
    text(". If each belongs to one of these, they are leaked.");
  }

  void overtaken(const EarlierWaits& waits) {
    text(" ");
    number(waits.count);
    text(" other waits at this place have ended, the longest after ");
    duration(waits.longest);
    if (waits.later != 0) {
      text("; ");
      number(waits.later);
      text(
          " of them began later. Unless it waits for a peer or a timer, it was probably "
          "forgotten.");
    } else {
      text(", the last ");
      at(waits.last);
      text(". If something had to be released or signalled since, that was probably forgotten.");
    }
  }

  // Of Asio's operators in the chain: the operands that are not in it.
  void other_branches() {
    for (const Branches& branches : e_.waits.branches) {
      const auto is_at = [&](TaskIndex task) {
        return std::any_of(d_.chain.begin(), d_.chain.end(),
                           [&](const Diagnosis::Step& step) { return step.task == task; });
      };
      const TaskIndex other = branches.operands[1];
      if (!is_at(branches.operation) || is_at(other) ||
          e_.model.tasks[other].how != Model::End::Open)
        continue;
      text(" ");
      task(branches.operation);
      text(" also waits for ");
      task(other);
      where(e_.model.tasks[other].location);
      text(".");
    }
  }

  void last_event() {
    const Waits::LastEvent& event = e_.waits.last_events[last().task];
    if (event.kind == EventKind::Lost) return;
    text(" Last event that affected it: ");
    text(name(event.kind));
    text(" ");
    at(event.time);
    by(event.by, event.location);
    text(".");
  }

  // Tasks that may be leaked.
  void grows() {
    const TaskIndex parent = e_.model.tasks[d_.chain.front().task].parent;
    text(" In the trace, none of the tasks that began to wait here has continued. The last began ");
    at(d_.crowd_until);
    if (parent != no_index) {
      text("; ");
      task(parent);
      text(" created the first");
    }
    text(". If their number grows with the work that the program does, they are leaked.");
  }

  void overwritten() {
    text("The trace contains no notification of ");
    title();
    text(" since ");
    waiter();
    text(
        " began to wait. Earlier events were overwritten, so an earlier notification cannot be "
        "ruled out. Record with a larger size or mode=log.");
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

  void external() {
    title();
    where(location_of(e_, last()));
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->expires == 0) return pending_operation();
    const uint64_t start = std::min(e_.model.tasks[last().task].start, use->expires);
    const uint64_t now = std::max(e_.model.end, start);
    text(" takes ");
    duration(use->expires - start);
    if (use->expires <= now) {
      text(", and is due.");
    } else {
      text(", of which ");
      duration(use->expires - now);
      text(" are left.");
    }
    left_after_signal();
    if (d_.closed_acceptor) left_after_close(*d_.closed_acceptor);
    moved(*use);
  }

  // If earlier waits for this timer, at the same place, ended before it expired: how many, and who
  // caused that.
  void moved(const Model::Concern& use) {
    constexpr uint64_t fewest = 3;
    if (use.object == Model::Object::none) return;
    const Model::Task& operation = e_.model.tasks[use.task];
    uint64_t count = 0;
    for (uint32_t u = use.before; u != Model::Object::none; u = e_.model.concerns[u].before) {
      const Model::Concern& earlier = e_.model.concerns[u];
      const Model::Task& task = e_.model.tasks[earlier.task];
      if (task.name != operation.name || task.location != operation.location ||
          task.how == Model::End::Resolved || task.end >= earlier.expires)
        break;
      count++;
    }
    const uint32_t last = e_.model.objects[use.object].last_cancel;
    if (count < fewest || last == Model::Object::none) return;
    const Model::Cancel& cancel = e_.model.cancels[last];
    const auto is_by = [&](const Diagnosis::Step& step) { return step.task == cancel.by; };
    if (cancel.by == no_index || std::any_of(d_.chain.begin(), d_.chain.end(), is_by)) return;
    text(" The last ");
    number(count);
    text(" waits for it ended before it expired: ");
    task(cancel.by);
    near(location_near(e_, cancel.by, cancel.time));
    text(" cancelled or moved it last, ");
    duration(e_.model.end - std::min(e_.model.end, cancel.time));
    text(" ago. As long as that goes on, it does not expire.");
  }

  // An acceptor, or a timer that is set again and again, that is left after a signal.
  void left_after_signal() {
    if (d_.signal == no_index) return;
    text(" ");
    task(d_.signal);
    where(e_.model.tasks[d_.signal].location);
    text(" received a signal ");
    at(e_.model.tasks[d_.signal].end);
    const bool is_timer =
        e_.model.concern(last().task) != nullptr && e_.model.concern(last().task)->expires != 0;
    text(
        ", and only acceptors and repeated timers have been pending since. If the signal should "
        "end ");
    text("the program, ");
    text(is_timer ? "this timer must not be set again, because it keeps the program running."
                  : "the acceptor must be closed, because it keeps the program running.");
  }

  // A timer that is set again and again, and that is left after a task has closed the acceptor.
  void left_after_close(const ClosedAcceptor& closed) {
    const Model::Object& acceptor = e_.model.objects[closed.acceptor];
    text(" ");
    task(acceptor.ended_by);
    near(location_near(e_, acceptor.ended_by, acceptor.end));
    text(" closed the acceptor");
    const std::string_view address = peer_in(e_.trace.strings[acceptor.connection]);
    if (!address.empty()) {
      text(" at ");
      text(address);
    }
    text(" ");
    at(acceptor.end);
    if (closed.cancel != Model::Object::none) {
      text(" and cancelled this timer, which was set again");
      text(
          ": only repeated timers are pending now. If the program should end, this timer must "
          "not ");
      return text("be set again after a cancel, because it keeps the program running.");
    }
    text(", and only repeated timers are pending now. If the program should end, this timer must ");
    text("not be set again, because it keeps the program running.");
  }

  void pending_operation() {
    const std::string_view operation = e_.trace.strings[e_.model.tasks[last().task].name];
    const std::string_view peer = peer_of(e_.trace, e_.model, last().task);
    const auto begins = [&](std::string_view name) { return operation.starts_with(name); };
    // The recorder labels these operations.
    const std::string_view label = e_.trace.strings[e_.model.tasks[last().task].label];
    for (const std::string_view object : {"signal_set: ", "resolver: "}) {
      if (!label.starts_with(object)) continue;
      text(object.starts_with('r') ? " waits for the address of " : " waits for ");
      text(label.substr(object.size()));
      return text(".");
    }
    if (peer.empty()) {
      text(pending(operation));
      if (begins("channel.")) other_end();
      left_after_signal();
      return text(d_.socket_state);
    }
    const bool accepts = begins("socket.async_accept");
    if (accepts || !has_peer(e_.trace.strings[used_by(e_.model, last().task)->connection])) {
      text(accepts ? " waits for a connection to " : " waits for a peer of ");
      text(peer);
      text(".");
      return left_after_signal();
    }
    if (d_.closed != no_index) return closed(peer);
    text(" waits for ");
    text(peer);
    text(begins("socket.async_receive")   ? " to send."
         : begins("socket.async_send")    ? " to read."
         : begins("socket.async_connect") ? " to accept the connection."
                                          : ".");
    if (d_.traffic) traffic(*d_.traffic);
    if (d_.moved != 0) parts(begins("socket.async_send"));
    if (d_.on_their_way)
      on_their_way(*d_.on_their_way);
    else if (d_.both_ends && !begins("socket.async_connect"))
      peer_in_program(*d_.both_ends, begins("socket.async_send"));
    text(d_.socket_state);
    if (d_.read_ahead && d_.moved == 0 && !d_.on_their_way) read_ahead(*d_.read_ahead);
    if (d_.ended_relay) ended_relay(*d_.ended_relay);
  }

  void on_their_way(const OnTheirWay& bytes) {
    text(" The other end is in this program, and its operations have sent");
    amount(bytes.bytes,
           " more than those of this socket have received: unless calls that are not ");
    text("in the trace have read them, they are on their way.");
    if (bytes.busy == no_index) return;
    text(" The thread that began this receive has run ");
    task(bytes.busy);
    where(e_.model.tasks[bytes.busy].location);
    text(" for ");
    duration(e_.model.end - bytes.busy_since);
    text(", which must return before that thread can read them.");
  }

  void read_ahead(const ReadAhead& ahead) {
    text(" The receive before it on this socket");
    where(e_.model.tasks[ahead.receive].location);
    text(" has received");
    amount(ahead.bytes, " in one call. If that was async_read_until, what it read beyond its end ");
    text("is in its buffer, and this operation must not wait for it.");
  }

  void ended_relay(const EndedRelay& relay) {
    const Model::Task& ended = e_.model.tasks[relay.task];
    text(" ");
    task(relay.task);
    text(", which ");
    task(ended.parent);
    text(" has created, too, and which has sent to this socket, ended ");
    at(ended.end);
    text(" after End of file");
    if (const auto peer = peer_of(e_.trace, e_.model, relay.receive); !peer.empty()) {
      text(" from ");
      text(peer);
    }
    text(". If the peer waits for the end of the data, this socket must be shut down.");
  }

  void closed(std::string_view peer) {
    text(" waits for ");
    text(peer);
    text(", which has closed the connection: the receive before it, ");
    task(d_.closed);
    text(", ended with End of file ");
    at(e_.model.tasks[d_.closed].end);
    text(". Nothing can arrive any more.");
  }

  // Of a channel: the last operation of the other kind, if the trace has any.
  void other_end() {
    const Model::Object* object = used_by(e_.model, last().task);
    if (object == nullptr) return;
    const Model::Task& waiting = e_.model.tasks[last().task];
    const bool receives = e_.trace.strings[waiting.name].starts_with("channel.async_receive");
    uint32_t u = object->last_use;
    while (u != Model::Object::none &&
           e_.model.tasks[e_.model.concerns[u].task].name == waiting.name)
      u = e_.model.concerns[u].before;
    if (u == Model::Object::none) {
      if (!object->pre_existing)
        text(receives ? " In the trace, no task has sent to it."
                      : " In the trace, no task has received from it.");
      return;
    }
    const TaskIndex operation = e_.model.concerns[u].task;
    const TaskIndex by = e_.model.tasks[operation].parent;
    text(receives ? " The last to send to a channel at this address was "
                  : " The last to receive from a channel at this address was ");
    if (by == no_index)
      text("code outside any task");
    else
      task(by);
    where(e_.model.tasks[operation].location);
    text(", ");
    duration(e_.model.end - std::min(e_.model.end, e_.model.tasks[operation].start));
    text(by != no_index && e_.model.tasks[by].how != Model::End::Open ? " ago; it has ended."
                                                                      : " ago.");
  }

  // Of a handler of a strand: the one that this strand runs now. Returns false if there is none.
  bool strand() {
    const Model::Object* object = used_by(e_.model, last().task);
    if (object == nullptr || kind_name(e_.trace, object->kind) != "strand") return false;
    for (uint32_t u = object->last_use; u != Model::Object::none; u = e_.model.concerns[u].before) {
      const TaskIndex other = e_.model.concerns[u].task;
      const uint64_t first = e_.waits.first_run[other];
      if (other == last().task || first == Waits::never ||
          e_.model.tasks[other].how != Model::End::Open)
        continue;
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

  // The operation that would wake this one, if the peer had begun it.
  void peer_in_program(const BothEnds& ends, bool sends) {
    const TaskIndex same = sends ? ends.other.sends : ends.other.receives;
    const TaskIndex opposite = sends ? ends.other.receives : ends.other.sends;
    const auto is_pending = [&](TaskIndex task) {
      return task != no_index && e_.model.tasks[task].how == Model::End::Open;
    };
    if (is_pending(opposite)) return;  // it is about to be woken
    text(" The other end is in this program");
    if (is_pending(same) && e_.waits.running[same]) {
      text(", where ");
      task(same);
      where(e_.model.tasks[same].location);
      return text(" runs.");
    }
    if (is_pending(same)) {
      const TaskIndex by = e_.model.tasks[same].parent;
      const bool is_waiting = by != no_index && e_.waits.open(by) != nullptr;
      text(", where ");
      task(is_waiting ? by : same);
      where(e_.model.tasks[same].location);
      text(sends ? " waits to send, too" : " waits to receive, too");
      if (is_pending(sends ? ends.own.receives : ends.own.sends)) return text(".");
      return text(sends ? ": neither reads." : ": neither sends.");
    }
    const auto end_of = [&](TaskIndex task) {
      return task == no_index ? 0 : e_.model.tasks[task].end;
    };
    const TaskIndex last = end_of(same) > end_of(opposite) ? same : opposite;
    if (last == no_index)
      return text(sends ? ", and no operation in the trace has read from it."
                        : ", and no operation in the trace has sent to it.");
    text(", and no operation of it is pending. The last was ");
    task(last);
    where(e_.model.tasks[last].location);
    text(", which ended ");
    duration(e_.model.end - std::min(e_.model.end, e_.model.tasks[last].end));
    text(" ago.");
  }

  // Of a composed operation.
  void parts(bool sends) {
    text(" ");
    waiter();
    text(sends ? " has sent the first " : " has received the first ");
    number(d_.moved);
    text(d_.moved == 1 ? " byte" : " bytes");
    text(" of what it waits for.");
  }

  void number(uint64_t value) { out_.push_back({.kind = TextRun::Kind::Number, .value = value}); }
  // What was moved last, and what before that in the other direction.
  void traffic(const Traffic& t) {
    if (t.sent == 0 && t.received == 0) {
      text(t.of_kernel ? " Nothing was sent or received."
                       : " No operation of this socket has sent or received anything.");
      return unseen(t);
    }
    const bool sent_last = t.sent_at > t.received_at;
    const auto end = static_cast<int64_t>(e_.model.end);
    const int64_t last = std::min(std::max(t.sent_at, t.received_at), end);
    text(t.of_kernel ? " This socket" : " Operations of this socket");
    text(sent_last ? " sent " : " received ");
    number(sent_last ? t.sent : t.received);
    text(" bytes, the last ");
    duration(static_cast<uint64_t>(end) - static_cast<uint64_t>(last));
    text(sent_last ? " ago, and received nothing since" : " ago, and sent nothing since");
    if (const uint64_t other = sent_last ? t.received : t.sent; other != 0) {
      text(" (");
      number(other);
      text(" bytes before)");
    }
    text(".");
    unseen(t);
  }

  // What was moved by calls that no hook sees.
  void unseen(const Traffic& t) {
    if (!t.unseen || t.of_kernel) return;
    const bool is_first = t.sent == 0 && t.received == 0;  // else: before it was recorded, perhaps
    const uint64_t sent = t.unseen->sent + (is_first ? t.unseen->sent_before : 0);
    const uint64_t received = t.unseen->received + (is_first ? t.unseen->received_before : 0);
    if (sent == 0 && received == 0) return;
    text(is_first ? " But the kernel has counted" : " The kernel has also counted");
    if (sent != 0) amount(sent, " sent");
    if (sent != 0 && received != 0) text(" and");
    if (received != 0) amount(received, " received");
    text(" by calls that are not in the trace.");
  }
  void amount(uint64_t bytes, const char* how) {
    text(" ");
    number(bytes);
    text(bytes == 1 ? " byte" : " bytes");
    text(how);
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
      return text(" No other task can use its thread.");
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
      text(pool.queued == 1 ? " handler waits for one of them."
                            : " handlers wait for one of them.");
    }
    if (pool.posted == 0) return;
    text(pool.threads == 1 ? " This run has posted " : " These runs have posted ");
    number(pool.posted);
    text(" of these handlers, the first ");
    task(pool.first);
    text(pool.threads == 1 ? ": if it waits for them, this is a deadlock."
                           : ": if they wait for them, this is a deadlock.");
  }

  void never_expires() {
    title();
    where(location_of(e_, last()));
    text(" never expires, and no task has cancelled it since ");
    waiter();
    text(" began to wait.");
    cancelled_before();
    unreturned();
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

  // Other tasks may wait for the same timer: the cancel that came too early for one woke another.
  void cancelled_before() {
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->object == Model::Object::none) return;
    const uint32_t index = e_.model.objects[use->object].last_cancel;
    if (index == Model::Object::none) return;
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
    unreturned();
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

  // Which task holds a lock of a library is unknown: the last to continue there may.
  void awaited(const AwaitedObjectWait& wait) {
    title();
    text(" waits");
    if (wait.type != 0) {
      text(" in ");
      text(e_.trace.strings[wait.type]);
    }
    text(" for the object at ");
    out_.push_back({.kind = TextRun::Kind::Address, .value = wait.address});
    if (wait.others != 0) {
      text(", with ");
      number(wait.others);
      text(wait.others == 1 ? " other task" : " other tasks");
    }
    text(".");
    if (wait.last == no_index) {
      text(" No task has continued after a wait for it.");
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
    if (e_.model.tasks[wait.last].how != Model::End::Open) return text("; it has ended.");
    if (is_own) return text(".");
    if (!d_.last_awaits) return holder(wait.last);
    if (d_.last_awaits->address == wait.address) return text("; it waits for it again.");
    text("; it waits for the object at ");
    out_.push_back({.kind = TextRun::Kind::Address, .value = d_.last_awaits->address});
    if (d_.last_awaits->last != last().task) return text(".");
    text(", where ");
    title();
    text(" was the last. If these are locks, this is a deadlock.");
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

  void started() {
    const size_t others = d_.started.size() - 1;
    text(" Right after it began to wait, its thread started ");
    task(d_.started.front());
    if (others != 0) {
      text(" and ");
      number(others);
      text(others == 1 ? " other" : " others");
    }
    text(others == 0 ? ", which has not ended: it may wait for it."
                     : ", which have not ended: it may wait for them.");
  }

  void starved() {
    const uint64_t ready = ready_since(e_.model, e_.waits, last());
    const Model::Concern* use = e_.model.concern(last().task);
    title();
    text(last().wait == Waits::none && use != nullptr && use->expires != 0 ? " expired "
                                                                           : " became runnable ");
    at(ready);
    text(", ");
    duration(e_.model.end - std::min(ready, e_.model.end));
    text(" before the end of the trace, but did not run.");
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

  const Subject& e_;
  const Diagnosis& d_;
  Sentence out_;
};

}  // namespace

Sentence explain(const Subject& subject, const Diagnosis& diagnosis) {
  return Writer(subject, diagnosis).explain();
}

StepText describe_step(const Subject& e, const Diagnosis& d, size_t index) {
  const Diagnosis::Step& step = d.chain[index];
  const Model::Task& task = e.model.tasks[step.task];
  const TaskState state = task_state(e, step.task);
  if (state == TaskState::Runnable) return {"is runnable"};
  if (step.holding != Waits::none || step.wait != Waits::none) {
    StepText does = {.text = step.holding != Waits::none ? "is held by" : "waits for",
                     .target = target_of(e, d, index)};
    if (step.wait != Waits::none && d.awaited && d.awaited->type != 0 && &step == &d.chain.back())
      does.object = &*d.awaited;
    else if (does.target == no_index)
      does.text = step.holding != Waits::none             ? "is held by a task that has ended"
                  : d.awaited && &step == &d.chain.back() ? "waits for an object"
                                                          : "waits for an unrecorded target";
    return does;
  }
  constexpr std::array<std::string_view, 6> ends = {"", "ended",    "failed", "was cancelled",
                                                    "", "has ended"};
  if (!task.is_resource && state == TaskState::Ended) return {ends[static_cast<size_t>(task.how)]};
  constexpr std::array<std::string_view, 7> states = {
      "was created", "runs",       "is runnable", "is suspended", "is in an unknown state",
      "has existed", "has existed"};
  return {states[static_cast<size_t>(state)]};
}

}  // namespace skein
