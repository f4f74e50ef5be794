// The table of what is not in the other tables.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

const Loss& loss(const Source& source, size_t row) { return source.trace().losses[row]; }

std::optional<int64_t> number(std::optional<uint64_t> known) {
  if (!known) return {};
  return static_cast<int64_t>(*known);
}

}  // namespace

const QueryTable& lost_table() {
  static const QueryTable table{
      .name = "lost",
      .about = "what was recorded or should have been, and is not here",
      .columns =
          {{.name = "what",
            .about = "dropped by the recorder, event cut short ...",
            .text = [](const Source& s,
                       size_t row) { return std::string_view(loss(s, row).what); }},
           {.name = "file",
            .about = "of the trace; NULL if it has one only",
            .made = [](const Source& s, size_t row) { return loss(s, row).file; }},
           {.name = "offset",
            .about = "where in that file",
            .number = [](const Source& s, size_t row) { return number(loss(s, row).offset); }},
           {.name = "bytes",
            .about = "how many; NULL: not known",
            .number = [](const Source& s, size_t row) { return number(loss(s, row).bytes); }},
           {.name = "packets",
            .about = "how many; NULL: not known",
            .number = [](const Source& s, size_t row) { return number(loss(s, row).packets); }},
           {.name = "events",
            .about = "how many; NULL: not known",
            .number = [](const Source& s, size_t row) { return number(loss(s, row).events); }}},
      .rows = [](const Source& s) { return s.trace().losses.size(); }};
  return table;
}

}  // namespace skein
