// Reads stacks as folded text, one stack a line, from the outermost function to the innermost:
//
//   main;serve;parse 12
//
// This is what the stackcollapse programs of FlameGraph print (github.com/brendangregg/FlameGraph),
// bpftrace, async-profiler and others. The count may have decimals. If all lines of a text have two
// counts, it is a comparison, as by difffolded.pl: before and after.
//
//   FoldedStacks stacks;
//   stacks.add(contents->bytes());
//   StackTree tree = stacks.tree({.least_share = 1e-4});
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/flame/stack_tree.h"

namespace skein {

struct TreeOptions {
  double least_share = 0;  // narrower nodes are left out, but never all of a weight above 0
  bool reverse = false;    // from the innermost function to the outermost
  bool merge = true;  // false: siblings with one name are one node only if they are neighbours,
                      // and keep the order of the input: a flame chart
};

// Not copyable. Bytes given to add() must stay valid until the last call of tree().
class FoldedStacks {
 public:
  enum class Side : uint8_t { After, Before };

  // Lines that are not of a stack are left out. Comments, which begin with '#', and empty lines
  // are not counted.
  struct Report {
    uint64_t ignored = 0;
    uint64_t first_ignored = 0;  // its number, from 1
    std::string_view why = {};   // "no count at the end"
    // Lines that end with two counts. If others have one, or for `Before`, the first of the two
    // is the end of a name.
    uint64_t with_two = 0;
    uint64_t first_with_two = 0;
  };
  // Reads at 1 GB/s or more and keeps 24 bytes a line. Lines of `Before` count only as `before`.
  Report add(std::span<const uint8_t> text, Side side = Side::After);

  // O(lines * depth of what is shown). Memory: 16 bytes a line and the tree.
  StackTree tree(const TreeOptions& options = {}) const;

  size_t lines() const { return lines_.size(); }
  bool compares() const { return compares_; }    // a line had two counts, or was of `Before`
  double total() const { return weights_.back(); }
  double total_before() const { return befores_.empty() ? 0 : befores_.back(); }

  // A stack without its count; the weights of lines before it, for differences.
  struct Line {
    const char* begin;
    uint32_t size;
  };

 private:
  enum class Counts : uint8_t { One, Two };
  // Returns false if a line has only one count, though two are expected.
  bool add(std::span<const uint8_t> text, Side side, Counts counts, Report& report);
  void add(Line line, double count, double before, bool compares);

  std::vector<Line> lines_;
  std::vector<uint32_t> shared_;       // bytes that a line has in common with the one before it
  std::vector<double> weights_ = {0};  // [i + 1] - [i]: of line i
  std::vector<double> befores_;        // so are these; empty: no comparison
  bool compares_ = false;
};

}  // namespace skein
