// Runs each scenario (scenario.h) without skein, linked with it, and recorded in ring and in log
// mode; the second and the last with a control socket. What it prints and how it ends must be
// equal. Each event must be in its traces, or counted as lost.
//
//     chaos UNRECORDED RECORDED RUNS [SCENARIO...]
//
// Each run has a new file system of 64 MiB, in a mount namespace of its own.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/counts.h"
#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
namespace fs = std::filesystem;
using skein::chaos::Counts;

constexpr int kSecondsToHang = 100;

// Scenarios that remove or damage the trace, which therefore has fewer events.
const std::set<std::string> spoiled = {"removed", "truncated"};

struct Form {
  const char* name;
  bool linked;
  const char* options;  // of SKEIN_TRACE; null: not recorded
  bool control;         // with SKEIN_CONTROL
};
constexpr std::array<Form, 4> kForms = {{{"without skein", false, nullptr, false},
                                         {"linked", true, nullptr, true},
                                         {"ring", true, "size=64k,tasks=4k", false},
                                         {"log", true, "mode=log,tasks=4k,follow=fork", true}}};

struct Result {
  int status = -1;
  bool hung = false;
  std::string output;
  bool operator==(const Result&) const = default;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Waits for the program, and ends it with all its children if it hangs.
int wait_for(pid_t program, bool& hung) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSecondsToHang);
  int status = 0;
  while (waitpid(program, &status, WNOHANG) == 0) {
    usleep(1000);
    if (hung || std::chrono::steady_clock::now() < end) continue;
    hung = true;
    kill(-program, SIGKILL);
  }
  return status;
}

class Runs {
 public:
  Runs(const char* unrecorded, const char* recorded)
      : programs_{unrecorded, recorded}, scratch_("chaos") {
    fs::create_directory(folder());
    std::ofstream(counts()) << std::string(sizeof(Counts), '\0');
    const int fd = open(counts().c_str(), O_RDWR | O_CLOEXEC);
    void* memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED) exit(1);
    made_ = static_cast<Counts*>(memory);
  }

  // Runs a scenario in each form and compares the results. Precondition: this process has a mount
  // namespace of its own.
  void check(const std::string& scenario) {
    Result first;
    for (const Form& form : kForms) {
      const std::string what = scenario + ", " + form.name;
      if (mount("chaos", folder().c_str(), "tmpfs", 0, "size=64m,mode=0755") != 0) _exit(kSkipped);
      const Result result = run(scenario, form);
      if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == kSkipped) _exit(kSkipped);
      SKEIN_CHECK(!result.hung, "%s", what.c_str());
      if (&form == &kForms[0]) first = result;
      SKEIN_CHECK(result.status == first.status, "%s: %x, not %x", what.c_str(),
                  static_cast<unsigned>(result.status), static_cast<unsigned>(first.status));
      SKEIN_CHECK(result.output == first.output, "%s: printed '%s', not '%s'", what.c_str(),
                  result.output.c_str(), first.output.c_str());
      if (form.options != nullptr && spoiled.count(scenario) == 0) check_traces(what);
      umount2(folder().c_str(), MNT_DETACH);
    }
  }

 private:
  Result run(const std::string& scenario, const Form& form) {
    made_->begun = made_->done = 0;
    fflush(stdout);
    const pid_t program = fork();
    if (program == 0) become(scenario, form);
    Result result;
    result.status = wait_for(program, result.hung);
    result.output = text_of(scratch_ / "output");
    return result;
  }

  [[noreturn]] void become(const std::string& scenario, const Form& form) {
    setpgid(0, 0);
    const int output = open((scratch_ / "output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(output, 1) != 1 || dup2(output, 2) != 2) _exit(96);
    close(output);
    setenv("CHAOS_COUNTS", counts().c_str(), 1);
    setenv("CHAOS_FOLDER", folder().c_str(), 1);
    if (form.options != nullptr)
      setenv("SKEIN_TRACE", (folder() + "/t," + form.options).c_str(), 1);
    if (form.control) setenv("SKEIN_CONTROL", (folder() + "/control-%p").c_str(), 1);
    const char* program = programs_[form.linked ? 1 : 0];
    execl(program, program, scenario.c_str(), nullptr);
    _exit(97);
  }

  // Compares the traces with the number of calls.
  void check_traces(const std::string& what) {
    uint64_t recorded = 0, lost = 0;
    bool is_log = true;
    for (const auto& entry : fs::directory_iterator(folder())) {
      const std::string name = entry.path().filename();
      if (name[0] != 't') continue;
      const Trace trace = read_trace(entry.path());
      for (const std::string& problem : trace.problems)
        SKEIN_CHECK(problem.empty(), "%s: %s: %s", what.c_str(), name.c_str(), problem.c_str());
      recorded += trace.count("counter_set");
      lost += trace.lost();
      is_log = is_log && trace.table.ring_bytes == 0;
    }
    const auto count = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    SKEIN_CHECK(recorded > 0, "%s: no event", what.c_str());
    SKEIN_CHECK(recorded <= made_->begun, "%s: %llu events of %llu calls", what.c_str(),
                count(recorded), count(made_->begun));
    if (is_log)  // a ring has the newest events only
      SKEIN_CHECK(recorded + lost >= made_->done, "%s: %llu events and %llu lost of %llu calls",
                  what.c_str(), count(recorded), count(lost), count(made_->done));
  }

  std::string folder() const { return scratch_ / "disk"; }
  std::string counts() const { return scratch_ / "counts"; }

  const char* programs_[2];
  Scratch scratch_;
  Counts* made_ = nullptr;
};

// Gives this process a mount namespace of its own; a user other than root is root in it.
bool may_mount() {
  const uid_t user = geteuid();
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (user != 0) std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::vector<std::string> all_scenarios(const char* program) {
  std::vector<std::string> names;
  FILE* output = popen(("'" + std::string(program) + "' --list").c_str(), "r");
  char line[100];
  while (fgets(line, sizeof line, output) != nullptr) names.emplace_back(line, strcspn(line, "\n"));
  pclose(output);
  return names;
}

}  // namespace

int main(int count, char** values) {
  if (count < 4) {
    fprintf(stderr, "usage: chaos UNRECORDED RECORDED RUNS [SCENARIO...]\n");
    return 2;
  }
  std::vector<std::string> names(values + 4, values + count);
  if (names.empty()) names = all_scenarios(values[1]);
  Runs runs(values[1], values[2]);
  const unsigned wanted = static_cast<unsigned>(strtoul(values[3], nullptr, 10));
  unsigned skipped = 0;
  for (const std::string& name : names) {
    unsigned bad = 0;
    for (unsigned i = 0; i < wanted; ++i) {
      const int status = in_child([&] { may_mount() ? runs.check(name) : _exit(kSkipped); });
      const bool skip = WIFEXITED(status) && WEXITSTATUS(status) == kSkipped;
      skipped += skip;
      if (skip) printf("skipped: %s: not permitted here\n", name.c_str());
      if (skip) break;
      bad += !good(status);
    }
    SKEIN_CHECK(bad == 0, "%s: %u of %u runs", name.c_str(), bad, wanted);
  }
  printf("%zu scenarios, %u runs each\n", names.size(), wanted);
  const int result = verdict();
  return result == 0 && skipped > 0 ? kSkipped : result;
}
