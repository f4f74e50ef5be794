#include "target/access.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

namespace skein {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == '\0' || line.back() == '\n')) line.pop_back();
  return line;
}

// The words behind `key` in a file such as /proc/self/status.
std::vector<std::string> words_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream in(line.substr(key.size()));
    for (std::string word; in >> word;) words.push_back(word);
    break;
  }
  return words;
}

uint64_t number_of(const std::string& text, int base) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

// The machine's own user namespace maps each user to itself.
bool is_in_nested_namespace() {
  std::istringstream in(first_line("/proc/self/uid_map"));
  uint64_t inside = 0;
  uint64_t outside = 0;
  uint64_t count = 0;
  return in >> inside >> outside >> count && (inside != 0 || outside != 0 || count < UINT32_MAX);
}

// "docker-default (enforce)"; "unconfined" is none.
std::string profile_of_this() {
  for (const char* const path : {"/proc/self/attr/apparmor/current", "/proc/self/attr/current"}) {
    std::string text = first_line(path);
    if (text.empty()) continue;
    return text.find("unconfined") != std::string::npos || text == "kernel" ? "" : text;
  }
  return "";
}

std::string name_of(uint64_t user) {
  const passwd* const entry = getpwuid(static_cast<uid_t>(user));
  return entry == nullptr ? std::to_string(user) : entry->pw_name;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

AccessFacts access_facts(uint64_t pid) {
  constexpr unsigned sys_ptrace = 19;  // CAP_SYS_PTRACE
  AccessFacts facts{.user = geteuid(), .owner = geteuid()};
  const std::string self = "/proc/self/status";
  if (const auto caps = words_of(self, "CapEff:"); !caps.empty())
    facts.may_trace_all = (number_of(caps.front(), 16) >> sys_ptrace & 1) != 0;
  if (const auto mode = words_of(self, "Seccomp:"); !mode.empty())
    facts.has_filter = mode.front() == "2";
  // Real, effective, saved: all must be the same as the user's.
  const auto owners = words_of("/proc/" + std::to_string(pid) + "/status", "Uid:");
  for (size_t i = 0; i < std::min<size_t>(3, owners.size()); i++)
    if (const uint64_t owner = number_of(owners[i], 10); owner != facts.user) facts.owner = owner;
  facts.is_nested = is_in_nested_namespace();
  facts.ptrace_scope =
      static_cast<int>(number_of(first_line("/proc/sys/kernel/yama/ptrace_scope"), 10));
  facts.profile = profile_of_this();
  return facts;
}

std::string advice_of(const AccessFacts& facts) {
  std::vector<std::string> parts;
  const std::string scope = "kernel.yama.ptrace_scope is " + std::to_string(facts.ptrace_scope);
  const bool is_root = facts.user == 0;
  if (facts.ptrace_scope == 3) return scope + ", which forbids it until the next boot";
  if (!facts.may_trace_all) {
    if (is_root)
      parts.push_back("root has no CAP_SYS_PTRACE here; a container gets it with "
                      "--cap-add=SYS_PTRACE");
    else if (facts.owner != facts.user)
      parts.push_back("it belongs to another user; run skein as " + name_of(facts.owner) +
                      (facts.owner == 0 ? "" : " or root"));
    else if (facts.ptrace_scope != 0)
      parts.push_back(scope + ", which lets only root look; run skein as root");
    else if (!facts.has_filter && facts.profile.empty())
      parts.push_back("it has capabilities, or has forbidden it (PR_SET_DUMPABLE); run skein as "
                      "root");
  }
  if (facts.has_filter)
    parts.push_back("a filter of system calls (seccomp) may forbid it; docker run has "
                    "--security-opt seccomp=unconfined");
  if (!facts.profile.empty())
    parts.push_back("the security profile '" + facts.profile + "' may forbid it");
  if (facts.is_nested)
    parts.push_back("skein runs in a user namespace, and may not look at processes outside of it");
  if (parts.empty())
    parts.push_back("root may usually do that: a security module, or the end of the process, "
                    "forbids it");
  return joined(parts);
}

}  // namespace skein
