#include "target/pausable_process.h"

#include <utility>

#include "target/process.h"
#include "target/stopped_threads.h"

namespace skein {

namespace {

class Pausable : public PausableProcess {
 public:
  explicit Pausable(std::unique_ptr<Target> process) : process_(std::move(process)) {}

  const std::string& name() const override { return process_->name(); }
  uint64_t pid() const override { return process_->pid(); }
  Architecture architecture() const override { return process_->architecture(); }
  const std::vector<Mapping>& mappings() const override { return process_->mappings(); }
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
    for (TargetThread& thread : threads_)
      if (const Registers now = stopped->registers(thread.id); !now.is_empty())
        thread.registers = now;
    Result<std::unique_ptr<Target>> process = open_process(pid());  // its mappings as they are now
    if (!process) return process.error();
    process_ = std::move(*process);
    stopped_.emplace(std::move(*stopped));
    return {};
  }
  int64_t resume() override { return stopped_ ? stopped_->resume() : 0; }

 private:
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
