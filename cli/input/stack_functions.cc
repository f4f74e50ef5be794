#include "cli/input/stack_functions.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#ifdef SKEIN_HAS_SYMBOLS
#include "base/disk_files.h"
#include "symbol/debug_file.h"
#include "symbol/functions.h"
#include "target/target.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

namespace {

// The symbols of one module.
class ModuleFunctions {
 public:
  ModuleFunctions(const std::string& path, std::string_view build_id) {
    DiskFiles disk;
    Result<Contents> opened = disk.open(path);
    if (!opened || skein::build_id(opened->bytes()) != (build_id == "-" ? "" : build_id)) return;
    contents_ = *std::move(opened);
    Result<Functions> functions = Functions::read(contents_.bytes(), path);
    if (!functions) return;
    functions_ = *std::move(functions);
    if (functions_.is_complete()) return;
    DebugFileSearch search = find_debug_file(contents_.bytes(), path, DebugPart::Symbols,
                                             DebugFilePlaces::of_this_user(), disk);
    if (!search.found) return;
    symbols_ = std::move(search.found->contents);
    if (Result<Functions> more = Functions::read(symbols_.bytes(), path))
      functions_ = *std::move(more);
  }
  const Functions::Function* find(uint64_t address) const { return functions_.find(address); }

 private:
  Contents contents_ = {};
  Contents symbols_ = {};
  Functions functions_ = {};
};

}  // namespace

void add_stack_functions(Trace& trace) {
  const std::span<StackFrame> frames = trace.stacks.all_frames();
  std::unordered_map<uint64_t, StringId> names;  // by address
  for (const Module& module : trace.modules) {
    const std::string path(trace.strings[module.path]);
    std::vector<StackFrame*> inside;
    for (StackFrame& frame : frames)
      if (frame.function == 0 && frame.address - module.base < module.size)
        inside.push_back(&frame);
    if (inside.empty() || !path.starts_with('/')) continue;
    const ModuleFunctions functions(path, trace.strings[module.build_id]);
    for (StackFrame* frame : inside) {
      const auto [name, added] = names.try_emplace(frame->address, 0);
      if (added)
        if (const auto* function = functions.find(frame->address - module.base))
          name->second = trace.strings.intern(demangled(function->name));
      frame->function = name->second;
    }
  }
}

#else

void add_stack_functions(Trace&) {}

#endif

}  // namespace skein::cli
