// `skein targets`: lists what skein can attach to on this machine - guests, recording processes and
// other processes of this user.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/proc_file.h"
#include "cli/input/running.h"
#include "cli/output/report_output.h"
#include "report/json.h"
#include "target/guest/guest_memory.h"
#include "target/thread_ids.h"

namespace skein::cli {

namespace {

struct AttachTarget {
  const char* kind = "";
  uint64_t pid = 0;
  std::string argument;  // as commands take it
  std::string program;
  std::string trace = {};  // a directory
};

std::string program_name(uint64_t pid) {
  return first_line("/proc/" + std::to_string(pid) + "/comm");
}

// Kernel threads and processes that may not be read show no mappings.
bool may_be_read(uint64_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  return maps.peek() != std::ifstream::traits_type::eof();
}

// Guests, then recording processes, then others, each by pid.
std::vector<AttachTarget> all_targets() {
  std::vector<AttachTarget> all;
  std::set<uint64_t> known = {static_cast<uint64_t>(getpid())};
  const std::vector<Guest> guests = find_guests();
  for (const Guest& guest : guests) {
    const bool is_unique = std::count_if(guests.begin(), guests.end(), [&](const Guest& one) {
                             return one.name == guest.name;
                           }) == 1;
    const std::string name =
        guest.name.empty() || !is_unique ? std::to_string(guest.pid) : guest.name;
    all.push_back({"guest", guest.pid, "-d " + name, program_name(guest.pid)});
    known.insert(guest.pid);
  }
  for (const RecordedProcess& process : recorded_processes()) {
    if (!known.insert(process.pid).second) continue;
    all.push_back({"recording", process.pid, std::to_string(process.pid), process.program,
                   process.directory});
  }
  for (const uint64_t pid : thread_ids("/proc")) {
    if (known.contains(pid) || !may_be_read(pid)) continue;
    all.push_back({"process", pid, std::to_string(pid), program_name(pid)});
  }
  return all;
}

std::string targets_text(const std::vector<AttachTarget>& targets) {
  if (targets.empty()) return "No guest and no process of this user found.\n";
  std::vector<std::vector<std::string>> lines = {{"TARGET", "KIND", "PID", "PROGRAM", "TRACE"}};
  for (const AttachTarget& target : targets)
    lines.push_back({escaped(target.argument), target.kind, std::to_string(target.pid),
                     escaped(target.program), escaped(target.trace)});
  std::string out;
  append_columns(out, lines, "<<><<", 0);
  return out;
}

Json targets_json(const std::vector<AttachTarget>& targets) {
  Json out = json_document("skein.targets/1");
  Json all = Json::array();
  for (const AttachTarget& target : targets)
    all.add(Json::object({{"kind", target.kind},
                          {"pid", target.pid},
                          {"argument", target.argument},
                          {"program", target.program},
                          {"trace", target.trace}}));
  out.set("targets", std::move(all));
  return out;
}

}  // namespace

int run_targets(const TargetsOptions& options) {
  const std::vector<AttachTarget> targets = all_targets();
  print_report(
      options.json, [&] { return targets_json(targets); },
      [&](size_t) { return targets_text(targets); });
  return 0;
}

}  // namespace skein::cli
