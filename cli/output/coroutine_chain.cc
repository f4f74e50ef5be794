#include "cli/output/coroutine_chain.h"

#include <algorithm>
#include <memory>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/awaited_text.h"

namespace skein::cli {

using State = SuspendedCoroutine::State;

std::string_view state_name(State state) {
  switch (state) {
    case State::NotStarted:
      return "not started";
    case State::Waits:
      return "waits";
    case State::Final:
      return "has ended";
    case State::Runs:
      return "runs";
    case State::Unknown:
      break;
  }
  return "waits, or runs";
}

std::string function_name(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutines::Function& function =
      found.functions[found.coroutines[coroutine].function];
  return escaped(function.operation.empty() ? function.name : function.operation);
}

namespace {

// Of one that runs and is not known where: where it last waited.
std::string place_text(const SuspendedCoroutines& found, uint32_t coroutine) {
  const SuspendedCoroutine& one = found.coroutines[coroutine];
  const SuspendedCoroutines::Place& place = found.places[one.place];
  const std::string line = line_text(place);
  const bool is_before = one.state == State::Runs && !place.is_running;
  return line.empty() || !is_before ? line : "after " + line;
}

// Whether an awaiter of the program is a timer's, see find_deadlines().
bool has_deadline(const Unprepared& of, const CoroutineChain& chain) {
  return chain.operation.empty() && !chain.objects.empty() &&
         of.found.objects[chain.objects.front()].kind == AsioObject::Kind::Timer &&
         of.found.awaited[of.found.coroutines[chain.steps.back()].awaited].kind !=
             WaitObject::Kind::WhenAll;
}

std::string step_text(const Unprepared& of, const CoroutineChain& chain, size_t step) {
  const SuspendedCoroutine& one = of.found.coroutines[chain.steps[step]];
  const bool is_last = step + 1 == chain.steps.size();
  const bool is_suspended = one.state == State::Waits || one.state == State::Unknown;
  std::string text(state_name(one.state));
  const std::string& awaiter = of.found.places[one.place].awaiter;
  if (one.state != State::Runs && !is_last)
    text = "waits for the next";
  else if (is_suspended && one.awaited != SuspendedCoroutine::none)
    text = "waits for " + awaited_text(of, chain) +
           (has_deadline(of, chain) ? " and a timer" + objects_text(of, chain.objects) : "");
  else if (one.state == State::Waits && !chain.operation.empty())
    text = "waits for " + escaped(chain.operation) + objects_text(of, chain.objects);
  else if (one.awaits == chain.steps[step])
    text = "waits for itself";
  else if (chain.cycle_begin != CoroutineChain::no_cycle)
    text = "waits for " + function_name(of.found, chain.steps[chain.cycle_begin]);
  else if (is_suspended && one.awaits != SuspendedCoroutine::none && chain.operation.empty())
    text = "waits for " + function_name(of.found, one.awaits) + ", which is in another line";
  else if (one.state == State::Waits && is_program_type(awaiter))
    text = "waits for " + escaped(awaiter) + objects_text(of, chain.objects);
  else if (one.state == State::Waits && !chain.objects.empty())  // without names
    text = "waits for " + unnamed_objects_text(of, chain.objects);
  if (one.caller != SuspendedCoroutine::none)
    text += ", on the stack of " + escaped(of.found.callers[one.caller].function);
  return one.is_certain ? text : text + " (uncertain)";
}

}  // namespace

std::vector<JudgedChain> judge_chains(const Unprepared& of) {
  std::vector<JudgedChain> judged;
  std::vector<size_t> depth_below(of.found.coroutines.size());  // by coroutine
  for (CoroutineChain& chain : find_chains(of.found, of.around)) {
    const ChainVerdict verdict = judge(of.found, chain, of.around);
    const bool is_joined = chain.joined_by != SuspendedCoroutine::none;
    const size_t depth = is_joined ? depth_below[chain.joined_by] : 0;
    for (const uint32_t member : chain.members) depth_below[member] = depth + chain.steps.size();
    judged.push_back({std::move(chain), verdict, depth});
  }
  return judged;
}

void add_chain_lines(const Unprepared& of, const CoroutineChain& chain, size_t depth,
                     std::vector<std::vector<std::string>>& lines) {
  constexpr size_t deepest = 20;
  for (size_t i = 0; i < chain.steps.size(); i++)
    lines.push_back(
        {i == 0 ? grouped(chain.count) : "",
         std::string(2 * std::min(depth + i, deepest), ' ') +
             function_name(of.found, chain.steps[i]),
         step_text(of, chain, i),
         place_text(of.found, chain.steps[i])});
}

namespace {

struct Branch {
  std::vector<std::string> columns = {};  // function, state, place
  uint64_t count = 0;
  std::vector<Branch> branches = {};
};

using Path = std::vector<std::vector<std::string>>;

void add_branches(std::vector<Branch>& branches, size_t depth,
                  std::vector<std::vector<std::string>>& lines) {
  constexpr size_t deepest = 20;
  std::stable_sort(branches.begin(), branches.end(),
                   [](const Branch& a, const Branch& b) { return a.count > b.count; });
  for (Branch& branch : branches) {
    lines.push_back({grouped(branch.count),
                     std::string(2 * std::min(depth, deepest), ' ') + branch.columns[0],
                     branch.columns[1], branch.columns[2]});
    add_branches(branch.branches, depth + 1, lines);
  }
}

}  // namespace

void add_tree_lines(const Unprepared& of, const std::vector<JudgedChain>& chains,
                    std::vector<std::vector<std::string>>& lines) {
  constexpr size_t longest = 1000;  // steps: the lines are added recursively
  std::vector<Branch> branches;
  // By coroutine, the columns of the lines from the root to its chain's last.
  std::vector<std::shared_ptr<Path>> paths(of.found.coroutines.size());
  for (const JudgedChain& one : chains) {
    const uint32_t parent = one.chain.joined_by;
    const bool is_joined = parent != SuspendedCoroutine::none && paths[parent] != nullptr;
    const auto path = is_joined ? std::make_shared<Path>(*paths[parent]) : std::make_shared<Path>();
    const size_t shared = path->size();
    for (size_t i = 0; i < one.chain.steps.size() && path->size() < longest; i++) {
      const uint32_t step = one.chain.steps[i];
      path->push_back({function_name(of.found, step), step_text(of, one.chain, i),
                       place_text(of.found, step)});
    }
    for (const uint32_t member : one.chain.members) paths[member] = path;
    std::vector<Branch>* level = &branches;
    for (size_t i = 0; i < path->size(); i++) {
      const std::vector<std::string>& columns = (*path)[i];
      auto at = std::find_if(level->begin(), level->end(),
                             [&](const Branch& branch) { return branch.columns == columns; });
      if (at == level->end()) at = level->insert(at, {.columns = columns});
      if (i >= shared) at->count += one.chain.count;
      level = &at->branches;
    }
  }
  add_branches(branches, 0, lines);
}

}  // namespace skein::cli
