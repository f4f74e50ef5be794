// The table of losses.
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
      .about = "losses: data that is missing in the other tables",
      .columns =
          {{.name = "what",
            .about = "dropped by the recorder, event cut short ...",
            .text = [](const Source& s,
                       size_t row) { return std::string_view(loss(s, row).what); }},
           {.name = "file",
            .about = "file of the trace; NULL: it has only one",
            .made = [](const Source& s, size_t row) { return loss(s, row).file; }},
           {.name = "offset",
            .about = "offset in the file",
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
