#include "cli/output/thread_stacks_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/thread_lines.h"
#include "cli/signal_text.h"

namespace skein::cli {

namespace {

std::string_view last_component(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 == 0
}

// Functions of the C and C++ libraries outside main() and outside a thread's function.
bool begins_thread(const StackCall& call) {
  if (call.is_program) return call.function == "_start";
  for (const std::string_view name : {"__libc_start_call_main", "__libc_start_main", "start_thread",
                                      "clone", "clone3", "__clone3"})
    if (call.function.starts_with(name)) return true;
  return call.function.empty() && last_component(call.module).starts_with("libc.");
}

// _start of a program that is stripped.
bool is_unnamed_start(const std::vector<StackCall>& calls) {
  const StackCall& last = calls.back();
  if (!last.is_program || !last.function.empty() || calls.size() < 2) return false;
  const StackCall& before = calls[calls.size() - 2];
  return !before.is_program && begins_thread(before);
}

std::vector<StackCall> shown_calls(const ThreadStack& stack) {
  std::vector<StackCall> calls = stack.calls;
  if (!calls.empty() && stack.is_complete && is_unnamed_start(calls)) calls.pop_back();
  while (calls.size() > 1 && stack.is_complete && begins_thread(calls.back())) calls.pop_back();
  return calls;
}

std::string place_text(const StackCall& call) {
  if (call.line != 0) return escaped(last_component(call.file)) + ":" + std::to_string(call.line);
  return call.module.empty() ? "" : escaped(last_component(call.module));
}

std::string thread_title(const ThreadStack& stack) {
  std::string title = "thread " + std::to_string(stack.id);
  if (!stack.name.empty()) title += " (" + escaped(stack.name) + ")";
  if (stack.ending_signal != 0) return title + " received " + signal_text(stack.ending_signal);
  const std::string state = thread_text(stack.mutex ? &*stack.mutex : nullptr,
                                        static_cast<char>(stack.state), stack.wait_channel);
  return state.empty() ? title : title + " " + state;
}

// Whoever runs it did not build it.
bool is_of_system(std::string_view program) {
  return program.starts_with("/usr/bin/") || program.starts_with("/bin/") ||
         program.starts_with("/usr/sbin/") || program.starts_with("/sbin/");
}

}  // namespace

std::string thread_stacks_text(const std::vector<ThreadStack>& stacks) {
  constexpr size_t most_titles = 4;
  std::string out;
  std::vector<bool> is_done(stacks.size(), false);
  std::vector<std::vector<StackCall>> shown;
  for (const ThreadStack& stack : stacks) shown.push_back(shown_calls(stack));
  for (size_t i = 0; i < stacks.size(); i++) {
    if (is_done[i]) continue;
    const std::vector<StackCall>& calls = shown[i];
    size_t titles = 0;
    size_t count = 0;
    for (size_t j = i; j < stacks.size(); j++) {
      if (j != i && (is_done[j] || shown[j] != calls)) continue;
      is_done[j] = true;
      count++;
      if (titles < most_titles || stacks[j].is_in_deadlock) {
        titles++;
        out += thread_title(stacks[j]) + ":\n";
      }
    }
    if (count > titles) out += "and " + counted(count - titles, "other thread") + ":\n";
    std::vector<std::vector<std::string>> lines;
    for (const StackCall& call : calls)
      lines.push_back({call.function.empty() ? address_text(call.address) : escaped(call.function),
                       place_text(call)});
    if (calls.empty()) lines.push_back({"unknown stack", ""});
    if (!calls.empty() && !stacks[i].is_complete) lines.push_back({"...", ""});
    append_columns(out, lines, "<<", 2);
  }
  return out;
}

std::string missing_lines_text(const std::vector<ThreadStack>& stacks) {
  bool has_program = false;
  bool has_functions = false;
  for (const ThreadStack& stack : stacks)
    for (const StackCall& call : shown_calls(stack)) {
      if (!call.is_program || is_of_system(call.module)) continue;
      has_program = true;
      has_functions = has_functions || !call.function.empty();
      if (call.line != 0) return "";
    }
  if (!has_program) return "";
  return has_functions ? "\nThe program has no lines: build it with -g.\n"
                       : "\nThe program has no functions and lines: build it with -g, and do not "
                         "strip it.\n";
}

std::string call_stacks_text(const std::optional<std::vector<ThreadStack>>& stacks) {
  return stacks ? "\nCall stacks:\n\n" + thread_stacks_text(*stacks) : std::string();
}

Json call_stacks_json(const std::optional<std::vector<ThreadStack>>& stacks) {
  if (!stacks) return nullptr;
  Json all = Json::array();
  for (const ThreadStack& stack : *stacks) {
    Json calls = Json::array();
    for (const StackCall& call : stack.calls)
      calls.add(Json::object({{"function", or_null(call.function)},
                              {"module", or_null(call.module)},
                              {"file", or_null(call.file)},
                              {"line", id_or_null(call.line)},
                              {"address", call.address}}));
    all.add(Json::object({{"thread", stack.id},
                          {"name", stack.name},
                          {"wait_channel", or_null(stack.wait_channel)},
                          {"complete", stack.is_complete},
                          {"calls", std::move(calls)}}));
  }
  return all;
}

}  // namespace skein::cli
