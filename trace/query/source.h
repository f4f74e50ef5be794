// The data that the tables of `skein query` read: a trace, and what is derived from it on first
// use. A query for events alone needs no derived data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/ask/traffic.h"
#include "trace/ask/waits.h"
#include "trace/model/thread_intervals.h"

namespace skein {

class QuerySource {
 public:
  explicit QuerySource(const Trace& trace) : trace_(trace) {}  // `trace` must outlive this

  const Trace& trace() const { return trace_; }
  const Events& events() const { return trace_.events; }
  const Model& model() const;  // not simplified
  const Waits& waits() const;
  const std::vector<Traffic>& traffic() const;   // by Model::objects
  const std::vector<uint32_t>& sockets() const;  // indices of the objects with an address
  const ThreadIntervals& thread_intervals() const;
  const std::vector<size_t>& samples() const;  // indices of the sample events
  const std::vector<uint32_t>& frame_stacks() const;  // by frame of all stacks, its stack
  const std::vector<size_t>& counter_points()
      const;                       // by counter, its first row; then the number of rows
  bool has_duplicate_ids() const;  // two tasks have the same id

  // Stable texts. A view without data means that there is none.
  std::string_view text(StringId id) const;    // of id 0: an empty text
  std::string_view kind(uint64_t kind) const;  // of tasks
  std::string_view file(uint32_t location) const;
  std::string_view function(uint32_t location) const;  // shortened
  std::string_view location(uint32_t location) const;  // "Arp::query arp.cc:7"
  std::string_view executor(uint32_t executor) const;  // "name/tid", "#2"

 private:
  const Trace& trace_;
  mutable std::unique_ptr<Model> model_;
  mutable std::unique_ptr<Waits> waits_;
  mutable std::unique_ptr<std::vector<Traffic>> traffic_;
  mutable std::unique_ptr<std::vector<uint32_t>> sockets_;
  mutable std::unique_ptr<ThreadIntervals> thread_intervals_;
  mutable std::unique_ptr<std::vector<size_t>> samples_;
  mutable std::unique_ptr<std::vector<uint32_t>> frame_stacks_;
  mutable std::unique_ptr<std::vector<size_t>> counter_points_;
  mutable std::unique_ptr<bool> has_duplicate_ids_;
  mutable std::unordered_map<StringId, std::string> functions_;
  mutable std::unordered_map<uint32_t, std::string> locations_;
  mutable std::unordered_map<uint32_t, std::string> executors_;
};

}  // namespace skein
