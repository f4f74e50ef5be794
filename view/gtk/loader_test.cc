#include "view/gtk/loader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/replace_file.h"
#include "trace/read/mirage/writer.h"

using namespace skein;
using namespace skein::desktop;
namespace fs = std::filesystem;

namespace {

struct Folder {
  std::string path = "/tmp/skein-loader-XXXXXX";
  Folder() { REQUIRE(mkdtemp(path.data())); }
  ~Folder() { fs::remove_all(path); }
};

// A main loop for the test.
class MainLoop {
 public:
  Loader::Post post() {
    return [this](std::function<void()> work) {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      woken_.notify_all();
    };
  }
  // Runs posted work until `done` returns true.
  template <typename Done>
  void run_until(const Done& done) {
    while (!done()) {
      std::unique_lock lock(mutex_);
      REQUIRE(woken_.wait_for(lock, std::chrono::minutes(1), [&] { return !work_.empty(); }));
      auto work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> work_;
};

// Atomically replaces the file with a trace of this many tasks.
void write_trace(const std::string& path, uint64_t tasks) {
  std::string bytes;
  mirage::Writer writer(
      4096, [&](std::span<const uint8_t> packet) { bytes.append(packet.begin(), packet.end()); });
  for (uint64_t i = 1; i <= tasks; i++) writer.creates(i * 1000, 0, i, 1);
  writer.finish();
  REQUIRE(replace_file(path, bytes));
}

constexpr auto poll_interval = std::chrono::milliseconds(1);

}  // namespace

TEST_CASE("traces are read in order, and other files are reported") {
  const Folder folder;
  write_trace(folder.path + "/one", 10);
  std::ofstream(folder.path + "/none") << "hello, world";
  write_trace(folder.path + "/two", 20);

  MainLoop loop;
  std::string seen;
  const Loader loader({folder.path + "/one", folder.path + "/none", folder.path + "/two"},
                      {.loaded =
                           [&](const Loader::Loaded& loaded) {
                             CHECK(!loaded.live);
                             seen += std::to_string(loaded.which) + ": " +
                                     std::to_string(loaded.data.trace.events.size()) + "\n";
                           },
                       .failed =
                           [&](size_t which, const Error& error) {
                             CHECK(error.message().find("not a trace") != std::string::npos);
                             seen += std::to_string(which) + ": failed\n";
                           }},
                      loop.post(), poll_interval);
  loop.run_until([&] { return std::count(seen.begin(), seen.end(), '\n') == 3; });
  CHECK(seen == "0: 10\n1: failed\n2: 20\n");
}

TEST_CASE("a file that grows is read again") {
  const Folder folder;
  const std::string path = folder.path + "/trace";
  write_trace(path, 3);
  MainLoop loop;
  size_t events = 0;
  const Loader loader(
      {path},
      {.loaded = [&](const Loader::Loaded& loaded) { events = loaded.data.trace.events.size(); }},
      loop.post(), poll_interval);
  for (const size_t more : {3u, 30u, 0u, 300u}) {
    if (more == 0) {  // a file that is no trace any more leaves the shown trace
      REQUIRE(replace_file(path, "hello, world"));
      continue;
    }
    if (more > 3) write_trace(path, more);
    loop.run_until([&] { return events == more; });
  }
}

TEST_CASE("a destroyed receiver is not called") {
  const Folder folder;
  write_trace(folder.path + "/trace", 3);
  MainLoop loop;
  bool called = false;
  std::atomic<bool> posted = false;
  {
    const Loader loader(
        {folder.path + "/trace"}, {.loaded = [&](const Loader::Loaded&) { called = true; }},
        [&, post = loop.post()](std::function<void()> work) {
          post(std::move(work));
          posted = true;
          posted.notify_one();
        },
        poll_interval);
    posted.wait(false);
  }
  bool all = false;
  loop.post()([&] { all = true; });
  loop.run_until([&] { return all; });
  CHECK(!called);
}

TEST_CASE("a cancelled trace is not read, a loaded one is followed") {
  const Folder folder;
  write_trace(folder.path + "/one", 10);
  write_trace(folder.path + "/two", 20);
  MainLoop loop;
  std::vector<size_t> seen;
  std::unique_ptr<Loader> loader;
  loader = std::make_unique<Loader>(
      std::vector{folder.path + "/one", folder.path + "/two"},
      Loader::Calls{.loaded =
                        [&](const Loader::Loaded& loaded) {
                          CHECK(loaded.which == 0);
                          seen.push_back(loaded.data.trace.events.size());
                          if (seen.size() > 1) return;
                          loader->cancel();  // the thread waits until this version is taken
                          write_trace(folder.path + "/one", 30);
                        }},
      loop.post(), poll_interval);
  loop.run_until([&] { return seen.size() == 2; });
  CHECK(seen == std::vector<size_t>{10, 30});
}
