#include "frames/suspended.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/byte_size.h"
#include "base/function_name.h"
#include "base/text.h"
#include "frames/adapters.h"
#include "frames/asio_functions.h"
#include "frames/asio_groups.h"
#include "frames/asio_recycler.h"
#include "frames/awaited_objects.h"
#include "frames/call_stack.h"
#include "frames/changing_cycles.h"
#include "frames/continuations.h"
#include "frames/coroutine_program.h"
#include "frames/deadlines.h"
#include "frames/heaps.h"
#include "frames/joined_coroutines.h"
#include "frames/lock_holders.h"
#include "frames/memory_cache.h"
#include "frames/references.h"
#include "frames/similar_waits.h"
#include "frames/stack_places.h"
#include "frames/unreferenced.h"
#include "frames/waiters.h"
#include "frames/when_any.h"
#include "frames/written_parts.h"

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t none = SuspendedCoroutine::none;
constexpr uint64_t header = 16;          // of a frame: two addresses; then the promise
constexpr uint64_t default_size = 4096;  // of a frame, if unknown
constexpr uint64_t largest = 1 << 16;    // bytes of a frame that are searched

struct Found {
  uint64_t frame = 0;
  uint32_t pair = 0;
  bool is_final = false;
  bool is_elided = false;  // inside the frame of its caller
};

class Search {
 public:
  Search(const Target& target, const SearchOptions& options)
      : target_(target),
        options_(options),
        memory_(target),
        program_(target),
        stack_places_(target) {}

  Result<SuspendedCoroutines> run() {
    if (program_.pairs().empty() && !options_.accepts_none) return nothing_found();
    if (options_.before) options_.before();
    if (program_.pairs().empty()) {
      find_running();  // the stacks of its threads
      return none_found({});
    }
    scan_all();
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.frame < b.frame; });
    read_blocks();
    Result<SuspendedCoroutines> found = result();
    // Without names, what looks like a coroutine's function may be another one.
    const bool has_names =
        std::any_of(program_.pairs().begin(), program_.pairs().end(),
                    [](const auto& pair) { return !pair.function.name.empty(); });
    if (!found || !found->coroutines.empty() || has_names || unjudged_ != 0) return found;
    return options_.accepts_none ? none_found(*std::move(found)) : nothing_found();
  }

 private:
  // As far as the first warning shows.
  bool lacks_symbols() const {
    const std::vector<std::string> warnings = program_.warnings();
    return !warnings.empty() && warnings.front().find(" has no symbols") != std::string::npos;
  }

  Error nothing_found() const {
    const std::vector<std::string> warnings = program_.warnings();
    std::string advice = warnings.empty() ? "" : warnings.front();
    // Where they were searched is too much for a program that may have no coroutines.
    if (lacks_symbols())
      advice =
          "it has no symbols, which may hide them: install the package's -dbgsym, or build it "
          "without -s";
    return {.what = "no functions of coroutines in its files",
            .file = target_.name(),
            .advice = std::move(advice)};
  }

  Result<SuspendedCoroutines> none_found(SuspendedCoroutines found) {
    if (program_.pairs().empty() && options_.after) options_.after(found);
    const Error error = nothing_found();
    found.lacks_files = !error.advice.empty() && !lacks_symbols();
    found.warnings = {error.what + (error.advice.empty() ? "" : "; " + error.advice)};
    return found;
  }

  // ---- frames ----

  void scan_all() {
    const std::vector<MemoryPart> all = written_parts(target_);
    memory_size_ = skein::size_of(all);
    is_sample_ = memory_size_ > options_.most_bytes;
    const std::vector<MemoryPart> parts = sample_of(all, options_.most_bytes);
    const uint64_t in_all = skein::size_of(parts);
    uint64_t done = 0;
    for (const MemoryPart& part : parts) {
      if (options_.progress) options_.progress(done, in_all, memory_size_);
      scan(part);
      done += part.size();
    }
    if (options_.progress) options_.progress(done, in_all, memory_size_);
  }

  // Not a byte beyond the part: it would look written next time.
  void scan(const MemoryPart& part) {
    buffer_.resize(part.size() / 8 + 2);  // the last word may be a part of one
    const bool continues = last_end_ == part.begin;  // a frame may begin in the part before
    if (!continues) buffer_[0] = 0;
    const auto bytes =
        std::span(reinterpret_cast<uint8_t*>(buffer_.data() + 1), part.size());  // NOLINT
    const size_t words = target_.read_written(part.begin, bytes) / 8;
    read_ += 8 * words;
    for (size_t i = continues ? 1 : 2; i <= words; i++) {
      const std::optional<uint32_t> pair = program_.pair_of_destroy(buffer_[i]);
      if (!pair) continue;
      const uint64_t resume = buffer_[i - 1];
      if (resume != 0 && resume != program_.pairs()[*pair].function.resume) continue;
      found_.push_back({.frame = part.begin + 8 * (i - 1) - 8,
                        .pair = *pair,
                        .is_final = resume == 0,
                        .is_elided = buffer_[i] == program_.pairs()[*pair].function.cleanup});
    }
    last_end_ = part.begin + 8 * words;
    buffer_[0] = buffer_[words];
  }

  void read_blocks() {
    std::vector<uint64_t> frames;
    frames.reserve(found_.size());
    for (const Found& one : found_) frames.push_back(one.frame);
    blocks_.resize(found_.size());
    // Walking a heap reads all of it.
    if (!is_sample_) heaps_ = find_heaps(target_, memory_, frames);
    for (const auto& heap : heaps_)
      if (!heap->find_blocks(frames, blocks_))
        warnings_.push_back(
            "the heap is damaged, or changed while it was read: frames that were "
            "destroyed may be shown");
    for (uint32_t i = 0; i < found_.size(); i++)
      if (blocks_[i].is_used() && blocks_[i].keeps_remains && !is_still_there(i))
        blocks_[i].state = HeapBlock::State::Freed;
    // Just before find_running(), which looks at the same stacks: the threads go on.
    for (const uint64_t block : find_recycled(target_, memory_))
      if (const uint32_t i = frame_at(block); i != none && found_[i].frame == block)
        blocks_[i].state = HeapBlock::State::Freed;
    count_own_blocks();
  }

  // Whether the block is one of a program's own allocator, that begins with a frame.
  bool is_first_of_pool(uint32_t i) {
    constexpr uint64_t large = 1 << 16;
    const uint64_t size = blocks_[i].end - blocks_[i].begin;
    return is_pooled_[i] || (is_gcc(found_[i].pair) && size >= large &&
                             size / 4 > program_.least_frame_size(found_[i].pair));
  }

  // What was in a freed block when it was found, and is in use when the allocator is looked at, may
  // have been overwritten between.
  bool is_still_there(uint32_t i) {
    const CoroutineFunction& function = program_.pairs()[found_[i].pair].function;
    const uint64_t resume = memory_.word(found_[i].frame);
    const uint64_t destroy = memory_.word(found_[i].frame + 8);
    return (resume == 0 || resume == function.resume) &&
           program_.pair_of_destroy(destroy) == found_[i].pair;
  }

  // Whether the frames of a function are blocks of their own: then one inside of a bigger block is
  // what is left of a frame there. Otherwise the program has an allocator on top of glibc's.
  bool has_own_blocks(uint32_t pair) const { return own_blocks_[pair] > 0; }
  void count_own_blocks() {
    is_pooled_.resize(found_.size());
    for (uint32_t i = 0; i < found_.size(); i++) is_pooled_[i] = is_pooled(i);
    own_blocks_.resize(program_.pairs().size());
    for (uint32_t i = 0; i < found_.size(); i++)
      if (blocks_[i].is_used() && !found_[i].is_elided)
        own_blocks_[found_[i].pair] +=
            blocks_[i].begin == found_[i].frame && !is_first_of_pool(i) ? 1 : -1;
    // The frames of a function are equally large: at most as far as any of them is from the next.
    sizes_.assign(program_.pairs().size(), default_size);
    uint64_t next = UINT64_MAX;
    for (size_t i = found_.size(); i-- > 0;) {
      if (found_[i].is_elided) continue;
      uint64_t& size = sizes_[found_[i].pair];
      size = std::min(size, next - found_[i].frame);
      next = found_[i].frame;
    }
    frame_sizes_.resize(program_.pairs().size());
    for (uint32_t i = 0; i < found_.size(); i++) {
      const uint32_t pair = found_[i].pair;
      if (found_[i].is_elided || is_freed(i) || is_own_block(i)) continue;
      frame_sizes_[pair] = program_.frame_size(pair);
      if (frame_sizes_[pair].exact != 0) sizes_[pair] = frame_sizes_[pair].exact;
    }
  }

  // ---- threads ----

  // A thread runs a coroutine if it is in the coroutine's function, and a register that functions
  // keep for their callers, or the function's part of the stack, has the address of the frame.
  void find_running() {
    if (target_.architecture() != Architecture::X86_64) {
      warnings_.push_back("which coroutines its threads run is not known on this architecture");
      return;
    }
    CallStacks stacks(target_, memory_);
    for (const TargetThread& thread : target_.threads()) {
      if (thread.state == TargetThread::State::Ended) continue;
      if (!thread.registers.get(Registers::sp_of(target_.architecture()))) {
        warnings_.push_back("thread " + std::to_string(thread.id) +
                            " is running: a coroutine that it runs is shown where it last waited");
        continue;
      }
      const CallStacks::Stack stack = stacks.of(thread.registers);
      if (options_.on_stack) options_.on_stack(thread, stack);
      if (!stack.calls.empty()) stack_places_.add(thread.id, stack);
      add_unused(stack);
      for (size_t i = 0; i < stack.calls.size(); i++) {
        // Behind a call that does not return there may be another function.
        const uint64_t pc = stack.calls[i].instruction();
        const auto pair = program_.pair_of_code(pc);
        if (!pair) continue;
        const uint32_t frame = frame_of(std::span(stack.calls).subspan(i), *pair);
        if (frame != none) {
          runs_.emplace(found_[frame].frame, Run{.thread = thread.id, .pc = pc});
          continue;
        }
        unknown_runs_.insert(*pair);
        const std::string name = short_function_name(
            with_lambdas_of_signatures(program_.name_of(program_.pairs()[*pair])));
        warnings_.push_back("thread " + std::to_string(thread.id) + " runs one of the coroutines " +
                            name + ": it is not known which, and shown where it last waited");
      }
      if (!stack.is_complete)
        warnings_.push_back("the stack of thread " + std::to_string(thread.id) +
                            " could not be read to its end: a coroutine that it runs may be "
                            "shown where it last waited");
    }
  }

  // Of a thread that waits in a function of the C library: what earlier calls have left is there,
  // too. The arguments of the system call are in registers.
  void add_unused(const CallStacks::Stack& stack) {
    const auto& calls = stack.calls;
    size_t count = 0;
    while (count < calls.size() && is_in_c_library(calls[count].pc) &&
           (count == 0 || calls[count].is_return))
      count++;
    if (count == 0 || count == calls.size() || !calls[count].is_return ||
        !is_system_call(calls.front().pc))
      return;
    UnusedStack unused{.begin = calls.front().begin - UnusedStack::red_zone,
                       .end = calls[count].begin};
    for (const CallStacks::Call& call : std::span(calls).subspan(1, count))
      for (const size_t number : {3U, 6U, 12U, 13U, 14U, 15U}) {  // rbx, rbp, r12 to r15
        const auto value = call.registers.get(number);
        if (!value) return;
        unused.registers.push_back(*value);
      }
    unused_.push_back(std::move(unused));
  }

  // Whether the instruction before this address is one; a thread that is elsewhere does not wait.
  bool is_system_call(uint64_t pc) const {
    uint8_t before[2] = {};
    return target_.read(pc - sizeof before, before) == sizeof before && before[0] == 0x0F &&
           before[1] == 0x05;
  }

  bool is_in_c_library(uint64_t address) const {
    const Mapping* mapping = find_mapping(target_.mappings(), address);
    return mapping != nullptr && mapping->has_file() && is_c_library(mapping->file);
  }

  // The frame of a coroutine of this function that the first call has. If it is in a register that
  // is not known, a caller has it, too, as the handle that it resumes. (g++ may keep it in any
  // register across calls of functions that leave it alone, -fipa-ra; but others have old frames.)
  uint32_t frame_of(std::span<const CallStacks::Call> calls, uint32_t pair) {
    constexpr uint64_t most = 4096;  // bytes of a function's part of the stack
    constexpr size_t callers = 8;
    const auto of_pair = [&](uint64_t word) {
      const uint32_t frame = frame_at(word);
      return frame != none && found_[frame].pair == pair ? frame : none;
    };
    for (const CallStacks::Call& call : calls.subspan(0, std::min(calls.size(), callers))) {
      for (const size_t number : {3U, 6U, 12U, 13U, 14U, 15U})  // rbx, rbp, r12 to r15
        if (const auto value = call.registers.get(number))
          if (const uint32_t frame = of_pair(*value); frame != none) return frame;
      const uint64_t end = std::min(call.end, call.begin + most);
      for (uint64_t at = call.begin; at + 8 <= end; at += 8)
        if (const uint32_t frame = of_pair(memory_.word(at)); frame != none) return frame;
    }
    return only_frame_of(pair);
  }

  // The only frame of this function, or `none`. Where frames are blocks, what is elsewhere only
  // looks like one: two addresses that code has left on a stack.
  uint32_t only_frame_of(uint32_t pair) {
    constexpr uint32_t several = none - 1;
    if (only_frames_.empty()) {
      only_frames_.assign(program_.pairs().size(), none);
      for (uint32_t i = 0; i < found_.size(); i++) {
        uint32_t& only = only_frames_[found_[i].pair];
        const bool may_be = has_own_blocks(found_[i].pair) ? is_own_block(i) : !is_freed(i);
        if (may_be) only = only == none ? i : several;
      }
    }
    return only_frames_[pair] == several ? none : only_frames_[pair];
  }

  // ---- what a coroutine awaits ----

  // The frame whose handle or promise is at this address, or `none`.
  uint32_t frame_at(uint64_t address) const {
    for (const uint64_t frame : {address, address - header}) {
      const auto at = std::lower_bound(found_.begin(), found_.end(), frame,
                                       [](const Found& a, uint64_t b) { return a.frame < b; });
      if (at != found_.end() && at->frame == frame)
        return static_cast<uint32_t>(at - found_.begin());
    }
    return none;
  }

  uint64_t size_of(uint32_t i) const {
    const Mapping* mapping = find_mapping(target_.mappings(), found_[i].frame);
    const uint64_t size = most_size_of(i);
    return mapping == nullptr ? size : std::min(size, mapping->end - found_[i].frame);
  }

  uint64_t most_size_of(uint32_t i) const {
    const HeapBlock& block = blocks_[i];
    const uint64_t frame = found_[i].frame;
    if (found_[i].is_elided) {
      const uint64_t next = i + 1 < found_.size() ? found_[i + 1].frame : UINT64_MAX;
      const uint64_t end = block.end == 0 ? frame + default_size : block.end;
      return std::min({next, end, frame + largest}) - frame;
    }
    const bool is_own = block.begin == frame && has_own_blocks(found_[i].pair);
    return std::min(is_own ? block.end - block.begin : sizes_[found_[i].pair], largest);
  }

  bool is_freed(uint32_t i) const { return blocks_[i].is_freed(); }
  // Whether the frame is a block that is in use, as those of its function are.
  bool is_own_block(uint32_t i) const {
    return blocks_[i].is_used() && blocks_[i].begin == found_[i].frame &&
           has_own_blocks(found_[i].pair) && !is_pooled_[i];
  }
  // Whether the block is so much larger than the frames of its function that the program's own
  // allocator may have it, and keep it after the frame was destroyed. g++ marks what is destroyed.
  bool is_pooled(uint32_t i) {
    const HeapBlock& block = blocks_[i];
    if (is_gcc(found_[i].pair) || found_[i].is_elided || !block.is_used() ||
        block.begin != found_[i].frame)
      return false;
    // Allocators have blocks of certain sizes, a fifth apart; large ones end with a page.
    constexpr uint64_t large = 1 << 16;
    const uint64_t size = block.end - block.begin;
    const auto most = [&](uint64_t frame) {
      return frame + std::max<uint64_t>(64, frame / 4) + (size >= large ? 4096 : 0);
    };
    const uint64_t least = program_.least_frame_size(found_[i].pair);
    if (size <= most(least)) return false;
    // Where operator new is not called with a number, it is the program's own.
    constexpr uint64_t most_unused = 512;
    const uint64_t exact = program_.frame_size(found_[i].pair).exact;
    return size > (exact != 0 ? most(exact) : most(least) + most_unused);
  }
  // Whether the program's allocators are known, and what they have for the frame, if anything.
  bool is_judged(uint32_t i) const {
    return !heaps_.empty() && blocks_[i].state != HeapBlock::State::Unknown;
  }

  // ---- the result ----

  void find_place(SuspendedCoroutine& one) {
    if (one.point == SuspendedCoroutine::unknown || one.state == State::Final) return;
    set_place(one);
    if (is_gcc(one.function) || one.state == State::Runs) return;
    one.state = initial_places_.contains(one.place) ? State::NotStarted
                : one.point != 0 || one.place != 0  ? State::Waits
                                                    : State::Unknown;
  }

  void set_place(SuspendedCoroutine& out) {
    const auto [at, is_new] = place_of_point_.try_emplace({out.function, out.point}, 0);
    if (is_new) at->second = place_of(out.function, out.point);
    out.place = at->second;
  }

  // Instead of where they last waited.
  void set_running_places(SuspendedCoroutines& out) {
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> places;  // by function and instruction
    for (SuspendedCoroutine& one : out.coroutines) {
      if (one.state != State::Runs) continue;
      const uint64_t pc = runs_.at(one.frame).pc;
      const auto [at, is_new] = places.try_emplace({one.function, pc}, one.place);
      if (is_new)
        if (std::optional<LinePlace> place = program_.place_of_code(one.function, pc)) {
          at->second = static_cast<uint32_t>(out.places.size());
          out.places.push_back(
              {.file = std::move(place->file), .line = place->line, .is_running = true});
        }
      one.place = at->second;
    }
  }

  uint32_t place_of(uint32_t pair, uint32_t point) {
    Suspension found = program_.suspension(pair, point);
    if (!found.place && found.awaiter.empty()) return 0;
    places_.push_back({.file = found.place ? std::move(found.place->file) : "",
                       .line = found.place ? found.place->line : 0,
                       .awaiter = std::move(found.awaiter),
                       .is_yield = found.is_yield});
    const auto number = static_cast<uint32_t>(places_.size() - 1);
    if (found.is_initial) initial_places_.insert(number);
    return number;
  }

  SuspendedCoroutine describe(uint32_t i) {
    const Found& one = found_[i];
    const CoroutineProgram::Pair& pair = program_.pairs()[one.pair];
    SuspendedCoroutine out{
        .frame = one.frame, .function = one.pair, .size = static_cast<uint32_t>(size_of(i))};
    // g++ marks its remains.
    out.is_certain = is_own_block(i) && (!blocks_[i].keeps_remains || is_gcc(one.pair));
    out.is_elided = one.is_elided;
    if (one.is_final) {
      out.state = State::Final;
      uint16_t value = 0;
      if (pair.index && memory_.read(one.frame + pair.index->offset, &value, pair.index->size))
        out.point = value;
      return out;
    }
    if (const std::optional<ResumeIndex> index = program_.index_of(one.pair)) {
      uint16_t value = 0;  // little-endian, as the target
      if (memory_.read(one.frame + index->offset, &value, index->size)) {
        out.point = value;
        if (pair.function.compiler == CoroutineFunction::Compiler::Gcc)
          out.state = value == first_point_of_gcc ? State::NotStarted : State::Waits;
      }
    }
    if (const auto run = runs_.find(one.frame); run != runs_.end()) {
      out.state = State::Runs;
      out.thread = static_cast<uint32_t>(run->second.thread);
    }
    return out;
  }

  // Whether a frame is the remains of one, by what it contains.
  bool is_destroyed(uint32_t i, const SuspendedCoroutine& one) {
    const CoroutineProgram::Pair& pair = program_.pairs()[one.function];
    // g++ sets the lowest bit of the number when a frame is destroyed.
    if (is_gcc(one.function) && one.point != SuspendedCoroutine::unknown && one.point % 2 == 1)
      return true;
    if (is_own_block(i)) return false;
    if (const auto place = place_on_stack(i);
        place && (place->is_dead || (found_[i].is_elided && is_in_red_zone(i, *place))))
      return true;
    // A part of a bigger block, a stack or a variable: a copy of what was there once, unless the
    // program's own allocator keeps it there. Of one that has ended, two words are no evidence.
    if (found_[i].is_elided)
      return !is_in_frame(i) || (one.state == State::Final && !one.is_certain);
    const bool has_ended = one.state == State::Final && !is_gcc(one.function);
    // One that is a whole block is left to what refers to it: remains of its function in bigger
    // blocks may outnumber those in use.
    const bool is_block = blocks_[i].is_used() && blocks_[i].begin == one.frame && !pair.is_guess();
    const bool is_unknown = blocks_[i].state == HeapBlock::State::Unknown && !pair.is_guess();
    // The number where one of clang's has ended is no evidence.
    if ((is_block || is_unknown) && !is_gcc(one.function)) return false;
    if (is_judged(i) && !is_block &&
        (has_ended || has_own_blocks(one.function) || pair.is_guess()))
      return true;
    if (one.point == SuspendedCoroutine::unknown) return false;
    return one.state == State::Final ? !program_.may_end_at(one.function, one.point)
                                     : !program_.has_point(one.function, one.point);
  }

  // Nothing: it is on no stack.
  std::optional<StackPlaces::Place> place_on_stack(uint32_t i) const {
    if (blocks_[i].is_used() && blocks_[i].end > found_[i].frame) return {};
    return stack_places_.find(found_[i].frame);
  }

  // Below the stack pointer of a function that does not use it: a system call, usually. Another
  // function has left it there.
  bool is_in_red_zone(uint32_t i, const StackPlaces::Place& place) {
    return place.is_innermost && found_[i].frame < place.sp &&
           !program_.is_used_later(found_[i].pair, found_[i].frame, place.pc, place.sp, true);
  }

  // Of a frame that is on the stack of a function.
  void find_caller(uint32_t i, SuspendedCoroutine& one) {
    const auto place = place_on_stack(i);
    const bool is_guess = program_.pairs()[one.function].is_guess();
    if ((!one.is_elided && !is_guess) || !place || place->is_dead) return;
    one.is_certain = program_.is_used_later(one.function, one.frame, place->pc, place->sp,
                                            place->is_innermost);
    if (is_guess && !one.is_certain) return;
    one.is_elided = found_[i].is_elided = true;
    const auto [at, is_new] = caller_at_.try_emplace({place->thread, place->sp}, none);
    if (is_new)
      if (std::string name = program_.function_at(place->pc, place->is_innermost); !name.empty()) {
        at->second = static_cast<uint32_t>(callers_.size());
        callers_.push_back({.function = short_function_name(with_lambdas_of_signatures(std::move(name))),
                            .thread = place->thread});
      }
    one.caller = at->second;
  }

  // Whether what was left out may be a coroutine all the same: its functions have no names, and it is
  // a part of something bigger, but the number in it is that of a place where the coroutine waits.
  bool may_be_one(uint32_t i, const SuspendedCoroutine& one) {
    if (!program_.pairs()[one.function].is_guess() || one.point == SuspendedCoroutine::unknown ||
        one.state == State::Final)
      return false;
    const auto place = place_on_stack(i);
    return !(place && place->is_dead) && program_.has_point(one.function, one.point);
  }

  // Whether the block that an elided frame is in, if glibc has one, begins with a frame.
  bool is_in_frame(uint32_t i) const {
    const HeapBlock& block = blocks_[i];
    if (block.begin == 0) return true;
    const uint32_t outer = frame_at(block.begin);
    return block.is_used() && outer != none && found_[outer].frame == block.begin &&
           !found_[outer].is_final;
  }

  // Judges frames that may be remains: something that is in use refers to one that is not. `kept`
  // are the numbers of the coroutines in found_.
  void judge_by_references(std::vector<uint32_t>& kept, std::vector<SuspendedCoroutine>& all) {
    std::vector<FrameExtent> doubtful;
    for (size_t i = 0; i < all.size(); i++)
      if (!all[i].is_certain && !all[i].is_elided)
        doubtful.push_back({all[i].frame, end_of(kept[i])});
    if (doubtful.empty()) return;
    if (is_sample_) return leave_out_ended(kept, all);
    const std::vector<bool> referred =
        find_referred(target_, doubtful, heaps_, remains(kept));
    size_t next = 0;
    size_t left = 0;
    for (size_t i = 0; i < all.size(); i++) {
      SuspendedCoroutine one = all[i];
      if (!one.is_certain && !one.is_elided) {
        const bool is_referred = referred[next++];
        const bool is_own = is_own_block(kept[i]);
        // g++'s number tells the remains of a frame under any allocator.
        one.is_certain =
            is_referred && (is_own || (one.state != State::Final && is_gcc(one.function)));
        // A register may have the only reference.
        if (!is_referred && !is_own &&
            (is_judged(kept[i]) || one.state == State::Final || !is_gcc(one.function))) {
          if (one.state != State::Final && !place_on_stack(kept[i])) unreferred_++;
          continue;
        }
      }
      kept[left] = kept[i];
      all[left++] = one;
    }
    kept.resize(left);
    all.resize(left);
  }

  // Of a sample. What refers to a frame is not known, and two words are no evidence for one that has
  // ended.
  static void leave_out_ended(std::vector<uint32_t>& kept, std::vector<SuspendedCoroutine>& all) {
    size_t left = 0;
    for (size_t i = 0; i < all.size(); i++) {
      if (all[i].state == State::Final) continue;
      kept[left] = kept[i];
      all[left++] = all[i];
    }
    kept.resize(left);
    all.resize(left);
  }

  bool is_gcc(uint32_t pair) const {
    return program_.pairs()[pair].function.compiler == CoroutineFunction::Compiler::Gcc;
  }

  // Where what is certainly the frame's ends: what is behind it may be a variable with its handle.
  uint64_t end_of(uint32_t i) const {
    const FrameSize& known = frame_sizes_[found_[i].pair];
    uint64_t size = size_of(i);
    if (!is_own_block(i) && known.exact == 0 && known.least != 0) size = std::min(size, known.least);
    const uint64_t end = found_[i].frame + size;
    return blocks_[i].end == 0 ? end : std::min(end, std::max(blocks_[i].end, found_[i].frame));
  }

  // What looks like frames and is not kept: references from there do not count, nor those from
  // freed blocks, which are no part of it.
  std::vector<FrameExtent> remains(const std::vector<uint32_t>& kept) const {
    std::vector<FrameExtent> found;
    for (uint32_t i = 0, at = 0; i < found_.size(); i++) {
      if (at < kept.size() && kept[at] == i)
        at++;
      else if (!found_[i].is_elided && !is_freed(i))
        found.push_back({found_[i].frame, end_of(i)});
    }
    return found;
  }

  Result<SuspendedCoroutines> result() {
    find_running();
    SuspendedCoroutines out;
    std::vector<uint32_t> kept;
    out.coroutines.reserve(found_.size());
    for (uint32_t i = 0; i < found_.size(); i++) {
      if (is_freed(i)) continue;
      SuspendedCoroutine one = describe(i);
      find_caller(i, one);
      if (is_destroyed(i, one)) {
        if (may_be_one(i, one)) unjudged_++;
        continue;
      }
      kept.push_back(i);
      out.coroutines.push_back(one);
    }
    judge_by_references(kept, out.coroutines);
    out.freed = found_.size() - kept.size();
    found_ = std::vector<Found>();  // from here on, the memory is for what is kept
    blocks_ = std::vector<HeapBlock>();
    kept = std::vector<uint32_t>();
    for (const CoroutineProgram::Pair& pair : program_.pairs()) {
      std::string full = program_.name_of(pair);
      SuspendedCoroutines::Function function{
          .name = short_function_name(with_lambdas_of_signatures(full)),
          .module = program_.module_of(pair),
          .is_internal = is_spawn_entry(full) || is_result_wrapper(full) || is_adapter(full),
          .operation = started_operation(full)};
      function.full_name = std::move(full);
      out.functions.push_back(std::move(function));
    }
    const Adapters adapters(memory_, out);
    Continuations continuations(memory_, out.coroutines, program_, adapters.waiters());
    continuations.guess(out);
    find_objects(out);
    if (options_.variables) find_variables(out);
    const Waiters waiters(target_, memory_, out.coroutines, may_wait(out), adapters.waiters());
    const AsioGroups groups = find_asio_groups(memory_, waiters, out, heaps_);
    std::vector<bool> unreferenced;
    if (options_.references && !is_sample_)
      unreferenced = find_unreferenced(target_, out.coroutines, heaps_, unused_);
    for (size_t i = 0; i < unreferenced.size(); i++)
      out.coroutines[i].is_unreferenced = unreferenced[i];
    if (options_.after) options_.after(out);
    for (SuspendedCoroutine& one : out.coroutines) {
      find_place(one);
      // One of them has, and it is not known which.
      if (one.state == State::NotStarted && unknown_runs_.contains(one.function))
        one.state = State::Unknown;
    }
    out.places = std::move(places_);
    out.callers = std::move(callers_);
    continuations.decide(out);
    doubt_own_allocators(out);
    for (const AsioGroups::Spawn& one : groups.spawns)
      if (out.coroutines[one.operation].awaits == none)
        out.coroutines[one.operation].awaits = one.entry;
    AwaitedObjects awaited(out, waiters, program_);
    awaited.find();
    awaited.add_groups(groups.joins);
    const uint64_t unknown = SimilarWaits(out, waiters, awaited, program_).find();
    find_deadlines(out, waiters, program_, options_.now);
    adapters.add_executors(memory_, out);
    connect_when_any(out, waiters);
    set_joined(out);
    LockHolders(out, waiters, awaited, program_).find();
    continuations.find_other_wakers(out);
    remove_changing_cycles(out, waiters, target_, program_,
                           {.closers = awaited.cycle_closers(),
                            .guessed = awaited.guessed(),
                            .goes_on = options_.now.steady.has_value()});
    set_running_places(out);
    if (unknown != 0)
      warnings_.push_back("what " + counted(unknown, "coroutine") +
                          (unknown == 1 ? " waits" : " wait") +
                          " for was not looked up: it has too many of them");
    out.read = read_;
    out.memory = memory_size_;
    program_.keep_lines();
    out.warnings = program_.warnings();
    out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
    if (unjudged_ != 0)
      out.warnings.push_back(
          (unjudged_ == 1 ? "1 frame of what may be a coroutine is"
                          : grouped(unjudged_) + " frames of what may be coroutines are") +
          std::string(" left out: without symbols, nothing shows that the program's own allocator or a "
                      "stack has them in use"));
    if (unreferred_ != 0)
      out.warnings.push_back(
          (unreferred_ == 1 ? "1 frame that nothing refers to is"
                            : grouped(unreferred_) + " frames that nothing refers to are") +
          std::string(
              " left out: in the program's own allocator, coroutines that nothing can resume "
              "look like the remains of some that have ended"));
    if (!is_sample_ && std::any_of(out.coroutines.begin(), out.coroutines.end(),
                                   [](const SuspendedCoroutine& one) { return !one.is_certain; }))
      out.warnings.push_back(
          "uncertain coroutines may be the remains of some that have ended: their memory is "
          "part of a stack, or of an allocator that skein does not know");
    if (is_sample_)
      out.warnings.push_back("it has written " + size_text(memory_size_) + ", of which " +
                             size_text(read_) +
                             " were read, the biggest mappings in evenly spread parts: "
                             "coroutines are missing, and chains may be shorter than they are");
    return out;
  }

  // A block that glibc has in use may be one that the program's own allocator keeps, with what is
  // left of a frame: clang does not mark what is destroyed. Those of these libraries are known.
  void doubt_own_allocators(SuspendedCoroutines& out) {
    std::vector<int8_t> has_own(program_.pairs().size(), -1);
    for (SuspendedCoroutine& one : out.coroutines) {
      if (is_gcc(one.function) || !one.is_certain || one.is_elided) continue;
      int8_t& known = has_own[one.function];
      if (known < 0) {
        const FrameLayout& layout = program_.layout(one.function);
        const std::string promise = layout.promise ? layout.promise->name : "";
        const bool is_known = promise.starts_with("boost::asio::") ||
                              promise.starts_with("asio::") || promise.starts_with("folly::");
        known = layout.has_allocator && !is_known ? 1 : 0;
      }
      if (known != 0) one.is_certain = false;
    }
  }

  // What operations of Asio wait for: the frame of the coroutine that has started one has the
  // address of the timer or socket. Frames of the program have addresses of other ones as well.
  void find_objects(SuspendedCoroutines& out) {
    constexpr size_t most = 64;  // words of a frame
    AsioObjects objects(target_, memory_);
    for (SuspendedCoroutine& one : out.coroutines) {
      if (!may_wait_for_object(out, one)) continue;
      words_.resize(std::min<size_t>(most, one.size / 8));
      if (words_.size() < 2 || !memory_.read(one.frame, words_.data(), words_.size() * 8)) continue;
      if (auto object = objects.find(std::span(words_).subspan(2))) {
        one.object = static_cast<uint32_t>(out.objects.size());
        out.objects.push_back(*object);
      }
    }
  }

  void find_variables(SuspendedCoroutines& out) {
    constexpr size_t most = 10'000;
    const auto memory = [this](uint64_t address, std::span<uint8_t> to) {
      return memory_.read(address, to.data(), to.size()) ? to.size() : target_.read(address, to);
    };
    out.variables.resize(std::min(most, out.coroutines.size()));
    for (size_t i = 0; i < out.variables.size(); i++) {
      const SuspendedCoroutine& one = out.coroutines[i];
      if (one.state == State::Final) continue;
      const auto point = one.point == SuspendedCoroutine::unknown ? std::nullopt
                                                                  : std::optional(one.point);
      out.variables[i] = program_.variables(one.function, one.frame, point, memory);
    }
  }

  // By coroutine, whether it may wait for an object that is not Asio's.
  static std::vector<bool> may_wait(const SuspendedCoroutines& out) {
    std::vector<bool> may;
    may.reserve(out.coroutines.size());
    for (const SuspendedCoroutine& one : out.coroutines) {
      const SuspendedCoroutines::Function& function = out.functions[one.function];
      may.push_back((one.state == State::Waits || one.state == State::Unknown) &&
                    one.awaits == none && one.object == none && !function.is_internal &&
                    function.operation.empty());
    }
    return may;
  }

  // An operation of Asio; without names any coroutine that waits for no other may be one.
  bool may_wait_for_object(const SuspendedCoroutines& out, const SuspendedCoroutine& one) const {
    if (one.state == State::Final || one.state == State::NotStarted || one.state == State::Runs)
      return false;
    if (program_.pairs()[one.function].function.name.empty()) return one.awaits == none;
    return !out.functions[one.function].operation.empty();
  }

  const Target& target_;
  const SearchOptions& options_;
  MemoryCache memory_;
  CoroutineProgram program_;
  StackPlaces stack_places_;
  std::vector<SuspendedCoroutines::Place> places_ = {{}};
  std::vector<SuspendedCoroutines::Caller> callers_ = {};
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> caller_at_ = {};  // by thread and place
  std::set<uint32_t> initial_places_ = {};  // where coroutines have not started
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> place_of_point_ = {};  // by function and point
  std::vector<uint64_t> buffer_ = {};  // the last word of the part before, and a part
  uint64_t last_end_ = 0;              // of the part before
  std::vector<uint64_t> words_ = {};
  std::vector<Found> found_ = {};
  std::vector<HeapBlock> blocks_ = {};      // of found_
  std::vector<bool> is_pooled_ = {};        // of found_
  std::vector<uint64_t> sizes_ = {};        // of frames, at most; by pair
  std::vector<FrameSize> frame_sizes_ = {};  // by pair, of those that have frames inside of blocks
  std::vector<int64_t> own_blocks_ = {};    // by pair, minus those inside of bigger ones
  std::vector<uint32_t> only_frames_ = {};  // by pair
  struct Run {
    uint64_t thread = 0;
    uint64_t pc = 0;  // in the coroutine's function
  };
  std::map<uint64_t, Run> runs_ = {};  // by frame
  std::set<uint32_t> unknown_runs_ = {};  // functions of which a thread runs one
  std::vector<UnusedStack> unused_ = {};
  std::vector<std::unique_ptr<Heap>> heaps_ = {};
  uint64_t read_ = 0;
  uint64_t unjudged_ = 0;  // left out, and perhaps coroutines
  uint64_t unreferred_ = 0;   // the same, as nothing refers to them
  uint64_t memory_size_ = 0;  // bytes that may have been written
  bool is_sample_ = false;    // only some of them are read
  std::vector<std::string> warnings_ = {};
};

}  // namespace

Result<SuspendedCoroutines> find_suspended(const Target& target, const SearchOptions& options) {
  return Search(target, options).run();
}

}  // namespace skein
