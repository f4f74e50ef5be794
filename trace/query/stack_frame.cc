// The table of the frames of stacks, which samples refer to.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

const StackFrame& frame(const Source& source, size_t row) {
  return source.trace().stacks.all_frames()[row];
}

}  // namespace

const QueryTable& stack_frame_table() {
  static const QueryTable table{
      .name = "stack_frame",
      .about = "frames of the stacks of samples",
      .columns = {{.name = "stack",
                   .about = "number of the stack, as in sample",
                   .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                     return static_cast<int64_t>(s.trace().stacks.number(s.frame_stacks()[row]));
                   }},
                  {.name = "depth",
                   .about = "0: the innermost frame",
                   .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                     const std::span<const StackFrame> stack =
                         s.trace().stacks.frames(s.frame_stacks()[row]);
                     return &frame(s, row) - stack.data();
                   }},
                  {.name = "address",
                   .about = "of the instruction, or in that of a call",
                   .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                     return static_cast<int64_t>(frame(s, row).address);
                   }},
                  {.name = "function",
                   .about = "NULL: the program's symbols are not here",
                   .text = [](const Source& s,
                              size_t row) { return s.text(frame(s, row).function); }}},
      .rows = [](const Source& s) { return s.frame_stacks().size(); }};
  return table;
}

}  // namespace skein
