#include "trace/read/ctf/names.h"

#include "base/cursor.h"
#include "trace/read/ctf/wire.h"

namespace skein::ctf {

namespace {

bool is_definition(std::span<const uint8_t> bytes, uint64_t last, Wire& wire) {
  if (!decode(bytes, last, wire)) return false;
  using format::ExtraField;
  if (wire.event == format::k_extra)
    return wire.a == static_cast<uint64_t>(ExtraField::kAddress) ||
           wire.a == static_cast<uint64_t>(ExtraField::kCaller) ||
           wire.a == static_cast<uint64_t>(ExtraField::kFunction);
  return wire.event == format::k_sample ||
         (wire.id >= format::k_string && event_layouts[wire.id].layout == Layout::Fixed);
}

// Whether `enough` consecutive definitions, or all that remain, begin here.
bool definitions_begin(std::span<const uint8_t> bytes, uint64_t last) {
  constexpr int enough = 3;
  for (int i = 0; i < enough && !bytes.empty(); i++) {
    Wire wire;
    if (!is_definition(bytes, last, wire)) return false;
    bytes = bytes.subspan(wire.size);
  }
  return true;
}

// The type in the text of skein::__detail::__type_name (skein_suspend_on), without its template
// arguments; any other text is returned unchanged.
//   g++    "const char* skein::__detail::__type_name() [with _Tp = coro::mutex<int>; ...]"
//   clang  "const char *skein::__detail::__type_name() [_Tp = coro::mutex<int>]"
std::string_view awaited_type(std::string_view text) {
  constexpr std::string_view function = "skein::__detail::__type_name() [";
  constexpr std::string_view parameter = "_Tp = ";
  const size_t at = text.find(function);
  if (at == std::string_view::npos) return text;
  const size_t begin = text.find(parameter, at + function.size());
  if (begin == std::string_view::npos) return text;
  const std::string_view type = text.substr(begin + parameter.size());
  int depth = 0;  // lambdas have braces or parentheses, arrays brackets
  for (size_t i = 0; i < type.size(); i++) {
    const char c = type[i];
    if (depth == 0 && (c == ';' || c == ']' || (c == '<' && i > 0 && type[i - 1] != ':')))
      return type.substr(0, i);
    depth += (c == '(' || c == '{' || c == '<') - (c == ')' || c == '}' || c == '>');
  }
  return type;
}

}  // namespace

void Names::read(const Packet& packet, const std::string& file, Trace& trace,
                 std::array<uint64_t, 256>& counts) {
  auto rest = packet.content;
  uint64_t last = packet.header.begin;
  const auto lose = [&](std::string what, uint64_t events, uint64_t bytes) {
    add_loss(trace.losses, {.what = std::move(what),
                            .file = file,
                            .offset = packet.offset + packet_header_size +
                                      static_cast<uint64_t>(rest.data() - packet.content.data()),
                            .bytes = events ? std::optional<uint64_t>() : bytes,
                            .events = events ? std::optional<uint64_t>(events) : std::nullopt});
  };
  while (!rest.empty()) {
    Wire wire;
    const bool known = decode(rest, last, wire);
    // Definitions are in no other packet: searches for the next one after the damage.
    if (!known || (wire.event == format::k_create && wire.a == 0)) {
      size_t bad = 1;
      while (bad < rest.size() && !definitions_begin(rest.subspan(bad), last)) bad++;
      lose(known ? "zeros instead of a definition" : "definition truncated or unknown", 0, bad);
      rest = rest.subspan(bad);
      continue;
    }
    last = wire.ticks;
    counts[wire.id]++;
    const size_t header =
        rest[0] == format::k_extended ? format::kExtendedHeaderSize : format::kHeaderSize;
    Cursor fields(rest.subspan(header, wire.size - header));
    switch (wire.event) {
      case format::k_string: {
        const uint64_t id = fields.u32();
        if (id == 0 || id >= most_) {
          lose("string with an invalid id", 1, 0);
          break;
        }
        if (id >= texts_.size()) texts_.resize(id + 1);
        texts_[id] = trace.strings.intern(fields.text());
        break;
      }
      case format::k_place: {
        const uint64_t id = fields.u32();
        if (id == 0 || id >= most_) {
          lose("location with an invalid id", 1, 0);
          break;
        }
        if (id >= places_.size()) {
          places_.resize(id + 1);
          raw_.resize(id + 1);
        }
        places_[id].kind = fields.u8();
        raw_[id] = {.name = fields.u32(),
                    .file = fields.u32(),
                    .function = fields.u32(),
                    .line = fields.u32(),
                    .column = fields.u32()};
        break;
      }
      case format::k_thread_name: {
        const uint64_t tid = fields.u64();
        threads_[tid] = trace.strings.intern(fields.text());
        break;
      }
      case format::k_module: {
        const uint64_t base = fields.u64();
        const uint64_t size = fields.u64();
        const StringId build_id = trace.strings.intern(fields.text());
        trace.modules.push_back({.base = base,
                                 .size = size,
                                 .build_id = build_id,
                                 .path = trace.strings.intern(fields.text())});
        break;
      }
      case format::k_extra:
        if (wire.a == static_cast<uint64_t>(format::ExtraField::kAddress))
          next_frame_.address = wire.b;
        else if (wire.a == static_cast<uint64_t>(format::ExtraField::kCaller))
          next_frame_.caller = wire.b;
        else if (wire.a == static_cast<uint64_t>(format::ExtraField::kFunction))
          next_frame_.function = wire.b;
        break;
      case format::k_sample:
        if (wire.a != 0) frames_[wire.a] = next_frame_;
        next_frame_ = {};
        break;
      default:
        break;  // not a definition, or of a later version
    }
    rest = rest.subspan(wire.size);
  }
}

std::vector<StackFrame> Names::stack(uint64_t number) const {
  std::vector<StackFrame> frames;
  while (number != 0 && frames.size() < deepest) {
    const auto found = frames_.find(number);
    if (found == frames_.end()) break;
    frames.push_back(
        {.address = found->second.address, .function = text(found->second.function)});
    number = found->second.caller;
  }
  return frames;
}

void Names::finish(Trace& trace) {
  for (size_t id = 1; id < places_.size(); id++) {
    const RawPlace& raw = raw_[id];
    Place& place = places_[id];
    place.name = text(raw.name);
    if (place.kind == format::kKind_unknown && place.name != 0)
      place.name = trace.strings.intern(awaited_type(trace.strings[place.name]));
    if (place.kind >= format::kFirstOwnKind) {
      if (trace.kinds.size() <= place.kind) trace.kinds.resize(place.kind + 1u);
      trace.kinds[place.kind] = text(place.kind - format::kFirstOwnKind + 1u);
    }
    if ((raw.file | raw.function | raw.line | raw.column) == 0) continue;  // defines only a kind
    place.location = static_cast<uint32_t>(trace.locations.size());
    trace.locations.push_back({.file = text(raw.file),
                               .function = text(raw.function),
                               .line = raw.line,
                               .column = raw.column});
  }
  raw_ = {};
}

}  // namespace skein::ctf
