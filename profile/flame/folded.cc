// A flame graph of a million stacks shows some thousand boxes. So no tree of all stacks is built:
// the text is read once, in order; then the boxes of a level are split into those of the next, and
// only what is wide enough is split again. Neighbouring lines usually have the same first functions.
// How many bytes they share is counted while both are in the cache, so that of a run of such lines
// only the first is parsed.
//
// Against flamegraph.pl, which sorts the lines and merges them from left to right, siblings are
// sorted by name alone; a line's count and the name of its next function do not change the order.
#include "profile/flame/folded.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>

#include "profile/flame/name_table.h"

namespace skein {

namespace {

// The number of equal bytes at the beginning of a and b, at most `size`.
uint32_t common_begin(const char* a, const char* b, uint32_t size) {
  uint32_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t left, right;
    std::memcpy(&left, a + at, 8);
    std::memcpy(&right, b + at, 8);
    if (left != right) {
      static_assert(std::endian::native == std::endian::little);
      return at + static_cast<uint32_t>(std::countr_zero(left ^ right)) / 8;
    }
  }
  while (at < size && a[at] == b[at]) at++;
  return at;
}

uint32_t common_end(const char* a_end, const char* b_end, uint32_t size) {
  uint32_t count = 0;
  while (count < size &&
         a_end[-1 - static_cast<int64_t>(count)] == b_end[-1 - static_cast<int64_t>(count)])
    count++;
  return count;
}

// How many bytes of `line` and the line before it are equal, from the first function on, counting
// the separator behind the last one, which is not in the text.
uint32_t shared_bytes(const FoldedStacks::Line& before, const FoldedStacks::Line& line,
                      bool reverse) {
  const uint32_t least = std::min(before.size, line.size);
  const uint32_t count = reverse
                             ? common_end(before.begin + before.size, line.begin + line.size, least)
                             : common_begin(before.begin, line.begin, least);
  if (count < least) return count;
  if (before.size == line.size) return count + 1;
  const FoldedStacks::Line& longer = before.size > line.size ? before : line;
  const char next = reverse ? longer.begin[longer.size - 1 - count] : longer.begin[count];
  return next == ';' ? count + 1 : count;
}

constexpr double most_count = 1e18;  // so that sums stay finite

// Takes a count, such as 12 or 0.5, and the space before it from the end of a line. Returns why
// that is not possible; empty: it is.
std::string_view take_count(std::string_view& line, double& count) {
  constexpr std::string_view none = "no count at the end";
  size_t begin = line.size();
  while (begin > 0 &&
         ((line[begin - 1] >= '0' && line[begin - 1] <= '9') || line[begin - 1] == '.'))
    begin--;
  if (begin == line.size() || (begin > 0 && line[begin] == '.')) return none;
  if (begin == 0) return "no stack before the count";
  if (line[begin - 1] == '-') return "the count is negative";
  if (line[begin - 1] != ' ' && line[begin - 1] != '\t') return none;
  const char* end = line.data() + line.size();
  uint64_t whole = 0;
  auto [stop, error] = std::from_chars(line.data() + begin, end, whole);
  count = static_cast<double>(whole);
  if (stop != end || error != std::errc{}) {  // decimals
    const auto [at, wrong] = std::from_chars(line.data() + begin, end, count);
    if (at != end || wrong != std::errc{}) return none;
  }
  if (count > most_count) return "the count is greater than 10^18";
  while (begin > 0 && (line[begin - 1] == ' ' || line[begin - 1] == '\t')) begin--;
  line = line.substr(0, begin);
  return {};
}

bool ends_with_count(std::string_view line) {
  double count = 0;
  return !line.empty() && (line.back() == '.' || (line.back() >= '0' && line.back() <= '9')) &&
         take_count(line, count).empty();
}

struct Run {  // of lines that have the same functions so far
  uint32_t begin;
  uint32_t end;
};

// A node of the tree whose children are to be found: all its lines have the same first bytes.
struct Group {
  uint32_t node;
  uint32_t position;  // bytes of each line that belong to the node and those above
  size_t first_run;
  size_t runs;
};

struct Child {
  std::string_view name;
  uint64_t hash;
  uint32_t position;
  double weight = 0;
  double before = 0;
  double begin = 0;
  size_t runs = 0;
  uint32_t group = 0;  // of the next level
  bool is_wide = false;
};

struct Piece {
  uint32_t child;
  Run run;
};

class TreeBuilder {
 public:
  TreeBuilder(std::span<const FoldedStacks::Line> lines, std::span<const uint32_t> shared,
              std::span<const double> weights, std::span<const double> befores,
              const TreeOptions& options)
      : lines_(lines), shared_(shared), weights_(weights), befores_(befores), options_(options) {
    tree_.nodes.reserve(few);
    next_groups_.reserve(few);
    next_runs_.reserve(few);
    children_.reserve(few);
    pieces_.reserve(few);
    wide_.reserve(few);
  }

  StackTree build() {
    const double total = weights_.back();
    least_ = total * options_.least_share;
    tree_.names.emplace_back();
    tree_.nodes.push_back({.weight = total, .before = befores_.empty() ? 0 : befores_.back()});
    std::vector<Group> groups;
    std::vector<Run> runs;
    if (!lines_.empty()) {
      groups.push_back({.node = 0, .position = 0, .first_run = 0, .runs = 1});
      runs.push_back({0, static_cast<uint32_t>(lines_.size())});
    }
    while (!groups.empty()) {
      next_groups_.clear();
      next_runs_.clear();
      for (const Group& group : groups) split(group, {runs.data() + group.first_run, group.runs});
      groups.swap(next_groups_);
      runs.swap(next_runs_);
    }
    tree_.names = names_.take();
    return std::move(tree_);
  }

 private:
  double weight(Run run) const { return weights_[run.end] - weights_[run.begin]; }
  double before(Run run) const {
    return befores_.empty() ? 0 : befores_[run.end] - befores_[run.begin];
  }

  std::string_view function_at(const FoldedStacks::Line& line, uint32_t position) const {
    const size_t left = line.size - position;
    if (options_.reverse) {
      const char* end = line.begin + left;
      const auto* separator = static_cast<const char*>(memrchr(line.begin, ';', left));
      const char* begin = separator == nullptr ? line.begin : separator + 1;
      return {begin, static_cast<size_t>(end - begin)};
    }
    const char* begin = line.begin + position;
    const auto* separator = static_cast<const char*>(std::memchr(begin, ';', left));
    return {begin, separator == nullptr ? left : static_cast<size_t>(separator - begin)};
  }

  uint32_t child_of(std::string_view name, uint32_t position, uint32_t line) {
    if (!options_.merge) {
      children_.push_back({.name = name,
                           .hash = NameTable::hash(name),
                           .position = position,
                           .begin = weights_[line]});
      return static_cast<uint32_t>(children_.size() - 1);
    }
    const uint64_t hash = NameTable::hash(name);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at].stamp == stamp_; at = (at + 1) & mask) {
      const Child& child = children_[slots_[at].child];
      if (child.hash == hash && child.name == name) return slots_[at].child;
    }
    const auto index = static_cast<uint32_t>(children_.size());
    slots_[at] = {stamp_, index};
    children_.push_back({.name = name, .hash = hash, .position = position});
    if (children_.size() * 2 > slots_.size()) grow();
    return index;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, {});
    stamp_ = 1;
    const size_t mask = slots_.size() - 1;
    for (uint32_t i = 0; i < children_.size(); i++) {
      size_t at = children_[i].hash & mask;
      while (slots_[at].stamp == stamp_) at = (at + 1) & mask;
      slots_[at] = {stamp_, i};
    }
  }

  // Finds the children of a node, and makes groups of those that are wide enough.
  void split(const Group& group, std::span<const Run> runs) {
    children_.clear();
    pieces_.clear();
    if (++stamp_ == 0) {  // after 4 billion groups
      slots_.assign(slots_.size(), {});
      stamp_ = 1;
    }
    for (const Run run : runs) split(group, run);
    for (const Piece& piece : pieces_) {
      Child& child = children_[piece.child];
      child.weight += weight(piece.run);
      child.before += before(piece.run);
      child.runs++;
    }
    add_nodes(group);
    add_groups();
  }

  void split(const Group& group, Run run) {
    for (uint32_t i = run.begin; i < run.end;) {
      const FoldedStacks::Line& line = lines_[i];
      uint32_t end = i + 1;
      if (group.position >= line.size) {  // ends in this node
        while (end < run.end && group.position >= lines_[end].size) end++;
        tree_.nodes[group.node].self += weight({i, end});
        tree_.nodes[group.node].self_before += before({i, end});
      } else {
        const std::string_view name = function_at(line, group.position);
        const auto position = group.position + static_cast<uint32_t>(name.size()) + 1;
        while (end < run.end && shared_[end] >= position) end++;
        pieces_.push_back({child_of(name, position, i), {i, end}});
      }
      i = end;
    }
  }

  bool is_wide(const Child& child) const {
    return least_ > 0 ? child.weight >= least_ : child.weight > 0 || child.before > 0;
  }

  void add_nodes(const Group& group) {
    wide_.clear();
    for (Child& child : children_) {
      child.is_wide = is_wide(child);
      if (child.is_wide) wide_.push_back(&child);
    }
    tree_.hidden += children_.size() - wide_.size();
    if (options_.merge) place_by_name(group);
    for (Child* child : wide_) {
      child->group = static_cast<uint32_t>(next_groups_.size());
      next_groups_.push_back({.node = static_cast<uint32_t>(tree_.nodes.size()),
                              .position = child->position,
                              .first_run = next_runs_.size(),
                              .runs = 0});
      next_runs_.resize(next_runs_.size() + child->runs);
      tree_.nodes.push_back({.name = names_.add(child->name, child->hash),
                             .parent = group.node,
                             .depth = tree_.nodes[group.node].depth + 1,
                             .begin = child->begin,
                             .weight = child->weight,
                             .before = child->before});
    }
  }

  // A narrow child only moves the wide ones behind it.
  void place_by_name(const Group& group) {
    const auto by_name = [](const Child* a, const Child* b) { return a->name < b->name; };
    std::sort(wide_.begin(), wide_.end(), by_name);
    gaps_.assign(wide_.size() + 1, 0);
    if (wide_.size() < children_.size() && !wide_.empty()) {
      for (const Child& child : children_) {
        if (child.is_wide) continue;
        const auto behind = std::lower_bound(wide_.begin(), wide_.end(), &child, by_name);
        gaps_[static_cast<size_t>(behind - wide_.begin())] += child.weight;
      }
    }
    const StackTree::Node& parent = tree_.nodes[group.node];
    double begin = parent.begin + parent.self;
    for (size_t i = 0; i < wide_.size(); i++) {
      begin += gaps_[i];
      wide_[i]->begin = begin;
      begin += wide_[i]->weight;
    }
  }

  void add_groups() {
    for (const Piece& piece : pieces_) {
      const Child& child = children_[piece.child];
      if (!child.is_wide) continue;
      Group& group = next_groups_[child.group];
      next_runs_[group.first_run + group.runs++] = piece.run;
    }
  }

  static constexpr size_t few = 32;  // children, nodes: more need larger tables

  struct Slot {
    uint32_t stamp = 0;  // valid if it is the current one
    uint32_t child = 0;
  };

  std::span<const FoldedStacks::Line> lines_;
  std::span<const uint32_t> shared_;
  std::span<const double> weights_;
  std::span<const double> befores_;
  const TreeOptions& options_;
  double least_ = 0;
  StackTree tree_;
  NameTable names_;
  std::vector<Group> next_groups_;
  std::vector<Run> next_runs_;
  std::vector<Child> children_;
  std::vector<Piece> pieces_;
  std::vector<Child*> wide_;
  std::vector<double> gaps_;
  std::vector<Slot> slots_ = std::vector<Slot>(2 * few);
  uint32_t stamp_ = 0;
};

}  // namespace

FoldedStacks::Report FoldedStacks::add(std::span<const uint8_t> text, Side side) {
  // A name may end with a number, as that of a thread: a second count is one only if all lines
  // have it.
  const size_t lines = lines_.size();
  const bool compares = compares_;
  Report report;
  if (side == Side::Before || !add(text, side, Counts::Two, report)) {
    report = {};
    lines_.resize(lines);
    shared_.resize(lines);
    weights_.resize(lines + 1);
    compares_ = compares;
    befores_.resize(compares_ ? lines + 1 : 0);
    add(text, side, Counts::One, report);
  }
  return report;
}

bool FoldedStacks::add(std::span<const uint8_t> text, Side side, Counts counts, Report& report) {
  const char* at = reinterpret_cast<const char*>(text.data());
  const char* const end = at + text.size();
  uint64_t number = 0;
  while (at < end) {
    const auto* stop =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    if (stop == nullptr) stop = end;
    std::string_view line(at, static_cast<size_t>(stop - at));
    at = stop + 1;
    number++;
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) continue;
    double count = 0, before = 0;
    std::string_view why = take_count(line, count);
    if (why.empty() && (line.size() >= std::numeric_limits<uint32_t>::max() - 1 ||
                        lines_.size() >= std::numeric_limits<uint32_t>::max()))
      why = "too long";
    if (!why.empty()) {
      if (line.front() == '#') continue;
      if (report.ignored++ == 0) report.first_ignored = number, report.why = why;
      continue;
    }
    const bool has_two = ends_with_count(line);
    if (counts == Counts::Two && !has_two) return false;
    if (has_two && report.with_two++ == 0) report.first_with_two = number;
    if (counts == Counts::Two) take_count(line, before);
    if (side == Side::Before) std::swap(count, before);
    while (line.ends_with(';')) line.remove_suffix(1);
    add({line.data(), static_cast<uint32_t>(line.size())}, count, before,
        side == Side::Before || counts == Counts::Two);
  }
  return true;
}

void FoldedStacks::add(Line line, double count, double before, bool compares) {
  if (compares && !compares_) {
    compares_ = true;
    befores_.assign(weights_.size(), 0);
  }
  shared_.push_back(lines_.empty() ? 0 : shared_bytes(lines_.back(), line, false));
  lines_.push_back(line);
  weights_.push_back(weights_.back() + count);
  if (compares_) befores_.push_back(befores_.back() + before);
}

StackTree FoldedStacks::tree(const TreeOptions& options) const {
  std::vector<uint32_t> reversed;
  if (options.reverse) {
    reversed.reserve(lines_.size());
    for (size_t i = 0; i < lines_.size(); i++)
      reversed.push_back(i == 0 ? 0 : shared_bytes(lines_[i - 1], lines_[i], true));
  }
  return TreeBuilder(lines_, options.reverse ? reversed : shared_, weights_, befores_, options)
      .build();
}

}  // namespace skein
