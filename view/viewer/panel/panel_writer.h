// Writes the panel's lines about one trace.
#pragma once

#include "view/viewer/findings.h"
#include "view/viewer/panel/panel.h"
#include "view/viewer/panel/task_text.h"

namespace skein {

class PanelWriter {
 public:
  // Lists get up to `more` additional lines.
  PanelWriter(Panel& panel, std::vector<PanelTarget>& targets, const SessionTrace& of,
              const SessionFindings& findings, uint32_t track, size_t more)
      : panel_(panel),
        targets_(targets),
        of_(of),
        findings_(findings),
        track_(track),
        more_(more) {}

  const SessionTrace& of() const { return of_; }
  const Findings& findings() const { return findings_[track_]; }
  Subject subject() const { return findings_.subject(track_); }
  // What the diagnoses of stuck tasks refer to, and the shown task that is one of its tasks.
  Subject state() const { return findings_.state(track_); }
  TaskIndex shown(TaskIndex task) const { return findings_.shown(track_, task); }
  uint32_t track() const { return track_; }
  // A time of this trace on the common clock, and as the text that the axis shows.
  double on_clock(uint64_t ns) const { return of_.on_clock(ns); }
  std::string time(uint64_t ns) const;

  void title(std::string text) { panel_.title = std::move(text); }
  // Values must be safe to display.
  void line(std::string_view name, std::string value);
  void heading(std::string_view name, std::string value);
  void link(std::string_view name, std::string value, PanelTarget target);
  void at_time(std::string_view name, uint64_t ns, std::string_view more = {});
  // With a time, the link shows that time.
  void task(std::string_view name, TaskIndex task, double time = no_time,
            std::string_view more = {});

  // limit() returns the maximum length of a list whose usual length is given; more() links to the
  // remaining entries, if any.
  size_t limit(size_t usual) const { return usual + more_; }
  void more(std::string_view name, size_t count);

 private:
  Panel& panel_;
  std::vector<PanelTarget>& targets_;
  const SessionTrace& of_;
  const SessionFindings& findings_;
  uint32_t track_;
  size_t more_;
};

// Writes why the task is stuck, if it is (panel_why.cc).
void write_why(PanelWriter& out, TaskIndex task);
// Writes the panel of a trace without a selection (panel_trace.cc).
void write_trace(PanelWriter& out);
// Writes the statistics of a range, and whether the range reaches the end of the trace (range.cc).
void write_range(PanelWriter& out, double from, double to);

std::string_view verb(Model::Link link);

}  // namespace skein
