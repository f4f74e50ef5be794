// The part of build_model that makes counters and their scales.
#pragma once

#include <vector>

#include "trace/model/model.h"

namespace skein {

class Counters {
 public:
  explicit Counters(Model& model) : model_(model) {}

  void add(StringId name, uint64_t time, uint64_t amount);
  void set(StringId name, uint64_t time, uint64_t value);
  // Sorts the counters by name and computes their scales.
  void finish(const Strings& strings);

 private:
  Model::Counter& get(StringId name);

  Model& model_;
  std::vector<uint32_t> index_;  // by name
};

}  // namespace skein
