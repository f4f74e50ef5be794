#include "report/explain_external.h"

#include <algorithm>
#include <set>

#include "report/sentence_writer.h"
#include "trace/ask/closed_connection.h"
#include "trace/ask/moved_deadline.h"
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

class ExternalWriter : public SentenceWriter {
 public:
  using SentenceWriter::SentenceWriter;

  void write() {
    title();
    where(location_of(e_, last()));
    const Model::Concern* use = e_.model.concern(last().task);
    if (use == nullptr || use->expires == 0) return pending_operation();
    expires(use->expires);
    left_after_signal();
    if (d_.closed_acceptor) left_after_close(*d_.closed_acceptor);
    if (const auto by = find_moved_deadline(e_, d_)) return moved(*by);
    if (d_.suspicion == Suspicion::Slow) first_wait();
  }

 private:
  // Of a timer that began before the trace, only what is left is known.
  void expires(uint64_t at) {
    const Model::Task& timer = e_.model.tasks[last().task];
    const uint64_t start = std::min(timer.start, at);
    const uint64_t now = std::max(e_.model.end, start);
    if (timer.pre_existing) {
      if (at <= now) return text(" is due.");
      text(" expires in ");
      duration(at - now);
      return text(".");
    }
    text(" takes ");
    duration(at - start);
    if (at <= now) return text(", and is due.");
    text(", of which ");
    duration(at - now);
    text(" are left.");
  }

  // Of a timer that takes long.
  void first_wait() {
    if (d_.chain.size() == 1) return text(" Nothing has waited for this timer before.");
    text(" ");
    task(d_.chain.front().task);
    text(" has not waited there before.");
  }

  void moved(const MovedDeadline& found) {
    const Model::Cancel& cancel = e_.model.cancels[found.cancel];
    text(" The last ");
    number(found.count);
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
    text(", and only acceptors and repeated timers have been pending since. ");
    text("If the signal should end the program, ");
    text(is_timer ? "this timer must not be set again, because it keeps the program running."
                  : "the acceptor must be closed, because it keeps the program running.");
    if (is_timer || d_.set_since == no_index) return;
    text(" Or the handler of ");
    task(d_.set_since);
    text(" does so later.");
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
      if (begins("channel.")) {
        other_end();
        last_hope();
      }
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
    if (const TaskIndex before = find_closed(e_.trace, e_.model, last().task); before != no_index)
      return closed(before, peer, begins("socket.async_send"));
    text(" waits for ");
    text(peer);
    text(begins("socket.async_receive")   ? " to send."
         : begins("socket.async_send")    ? " to read."
         : begins("socket.async_connect") ? " to accept the connection."
                                          : ".");
    if (d_.busy_thread) busy_thread(*d_.busy_thread);
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

  void busy_thread(const BusyThread& thread) {
    text(
        " Or it has completed, and its handler waits for the thread that began it, which has run ");
    task(thread.task);
    where(e_.model.tasks[thread.task].location);
    text(" for ");
    duration(e_.model.end - thread.since);
    text(".");
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
    text(" got");
    amount(ahead.bytes, ". If that was async_read_until, it may have read more than it returned: ");
    text("what this operation waits for may already be in its buffer.");
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

  // `index`: the operation before it, which shows that the connection is closed.
  void closed(TaskIndex index, std::string_view peer, bool sends) {
    const Model::Task& before = e_.model.tasks[index];
    if (sends) {
      text(" cannot complete: the send before it on this socket, ");
      task(index);
      text(", failed with ");
      text(e_.trace.strings[before.reason]);
      text(" ");
      at(before.end);
      text(". The connection to ");
      text(peer);
      return text(" is closed.");
    }
    text(" waits for ");
    text(peer);
    text(", which has closed the connection: the receive before it, ");
    task(index);
    text(", ended with End of file ");
    at(before.end);
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
    if (u == Model::Object::none) return unseen_end(*object, receives);
    const TaskIndex operation = e_.model.concerns[u].task;
    const TaskIndex by = e_.model.tasks[operation].parent;
    if (const size_t users = ended_users(*object, waiting.name); users > 1) {
      text(" The ");
      number(users);
      text(receives ? " tasks that have sent to it have all ended; the last was "
                    : " tasks that have received from it have all ended; the last was ");
      actor_ago(by, e_.model.tasks[operation].location, e_.model.tasks[operation].start);
      return text(".");
    }
    text(receives ? " The last async_send to a channel at this address was that of "
                  : " The last async_receive from a channel at this address was that of ");
    actor_ago(by, e_.model.tasks[operation].location, e_.model.tasks[operation].start);
    text(by != no_index && !e_.model.is_open(by) ? "; it has ended." : ".");
  }

  void actor_ago(TaskIndex by, uint32_t location, uint64_t time) {
    actor(by);
    where(location);
    text(", ");
    duration(e_.model.end - std::min(e_.model.end, time));
    text(" ago");
  }

  // A channel whose operations are all like the last one. try_send() and try_receive() are in no
  // trace.
  void unseen_end(const Model::Object& channel, bool receives) {
    uint32_t u = channel.last_use;
    while (u != Model::Object::none &&
           e_.model.tasks[e_.model.concerns[u].task].how != Model::End::Resolved)
      u = e_.model.concerns[u].before;
    if (u != Model::Object::none) {
      const Model::Task& done = e_.model.tasks[e_.model.concerns[u].task];
      text(receives ? " The trace does not show who has sent to it; the last to receive from it was "
                    : " The trace does not show who has received from it; the last to send was ");
      actor_ago(done.parent, done.location, done.end);
      text(".");
    } else if (!channel.pre_existing) {
      text(receives ? " In the trace, no task has sent to it."
                    : " In the trace, no task has received from it.");
    }
  }

  // How many tasks have used a channel by other operations than `name`, if all have ended; else 0.
  size_t ended_users(const Model::Object& channel, StringId name) const {
    std::set<TaskIndex> users;
    if (channel.pre_existing) return 0;
    for (uint32_t u = channel.last_use; u != Model::Object::none; u = e_.model.concerns[u].before) {
      const Model::Task& use = e_.model.tasks[e_.model.concerns[u].task];
      if (use.name == name) continue;
      if (use.parent == no_index || e_.model.is_open(use.parent)) return 0;
      users.insert(use.parent);
    }
    return users.size();
  }

  // Of a channel: nothing is left that could use it.
  void last_hope() {
    if (!d_.is_last || !d_.is_alone) return;
    text(" No operation is pending but those of channels, and no task can run. One thread waits ");
    text("in its event loop, and no other thread of the process can run: nothing is left that ");
    text("could complete this one.");
  }

  // The operation that would wake this one, if the peer had begun it.
  void peer_in_program(const BothEnds& ends, bool sends) {
    const TaskIndex same = sends ? ends.other.sends : ends.other.receives;
    const TaskIndex opposite = sends ? ends.other.receives : ends.other.sends;
    const auto is_pending = [&](TaskIndex task) {
      return task != no_index && e_.model.is_open(task);
    };
    if (is_pending(opposite)) return;  // it is about to be woken
    const bool is_in_use = !sends && is_pending(same) && !e_.waits.running[same] &&
                           !is_pending(ends.own.sends) && !d_.mutual_receives;
    if (is_in_use) return;
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
      if (sends) return text(": neither reads.");
      return d_.mutual_receives ? neither_sends(*d_.mutual_receives) : text(".");
    }
    const auto end_of = [&](TaskIndex task) {
      return task == no_index ? 0 : e_.model.tasks[task].end;
    };
    // Of a send: what read last there.
    const TaskIndex last =
        opposite != no_index && (sends || end_of(opposite) >= end_of(same)) ? opposite : same;
    if (last == no_index)
      return text(sends ? ", and no operation in the trace has read from it."
                        : ", and no operation in the trace has sent to it.");
    text(", and no operation of it is pending. The last was ");
    task(last);
    where(e_.model.tasks[last].location);
    text(", which ended ");
    duration(e_.model.end - std::min(e_.model.end, e_.model.tasks[last].end));
    text(" ago.");
    if (d_.session != no_index) session(d_.session);
  }

  void neither_sends(const MutualReceives& receives) {
    text(", and neither has sent for ");
    duration(e_.model.end - std::min(e_.model.end, receives.since));
    text(".");
    if (!receives.only_senders_wait) return;
    text(
        " Each has received all that the other has sent, and the tasks that have sent on this "
        "connection have ended or wait for these receives.");
    if (receives.has_accepted || !receives.expects_more) return;  // it waits for a request
    text(" If ");
    waiter();
    text(" waits for a reply, or for the rest of one, this is a deadlock.");
  }

  // Of the task that used the other end last, and waits.
  void session(TaskIndex task) {
    const Waits::Wait& wait = *e_.waits.open(task);
    text(" ");
    this->task(task);
    text(", which did that, has waited ");
    if (wait.on != no_index) {
      text("for ");
      this->task(e_.model.last_self(wait.on));
    }
    where(wait.location, wait.on != no_index ? " (" : "(");
    text(" for ");
    duration(e_.model.end - std::min(e_.model.end, wait.begin));
    text(".");
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
    text(sent_last ? " sent" : " received");
    amount(sent_last ? t.sent : t.received, ", the last ");
    duration(static_cast<uint64_t>(end) - static_cast<uint64_t>(last));
    text(sent_last ? " ago, and received nothing since" : " ago, and sent nothing since");
    if (const uint64_t other = sent_last ? t.received : t.sent; other != 0) {
      text(" (");
      number(other);
      text(other == 1 ? " byte before)" : " bytes before)");
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
};

}  // namespace

void explain_external(const Subject& subject, const Diagnosis& diagnosis, Sentence& out) {
  ExternalWriter(subject, diagnosis, out).write();
}

}  // namespace skein
