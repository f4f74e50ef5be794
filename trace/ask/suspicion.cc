#include "trace/ask/suspicion.h"

#include <algorithm>
#include <string_view>

#include "trace/ask/moved_deadline.h"
#include "trace/ask/task_kinds.h"
#include "trace/read/connection.h"

namespace skein {

namespace {

// A timer that takes this time may have the wrong unit, ns.
constexpr uint64_t slow_timer_ns = 10'000'000'000;
// So many similar timers are deadlines, of a session or request each.
constexpr size_t many_deadlines = 3;

// Calls visit(wait) for the earlier waits of a task of the chain at the location of its present
// one.
template <typename Visit>
void each_earlier(const Waits& waits, const Diagnosis::Step& step, const Visit& visit) {
  constexpr int most = 1000;  // waits to look at
  if (step.wait == Waits::none || waits.waits[step.wait].location == 0) return;
  const Waits::Wait& now = waits.waits[step.wait];
  uint32_t i = now.before;
  for (int seen = 0; i != Waits::none && seen < most; seen++, i = waits.waits[i].before)
    if (waits.waits[i].location == now.location && !waits.waits[i].is_open()) visit(waits.waits[i]);
}

// Whether a task of the chain has waited as long at the same place several times, as one does that
// sleeps again and again.
bool is_repeated(const Model& model, const Waits& waits, const Diagnosis& d) {
  constexpr int fewest = 3;
  return std::any_of(d.chain.begin(), d.chain.end(), [&](const Diagnosis::Step& step) {
    int count = 0;
    uint64_t longest = 0;
    each_earlier(waits, step, [&](const Waits::Wait& wait) {
      if (wait.end_overwritten) return;
      count++;
      longest = std::max(longest, wait.end - wait.begin);
    });
    if (count < fewest) return false;
    const uint64_t begin = waits.waits[step.wait].begin;
    return longest >= model.end - std::min(model.end, begin);
  });
}

// The port of an own address, or the path; empty: there is none.
std::string_view own_port(std::string_view connection) {
  const std::string_view own = connection.substr(0, connection.find_first_of(" "));
  const size_t colon = own.rfind(':');
  return colon == std::string_view::npos ? own : own.substr(colon + 1);
}

}  // namespace

bool waits_shortly(const Model& model, const Waits& waits, const Diagnosis& d) {
  constexpr uint64_t moment = 100'000'000;  // ns
  uint64_t begin = model.tasks[d.chain.back().task].start;
  for (const Diagnosis::Step& step : d.chain)
    if (step.wait != Waits::none) begin = std::max(begin, waits.waits[step.wait].begin);
  return model.end - std::min(model.end, begin) < moment;
}

Suspicions::Suspicions(const Subject& subject) : s_(subject) {
  for (const Model::Object& object : s_.model.objects) {
    const std::string_view connection = s_.trace.strings[object.connection];
    if (object.connection != 0 && !has_peer(connection))
      accepting_ports_.push_back(own_port(connection));
  }
}

// Whether the program has probably made the connection.
bool Suspicions::is_client(const Model::Object& socket) const {
  for (uint32_t u = socket.last_use; u != Model::Object::none; u = s_.model.concerns[u].before)
    if (s_.trace.strings[s_.model.tasks[s_.model.concerns[u].task].name] == "socket.async_connect")
      return true;
  const std::string_view port = own_port(s_.trace.strings[socket.connection]);
  return !port.empty() && std::find(accepting_ports_.begin(), accepting_ports_.end(), port) ==
                              accepting_ports_.end();
}

// Whether it takes long, or is moved again and again, and nothing shows that this is as intended.
bool Suspicions::is_slow(const Diagnosis& d, const Model::Concern& timer) const {
  if (d.similar.size() + 1 >= many_deadlines) return false;
  if (find_moved_deadline(s_, d)) return true;
  const uint64_t start = s_.model.tasks[timer.task].start;
  if (timer.expires - std::min(timer.expires, start) < slow_timer_ns) return false;
  if (timer.before != Model::Object::none) return false;
  bool has_expired = false;
  for (const Diagnosis::Step& step : d.chain)
    each_earlier(s_.waits, step, [&](const Waits::Wait&) { has_expired = true; });
  return !has_expired;
}

Suspicion Suspicions::of_receive(const Diagnosis& d) const {
  const Model::Object* socket = used_by(s_.model, d.chain.back().task);
  if (d.moved != 0 || d.ended_relay || d.read_ahead || d.asks) return Suspicion::Suspect;
  if (!d.traffic || socket == nullptr || is_client(*socket)) return Suspicion::Suspect;
  // A server that waits for the next request: its client has got the answer to the last one, or has
  // not sent any.
  return d.traffic->awaits_reply() || d.traffic->received == 0 ? Suspicion::Usual
                                                               : Suspicion::Suspect;
}

Suspicion Suspicions::of_external(const Diagnosis& d) const {
  const TaskIndex last = d.chain.back().task;
  const std::string_view operation = s_.trace.strings[s_.model.tasks[last].name];
  if (d.on_their_way) return Suspicion::Suspect;
  if (d.session != no_index && d.moved == 0) return Suspicion::Usual;  // see what that waits for
  if (operation.starts_with("socket.async_accept") || operation.starts_with("signal_set."))
    return Suspicion::Idle;
  if (operation.starts_with("socket.async_receive")) return of_receive(d);
  const Model::Concern* use = s_.model.concern(last);
  if (use == nullptr || use->expires == 0) return Suspicion::Suspect;
  return is_slow(d, *use) ? Suspicion::Slow : Suspicion::Usual;
}

Suspicion Suspicions::of(const Diagnosis& d) const {
  const auto& [trace, model, waits] = s_;
  if (d.is_error()) return d.verdict == Verdict::Running ? Suspicion::Blocked : Suspicion::Error;
  if (d.is_cause) return Suspicion::Cause;
  if (d.outlived || (d.overtaken && !d.overtaken->is_usual())) return Suspicion::Likely;
  Suspicion found = Suspicion::Suspect;
  switch (d.verdict) {
    case Verdict::LostWakeup:
    case Verdict::Starved:
      return Suspicion::Likely;
    case Verdict::Running:
      return d.pool ? Suspicion::Likely : Suspicion::Runs;
    case Verdict::External:
      // A timer that is set again and again never lasts long.
      if (d.signal != no_index || d.closed_acceptor) return Suspicion::Suspect;
      found = of_external(d);
      break;
    case Verdict::Unknown:
      if (is_repeated(model, waits, d) || is_generator(trace, model.tasks[d.chain.back().task]))
        return Suspicion::Usual;
      if (!d.awaited && d.started.empty()) found = Suspicion::Unexplained;
      break;
    default:
      break;
  }
  if (found == Suspicion::Slow) return found;  // however often it is moved
  const bool is_short = is_end_known(model) && waits_shortly(model, waits, d);
  return is_short ? std::max(found, Suspicion::Usual) : found;
}

}  // namespace skein
