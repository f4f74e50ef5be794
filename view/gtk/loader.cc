#include "view/gtk/loader.h"

#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/disk_files.h"
#include "target/recording.h"
#include "trace/read/ctf/task_table.h"
#include "trace/read/reader.h"

namespace skein::desktop {

namespace {

using Clock = std::chrono::steady_clock;

// Larger traces are not followed: each reading takes seconds and twice the memory.
constexpr size_t most_followed = 50'000'000;  // events

// Changes with the file. Times are as coarse as the kernel's tick; the inode number detects a file
// of equal size that replaces it within one tick.
struct Stamp {
  uint64_t file = 0;
  int64_t size = 0;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  bool operator==(const Stamp&) const = default;
};

std::optional<Stamp> stamp_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return Stamp{status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

uint64_t utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

bool is_recorded_now(const std::string& path) {
  DiskFiles files;
  const std::string table = path + "/.tasks";
  if (files.type(table) != FileType::File) return false;
  const auto head = files.head(table, format::kTableHeaderSize);
  if (!head) return false;
  const auto header = ctf::read_task_table_header(*head, table);
  return header && records_to(header->pid, path);
}

// The state of a trace after the first reading.
struct Followed {
  std::optional<Stamp> stamp = {};
  bool live = false;
  SignOfLife life = {};
  size_t events = 0;
  uint64_t packets = 0;
  Clock::time_point next = {};  // when to look again
};

}  // namespace

// Shared by both threads; lives as long as either.
struct Loader::Shared {
  std::vector<std::string> paths;
  Post post;
  std::chrono::milliseconds period;
  std::vector<TickClock> clocks;  // of the traces before `paths`

  // Only used by the thread that created the Loader.
  Calls calls;
  bool gone = false;

  std::mutex mutex;
  std::condition_variable woken;
  bool stop = false;
  bool cancelled = false;
  bool waiting = false;  // a version was posted and has not been taken

  bool stopped() {
    const std::lock_guard lock(mutex);
    return stop;
  }
  // Returns whether a first reading should stop.
  bool unwanted() {
    const std::lock_guard lock(mutex);
    return stop || cancelled;
  }
  void cancel() {
    const std::lock_guard lock(mutex);
    cancelled = true;
  }
  void set_stop() {
    const std::lock_guard lock(mutex);
    stop = true;
    woken.notify_all();
  }
  void set_waiting(bool is) {
    const std::lock_guard lock(mutex);
    waiting = is;
    woken.notify_all();
  }
  void wait_until_taken() {
    std::unique_lock lock(mutex);
    woken.wait(lock, [&] { return stop || !waiting; });
  }
  void wait_until(Clock::time_point time) {
    std::unique_lock lock(mutex);
    woken.wait_until(lock, time, [&] { return stop; });
  }
};

namespace {

// The work of the thread.
template <typename Shared>
class Work {
 public:
  explicit Work(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), followed_(shared_->paths.size()), clocks_(shared_->clocks) {
    clocks_.resize(clocks_.size() + followed_.size());
  }

  void run() {
    for (size_t i = 0; i < followed_.size(); i++) {
      followed_[i].next = Clock::time_point::max();
      if (!shared_->unwanted()) read(i, true);
    }
    while (!shared_->stopped()) {
      auto next = Clock::time_point::max();
      for (size_t i = 0; i < followed_.size() && !shared_->stopped(); i++) {
        if (followed_[i].next <= Clock::now()) look(i);
        next = std::min(next, followed_[i].next);
      }
      if (next == Clock::time_point::max()) return;  // nothing to follow
      shared_->wait_until(next);
    }
  }

 private:
  // Calls `work` with the callbacks, unless their owner is destroyed by then.
  template <typename Callable>
  void post(Callable work) {
    shared_->post([shared = shared_, work = std::move(work)]() mutable {
      if (!shared->gone) work(shared->calls);
    });
  }

  void read(size_t which, bool first) {
    Followed& known = followed_[which];
    const std::string& path = shared_->paths[which];
    const auto begin = Clock::now();
    const bool live = is_recorded_now(path);  // before reading: gets the last events
    const auto stamp = stamp_of(path);
    DiskFiles files;
    auto last = begin;
    const auto report = [&](uint64_t done, uint64_t in_all) {
      if (first ? shared_->unwanted() : shared_->stopped()) return false;
      const auto now = Clock::now();
      if (!first || in_all == 0 || now - last < std::chrono::milliseconds(50)) return true;
      last = now;
      post([which, share = static_cast<double>(done) / static_cast<double>(in_all)](auto& calls) {
        if (calls.progress) calls.progress(which, share);
      });
      return true;
    };
    Result<Trace> trace = read_trace(files, path, report, clocks_);
    if (first ? shared_->unwanted() : shared_->stopped()) return;
    if (!trace) {
      if (first)
        post([which, error = trace.error()](auto& calls) {
          if (calls.failed) calls.failed(which, error);
        });
      if (known.live) end(which);  // the directory went away with its program: a container
      known.live = false;
      known.stamp = stamp;
      // The file may be in the middle of being rewritten.
      known.next = first || !stamp ? Clock::time_point::max() : Clock::now() + shared_->period;
      return;
    }
    clocks_[shared_->clocks.size() + which] = trace->info.tick_clock;
    // While the program runs, at least the time advances.
    const bool grown = first || live || known.live != live ||
                       trace->events.size() != known.events || trace->info.packets != known.packets;
    const bool ended = known.live && !live;
    known.stamp = stamp;
    known.live = live;
    known.life.running = live;
    if (live) known.life.utc = utc_now();
    known.events = trace->events.size();
    known.packets = trace->info.packets;
    if (grown) {
      if (first)
        post([which](auto& calls) {
          if (calls.progress) calls.progress(which, 1);
        });
      auto loaded = std::make_shared<Loader::Loaded>(
          Loader::Loaded{which, LoadedTrace(*std::move(trace), known.life), live});
      loaded->data.find_problems();
      if (first && shared_->unwanted()) {
        known.next = Clock::time_point::max();
        return;
      }
      shared_->set_waiting(true);
      // Called even if the owner is destroyed: post() would skip it then.
      shared_->post([shared = shared_, loaded] {
        if (!shared->gone && shared->calls.loaded) shared->calls.loaded(std::move(*loaded));
        shared->set_waiting(false);
      });
      shared_->wait_until_taken();
    }
    if (ended) end(which);
    // At most a fifth of a processor.
    const auto now = Clock::now();
    known.next = known.events > most_followed || (!live && !stamp)
                     ? Clock::time_point::max()
                     : now + std::max<Clock::duration>(shared_->period, 4 * (now - begin));
  }

  // Reads the trace again if it may have changed.
  void look(size_t which) {
    Followed& known = followed_[which];
    if (known.live || stamp_of(shared_->paths[which]) != known.stamp)
      read(which, false);
    else
      known.next = Clock::now() + shared_->period;
  }

  void end(size_t which) {
    post([which](auto& calls) {
      if (calls.ended) calls.ended(which);
    });
  }

  std::shared_ptr<Shared> shared_;
  std::vector<Followed> followed_;
  std::vector<TickClock> clocks_;  // shared_->clocks, and those of the traces read
};

}  // namespace

Loader::Loader(std::vector<std::string> paths, Calls calls, Post post,
               std::chrono::milliseconds period, std::vector<TickClock> clocks)
    : shared_(std::make_shared<Shared>()) {
  shared_->paths = std::move(paths);
  shared_->calls = std::move(calls);
  shared_->post = std::move(post);
  shared_->period = period;
  shared_->clocks = std::move(clocks);
  std::thread([shared = shared_] { Work(shared).run(); }).detach();
}

void Loader::cancel() { shared_->cancel(); }

Loader::~Loader() {
  shared_->gone = true;
  shared_->set_stop();
}

}  // namespace skein::desktop
