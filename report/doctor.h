// The report of `skein doctor`: each finding with its evidence, and a command that draws it.
//
//   const DoctorReport report(subject, path);
//   print(report.text(examine(trace, model, waits)));
#pragma once

#include <string>
#include <string_view>

#include "report/json.h"
#include "trace/ask/doctor/doctor.h"

namespace skein {

class DoctorReport {
 public:
  // `path`: that of the trace, for the commands in the report.
  DoctorReport(const Subject& subject, std::string path);

  std::string text(const std::vector<Finding>& findings) const;
  // skein.doctor of docs/json.md.
  Json json(const std::vector<Finding>& findings) const;

  // The problem, in a sentence.
  std::string text(const Finding& f) const;
  // The same after its severity and lint: "warning, never-started: ...".
  std::string headline(const Finding& f) const;

  // The range to draw, and the task to highlight.
  struct Picture {
    uint64_t from = 0;
    uint64_t to = 0;
    TaskIndex task = no_index;
  };
  Picture picture(const Finding& f) const;

 private:
  void add(std::string& out, const Finding& f) const;
  Json to_json(const Finding& f) const;
  struct Line {
    std::string subject, text, duration;
  };
  Line line(const Finding& f, const Finding::Evidence& e) const;
  // A command that draws the finding; empty if the trace came from standard input.
  std::string command(const Picture& place) const;
  std::string title(TaskIndex task) const;
  // What `task` waited for from `begin` on: `target`, or an object.
  std::string target_text(TaskIndex task, uint64_t begin, TaskIndex target) const;
  std::string by(TaskIndex task) const;
  bool is_lock(TaskIndex task) const;
  std::string_view ending(TaskIndex task) const;
  std::string lock_order(const Finding& f) const;
  std::string held_object(const Finding& f) const;
  std::string dependents_text(const Finding& f) const;
  std::string cpu_text(const Finding& f) const;
  // Of a pending operation: what its peer does. The rest of a sentence.
  std::string peer_text(TaskIndex operation) const;
  std::string suspended(const Finding& f) const;
  std::string runnable_tasks_text(const Finding& f) const;
  std::string level(const Finding& f) const;

  const Trace& trace_;
  const Model& model_;
  const std::string path_;
};

// The lints and what each finds: `skein doctor --list`.
std::string lint_list_text(size_t columns);

}  // namespace skein
