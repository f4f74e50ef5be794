// What `skein ps` and `skein why` print about a process or a core that no recorder is in.
#pragma once

#include <optional>
#include <string>

namespace skein::cli {

enum class UnpreparedReport { List, Explanation };

// Prints the report and returns the exit status: 1 if the explanation has an error. Nothing, if
// `target` names neither a core file nor a process that does not record, or if this program was
// built without elfutils. Throws CommandError(2) if the coroutines cannot be read.
struct UnpreparedRequest {
  std::string target = {};
  UnpreparedReport report = UnpreparedReport::List;
  bool json = false;
  bool stop = false;    // the process, while it is read
  bool locals = false;  // show parameters and local variables
  bool group = false;   // List: as one tree
  std::string program = {};  // of a core that lacks its name; empty: as it names it
  std::string search_limit = {};
};
// Whether the report has the call stacks of threads.
inline bool wants_stacks(const UnpreparedRequest& request) {
  return request.report == UnpreparedReport::Explanation && request.stop;
}
std::optional<int> report_unprepared(const UnpreparedRequest& request);

}  // namespace skein::cli
