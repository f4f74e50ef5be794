// The machine, process and executor tables, each by its index in the trace.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;
using Number = std::optional<int64_t>;

Number row_number(const Source&, size_t row) { return static_cast<int64_t>(row); }

Number known(uint64_t number) {
  if (number == 0) return {};
  return static_cast<int64_t>(number);
}

}  // namespace

const QueryTable& executor_table() {
  static const QueryTable table{
      .name = "executor",
      .about = "OS threads and vCPUs",
      .columns = {{.name = "id", .about = "as executor_id in other tables", .number = row_number},
                  {.name = "name",
                   .about = "as executor in other tables: name/tid; thread TID; executor ID",
                   .text = [](const Source& s,
                              size_t row) { return s.executor(static_cast<uint32_t>(row)); }},
                  {.name = "tid",
                   .about = "of the OS",
                   .number = [](const Source& s,
                                size_t row) { return known(s.trace().executors[row].tid); }},
                  {.name = "process",
                   .about = "id of its process; NULL: a CPU",
                   .number = [](const Source& s, size_t row) -> Number {
                     const uint32_t process = s.trace().executors[row].process;
                     if (process >= s.trace().processes.size()) return {};
                     return process;
                   }}},
      .rows = [](const Source& s) { return s.trace().executors.size(); },
      .row = 0};
  return table;
}

const QueryTable& process_table() {
  static const QueryTable table{
      .name = "process",
      .about = "the recorded processes",
      .columns = {{.name = "id", .about = "as in executor.process", .number = row_number},
                  {.name = "pid",
                   .about = "of the OS",
                   .number = [](const Source& s,
                                size_t row) { return known(s.trace().processes[row].pid); }},
                  {.name = "name",
                   .about = "of the program",
                   .made = [](const Source& s,
                              size_t row) { return s.trace().processes[row].name; }},
                  {.name = "machine",
                   .about = "id of its machine",
                   .number = [](const Source& s, size_t row) -> Number {
                     return s.trace().processes[row].machine;
                   }}},
      .rows = [](const Source& s) { return s.trace().processes.size(); },
      .row = 0};
  return table;
}

const QueryTable& machine_table() {
  static const QueryTable table{
      .name = "machine",
      .about = "machines that the processes ran on",
      .columns =
          {{.name = "id", .about = "as in process.machine", .number = row_number},
           {.name = "name",
            .about = "host name",
            .made = [](const Source& s, size_t row) { return s.trace().machines[row].name; }},
           {.name = "boot_id",
            .about = "traces of one boot share a clock",
            .made = [](const Source& s, size_t row) { return s.trace().machines[row].boot_id; }}},
      .rows = [](const Source& s) { return s.trace().machines.size(); },
      .row = 0};
  return table;
}

}  // namespace skein
