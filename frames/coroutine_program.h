// The functions of a target's coroutines, from the files that it has mapped: what resumes and what
// destroys a frame, where a frame has the number of its suspension point, and the line of each.
//
//   CoroutineProgram program(target);
//   if (const auto pair = program.pair_of_destroy(word))
//   show(program.pairs()[*pair].function.name);
//
// The files stay mapped as long as the object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "frames/coroutine_functions.h"
#include "frames/final_resumption.h"
#include "frames/frame_addresses.h"
#include "frames/frame_size.h"
#include "frames/resume_index.h"
#include "frames/suspension_place.h"
#include "symbol/code_ranges.h"
#include "symbol/debug_file.h"
#include "symbol/frame_layout.h"
#include "symbol/frame_variables.h"
#include "symbol/lines.h"
#include "target/elf.h"
#include "target/target.h"

namespace skein {

class CoroutineProgram {
 public:
  // The functions of one coroutine, at the target's addresses.
  struct Pair {
    CoroutineFunction function = {};
    size_t module = 0;
    std::optional<ResumeIndex> index = {};
    bool has_looked_for_index = false;
    std::optional<std::vector<Store>> stores = {};  // in the code that resumes it
    std::optional<FrameAddresses> addresses = {};   // the same
    std::optional<FrameSize> size = {};
    std::optional<uint64_t> least_size = {};
    std::optional<FinalResumption> ending = {};
    bool is_prepared = false;
    uint64_t promise_size = 0;  // if it is prepared; 0: unknown
    PromiseUse promise_use = {};  // if it is prepared, and the size is unknown
    std::vector<uint32_t> yields = {};  // if it is prepared: points of a generator
    // Its functions may be something else. A frame has a block of the heap of its own.
    bool is_guess() const { return function.is_guess; }
  };

  // Reads the tables of symbols of all files. Warnings of files that cannot be read are kept.
  explicit CoroutineProgram(const Target& target);

  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::string& module_of(const Pair& pair) const { return modules_[pair.module].path; }
  // In the notation of the source; without symbols "server+0x2963", the address in the file.
  std::string name_of(const Pair& pair) const;

  // The pair whose function destroys a frame. O(1), and fast for words that are no such address.
  std::optional<uint32_t> pair_of_destroy(uint64_t address) const {
    if (address - lowest_ > highest_ - lowest_) return {};
    const auto pair = by_destroy_.find(address);
    return pair == by_destroy_.end() ? std::nullopt : std::optional(pair->second);
  }
  // The pair in whose resuming function an instruction is, or in the part that g++ has moved out of
  // that. O(log pairs).
  std::optional<uint32_t> pair_of_code(uint64_t address) const;
  // The same of any function of a pair, also the one that creates the frames or destroys them, and
  // parts that the compiler has split off. Without symbols, as pair_of_code(). O(log functions).
  std::optional<uint32_t> pair_around(uint64_t address) const;

  // Where the code that resumes a coroutine has its frame, before the instruction at `pc`. Nothing:
  // unknown. O(bytes of the function) at first.
  std::optional<FrameAddress> frame_address(uint32_t pair, uint64_t pc, bool is_return = false);
  // Looks up what is kept of a pair: later calls of frame_address() and index_of() take O(log
  // instructions), and promise_size is set. May read debug information. Another thread may call
  // these two for other pairs, and pair_of_code() and pair_of_destroy(), at the same time.
  void prepare(uint32_t pair);
  // After prepare(), when no other thread is in a call.
  void set_prepared(uint32_t pair) { pairs_[pair].is_prepared = true; }
  bool is_prepared(uint32_t pair) const { return pairs_[pair].is_prepared; }
  // Whether it goes on at this point because a value is wanted: at its beginning or a co_yield.
  // False: unknown. Precondition: is_prepared(). O(points).
  bool is_at_yield(uint32_t pair, uint32_t point) const {
    return std::find(pairs_[pair].yields.begin(), pairs_[pair].yields.end(), point) !=
           pairs_[pair].yields.end();
  }
  // Whether its file has debug information. May read that.
  bool is_described(uint32_t pair) { return lines_of(modules_[pairs_[pair].module]) != nullptr; }
  // Whether the function at `pc` is the one that creates the frames of a pair, by its name.
  bool creates(uint32_t pair, uint64_t pc) const;

  // Whether the function that goes on at `pc` will use a frame that is on its part of the stack,
  // which begins at `sp`. False: unknown. O(bytes of the function).
  bool is_used_later(uint32_t pair, uint64_t frame, uint64_t pc, uint64_t sp, bool is_innermost);
  // The function with this instruction, in the notation of the source; empty: it is in no file that
  // has coroutines. Without symbols "server+0x2963".
  std::string function_at(uint64_t pc, bool is_innermost);

  // Where the frames of a pair have the number of their suspension point; nothing: unknown. May
  // read debug information.
  std::optional<ResumeIndex> index_of(uint32_t pair);
  // Where a coroutine waits. Precondition: index_of(pair). O(bytes of the function), and the first
  // time the debug information of its unit.
  Suspension suspension(uint32_t pair, uint32_t point);
  // The line of an instruction of the coroutine's own function. Nothing: unknown. May read debug
  // information.
  std::optional<LinePlace> place_of_code(uint32_t pair, uint64_t address);
  // The lines from which it calls this member of a class, also where the call is inlined. Empty:
  // none, or unknown. May read debug information.
  std::vector<LinePlace> calls(uint32_t pair, const std::string& type, std::string_view member);
  // Of all its points; empty: unknown. O(points * bytes of the function).
  std::vector<Suspension> suspensions(uint32_t pair);
  // The parameters and local variables of a frame that waits at `point`, if that is known. May read
  // debug information.
  std::vector<FrameVariable> variables(uint32_t pair, uint64_t frame, std::optional<uint32_t> point,
                                       const FrameVariables::Memory& memory);
  // The local variables of classes, and pointers and references to some, in a frame of clang's that
  // waits at `point`. The same.
  std::vector<FrameObject> objects(uint32_t pair, uint64_t frame, uint32_t point,
                                   const FrameVariables::Memory& memory);
  // Where locks of this class have the handle or the promise of the coroutine that holds them, by
  // the name of the member. May read debug information.
  std::optional<uint64_t> owner_of(uint32_t pair, const std::string& lock);
  // FrameLayouts: whether an object of a class may have a handle at an offset, or begin with one of
  // another class. True: unknown. The same.
  bool may_have_handle(uint32_t pair, const std::string& class_name, uint64_t offset,
                       bool is_promise);
  bool may_begin_with(uint32_t pair, const std::string& outer, const std::string& inner);
  // Bytes of objects of this class. The same.
  std::optional<uint64_t> size_of(uint32_t pair, const std::string& class_name);
  // Bytes of the frames of a pair. May read debug information, or code that creates them. O(bytes of
  // the functions) at first.
  FrameSize frame_size(uint32_t pair);
  // FrameSize::least, by the code of the function alone. 0: unknown.
  uint64_t least_frame_size(uint32_t pair);
  // What a frame consists of, and the types with this name that may be awaited in its unit. Empty:
  // unknown. May read debug information.
  const FrameLayout& layout(uint32_t pair);
  const std::vector<ObjectType>& awaiters(uint32_t pair, const std::string& name);
  // The classes with this name in its unit. The same.
  const std::vector<ObjectType>& classes(uint32_t pair, const std::string& name);
  // Whether the function may store this number. Precondition: index_of(pair). O(bytes of the
  // function) at first.
  bool has_point(uint32_t pair, uint32_t point);
  // Whether the function gives its handle to nothing at this point: is_told_to_none().
  // Precondition: index_of(pair). O(bytes of the function).
  bool is_untold(uint32_t pair, uint32_t point);
  // The same as has_point() for a coroutine of g++ that has ended.
  bool may_end_at(uint32_t pair, uint32_t point);
  // What the coroutine does when it ends, by its code. O(bytes of the function) at first.
  const FinalResumption& ending(uint32_t pair);

  // Keeps lines that took long to find for the next run, in the user's cache.
  void keep_lines();

  // Sentences: files without symbols or debug information.
  std::vector<std::string> warnings() const;

 private:
  struct Module {
    Contents contents = {};
    std::string path = {};
    uint64_t bias = 0;  // added to its addresses
    ElfHeader elf = {};
    DebugFile debug = {};       // with the symbols that `contents` lacks
    DebugFile lines_file = {};  // with the lines that both lack
    Functions functions = {};
    std::optional<std::vector<CodeRange>> ranges = {};
    std::optional<Lines> lines = {};
    bool has_looked_for_lines = false;
    std::optional<FrameVariables> variables = {};
    bool has_looked_for_variables = false;
    std::optional<FrameLayouts> layouts = {};
    bool has_looked_for_layouts = false;
    // By the function that resumes a coroutine of clang's, those that create its frames, where clang
    // has put the one with its name into its callers.
    std::optional<std::multimap<uint64_t, CodeRange>> creators = {};
  };

  void add_module(const Mapping& mapping);
  void add_pair(const CoroutineFunction& function, uint64_t bias, const ElfHeader& elf,
                std::span<const uint8_t> file);
  bool is_program(const std::string& file) const;
  std::string function_at(uint64_t address) const;  // empty: unknown
  const Lines* lines_of(Module& module);
  void read_lines(Module& module);
  FrameLayouts* layouts_of(Module& module);
  std::pair<FrameLayouts*, uint64_t> layouts_of(uint32_t number);
  FrameVariables* variables_of(Module& module);
  FrameCode frame_code(Pair& pair, std::optional<uint32_t> point);
  const std::vector<Store>& stores_of(Pair& pair);
  // Of the function around an address of the target; empty: unknown.
  CodeRange range_of(Module& module, uint64_t address);
  Code code_of_resume(const Pair& pair) const;
  Code rest_of_resume(const Pair& pair) const;
  Code creating_code(const Pair& pair) const;
  std::vector<Code> creating_codes(const Pair& pair);
  std::vector<Code> callers_that_create(const Pair& pair);
  bool stores_index(const Pair& pair);
  std::set<uint32_t> points_of(uint32_t number);  // empty: unknown
  std::vector<uint32_t> yields_of(uint32_t number);
  PromiseUse promise_use_of(const Pair& pair) const;
  std::optional<ResumeIndex> index_of_one_place(const Pair& pair);
  Code code_of(const Module& module, uint64_t begin, uint64_t end) const;
  Suspension first_suspension(const Pair& pair);

  const Target& target_;
  DiskFiles files_ = DiskFiles();
  SymbolCache symbol_cache_ = SymbolCache(SymbolCache::folder_of_this_user());
  DebugFilePlaces debug_places_;
  std::set<std::string> seen_ = {};
  std::vector<Module> modules_ = {};
  std::vector<Pair> pairs_ = {};
  std::unordered_map<uint64_t, uint32_t> by_destroy_ = {};
  struct CodePart {
    uint64_t end = 0;
    uint32_t pair = 0;
  };
  std::map<uint64_t, CodePart> by_code_ = {};  // by its beginning
  // The same by module and name, which views that of the pair.
  std::map<std::pair<size_t, std::string_view>, uint32_t> by_name_ = {};
  uint64_t lowest_ = UINT64_MAX;
  uint64_t highest_ = 0;
  std::vector<std::string> warnings_ = {};
};

}  // namespace skein
