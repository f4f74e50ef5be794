#include "target/pausable_process.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "target/process.h"
#include "target/stopped_threads.h"
#include "target/waiting_calls.h"

namespace skein {

namespace {

class Pausable : public PausableProcess {
 public:
  explicit Pausable(std::unique_ptr<Target> process) : process_(std::move(process)) {}

  const std::string& name() const override { return process_->name(); }
  uint64_t pid() const override { return process_->pid(); }
  Architecture architecture() const override { return process_->architecture(); }
  const std::vector<Mapping>& mappings() const override { return process_->mappings(); }
  std::vector<ThreadMoment> thread_moments() const override { return process_->thread_moments(); }
  std::vector<TargetThread> threads() const override {
    return stopped_ ? threads_ : process_->threads();
  }
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    return process_->read(address, to);
  }
  void read(std::span<Piece> pieces) const override { process_->read(pieces); }
  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    return process_->first_data(begin, end);
  }
  size_t read_written(uint64_t address, std::span<uint8_t> to) const override {
    return process_->read_written(address, to);
  }
  Result<Contents> file_of(const Mapping& mapping) const override {
    return process_->file_of(mapping);
  }
  std::optional<KernelWords> kernel_words() const override { return process_->kernel_words(); }
  std::string root() const override { return process_->root(); }

  std::optional<Error> pause() override {
    threads_ = process_->threads();
    Result<StoppedThreads> stopped = StoppedThreads::stop(pid());
    if (!stopped) return stopped.error();
    add_new(stopped->ids());
    for (TargetThread& thread : threads_)
      if (const StoppedThreads::Stop now = stopped->at(thread.id); !now.registers.is_empty())
        correct(thread, now);
    Result<std::unique_ptr<Target>> process = open_process(pid());  // its mappings as they are now
    if (!process) return process.error();
    process_ = std::move(*process);
    stopped_.emplace(std::move(*stopped));
    return {};
  }
  int64_t resume() override { return stopped_ ? stopped_->resume() : 0; }

 private:
  // Threads that have begun since the others were read. `ids` are ascending.
  void add_new(const std::vector<uint64_t>& ids) {
    const auto has_lower_id = [](const TargetThread& a, const TargetThread& b) {
      return a.id < b.id;
    };
    const auto count = static_cast<std::ptrdiff_t>(threads_.size());
    for (const uint64_t id : ids) {
      TargetThread thread{.id = id, .name = name(), .state = TargetThread::State::Running};
      if (!std::binary_search(threads_.begin(), threads_.begin() + count, thread, has_lower_id))
        threads_.push_back(std::move(thread));
    }
    std::sort(threads_.begin(), threads_.end(), has_lower_id);
  }

  // It may have run when its state was read, only because an earlier stop had interrupted it.
  void correct(TargetThread& thread, const StoppedThreads::Stop& now) const {
    thread.registers = now.registers;
    if (now.is_by_signal) thread.state = TargetThread::State::Stopped;
    if (!now.call) return;
    thread.call = now.call;
    if (thread.call->number == restart_call) thread.call->number = restarted_call(thread.registers);
    thread.wait_channel = waits_in(thread.wait_channel, thread.call);
    if (thread.state == TargetThread::State::Running) thread.state = TargetThread::State::Sleeping;
  }

  // The number in the instruction before that of the call, "mov $230, %eax".
  uint64_t restarted_call(const Registers& registers) const {
    uint8_t code[7] = {};
    const auto pc = registers.get(Registers::pc_of(architecture()));
    if (!pc || process_->read(*pc - sizeof code, code) != sizeof code || code[0] != 0xB8 ||
        code[3] != 0 || code[4] != 0 || code[5] != 0x0F || code[6] != 0x05)
      return restart_call;
    return static_cast<uint64_t>(code[1] | code[2] << 8);
  }

  std::unique_ptr<Target> process_;
  std::optional<StoppedThreads> stopped_ = {};
  std::vector<TargetThread> threads_ = {};
};

}  // namespace

Result<std::unique_ptr<PausableProcess>> open_pausable_process(uint64_t pid) {
  Result<std::unique_ptr<Target>> process = open_process(pid);
  if (!process) return process.error();
  return std::unique_ptr<PausableProcess>(std::make_unique<Pausable>(std::move(*process)));
}

}  // namespace skein
