#include "frames/verdict.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
using Certainty = WaitObject::Certainty;

// Whether the process has connected it, and has not accepted it: Linux takes the ports of clients
// from 32768 on (ip(7), ip_local_port_range), but a server may have such a port, too, and may have
// closed its acceptor. Both ends of a connection may be in the process.
bool is_client(const SocketState& socket) {
  constexpr uint16_t first = 32768;
  const bool is_peer_server = socket.is_peer_port_listening || socket.peer_port < first;
  return socket.local_port >= first && !socket.is_local_port_listening && is_peer_server;
}

bool is_channel(const AsioObject& object) { return object.kind == AsioObject::Kind::Channel; }

bool spoke_last(const SocketState& socket) {
  return socket.has_counts && socket.sent != 0 &&
         (socket.received == 0 || socket.sent_ago < socket.received_ago);
}

// Few timers are judged by when they expire; many are deadlines, of a session each.
enum class Timers : uint8_t { AreCounted, AreDeadlines };

class Judge {
 public:
  Judge(const SuspendedCoroutines& found, const CoroutineChain& chain, const Surroundings& around,
        Timers timers)
      : found_(found), chain_(chain), around_(around), timers_(timers) {}

  ChainVerdict judge() const {
    if (chain_.cycle_begin != CoroutineChain::no_cycle) return of_cycle();
    const SuspendedCoroutine& last = found_.coroutines[chain_.steps.back()];
    if (const auto verdict = of_locks()) return *verdict;
    if (last.state == State::Runs) return of_running(last);
    if (last.state == State::NotStarted) return ChainVerdict::NotStarted;
    if (last.state == State::Final) return ChainVerdict::Usual;
    if (last.state == State::Unknown) return ChainVerdict::Unknown;
    if (last.is_unreferenced) return ChainVerdict::Unreferenced;
    // A group may have the addresses of the objects of its operations.
    if (last.awaited != SuspendedCoroutine::none &&
        found_.awaited[last.awaited].kind == WaitObject::Kind::WhenAll)
      return ChainVerdict::Unknown;
    if (chain_.operation == "async_accept") return ChainVerdict::Usual;
    if (!chain_.objects.empty() && !any(is_channel)) return of_objects();
    // A channel's, which another coroutine must resume; of a socket, the object would be known.
    if (chain_.operation == "async_send" || chain_.operation == "async_receive")
      return ChainVerdict::Unknown;
    // What it waits for has its own chains.
    if (last.awaited != SuspendedCoroutine::none) return ChainVerdict::Unknown;
    return of_awaiter(last);
  }

 private:
  // A type of the standard library, std::suspend_always, is that of a co_yield or of an await that
  // the program resumes by itself; optimised code may show the co_yield only. Operations of Asio have
  // their sockets and timers.
  ChainVerdict of_awaiter(const SuspendedCoroutine& last) const {
    const std::string& awaiter = found_.places[last.place].awaiter;
    if (awaiter.empty() && found_.places[last.place].is_yield) return ChainVerdict::Usual;
    const bool is_known = !awaiter.empty() || !chain_.operation.empty();
    return is_known && !is_program_type(awaiter) ? ChainVerdict::Usual : ChainVerdict::Unknown;
  }

  // Nothing: neither is known.
  std::optional<ChainVerdict> of_locks() const {
    const LockCycle cycle = find_lock_cycle(found_, chain_.steps.back());
    const bool is_certain = cycle.certainty == Certainty::Certain && !cycle.may_run;
    // What looks like a guard may be left from the last time that the coroutine had the lock.
    if (cycle.length == 0 || cycle.certainty == Certainty::Perhaps) return {};
    if (!cycle.contains_it && !is_certain) return {};
    if (!cycle.contains_it) return ChainVerdict::BehindDeadlock;
    return is_certain ? ChainVerdict::Deadlock : ChainVerdict::PerhapsDeadlock;
  }
  bool can_only_wait(uint32_t coroutine) const {
    const SuspendedCoroutine& one = found_.coroutines[coroutine];
    return one.state == State::Waits && one.is_certain;
  }

  // The process goes on while its memory is read.
  ChainVerdict of_cycle() const {
    const auto cycle = std::span(chain_.steps).subspan(chain_.cycle_begin);
    const auto each = [&](uint32_t step) { return can_only_wait(step); };
    if (!std::all_of(cycle.begin(), cycle.end(), each)) return ChainVerdict::Unknown;
    const auto may_run = [&](uint32_t step) { return found_.coroutines[step].may_run; };
    return std::any_of(cycle.begin(), cycle.end(), may_run) ? ChainVerdict::PerhapsDeadlock
                                                            : ChainVerdict::Deadlock;
  }

  ChainVerdict of_running(const SuspendedCoroutine& coroutine) const {
    if (around_.mutex_waits.cycle_of(coroutine.thread) != nullptr) return ChainVerdict::Deadlock;
    const TargetThread* thread = thread_of(coroutine, around_);
    return thread != nullptr && sleeps(*thread) ? ChainVerdict::BlocksThread : ChainVerdict::Runs;
  }

  template <typename Is>
  bool any(const Is& is) const {
    return std::any_of(chain_.objects.begin(), chain_.objects.end(),
                       [&](uint32_t i) { return is(found_.objects[i]); });
  }
  template <typename Is>
  bool any_socket(const Is& is) const {
    return any([&](const AsioObject& object) {
      const SocketState* socket = socket_of(object, around_);
      return socket != nullptr && is(*socket);
    });
  }

  ChainVerdict of_objects() const {
    constexpr size_t many = 3;
    constexpr int64_t slow = 10'000'000'000;
    if (any(never_expires)) return ChainVerdict::NeverExpires;
    if (is_overdue()) return ChainVerdict::Overdue;
    if (timers_ == Timers::AreCounted && chain_.objects.size() < many) {
      const auto is_slow = [&](const AsioObject& object) {
        return left_of(object, around_).value_or(0) >= slow;
      };
      if (any(is_slow)) return ChainVerdict::Slow;
      if (any([&](const AsioObject& object) { return is_unknown_timer(object, around_); }))
        return ChainVerdict::UnknownTimer;
    }
    if (any_socket([](const SocketState& socket) { return socket.unread != 0; }) && !sends())
      return ChainVerdict::Unread;
    if (any_socket([](const SocketState& s) { return is_client(s) && spoke_last(s); }) && !sends())
      return ChainVerdict::NoAnswer;
    if (any_socket([](const SocketState& socket) { return socket.is_silent; }) && !sends())
      return ChainVerdict::NothingSent;
    return sends() && !is_received() ? ChainVerdict::NotReceived : ChainVerdict::Usual;
  }

  // A process that sends without a pause always has a send that has not ended. Its peer reads if
  // little is on the way and the last part of it was sent just now.
  bool is_received() const {
    constexpr uint64_t little = 65'536, just_now = 100'000'000;
    return any_socket([](const SocketState& socket) {
      return socket.has_counts && socket.sent != 0 && socket.unacked < little &&
             (socket.unacked == 0 || socket.sent_ago < just_now);
    });
  }

  // A machine that is busy resumes coroutines late, too, but not by so much. The clock was read
  // before the memory.
  bool is_overdue() const {
    constexpr int64_t late = 1'000'000'000;
    return chain_.operation == "async_wait" && !any([&](const AsioObject& object) {
             return object.expires <= 0 || left_of(object, around_).value_or(0) > -late;
           });
  }

  bool sends() const {
    return chain_.operation == "async_send" || chain_.operation.starts_with("async_write");
  }

  const SuspendedCoroutines& found_;
  const CoroutineChain& chain_;
  const Surroundings& around_;
  Timers timers_;
};

}  // namespace

std::string_view name(ChainVerdict verdict) {
  switch (verdict) {
    case ChainVerdict::Deadlock:
      return "deadlock";
    case ChainVerdict::BehindDeadlock:
      return "behind a deadlock";
    case ChainVerdict::PerhapsDeadlock:
      return "perhaps a deadlock";
    case ChainVerdict::BlocksThread:
      return "blocks its thread";
    case ChainVerdict::Overdue:
      return "overdue";
    case ChainVerdict::NeverExpires:
      return "never expires";
    case ChainVerdict::NoAnswer:
      return "no answer";
    case ChainVerdict::NothingSent:
      return "nothing sent";
    case ChainVerdict::Unread:
      return "unread";
    case ChainVerdict::NotReceived:
      return "not received";
    case ChainVerdict::Unreferenced:
      return "unreferenced";
    case ChainVerdict::Unknown:
      return "unknown";
    case ChainVerdict::NotStarted:
      return "not started";
    case ChainVerdict::UnknownTimer:
      return "unknown timer";
    case ChainVerdict::Slow:
      return "slow";
    case ChainVerdict::Runs:
      return "runs";
    case ChainVerdict::Usual:
      break;
  }
  return "usual";
}

ChainVerdict judge(const SuspendedCoroutines& found, const CoroutineChain& chain,
                   const Surroundings& around) {
  return Judge(found, chain, around, Timers::AreCounted).judge();
}

std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found,
                                        const Surroundings& around) {
  return find_chains(found, [&](const CoroutineChain& one) {
    return static_cast<uint8_t>(Judge(found, one, around, Timers::AreDeadlines).judge());
  });
}

bool never_expires(const AsioObject& timer) {
  return timer.kind == AsioObject::Kind::Timer && timer.clock != AsioObject::Clock::Other &&
         timer.expires == AsioObject::never;
}

std::optional<int64_t> left_of(const AsioObject& timer, const Surroundings& around) {
  if (timer.kind != AsioObject::Kind::Timer || never_expires(timer)) return {};
  const std::optional<int64_t>& now =
      timer.clock == AsioObject::Clock::Steady ? around.steady_now : around.system_now;
  if (!now || timer.clock == AsioObject::Clock::Other) return {};
  int64_t left = 0;  // of a damaged process, any number
  return __builtin_sub_overflow(timer.expires, *now, &left) ? std::nullopt : std::optional(left);
}

bool is_unknown_timer(const AsioObject& object, const Surroundings& around) {
  return object.kind == AsioObject::Kind::Timer && !never_expires(object) &&
         !left_of(object, around);
}

const SocketState* socket_of(const AsioObject& object, const Surroundings& around) {
  if (object.kind != AsioObject::Kind::Socket || object.descriptor < 0) return nullptr;
  const auto descriptor = static_cast<uint64_t>(object.descriptor);
  const auto at = std::lower_bound(
      around.sockets.begin(), around.sockets.end(), descriptor,
      [](const SocketState& one, uint64_t wanted) { return one.descriptor < wanted; });
  return at == around.sockets.end() || at->descriptor != descriptor ? nullptr : &*at;
}

void remove_earlier_sockets(SuspendedCoroutines& found, const Surroundings& around) {
  for (SuspendedCoroutine& one : found.coroutines)
    if (one.object != SuspendedCoroutine::none &&
        found.functions[one.function].operation == "async_accept" &&
        socket_of(found.objects[one.object], around) != nullptr)
      one.object = SuspendedCoroutine::none;
}

bool sleeps(const TargetThread& thread) {
  return thread.state == TargetThread::State::Sleeping ||
         thread.state == TargetThread::State::Waiting;
}

const TargetThread* thread_of(const SuspendedCoroutine& coroutine, const Surroundings& around) {
  const auto at = std::find_if(around.threads.begin(), around.threads.end(),
                               [&](const TargetThread& one) { return one.id == coroutine.thread; });
  return coroutine.thread == 0 || at == around.threads.end() ? nullptr : &*at;
}

}  // namespace skein
