// `skein flame`: a flame graph of folded stacks, or the same stacks in other tools' formats.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/stacks_input.h"
#include "cli/input/trace_input.h"
#include "cli/output/flame_output.h"
#include "cli/output/output_file.h"

namespace skein::cli {

namespace {

NameAttributes read_attributes(Files& files, const std::string& path) {
  const Result<Contents> contents = files.open(path);
  if (!contents) die(2, contents.error().message());
  const std::span<const uint8_t> bytes = contents->bytes();
  Result<NameAttributes> attributes =
      read_name_attributes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!attributes) die(2, path + ":" + attributes.error().message());
  return std::move(*attributes);
}

}  // namespace

int run_flame(const FlameOptions& options) {
  const FlameFormat format = flame_format(options);
  if (format != FlameFormat::Folded) check_not_a_terminal(options.output);
  std::vector<std::string> all = options.inputs;
  all.insert(all.end(), options.before.begin(), options.before.end());
  if (!options.name_attributes.empty()) all.push_back(options.name_attributes);
  reject_duplicate_stdin(all);
  check_not_an_input(options.output, all);
  DiskFiles files;
  StacksInput input(files, options);
  for (const std::string& path : options.inputs) input.read(path, FoldedStacks::Side::After);
  for (const std::string& path : options.before) input.read(path, FoldedStacks::Side::Before);
  if (input.stacks().total() <= 0) die(2, options.inputs.front() + ": all counts are 0");
  FlameText text = input.text();
  if (!options.name_attributes.empty())
    text.attributes = read_attributes(files, options.name_attributes);
  write_flame(options, format, input.stacks(), text);
  return 0;
}

}  // namespace skein::cli
