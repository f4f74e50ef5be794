// Stops a program after each instruction: at any instant, every call that returned is in the trace,
// complete.
//
//     crash_step ring|log INSTRUCTIONS
//
// A program records numbered calls under ptrace. It runs freely until its chunk is nearly full.
// Then it is stopped after every instruction: through the end of the chunk, the creation or
// recycling of the next one, and some calls in it. At every stop the files and the task table are
// checked. Occasionally babeltrace2 reads the directory of the stopped program, too.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "record/host/posix/state.h"
#include "tests/recorder/decode.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr uint64_t kNear = 400;       // stepping starts this many bytes before a chunk's end
constexpr unsigned kCallsAfter = 12;  // calls to step through after a switch of chunks
constexpr unsigned kSwitches = 3;     // per program, because a log's chunks grow
constexpr unsigned kBabeltraceEvery = 9973;

struct Shared {
  std::atomic<uint64_t> acknowledged;
  std::atomic<bool> stepping;
};

[[noreturn]] void traced_program(bool log, const std::string& directory, Shared& shared) {
  skein_options options = {};
  options.directory = directory.c_str();
  options.size = 64 << 10;
  options.log = log ? 1 : 0;
  options.tasks = 4096;
  if (skein_start(&options) != 0) _exit(3);
  NumberedCalls calls(1);
  uint64_t n = 0;
  const auto call = [&] {
    calls.make(++n);
    shared.acknowledged.store(n, std::memory_order_release);
  };
  call();
  const skein::record::Writer& writer = *skein::record::this_writer;
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
  for (unsigned i = 0; i < (log ? kSwitches : 3 * kSwitches); ++i) {
    const uint64_t packets = writer.packets;
    const char* end = writer.bases[writer.chunk] + writer.sizes[writer.chunk];
    while (writer.packets == packets && static_cast<uint64_t>(end - writer.pos) > kNear) call();
    shared.stepping = true;
    raise(SIGSTOP);
    while (writer.packets == packets) call();
    for (unsigned after = 0; after < kCallsAfter; ++after) call();
    shared.stepping = false;
  }
  _exit(0);
}

// A mapped chunk file, and its state at the last check.
struct Chunk {
  const char* bytes;
  size_t size;
  std::vector<char> seen;  // committed bytes at the last check
  Packet packet;

  const skein::format::PacketHeader& header() const {
    return *reinterpret_cast<const skein::format::PacketHeader*>(bytes);
  }
  // True if the bytes that a reader uses are unchanged. Of a large chunk, only the newest bytes are
  // compared; the older ones are checked when the chunk is decoded again.
  bool unchanged() const {
    constexpr size_t kNewest = 8192;
    const size_t content = header().content_size / 8;
    if (seen.size() != content || memcmp(bytes, seen.data(), sizeof header()) != 0) return false;
    const size_t from = content > kNewest ? content - kNewest : 0;
    return memcmp(bytes + from, seen.data() + from, content - from) == 0;
  }
  std::string look() {
    packet.events.clear();
    const std::string wrong = decode_packet(bytes, size, packet);
    if (wrong.empty()) seen.assign(bytes, bytes + packet.header.content_size / 8);
    return wrong;
  }
};

class Watcher {
 public:
  Watcher(const std::string& directory, bool log, const Shared& shared)
      : directory_(directory), log_(log), shared_(shared) {}
  ~Watcher() {
    if (table_ != nullptr) munmap(const_cast<char*>(table_), table_size_);
    for (auto& chunk : chunks_) munmap(const_cast<char*>(chunk->bytes), chunk->size);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  unsigned changes = 0;

  // Returns the problem with the files at this instant, or "".
  std::string check() {
    bool changed = false;
    while (find_new_chunk()) changed = true;
    for (auto& chunk : chunks_) {
      if (chunk->unchanged()) continue;
      changed = true;
      if (const std::string wrong = chunk->look(); !wrong.empty())
        return chunk->packet.file + ": " + wrong;
    }
    if (changed) {
      ++changes;
      if (const std::string wrong = check_run(); !wrong.empty()) return wrong;
    }
    const uint64_t acknowledged = shared_.acknowledged;
    if (run_.last < acknowledged || run_.last > acknowledged + 1)
      return "newest " + std::to_string(run_.last) + ", acknowledged " +
             std::to_string(acknowledged);
    return check_table();
  }

 private:
  const char* map(const std::string& name, size_t& size) {
    const int fd = open((directory_ + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    struct stat facts;
    fstat(fd, &facts);
    size = static_cast<size_t>(facts.st_size);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return memory != MAP_FAILED ? static_cast<const char*>(memory) : nullptr;
  }

  bool find_new_chunk() {
    const std::string name = "s00003-" + std::to_string(chunks_.size());
    auto chunk = std::make_unique<Chunk>();
    chunk->bytes = map(name, chunk->size);
    if (chunk->bytes == nullptr) return false;
    chunk->packet.file = name;
    chunks_.push_back(std::move(chunk));
    return true;
  }

  std::string check_run() {
    std::vector<const Packet*> order;
    for (const auto& chunk : chunks_) order.push_back(&chunk->packet);
    std::sort(order.begin(), order.end(), [](const Packet* a, const Packet* b) {
      return a->header.packet_seq_num < b->header.packet_seq_num;
    });
    std::vector<Event> events;
    size_t full = 0;
    for (const Packet* packet : order) {
      full += packet->events.empty() ? 0 : 1;
      if (!events.empty() && packet->header.timestamp_begin < events.back().ticks)
        return "time goes back from packet to packet";
      events.insert(events.end(), packet->events.begin(), packet->events.end());
    }
    live_.clear();
    uint64_t inner = 0;
    for (const Event& event : events) {
      if (event.is("create")) inner = event.a;
      if (event.is("switch_to")) live_ = {event.a};  // the outer one, for the inner one has ended
      if (event.is("resolve")) inner = 0;
    }
    if (!live_.empty() && inner != 0) live_.push_back(inner);
    run_ = find_run(events, 1);
    if (!run_.problem.empty()) return run_.problem;
    const uint64_t begun = order.back()->header.packet_seq_num + 1;
    if (log_ && run_.first != 1) return "begins with " + std::to_string(run_.first);
    if (!log_ && full < (begun < 4 ? begun - 1 : 3))
      return "only " + std::to_string(full) + " packets hold events";
    return {};
  }

  // The consistent rows must be those of the live tasks, according to the committed events, except
  // for one row that the current operation is writing or has just written.
  std::string check_table() {
    namespace format = skein::format;
    if (table_ == nullptr) table_ = map(".tasks", table_size_);
    if (table_ == nullptr) return "no task table";
    const auto& header = *reinterpret_cast<const format::TaskTableHeader*>(table_);
    const auto* rows = reinterpret_cast<const format::TaskRow*>(table_ + format::kTableHeaderSize);
    size_t odd = 0;
    std::vector<uint64_t> different = live_;
    for (uint64_t i = 1; i < header.rows_used; ++i) {
      const format::TaskRow& row = rows[i];
      const std::string where = "row " + std::to_string(i) + ": ";
      if (row.seq % 2 != 0) {
        ++odd;
        continue;
      }
      if (row.state == format::TaskState::kFree) {
        if (row.id != 0) return where + "free, but has a task id";
        continue;
      }
      if (row.id == 0 || row.state != format::TaskState::kRunning || row.place == 0 ||
          row.tid == 0 || row.since == 0 || row.on != 0)
        return where + "not the row of a running task";
      const auto known = std::find(different.begin(), different.end(), row.id);
      if (known != different.end())
        different.erase(known);
      else
        different.push_back(row.id);
    }
    if (odd <= 1 && (live_.empty() || different.size() <= 1)) return {};
    return std::to_string(odd) + " rows being written, " + std::to_string(different.size()) +
           " tasks on which the table and the events disagree";
  }

  std::string directory_;
  bool log_;
  const char* table_ = nullptr;
  size_t table_size_ = 0;
  std::vector<uint64_t> live_;  // tasks; empty if unknown because the ring overwrote their events
  const Shared& shared_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Run run_;
};

struct Tally {
  uint64_t instructions = 0, changes = 0, switches = 0;
  unsigned babeltraces = 0, bad = 0;
};

// Steps one program through its switches of chunks. False if programs cannot be traced here.
bool step_one_program(bool log, const std::string& directory, Shared& shared, uint64_t most,
                      bool have_babeltrace, Tally& tally) {
  fflush(stdout);
  const pid_t program = fork();
  if (program == 0) traced_program(log, directory, shared);
  int status = 0;
  Watcher watcher(directory, log, shared);
  while (waitpid(program, &status, 0) == program && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) {
      printf("the program is stopped by signal %d\n", WSTOPSIG(status));
      ++tally.bad;
      break;
    }
    if (!shared.stepping || tally.instructions >= most || tally.bad > 5) {
      ++tally.switches;
      if (tally.instructions >= most || tally.bad > 5) break;
      ptrace(PTRACE_CONT, program, nullptr, nullptr);
      continue;
    }
    if (const std::string wrong = watcher.check(); !wrong.empty()) {
      printf("instruction %llu: %s\n", static_cast<unsigned long long>(tally.instructions),
             wrong.c_str());
      ++tally.bad;
    }
    if (have_babeltrace && tally.instructions % kBabeltraceEvery == 0) {
      ++tally.babeltraces;
      if (system(("babeltrace2 -o dummy '" + directory + "' >/dev/null").c_str()) != 0) {
        printf("babeltrace2 fails\n");
        ++tally.bad;
      }
    }
    ++tally.instructions;
    ptrace(PTRACE_SINGLESTEP, program, nullptr, nullptr);
  }
  tally.changes += watcher.changes;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return false;
  if (WIFSTOPPED(status)) {
    kill(program, SIGKILL);
    waitpid(program, &status, 0);
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    printf("the program ended with %x\n", status);
    ++tally.bad;
  }
  return true;
}

}  // namespace

int main(int count, char** values) {
  if (count != 3) {
    fprintf(stderr, "usage: crash_step ring|log INSTRUCTIONS\n");
    return 2;
  }
  const bool log = strcmp(values[1], "log") == 0;
  const uint64_t wanted = strtoull(values[2], nullptr, 10);
  const bool have_babeltrace = system("command -v babeltrace2 >/dev/null") == 0;
  Scratch scratch("step");
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Tally tally;
  for (unsigned round = 0; tally.instructions < wanted && tally.bad == 0; ++round) {
    memset(static_cast<void*>(shared), 0, sizeof *shared);
    const std::string directory = scratch / std::to_string(round);
    if (!step_one_program(log, directory, *shared, wanted, have_babeltrace, tally)) {
      printf("skipped: ptrace is not allowed here\n");
      return 77;
    }
    std::filesystem::remove_all(directory);
  }
  printf(
      "%llu instructions, %llu states of the files, %llu chunk switches, %u traces read by "
      "babeltrace2, %u bad\n",
      static_cast<unsigned long long>(tally.instructions),
      static_cast<unsigned long long>(tally.changes),
      static_cast<unsigned long long>(tally.switches), tally.babeltraces, tally.bad);
  return tally.bad == 0 ? 0 : 1;
}
