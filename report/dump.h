// The report of `skein dump`: a line per event, as text for people and grep, or as a JSON object.
//
//   const DumpReport report(trace);
//   for (size_t i = 0; i < trace.events.size(); i++) report.append_text(out, i);
//
//    0.000012345 #0 7 "Netif.rx_poll" create by=3 kind=bind  server.cc:42 Netif::rx_poll
//    time in s, executor, task, its label, event, arguments, location
//
// Lines are appended to a string without a Json value in between: a trace has millions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "trace/read/trace.h"

namespace skein {

class DumpReport {
 public:
  // The trace outlives this. O(events).
  explicit DumpReport(const Trace& trace);
  ~DumpReport();

  // Event number `index` of the trace, with a newline.
  void append_text(std::string& out, size_t index) const;
  // skein.dump of docs/json.md.
  void append_json(std::string& out, size_t index) const;

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace skein
