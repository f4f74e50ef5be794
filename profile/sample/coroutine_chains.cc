#include "profile/sample/coroutine_chains.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "frames/adapters.h"
#include "frames/asio_functions.h"
#include "profile/perf/perf_stacks.h"
#include "profile/sample/monotonic_clock.h"
#include "symbol/functions.h"
#include "target/process.h"

namespace skein {

namespace {

constexpr size_t most_processes = 64;

bool is_same(const std::weak_ptr<const ProcessImage>& a,
             const std::shared_ptr<const ProcessImage>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

// Of the copy of the stack.
std::optional<uint64_t> word_at(const PerfRecord& sample, uint64_t address) {
  const uint64_t begin = sample.registers.get(stack_pointer_register).value_or(0);
  const uint64_t offset = address - begin;
  uint64_t word = 0;
  if (sample.stack.size() < sizeof word || offset > sample.stack.size() - sizeof word) return {};
  std::memcpy(&word, sample.stack.data() + offset, sizeof word);
  return word;
}

bool is_return(const UnwoundStack& stack, size_t number) {
  return number != 0 && std::find(stack.interrupted.begin(), stack.interrupted.end(), number) ==
                            stack.interrupted.end();
}

// In the function, also if the call is its last instruction.
uint64_t instruction_of(const UnwoundStack& stack, size_t number) {
  return stack.pcs[number] - (is_return(stack, number) ? 1 : 0);
}

constexpr size_t most_stack = 1024;  // bytes that are compared

// What a sample's copy has of the stack up to the end of the part of a function. Empty: unknown.
std::span<const uint8_t> stack_up_to(const PerfRecord& sample, const SampleUnwinder& unwinder,
                                     size_t function) {
  const auto frame = unwinder.frame(sample, function);
  const uint64_t begin = sample.registers.get(stack_pointer_register).value_or(0);
  if (!frame || frame->cfa < begin) return {};
  return sample.stack.first(
      std::min<uint64_t>({frame->cfa - begin, most_stack, sample.stack.size()}));
}

// Whether the stack is still as it was, up to the end of the part of function `last`: if a thread
// has gone on, it has returned from these functions, or called others. The kernel, if it was there,
// may have written results: then the return addresses count.
bool is_same_stack(std::span<const uint8_t> now, std::span<const uint8_t> before,
                   const PerfRecord& sample, const SampleUnwinder& unwinder, size_t last) {
  constexpr uint8_t of_user = 2;
  if (now.size() != before.size() || before.empty()) return false;
  if (sample.mode == of_user) return std::equal(now.begin(), now.end(), before.begin());
  const uint64_t begin = sample.registers.get(stack_pointer_register).value_or(0);
  for (size_t i = 0; i <= last; i++) {
    const auto one = unwinder.frame(sample, i);
    if (!one || one->cfa < begin + 8) return false;
    const uint64_t at = one->cfa - 8 - begin;
    if (at + 8 <= now.size() && std::memcmp(now.data() + at, before.data() + at, 8) != 0)
      return false;
  }
  return true;
}

}  // namespace

// Whether the code of the last stack is in mappings that the program had.
bool CoroutineChains::knows_code(const Program& program, const ProcessImage& image) const {
  const auto& pcs = unwinder_.last_stack().pcs;
  return std::all_of(pcs.begin(), pcs.end(), [&](uint64_t pc) {
    const auto mapping = image.find(pc);
    return mapping == image.mappings.end() || program.mappings.contains(mapping->first);
  });
}

std::shared_ptr<CoroutineChains::Program> CoroutineChains::read_files(
    uint32_t pid, std::weak_ptr<const ProcessImage> image) {
  auto program = std::make_shared<Program>();
  program->image = std::move(image);
  program->built = monotonic_ns();
  if (Result<std::unique_ptr<Target>> target = open_process(pid)) {
    program->target = std::move(*target);
    program->coroutines.emplace(*program->target);
    for (const Mapping& mapping : program->target->mappings())
      if (mapping.executable) program->mappings.insert(mapping.begin);
  }
  program->cost = monotonic_ns() - program->built;
  return program;
}

void CoroutineChains::use(Process& process, std::shared_ptr<Program> program) {
  process.chain.reset();
  process.memory.reset();
  process.program = std::move(program);
  if (!process.program->coroutines || process.program->coroutines->pairs().empty()) return;
  Result<std::unique_ptr<Target>> memory = open_process(process.pid);
  if (!memory) return;
  process.memory = std::move(*memory);
  process.chain.emplace(*process.program->coroutines);
}

// Null: its coroutines are not known, or it has none.
CoroutineChains::Process* CoroutineChains::process_of(
    const PerfRecord& sample, const std::shared_ptr<const ProcessImage>& image) {
  auto found = std::find_if(processes_.begin(), processes_.end(),
                            [&](const Process& one) { return one.pid == sample.pid; });
  if (found == processes_.end()) {
    if (processes_.size() >= most_processes) processes_.pop_back();
    processes_.push_front({.pid = sample.pid});
    found = processes_.begin();
    for (const std::shared_ptr<Program>& one : programs_)
      if (is_same(one->image, image)) use(*found, one);
  }
  if (found != processes_.begin()) processes_.splice(processes_.begin(), processes_, found);
  Process& process = processes_.front();
  constexpr uint64_t share = 10;
  const Program* const program = process.program.get();
  const bool is_current = program != nullptr && is_same(program->image, image);
  if (!is_current || !knows_code(*program, *image))
    if (program == nullptr || monotonic_ns() - program->built > share * program->cost)
      processes_wanted_.insert(process.pid);
  return process.chain && is_current ? &process : nullptr;
}

// One that is to be prepared; nothing: there is none.
std::optional<CoroutineChains::Pair> CoroutineChains::next_pair() {
  std::optional<Pair> next;
  if (!pairs_wanted_.empty()) {
    next = *pairs_wanted_.begin();
    pairs_wanted_.erase(pairs_wanted_.begin());
  } else if (!pairs_left_.empty()) {
    next = std::move(pairs_left_.back());
    pairs_left_.pop_back();
  }
  return next;
}

void CoroutineChains::work(InheritingMutex& mutex) {
  constexpr uint64_t longest = 20'000'000;
  constexpr size_t few = 300;  // coroutines
  const uint64_t begin = monotonic_ns();
  std::unique_lock lock(mutex);
  while (!processes_wanted_.empty()) {
    const uint32_t pid = *processes_wanted_.begin();
    const std::weak_ptr<const ProcessImage> image = images_.of(pid);
    lock.unlock();
    std::shared_ptr<Program> program = read_files(pid, image);
    lock.lock();
    processes_wanted_.erase(pid);
    const size_t count = program->coroutines ? program->coroutines->pairs().size() : 0;
    if (count != 0) programs_.push_back(program);
    for (uint32_t pair = 0; count <= few && pair < count; pair++)
      pairs_left_.emplace_back(program, pair);
    for (Process& process : processes_)
      if (process.pid == pid) use(process, program);
  }
  while (const std::optional<Pair> next = next_pair()) {
    CoroutineProgram& coroutines = *next->first->coroutines;
    if (coroutines.is_prepared(next->second)) continue;
    lock.unlock();
    coroutines.prepare(next->second);
    lock.lock();
    coroutines.set_prepared(next->second);
    if (monotonic_ns() - begin > longest) break;
  }
}

// The address of the frame that a function of the last stack has.
std::optional<uint64_t> CoroutineChains::frame_of(const PerfRecord& sample, size_t number,
                                                  CoroutineProgram& program, uint32_t pair) const {
  const UnwoundStack& stack = unwinder_.last_stack();
  const auto place = program.frame_address(pair, stack.pcs[number], is_return(stack, number));
  const auto frame = unwinder_.frame(sample, number);
  if (!place || !frame) return {};
  std::optional<uint64_t> word;
  if (place->place == FrameAddress::Place::Register) {
    // One that calls may change is only found if the callees leave it alone.
    word = frame->registers.get(place->number);
    if (!word) word = frame->innermost.get(place->number);
  } else if (frame->cfa != 0) {
    word = word_at(sample, frame->cfa - 8 + static_cast<uint64_t>(int64_t{place->at}));
  }
  if (!word) return {};
  return *word - static_cast<uint64_t>(int64_t{place->plus});
}

// Those in whose code functions further out than `number` are, each once. Without optimisation, a
// stack of symmetric transfers may have the same ones many times.
const std::vector<AwaitChain::Outer>& CoroutineChains::outer_coroutines(const PerfRecord& sample,
                                                                        size_t number,
                                                                        CoroutineProgram& program) {
  constexpr size_t most = 16, most_functions = 128;
  const UnwoundStack& stack = unwinder_.last_stack();
  outer_.clear();
  unprepared_.reset();
  const size_t end = std::min(stack.pcs.size(), number + most_functions);
  for (size_t i = number + 1; i < end && outer_.size() < most; i++) {
    const auto pair = program.pair_of_code(instruction_of(stack, i));
    if (!pair) continue;
    if (!program.is_prepared(*pair)) unprepared_ = pair;
    uint64_t frame = 0;
    if (!unprepared_) frame = frame_of(sample, i, program, *pair).value_or(0);
    if (std::none_of(outer_.begin(), outer_.end(),
                     [&](const AwaitChain::Outer& one) { return one.frame == frame; }))
      outer_.push_back({.frame = frame, .pair = *pair});
    if (const auto place = unwinder_.frame(sample, i)) outer_.back().stack_end = place->cfa;
  }
  return outer_;
}

LogicalSample CoroutineChains::of(const PerfRecord& sample) {
  Found counted;
  LogicalSample found = find(sample, counted);
  if (counted.is_early) counts_.early++;
  if (found == LogicalSample()) return found;
  counts_.in_coroutines++;
  if (found.is_unknown()) {
    counts_.unknown++;
    if (counted.unknown) unknown_[*counted.unknown]++;
  } else if (counted.is_doubtful) {
    counts_.doubtful++;
  }
  return found;
}

LogicalSample CoroutineChains::of_waiting(const PerfRecord& sample) {
  Found ignored;
  return find(sample, ignored);
}

LogicalSample CoroutineChains::find(const PerfRecord& sample, Found& counted) {
  if (!SampleUnwinder::can_unwind(sample)) return {};
  const std::shared_ptr<const ProcessImage> image = images_.of(sample.pid);
  if (image == nullptr) return {};
  (void)unwinder_.unwind(sample);
  Process* const process = process_of(sample, image);
  if (process == nullptr) {
    counted.is_early = processes_wanted_.contains(sample.pid);
    return {};
  }
  CoroutineProgram& program = *process->program->coroutines;
  const UnwoundStack& stack = unwinder_.last_stack();
  LogicalSample found;
  for (size_t i = 0; i < stack.pcs.size(); i++) {
    const auto pair = program.pair_of_code(instruction_of(stack, i));
    if (!pair) continue;
    found = {.functions = 0, .chain = LogicalSample::unknown};
    if (!program.is_prepared(*pair)) {
      pairs_wanted_.emplace(process->program, *pair);
      break;
    }
    const auto frame = frame_of(sample, i, program, *pair);
    if (!frame) {
      counted.unknown = Pair(process->program, *pair);
      break;
    }
    const std::span<const uint8_t> before = stack_up_to(sample, unwinder_, i);
    std::array<uint8_t, most_stack> now;
    Piece last{.address = sample.registers.get(stack_pointer_register).value_or(0),
               .to = std::span(now).first(before.size())};
    const auto steps = process->chain->of(*process->memory, *frame, *pair,
                                          outer_coroutines(sample, i, program), last);
    for (const auto unprepared : {process->chain->unprepared(), unprepared_})
      if (unprepared) pairs_wanted_.emplace(process->program, *unprepared);
    const bool is_there = is_same_stack(last.to.first(last.count), before, sample, unwinder_, i);
    if (!steps && is_there && !unprepared_ && !process->chain->unprepared())
      counted.unknown = Pair(process->program, *pair);
    if (!steps || unprepared_ || !process->chain->is_same() || !is_there) break;
    process->chain->confirm();
    const bool is_created =
        i + 1 < stack.pcs.size() && program.creates(*pair, stack.pcs[i + 1] - 1);
    if (process->chain->is_called() || (steps->empty() && is_created)) {
      found = {};
      continue;
    }
    found = {.functions = static_cast<uint32_t>(i + 1), .chain = 0, .frames = {*frame}};
    counted.is_doubtful = process->chain->is_doubtful();
    for (const AwaitChain::Step& step : *steps) found.frames.push_back(step.frame);
    for (size_t step = steps->size(); step-- > 0;)
      found.chain = stacks_.add(found.chain, number_of(*process->program, (*steps)[step]));
    break;
  }
  return found;
}

bool CoroutineChains::is_in_coroutine(uint32_t pid, const UnwoundStack& stack) const {
  const auto process = std::find_if(processes_.begin(), processes_.end(),
                                    [&](const Process& one) { return one.pid == pid; });
  if (process == processes_.end() || !process->chain) return false;
  const CoroutineProgram& program = *process->program->coroutines;
  for (size_t i = 0; i < stack.pcs.size(); i++)
    if (program.pair_of_code(instruction_of(stack, i))) return true;
  return false;
}

uint32_t CoroutineChains::number_of(const Program& program, const AwaitChain::Step& step) {
  return numbers_
      .try_emplace({&program, step.pair, step.point}, static_cast<uint32_t>(numbers_.size()))
      .first->second;
}

LogicalStacks::Coroutine CoroutineChains::describe(Program& program, uint32_t pair,
                                                   uint32_t point) {
  CoroutineProgram& coroutines = *program.coroutines;
  const std::string name = coroutines.name_of(coroutines.pairs()[pair]);
  if (is_spawn_entry(name) || is_result_wrapper(name) || is_adapter(name) ||
      !started_operation(name).empty())
    return {};
  LogicalStacks::Coroutine found{.function = std::string(without_parameters(name))};
  if (point == AwaitChain::unknown_point || !coroutines.index_of(pair)) return found;
  const Suspension suspension = coroutines.suspension(pair, point);
  if (!suspension.place) return found;
  found.file = suspension.place->file;
  found.line = suspension.place->line;
  return found;
}

const LogicalStacks& CoroutineChains::finish() {
  for (const std::shared_ptr<Program>& program : programs_)
    for (const auto& [key, number] : numbers_)
      if (std::get<0>(key) == program.get())
        stacks_.set_coroutine(number, describe(*program, std::get<1>(key), std::get<2>(key)));
  counts_.undescribed = 0;
  for (const auto& [pair, count] : unknown_)
    if (!pair.first->coroutines->is_described(pair.second)) counts_.undescribed += count;
  return stacks_;
}

}  // namespace skein
