#include "frames/coroutine_program.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <utility>

#include "frames/elided_use.h"
#include "frames/frame_creators.h"
#include "frames/frame_places.h"
#include "frames/one_place.h"
#include "frames/unnamed_coroutines.h"
#include "frames/untold_points.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

using Compiler = CoroutineFunction::Compiler;
constexpr uint64_t frame_header = 16;  // two addresses; then the promise

std::string address_name(const std::string& path, uint64_t address) {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%" PRIx64, address);
  return path.substr(path.rfind('/') + 1) + offset;
}

// Whether a place is behind the name of the function, in the same line: `task f() { co_await g(); }`.
// The first instructions of the function have the column of its name.
bool is_behind_name(const Lines& lines, uint64_t resume, const LinePlace& place) {
  constexpr uint64_t bytes = 16;
  for (uint64_t at = resume; at != resume + bytes; at++)
    if (const std::optional<LinePlace>& one = lines.at(at);
        one && one == place && one->column != 0 && one->column < place.column)
      return true;
  return false;
}

}  // namespace

CoroutineProgram::CoroutineProgram(const Target& target)
    : target_(target), debug_places_(DebugFilePlaces::of_this_user(target.root())) {
  for (const Mapping& mapping : target_.mappings())
    if (mapping.has_file()) add_module(mapping);
  for (uint32_t i = 0; i < pairs_.size(); i++) {
    const CoroutineFunction& function = pairs_[i].function;
    by_code_.emplace(function.resume, CodePart{.end = function.end, .pair = i});
    if (function.rest != 0)
      by_code_.emplace(function.rest, CodePart{.end = function.rest_end, .pair = i});
    if (!pairs_[i].function.name.empty())
      by_name_.emplace(std::pair(pairs_[i].module, std::string_view(pairs_[i].function.name)), i);
  }
}

void CoroutineProgram::add_module(const Mapping& mapping) {
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
  std::vector<CoroutineFunction> coroutines = find_coroutine_functions(*functions);
  if (!functions->is_complete()) {
    const auto unnamed = find_unnamed_coroutines(*elf, contents->bytes());
    coroutines.insert(coroutines.end(), unnamed.begin(), unnamed.end());
  }
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
bool CoroutineProgram::is_program(const std::string& file) const {
  for (const Mapping& mapping : target_.mappings())
    if (mapping.has_file()) return mapping.file == file;
  return false;
}

void CoroutineProgram::add_pair(const CoroutineFunction& function, uint64_t bias,
                                const ElfHeader& elf, std::span<const uint8_t> file) {
  Pair pair{.function = function, .module = modules_.size()};
  constexpr uint64_t first = 128;  // bytes of a function
  // That of clang's does not read the number if there is only one.
  const uint64_t of_resume =
      function.end > function.resume ? std::min(first, function.end - function.resume) : first;
  if (elf.architecture == Architecture::X86_64)
    pair.index = function.compiler == CoroutineFunction::Compiler::Gcc
                     ? index_in_destroy(bytes_at(elf, file, function.destroy, first))
                     : index_in_resume(bytes_at(elf, file, function.resume, of_resume));
  for (uint64_t* address : {&pair.function.resume, &pair.function.end, &pair.function.destroy,
                            &pair.function.cleanup, &pair.function.rest, &pair.function.rest_end})
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

std::string CoroutineProgram::name_of(const Pair& pair) const {
  if (!pair.function.name.empty()) return demangled(pair.function.name);
  const Module& module = modules_[pair.module];
  return address_name(module.path, pair.function.resume - module.bias);
}

CodeRange CoroutineProgram::range_of(Module& module, uint64_t address) {
  const uint64_t at = address - module.bias;
  if (bytes_at(module.elf, module.contents.bytes(), at, 1).empty()) return {};
  if (const Functions::Function* function = module.functions.find(at))
    return {function->begin + module.bias, function->end + module.bias};
  if (!module.ranges) module.ranges = code_ranges(module.contents.bytes());
  const auto next = std::upper_bound(module.ranges->begin(), module.ranges->end(), at,
                                     [](uint64_t a, const CodeRange& b) { return a < b.begin; });
  if (next == module.ranges->begin() || at >= std::prev(next)->end) return {};
  return {std::prev(next)->begin + module.bias, std::prev(next)->end + module.bias};
}

bool CoroutineProgram::is_used_later(uint32_t number, uint64_t frame, uint64_t pc, uint64_t sp,
                                     bool is_innermost) {
  const Pair& pair = pairs_[number];
  Module& module = modules_[pair.module];
  if (module.elf.architecture != Architecture::X86_64) return false;
  const CodeRange range = range_of(module, is_innermost ? pc : pc - 1);
  if (range.size() == 0) return false;
  ElidedFrame elided{.pc = pc - module.bias,
                     .sp = sp,
                     .frame = frame,
                     .coroutine = pair.function,
                     .index = index_of(number),
                     .is_guess = pair.is_guess()};
  for (uint64_t* address : {&elided.coroutine.resume, &elided.coroutine.end,
                            &elided.coroutine.destroy, &elided.coroutine.cleanup})
    if (*address != 0) *address -= module.bias;
  return skein::is_used_later(code_of(module, range.begin, range.end), elided);
}

std::string CoroutineProgram::function_at(uint64_t pc, bool is_innermost) {
  const uint64_t address = is_innermost ? pc : pc - 1;
  for (Module& module : modules_) {
    const CodeRange range = range_of(module, address);
    if (range.size() == 0) continue;
    const Functions::Function* function = module.functions.find(address - module.bias);
    if (function != nullptr) return demangled(function->name);
    return address_name(module.path, range.begin - module.bias);
  }
  return "";
}

std::optional<uint32_t> CoroutineProgram::pair_of_code(uint64_t address) const {
  auto at = by_code_.upper_bound(address);
  if (at == by_code_.begin()) return {};
  --at;
  return address < at->second.end ? std::optional(at->second.pair) : std::nullopt;
}

std::optional<uint32_t> CoroutineProgram::pair_around(uint64_t address) const {
  if (const auto pair = pair_of_code(address)) return pair;
  for (size_t module = 0; module < modules_.size(); module++) {
    const Functions::Function* function =
        modules_[module].functions.find(address - modules_[module].bias);
    if (function == nullptr) continue;
    // "NAME", "NAME.actor.cold", "NAME.destroy"
    const std::string_view name = std::string_view(function->name);
    const auto pair = by_name_.find({module, name.substr(0, name.find('.'))});
    if (pair != by_name_.end()) return pair->second;
  }
  return {};
}

std::optional<FrameAddress> CoroutineProgram::frame_address(uint32_t number, uint64_t pc,
                                                            bool is_return) {
  Pair& pair = pairs_[number];
  const Module& module = modules_[pair.module];
  if (module.elf.architecture != Architecture::X86_64) return {};
  if (!pair.addresses) {
    Code code = code_of_resume(pair);
    const Code rest = rest_of_resume(pair);
    code.rest_address = rest.address;
    code.rest = rest.bytes;
    pair.addresses.emplace(code);
  }
  return pair.addresses->at(pc - module.bias, is_return);
}

void CoroutineProgram::prepare(uint32_t pair) {
  (void)frame_address(pair, 0);
  (void)index_of(pair);
  const auto& promise = layout(pair).promise;
  if (promise) pairs_[pair].promise_size = promise->size;
  if (pairs_[pair].promise_size == 0 &&
      modules_[pairs_[pair].module].elf.architecture == Architecture::X86_64)
    pairs_[pair].promise_use = promise_use_of(pairs_[pair]);
  pairs_[pair].yields = yields_of(pair);
}

// Also by functions that get the frame, as await_suspend() of the final suspension does, where that
// is no part of the function.
PromiseUse CoroutineProgram::promise_use_of(const Pair& pair) const {
  const Module& module = modules_[pair.module];
  PromiseUse use = promise_use(code_of_resume(pair));
  if (pair.function.compiler != Compiler::Gcc) return use;
  for (const uint64_t address : use.given_to)
    if (const Functions::Function* function = module.functions.find(address);
        function != nullptr && function->begin == address)
      use.read |=
          promise_use(code_of(module, function->begin + module.bias, function->end + module.bias))
              .surely_read;
  return use;
}

// Of a coroutine that yields: where it does, and its beginning.
std::vector<uint32_t> CoroutineProgram::yields_of(uint32_t number) {
  const Pair& pair = pairs_[number];
  if (modules_[pair.module].elf.architecture != Architecture::X86_64) return {};
  const auto& promise = layout(number).promise;
  if (!promise || !index_of(number)) return {};
  std::vector<std::string> types = promise->bases;
  types.push_back(promise->name);
  if (std::all_of(types.begin(), types.end(), [&](const std::string& type) {
        return calls(number, type, "yield_value").empty();
      }))
    return {};
  std::vector<uint32_t> found;
  bool does_yield = false;
  const bool is_gcc = pair.function.compiler == Compiler::Gcc;
  for (const uint32_t point : points_of(number)) {
    const Suspension one = suspension(number, point);
    does_yield |= one.is_yield;
    if (one.is_yield || one.is_initial || (is_gcc && point == first_point_of_gcc))
      found.push_back(point);
  }
  return does_yield ? found : std::vector<uint32_t>();
}

bool CoroutineProgram::creates(uint32_t number, uint64_t pc) const {
  const Pair& pair = pairs_[number];
  const Module& module = modules_[pair.module];
  const Functions::Function* function = module.functions.find(pc - module.bias);
  return function != nullptr && !pair.function.name.empty() && function->name == pair.function.name;
}

// Null: it has no debug information.
const Lines* CoroutineProgram::lines_of(Module& module) {
  if (!module.has_looked_for_lines) {
    module.has_looked_for_lines = true;
    read_lines(module);
  }
  return module.lines ? &*module.lines : nullptr;
}

// From the file itself, from that with its symbols, or from another debug file.
void CoroutineProgram::read_lines(Module& module) {
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
    // Of a file without symbols, the first note is enough.
    if (module.functions.is_complete())
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

std::string CoroutineProgram::function_at(uint64_t address) const {
  for (const Module& module : modules_) {
    const Functions::Function* function = module.functions.find(address - module.bias);
    if (function != nullptr) return demangled(function->name);
  }
  return "";
}

// Null: it has no debug information.
FrameVariables* CoroutineProgram::variables_of(Module& module) {
  if (!module.has_looked_for_variables) {
    module.has_looked_for_variables = true;
    (void)lines_of(module);  // finds the file with debug information
    for (const auto& [bytes, path] :
         {std::pair(module.contents.bytes(), module.path),
          std::pair(module.debug.contents.bytes(), module.debug.path),
          std::pair(module.lines_file.contents.bytes(), module.lines_file.path)})
      if (Result<FrameVariables> read = FrameVariables::read(bytes, path, debug_places_, files_)) {
        module.variables = std::move(*read);
        break;
      }
  }
  return module.variables ? &*module.variables : nullptr;
}

FrameCode CoroutineProgram::frame_code(Pair& pair, std::optional<uint32_t> point) {
  const Module& module = modules_[pair.module];
  FrameCode code{.resume = pair.function.resume - module.bias,
                 .resume_end = pair.function.end - module.bias};
  if (pair.function.compiler != CoroutineFunction::Compiler::Clang ||
      module.elf.architecture != Architecture::X86_64)
    return code;
  code.begin = places_at_begin(code_of_resume(pair));
  code.has_one_place = !pair.index || stores_of(pair).empty();
  if (!pair.index || !point) return code;
  const std::vector<Store> first =
      find_own_stores(creating_code(pair), pair.function.compiler, pair.index->offset);
  for (const std::vector<Store>& stores : {stores_of(pair), first})
    for (const FramePlace& place : places_of_point(stores, *point))
      code.suspended.push_back(place);
  return code;
}

std::vector<FrameVariable> CoroutineProgram::variables(uint32_t number, uint64_t frame,
                                                       std::optional<uint32_t> point,
                                                       const FrameVariables::Memory& memory) {
  Pair& pair = pairs_[number];
  FrameVariables* variables = variables_of(modules_[pair.module]);
  if (variables == nullptr) return {};
  const auto name_of_code = [this](uint64_t address) { return function_at(address); };
  return variables->of(frame_code(pair, point), frame, memory, name_of_code);
}

std::vector<FrameObject> CoroutineProgram::objects(uint32_t number, uint64_t frame, uint32_t point,
                                                   const FrameVariables::Memory& memory) {
  Pair& pair = pairs_[number];
  FrameVariables* variables = variables_of(modules_[pair.module]);
  if (variables == nullptr || !index_of(number)) return {};
  return variables->objects(frame_code(pair, point), frame, memory);
}

// Null: it has no debug information.
FrameLayouts* CoroutineProgram::layouts_of(Module& module) {
  if (!module.has_looked_for_layouts) {
    module.has_looked_for_layouts = true;
    (void)lines_of(module);  // finds the file with debug information
    for (const auto& [bytes, path] :
         {std::pair(module.contents.bytes(), module.path),
          std::pair(module.debug.contents.bytes(), module.debug.path),
          std::pair(module.lines_file.contents.bytes(), module.lines_file.path)})
      if (Result<FrameLayouts> read = FrameLayouts::read(bytes, path, debug_places_, files_)) {
        module.layouts = std::move(*read);
        break;
      }
  }
  return module.layouts ? &*module.layouts : nullptr;
}

// Null: its module has no debug information. With the address of the resuming function in the file.
std::pair<FrameLayouts*, uint64_t> CoroutineProgram::layouts_of(uint32_t number) {
  const Pair& pair = pairs_[number];
  Module& module = modules_[pair.module];
  return {layouts_of(module), pair.function.resume - module.bias};
}

const FrameLayout& CoroutineProgram::layout(uint32_t number) {
  static const FrameLayout unknown;
  const auto [layouts, function] = layouts_of(number);
  return layouts == nullptr ? unknown : layouts->of(function);
}

uint64_t CoroutineProgram::least_frame_size(uint32_t number) {
  Pair& pair = pairs_[number];
  if (!pair.least_size)
    pair.least_size = modules_[pair.module].elf.architecture == Architecture::X86_64
                          ? least_size(code_of_resume(pair))
                          : 0;
  return *pair.least_size;
}

// Code is read first: it takes less time than debug information.
FrameSize CoroutineProgram::frame_size(uint32_t number) {
  Pair& pair = pairs_[number];
  if (pair.size) return *pair.size;
  FrameSize found;
  if (modules_[pair.module].elf.architecture == Architecture::X86_64) {
    found.least = least_frame_size(number);
    for (const Code& code : creating_codes(pair))
      if (const uint64_t size = size_in_creation(code); size >= found.least)
        found.exact = std::max(found.exact, size);
  }
  if (found.exact == 0)
    if (const uint64_t size = layout(number).size; size >= found.least) found.exact = size;
  pair.size = found;
  return found;
}

std::optional<uint64_t> CoroutineProgram::owner_of(uint32_t number, const std::string& lock) {
  const auto [layouts, function] = layouts_of(number);
  if (layouts == nullptr) return {};
  return layouts->owner(function, lock);
}

bool CoroutineProgram::may_have_handle(uint32_t number, const std::string& class_name,
                                       uint64_t offset, bool is_promise) {
  const auto [layouts, function] = layouts_of(number);
  return layouts == nullptr || layouts->may_have_handle(function, class_name, offset, is_promise);
}

bool CoroutineProgram::may_begin_with(uint32_t number, const std::string& outer,
                                      const std::string& inner) {
  const auto [layouts, function] = layouts_of(number);
  return layouts == nullptr || layouts->may_begin_with(function, outer, inner);
}

std::optional<uint64_t> CoroutineProgram::size_of(uint32_t number, const std::string& class_name) {
  const auto [layouts, function] = layouts_of(number);
  if (layouts == nullptr) return {};
  return layouts->size(function, class_name);
}

const std::vector<ObjectType>& CoroutineProgram::awaiters(uint32_t number, const std::string& name) {
  static const std::vector<ObjectType> unknown;
  const auto [layouts, function] = layouts_of(number);
  return layouts == nullptr ? unknown : layouts->awaiters(function, name);
}

const std::vector<ObjectType>& CoroutineProgram::classes(uint32_t number, const std::string& name) {
  static const std::vector<ObjectType> unknown;
  const auto [layouts, function] = layouts_of(number);
  return layouts == nullptr ? unknown : layouts->classes(function, name);
}

void CoroutineProgram::keep_lines() {
  for (const Module& module : modules_)
    if (module.lines) (void)module.lines->save();  // without a cache, the next run takes as long
}

std::vector<std::string> CoroutineProgram::warnings() const {
  std::vector<std::string> all = warnings_;
  for (const Module& module : modules_)
    if (module.lines)
      for (std::string& warning : module.lines->warnings()) all.push_back(std::move(warning));
  return all;
}

std::optional<ResumeIndex> CoroutineProgram::index_of(uint32_t number) {
  Pair& pair = pairs_[number];
  if (pair.has_looked_for_index) return pair.index;
  pair.has_looked_for_index = true;
  if (pair.index && stores_index(pair)) return pair.index;
  pair.index.reset();
  if (pair.function.compiler != CoroutineFunction::Compiler::Clang) {
    const Module& of = modules_[pair.module];
    if (of.elf.architecture != Architecture::X86_64 || pair.function.destroy == 0) return {};
    const CodeRange range = range_of(modules_[pair.module], pair.function.destroy);
    if (range.begin != pair.function.destroy) return {};
    return pair.index = index_that_is_followed(code_of(of, range.begin, range.end), code_of_resume(pair),
                                               pair.function.compiler);
  }
  // Without optimisation, clang computes the address of the number.
  Module& module = modules_[pair.module];
  const uint64_t resume = pair.function.resume - module.bias;
  if (const Lines* lines = lines_of(module))
    if (const auto offset = lines->member_offset(resume, "__coro_frame", "__coro_index"))
      return pair.index = ResumeIndex{.offset = *offset, .size = 1};
  if (module.elf.architecture != Architecture::X86_64) return {};
  const Code resuming = code_of_resume(pair);
  const auto& promise = layout(number).promise;
  const uint64_t least = frame_header + (promise ? promise->size : 0);
  if (promise && (pair.index = index_at_end(resuming, least))) return pair.index;
  for (const Code& code : creating_codes(pair)) {
    pair.index = index_in_creation(code, least, resuming);
    if (pair.index) return pair.index;
  }
  if ((pair.index = index_of_one_place(pair))) return pair.index;
  return pair.index = index_that_is_followed(resuming, resuming, pair.function.compiler);
}

// Of a coroutine of clang's that waits at one place, in a loop: the code that creates it and the code
// that resumes it both store 0 there, for the same co_await.
std::optional<ResumeIndex> CoroutineProgram::index_of_one_place(const Pair& pair) {
  Module& module = modules_[pair.module];
  const Lines* lines = lines_of(module);
  if (lines == nullptr || pair.function.name.empty()) return {};
  const std::vector<ZeroStore> resuming = zero_stores(code_of_resume(pair));
  std::set<uint64_t> offsets;
  const bool is_inlined = creating_code(pair).bytes.empty();
  for (const Code& code : creating_codes(pair))
    for (const ZeroStore& first : zero_stores(code)) {
      const auto place = is_inlined ? lines->inside(first.address, pair.function.name)
                                    : lines->at(first.address);
      for (const ZeroStore& next : resuming)
        if (place && next.offset == first.offset && lines->at(next.address) == place)
          offsets.insert(next.offset);
    }
  if (offsets.size() != 1) return {};
  return ResumeIndex{.offset = *offsets.begin(), .size = 1};
}

// Whether what the function that resumes a coroutine reads first is the number. clang's does not read
// it if the coroutine waits at one place: then it may be a variable.
bool CoroutineProgram::stores_index(const Pair& pair) {
  const Compiler compiler = pair.function.compiler;
  if (compiler == Compiler::Gcc) return true;
  constexpr uint32_t most = 200;
  const auto is_point = [](const Store& store) { return store.point != 0 && store.point < most; };
  const auto has_point = [&](const Code& code) {
    const std::vector<Store> stores = find_stores(code, compiler, pair.index->offset);
    return std::any_of(stores.begin(), stores.end(), is_point);
  };
  if (has_point(code_of_resume(pair))) return true;
  const std::vector<Code> creating = creating_codes(pair);
  return std::any_of(creating.begin(), creating.end(), has_point);
}

Code CoroutineProgram::code_of(const Module& module, uint64_t begin, uint64_t end) const {
  const uint64_t address = begin - module.bias;
  return {.address = address,
          .bytes = bytes_at(module.elf, module.contents.bytes(), address, end - begin),
          .file = [&module](uint64_t at, uint64_t size) {
            return bytes_at(module.elf, module.contents.bytes(), at, size);
          }};
}

Code CoroutineProgram::code_of_resume(const Pair& pair) const {
  Code code = code_of(modules_[pair.module], pair.function.resume, pair.function.end);
  code.has_frame = true;
  return code;
}

// What g++ has moved out of it, because only exceptions lead there: NAME.actor.cold. Empty: nothing.
Code CoroutineProgram::rest_of_resume(const Pair& pair) const {
  if (pair.function.rest == 0) return {};
  return code_of(modules_[pair.module], pair.function.rest, pair.function.rest_end);
}

Suspension CoroutineProgram::suspension(uint32_t number, uint32_t point) {
  const Pair& pair = pairs_[number];
  Module& module = modules_[pair.module];
  const Lines* lines = lines_of(module);
  const CoroutineFunction& function = pair.function;
  Suspension found = find_suspension(code_of_resume(pair), function.compiler, pair.index->offset,
                                     point, module.functions, lines);
  if (!found.place && found.awaiter.empty())
    if (const Code rest = rest_of_resume(pair); !rest.bytes.empty())
      found = find_suspension(rest, function.compiler, pair.index->offset, point, module.functions,
                              lines);
  // Without optimisation, g++'s code for the initial suspension has the line of the closing brace.
  if (function.compiler == CoroutineFunction::Compiler::Gcc && point == first_point_of_gcc &&
      found.place)
    if (const Code code = creating_code(pair); !code.bytes.empty()) {
      const std::optional<LinePlace> name = lines->declaration(code.address);
      if (const auto place = name ? name : lines->at(code.address)) found.place = place;
    }
  const bool is_first = function.compiler == CoroutineFunction::Compiler::Clang && point == 0;
  if (is_first && !found.place && found.awaiter.empty()) return first_suspension(pair);
  return found;
}

std::optional<LinePlace> CoroutineProgram::place_of_code(uint32_t number, uint64_t address) {
  Module& module = modules_[pairs_[number].module];
  const Lines* lines = lines_of(module);
  const uint64_t in_file = address - module.bias;
  if (lines == nullptr || lines->is_partly_missing(in_file)) return {};
  return lines->at(in_file);
}

// clang's number 0 is the initial suspension, whose store belongs to the line of the function; if
// that never suspends, it is the first await. The function that creates the frame stores it.
Suspension CoroutineProgram::first_suspension(const Pair& pair) {
  Module& module = modules_[pair.module];
  const Lines* lines = lines_of(module);
  if (lines == nullptr) return {};
  const Code code = creating_code(pair);
  Suspension found;
  if (!code.bytes.empty())
    found = find_suspension(code, pair.function.compiler, pair.index->offset, 0, module.functions,
                            lines);
  else
    for (const Code& caller : callers_that_create(pair)) {
      found = find_suspension(caller, pair.function.compiler, pair.index->offset, 0, module.functions,
                              lines, pair.function.name);
      if (found.place) break;
    }
  const uint64_t resume = pair.function.resume - module.bias;
  const auto declaration = lines->declaration(resume);
  // The awaiter of an initial suspension is usually std::suspend_always.
  found.is_initial = found.place &&
                     found.place == (declaration ? declaration : lines->at(resume)) &&
                     !is_program_type(found.awaiter) &&
                     !is_behind_name(*lines, resume, *found.place);
  return found;
}

// Of the function that creates the frame; empty: unknown.
Code CoroutineProgram::creating_code(const Pair& pair) const {
  const Module& module = modules_[pair.module];
  if (pair.function.name.empty()) return {};
  for (const Functions::Function& function : module.functions.all())
    if (function.name == pair.function.name) {
      Code code = code_of(module, function.begin + module.bias, function.end + module.bias);
      code.creates = pair.function.resume - module.bias;
      return code;
    }
  return {};
}

std::vector<Code> CoroutineProgram::creating_codes(const Pair& pair) {
  const Code own = creating_code(pair);
  return own.bytes.empty() ? callers_that_create(pair) : std::vector{own};
}

std::vector<Code> CoroutineProgram::callers_that_create(const Pair& pair) {
  Module& module = modules_[pair.module];
  if (module.elf.architecture != Architecture::X86_64) return {};
  if (!module.creators) {
    std::set<uint64_t> resumes;
    for (const Pair& one : pairs_)
      if (one.module == pair.module && one.function.compiler == CoroutineFunction::Compiler::Clang)
        resumes.insert(one.function.resume - module.bias);
    module.creators = find_creators(module.elf, module.contents.bytes(), module.functions, resumes);
  }
  std::vector<Code> found;
  const uint64_t resume = pair.function.resume - module.bias;
  const auto [begin, end] = module.creators->equal_range(resume);
  for (auto one = begin; one != end; ++one) {
    found.push_back(code_of(module, one->second.begin + module.bias, one->second.end + module.bias));
    found.back().creates = resume;
  }
  return found;
}

std::vector<LinePlace> CoroutineProgram::calls(uint32_t number, const std::string& type,
                                               std::string_view member) {
  const Pair& pair = pairs_[number];
  Module& module = modules_[pair.module];
  std::vector<LinePlace> found;
  const Lines* lines = lines_of(module);
  if (lines == nullptr) return found;
  for (const Code& code : {code_of_resume(pair), rest_of_resume(pair)})
    if (!code.bytes.empty())
      for (LinePlace& one : places_of_calls(code, module.functions, *lines, type, member))
        found.push_back(std::move(one));
  return found;
}

std::vector<Suspension> CoroutineProgram::suspensions(uint32_t number) {
  std::vector<Suspension> found;
  for (const uint32_t point : points_of(number)) found.push_back(suspension(number, point));
  return found;
}

std::set<uint32_t> CoroutineProgram::points_of(uint32_t number) {
  constexpr size_t most = 200;
  if (!index_of(number)) return {};
  std::set<uint32_t> points;
  // The function that creates the frame may store the first one of clang's.
  if (pairs_[number].function.compiler == CoroutineFunction::Compiler::Clang) points.insert(0);
  // Where an exception has ended it, g++ stores 0.
  const uint32_t lowest =
      pairs_[number].function.compiler == CoroutineFunction::Compiler::Gcc ? first_point_of_gcc : 0;
  for (const Store& store : stores_of(pairs_[number]))
    if (store.point != UINT32_MAX && store.point >= lowest && points.size() < most)
      points.insert(store.point);
  for (const Store& store : follow_stores(code_of_resume(pairs_[number]),
                                          pairs_[number].function.compiler,
                                          pairs_[number].index->offset))
    if (store.point != UINT32_MAX && store.point >= lowest && points.size() < most)
      points.insert(store.point);
  return points;
}

const std::vector<Store>& CoroutineProgram::stores_of(Pair& pair) {
  if (!pair.stores) {
    pair.stores = find_own_stores(code_of_resume(pair), pair.function.compiler, pair.index->offset);
    if (const Code rest = rest_of_resume(pair); !rest.bytes.empty()) {
      const auto more = find_own_stores(rest, pair.function.compiler, pair.index->offset);
      pair.stores->insert(pair.stores->end(), more.begin(), more.end());
    }
  }
  return *pair.stores;
}

// Compilers number the points in steps of 2 (g++) and 1 (clang).
bool CoroutineProgram::has_point(uint32_t number, uint32_t point) {
  Pair& pair = pairs_[number];
  const size_t steps = stores_of(pair).size() + 2;
  if (pair.function.compiler == CoroutineFunction::Compiler::Clang) return point < steps;
  return point >= first_point_of_gcc && point / 2 < steps + first_point_of_gcc / 2;
}

bool CoroutineProgram::is_untold(uint32_t number, uint32_t point) {
  const Pair& pair = pairs_[number];
  return modules_[pair.module].elf.architecture == Architecture::X86_64 &&
         is_told_to_none(code_of_resume(pair), pair.function.compiler, pair.index->offset, point);
}

// The highest number is that of the final suspension.
bool CoroutineProgram::may_end_at(uint32_t number, uint32_t point) {
  const std::vector<Store>& stores = stores_of(pairs_[number]);
  return std::all_of(stores.begin(), stores.end(),
                     [&](const Store& store) { return point >= store.point; }) ||
         std::any_of(stores.begin(), stores.end(),
                     [](const Store& store) { return store.point == UINT32_MAX; });
}

const FinalResumption& CoroutineProgram::ending(uint32_t number) {
  Pair& pair = pairs_[number];
  if (!pair.ending) {
    const bool is_known_code = modules_[pair.module].elf.architecture == Architecture::X86_64;
    pair.ending.emplace(is_known_code ? code_of_resume(pair) : Code{},
                        is_known_code ? rest_of_resume(pair) : Code{});
  }
  return *pair.ending;
}

}  // namespace skein
