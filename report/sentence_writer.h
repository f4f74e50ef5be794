// Writes the sentences of one diagnosis: what the explanations of all verdicts have in common.
#pragma once

#include <string_view>

#include "report/sentence.h"
#include "trace/ask/why.h"
#include "trace/model/names.h"

namespace skein {

class SentenceWriter {
 public:
  // All three must outlive the writer, which appends to `out`.
  SentenceWriter(const Subject& subject, const Diagnosis& diagnosis, Sentence& out)
      : e_(subject), d_(diagnosis), out_(out) {}

 protected:
  const Diagnosis::Step& last() const { return d_.chain.back(); }

  const Diagnosis::Step& before_last() const {
    return d_.chain[d_.chain.size() < 2 ? 0 : d_.chain.size() - 2];
  }

  void text(std::string_view run) { out_.push_back({.text = run}); }
  void task(TaskIndex index) { out_.push_back({.kind = TextRun::Kind::Task, .value = index}); }
  void actor(TaskIndex index) {
    index == no_index ? text("code outside any task") : task(index);
  }
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

  void number(uint64_t value) { out_.push_back({.kind = TextRun::Kind::Number, .value = value}); }

  void amount(uint64_t bytes, const char* how) {
    text(" ");
    number(bytes);
    text(bytes == 1 ? " byte" : " bytes");
    text(how);
  }

  const Subject& e_;
  const Diagnosis& d_;
  Sentence& out_;
};

}  // namespace skein
