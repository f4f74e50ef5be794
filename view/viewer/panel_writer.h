// Lines for the panel, about one trace.
#pragma once

#include "view/viewer/findings.h"
#include "view/viewer/panel.h"
#include "view/viewer/task_text.h"

namespace skein {

class PanelWriter {
 public:
  // Lists may have `more` lines than usual.
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
  uint32_t track() const { return track_; }
  // A time of this trace on the common clock, and as a text: what the axis says there.
  double on_clock(uint64_t ns) const { return of_.on_clock(ns); }
  std::string time(uint64_t ns) const;

  void title(std::string text) { panel_.title = std::move(text); }
  // Values are safe to show.
  void line(std::string_view name, std::string value);
  void heading(std::string_view name, std::string value);
  void link(std::string_view name, std::string value, PanelTarget target);
  void at_time(std::string_view name, uint64_t ns, std::string_view more = {});
  // With a time: there one comes to see that moment.
  void task(std::string_view name, TaskIndex task, double time = no_time,
            std::string_view more = {});

  // How many lines a list may have that usually has so many, and the link to the others, if there
  // are any.
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

// Why it is stuck, if it is (panel_why.cc).
void write_why(PanelWriter& out, TaskIndex task);
// What is known of a trace of which nothing is selected (panel_trace.cc).
void write_trace(PanelWriter& out);
// What happened in a range, and whether the range ends with or after the trace (range.cc).
void write_range(PanelWriter& out, double from, double to);

std::string_view verb(Model::Link link);

}  // namespace skein
