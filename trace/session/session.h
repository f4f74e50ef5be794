// Several traces on one clock, without any view of them.
//
//   Session session;
//   session.add(std::make_shared<SessionTrace>(std::move(trace), std::move(model)), "net.ctf");
//   session[0].on_clock(ns);                    // a time of the trace on the common clock
//   session.replace(0, std::move(longer));      // the same trace, read again
//   session.grow(0);                            // what is alive lasts until now
//
// Time 0 of the common clock is where the first trace began when it was added, and stays at that
// moment: zero() is that moment on the first trace's own clock. A trace keeps its number. One
// thread; analyses on other threads share a trace and read its `trace` and `model`, which do not
// change unless it grows.
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

// When the program that records a trace was seen last. Recorded data alone does not distinguish a
// program that hangs from one that has ended.
struct SignOfLife {
  uint64_t utc = 0;      // ns since 1970; 0: not observed
  bool running = false;  // it is still running
  bool operator==(const SignOfLife&) const = default;
};

// The sign of life as a time of the trace; 0: there is none, or it makes no sense.
uint64_t time_of(const TraceInfo& info, const SignOfLife& life);

struct SessionTrace {
  SessionTrace(Trace of, Model made, SignOfLife sign = {});

  Trace trace;
  Model model;
  SignOfLife life;
  std::string title;               // safe to show, unique in its session
  double offset = 0;               // ns: its time 0 on the common clock
  std::vector<uint8_t> executors;  // one entry each: it has a name, or something ran on it

  double begin() const { return offset; }
  double end() const { return offset + static_cast<double>(model.end); }
  double on_clock(uint64_t ns) const { return static_cast<double>(ns) + offset; }
  // Up to when it is known what is alive, in its own time.
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

  // Below those that are there. The second of one title gets a number: "net.ctf (2)".
  void add(std::shared_ptr<SessionTrace> trace, const std::string& title);
  // Takes the place of number `which`, title and place on the clock included: one moment stays
  // where it is although a ring has overwritten its beginning.
  void replace(size_t which, std::shared_ptr<SessionTrace> fresh);
  void set_life(size_t which, SignOfLife life) { traces_[which]->life = life; }
  // Makes the model again, up to until(): the same tasks, with other ends. No analysis on another
  // thread may share the trace.
  void grow(size_t which);

  // Puts all on one clock: by UTC if all know it and lie near each other, else, and after
  // begin_together(), by their beginnings. The first stays where it is.
  void align();
  void begin_together() { from_start_ = true; }
  bool by_clock() const { return by_clock_; }
  uint64_t zero() const { return zero_; }
  void set_zero(uint64_t zero) { zero_ = zero; }

  // What all traces cover together, on the common clock; 0 to 0 without traces.
  double first() const;
  double last() const;

 private:
  std::vector<std::shared_ptr<SessionTrace>> traces_;
  bool by_clock_ = false;    // how they are aligned
  bool from_start_ = false;  // how they are to be
  uint64_t zero_ = 0;
};

}  // namespace skein
