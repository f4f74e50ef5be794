#include "cli/input/blocked_call.h"

#include <sys/syscall.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/input/proc_file.h"
#include "cli/input/thread_state.h"
#include "trace/read/connection.h"

namespace skein::cli {

namespace {

// The system calls that wait for the peer of their first argument, by number.
std::string_view name_of_call(long number) {
  switch (number) {
    case SYS_read:
      return "read";
    case SYS_readv:
      return "readv";
    case SYS_write:
      return "write";
    case SYS_writev:
      return "writev";
    case SYS_recvfrom:
      return "recvfrom";
    case SYS_recvmsg:
      return "recvmsg";
    case SYS_sendto:
      return "sendto";
    case SYS_sendmsg:
      return "sendmsg";
    case SYS_connect:
      return "connect";
    default:
      return "";
  }
}

// An acceptor at this address that is open.
bool has_acceptor(const Subject& s, std::string_view address) {
  return std::any_of(s.model.objects.begin(), s.model.objects.end(),
                     [&](const Model::Object& object) {
                       const std::string_view connection = s.trace.strings[object.connection];
                       return object.end == Model::Object::never && !connection.empty() &&
                              !has_peer(connection) && peer_in(connection) == address;
                     });
}

}  // namespace

std::string describe_blocked_call(const std::string& line, const std::vector<SocketState>& sockets,
                                  const Subject& subject) {
  long number = 0;
  uint64_t descriptor = 0;
  std::istringstream words(line);
  if (!(words >> number >> std::hex >> std::showbase >> descriptor)) return "";  // "running"
  const std::string_view call = name_of_call(number);
  const auto socket = std::find_if(sockets.begin(), sockets.end(), [&](const SocketState& state) {
    return state.descriptor == descriptor;
  });
  if (call.empty() || socket == sockets.end()) return "";
  std::string text = ", in " + std::string(call) + "() on the connection to " + socket->peer;
  if (has_acceptor(subject, socket->peer)) text += ", whose acceptor is in this program";
  return text;
}

std::string blocked_call(const std::string& pid, uint64_t tid, const Subject& subject) {
  const std::string thread = thread_folder(pid, tid);
  const std::string line = thread.empty() ? "" : first_line(thread + "/syscall");
  if (line.empty() || line == "running") return "";
  return describe_blocked_call(line, socket_states(pid), subject);
}

}  // namespace skein::cli
