#include "frames/recorded_tasks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

namespace skein {

namespace {

// As in record/include/skein/coroutine/frame.h. A word of the table: the address of a destroy
// function, and how many words the task is behind the beginning of the frame.
constexpr unsigned offset_bits = 16;
constexpr uint64_t most_code = uint64_t{1} << (64 - offset_bits);
constexpr size_t task_words = 2;  // id; row and generation

// By destroy function, the offset of the task in words.
using TaskOffsets = std::unordered_map<uint64_t, uint32_t>;

// Adds the entries for these functions in [begin, end).
void add_offsets(const Target& target, uint64_t begin, uint64_t end,
                 const std::unordered_set<uint64_t>& functions, TaskOffsets& offsets) {
  constexpr uint64_t step = uint64_t{1} << 20;
  std::vector<uint64_t> words(step / 8);
  for (uint64_t at = begin; at < end; at += step) {
    const uint64_t size = std::min(step, end - at);
    const auto bytes = std::span(reinterpret_cast<uint8_t*>(words.data()), size);  // NOLINT
    const size_t count = target.read(at, bytes) / 8;
    for (size_t i = 0; i < count; i++)
      if (words[i] % (1 << offset_bits) != 0 && functions.contains(words[i] >> offset_bits))
        offsets.emplace(words[i] >> offset_bits,
                        static_cast<uint32_t>(words[i] % (1 << offset_bits)));
  }
}

// Reads `count` words at each address; zeros where that is not possible.
std::vector<uint64_t> read_words(const Target& target, std::span<const uint64_t> addresses,
                                 size_t count) {
  std::vector<uint64_t> words(addresses.size() * count);
  std::vector<Piece> pieces(addresses.size());
  for (size_t i = 0; i < addresses.size(); i++)
    pieces[i] = {.address = addresses[i],
                 .to = {reinterpret_cast<uint8_t*>(&words[i * count]), 8 * count}};  // NOLINT
  target.read(pieces);
  for (size_t i = 0; i < addresses.size(); i++)
    if (pieces[i].count != 8 * count)
      std::fill_n(words.begin() + static_cast<ptrdiff_t>(i * count), count, 0);
  return words;
}

// The data of the files with code: their writable mappings, and the anonymous ones behind each. The
// recorder has a page that forked processes do not inherit, which splits them.
TaskOffsets find_offsets(const Target& target, const std::unordered_set<uint64_t>& functions) {
  TaskOffsets offsets;
  const std::vector<Mapping>& mappings = target.mappings();
  for (size_t i = 0; i < mappings.size(); i++) {
    if (!mappings[i].has_file() || !mappings[i].writable || mappings[i].shared) continue;
    uint64_t end = mappings[i].end;
    for (size_t next = i + 1; next < mappings.size() && mappings[next].begin == end &&
                              mappings[next].writable && mappings[next].file.empty();
         next++)
      end = mappings[next].end;
    add_offsets(target, mappings[i].begin, end, functions, offsets);
  }
  return offsets;
}

}  // namespace

std::vector<RecordedTask> find_recorded_tasks(const Target& target,
                                              std::span<const SuspendedCoroutine> coroutines) {
  std::vector<RecordedTask> tasks(coroutines.size());
  std::vector<uint64_t> addresses;
  for (const SuspendedCoroutine& one : coroutines) addresses.push_back(one.frame + 8);
  const std::vector<uint64_t> destroy = read_words(target, addresses, 1);
  std::unordered_set<uint64_t> functions;
  for (size_t i = 0; i < destroy.size(); i++) {
    const Mapping* mapping = find_mapping(target.mappings(), destroy[i]);
    if (mapping != nullptr && mapping->executable && destroy[i] < most_code)
      functions.insert(destroy[i]);
    else
      tasks[i].is_gone = true;  // malloc has overwritten it
  }
  const TaskOffsets offsets = find_offsets(target, functions);
  if (offsets.empty()) return tasks;

  addresses.clear();
  std::vector<size_t> of;  // by address, the coroutine
  for (size_t i = 0; i < coroutines.size(); i++)
    if (const auto offset = offsets.find(destroy[i]); offset != offsets.end()) {
      addresses.push_back(coroutines[i].frame + 8 * offset->second);
      of.push_back(i);
    }
  const std::vector<uint64_t> words = read_words(target, addresses, task_words);
  for (size_t i = 0; i < of.size(); i++)
    tasks[of[i]] = {.id = words[task_words * i],
                    .generation = static_cast<uint32_t>(words[task_words * i + 1] >> 32),
                    .is_gone = false};
  return tasks;
}

}  // namespace skein
