// Finds the coroutines of a process whose program and memory are both this input. Every coroutine
// must name a function, and await another one of the result.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "frames/await_chain.h"
#include "frames/saved_frames.h"
#include "frames/verdict.h"

using namespace skein;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

class Process : public Target {
 public:
  explicit Process(std::span<const uint8_t> bytes) : bytes_(bytes) {
    mappings_.push_back({.begin = code,
                         .end = code + bytes.size(),
                         .readable = true,
                         .executable = true,
                         .file = "/program"});
    mappings_.push_back({.begin = memory,
                         .end = memory + bytes.size(),
                         .readable = true,
                         .writable = true,
                         .file = "[heap]"});
  }
  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 1; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override {
    TargetThread thread{.id = 1};
    thread.registers.set(Registers::sp_of(architecture()), memory);
    return {thread};
  }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    const Mapping* mapping = find_mapping(mappings_, address);
    if (mapping == nullptr) return 0;
    const size_t count = std::min<size_t>(to.size(), mapping->end - address);
    std::memcpy(to.data(), bytes_.data() + (address - mapping->begin), count);
    return count;
  }
  Result<Contents> file_of(const Mapping&) const override { return Contents::borrowed(bytes_); }

  static constexpr uint64_t memory = 0x10000000;

 private:
  static constexpr uint64_t code = 0x400000;
  std::string name_ = "program";
  std::span<const uint8_t> bytes_;
  std::vector<Mapping> mappings_;
};

// Each word of the memory may be the frame of one that runs, or on its stack.
void walk_chains(const Process& process, std::span<const uint8_t> bytes) {
  constexpr size_t most = 64;
  CoroutineProgram program(process);
  const auto pairs = static_cast<uint32_t>(std::min(program.pairs().size(), most));
  for (uint32_t pair = 0; pair < pairs; pair++) {
    program.prepare(pair);
    program.set_prepared(pair);
    (void)program.frame_address(pair, program.pairs()[pair].function.resume);
  }
  AwaitChain chain(program);
  std::vector<uint8_t> stack(32);
  for (uint64_t at = 0; pairs != 0 && at < std::min(bytes.size(), most * 8); at += 8) {
    const AwaitChain::Outer outer{.frame = Process::memory + 8 * (at % most), .pair = 0};
    Piece last{.address = Process::memory + at, .to = stack};
    const auto steps = chain.of(process, Process::memory + at, static_cast<uint32_t>(at) % pairs,
                                std::span(&outer, 1), last);
    if (!steps) continue;
    require(steps->size() <= AwaitChain::most_steps);
    for (const AwaitChain::Step& step : *steps) require(step.pair < program.pairs().size());
    if (chain.is_same()) chain.confirm();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (const auto saved = read_frames({data, size}, "x")) {
    const std::vector<uint8_t> again = save_frames(*saved);
    require(read_frames(again, "x").has_value());
  }
  const Process process({data, size});
  walk_chains(process, {data, size});
  const auto found = find_suspended(process, {.variables = true, .references = true});
  if (!found) {
    require(!found.error().what.empty());
    return 0;
  }
  uint64_t before = 0;
  for (const SuspendedCoroutine& one : found->coroutines) {
    require(one.frame > before);
    before = one.frame;
    require(one.function < found->functions.size());
    require(one.awaits == SuspendedCoroutine::none || one.awaits < found->coroutines.size());
    require(one.awaited == SuspendedCoroutine::none || one.awaited < found->awaited.size());
    require(one.joined_by == SuspendedCoroutine::none || one.joined_by < found->coroutines.size());
  }
  const Surroundings around{
      .steady_now = data[0],
      .sockets = {{.descriptor = data[size / 2], .unread = data[size - 1], .has_counts = true}},
      .threads = process.threads()};
  // Each coroutine but Asio's own is in one chain.
  size_t steps = 0;
  for (const CoroutineChain& chain : find_chains(*found, around)) {
    require(!chain.steps.empty() && chain.count != 0);
    steps += chain.steps.size();
    require(!name(judge(*found, chain, around)).empty());
    for (const uint32_t object : chain.objects) require(object < found->objects.size());
  }
  require(steps <= found->coroutines.size());
  return 0;
}
