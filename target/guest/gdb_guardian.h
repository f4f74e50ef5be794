// Lets a stopped guest go on when the process that has stopped it is gone, however it ended.
//
// A gdb server stops its guest for a client; QEMU leaves it stopped when the connection closes. The
// guardian is a child process that has the same connection and waits for its parent to finish, or
// to die, SIGKILL included. Then it ends the session. It is the only one that does, so that a
// second end cannot meet a running guest: QEMU stops that at the first byte. It ends the session
// also if the guest has stood still for too long, because its parent may stand still as well
// (Ctrl-Z), and shuts the connection down.
//
//   std::optional<GdbGuardian> guardian = GdbGuardian::start(socket);
//   connect(socket, ...);
//   ...
//   guardian->finish();
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace skein {

class GdbGuardian {
 public:
  static constexpr std::chrono::milliseconds kLongestStop{20'000};

  // Nothing: no process could be made. `socket` need not be connected yet.
  static std::optional<GdbGuardian> start(int socket,
                                          std::chrono::milliseconds longest_stop = kLongestStop);
  GdbGuardian(GdbGuardian&& other) noexcept;
  GdbGuardian& operator=(GdbGuardian&& other) noexcept;
  ~GdbGuardian();

  // The guest was stopped before the connection and stays so: the connection is only closed.
  void keep() { note('k'); }
  // The server reads physical memory now, which another client would not expect; or no more.
  void set_physical(bool is_physical) { note(is_physical ? 'p' : 'v'); }
  // The guest runs, or is stopped again.
  void set_running(bool is_running) { note(is_running ? 'r' : 's'); }

  // Ends the session. Returns false if the server has not confirmed it. Takes 2 s at most.
  bool finish();

 private:
  GdbGuardian(pid_t child, int pipe) : child_(child), pipe_(pipe) {}
  void note(char state) const;

  pid_t child_;
  int pipe_;  // closed: this process is gone
};

}  // namespace skein
