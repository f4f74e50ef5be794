#include "trace/export/ctf_names.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace skein {

CtfNames::CtfNames(const Trace& trace, Omissions& omissions,
                   const ctf::StreamWriter::Options& options)
    : trace_(trace), omissions_(omissions), stream_(options) {
  number_texts();
}

// Numbers the texts. The texts of kinds without a number in the format come first: the text's
// number is also the kind's.
void CtfNames::number_texts() {
  texts_.resize(trace_.strings.size());
  uint32_t number = 0;
  for (const StringId kind : trace_.kinds)
    if (number <= UINT8_MAX - format::kFirstOwnKind && texts_[kind] == 0 &&
        named_number(format::kKinds, trace_.strings[kind]) == 0 && !is_unknown(kind))
      texts_[kind] = ++number;
  own_kinds_ = number;
  for (StringId id = 1; id < texts_.size(); id++)
    if (texts_[id] == 0) texts_[id] = ++number;
}

uint8_t CtfNames::kind_number(uint64_t value) {
  if (value >= trace_.kinds.size()) return format::kKind_unknown;
  const StringId kind = trace_.kinds[value];
  if (const auto number = named_number(format::kKinds, trace_.strings[kind]))
    return static_cast<uint8_t>(number);
  if (kind == 0 || is_unknown(kind)) return format::kKind_unknown;
  if (texts_[kind] <= own_kinds_)
    return static_cast<uint8_t>(format::kFirstOwnKind + texts_[kind] - 1);
  omissions_.add("kinds of tasks beyond the first 192");
  return format::kKind_unknown;
}

uint32_t CtfNames::add_place(uint32_t location, uint8_t kind, StringId name) {
  if (location == 0 && kind == 0 && name == 0) return 0;
  const auto [found, added] = places_.try_emplace(std::array<uint32_t, 3>{location, kind, name},
                                                  static_cast<uint32_t>(places_.size() + 1));
  if (added) {
    const Location& at = trace_.locations[location];
    stream_.fixed(format::k_place, 0)
        .u32(found->second)
        .u8(kind)
        .u32(texts_[name])
        .u32(texts_[at.file])
        .u32(texts_[at.function])
        .u32(at.line)
        .u32(at.column)
        .done();
  }
  return found->second;
}

void CtfNames::add_thread(uint64_t tid, StringId name) {
  stream_.fixed(format::k_thread_name, 0).u64(tid).text(trace_.strings[name]).done();
}

void CtfNames::add_texts_and_modules() {
  for (StringId id = 1; id < trace_.strings.size(); id++) {
    const std::string_view text = trace_.strings[id];
    stream_.fixed(format::k_string, 0).u32(texts_[id]).text(text).done();
    if (text.size() > format::kMaxText || text.find('\0') != std::string_view::npos)
      omissions_.add("ends of strings longer than 512 bytes or with a zero byte");
  }
  for (const Module& module : trace_.modules)
    stream_.fixed(format::k_module, 0)
        .u64(module.base)
        .u64(module.size)
        .text(trace_.strings[module.build_id])
        .text(trace_.strings[module.path])
        .done();
}

// A stack keeps its number. Its callers, which stacks share, have numbers behind those of all stacks.
void CtfNames::add_stacks() {
  uint64_t last = 0;
  const Stacks& stacks = trace_.stacks;
  for (size_t i = 0; i < stacks.size(); i++) last = std::max(last, stacks.number(i));
  // By their caller, address and function.
  std::map<std::tuple<uint64_t, uint64_t, StringId>, uint64_t> callers;
  const auto define = [&](uint64_t number, const StackFrame& frame, uint64_t caller) {
    using format::ExtraField;
    if (frame.address != 0) stream_.next_extra(ExtraField::kAddress, frame.address);
    if (frame.function != 0) stream_.next_extra(ExtraField::kFunction, texts_[frame.function]);
    if (caller != 0) stream_.next_extra(ExtraField::kCaller, caller);
    stream_.event(format::k_sample, 0, number);
  };
  for (size_t i = 0; i < stacks.size(); i++) {
    const std::span<const StackFrame> frames = stacks.frames(i);
    if (frames.empty() || stacks.number(i) == 0) continue;
    if (UINT64_MAX - last < frames.size()) return omissions_.add("frames of stacks");
    uint64_t caller = 0;
    for (size_t k = frames.size(); k-- > 1;) {
      const auto [found, added] =
          callers.try_emplace({caller, frames[k].address, frames[k].function}, last + 1);
      if (added) define(++last, frames[k], caller);
      caller = found->second;
    }
    define(stacks.number(i), frames[0], caller);
  }
}

std::string CtfNames::own_kinds() const {
  std::string kinds;
  for (const StringId kind : trace_.kinds)
    if (kind != 0 && texts_[kind] <= own_kinds_)
      kinds += ", " + quoted_tsdl(trace_.strings[kind]) + " = " +
               std::to_string(format::kFirstOwnKind + texts_[kind] - 1);
  return kinds;
}

std::string quoted_tsdl(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c >= 0 && c < ' ' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace skein
