// follow=fork: each child of fork() gets its own trace, NAME.PID, at its first event: servers that
// fork workers, daemons, grandchildren, children of a program with busy threads. exec keeps its own
// rule: the new program's trace is the first free name of NAME, NAME.PID, NAME.PID.2.
//
// The options are read from SKEIN_TRACE, so each part runs in a new process of this program.
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <functional>
#include <map>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
namespace fs = std::filesystem;

const char* self = nullptr;

void record(uint64_t count) {
  for (uint64_t n = 1; n <= count; ++n) skein_counter_set(7, static_cast<int64_t>(n));
}

// Forks a child that calls `body`.
pid_t start_child(const std::function<void()>& body) {
  fflush(stdout);  // the child of a sanitized program writes what it finds in the buffer
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  return child;
}

// Returns the process id; 0 if the child failed.
pid_t wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return good(status) ? child : 0;
}
pid_t child_of(const std::function<void()>& body) { return wait_for(start_child(body)); }

// The number of a text, which differs from that of the parent.
void record_name() {
  const std::string name = "of child " + std::to_string(getpid());
  const uint32_t id = skein_string(name.c_str());
  skein_task task = {};
  skein_create(&task, SKEIN_KIND_task, "child task", nullptr);
  skein_label(&task, id);
  skein_cancel(&task);
}

// ---- the parts, in the recorded program. They print the ids of the children to be found. ----

void workers() {
  skein_string("only the parent's");
  record(100);
  for (uint64_t i = 1; i <= 3; ++i) {
    const pid_t child = child_of([&] {
      record_name();
      std::thread other(record, 1000 * i);
      record(1000 * i);
      other.join();
    });
    printf("%d\n", child);
  }
  record(100);
}

void grandchild() {
  record(1);
  const pid_t child = child_of([] {
    record(20);
    const pid_t grandchild = child_of([] { record(300); });
    printf("%d\n", grandchild);
    fflush(stdout);
  });
  printf("%d\n", child);
}

// As daemon() does: the parent ends, and so does the child in between, which records nothing.
void daemon_process() {
  record(10);
  int result[2];
  if (pipe(result) != 0) _exit(9);
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    close_range(0, static_cast<unsigned>(result[1]) - 1, 0);
    if (chdir("/") != 0) _exit(9);
    record(50);
    const pid_t id = getpid();
    if (write(result[1], &id, sizeof id) != sizeof id) _exit(9);
    _exit(0);
  }
  close(result[1]);  // if the daemon fails, the read does
  pid_t id = 0;
  if (read(result[0], &id, sizeof id) != sizeof id) _exit(9);
  printf("%d\n", id);
}

void exec_child(bool first_event) {
  record(10);
  printf("%d\n", child_of([&] {
           if (first_event) record(20);
           execl(self, self, "ten", nullptr);
         }));
}

// Another trace is the child's own choice. A child that stops recording leaves none.
void own_choice() {
  record(10);
  const std::string other = std::string(getenv("FOLLOWED_SCRATCH")) + "/own";
  child_of([&] {
    if (start_trace_at(other) != 0) _exit(1);
    record(20);
  });
  child_of([&] {
    skein_stop();
    record(20);
  });
  skein_stop();
  child_of([&] { record(20); });  // of a parent that does not record
}

// Forks while other threads record and define names: no lock that they hold stops a child. The
// threads rest while a child runs, so that the parent's log does not grow with the time that the
// children take: on a machine with ten times as many programs as processors, it took minutes to
// read.
void busy_threads() {
  std::atomic<bool> over = false, forking = false;
  const auto busy = [&](int thread) {
    for (int i = 0; !over; ++i) {
      while (!forking && !over) usleep(100);
      record(20);
      skein_string((std::to_string(thread) + "-" + std::to_string(i % 2000)).c_str());
    }
  };
  std::thread one(busy, 1), two(busy, 2);
  for (int i = 0; i < 25; ++i) {
    forking = true;
    usleep(200);  // the threads are in the recorder
    const pid_t child = start_child([] {
      record_name();
      record(200);
    });
    forking = false;
    printf("%d\n", wait_for(child));
  }
  over = true;
  one.join();
  two.join();
}

int run_part(const std::string& part) {
  if (part == "ten") return record(10), 0;
  if (skein_enabled() == 0) return 3;
  if (part == "workers") workers();
  if (part == "grandchild") grandchild();
  if (part == "daemon") daemon_process();
  if (part == "exec") exec_child(false);
  if (part == "exec-later") exec_child(true);
  if (part == "own") own_choice();
  if (part == "busy") busy_threads();
  return 0;
}

// ---- the checks ----

struct Result {
  std::vector<std::string> children;    // process ids
  std::map<std::string, Trace> traces;  // by the end of the name: "", ".PID", ...
};

Result run(const Scratch& scratch, const char* part, const char* options) {
  const std::string folder = scratch / part;
  fs::create_directory(folder);
  const std::string command = "FOLLOWED_SCRATCH='" + folder + "' SKEIN_TRACE='" + folder + "/t," +
                              options + "' '" + self + "' " + part;
  fflush(stdout);
  FILE* output = popen(command.c_str(), "r");
  Result result;
  char line[100];
  while (fgets(line, sizeof line, output) != nullptr)
    result.children.push_back(std::to_string(atoi(line)));
  const int status = pclose(output);
  SKEIN_CHECK(good(status), "%s ended with %x", part, status);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name[0] == 't') result.traces[name.substr(1)] = read_good_trace(entry.path());
    SKEIN_CHECK(name[0] != '.', "%s: %s is left", part, name.c_str());
  }
  return result;
}

void expect_count(const Result& result, const std::string& end, size_t count) {
  const auto found = result.traces.find(end);
  SKEIN_CHECK(found != result.traces.end(), "no trace%s", end.c_str());
  if (found == result.traces.end()) return;
  const Trace& trace = found->second;
  SKEIN_CHECK(trace.count("counter_set") == count, "trace%s: %zu events, not %zu", end.c_str(),
              trace.count("counter_set"), count);
  SKEIN_CHECK(trace.lost() == 0, "trace%s lost events", end.c_str());
}

void expect_name(const Result& result, const std::string& child) {
  const auto found = result.traces.find("." + child);
  if (found == result.traces.end()) return;
  const Trace& trace = found->second;
  for (const Stream& stream : trace.streams)
    for (const Event& event : stream.events())
      if (event.is("label") && trace.text(event.b) == "of child " + child) {
        SKEIN_CHECK(!trace.modules.empty(), "no modules");
        SKEIN_CHECK(trace.table.pid == std::stoull(child), "another process");
        return;
      }
  SKEIN_CHECK(false, "no label in the trace of %s", child.c_str());
}

void check(const Scratch& scratch, const char* mode) {
  const std::string follow = std::string(mode) + ",follow=fork";
  Result result = run(scratch, "workers", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 4 && result.children.size() == 3, "%zu traces",
              result.traces.size());
  expect_count(result, "", 200);
  for (size_t i = 0; i < result.children.size(); ++i) {
    expect_count(result, "." + result.children[i], 2000 * (i + 1));
    expect_name(result, result.children[i]);
  }

  result = run(scratch, "grandchild", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 3 && result.children.size() == 2, "%zu traces",
              result.traces.size());
  expect_count(result, "." + result.children.at(0), 300);
  expect_count(result, "." + result.children.at(1), 20);

  result = run(scratch, "daemon", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 2, "%zu traces", result.traces.size());
  expect_count(result, "", 10);
  expect_count(result, "." + result.children.at(0), 50);

  result = run(scratch, "exec", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 2, "%zu traces", result.traces.size());
  expect_count(result, "", 10);
  expect_count(result, "." + result.children.at(0), 10);

  result = run(scratch, "exec-later", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 3, "%zu traces", result.traces.size());
  expect_count(result, "." + result.children.at(0), 20);
  expect_count(result, "." + result.children.at(0) + ".2", 10);

  result = run(scratch, "own", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 1, "%zu traces", result.traces.size());
  expect_count(result, "", 10);
  SKEIN_CHECK(read_good_trace(scratch / "own/own").count("counter_set") == 20, "its own trace");

  result = run(scratch, "busy", follow.c_str());
  SKEIN_CHECK(result.traces.size() == 26 && result.children.size() == 25, "%zu traces",
              result.traces.size());
  for (const std::string& child : result.children) {
    expect_count(result, "." + child, 200);
    expect_name(result, child);
  }
}

}  // namespace

int main(int count, char** values) {
  self = values[0];
  if (count > 1) {
    const int result = run_part(values[1]);
    fflush(stdout);
    return result;
  }
  if (!fork_wipes_pages()) {
    skip("fork does not clear pages here");
    return verdict();
  }
  {
    Scratch scratch("followed");
    check(scratch, "mode=log,tasks=4k");
  }
  {
    Scratch scratch("followed-ring");
    check(scratch, "size=512k,tasks=4k");
  }
  {  // without the option, a child does not record
    Scratch scratch("not-followed");
    const Result result = run(scratch, "workers", "mode=log");
    SKEIN_CHECK(result.traces.size() == 1, "%zu traces", result.traces.size());
    expect_count(result, "", 200);
    const Result exec = run(scratch, "exec", "mode=log");
    expect_count(exec, "", 10);
    expect_count(exec, "." + exec.children.at(0), 10);
  }
  return verdict();
}
