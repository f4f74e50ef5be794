#include "frames/unnamed_coroutines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "frames/adjacent_addresses.h"
#include "frames/parameter_use.h"
#include "frames/resume_index.h"
#include "symbol/code_ranges.h"

namespace skein {

namespace {

using enum CoroutineFunction::Compiler;
using Bytes = std::span<const uint8_t>;
constexpr uint64_t beginning = 128;  // bytes of a function that have the number of its point

int64_t number_at(Bytes bytes, size_t at) {
  int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class UnnamedSearch {
 public:
  UnnamedSearch(const ElfHeader& elf, Bytes file)
      : elf_(elf), file_(file), ranges_(code_ranges(file)) {}

  std::vector<CoroutineFunction> run() {
    for (const CodeRange& range : ranges_)
      if (range.size() >= 8 && range.size() <= 64) add_small_destroy(range);
    for (const auto& [destroy, function] : by_destroy_) resumes_.insert(function.resume);
    const bool may_be_clang = is_compiled_by(file_, "clang");
    // Packages of Debian have no section that names the compiler.
    if (may_be_clang || !is_compiled_by(file_, "")) {
      uint64_t read = 0;
      for (const CodeRange& range : ranges_)
        if ((read += std::min(range.size(), most_code)) <= file_.size()) read_stores(range);
      add_stored();
    }
    for (const CodeRange& range : ranges_) add_created(range, may_be_clang);
    for (const auto& [destroy, candidate] : candidates_)
      by_destroy_.try_emplace(destroy, candidate.function);
    std::vector<CoroutineFunction> found;
    for (const auto& [destroy, function] : by_destroy_) found.push_back(function);
    found.insert(found.end(), stored_functions_.begin(), stored_functions_.end());
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.resume < b.resume; });
    return found;
  }

 private:
  Bytes code_of(const CodeRange& range, uint64_t most) const {
    return bytes_at(elf_, file_, range.begin, std::min(range.size(), most));
  }

  // g++'s, unless it has put the other function into this one.
  void add_small_destroy(const CodeRange& range) {
    const Bytes code = code_of(range, 64);
    if (!index_in_destroy(code)) return;
    for (size_t i = 0; i + 2 <= code.size(); i++) {
      uint64_t target = 0;  // E8 cd: call, E9 cd: jump, EB cb: short jump
      if ((code[i] == 0xE8 || code[i] == 0xE9) && i + 5 <= code.size())
        target = range.begin + i + 5 + static_cast<uint64_t>(number_at(code, i + 1));
      if (code[i] == 0xEB)
        target =
            range.begin + i + 2 + static_cast<uint64_t>(int64_t{static_cast<int8_t>(code[i + 1])});
      if (const CodeRange* resume = range_at(ranges_, target);
          target != 0 && resume != nullptr && target != range.begin)
        return add(*resume, range, Gcc);
    }
  }

  // The address that an instruction takes: 48/4C 8D modrm cd is `lea r64, [rip + cd]`; in a program
  // at a fixed address, B8+r id is `mov r32, id`, and 48 C7 modrm .. id is `mov r/m64, id`.
  std::optional<uint64_t> address_taken(Bytes code, size_t at, uint64_t address) const {
    if (at + 8 > code.size()) return {};
    if ((code[at] == 0x48 || code[at] == 0x4C) && code[at + 1] == 0x8D &&
        (code[at + 2] & 0xC7) == 5)
      return address + at + 7 + static_cast<uint64_t>(number_at(code, at + 3));
    if (!is_fixed()) return {};
    if ((code[at] & 0xF8) == 0xB8) return static_cast<uint64_t>(number_at(code, at + 1));
    if (code[at] != 0x48 || code[at + 1] != 0xC7) return {};
    const uint8_t mode = code[at + 2] >> 6;
    return static_cast<uint64_t>(number_at(code, at + (mode == 1 ? 4 : 3)));
  }

  bool is_fixed() const { return elf_.type == executable_at_fixed_address; }

  // ---- what clang's code stores at the beginning of a frame ----

  void read_stores(const CodeRange& range) {
    const Bytes code = code_of(range, most_code);
    if (!takes_several(code, range.begin)) return;
    for (const AdjacentAddresses& one : adjacent_addresses(
             {.address = range.begin, .bytes = code},
             [this](uint64_t address) { return range_at(ranges_, address) != nullptr; },
             is_fixed()))
      stored_[one.first].emplace(one.second, false).first->second |= one.is_at_begin;
  }

  bool takes_several(Bytes code, uint64_t address) const {
    std::optional<uint64_t> first;
    for (size_t i = 0; i + 8 <= code.size(); i++) {
      const auto taken = address_taken(code, i, address);
      if (!taken || taken == first || range_at(ranges_, *taken) == nullptr) continue;
      if (first) return true;
      first = taken;
    }
    return false;
  }

  const ParameterUse& use_of(uint64_t function) {
    const auto [at, is_new] = uses_.try_emplace(function);
    if (is_new)
      if (const CodeRange* range = range_at(ranges_, function))
        at->second = parameter_use({.address = function, .bytes = code_of(*range, most_followed)});
    return at->second;
  }

  // Those at the beginning of something first: what follows them there may be another function.
  void add_stored() {
    for (const bool is_at_begin : {true, false})
      for (const auto& [resume, others] : stored_)
        if (!known_.contains(resume)) add_stored(resume, others, is_at_begin);
  }

  // Of what is stored behind the function that resumes a frame: what destroys one passes it on, to
  // what frees it, unless that is inlined; what destroys one inside of another frame (cleanup) does
  // not. Where neither shows what it is, they follow each other in the file.
  void add_stored(uint64_t resume, const std::map<uint64_t, bool>& others, bool is_at_begin) {
    const ParameterUse& use = use_of(resume);
    if (use.has_more || resumes_.contains(resume)) return;
    const bool has_states = use.clears_first || use.stores_number;
    CoroutineFunction function{.compiler = Clang, .resume = resume};
    for (const auto& [other, is_other_at_begin] : others) {
      const ParameterUse& of_other = use_of(other);
      if (of_other.has_more || (is_at_begin && !is_other_at_begin)) continue;
      const bool frees = is_at_begin && of_other.is_passed && (use.is_used || use.is_passed);
      const bool are_neighbours = is_at_begin && use.is_used && are_near(resume, other);
      if (!frees && !has_states && !are_neighbours) continue;
      const bool is_cleanup = function.destroy != 0 || (!is_at_begin && !of_other.is_passed);
      uint64_t& place = is_cleanup ? function.cleanup : function.destroy;
      if (place == 0) place = other;
    }
    if (function.destroy == 0 && function.cleanup == 0) return;
    if (is_at_begin)
      for (const auto& [other, is_other_at_begin] : others)
        if (!is_other_at_begin && function.cleanup == 0 && has_states && !use_of(other).has_more)
          function.cleanup = other;
    if (use_of(function.cleanup).is_passed && !use_of(function.destroy).is_passed)
      std::swap(function.destroy, function.cleanup);
    function.end = range_at(ranges_, resume)->end;
    for (const uint64_t each : {resume, function.destroy, function.cleanup}) known_.insert(each);
    stored_functions_.push_back(function);
  }

  // Between them may be one more: what destroys a frame inside of another one.
  bool are_near(uint64_t first, uint64_t second) const {
    const CodeRange* before = range_at(ranges_, first);
    const CodeRange* behind = range_at(ranges_, second);
    return before < behind && behind - before <= 2;
  }

  // ---- candidates ----

  // What one function takes the addresses of, if they are near each other. clang takes three: what
  // resumes a frame, what destroys it, and what destroys it inside of another one.
  void add_created(const CodeRange& range, bool may_be_clang) {
    constexpr size_t near = 64;  // bytes
    struct Taken {
      const CodeRange* function = nullptr;
      size_t at = 0;
    };
    std::array<Taken, 2> before;
    const Bytes code = code_of(range, most_followed);
    for (size_t i = 0; i + 8 <= code.size(); i++) {
      const auto taken = address_taken(code, i, range.begin);
      const CodeRange* function = taken ? range_at(ranges_, *taken) : nullptr;
      if (function == nullptr) continue;
      for (const Taken& other : before)
        if (other.function != nullptr && other.function != function && i - other.at < near)
          add_taken(*std::min(other.function, function), *std::max(other.function, function),
                    i - other.at, may_be_clang);
      before = {before[1], Taken{function, i}};
    }
  }

  // `first` is before `second` in the code.
  void add_taken(const CodeRange& first, const CodeRange& second, size_t distance,
                 bool may_be_clang) {
    const bool is_first = destroys(first);
    const bool is_second = destroys(second);
    if (is_first && !is_second) propose(second, first, distance, Gcc);
    if (is_second && !is_first) propose(first, second, distance, Gcc);
    if (may_be_clang && !is_first && !is_second && are_near(first.begin, second.begin) &&
        !known_.contains(first.begin) && !known_.contains(second.begin) &&
        !use_of(first.begin).has_more && !use_of(second.begin).has_more)
      propose(first, second, distance, Clang);
  }

  bool destroys(const CodeRange& range) const {
    return index_in_destroy(code_of(range, beginning)).has_value();
  }

  // Of several, the nearest in the code that takes both addresses; of clang's, the first in the
  // file: what resumes a frame is before all that destroy it.
  void propose(const CodeRange& resume, const CodeRange& destroy, size_t distance,
               CoroutineFunction::Compiler compiler) {
    if (resumes_.contains(resume.begin)) return;
    const CoroutineFunction function{.compiler = compiler,
                                     .resume = resume.begin,
                                     .end = resume.end,
                                     .destroy = destroy.begin,
                                     .is_guess = compiler == Clang};
    const auto [at, is_new] = candidates_.try_emplace(destroy.begin, Candidate{function, distance});
    if (is_new) return;
    const bool is_better = compiler == Gcc ? distance < at->second.distance
                                           : resume.begin < at->second.function.resume;
    if (is_better) at->second = {function, distance};
  }

  void add(const CodeRange& resume, const CodeRange& destroy,
           CoroutineFunction::Compiler compiler) {
    by_destroy_.try_emplace(destroy.begin, CoroutineFunction{.compiler = compiler,
                                                             .resume = resume.begin,
                                                             .end = resume.end,
                                                             .destroy = destroy.begin});
  }

  static constexpr uint16_t executable_at_fixed_address = 2;  // ET_EXEC
  // Bytes of a function that are read. Those of a damaged file may overlap.
  static constexpr uint64_t most_code = 1 << 20;
  static constexpr uint64_t most_followed = 1 << 16;
  const ElfHeader& elf_;
  Bytes file_;
  std::vector<CodeRange> ranges_;
  struct Candidate {
    CoroutineFunction function = {};
    size_t distance = 0;  // between the instructions that take both addresses
  };
  std::map<uint64_t, CoroutineFunction> by_destroy_ = {};
  std::set<uint64_t> resumes_ = {};                // of by_destroy_, before candidates were added
  std::map<uint64_t, Candidate> candidates_ = {};  // by what destroys
  // What is stored behind the address of a function; whether at the beginning of something.
  std::map<uint64_t, std::map<uint64_t, bool>> stored_ = {};
  std::map<uint64_t, ParameterUse> uses_ = {};  // by function
  std::vector<CoroutineFunction> stored_functions_ = {};
  std::set<uint64_t> known_ = {};  // of stored_functions_
};

}  // namespace

std::vector<CoroutineFunction> find_unnamed_coroutines(const ElfHeader& elf,
                                                       std::span<const uint8_t> file) {
  if (elf.architecture != Architecture::X86_64) return {};
  return UnnamedSearch(elf, file).run();
}

}  // namespace skein
