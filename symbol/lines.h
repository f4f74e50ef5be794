// The lines of a program's instructions, from its debug information (DWARF).
//
//   Result<Lines> lines = Lines::read(file.bytes(), path);
//   if (lines) show(lines->at(address, function_name));
//
// Addresses are those in the file, as linked. Nothing in the file is trusted: a file that causes
// too much work has no lines any more. An object is for one thread at a time, as its const
// functions keep what they have found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"
#include "symbol/line_place.h"
#include "symbol/symbol_cache.h"

namespace skein {

class Lines {
 public:
  using Place = LinePlace;

  // `elf` must stay valid as long as the result. Fails without debug information.
  // O(compilation units); a unit is read when it is needed, and kept: 1 ms for 100 KB of it. A
  // file with compressed sections is unpacked: 0.5 s for 100 MB.
  static Result<Lines> read(std::span<const uint8_t> elf, const std::string& path);
  // Looks up the files that the debug information refers to: those of dwz, in `places`, and those
  // of -gsplit-dwarf (.dwo), by the paths that the compiler wrote. Without them, inlined calls and
  // members are unknown.
  static Result<Lines> read(std::span<const uint8_t> elf, const std::string& path,
                            const DebugFilePlaces& places, Files& files);
  // The same, with the answers that earlier runs have left in `cache` for a file of this build id:
  // the file is opened only for other questions. `files` and `cache` must stay valid as well.
  static Result<Lines> read(std::span<const uint8_t> elf, const std::string& path,
                            const DebugFilePlaces& places, Files& files, const SymbolCache& cache);
  Lines(Lines&&) noexcept;
  Lines& operator=(Lines&&) noexcept;
  ~Lines();

  // The line of an instruction in the function that was compiled to it: that of the outermost call,
  // if the instruction comes from inlined functions. Nothing: unknown.
  // The second time, O(1). The result is valid as long as this object.
  const std::optional<Place>& at(uint64_t address) const;

  // The same in the function of this linkage name, if that was inlined where the instruction is.
  std::optional<Place> inside(uint64_t address, std::string_view function) const;

  // The functions that an instruction is in, with the line of each, the innermost first; the last
  // is the one that was compiled. Empty: unknown. O(scopes of the function).
  std::vector<InlinedFrame> frames(uint64_t address) const;

  // Of frames(), the names of those that were inlined; needs no table of lines.
  std::vector<std::string> inlined_at(uint64_t address) const;

  // Where the function at an address is declared: the line of its name.
  std::optional<Place> declaration(uint64_t address) const;
  // Whether the table of lines is all that is known of the code there: the rest is in a .dwo file that
  // is missing. Then at() may be a line in an inlined function.
  bool is_partly_missing(uint64_t address) const;

  using Call = InlinedCall;
  // The calls of functions of this name that were inlined into the function at `address`, directly
  // or not; ascending by where their code begins.
  std::vector<Call> inlined(uint64_t address, std::string_view name) const;

  // Where the type of a variable of the function at `address` has a member: bytes from its
  // beginning. Nothing: there is no such variable or member.
  std::optional<uint64_t> member_offset(uint64_t address, std::string_view variable,
                                        std::string_view member) const;

  static constexpr int64_t slow_ns = 200'000'000;
  // Leaves the answers in the cache, if they took more CPU time than this and nothing was missing.
  // Without a cache, does nothing. Fails if it cannot be written.
  Result<void> save(int64_t at_least_ns = slow_ns) const;

  // What is missing, a sentence each: files of -gsplit-dwarf; that the work became too much.
  std::vector<std::string> warnings() const;

 private:
  struct State;
  static Result<Lines> read(std::span<const uint8_t> elf, const std::string& path,
                            const DebugFilePlaces& places, Files* files, const SymbolCache* cache);
  explicit Lines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skein
