// one_axis CLIENT SERVER: the traces of an echo client and of its server, recorded on one machine,
// have one time axis, on which each message is sent before it is received.
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/disk_files.h"
#include "trace/read/reader.h"

using namespace skein;

namespace {

struct Times {
  std::vector<uint64_t> sent;      // when each send was initiated
  std::vector<uint64_t> received;  // when each receive had completed
};

Times times_of(const Trace& trace) {
  Times times;
  std::unordered_map<TaskId, std::string_view> operations;
  trace.events.for_each([&](const EventRow& row) {
    const uint64_t time = trace.info.start + row.time;
    if (row.kind == EventKind::Create) {
      const std::string_view name = trace.strings[row.text];
      operations[row.task] = name;
      if (name.ends_with("async_send")) times.sent.push_back(time);
    }
    if (row.kind == EventKind::Io && operations[row.other].ends_with("async_receive") &&
        static_cast<int64_t>(row.value) > 0)
      times.received.push_back(time);
  });
  return times;
}

bool all_before(const char* what, const std::vector<uint64_t>& sent,
                const std::vector<uint64_t>& received) {
  if (sent.empty() || sent.size() != received.size()) {
    std::printf("%s: %zu sent, %zu received\n", what, sent.size(), received.size());
    return false;
  }
  for (size_t i = 0; i < sent.size(); i++)
    if (sent[i] >= received[i]) {
      std::printf("%s: message %zu is received %llu ns before it is sent\n", what, i,
                  static_cast<unsigned long long>(sent[i] - received[i]));
      return false;
    }
  return true;
}

}  // namespace

int main(int, char** argv) {
  DiskFiles disk;
  const Result<Trace> client = read_trace(disk, argv[1]);
  if (!client) return std::puts(client.error().message().c_str()), 2;
  const TickClock& clock = client->info.tick_clock;
  const Result<Trace> server = read_trace(disk, argv[2], {}, std::vector{clock});
  if (!server) return std::puts(server.error().message().c_str()), 2;
  const TickClock& other = server->info.tick_clock;
  if (!clock.is_same_axis(other)) {
    std::printf("boot %s, %s, %llu Hz and boot %s, %s, %llu Hz\n", clock.boot_id.c_str(),
                clock.source.c_str(), static_cast<unsigned long long>(clock.frequency),
                other.boot_id.c_str(), other.source.c_str(),
                static_cast<unsigned long long>(other.frequency));
    return 1;
  }
  const Times of_client = times_of(*client);
  const Times of_server = times_of(*server);
  const bool good = all_before("requests", of_client.sent, of_server.received) &
                    all_before("responses", of_server.sent, of_client.received);
  std::printf("%zu messages there, %zu back\n", of_client.sent.size(), of_server.sent.size());
  return good ? 0 : 1;
}
