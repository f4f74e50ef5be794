#include "target/process_threads.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "target/thread_ids.h"
#include "target/waiting_calls.h"

namespace skein {

namespace {

// The folder of the threads, kept open: the kernel looks it up once, not for each file.
class TaskFolder {
 public:
  explicit TaskFolder(const std::string& path)
      : descriptor_(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  TaskFolder(const TaskFolder&) = delete;
  TaskFolder& operator=(const TaskFolder&) = delete;
  ~TaskFolder() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // A file, such as "4711/stat", without its last line feed; empty if it cannot be read. What is
  // longer than a page is cut.
  std::string text(const std::string& file) const {
    const int descriptor = openat(descriptor_, file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    std::array<char, 4096> buffer;
    const ssize_t size = ::read(descriptor, buffer.data(), buffer.size());
    close(descriptor);
    if (size <= 0) return {};
    std::string text(buffer.data(), static_cast<size_t>(size));
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

 private:
  int descriptor_;
};

// proc_pid_syscall(5): "running", or "NUMBER ARGUMENT.. SP PC"; -1 as the number outside a call.
Registers registers_in_call(const std::string& text, Architecture architecture) {
  Registers registers;
  const size_t pc_at = text.rfind(' ');
  const size_t sp_at =
      pc_at == std::string::npos || pc_at == 0 ? pc_at : text.rfind(' ', pc_at - 1);
  if (sp_at == std::string::npos) return registers;
  const auto number = [&](size_t space) -> std::optional<uint64_t> {
    const std::string_view word = std::string_view(text).substr(space + 1);
    uint64_t value = 0;
    if (!word.starts_with("0x") ||
        std::from_chars(word.data() + 2, word.data() + word.size(), value, 16).ec != std::errc())
      return {};
    return value;
  };
  const auto sp = number(sp_at);
  const auto pc = number(pc_at);
  if (!sp || !pc) return registers;
  registers.set(Registers::sp_of(architecture), *sp);
  registers.set(Registers::pc_of(architecture), *pc);
  return registers;
}

// The same; nothing: outside a call. Only of x86-64.
std::optional<KernelCall> call_in(const std::string& text, Architecture architecture) {
  if (architecture != Architecture::X86_64) return {};
  std::istringstream words(text);
  KernelCall call;
  int64_t number = -1;
  if (!(words >> number) || number < 0) return {};
  call.number = static_cast<uint64_t>(number);
  for (uint64_t& argument : call.arguments)
    if (!(words >> std::hex >> argument)) return {};
  return call;
}

// "PID (NAME) STATE ..."; the name may contain anything.
TargetThread::State state_of(const std::string& stat) {
  const size_t end = stat.rfind(')');
  if (end == std::string::npos || end + 2 >= stat.size()) return TargetThread::State::Unknown;
  using enum TargetThread::State;
  for (const TargetThread::State state : {Running, Sleeping, Waiting, Stopped, Traced, Ended})
    if (stat[end + 2] == static_cast<char>(state)) return state;
  return Unknown;
}

std::string name_in(const std::string& stat) {
  const size_t begin = stat.find('(');
  const size_t end = stat.rfind(')');
  return begin == std::string::npos || end == std::string::npos || end < begin
             ? std::string()
             : stat.substr(begin + 1, end - begin - 1);
}

// "TIME_ON_CPU TIME_IN_QUEUE COUNT"
uint64_t runs_of(const std::string& schedstat) {
  uint64_t count = 0;
  const std::string_view word = std::string_view(schedstat).substr(schedstat.rfind(' ') + 1);
  std::from_chars(word.data(), word.data() + word.size(), count);
  return count;
}

}  // namespace

uint64_t own_id_of(const std::string& status) {
  const size_t at = status.find("\nNSpid:");
  if (at == std::string::npos) return 0;
  std::istringstream words(status.substr(at + 7, status.find('\n', at + 1) - at - 7));
  uint64_t last = 0;
  for (uint64_t id; words >> id;) last = id;
  return last;
}

std::vector<TargetThread> read_process_threads(const std::string& folder, Architecture architecture,
                                               bool has_own_ids) {
  std::vector<TargetThread> threads;
  const TaskFolder tasks(folder + "/task");
  for (const uint64_t id : thread_ids(folder + "/task")) {
    const std::string task = std::to_string(id) + "/";
    const std::string stat = tasks.text(task + "stat");
    TargetThread thread{.id = id, .name = name_in(stat), .state = state_of(stat)};
    if (thread.state == TargetThread::State::Ended) continue;  // a main thread that has left
    const std::string call = tasks.text(task + "syscall");
    thread.registers = registers_in_call(call, architecture);
    thread.call = call_in(call, architecture);
    if (thread.state != TargetThread::State::Running)
      thread.wait_channel = waits_in(tasks.text(task + "wchan"), thread.call);
    // This one file more for those only that may wait for a lock.
    if (thread.call && name_of_waiting_call(thread.call->number) == "futex")
      thread.runs = runs_of(tasks.text(task + "schedstat"));
    if (has_own_ids) thread.own_id = own_id_of(tasks.text(task + "status"));
    threads.push_back(std::move(thread));
  }
  return threads;
}

std::vector<ThreadMoment> read_thread_moments(const std::string& folder,
                                              Architecture architecture) {
  std::vector<ThreadMoment> moments;
  const TaskFolder tasks(folder + "/task");
  for (const uint64_t id : thread_ids(folder + "/task")) {
    const std::string task = std::to_string(id) + "/";
    if (state_of(tasks.text(task + "stat")) == TargetThread::State::Ended) continue;
    const Registers registers = registers_in_call(tasks.text(task + "syscall"), architecture);
    moments.push_back({.id = id,
                       .runs = runs_of(tasks.text(task + "schedstat")),
                       .sp = registers.get(Registers::sp_of(architecture)).value_or(0),
                       .pc = registers.get(Registers::pc_of(architecture)).value_or(0)});
  }
  return moments;
}

}  // namespace skein
