#include "cli/input/thread_stacks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/function_name.h"
#include "frames/call_stack.h"
#include "frames/coroutine_functions.h"
#include "frames/memory_cache.h"
#include "frames/mutex_waits.h"
#include "symbol/functions.h"
#include "symbol/lines.h"
#include "target/elf.h"
#include "target/pausable_process.h"
#include "target/process.h"

namespace skein::cli {

namespace {

constexpr size_t most_threads = 1000;
constexpr size_t most_calls = 64;

struct StackModule {
  Contents contents = {};
  uint64_t bias = 0;  // added to its addresses
  std::optional<Functions> functions = {};
  std::optional<Lines> lines = {};
};

class StackNames {
 public:
  explicit StackNames(const Target& target) : target_(target) {
    for (const Mapping& mapping : target.mappings())
      if (mapping.has_file()) {
        program_ = mapping.file;
        break;
      }
  }

  // And functions that were inlined there, but for those of the system's headers. `is_return`: the
  // call is before the address.
  void add(uint64_t address, bool is_return, std::vector<StackCall>& to) {
    StackCall call{.address = address};
    const Mapping* mapping = find_mapping(target_.mappings(), address);
    if (mapping == nullptr || !mapping->has_file()) return to.push_back(std::move(call));
    call.module = mapping->file;
    call.is_program = mapping->file == program_;
    const StackModule& module = module_of(*mapping);
    const uint64_t at = address - module.bias - (is_return ? 1 : 0);
    call.address = address - module.bias;
    const Functions::Function* function = module.functions ? module.functions->find(at) : nullptr;
    if (function != nullptr) call.function = shown_name(function->name);
    std::vector<InlinedFrame> frames;
    if (module.lines) frames = module.lines->frames(at);
    for (InlinedFrame& frame : frames) {
      const bool is_inlined = !frame.function.empty();
      if (is_inlined && frame.place.file.starts_with("/usr/")) continue;
      StackCall& one = to.emplace_back(call);
      if (is_inlined) one.function = shown_name(frame.function);
      one.file = std::move(frame.place.file);
      one.line = frame.place.line;
    }
    if (frames.empty()) to.push_back(std::move(call));
  }

 private:
  static std::string shown_name(std::string_view mangled) {
    return short_function_name(with_lambdas_of_signatures(demangled(mangled)));
  }

  const StackModule& module_of(const Mapping& mapping) {
    const auto [at, is_new] = modules_.try_emplace(mapping.file);
    StackModule& module = at->second;
    if (!is_new) return module;
    Result<Contents> contents = target_.file_of(mapping);
    if (!contents) return module;
    module.contents = std::move(*contents);
    const auto bytes = module.contents.bytes();
    const Result<ElfHeader> elf = read_elf_header(bytes, mapping.file);
    const std::optional<uint64_t> bias = elf ? bias_of(*elf, mapping) : std::nullopt;
    if (!bias) return module;
    module.bias = *bias;
    if (Result<Functions> functions = Functions::read(bytes, mapping.file))
      module.functions = std::move(*functions);
    if (Result<Lines> lines = Lines::read(bytes, mapping.file)) module.lines = std::move(*lines);
    return module;
  }

  const Target& target_;
  std::string program_ = {};
  std::map<std::string, StackModule> modules_ = {};  // by file
};

// The stacks of these threads, which are those of the target.
WalkedStacks walk(const Target& target, std::span<const TargetThread> threads) {
  WalkedStacks walked;
  MemoryCache memory(target);
  CallStacks reader(target, memory);
  for (const TargetThread& thread : threads.first(std::min(threads.size(), most_threads)))
    walked.add(thread, reader.of(thread.registers));
  return walked;
}

}  // namespace

void WalkedStacks::add(const TargetThread& thread, const CallStacks::Stack& stack) {
  if (all_.size() == most_threads) return;
  Walked& walked = all_[thread.id];
  walked.is_complete = stack.is_complete && stack.calls.size() <= most_calls;
  for (const CallStacks::Call& call : stack.calls) {
    if (walked.calls.size() == most_calls) break;
    walked.calls.push_back({.pc = call.pc, .is_return = call.is_return});
  }
}

std::vector<ThreadStack> WalkedStacks::named(const Target& target,
                                             std::span<const TargetThread> threads,
                                             const MutexWaits& waits) const {
  std::vector<ThreadStack> stacks;
  StackNames names(target);
  for (const TargetThread& thread : threads.first(std::min(threads.size(), most_threads))) {
    ThreadStack& stack = stacks.emplace_back();
    stack.id = thread.id;
    stack.name = thread.name;
    stack.state = thread.state;
    stack.wait_channel = thread.wait_channel;
    stack.is_in_deadlock = waits.cycle_of(thread.id) != nullptr;
    if (const MutexWait* wait = waits.of(thread.id)) stack.mutex = *wait;
    const auto walked = all_.find(thread.id);
    if (walked == all_.end()) continue;
    stack.is_complete = walked->second.is_complete;
    for (const Call& call : walked->second.calls) names.add(call.pc, call.is_return, stack.calls);
  }
  return stacks;
}

Result<std::vector<ThreadStack>> read_thread_stacks(uint64_t pid) {
  const Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(pid);
  if (!process) return process.error();
  // A thread that computes shows nothing of its stack otherwise. Without permission, the others
  // are shown.
  (void)(*process)->pause();
  const std::vector<TargetThread> threads = (*process)->threads();
  const MutexWaits waits(find_mutex_waits(**process, threads));
  const WalkedStacks walked = walk(**process, threads);
  (*process)->resume();
  return walked.named(**process, threads, waits);
}

std::vector<ThreadStack> read_thread_stacks(const Target& target) {
  const std::vector<TargetThread> threads = target.threads();
  return walk(target, threads)
      .named(target, threads, MutexWaits(find_mutex_waits(target, threads)));
}

}  // namespace skein::cli
