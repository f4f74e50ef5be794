// The frames of logical stacks (trace/ask/logical_times.h): names of tasks, without what differs
// between similar ones, and the lines of their awaits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/ask/number_table.h"
#include "trace/ask/waits.h"

namespace skein {

class LogicalFrames {
 public:
  explicit LogicalFrames(const Subject& subject);

  // The number of a task's name, without its label: similar tasks have the same. Fast if the tasks
  // are in order. Counts the label.
  uint32_t of(const Model::Task& one) {
    Last& last = one.name ? by_name_[one.name] : by_location_[one.location];
    if (last.kind != one.kind || last.is_resource != one.is_resource)
      last = {one.kind, one.is_resource, table_.add(key_of(one))};
    if (one.label != 0) count_label(last.number, one.label);
    return last.number;
  }
  // After of() of all tasks: the number of this name with the label; the same name if it has more
  // labels than are shown.
  uint32_t with_label(uint32_t name, StringId label);
  // Of an object that is no task, by the type of its awaiter.
  uint32_t of_type(StringId type) { return table_.add({.name = type, .sort = Sort::Object}); }

  // "serve (server.cc:41)"; without a location "serve".
  std::string text(uint32_t name, uint32_t location) const;

 private:
  enum class Sort : uint32_t { Task, Resource, Object };
  struct Key {
    StringId name = 0;      // of an object: the type of its awaiter
    uint32_t location = 0;  // where it was created, if it has no name
    StringId label = 0;
    uint32_t kind = 0;
    Sort sort = Sort::Task;
    bool operator==(const Key&) const = default;
    uint64_t hash() const {
      return hash_of(hash_of(uint64_t{name} << 32 | location, uint64_t{label} << 32 | kind),
                     static_cast<uint64_t>(sort));
    }
  };
  struct Last {
    uint32_t kind = UINT32_MAX - 1;  // none
    bool is_resource = false;
    uint32_t number = 0;
  };
  // Functions with more different labels are of tasks that have a number or an address each.
  static constexpr size_t most_labels = 8;

  static Key key_of(const Model::Task& task);
  void count_label(uint32_t name, StringId label);

  const Trace& trace_;
  NumberTable<Key> table_;
  std::vector<Last> by_name_;  // the last task of a name, as the next is similar
  std::vector<Last> by_location_;
  std::vector<std::vector<StringId>> labels_;  // by number of a name; up to one more than are shown
};

}  // namespace skein
