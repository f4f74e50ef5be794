// The doctor's findings, in words and as JSON.
//
//   const DoctorReport report(asked, path);
//   for (const Finding& f : examine(...)) report.add(out, f);
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cli/asked.h"
#include "trace/ask/doctor/doctor.h"

namespace skein::cli {

class DoctorReport {
 public:
  // Of the trace at `path`, which the commands name that it prints; `asked` lives longer.
  DoctorReport(const Asked& asked, std::string path);

  // What is wrong, in a sentence.
  std::string text(const Finding& f) const;

  // Where to look: a stretch of time around it, and whom to look for.
  struct Picture {
    uint64_t from = 0;
    uint64_t to = 0;
    TaskIndex task = no_index;
  };
  Picture picture(const Finding& f) const;

  void add(std::string& out, const Finding& f) const;
  nlohmann::ordered_json to_json(const Finding& f) const;

 private:
  // Who, what, for how long.
  struct Line {
    std::string who, what, how_long;
  };
  Line line(const Finding& f, const Finding::Evidence& e) const;
  // A command that draws it; empty when the trace came by standard input.
  std::string command(const Picture& place) const;
  std::string title(TaskIndex task) const;
  std::string by(TaskIndex task) const;
  bool is_lock(TaskIndex task) const;
  std::string_view ending(TaskIndex task) const;
  std::string lock_order(const Finding& f) const;
  std::string who_counts_on(const Finding& f) const;
  std::string suspended(const Finding& f) const;
  std::string could_have(const Finding& f) const;
  std::string level(const Finding& f) const;

  const Trace& trace_;
  const Model& model_;
  const std::string path_;
};

}  // namespace skein::cli
