// The definitions stream of a copy: numbers for texts, kinds and locations.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/export/out.h"
#include "trace/read/ctf/writer.h"
#include "trace/read/trace.h"

namespace skein {

class CtfNames {
 public:
  CtfNames(const Trace& trace, Omissions& omissions, const ctf::StreamWriter::Options& options);

  uint32_t text(StringId id) const { return texts_[id]; }
  // The number of a location, and of the name and kind of what an event creates there; 0 if all are
  // unknown.
  uint32_t place(uint32_t location) { return add_place(location, format::kKind_unknown, 0); }
  uint32_t named_place(uint32_t location, StringId name) {
    return add_place(location, format::kKind_unknown, name);
  }
  uint32_t place_of_kind(uint32_t location, uint64_t kind, StringId name) {
    return add_place(location, kind_number(kind), name);
  }

  void add_thread(uint64_t tid, StringId name);
  void add_texts_and_modules();
  void add_stacks();
  ctf::StreamWriter& stream() { return stream_; }

  // The kinds without a number in the format, as TSDL: `, "bind" = 64` for each.
  std::string own_kinds() const;

 private:
  void number_texts();
  bool is_unknown(StringId kind) const { return trace_.strings[kind] == format::kKinds[0].name; }
  uint8_t kind_number(uint64_t value);
  uint32_t add_place(uint32_t location, uint8_t kind, StringId name);

  const Trace& trace_;
  Omissions& omissions_;
  ctf::StreamWriter stream_;
  std::vector<uint32_t> texts_;  // by string id in the trace: the number in the copy
  uint32_t own_kinds_ = 0;       // numbers up to this one are kinds
  std::map<std::array<uint32_t, 3>, uint32_t> places_;
};

// The number of a name in a table of the format; 0 if it has none.
uint64_t named_number(const auto& names, std::string_view name) {
  for (const format::NamedNumber& entry : names)
    if (entry.name == name) return entry.number;
  return 0;
}

// A quoted TSDL string; TSDL has no control characters.
std::string quoted_tsdl(std::string_view text);

}  // namespace skein
