// Writes a small trace of our format with every event that there is: the golden trace
// tests/data/skein/every-event. The bytes are the same each time.
//
//   golden_every_event FOLDER
//
// Stream 0 is whole; of stream 1, a ring, the first three packets are overwritten and two events
// were dropped. Ids below 20 are tasks (12 a scope), 30 and 31 resources.
#include <skein/metadata.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "trace/read/ctf/writer.h"

using namespace skein;
using namespace skein::ctf;
using namespace skein::format;

namespace {

constexpr Uuid kUuid{0x5e, 0x1d, 1, 2, 3, 4, 0x45, 6, 0x87, 8, 9, 10, 11, 12, 13, 14};
constexpr uint64_t kStart = 1'000'000;  // ticks, of 10 ns

void save(const std::filesystem::path& path, const void* bytes, size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

// Chunks as they are when the program has ended, without the zeros behind their events.
void save(const std::filesystem::path& folder, const std::string& prefix, StreamWriter& stream) {
  size_t number = 0;
  for (std::vector<uint8_t>& chunk : stream.finish()) {
    uint64_t bits = 0;
    std::memcpy(&bits, chunk.data() + offsetof(format::PacketHeader, content_size), 8);
    std::memcpy(chunk.data() + offsetof(format::PacketHeader, packet_size), &bits, 8);
    save(folder / (prefix + std::to_string(number++)), chunk.data(), bits / 8);
  }
}

// Says events one after the other, and remembers which.
class Script {
 public:
  explicit Script(StreamWriter::Options options) : stream_(options) {}

  void later(uint64_t ticks) { now_ += ticks; }
  void event(EventId id, uint64_t a, uint64_t b = 0) {
    used.insert(id);
    stream_.event(id, now_ += 100, a, b);
  }
  StreamWriter::Fields fixed(EventId id) {
    used.insert(id);
    return stream_.fixed(id, now_ += 100);
  }
  void next_at(uint32_t place) {
    used.insert(k_at);
    stream_.next_at = place;
  }
  StreamWriter& stream() { return stream_; }

  static inline std::set<unsigned> used;

 private:
  StreamWriter stream_;
  uint64_t now_ = kStart;
};

enum Text : uint32_t {
  kMain = 1,
  kFile,
  kServe,
  kQuery,
  kLock,
  kQueue,
  kPoll,
  kReady,
  kRequests,
  kDepth,
  kParse,
  kReset,
  kHostile,
  kSocket,
};

void write_names(const std::filesystem::path& folder) {
  Script names({.uuid = kUuid,
                .stream = kNamesStream,
                .chunk_size = 4096,
                .flags = static_cast<uint32_t>(kFlagNames)});
  const char* const texts[] = {"main",
                               "src/server.cc",
                               "skein::Task<int> demo::serve(demo::Socket&)",
                               "query",
                               "cache lock",
                               "requests",
                               "epoll_wait",
                               "1 descriptor",
                               "requests served",
                               "queue depth",
                               "parse",
                               "connection reset",
                               "\x1b[31mred\xE2\x80\xAE \"quoted\"",
                               "socket.async_receive"};
  uint32_t number = 1;
  for (const char* text : texts) names.fixed(k_string).u32(number++).text(text).done();
  const auto place = [&](uint32_t id, Kind kind, uint32_t name, uint32_t function, uint32_t line) {
    names.fixed(k_place)
        .u32(id)
        .u8(kind)
        .u32(name)
        .u32(kFile)
        .u32(function)
        .u32(line)
        .u32(3)
        .done();
  };
  place(1, kKind_coroutine, 0, kServe, 10);
  place(2, kKind_coroutine, kQuery, kServe, 20);
  place(3, kKind_io, kSocket, kServe, 21);
  place(4, kKind_mutex, kLock, kServe, 5);
  place(5, kKind_queue, kQueue, kServe, 6);
  place(6, kKind_scope, 0, kServe, 30);
  place(7, kKind_unknown, 0, kServe, 22);
  place(8, kKind_unknown, 0, kServe, 24);
  names.fixed(k_thread_name).u64(101).text("the worker").done();
  names.fixed(k_module).u64(0x400000).u64(0x2000).text("00ff").text("/usr/bin/server").done();
  names.fixed(k_clock_pair).u64(kStart).u64(1).u64(2).u64(3).done();
  save(folder, "names-", names.stream());
}

void write_main(const std::filesystem::path& folder) {
  Script s({.uuid = kUuid, .stream = 0, .chunk_size = 4096});
  s.stream().tid = 100;
  s.event(k_executor, 100, kMain);
  s.event(k_create, 1, 1);
  s.event(k_resume, 1);
  s.fixed(k_label_text).u64(1).text("session 7").done();
  s.event(k_should_resolve, 1);
  s.event(k_resource, 30, 4);
  s.event(k_resource, 31, 5);
  s.event(k_capacity, 31, 64);
  s.event(k_acquire, 30, 0);
  s.event(k_create, 2, 2);
  s.event(k_label, 2, kHostile);
  s.event(k_suspend, 2, 7);
  s.event(k_resume_by, 2, 1);
  s.event(k_counter_add, kRequests, 3);
  s.event(k_counter_set, kDepth, static_cast<uint64_t>(-40'000));
  s.event(k_span_begin, 50, kParse);
  s.event(k_span_end, 50);
  s.event(k_scope_enter, 12, 6);
  s.event(k_scope_member, 12, 2);
  s.event(k_scope_cancel, 12);
  s.event(k_scope_exit, 12);
  s.event(k_ready, 3, 7);
  s.event(k_suspend, 30, 7);
  s.event(k_switch_to, 1);
  s.event(k_release, 30, 1);
  s.next_at(8);
  s.event(k_notify, 30, 0);
  s.event(k_about, 31);
  s.fixed(k_expires).u64(1'000'000).done();
  s.fixed(k_create_under).u64(2).u64(4).u32(3).done();
  s.event(k_await, 2, 4);
  s.fixed(k_create_awaited).u32(2).u32(13).u32(3).done();
  s.event(k_cancel, 13);
  s.fixed(k_cpu_time).u64(5'000'000).u32(2).u32(1).done();
  s.fixed(k_socket_bytes).u64(31).u64(812).u64(64).u32(12).u32(0).u32(1).done();
  s.fixed(k_cancel_uses).u64(31).done();
  s.fixed(k_connection)
      .u64(31)
      .u64(1)
      .u64(0)
      .u64(0xffff'7f00'0001)
      .u64(0x2001'0db8'0000'0000)
      .u64(2)
      .u32(40'000)
      .u32(5432)
      .u32(6)
      .u32(9)
      .u32(0)
      .done();
  s.event(k_io, 4, static_cast<uint64_t>(-104));
  s.event(k_fail, 4, kReset);
  s.fixed(k_discard).u64(4).done();
  s.event(k_create, 5, 2);
  s.fixed(k_fail_text).u64(5).text("no such row").done();
  s.event(k_create, 6, 2);
  s.event(k_cancel, 6);
  s.event(k_create, 7, 2);
  s.event(k_become, 7, 2);
  s.event(k_create, 8, 2);
  s.event(k_resolve, 8);
  s.fixed(k_send).u64(0xfeed).u64(9).done();
  s.event(k_suspend, 31, 7);
  s.event(k_idle, kPoll);
  s.later(uint64_t{1} << 25);  // more than the 24 bits of an event's time
  s.event(k_wake, kReady);
  s.event(k_sample, 77);
  save(folder, "s00000-", s.stream());
}

void write_worker(const std::filesystem::path& folder) {
  Script s({.uuid = kUuid, .stream = 1, .chunk_size = 4096, .first_sequence = 3});
  s.stream().tid = 101;
  s.stream().current_task = 9;
  s.stream().discarded = 2;
  s.later(50);
  s.event(k_lost, 2, kLoss_no_memory);
  s.fixed(k_receive).u64(0xfeed).u64(8).done();
  s.fixed(k_clock).u32(1).u64(static_cast<uint64_t>(-250)).u64(40).done();
  s.event(k_pause, kPause_gc, 1500);
  s.event(k_try_read, 9, 0);
  s.event(k_extra, static_cast<uint64_t>(ExtraField::kCurrent), 0);
  s.event(k_executor_end, 101);
  save(folder, "s00001-", s.stream());
}

void write_sched(const std::filesystem::path& folder) {
  Script s({.uuid = kUuid, .stream = kSchedStream, .chunk_size = 4096});
  s.stream().discarded = 7;
  const auto put = [&](ThreadState state, uint32_t other, const char* text) {
    s.fixed(k_thread_state).u32(100).u32(state).u32(other).u32(1).text(text).done();
  };
  put(kThread_running, 0, "-");
  put(kThread_preempted, 4711, "cc1plus");
  put(kThread_running, 0, "-");
  put(kThread_blocked, 0, "-");
  put(kThread_wchan, 0, "ep_poll");
  put(kThread_stack, 77, "-");
  put(kThread_runnable, 101, "-");
  put(kThread_running, 0, "-");
  s.fixed(k_thread_state).u32(0).u32(kThread_unknown).u32(0).u32(0).text("-").done();
  put(kThread_ended, 0, "-");
  save(folder, "sched-", s.stream());
}

void write_tasks(const std::filesystem::path& folder) {
  std::vector<TaskRow> rows;
  const auto add = [&](uint64_t id, TaskState state, uint32_t place, uint64_t since) -> TaskRow& {
    TaskRow& row = rows.emplace_back();
    row.id = id;
    row.state = state;
    row.place = place;
    row.since = kStart + since;
    row.tid = 100;
    return row;
  };
  TaskRow& session = add(1, TaskState::kSuspended, 1, 4000);
  session.on = 31;
  session.waker = 2;
  session.at = 7;
  session.flags = kTaskShouldResolve;
  TaskRow& query = add(2, TaskState::kSuspended, 2, 2300);
  query.parent = 1;
  query.on = 1;
  query.waker = 1;
  query.at = 7;
  query.label = kHostile;
  add(9, TaskState::kRunning, 2, 100'000'000).tid = 101;
  add(30, TaskState::kResource, 4, 900).on = 1;
  add(31, TaskState::kResource, 5, 700);
  put_connection(add(31, TaskState::kConnection, 0, 0),
                 {.local = {.low = 0xffff'7f00'0001, .port = 40'000},
                  .peer = {.low = 0xffff'7f00'0001, .port = 5432},
                  .protocol = 6,
                  .descriptor = 9,
                  .net_namespace = 1});

  TaskTableHeader header{};
  header.magic = kTableMagic;
  header.version = kVersion;
  header.row_size = sizeof(TaskRow);
  header.rows = header.rows_used = rows.size();
  header.pid = 4'000'000'000;  // nobody's
  header.start_ticks = kStart;
  header.lost[kLoss_untracked] = 3;
  header.lost[kLoss_ring_shortened] = 2;
  std::vector<uint8_t> bytes(kTableHeaderSize + rows.size() * sizeof(TaskRow));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + kTableHeaderSize, rows.data(), rows.size() * sizeof(TaskRow));
  save(folder / ".tasks", bytes.data(), bytes.size());
}

void write_metadata(const std::filesystem::path& folder) {
  MetadataInfo info{.uuid = {},
                    .clock = "tsc",
                    .frequency = 100'000'000,
                    .offset_s = 1'700'000'000,
                    .offset = 0,
                    .precision = 1,
                    .hostname = "host",
                    .boot_id = "",
                    .procname = "server",
                    .pid = 4'000'000'000,
                    .mode = "ring"};
  std::copy(kUuid.begin(), kUuid.end(), info.uuid);
  std::string text;
  format::write_metadata(info, [&](const char* from, size_t size) { text.append(from, size); });
  save(folder / "metadata", text.data(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  write_metadata(folder);
  write_names(folder);
  write_main(folder);
  write_worker(folder);
  write_sched(folder);
  write_tasks(folder);

  int missing = 0;
  const auto need = [&](const char* name, unsigned id) {
    if (Script::used.contains(id)) return;
    std::fprintf(stderr, "event `%s` is not in the golden trace; add it\n", name);
    missing = 1;
  };
  for (const EventClass& event : kEventClasses) need(event.name, event.first);
  for (const FixedEvent& event : kFixedEvents) need(event.name, event.id);
  return missing;
}
