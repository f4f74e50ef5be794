// Prints a report on standard output, as JSON or as text.
//
//   print_report(options.json, trace, [&] { return why_json(subject, found); },
//                [&](size_t columns) { return why_text(subject, found, columns); });
#pragma once

#include "cli/output/print.h"
#include "cli/output/terminal.h"
#include "report/json.h"

namespace skein::cli {

// Returns the output for a report that is written in pieces.
Output report_output(bool json);

// Calls only one of the two functions. `make_text` receives the width of the text in columns
// (text_columns()).
template <typename MakeJson, typename MakeText>
void print_report(bool json, const MakeJson& make_json, const MakeText& make_text) {
  Output out = report_output(json);
  out.text() += json ? make_json().text() : make_text(text_columns());
  out.finish();
}

// Also wraps the text to fit the terminal, and adds links to the source files (for_terminal()).
template <typename MakeJson, typename MakeText>
void print_report(bool json, const Trace& trace, const MakeJson& make_json,
                  const MakeText& make_text) {
  print_report(json, make_json,
               [&](size_t columns) { return for_terminal(make_text(columns), trace); });
}

}  // namespace skein::cli
