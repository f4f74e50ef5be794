// A target whose threads are read once, for a search that needs them several times: of a process
// with thousands of threads, each reading takes a long time, and shows another moment.
//
//   const KnownThreads target(process);
//   search(target);           // its threads() are those of the first time
//   process.pause();
//   target.forget();          // those of this moment from now on
#pragma once

#include <optional>

#include "target/target.h"

namespace skein {

// Everything else is that of `target`, which must outlive it. For one thread.
class KnownThreads : public Target {
 public:
  explicit KnownThreads(const Target& target) : target_(target) {}

  std::vector<TargetThread> threads() const override {
    if (!threads_) threads_ = target_.threads();
    return *threads_;
  }
  // The next threads() reads them again.
  void forget() { threads_.reset(); }

  std::vector<ThreadMoment> thread_moments() const override { return target_.thread_moments(); }

  const std::string& name() const override { return target_.name(); }
  uint64_t pid() const override { return target_.pid(); }
  Architecture architecture() const override { return target_.architecture(); }
  const std::vector<Mapping>& mappings() const override { return target_.mappings(); }
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    return target_.read(address, to);
  }
  void read(std::span<Piece> pieces) const override { target_.read(pieces); }
  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    return target_.first_data(begin, end);
  }
  size_t read_written(uint64_t address, std::span<uint8_t> to) const override {
    return target_.read_written(address, to);
  }
  Result<Contents> file_of(const Mapping& mapping) const override {
    return target_.file_of(mapping);
  }
  std::optional<KernelWords> kernel_words() const override { return target_.kernel_words(); }
  std::string root() const override { return target_.root(); }

 private:
  const Target& target_;
  mutable std::optional<std::vector<TargetThread>> threads_ = {};
};

}  // namespace skein
