// What the tables of `skein query` read: a trace, and what follows from it, which is made when the
// first table that needs it is used. A question about events alone waits for nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

class QuerySource {
 public:
  explicit QuerySource(const Trace& trace) : trace_(trace) {}  // which outlives this

  const Trace& trace() const { return trace_; }
  const Events& events() const { return trace_.events; }
  const Model& model() const;  // not simplified
  const Waits& waits() const;
  const std::vector<size_t>& samples() const;  // which of the events are samples
  const std::vector<size_t>& counter_points()
      const;               // where each counter's begin; and their number
  bool has_twice() const;  // an id that two tasks have

  // Texts that stay where they are. A view without data: there is none.
  std::string_view text(StringId id) const;    // none: the empty one
  std::string_view kind(uint64_t kind) const;  // of tasks
  std::string_view file(uint32_t location) const;
  std::string_view function(uint32_t location) const;  // as people call it
  std::string_view location(uint32_t location) const;  // "Arp::query arp.cc:7"
  std::string_view executor(uint32_t executor) const;  // "name/tid", "#2"

 private:
  const Trace& trace_;
  mutable std::unique_ptr<Model> model_;
  mutable std::unique_ptr<Waits> waits_;
  mutable std::unique_ptr<std::vector<size_t>> samples_;
  mutable std::unique_ptr<std::vector<size_t>> counter_points_;
  mutable std::unique_ptr<bool> has_twice_;
  mutable std::unordered_map<StringId, std::string> functions_;
  mutable std::unordered_map<uint32_t, std::string> locations_;
  mutable std::unordered_map<uint32_t, std::string> executors_;
};

}  // namespace skein
