#include "frames/suspended.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/disk_files.h"
#include "base/function_name.h"
#include "frames/asio_functions.h"
#include "frames/call_stack.h"
#include "frames/coroutine_functions.h"
#include "frames/glibc_heap.h"
#include "frames/memory_cache.h"
#include "frames/resume_index.h"
#include "frames/suspension_place.h"
#include "symbol/debug_file.h"
#include "symbol/lines.h"
#include "target/elf.h"

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t none = SuspendedCoroutine::none;
constexpr uint64_t header = 16;         // of a frame: two addresses; then the promise
constexpr uint64_t default_size = 512;  // of a frame, if unknown
constexpr uint64_t largest = 1 << 16;   // bytes of a frame that are searched

// A file that the target has mapped, with coroutines.
struct Module {
  Contents contents = {};
  std::string path = {};
  uint64_t bias = 0;  // added to its addresses
  ElfHeader elf = {};
  DebugFile debug = {};       // with the symbols that `contents` lacks
  DebugFile lines_file = {};  // with the lines that both lack
  Functions functions = {};
  std::optional<Lines> lines = {};
  bool has_looked_for_lines = false;
};

// A pair of functions, at the target's addresses.
struct Pair {
  CoroutineFunction function = {};
  size_t module = 0;
  std::optional<ResumeIndex> index = {};
  bool has_looked_for_index = false;
};

struct Found {
  uint64_t frame = 0;
  uint32_t pair = 0;
  bool is_final = false;
};

class Search {
 public:
  explicit Search(const Target& target) : target_(target), memory_(target) {}

  Result<SuspendedCoroutines> run() {
    for (const Mapping& mapping : target_.mappings())
      if (mapping.has_file()) add_module(mapping);
    if (pairs_.empty())
      return Error{.what = "no functions of coroutines in its files",
                   .file = target_.name(),
                   .advice = warnings_.empty() ? "" : warnings_.front()};
    for (const Mapping& mapping : target_.mappings())
      if (mapping.readable && mapping.writable) scan(mapping);
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.frame < b.frame; });
    read_blocks();
    return result();
  }

 private:
  // ---- the functions of the target's files ----

  void add_module(const Mapping& mapping) {
    if (!seen_.insert(mapping.file).second) return;
    Result<Contents> contents = target_.file_of(mapping);
    if (!contents) {
      warnings_.push_back(contents.error().message());
      return;
    }
    const Result<ElfHeader> elf = read_elf_header(contents->bytes(), mapping.file);
    if (!elf) return;
    const std::optional<uint64_t> bias = bias_of(*elf, mapping);
    Result<Functions> functions = Functions::read(contents->bytes(), mapping.file);
    if (!bias || !functions) return;
    DebugFile debug;
    if (!functions->is_complete()) {
      DebugFileSearch search = find_debug_file(contents->bytes(), mapping.file, DebugPart::Symbols,
                                               debug_places_, files_);
      if (search.found) debug = std::move(*search.found);
      if (Result<Functions> all = Functions::read(debug.contents.bytes(), debug.path))
        functions = std::move(*all);
      if (!search.found && (is_program(mapping.file) || !search.rejected.empty()))
        warnings_.push_back(search.what_is_missing(mapping.file, DebugPart::Symbols));
    }
    const std::vector<CoroutineFunction> coroutines = find_coroutine_functions(*functions);
    for (const CoroutineFunction& one : coroutines) add_pair(one, *bias, *elf, contents->bytes());
    if (coroutines.empty()) return;
    modules_.push_back({.contents = std::move(*contents),
                        .path = mapping.file,
                        .bias = *bias,
                        .elf = *elf,
                        .debug = std::move(debug),
                        .functions = std::move(*functions)});
  }

  // The program itself: the first file.
  bool is_program(const std::string& file) const {
    for (const Mapping& mapping : target_.mappings())
      if (mapping.has_file()) return mapping.file == file;
    return false;
  }

  void add_pair(const CoroutineFunction& function, uint64_t bias, const ElfHeader& elf,
                std::span<const uint8_t> file) {
    Pair pair{.function = function, .module = modules_.size()};
    constexpr uint64_t first = 128;  // bytes of a function
    if (elf.architecture == Architecture::X86_64)
      pair.index = function.compiler == CoroutineFunction::Compiler::Gcc
                       ? index_in_destroy(code_at(elf, file, function.destroy, first))
                       : index_in_resume(code_at(elf, file, function.resume, first));
    for (uint64_t* address : {&pair.function.resume, &pair.function.end, &pair.function.destroy,
                              &pair.function.cleanup})
      if (*address != 0) *address += bias;
    const auto number = static_cast<uint32_t>(pairs_.size());
    for (const uint64_t address : {pair.function.destroy, pair.function.cleanup}) {
      if (address == 0) continue;
      by_destroy_.emplace(address, number);
      lowest_ = std::min(lowest_, address);
      highest_ = std::max(highest_, address);
    }
    pairs_.push_back(std::move(pair));
  }

  static std::span<const uint8_t> code_at(const ElfHeader& elf, std::span<const uint8_t> file,
                                          uint64_t address, uint64_t size) {
    for (const ElfSegment& segment : elf.segments) {
      if (segment.type != 1 || address < segment.address ||
          address - segment.address >= segment.file_size)
        continue;
      const uint64_t offset = segment.offset + (address - segment.address);
      if (offset >= file.size()) return {};
      const uint64_t left =
          std::min(file.size() - offset, segment.file_size - (address - segment.address));
      return file.subspan(offset, std::min(size, left));
    }
    return {};
  }

  // ---- frames ----

  void scan(const Mapping& mapping) {
    constexpr uint64_t step = uint64_t{4} << 20;
    buffer_.resize(step / 8 + 1);
    for (uint64_t at = mapping.begin; at < mapping.end; at += step) {
      const uint64_t size = std::min(step + 8, mapping.end - at);
      const auto bytes = std::span(reinterpret_cast<uint8_t*>(buffer_.data()), size);  // NOLINT
      const size_t words = target_.read(at, bytes) / 8;
      read_ += std::min<uint64_t>(step, 8 * words);
      for (size_t i = 1; i < words; i++) {
        if (buffer_[i] - lowest_ > highest_ - lowest_) continue;
        const auto pair = by_destroy_.find(buffer_[i]);
        if (pair == by_destroy_.end()) continue;
        const uint64_t resume = buffer_[i - 1];
        if (resume != 0 && resume != pairs_[pair->second].function.resume) continue;
        found_.push_back(
            {.frame = at + 8 * (i - 1), .pair = pair->second, .is_final = resume == 0});
      }
    }
  }

  void read_blocks() {
    std::vector<uint64_t> frames;
    frames.reserve(found_.size());
    for (const Found& one : found_) frames.push_back(one.frame);
    blocks_.resize(found_.size());
    const std::vector<HeapRegion> heaps = find_heaps(target_, memory_);
    has_glibc_heap_ = !heaps.empty();
    for (const HeapRegion& heap : heaps)
      if (!find_blocks(memory_, heap, frames, blocks_))
        warnings_.push_back(
            "the heap is damaged, or changed while it was read: frames that were "
            "destroyed may be shown");
    for (size_t i = 0; i < found_.size(); i++)
      if (blocks_[i].begin == 0) blocks_[i] = mapped_block(found_[i].frame);
  }

  // A big block that glibc has mapped for itself: it begins at a page, behind a header.
  HeapBlock mapped_block(uint64_t frame) {
    constexpr uint64_t page = 4096;
    if (!has_glibc_heap_ || frame % page != header) return {};
    const uint64_t size = memory_.word(frame - 8);
    const bool is_mapped = (size & 7) == 2;
    if (!is_mapped || size < page || size > uint64_t{1} << 40) return {};
    return {.begin = frame, .end = frame + (size & ~uint64_t{7}) - header, .is_used = true};
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
      for (size_t i = 0; i < stack.calls.size(); i++)
        if (const uint32_t pair = pair_of_code(stack.calls[i].pc); pair != none)
          if (const uint32_t frame = frame_of(std::span(stack.calls).subspan(i), pair);
              frame != none)
            runs_.emplace(frame, thread.id);
      if (!stack.is_complete)
        warnings_.push_back("the stack of thread " + std::to_string(thread.id) +
                            " could not be read to its end: a coroutine that it runs may be "
                            "shown where it last waited");
    }
  }

  // The frame of a coroutine of this function that the first call has. If it is in a register that
  // is not known, a caller has it, too, as the handle that it resumes.
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

  // The only frame of this function, or `none`.
  uint32_t only_frame_of(uint32_t pair) {
    constexpr uint32_t several = none - 1;
    if (only_frames_.empty()) {
      only_frames_.assign(pairs_.size(), none);
      for (uint32_t i = 0; i < found_.size(); i++) {
        uint32_t& only = only_frames_[found_[i].pair];
        if (!is_freed(i)) only = only == none ? i : several;
      }
    }
    return only_frames_[pair] == several ? none : only_frames_[pair];
  }

  uint32_t pair_of_code(uint64_t address) const {
    if (by_code_.empty()) return none;
    auto at = by_code_.upper_bound(address);
    if (at == by_code_.begin()) return none;
    --at;
    return address < pairs_[at->second].function.end ? at->second : none;
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
    const HeapBlock& block = blocks_[i];
    const uint64_t size = block.begin == found_[i].frame ? block.end - block.begin : default_size;
    return std::min(size, largest);
  }

  // A coroutine awaits another if its frame has the other's handle, and the other's promise has its
  // own. The place in the promise must be before that in the frame.
  uint32_t awaited_by(uint32_t i) {
    const uint64_t frame = found_[i].frame;
    words_.resize(size_of(i) / 8);
    if (found_.empty() || !memory_.read(frame, words_.data(), words_.size() * 8)) return none;
    const uint64_t first = found_.front().frame;
    const uint64_t range = found_.back().frame + header - first;
    for (size_t at = 2; at < words_.size(); at++) {
      if (words_[at] - first > range) continue;
      const uint32_t other = frame_at(words_[at]);
      if (other == none || other == i || is_freed(other)) continue;
      uint64_t promise[24];
      const size_t count = std::min<size_t>(std::size(promise), at);
      if (!memory_.read(found_[other].frame, promise, count * 8)) continue;
      for (size_t k = 2; k < count; k++)
        if (promise[k] == frame || promise[k] == frame + header) return other;
    }
    return none;
  }

  bool is_freed(uint32_t i) const { return blocks_[i].begin != 0 && !blocks_[i].is_used; }

  // ---- the result ----

  // Null: it has no debug information.
  const Lines* lines_of(Module& module) {
    if (!module.has_looked_for_lines) {
      module.has_looked_for_lines = true;
      read_lines(module);
    }
    return module.lines ? &*module.lines : nullptr;
  }

  // From the file itself, from that with its symbols, or from another debug file.
  void read_lines(Module& module) {
    for (const auto& [bytes, path] :
         {std::pair(module.contents.bytes(), module.path),
          std::pair(module.debug.contents.bytes(), module.debug.path)})
      if (Result<Lines> lines = Lines::read(bytes, path, debug_places_, files_, symbol_cache_)) {
        module.lines = std::move(*lines);
        return;
      }
    DebugFileSearch search = find_debug_file(module.contents.bytes(), module.path,
                                             DebugPart::Information, debug_places_, files_);
    if (!search.found) {
      warnings_.push_back(search.what_is_missing(module.path, DebugPart::Information));
      return;
    }
    module.lines_file = std::move(*search.found);
    Result<Lines> lines = Lines::read(module.lines_file.contents.bytes(), module.lines_file.path,
                                      debug_places_, files_, symbol_cache_);
    if (lines)
      module.lines = std::move(*lines);
    else
      warnings_.push_back(lines.error().message());
  }

  // Without optimisation, clang computes the address of the number.
  void find_index(Pair& pair) {
    pair.has_looked_for_index = true;
    Module& module = modules_[pair.module];
    const Lines* lines = lines_of(module);
    if (pair.function.compiler != CoroutineFunction::Compiler::Clang || lines == nullptr) return;
    const auto offset =
        lines->member_offset(pair.function.resume - module.bias, "__coro_frame", "__coro_index");
    if (offset) pair.index = ResumeIndex{.offset = *offset, .size = 1};
  }

  void set_place(const Pair& pair, SuspendedCoroutine& out) {
    const auto [at, is_new] = place_of_point_.try_emplace({out.function, out.point}, 0);
    if (is_new) at->second = find_place(pair, out.point);
    out.place = at->second;
  }

  uint32_t find_place(const Pair& pair, uint32_t point) {
    Module& module = modules_[pair.module];
    const Lines* lines = lines_of(module);
    const CoroutineFunction& function = pair.function;
    const uint64_t address = function.resume - module.bias;
    const Code code{.address = address,
                    .bytes = code_at(module.elf, module.contents.bytes(), address,
                                     function.end - function.resume)};
    Suspension found = find_suspension(code, function.compiler, pair.index->offset, point,
                                       module.functions, lines);
    if (!found.place && found.awaiter.empty()) return 0;
    places_.push_back({.file = found.place ? std::move(found.place->file) : "",
                       .line = found.place ? found.place->line : 0,
                       .awaiter = std::move(found.awaiter)});
    return static_cast<uint32_t>(places_.size() - 1);
  }

  SuspendedCoroutine describe(uint32_t i) {
    const Found& one = found_[i];
    Pair& pair = pairs_[one.pair];
    SuspendedCoroutine out{.frame = one.frame, .function = one.pair};
    out.is_certain = blocks_[i].begin == one.frame;
    if (one.is_final) {
      out.state = State::Final;
      uint16_t value = 0;
      if (pair.index && memory_.read(one.frame + pair.index->offset, &value, pair.index->size))
        out.point = value;
      return out;
    }
    if (!pair.index && !pair.has_looked_for_index) find_index(pair);
    if (pair.index) {
      uint16_t value = 0;  // little-endian, as the target
      if (memory_.read(one.frame + pair.index->offset, &value, pair.index->size)) {
        out.point = value;
        if (pair.function.compiler == CoroutineFunction::Compiler::Gcc)
          out.state = value == first_point_of_gcc ? State::NotStarted : State::Waits;
        set_place(pair, out);
        // clang's 0 is the initial suspension, unless that never suspends.
        if (pair.function.compiler == CoroutineFunction::Compiler::Clang &&
            (value != 0 || out.place != 0))
          out.state = State::Waits;
      }
    }
    if (const auto run = runs_.find(i); run != runs_.end()) {
      out.state = State::Runs;
      out.thread = run->second;
    }
    return out;
  }

  Result<SuspendedCoroutines> result() {
    for (uint32_t i = 0; i < pairs_.size(); i++) by_code_.emplace(pairs_[i].function.resume, i);
    find_running();
    SuspendedCoroutines out;
    std::vector<uint32_t> renumbered(found_.size(), none);
    for (uint32_t i = 0; i < found_.size(); i++) {
      if (is_freed(i)) {
        out.freed++;
        continue;
      }
      SuspendedCoroutine one = describe(i);
      // g++ sets the lowest bit of the number when a frame is destroyed.
      if (pairs_[one.function].function.compiler == CoroutineFunction::Compiler::Gcc &&
          one.point != SuspendedCoroutine::unknown && one.point % 2 == 1) {
        out.freed++;
        continue;
      }
      // A part of a bigger block, a stack or a variable: a copy of what was there once, unless the
      // program's own allocator keeps it there. Of one that has ended, two words are no evidence.
      if (has_glibc_heap_ && !one.is_certain && (one.state == State::Final || is_stale(i))) {
        out.freed++;
        continue;
      }
      renumbered[i] = static_cast<uint32_t>(out.coroutines.size());
      out.coroutines.push_back(one);
    }
    for (uint32_t i = 0; i < found_.size(); i++)
      if (renumbered[i] != none)
        if (const uint32_t other = awaited_by(i); other != none && renumbered[other] != none)
          out.coroutines[renumbered[i]].awaits = renumbered[other];
    for (const Pair& pair : pairs_) {
      std::string full = demangled(pair.function.name);
      SuspendedCoroutines::Function function{
          .name = short_function_name(with_lambdas_of_signatures(full)),
          .module = modules_[pair.module].path,
          .is_spawn_entry = is_spawn_entry(full),
          .operation = started_operation(full)};
      function.full_name = std::move(full);
      out.functions.push_back(std::move(function));
    }
    find_objects(out);
    out.places = std::move(places_);
    out.read = read_;
    for (const Module& module : modules_) {
      if (!module.lines) continue;
      for (std::string& warning : module.lines->warnings())
        warnings_.push_back(std::move(warning));
      (void)module.lines->save();  // without a cache, the next run takes as long
    }
    out.warnings = std::move(warnings_);
    return out;
  }

  // What operations of Asio wait for: the frame of the coroutine that has started one has the
  // address of the timer or socket. Frames of the program have addresses of other ones as well.
  void find_objects(SuspendedCoroutines& out) {
    constexpr size_t most = 64;  // words of a frame
    AsioObjects objects(target_, memory_);
    for (uint32_t i = 0, at = 0; i < found_.size(); i++) {
      if (at == out.coroutines.size()) break;
      SuspendedCoroutine& one = out.coroutines[at];
      if (one.frame != found_[i].frame) continue;
      at++;
      if (one.state != State::Waits || out.functions[one.function].operation.empty()) continue;
      words_.resize(std::min(most, size_of(i) / 8));
      if (words_.size() < 2 || !memory_.read(one.frame, words_.data(), words_.size() * 8)) continue;
      if (auto object = objects.find(std::span(words_).subspan(2))) {
        one.object = static_cast<uint32_t>(out.objects.size());
        out.objects.push_back(*object);
      }
    }
  }

  // Whether other frames of the same function are blocks of their own.
  bool is_stale(uint32_t i) {
    if (own_blocks_.empty() && !found_.empty()) {
      own_blocks_.resize(pairs_.size());
      for (uint32_t k = 0; k < found_.size(); k++)
        own_blocks_[found_[k].pair] += blocks_[k].is_used && blocks_[k].begin == found_[k].frame;
    }
    return own_blocks_[found_[i].pair] > 0;
  }

  const Target& target_;
  MemoryCache memory_;
  DiskFiles files_ = DiskFiles();
  SymbolCache symbol_cache_ = SymbolCache(SymbolCache::folder_of_this_user());
  DebugFilePlaces debug_places_ = DebugFilePlaces::of_this_user(target_.root());
  std::set<std::string> seen_ = {};
  std::vector<Module> modules_ = {};
  std::vector<Pair> pairs_ = {};
  std::unordered_map<uint64_t, uint32_t> by_destroy_ = {};
  std::map<uint64_t, uint32_t> by_code_ = {};  // pairs by `resume`
  uint64_t lowest_ = UINT64_MAX;
  uint64_t highest_ = 0;
  std::vector<SuspendedCoroutines::Place> places_ = {{}};
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> place_of_point_ = {};  // by function and point
  std::vector<uint64_t> buffer_ = {};
  std::vector<uint64_t> words_ = {};
  std::vector<Found> found_ = {};
  std::vector<HeapBlock> blocks_ = {};  // of found_
  std::vector<uint64_t> own_blocks_ = {};
  std::vector<uint32_t> only_frames_ = {};  // by pair
  std::map<uint32_t, uint64_t> runs_ = {};  // threads by coroutine
  bool has_glibc_heap_ = false;
  uint64_t read_ = 0;
  std::vector<std::string> warnings_ = {};
};

}  // namespace

Result<SuspendedCoroutines> find_suspended(const Target& target) { return Search(target).run(); }

}  // namespace skein
