// Annotations: their encoding for the page, and whether two traces are of one run.
#include "view/viewer/annotations.h"

namespace skein {

namespace {

void put(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// After the first number that does not fit, all are 0.
class Numbers {
 public:
  explicit Numbers(std::span<const uint8_t> bytes) : left_(bytes) {}

  uint64_t next() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const uint8_t byte = left_[0];
      left_ = left_.subspan(1);
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
    failed_ = true;
    left_ = {};
    return 0;
  }
  uint32_t index() { return static_cast<uint32_t>(next()); }
  std::string text() {
    const auto text = left_.first(count());
    left_ = left_.subspan(text.size());
    return {text.begin(), text.end()};
  }
  // The count of elements that follow, of at least one byte each.
  size_t count() {
    const uint64_t number = next();
    if (number > left_.size()) failed_ = true;
    return failed_ ? 0 : static_cast<size_t>(number);
  }
  bool good() const { return !failed_ && left_.empty(); }

 private:
  std::span<const uint8_t> left_;
  bool failed_ = false;
};

}  // namespace

std::string write_annotations(const Annotations& annotations) {
  std::string out;
  put(out, annotations.first);
  put(out, annotations.second);
  put(out, annotations.matches.size());
  for (const auto& [a, b] : annotations.matches) {
    put(out, a);
    put(out, b);
  }
  put(out, annotations.notes.size());
  for (const Annotations::Note& note : annotations.notes) {
    put(out, note.trace);
    put(out, note.task);
    put(out, note.clock);
    put(out, note.text.size());
    out += note.text;
  }
  put(out, annotations.text.size());
  return out + annotations.text;
}

Result<Annotations> read_annotations(std::span<const uint8_t> bytes) {
  Numbers from(bytes);
  Annotations annotations{.first = from.index(), .second = from.index()};
  annotations.matches.resize(from.count());
  for (auto& [a, b] : annotations.matches) {
    a = from.next();
    b = from.next();
  }
  annotations.notes.resize(from.count());
  for (Annotations::Note& note : annotations.notes) {
    note.trace = from.index();
    note.task = from.next();
    note.clock = from.next();
    note.text = from.text();
  }
  annotations.text = from.text();
  if (!from.good()) return Error{.what = "links cut short"};
  return annotations;
}

namespace {

// TraceInfo::utc_offset, before its adjustment to another trace's frequency.
int64_t utc_of_zero(const TraceInfo& info) {
  return info.tick_clock.frequency != 0 ? info.tick_clock.utc_of_tick_0
                                        : info.utc_offset.value_or(0);
}

}  // namespace

// A process measures its clock's zero when it starts, to the nanosecond: no two processes have the
// same.
bool is_same_run(const Trace& before, const Trace& now) {
  const TraceInfo& old = before.info;
  const TraceInfo& info = now.info;
  return before.processes[0].pid == now.processes[0].pid &&
         before.processes[0].name == now.processes[0].name &&
         old.utc_offset.has_value() == info.utc_offset.has_value() &&
         utc_of_zero(old) == utc_of_zero(info) &&
         (old.start == info.start || (now.processes[0].pid != 0 && info.utc_offset));
}

}  // namespace skein
