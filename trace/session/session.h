// Several traces on one clock, independently of views.
//
//   Session session;
//   session.add(std::make_shared<SessionTrace>(std::move(trace), std::move(model)), "net.ctf");
//   session[0].on_clock(ns);                    // converts a time of the trace to the common clock
//   session.replace(0, std::move(longer));      // the same trace, read again
//   session.grow(0);                            // extends live tasks to now
//
// Time 0 of the common clock is the start of the first trace at the time it was added, and does not
// change: zero() is that time on the first trace's own clock. A trace keeps its number.
// Single-threaded. Analyses on other threads share ownership of a trace and read its `trace` and
// `model`, which do not change unless it grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

inline constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

// When the recording program was last seen. Recorded data alone does not distinguish a program that
// hangs from one that has ended.
struct SignOfLife {
  uint64_t utc = 0;      // ns since 1970; 0: not observed
  bool running = false;  // it is still running
  bool operator==(const SignOfLife&) const = default;
};

// The sign of life as a time of the trace; 0 if there is none, or if it is implausible.
uint64_t time_of(const TraceInfo& info, const SignOfLife& life);

struct SessionTrace {
  SessionTrace(Trace of, Model made, SignOfLife sign = {});

  Trace trace;
  Model model;
  SignOfLife life;
  std::string title;               // safe to display, unique in its session
  double offset = 0;               // ns: time 0 of the trace on the common clock
  std::vector<uint8_t> executors;  // per executor: whether it has a name or any activity

  double begin() const { return offset; }
  double end() const { return offset + static_cast<double>(model.end); }
  double on_clock(uint64_t ns) const { return static_cast<double>(ns) + offset; }
  // The time, in the trace's own time, up to which the live tasks are known.
  uint64_t until() const { return std::max(model.end, time_of(trace.info, life)); }
  bool has_executors() const { return std::count(executors.begin(), executors.end(), 1) > 1; }
};

class Session {
 public:
  size_t size() const { return traces_.size(); }
  bool empty() const { return traces_.empty(); }
  const SessionTrace& operator[](size_t which) const { return *traces_[which]; }
  const std::shared_ptr<SessionTrace>& shared(size_t which) const { return traces_[which]; }
  auto begin() const { return traces_.begin(); }
  auto end() const { return traces_.end(); }
  bool has_task(size_t which, TaskIndex task) const {
    return which < size() && task < traces_[which]->model.tasks.size();
  }

  // Appends a trace. A duplicate title gets a number: "net.ctf (2)".
  void add(std::shared_ptr<SessionTrace> trace, const std::string& title);
  // Replaces trace `which`, keeping its title and position on the clock: a given time keeps its
  // place even if a ring has overwritten the beginning.
  void replace(size_t which, std::shared_ptr<SessionTrace> fresh);
  void set_life(size_t which, SignOfLife life) { traces_[which]->life = life; }
  // Rebuilds the model, extended to until(): the same tasks, with different ends. Precondition: no
  // analysis on another thread shares the trace.
  void grow(size_t which);

  // Places all traces on one clock: by UTC if it is known for all and they are close together.
  // Otherwise, and after align_by_start(), by their starts. The first trace does not move.
  void align();
  void align_by_start() { align_by_start_ = true; }
  bool by_clock() const { return by_clock_; }
  uint64_t zero() const { return zero_; }
  void set_zero(uint64_t zero) { zero_ = zero; }

  // The range that the traces cover together, on the common clock; 0 to 0 without traces.
  double first() const;
  double last() const;

 private:
  std::vector<std::shared_ptr<SessionTrace>> traces_;
  bool by_clock_ = false;    // the current alignment
  bool align_by_start_ = false;  // the requested alignment
  uint64_t zero_ = 0;
};

}  // namespace skein
