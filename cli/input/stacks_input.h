// Reads the profiles that `skein flame` draws.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "profile/flame/folded.h"

namespace skein::cli {

class StacksInput {
 public:
  // Reads a file of folded stacks, or standard input (-). Reports lines that are left out on
  // stderr. Throws CommandError(2) if it has no stacks.
  void read(Files& files, const std::string& path, FoldedStacks::Side side);

  // Valid as long as this object.
  const FoldedStacks& stacks() const { return stacks_; }

 private:
  std::vector<Contents> contents_;
  FoldedStacks stacks_;
};

}  // namespace skein::cli
