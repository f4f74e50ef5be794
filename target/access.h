// What forbids to read a process, in the user's words: ptrace(2), "Ptrace access mode checking".
//
//   if (process_vm_readv(...) < 0 && errno == EPERM) print(advice_of(access_facts(pid)));
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct AccessFacts {
  uint64_t user = 0;             // of this process, effective
  uint64_t owner = 0;            // of the other one; as `user` if it has several
  bool may_trace_all = false;    // this process has CAP_SYS_PTRACE
  bool is_nested = false;        // in a user namespace that is not the machine's
  bool has_filter = false;       // of system calls (seccomp)
  int ptrace_scope = 0;          // of Yama; 0: no restriction, or no Yama
  std::string profile = {};      // of AppArmor or SELinux that confines this process; empty: none
};

// What /proc shows of this process and the other one.
AccessFacts access_facts(uint64_t pid);

// What forbids it, as far as it is known, and what to do: the end of a message.
std::string advice_of(const AccessFacts& facts);

}  // namespace skein
