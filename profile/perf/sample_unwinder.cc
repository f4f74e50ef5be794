#include "profile/perf/sample_unwinder.h"

#include <algorithm>

#include "base/cursor.h"

namespace skein {

namespace {

// The name of the module that is worst in most stacks of either cannot be known; the larger share
// is a good guess.
void add(const UnwindCounts& more, UnwindCounts& counts) {
  if (more.of(StackEnd::NoTable) > counts.of(StackEnd::NoTable) && !more.worst_module.empty())
    counts.worst_module = more.worst_module;
  counts.stacks += more.stacks;
  for (size_t i = 0; i < counts.ends.size(); i++) counts.ends[i] += more.ends[i];
  counts.frames += more.frames;
  counts.frame_pointers += more.frame_pointers;
  counts.repaired += more.repaired;
}

StackSample to_unwind(const PerfRecord& sample) {
  return {.registers = sample.registers,
          .stack_begin = sample.registers.get(stack_pointer_register).value_or(0),
          .stack = sample.stack};
}

}  // namespace

bool SampleUnwinder::can_unwind(const PerfRecord& sample) {
  return sample.registers.get(return_address_register) &&
         sample.registers.get(stack_pointer_register);
}

std::span<const uint64_t> SampleUnwinder::unwind(const PerfRecord& sample) {
  chain_.clear();
  last_ = {};
  last_unwinder_ = nullptr;
  Cursor chain(sample.chain);
  while (chain.remaining() >= 8) {
    const uint64_t entry = chain.u64();
    if (entry == perf_context_user) break;
    chain_.push_back(entry);
  }
  const auto sp = sample.registers.get(stack_pointer_register);
  const auto pc = sample.registers.get(return_address_register);
  if (!sp || !pc) return chain_;
  chain_.push_back(perf_context_user);
  const std::shared_ptr<const ProcessImage> image = images_.of(sample.pid);
  if (!image) {
    last_end_ = StackEnd::NoTable;
    chain_.push_back(*pc);
    return chain_;
  }
  Unwinder& unwinder = unwinder_of(image);
  const UnwoundStack stack = unwinder.unwind(to_unwind(sample));
  last_ = stack;
  last_unwinder_ = &unwinder;
  last_end_ = stack.end;
  size_t interrupted = 0;
  for (size_t i = 0; i < stack.pcs.size(); i++) {
    if (interrupted < stack.interrupted.size() && stack.interrupted[interrupted] == i) {
      chain_.push_back(perf_context_user);
      interrupted++;
    }
    chain_.push_back(stack.pcs[i]);
  }
  return chain_;
}

std::optional<Unwinder::Frame> SampleUnwinder::frame(const PerfRecord& sample,
                                                     size_t number) const {
  if (last_unwinder_ == nullptr) return {};
  return last_unwinder_->frame(to_unwind(sample), number);
}

Unwinder& SampleUnwinder::unwinder_of(const std::shared_ptr<const ProcessImage>& image) {
  constexpr size_t most_unwinders = 64;
  const auto is_of = [&](const OfImage& one) {
    return !one.image.owner_before(image) && !image.owner_before(one.image);
  };
  auto found = std::find_if(unwinders_.begin(), unwinders_.end(), is_of);
  if (found == unwinders_.end()) {
    if (unwinders_.size() >= most_unwinders) {
      add(unwinders_.back().unwinder.counts(), dropped_);
      unwinders_.pop_back();
    }
    unwinders_.push_front({.image = image, .changes = image->changes});
    unwinders_.front().unwinder.set_modules(modules_of(*image));
    return unwinders_.front().unwinder;
  }
  if (found != unwinders_.begin()) unwinders_.splice(unwinders_.begin(), unwinders_, found);
  OfImage& one = unwinders_.front();
  if (one.changes != image->changes) {
    one.changes = image->changes;
    one.unwinder.set_modules(modules_of(*image));
  }
  return one.unwinder;
}

std::vector<UnwindModule> SampleUnwinder::modules_of(const ProcessImage& image) {
  std::vector<UnwindModule> modules;
  modules.reserve(image.mappings.size());
  for (const auto& [begin, mapped] : image.mappings) {
    const ProcessImages::File& file = images_.files()[mapped.file];
    UnwindModule& module = modules.emplace_back();
    module.begin = begin;
    module.end = mapped.end;
    module.name = file.name;
    const ImageFile& opened = files_.of(mapped.file, file);
    const auto bias = opened.is_open() ? opened.bias(begin, mapped.offset) : std::nullopt;
    if (!bias) continue;
    module.bias = *bias;
    if (opened.entry() != 0) module.entry = opened.entry() + *bias;
    module.table = files_.table(mapped.file, file);
    const auto bytes = opened.bytes();
    if (mapped.offset < bytes.size())
      module.code = bytes.subspan(
          mapped.offset, std::min<uint64_t>(mapped.end - begin, bytes.size() - mapped.offset));
  }
  return modules;
}

UnwindCounts SampleUnwinder::counts() const {
  UnwindCounts counts = dropped_;
  for (const OfImage& one : unwinders_) add(one.unwinder.counts(), counts);
  return counts;
}

}  // namespace skein
